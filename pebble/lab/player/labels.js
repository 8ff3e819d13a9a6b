/* Labels of vertices: how large they are at a scale of the drawing, and which are left out rather than unreadable. */
const PebbleLabels = (() => {
  const LEAST = 12; // pixels on the screen
  const LETTER = 0.61; // width of a letter of the typewriter face, for a font size of 1
  const ROW = 25; // units inside a vertex that the row of the indices has
  const ALONE = 29; // and that a name in the middle has
  const HEIGHT = 25; // of both rows together

  /* Font sizes, in units of the drawing, of a name and of the indices below it; 0 leaves one out.

     Where the indices do not fit the name stands alone; where that does not fit either, nothing is written. */
  function sizes(name, index, scale) {
    const least = LEAST / scale;
    if (index) {
      const most = Math.min(12.2, ROW / (LETTER * index.length), ROW / (LETTER * name.length));
      if (least <= most) {
        const under = Math.max(9, least);
        return { name: Math.max(least, Math.min(13, most, HEIGHT - under)), index: Math.min(under, most) };
      }
    }
    const most = Math.min(17, ALONE / (LETTER * name.length));
    return { name: least <= most ? Math.min(most, Math.max(13, least)) : 0, index: 0 };
  }

  /* A name for a narrow place: what stands before the bracket, and the indices. */
  function parts(name) {
    const match = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name);
    const [letter, index] = match ? [match[1], match[2]] : [name, ""];
    const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
    return { letter: short(letter, 6), index: short(index, 8) };
  }

  return { LEAST, sizes, parts };
})();
if (typeof module !== "undefined") module.exports = PebbleLabels;
