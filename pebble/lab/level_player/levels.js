"use strict";
/* The game with several memory levels: the state after so many moves that are known to be legal. */
const LevelRules = (() => {
  const LOAD = 0, STORE = 1, COMPUTE = 2, DELETE = 3;
  const WORDS = ["load", "store", "compute", "delete"];

  function start(game) {
    return {
      held: game.levels.map(() => new Set()),
      valid: [...game.levels.map(() => new Set()), new Set(game.inputs)],
      tallies: game.levels.map(() => ({ reads: 0, writes: 0, peak: 0 })),
    };
  }

  function place(state, level, v) {
    state.held[level].add(v);
    state.tallies[level].peak = Math.max(state.tallies[level].peak, state.held[level].size);
  }

  /* Make one move; the memory beyond all levels is the last of `valid`. */
  function change(game, state, number) {
    const op = Number(game.op[number]), level = game.level[number] - 1, v = game.vertex[number];
    if (op === LOAD) {
      place(state, level, v);
      state.valid[level].add(v);
      state.tallies[level].reads += 1;
    } else if (op === STORE) {
      if (level + 1 < game.levels.length && !game.inclusive) place(state, level + 1, v);
      state.valid[level + 1].add(v);
      state.tallies[level].writes += 1;
    } else if (op === COMPUTE) {
      for (let at = 0; at < (game.inclusive ? game.levels.length : 1); at += 1) place(state, at, v);
      state.valid[0].add(v);
    } else if (op === DELETE) {
      state.held[level].delete(v);
      state.valid[level].delete(v);
    }
  }

  function notation(game, number) {
    const op = Number(game.op[number]), name = game.names[game.vertex[number]];
    return op === COMPUTE ? `compute ${name}` : `${WORDS[op]} ${game.level[number]} ${name}`;
  }

  return { start, change, notation };
})();

class LevelPlayer {
  constructor(game, find) {
    this.game = game;
    this.find = find;
    this.timer = null;
    this.make();
    this.show(0);
  }

  make() {
    const { game, find } = this;
    find("about").textContent = game.about;
    this.boards = [...game.levels.map((level) => level.name), "slow memory"].map((name, at) => {
      const section = document.createElement("section");
      if (at === game.levels.length) section.className = "slow";
      const [head, tally, words] = ["h2", "p", "div"].map((tag) => section.appendChild(document.createElement(tag)));
      head.textContent = name;
      words.className = "words";
      find("boards").appendChild(section);
      return { tally, words };
    });
    find("place").max = game.op.length;
    find("place").addEventListener("input", (event) => this.show(Number(event.target.value)));
    const steps = { first: () => 0, before: () => this.done - 1, next: () => this.done + 1, last: () => game.op.length };
    for (const [id, step] of Object.entries(steps)) find(id).addEventListener("click", () => this.show(step()));
    find("play").addEventListener("click", () => this.toggle());
    document.addEventListener("keydown", (event) => {
      if (event.target.id === "place") return;
      if (event.key === "ArrowRight") this.show(this.done + 1);
      if (event.key === "ArrowLeft") this.show(this.done - 1);
    });
  }

  toggle() {
    const running = this.timer !== null;
    if (running) clearInterval(this.timer);
    this.timer = running ? null : setInterval(() => this.play(), 250);
    this.find("play").setAttribute("aria-pressed", String(!running));
    this.find("play").textContent = running ? "Play" : "Pause";
  }

  play() {
    if (this.done >= this.game.op.length) this.toggle();
    else this.show(this.done + 1);
  }

  /* Show the state after so many moves; going back plays them anew. */
  show(wanted) {
    const number = Math.max(0, Math.min(this.game.op.length, wanted));
    if (this.state === undefined || number < this.done) {
      this.state = LevelRules.start(this.game);
      this.done = 0;
    }
    while (this.done < number) {
      LevelRules.change(this.game, this.state, this.done);
      this.done += 1;
    }
    this.render();
  }

  render() {
    const { game, state, done, find } = this;
    find("place").value = done;
    const text = done ? LevelRules.notation(game, done - 1) : "before the first move";
    find("move").textContent = `${done} of ${game.op.length} moves: ${text}`;
    const now = done ? game.vertex[done - 1] : -1;
    this.boards.forEach(({ tally, words }, at) => {
      const bounded = at < game.levels.length;
      const held = bounded ? state.held[at] : state.valid[at];
      if (bounded) {
        const { reads, writes, peak } = state.tallies[at];
        tally.textContent =
          `holds ${held.size} of ${game.levels[at].words} words, at most ${peak} so far; ` +
          `${reads} loaded into it, ${writes} stored from it: ${reads + writes} I/O`;
      } else tally.textContent = `has ${held.size} values`;
      words.replaceChildren(...[...held].sort((a, b) => a - b).map((v) => {
        const word = document.createElement("span");
        const reserved = bounded && !state.valid[at].has(v);
        word.className = `word${reserved ? " reserved" : ""}${v === now ? " now" : ""}`;
        word.textContent = game.names[v];
        if (reserved) word.title = "reserved, without its value";
        return word;
      }));
    });
  }
}

if (typeof module !== "undefined") module.exports = LevelRules;
else {
  const game = JSON.parse(document.getElementById("document").textContent);
  new LevelPlayer(game, (id) => document.getElementById(id));
}
