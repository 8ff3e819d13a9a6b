/* Labels of vertices: how large they are at a scale of the drawing, and which are left out rather than unreadable. */
const PebbleLabels = (() => {
  const LEAST = 9; // pixels on the screen
  const LETTER = 0.61; // width of a letter of the typewriter face, for a font size of 1
  const ROW = 26; // units inside a vertex that a row has where a name and its indices stand
  const ALONE = 30; // and that a name in the middle has

  /* What is written in a vertex: { name, index, nameSize, indexSize }, sizes in units of the drawing.

     Where the indices do not fit the name stands alone; where that does not fit either, nothing is written. */
  function fitted({ name, index }, scale) {
    const least = LEAST / scale;
    const most = (text) => Math.min(13.5, ROW / (LETTER * text.length));
    if (index && least <= Math.min(most(index), most(name))) {
      return { name, index, nameSize: most(name), indexSize: Math.min(most(index), Math.max(10, least)) };
    }
    const alone = Math.min(ALONE, ALONE / (LETTER * name.length));
    return { name: least <= alone ? name : "", index: "", nameSize: Math.min(alone, Math.max(15, least)), indexSize: 0 };
  }

  /* A name for a narrow place: what stands before the bracket, and the indices; three digits do without commas. */
  function parts(name) {
    const [, letter, index] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(name) ?? [name, name, ""];
    const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
    return { name: short(letter, 6), index: short(/^\d(,\d){2,}$/.test(index) ? index.replaceAll(",", "") : index, 8) };
  }

  return { LEAST, fitted, parts };
})();
if (typeof module !== "undefined") module.exports = PebbleLabels;
