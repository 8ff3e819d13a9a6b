"use strict";
/* The red-blue pebble game on one DAG: pure functions, the same rules, names and texts as the Python referee.

   A game is { names, predecessors, outputs, M, rules: { recomputation, sliding } }; a move is
   { op, vertex, source } with op 0 load, 1 store, 2 compute, 3 delete, 4 slide. No function changes a state
   that it is given. */
const PebbleRules = (() => {
  const LOAD = 0, STORE = 1, COMPUTE = 2, DELETE = 3, SLIDE = 4;
  const WORDS = ["load", "store", "compute", "delete", "slide"];
  const SHOWN = 4;

  function start(game) {
    const n = game.names.length;
    const blue = new Uint8Array(n);
    for (let v = 0; v < n; v += 1) blue[v] = game.predecessors[v].length === 0 ? 1 : 0;
    return {
      red: new Uint8Array(n), blue, computed: new Uint8Array(n), inUse: 0,
      moves: 0, reads: 0, writes: 0, computes: 0, deletes: 0, slides: 0, redundant: 0, peak: 0,
    };
  }

  /* Why a move is illegal now: { rule, reason, remedy }, or null if it is legal. */
  function explain(game, state, move) {
    const { op, vertex: v } = move;
    if (!Object.hasOwn(TESTS, op)) {
      return verdict("unknown-op", `unknown operation ${op}`, `use ${WORDS.join(", ")}`);
    }
    if (!(v >= 0 && v < game.names.length)) {
      return verdict("unknown-vertex", `there is no vertex ${v}`, `the vertices are 0 to ${game.names.length - 1}`);
    }
    return TESTS[op](game, state, move);
  }

  function legal(game, state, move) {
    return explain(game, state, move) === null;
  }

  /* The state after a legal move. */
  function apply(game, state, move) {
    const next = {
      ...state, red: state.red.slice(), blue: state.blue.slice(), computed: state.computed.slice(),
    };
    change(next, move);
    return next;
  }

  /* The state after several moves that are known to be legal; calls seen(state, move) after each. */
  function applyAll(game, state, moves, seen) {
    const next = {
      ...state, red: state.red.slice(), blue: state.blue.slice(), computed: state.computed.slice(),
    };
    for (const move of moves) {
      change(next, move);
      if (seen) seen(next, move);
    }
    return next;
  }

  function change(state, { op, vertex: v, source }) {
    const computing = op === COMPUTE || op === SLIDE;
    const placed = (op === LOAD || computing) && !state.red[v];
    const turnedBlue = op === STORE && !state.blue[v];
    if (op === DELETE || op === SLIDE) {
      state.red[op === DELETE ? v : source] = 0;
      state.inUse -= 1;
    }
    if (placed) {
      state.red[v] = 1;
      state.inUse += 1;
    }
    if (turnedBlue) state.blue[v] = 1;
    if (computing) state.computed[v] = 1;
    state.moves += 1;
    state.reads += op === LOAD ? 1 : 0;
    state.writes += op === STORE ? 1 : 0;
    state.computes += computing ? 1 : 0;
    state.deletes += op === DELETE ? 1 : 0;
    state.slides += op === SLIDE ? 1 : 0;
    state.redundant += op !== DELETE && !placed && !turnedBlue ? 1 : 0;
    state.peak = Math.max(state.peak, state.inUse);
  }

  /* The outputs that are not blue yet. */
  function missing(game, state) {
    return game.outputs.filter((v) => !state.blue[v]);
  }

  function complete(game, state) {
    return missing(game, state).length === 0;
  }

  function io(state) {
    return state.reads + state.writes;
  }

  /* A move as a pebbling file writes it. */
  function notation(game, { op, vertex, source }) {
    const name = (v) => (v >= 0 && v < game.names.length ? game.names[v] : `vertex ${v}`);
    const word = Object.hasOwn(WORDS, op) ? WORDS[op] : `operation ${op}`;
    return `${word} ${name(vertex)}${op === SLIDE ? ` from ${name(source)}` : ""}`;
  }

  // -- the rules, one function for each operation; the first rule broken counts

  const TESTS = {
    [LOAD](game, state, { vertex: v }) {
      if (!state.blue[v]) {
        return verdict("load-needs-blue", "it has no blue pebble", state.red[v] ? "it is red already" : "compute it");
      }
      return state.red[v] ? null : room(game, state, "delete one first");
    },
    [STORE](game, state, { vertex: v }) {
      if (state.red[v]) return null;
      return verdict("store-needs-red", "it has no red pebble", `${state.blue[v] ? "load" : "compute"} it first`);
    },
    [COMPUTE](game, state, { vertex: v }) {
      const found = inputRule(game, v) || againRule(game, state, v) || needsRule(game, state, v);
      if (found || state.red[v]) return found;
      const sliding = game.rules.sliding;
      return room(game, state, sliding ? "delete one first, or slide from a predecessor" : "delete one first");
    },
    [DELETE](game, state, { vertex: v }) {
      return state.red[v] ? null : verdict("delete-needs-red", "it has no red pebble", "leave the move out");
    },
    [SLIDE](game, state, { vertex: v, source }) {
      if (!game.rules.sliding) {
        const remedy = "compute it into a free word, then delete the predecessor";
        return verdict("slide-forbidden", "the rules forbid sliding", remedy);
      }
      const found = inputRule(game, v);
      if (found) return found;
      if (!game.predecessors[v].includes(source)) {
        const known = source >= 0 && source < game.names.length;
        const name = known ? game.names[source] : `vertex ${source}`;
        const reason = `${name} is not among its predecessors`;
        return verdict("slide-needs-predecessor", reason, "slide from one of them");
      }
      const second = againRule(game, state, v) || needsRule(game, state, v);
      if (second === null && state.red[v]) {
        return verdict("slide-target-red", "it has a red pebble already", "delete the predecessor instead");
      }
      return second;
    },
  };

  function verdict(rule, reason, remedy) {
    return { rule, reason, remedy };
  }

  function inputRule(game, v) {
    if (game.predecessors[v].length) return null;
    return verdict("compute-input", "an input cannot be computed", "load it");
  }

  function againRule(game, state, v) {
    if (game.rules.recomputation || !state.computed[v]) return null;
    let remedy = state.blue[v] ? "load it instead" : "store it before it is deleted, then load it";
    if (state.red[v]) remedy = "leave the move out: it is still red";
    const reason = "it was computed before, and the rules forbid a second time";
    return verdict("recomputation-forbidden", reason, remedy);
  }

  /* The predecessors of a vertex that are not in fast memory. */
  function lacking(game, state, v) {
    return game.predecessors[v].filter((p) => !state.red[p]);
  }

  function needsRule(game, state, v) {
    const without = lacking(game, state, v);
    if (!without.length) return null;
    const blue = without.filter((p) => state.blue[p]).length;
    const names = without.slice(0, SHOWN).map((p) => `${game.names[p]} (${state.blue[p] ? "blue" : "not blue"})`);
    const more = without.length > names.length ? ` and ${without.length - names.length} more` : "";
    const verb = without.length === 1 ? "is" : "are";
    const reason =
      `${without.length} of its ${game.predecessors[v].length} predecessors ${verb} not red: ${names.join(", ")}${more}`;
    if (blue > 0 && blue < without.length) {
      return verdict("compute-needs-predecessors", reason, "load the blue ones and compute the others first");
    }
    const remedy = `${blue ? "load" : "compute"} ${without.length === 1 ? "it" : "them"} first`;
    return verdict("compute-needs-predecessors", reason, remedy);
  }

  function room(game, state, remedy) {
    if (state.inUse < game.M) return null;
    return verdict("memory-full", `fast memory holds ${state.inUse} of ${game.M} words`, remedy);
  }

  return {
    LOAD, STORE, COMPUTE, DELETE, SLIDE, WORDS,
    start, explain, legal, apply, applyAll, missing, complete, io, notation, lacking,
  };
})();
if (typeof module !== "undefined") module.exports = PebbleRules;
