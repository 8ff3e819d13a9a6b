/* Putting the page together: the two modes, the controls, the keyboard. */
(() => {
  const data = JSON.parse(byId("document").textContent);
  const ownTotals = data.watch.totals;
  const board = new Board(byId("board"), byId("canvas"), {
    chosen: () => (mode === "watch" ? watch.render() : practice.render()),
    obvious: (v) => mode === "practice" && practice.obvious(v),
    inspect: (v) => inspect(v),
  });
  const watch = new Watch(data, board);
  const practice = new Practice(data, board, ownTotals.reads + ownTotals.writes);
  let mode = "watch";

  function inspect(v) {
    if (v < 0) {
      byId("inspected").textContent = "Choose a vertex to see what it is computed from.";
      return;
    }
    const more = mode === "practice" ? `; ${practice.legalOn(v)}` : "";
    byId("inspected").textContent = `${board.describe(v)}${more}`;
  }

  function setMode(wanted) {
    watch.pause();
    mode = wanted;
    document.body.dataset.mode = mode;
    for (const name of ["watch", "practice"]) {
      byId(`mode-${name}`).setAttribute("aria-pressed", String(name === mode));
    }
    byId("alert").replaceChildren();
    byId("now").classList.remove("done");
    if (mode === "watch") watch.select(watch.current);
    else practice.enter();
  }

  function option(text, value) {
    return Object.assign(element("option", text), { value: String(value) });
  }

  function on(id, event, act) {
    byId(id).addEventListener(event, act);
  }

  // -- controls

  byId("recording").replaceChildren(...watch.recordings.map(({ label }, i) => option(label, i)));
  byId("board-choice").replaceChildren(...data.boards.map(({ title }, i) => option(title, i)));
  byId("speed").replaceChildren(
    ...Watch.SPEEDS.map((speed) => option(`${speed}/s`, speed)),
  );
  byId("speed").value = String(watch.speed);

  on("mode-watch", "click", () => setMode("watch"));
  on("mode-practice", "click", () => setMode("practice"));
  on("recording", "change", (event) => watch.select(watch.recordings[Number(event.target.value)]));
  on("first", "click", () => watch.step(-Infinity));
  on("last", "click", () => watch.step(Infinity));
  on("back", "click", () => watch.step(-1));
  on("step", "click", () => watch.step(1));
  on("play", "click", () => watch.toggle());
  on("slider", "input", (event) => { watch.pause(); watch.goTo(Number(event.target.value)); });
  on("jump", "change", (event) => { watch.pause(); watch.goTo(Number(event.target.value)); });
  on("speed", "change", (event) => watch.setSpeed(Number(event.target.value)));
  on("smaller", "click", () => board.zoom(-1));
  on("larger", "click", () => board.zoom(1));
  on("fit", "click", () => board.zoom(0));
  on("board-choice", "change", (event) => { practice.pick(Number(event.target.value)); practice.enter(); });
  on("memory-choice", "change", (event) => {
    practice.choiceIndex = Number(event.target.value);
    practice.load();
    practice.enter();
  });
  on("show-optimum", "click", () => {
    watch.current = watch.optimumOf(practice.boardIndex, practice.choice.M);
    setMode("watch");
    byId("play").focus();
  });
  on("undo", "click", () => practice.undo());
  on("restart", "click", () => practice.restart());
  document.querySelectorAll("button.move").forEach((button) => {
    button.addEventListener("click", () => practice.tryMove(Number(button.dataset.op)));
  });

  // -- keyboard

  const WATCH_KEYS = {
    " ": () => watch.toggle(),
    ArrowRight: () => watch.step(1),
    ArrowLeft: () => watch.step(-1),
    ".": () => watch.step(1),
    ",": () => watch.step(-1),
    Home: () => watch.step(-Infinity),
    End: () => watch.step(Infinity),
    "Shift+ArrowRight": () => watch.stepOperation(1),
    "Shift+ArrowLeft": () => watch.stepOperation(-1),
    b: () => board.focus(),
  };
  const PRACTICE_KEYS = {
    l: () => practice.tryMove(PebbleRules.LOAD),
    c: () => practice.tryMove(PebbleRules.COMPUTE),
    s: () => practice.tryMove(PebbleRules.STORE),
    d: () => practice.tryMove(PebbleRules.DELETE),
    u: () => practice.undo(),
    r: () => practice.restart(),
    b: () => board.focus(),
  };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && mode === "practice" && !event.target.matches("input, textarea")) {
      event.preventDefault();
      practice.undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !byId("shortcuts").checked) return;
    if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
    if (event.key === " " && event.target.matches("button, summary, input, a")) return;
    const shifted = event.shiftKey && event.key.startsWith("Arrow");
    const name = shifted ? `Shift+${event.key}` : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = (mode === "watch" ? WATCH_KEYS : PRACTICE_KEYS)[name];
    if (!act) return;
    event.preventDefault();
    act();
  });

  setMode("watch");
})();
