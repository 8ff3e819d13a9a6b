/* Putting the page together: the two modes, the controls, the keyboard. */
(() => {
  const data = JSON.parse(byId("document").textContent);
  const board = new Board(byId("board"), byId("canvas"), {
    chosen: () => (mode === "watch" ? watch.render() : practice.render()),
    obvious: (v) => mode === "practice" && practice.obvious(v),
    inspect: (v) => inspect(v),
  });
  const address = new Address(() => PebbleLinks.write(data.boards, position()), show);
  const watch = new Watch(data, board, () => address.changed());
  const practice = new Practice(data, board, () => address.changed());
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

  // -- what is shown, and its address

  function position() {
    if (mode === "watch") {
      const { board, M, name, tape } = watch.current;
      return { mode: "watch", board, M, name, at: tape.at };
    }
    return { mode: "play", board: practice.boardIndex, M: practice.choice.M, moves: practice.tape.moves };
  }

  /* Show the position that an address says, or begin and say what is wrong with it. */
  function show(text) {
    Notice.hide();
    const { position: found, fault } = text ? PebbleLinks.read(data.boards, text) : {};
    const wrong = fault ?? (found ? restore(found) : null);
    if (!found || wrong) {
      watchAt(watch.recordings[0], 0);
    }
    if (wrong) Notice.show(`The part of the address after # cannot be shown: ${wrong}. Here is the beginning instead.`);
  }

  /* Show a position; return what is wrong with it, if something is. */
  function restore({ board, M, name, at, moves, mode: wanted }) {
    if (wanted === "watch") {
      const recording = watch.recordings.find((one) => one.board === board && one.M === M && one.name === name);
      if (!recording) return `there is no pebbling ${name} of ${data.boards[board].name} with M = ${M} on this page`;
      const total = recording.columns.op.length;
      if (at > total) return `the pebbling ends after ${many(total, "move")}, before move ${at}`;
      watchAt(recording, at);
      return null;
    }
    const wrong = PebbleLinks.illegal(PebbleRules, gameOf(data.boards[board], M), moves);
    if (wrong) return wrong;
    practice.pick(board, M);
    practice.tape.replace(moves);
    setMode("practice");
    return null;
  }

  function watchAt(recording, at) {
    watch.current = recording;
    setMode("watch");
    if (recording.tape.at !== at) watch.goTo(at);
  }

  // -- controls

  byId("recording").replaceChildren(...watch.recordings.map(({ label }, i) => option(label, i)));
  byId("board-choice").replaceChildren(...data.boards.map(({ title }, i) => option(title, i)));

  on("mode-watch", "click", () => address.turn(() => setMode("watch")));
  on("mode-practice", "click", () => address.turn(() => setMode("practice")));
  on("recording", "change", (event) => {
    address.turn(() => watch.select(watch.recordings[Number(event.target.value)]));
  });
  on("smaller", "click", () => board.zoom(-1));
  on("larger", "click", () => board.zoom(1));
  on("fit", "click", () => {
    board.zoom(0);
    byId("canvas").scrollIntoView({ block: "nearest" });
  });
  on("copy-link", "click", () => copyLink(address.link));
  on("notice-close", "click", () => { Notice.hide(); byId("copy-link").focus(); });
  on("skip", "click", (event) => { event.preventDefault(); board.focus(); });
  on("board-choice", "change", (event) => address.turn(() => {
    practice.pick(Number(event.target.value));
    practice.enter();
  }));
  on("memory-choice", "change", (event) => address.turn(() => {
    practice.choiceIndex = Number(event.target.value);
    practice.load();
    practice.enter();
  }));
  on("show-optimum", "click", () => {
    address.turn(() => {
      watch.current = watch.optimumOf(practice.boardIndex, practice.choice.M);
      setMode("watch");
    });
    byId("play").focus();
  });
  on("undo", "click", () => practice.undo());
  on("restart", "click", () => practice.restart());
  document.querySelectorAll("button.move").forEach((button) => {
    button.addEventListener("click", () => practice.tryMove(Number(button.dataset.op)));
  });

  // -- keyboard

  const WATCH_KEYS = {
    ...watch.keys,
    ".": () => watch.step(1),
    ",": () => watch.step(-1),
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
    }
  });
  listen(() => (!byId("shortcuts").checked ? {} : mode === "watch" ? WATCH_KEYS : PRACTICE_KEYS));

  byId("copy-link").hidden = !Address.shareable;
  address.open();
})();
