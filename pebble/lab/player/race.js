/* A race: several pebblings of one computation, all stepped through together. */
const data = JSON.parse(byId("document").textContent);
const best = Math.min(...data.lanes.map(({ totals }) => totals.reads + totals.writes));
const worst = Math.max(...data.lanes.map(({ totals }) => totals.reads + totals.writes));

/* One schedule: its board, its tape and its counts. */
class Lane {
  constructor(columns, number) {
    this.name = columns.name;
    this.io = columns.totals.reads + columns.totals.writes;
    this.tape = new Tape(gameOf(data.board, columns.M), movesOf(columns));
    this.section = byId("lanes").appendChild(element("section", "", "stage lane"));
    this.section.setAttribute("aria-label", this.name);
    const head = this.section.appendChild(element("div", "", "bar"));
    head.append(element("h2", this.name));
    this.counts = head.appendChild(element("span"));
    this.fill = head.appendChild(element("div", "", "meter")).appendChild(element("div", "", "fill"));
    this.memory = head.appendChild(element("span"));
    const canvas = this.section.appendChild(element("div", "", "canvas"));
    const svg = drawn(canvas, "svg", { id: `board-${number}`, class: "board", role: "listbox", "aria-label": `Vertices of ${this.name}` });
    this.now = this.section.appendChild(element("p", "", "under"));
    const seen = (v) => (v < 0 ? this.draw() : this.now.replaceChildren(this.board.describe(v)));
    this.board = new Board(svg, canvas, { chosen: () => this.draw(), obvious: () => {}, inspect: (v) => this.board?.state && seen(v) });
  }

  draw() {
    const { game, state, last, at, moves } = this.tape;
    this.board.render(state, last);
    const io = PebbleRules.io(state);
    const split = ` = ${many(state.reads, "load")} + ${many(state.writes, "store")}`;
    this.counts.replaceChildren(element("b", String(io), "io"), " I/O", element("span", split));
    this.memory.replaceChildren("memory ", element("b", `${state.inUse} of ${game.M}`));
    this.fill.style.width = `${(100 * io) / worst}%`;
    this.now.replaceChildren(last ? PebbleRules.notation(game, last) : "not begun", at === moves.length ? `; done after ${moves.length} moves` : "");
  }
}

class Race extends Stepper {
  lanes = data.lanes.map((columns, number) => new Lane(columns, number));
  length = Math.max(...this.lanes.map(({ tape }) => tape.moves.length));
  at = 0;

  place(at) {
    this.at = at;
    this.lanes.forEach(({ tape }) => tape.goTo(at));
  }

  sentence() {
    if (this.at === this.length) return this.verdict();
    const counts = this.lanes.map(({ name, tape }) => `${name} ${PebbleRules.io(tape.state)}`);
    return `I/O after ${many(this.at, "move")}: ${counts.join(", ")}`;
  }

  /* Who wins, and what the others cost. */
  verdict() {
    const names = (lanes) => lanes.map(({ name }) => name).join(" and ");
    const winners = this.lanes.filter(({ io }) => io === best);
    const others = this.lanes.filter(({ io }) => io > best).map(({ name, io }) => `${name}: ${io}`).join(", ");
    const { bound, optimum } = data.lanes[0];
    const least = optimum === null ? `No pebbling costs less than ${bound.value}` : `The optimum is ${optimum}`;
    return `${names(winners)} ${winners.length > 1 ? "win" : "wins"}: ${best} I/O. ${others && `${others}. `}${least}.`;
  }

  draw() {
    const done = this.at === this.length;
    this.lanes.forEach((lane) => {
      lane.draw();
      lane.section.classList.toggle("wins", done && lane.io === best);
    });
    byId("now").textContent = this.sentence();
    byId("now").classList.toggle("done", done);
  }
}

const race = new Race(4);
race.lanes.forEach(({ board, tape }) => board.show(data.board, tape.game));
listen(() => race.keys);
race.render();
