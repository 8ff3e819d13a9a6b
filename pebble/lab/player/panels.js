/* The panels beside the board: counts, words of fast memory, the program. */
const Panels = (() => {
  const MARKS = { bound: "▲", optimum: "◆", total: "■" };
  let counted = [];
  let words = [];
  let lines = [];
  let scale = 1;

  // -- counts

  /* Say what the I/O is compared with: { kind, value, text } each. */
  function setMarks(marks) {
    counted = marks;
    byId("marks").replaceChildren(
      ...marks.map(({ kind, value, text }) => {
        const item = element("li");
        item.append(element("span", MARKS[kind], `mark-${kind}`), ` ${value.toLocaleString("en")} ${text}`);
        item.firstChild.setAttribute("aria-hidden", "true");
        return item;
      }),
    );
    const meter = byId("meter");
    meter.replaceChildren(byId("meter-fill"), ...marks.map(({ kind }) => element("span", MARKS[kind], `tick mark-${kind}`)));
    scale = 0;
  }

  /* Show how far the I/O has got, and on narrow windows, in the dock, [what, how many] each. */
  function showMeter(io, score) {
    byId("io").textContent = io.toLocaleString("en");
    byId("score").replaceChildren(...score.map(([what, value]) => {
      const item = element("span", `${what} `);
      item.append(element("b", value.toLocaleString("en")));
      return item;
    }));
    const needed = Math.max(io, 1, ...counted.map(({ value }) => value));
    if (needed !== scale) {
      scale = needed;
      byId("meter").querySelectorAll(".tick").forEach((tick, i) => {
        tick.style.left = `${(100 * counted[i].value) / scale}%`;
      });
    }
    byId("meter-fill").style.width = `${(100 * io) / scale}%`;
  }

  function showCounts(state, M) {
    const goal = counted.find(({ kind }) => kind === "optimum") ?? counted[0];
    showMeter(PebbleRules.io(state), [
      ["I/O", PebbleRules.io(state)],
      [goal.kind === "optimum" ? "goal" : "bound", goal.value],
      ["memory", `${state.inUse} of ${M}`],
    ]);
    byId("io-split").textContent = `= ${many(state.reads, "load")} + ${many(state.writes, "store")}`;
    const parts = [[state.moves, " moves · "], [state.computes, " computes · "], [state.deletes, " deletes · peak "], [state.peak, ""]];
    byId("numbers").replaceChildren(...parts.flatMap(([value, text]) => [element("b", value.toLocaleString("en")), text]));
  }

  // -- fast memory

  function setMemory(game) {
    const count = Math.min(game.M, game.names.length);
    words = Array.from({ length: count }, () => element("li", "", "free"));
    byId("slots").replaceChildren(...words);
    const never = game.M - count;
    byId("slots-more").textContent = never ? `and ${many(never, "word")} that this DAG can never fill` : "";
    words.held = new Int32Array(count).fill(-2);
  }

  function showMemory(game, tape) {
    byId("memory-count").textContent = `${tape.state.inUse} of ${many(game.M, "word")} in use`;
    const active = tape.last && tape.last.op !== PebbleRules.DELETE ? tape.last.vertex : -1;
    words.forEach((cell, i) => {
      const v = tape.words[i];
      if (v >= 0 && v === active) scrolled(byId("slots"), cell);
      if (words.held[i] !== v) {
        words.held[i] = v;
        cell.textContent = v < 0 ? "free" : game.names[v];
      }
      cell.className = v < 0 ? "free" : v === active ? "used active" : "used";
    });
  }

  // -- the program, or the moves

  function setLines(title, texts) {
    byId("listing-title").textContent = title;
    lines = texts.map((text) => hanging(element("li", narrower(text))));
    byId("listing").replaceChildren(...lines);
    byId("listing").classList.toggle("moves", false);
    lines.texts = texts;
    lines.at = -1;
  }

  /* A line with half its indentation: the panel is narrow. */
  function narrower(text) {
    return text.replace(/^ +/, (spaces) => spaces.slice(spaces.length / 2));
  }

  /* Indent what does not fit on the first row of a line a little more than the line. */
  function hanging(item) {
    const indent = item.textContent.search(/\S|$/) + 2;
    item.style.paddingLeft = `calc(36px + ${indent}ch)`;
    item.style.textIndent = `${-indent}ch`;
    return item;
  }

  /* Mark columns of a line as what is being executed. */
  function showLine(at, start, stop) {
    const leave = lines[lines.at];
    if (leave) {
      leave.textContent = narrower(lines.texts[lines.at]);
      leave.removeAttribute("aria-current");
    }
    lines.at = at;
    const line = lines[at];
    if (!line) return;
    const text = lines.texts[at];
    line.replaceChildren(narrower(text.slice(0, start)), element("mark", text.slice(start, stop)), text.slice(stop));
    line.setAttribute("aria-current", "step");
    keepInSight(line);
  }

  /* Show the moves around a place, for pebblings that come from no program. */
  function showMoves(game, moves, at) {
    const first = Math.max(0, Math.min(at - 7, moves.length - 14));
    const items = moves.slice(first, first + 14).map((move, i) => {
      const item = element("li", PebbleRules.notation(game, move));
      item.value = first + i + 1;
      if (first + i + 1 === at) item.setAttribute("aria-current", "step");
      return item;
    });
    byId("listing").classList.toggle("moves", true);
    byId("listing").replaceChildren(...(items.length ? items : [element("li", "no move yet", "none")]));
    const current = items.find((item) => item.hasAttribute("aria-current"));
    if (current) scrolled(byId("listing"), current);
  }

  /* Scroll the listing, and the panels where they scroll by themselves, so that a line can be seen. */
  function keepInSight(line) {
    scrolled(byId("listing"), line);
    scrolled(document.querySelector(".side"), line);
  }

  function scrolled(box, item) {
    if (box.scrollHeight <= box.clientHeight) return;
    const [inner, outer] = [item.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top;
    else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
  }

  return { setMarks, showMeter, showCounts, setMemory, showMemory, setLines, showLine, showMoves };
})();
