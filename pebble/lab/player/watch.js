/* Watching: recorded pebblings, stepped through with the program beside them. */
const OP_MEANING = {
  [PebbleRules.LOAD]: () => "from slow to fast memory, one I/O",
  [PebbleRules.STORE]: () => "from fast to slow memory, one I/O",
  [PebbleRules.COMPUTE]: (game, v) => `from ${game.predecessors[v].map((p) => game.names[p]).join(", ")}`,
  [PebbleRules.DELETE]: () => "its word is free again",
};

class Watch extends Stepper {
  constructor(data, board, changed) {
    super();
    this.data = data;
    this.board = board;
    this.changed = changed;
    const own = shownFirst(data).map((one) => this.own(one));
    const same = (a, b) => a.name === b.name && a.board === b.board && a.M === b.M;
    this.recordings = [...own, ...this.optima().filter((one) => !own.some((other) => same(one, other)))];
    this.current = this.recordings[0];
  }

  own(columns) {
    const { name, title, source, board, M, bound, optimum, totals } = columns;
    const marks = [{ kind: "bound", value: bound.value, text: `lower bound (${bound.name}), proved` }];
    if (optimum !== null) marks.push({ kind: "optimum", value: optimum, text: "optimum, proved" });
    marks.push({ kind: "total", value: totals.reads + totals.writes, text: "this pebbling in total" });
    const optimal = optimum === totals.reads + totals.writes;
    const about = `${title} (${source})`;
    const label = this.data.further.length ? columns.label : `${title}, M = ${M}`;
    return { name, label, about, board, M, marks, optimal, columns };
  }

  optima() {
    return this.data.boards.flatMap(({ title, choices }, board) =>
      choices.filter(({ optimum }) => optimum).map(({ M, bound, optimum }) => ({
        name: "optimum",
        label: `optimal: ${title}, M = ${M}`,
        about: `${title}, M = ${M}: an optimal pebbling; exhaustive search has proved that no pebbling costs less`,
        board, M, optimal: true, columns: optimum,
        marks: [
          { kind: "bound", value: bound.value, text: `lower bound (${bound.name})` },
          { kind: "optimum", value: optimum.io, text: "optimum, proved, and reached by this pebbling" },
        ],
      })));
  }

  // -- choosing what is played

  /* Show a recording from its beginning. */
  select(recording) {
    this.pause();
    this.current = recording;
    recording.tape ??= new Tape(gameOf(this.data.boards[recording.board], recording.M), movesOf(recording.columns));
    recording.ends ??= this.ends(recording);
    this.enter();
  }

  optimumOf(board, M) {
    return this.recordings.findLast((one) => one.optimal && one.board === board && one.M === M);
  }

  /* Number of moves made at the end of each operation. */
  ends({ columns, tape }) {
    if (!columns.program) return tape.moves.map((_, i) => i + 1);
    let total = 0;
    return columns.program.steps.map(([, , count]) => (total += count));
  }

  enter() {
    const { tape, board, about, marks, columns } = this.current;
    this.board.show(this.data.boards[board], tape.game);
    Panels.setMarks(marks);
    Panels.setMemory(tape.game);
    Panels.setLines(columns.program ? "Program" : "Moves", columns.program ? columns.program.lines : []);
    byId("about").textContent = about;
    byId("recording").value = String(this.recordings.indexOf(this.current));
    this.render();
    this.board.focused = tape.moves.length ? tape.moves[0].vertex : 0;
    this.board.vertices[0].setAttribute("tabindex", "-1");
    this.board.vertices[this.board.focused].setAttribute("tabindex", "0");
    this.board.reveal(this.board.focused);
  }

  // -- moving

  get length() {
    return this.current.tape.moves.length;
  }

  get at() {
    return this.current.tape.at;
  }

  place(at) {
    this.current.tape.goTo(at);
  }

  /* Go to the end of the operation that is under way, or of the next one; or to the one before. */
  stepOperation(direction) {
    this.pause();
    const { tape, ends } = this.current;
    const before = [0, ...ends];
    this.goTo(direction > 0 ? ends.find((end) => end > tape.at) ?? tape.at : before.findLast((end) => end < tape.at) ?? 0);
  }

  // -- showing

  draw() {
    const { tape, columns } = this.current;
    const { last } = tape;
    this.board.render(tape.state, last);
    if (last) this.board.reveal(last.vertex);
    Panels.showCounts(tape.state, tape.game.M);
    Panels.showMemory(tape.game, tape);
    if (columns.program) this.showProgram(tape, columns.program);
    else Panels.showMoves(tape.game, tape.moves, tape.at);
    this.showNow(tape);
    this.changed();
  }

  showProgram(tape, { steps, sites, contexts }) {
    const [site, context] = tape.at ? steps[this.current.ends.findIndex((end) => end >= tape.at)] : [-1, -1];
    byId("context").textContent = tape.at ? contexts[context] || "outside all loops" : "not begun";
    Panels.showLine(...(sites[site] ?? [-1, 0, 0]));
  }

  showNow({ game, last, at, moves }) {
    const now = byId("now");
    if (!last) {
      now.replaceChildren("Nothing has been moved: the inputs are in slow memory.");
      return;
    }
    const meaning = OP_MEANING[last.op](game, last.vertex);
    const end = at === moves.length ? " The pebbling is complete." : "";
    now.replaceChildren(element("b", PebbleRules.notation(game, last)), ` ${meaning}.${end}`);
  }

  /* Where we are, in a sentence. */
  sentence() {
    const { tape } = this.current;
    const io = PebbleRules.io(tape.state);
    const words = `${io} I/O, ${tape.state.inUse} of ${many(tape.game.M, "word")} in use`;
    if (!tape.last) return `Start, before move 1 of ${tape.moves.length}`;
    const done = tape.at === tape.moves.length ? ". Complete" : "";
    return `Move ${tape.at} of ${tape.moves.length}: ${PebbleRules.notation(tape.game, tape.last)}. ${words}${done}`;
  }
}
