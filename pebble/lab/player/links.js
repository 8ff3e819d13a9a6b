/* A position of the page as the part of an address after #, and back: pure functions.

   A position is { mode: "play", board, M, moves } or { mode: "watch", board, M, name, at }: a board of the page by
   its number, and the moves made, or the pebbling watched and how many of its moves are done. In an address stand

     play=pyramid:3&M=4&moves=AEI&check=x9k        watch=pyramid:3&M=4&of=optimum&at=17&check=x9k

   A move is 4 · vertex + operation in base 64, all moves with equally many digits. The check is a sum over all
   that and over the edges of the DAG: a link that was cut short, or was made for another DAG of the same name, is
   found out. Every game that is read is played under the rules. */
const PebbleLinks = (() => {
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const VALUES = { play: ["M", "moves"], watch: ["M", "of", "at"] };
  const MOST_MOVES = 20000;

  /* The text of a position on one of these boards. */
  function write(boards, position) {
    const board = boards[position.board];
    const values = position.mode === "play"
      ? [board.name, position.M, encode(position.moves, board.names.length)]
      : [board.name, position.M, position.name, position.at];
    const texts = values.map((value) => quoted(String(value)));
    const keys = [position.mode, ...VALUES[position.mode]];
    return `${keys.map((key, i) => `${key}=${texts[i]}`).join("&")}&check=${checksum(board, position.mode, values)}`;
  }

  /* The position of a text: { position }, or { fault } in words. */
  function read(boards, text) {
    const pairs = text.split("&").map((part) => part.split("="));
    const mode = pairs[0][0];
    if (!Object.hasOwn(VALUES, mode) || pairs.some((pair) => pair.length !== 2)) {
      return { fault: "it is not a position on this page" };
    }
    const wanted = [mode, ...VALUES[mode], "check"];
    if (wanted.some((key, i) => !pairs[i] || pairs[i][0] !== key) || pairs.length > wanted.length) {
      return { fault: "it was cut short or changed" };
    }
    const found = pairs.map(([, value]) => unquoted(value));
    if (found.includes(null)) return { fault: "it was cut short or changed" };
    const [check, values] = [found.at(-1), found.slice(0, -1)];
    if (!boards.some(({ name }) => name === values[0])) {
      return { fault: `this page has no DAG called ${values[0]}; it has ${boards.map(({ name }) => name).join(", ")}` };
    }
    const board = boards.findIndex((one) => one.name === values[0] && checksum(one, mode, values) === check);
    if (board < 0) return { fault: `it was cut short or changed, or made for another DAG called ${values[0]}` };
    return mode === "play" ? readGame(boards[board], board, values) : readWatched(boards[board], board, values);
  }

  function readGame(board, place, [, memory, text]) {
    const M = Number(memory);
    const sizes = board.choices.map((choice) => choice.M);
    if (!sizes.includes(M)) {
      return { fault: `for ${board.name} this page has M = ${sizes.join(", ")}, not ${memory}` };
    }
    const moves = decode(text, board.names.length);
    if (moves === null) return { fault: "its moves cannot be read" };
    return { position: { mode: "play", board: place, M, moves } };
  }

  function readWatched(board, place, [, memory, name, at]) {
    if (!/^\d{1,6}$/.test(at)) return { fault: `${at} is not a number of moves` };
    return { position: { mode: "watch", board: place, M: Number(memory), name, at: Number(at) } };
  }

  /* The first illegal move of a game, in words; null if all are legal. */
  function illegal(rules, game, moves) {
    let state = rules.start(game);
    for (const [i, move] of moves.entries()) {
      const why = rules.explain(game, state, move);
      if (why) return `move ${i + 1}, ${rules.notation(game, move)}, is not legal there: ${why.reason}`;
      state = rules.apply(game, state, move);
    }
    return null;
  }

  // -- moves

  /* Digits that a move takes on a DAG of n vertices. */
  function width(n) {
    let digits = 1;
    while (64 ** digits < 4 * n) digits += 1;
    return digits;
  }

  function encode(moves, n) {
    const digits = width(n);
    const places = Array.from({ length: digits }, (_, i) => 64 ** (digits - 1 - i));
    const one = ({ op, vertex }) => places.map((place) => DIGITS[Math.floor((4 * vertex + op) / place) % 64]).join("");
    return moves.map(one).join("");
  }

  /* The moves, or null if the text is none. */
  function decode(text, n) {
    const digits = width(n);
    if (text.length % digits || text.length / digits > MOST_MOVES) return null;
    const moves = [];
    for (let i = 0; i < text.length; i += digits) {
      const parts = [...text.slice(i, i + digits)].map((letter) => DIGITS.indexOf(letter));
      const code = parts.reduce((sum, part) => 64 * sum + part, 0);
      if (parts.includes(-1) || code >= 4 * n) return null;
      moves.push({ op: code % 4, vertex: Math.floor(code / 4), source: -1 });
    }
    return moves;
  }

  // -- texts

  /* A value that stands for itself in an address; the colons and commas of names of DAGs stay legible. */
  function quoted(text) {
    return encodeURIComponent(text).replace(/%3A/g, ":").replace(/%2C/g, ",");
  }

  function unquoted(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return null;
    }
  }

  /* Three digits of a sum (FNV-1a, 32 bits, folded to 18) over a position and the edges of its DAG. */
  function checksum({ predecessors, outputs }, mode, values) {
    const text = JSON.stringify([mode, values.map(String), predecessors, outputs]);
    let sum = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
    const folded = (sum ^ (sum >>> 18)) & 0x3ffff;
    return [12, 6, 0].map((shift) => DIGITS[(folded >>> shift) & 63]).join("");
  }

  return { write, read, illegal, encode, decode };
})();
if (typeof module !== "undefined") module.exports = PebbleLinks;
