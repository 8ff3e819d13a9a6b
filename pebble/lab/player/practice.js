/* Playing: the reader makes the moves, illegal ones are explained, and the end is compared with the optimum. */
const RULE_TEXT = {
  "load-needs-blue": "Only what has a blue pebble can be loaded.",
  "store-needs-red": "Only what has a red pebble can be stored.",
  "delete-needs-red": "Only a red pebble can be deleted.",
  "compute-input": "An input is given; it is never computed.",
  "compute-needs-predecessors": "A vertex is computed from predecessors that are all red at that moment.",
  "memory-full": "There are never more than M red pebbles; the new one needs a free word.",
};

class Practice {
  constructor(data, board, changed) {
    this.data = data;
    this.board = board;
    this.changed = changed;
    this.best = new Map();
    this.games = new Map();
    this.boardIndex = 0;
    this.lacking = [];
    this.pick(0);
  }

  get choice() {
    return this.data.boards[this.boardIndex].choices[this.choiceIndex];
  }

  get key() {
    return `${this.boardIndex} ${this.choice.M}`;
  }

  // -- which game

  /* Take a board, with the choice of M nearest to what is wanted. */
  pick(boardIndex, M = null) {
    this.boardIndex = boardIndex;
    const { choices } = this.data.boards[boardIndex];
    const middle = Math.min(1, choices.length - 1);
    const found = choices.findIndex((choice) => choice.M === M);
    this.choiceIndex = found < 0 ? middle : found;
    this.load();
  }

  load() {
    if (!this.games.has(this.key)) {
      this.games.set(this.key, new Tape(gameOf(this.data.boards[this.boardIndex], this.choice.M), []));
    }
    this.tape = this.games.get(this.key);
    this.lacking = [];
  }

  enter() {
    const { title, choices } = this.data.boards[this.boardIndex];
    this.board.show(this.data.boards[this.boardIndex], this.tape.game);
    byId("board-choice").value = String(this.boardIndex);
    byId("memory-choice").replaceChildren(
      ...choices.map(({ M }, i) => option(`M = ${M}`, i)),
    );
    byId("memory-choice").value = String(this.choiceIndex);
    byId("show-optimum").hidden = !this.choice.optimum;
    byId("about").textContent =
      `${title}: store every output (double rim) with as few loads and stores as you can.`;
    Panels.setMarks(this.marks());
    Panels.setMemory(this.tape.game);
    Panels.setLines("Your moves", []);
    byId("context").textContent = "";
    this.complain(null);
    this.render();
    this.board.reveal(0);
  }

  marks() {
    const { bound, optimum } = this.choice;
    const marks = [{ kind: "bound", value: bound.value, text: `lower bound (${bound.name})` }];
    if (optimum) marks.push({ kind: "optimum", value: optimum.io, text: "optimum, proved: your goal" });
    else if (this.watched) marks.push({ kind: "total", value: this.watched, text: "the pebbling to watch; the optimum is not known" });
    return marks;
  }

  /* I/O of the page's own pebbling of this game, if it has one. */
  get watched() {
    const found = shownFirst(this.data).find(({ board, M }) => board === this.boardIndex && M === this.choice.M);
    return found && found.totals.reads + found.totals.writes;
  }

  // -- moves

  tryMove(op) {
    const v = this.board.selected;
    if (v < 0) {
      this.complain({ text: "Choose a vertex first: click it, or walk to it with the arrow keys." });
      return;
    }
    this.make({ op, vertex: v, source: -1 });
  }

  make(move) {
    const { game, state } = this.tape;
    const why = PebbleRules.explain(game, state, move);
    if (why) {
      this.lacking = move.op === PebbleRules.COMPUTE ? PebbleRules.lacking(game, state, move.vertex) : [];
      this.complain({ move: PebbleRules.notation(game, move), ...why });
      this.board.render(state, this.tape.last, this.lacking);
      return;
    }
    this.complain(null);
    this.lacking = [];
    const useless = state.redundant;
    this.tape.push(move);
    this.render();
    const idle = this.tape.state.redundant > useless ? " It was legal, but placed no pebble." : "";
    this.say(`${capital(PebbleRules.notation(game, move))}.${idle}`);
  }

  /* The move one would most likely make on a vertex. */
  obviousOp(v) {
    const { game, state } = this.tape;
    if (!state.red[v]) return state.blue[v] ? PebbleRules.LOAD : PebbleRules.COMPUTE;
    return game.outputs.includes(v) && !state.blue[v] ? PebbleRules.STORE : PebbleRules.DELETE;
  }

  obvious(v) {
    this.make({ op: this.obviousOp(v), vertex: v, source: -1 });
  }

  undo() {
    const move = this.tape.undo();
    this.lacking = [];
    this.complain(move ? null : { text: "There is no move to take back." });
    this.render();
    if (move) this.say(`Taken back: ${PebbleRules.notation(this.tape.game, move)}.`);
  }

  restart() {
    this.tape.replace([]);
    this.lacking = [];
    this.complain(null);
    this.render();
    this.say("A new game.");
  }

  // -- showing

  /* Explain an illegal move, or clear the explanation. */
  complain(why) {
    const box = byId("alert");
    box.replaceChildren();
    if (!why) return;
    if (why.text) {
      box.append(why.text);
      return;
    }
    box.append(
      element("b", `Not legal: ${why.move}.`), ` ${capital(why.reason)}. ${RULE_TEXT[why.rule] ?? ""} What would help: ${why.remedy}. `,
      element("code", why.rule, "rule"),
    );
  }

  say(text) {
    const { state, game } = this.tape;
    const words = `${PebbleRules.io(state)} I/O, ${state.inUse} of ${many(game.M, "word")} in use`;
    const verdict = PebbleRules.complete(game, state) ? ` ${this.verdict()}` : "";
    announce(`${text} ${words}.${verdict}`);
  }

  /* How good a complete game is. */
  verdict() {
    const io = PebbleRules.io(this.tape.state);
    const { bound, optimum, M } = this.choice;
    if (optimum) {
      if (io === optimum.io) return `Complete with ${io} I/O, and optimal: no pebbling with ${M} words costs less.`;
      const more = io - optimum.io;
      return `Complete with ${io} I/O. The optimum is ${optimum.io}: ${many(more, "load or store", "loads or stores")} can be saved.`;
    }
    if (io === bound.value) return `Complete with ${io} I/O, which is the lower bound: optimal.`;
    const other = this.watched ? ` The pebbling to watch costs ${this.watched}.` : "";
    return `Complete with ${io} I/O; the lower bound is ${bound.value}, the optimum is not known.${other}`;
  }

  render() {
    const { game, state, last, moves } = this.tape;
    this.board.render(state, last, this.lacking);
    Panels.showCounts(state, game.M);
    Panels.showMemory(game, this.tape);
    Panels.showMoves(game, moves, moves.length);
    this.showNow();
    this.showButtons();
    byId("file").value = this.choice.header + moves.map((move) => `${PebbleRules.notation(game, move)}\n`).join("");
    byId("undo").disabled = byId("restart").disabled = !moves.length;
    this.changed();
  }

  showNow() {
    const { game, state, last } = this.tape;
    const done = PebbleRules.complete(game, state);
    const io = PebbleRules.io(state);
    if (done) this.best.set(this.key, Math.min(io, this.best.get(this.key) ?? Infinity));
    byId("best").textContent = this.best.has(this.key) ? `your best: ${this.best.get(this.key)} I/O` : "";
    byId("now").classList.toggle("done", done);
    const missing = PebbleRules.missing(game, state).length;
    const open = `${missing} of ${many(game.outputs.length, "output")} still to be stored.`;
    const made = last ? [element("b", PebbleRules.notation(game, last)), ". "] : ["Your move. "];
    byId("now").replaceChildren(...(done ? [element("b", this.verdict())] : [...made, open]));
  }

  /* Tell which moves are legal on the chosen vertex; the others can be tried, and are explained. */
  showButtons() {
    const v = this.board.selected;
    const { game, state } = this.tape;
    document.querySelectorAll("button.move").forEach((button) => {
      const op = Number(button.dataset.op);
      const why = v < 0 ? { reason: "choose a vertex first" } : PebbleRules.explain(game, state, { op, vertex: v });
      button.classList.toggle("illegal", why !== null);
      button.classList.toggle("obvious", v >= 0 && why === null && op === this.obviousOp(v));
      button.title = why ? `not legal now: ${why.reason}` : "";
    });
  }

  /* The moves that are legal on a vertex, in words. */
  legalOn(v) {
    const { game, state } = this.tape;
    const found = [0, 2, 1, 3].filter((op) => PebbleRules.legal(game, state, { op, vertex: v }));
    return found.length ? `legal now: ${found.map((op) => PebbleRules.WORDS[op]).join(", ")}` : "no legal move on it now";
  }
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
