/* The drawing: vertices in layers, their pebbles, and a list box that the arrow keys walk through. */
class Board {
  static MARGIN = 28;
  static STRETCH = 1.7; // at most so much wider or higher, to fill the frame
  static LEAST_FIT = 0.2; // smaller vertices are no help: a larger drawing is scrolled at first
  static READABLE = 0.64;
  static TOUCH = 24; // pixels around the middle of a vertex in which a touch is meant for it
  static SCALES = [0.04, 0.07, 0.1, 0.14, 0.2, 0.27, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 1, 1.15, 1.3, 1.5, 1.75, 2];

  constructor(svg, canvas, events) {
    this.svg = svg;
    this.canvas = canvas;
    this.events = events;
    this.vertices = [];
    this.focused = 0;
    this.scale = null;
    svg.addEventListener("click", (event) => this.withNearest(event, (v) => this.choose(v, true)));
    svg.addEventListener("dblclick", (event) => this.withNearest(event, (v) => events.obvious(v)));
    svg.addEventListener("focusin", (event) => this.withVertex(event, (v) => this.choose(v, false)));
    svg.addEventListener("pointerover", (event) => this.withVertex(event, (v) => events.inspect(v)));
    svg.addEventListener("pointerleave", () => events.inspect(this.selected));
    svg.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  withVertex(event, act) {
    const group = event.target.closest("g.vertex");
    if (group) act(Number(group.dataset.vertex));
  }

  /* The same, or beside a vertex for the nearest one: a finger is wider than a small vertex. */
  withNearest(event, act) {
    if (event.target.closest("g.vertex")) {
      this.withVertex(event, act);
      return;
    }
    const { left, top } = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const distance = ([a, b]) => Math.hypot(a * this.shown - x, b * this.shown - y);
    const nearest = this.place.reduce((best, at, v) => (distance(at) < distance(this.place[best]) ? v : best), 0);
    if (distance(this.place[nearest]) <= Board.TOUCH) act(nearest);
  }

  // -- making the drawing

  show(board, game) {
    this.board = board;
    this.game = game;
    this.isOutput = new Set(board.outputs);
    this.rows = [];
    board.layer.forEach((layer, v) => (this.rows[layer] ??= []).push(v));
    this.rows = this.rows.filter((row) => row.length);
    this.rows.forEach((row) => row.sort((a, b) => board.x[a] - board.x[b]));
    this.svg.replaceChildren();
    this.edges = board.predecessors.map((row) => row.map(() => drawn(this.svg, "path", { class: "edge" })));
    this.vertices = board.names.map((name, v) => this.vertex(name, v));
    this.named = [-1, -1];
    this.tags = [0, 1].map(() => drawn(this.svg, "text", { class: "tag", "aria-hidden": "true" }));
    this.seen = this.vertices.map(() => "");
    this.live = [];
    this.focused = 0;
    this.selected = -1;
    this.vertices[0].setAttribute("tabindex", "0");
    this.scale = undefined;
    this.shown = 0;
    this.ratio = 0;
    this.events.inspect(-1);
    this.resize();
  }

  /* Place everything for a frame of this ratio of width to height. */
  arrange(ratio) {
    const { board } = this;
    this.ratio = ratio;
    const [most, widest] = [Math.max(...board.layer), Math.max(...board.x)];
    const [across, up] = [widest < 8 ? 66 : widest < 14 ? 54 : 46, most < 4 ? 78 : most < 6 ? 66 : 62];
    const frame = 2 * Board.MARGIN;
    const [wide, high] = [widest * across, most * up];
    const stretch = (needed, has) => (has ? Math.max(1, Math.min(Board.STRETCH, (needed - frame) / has)) : 1);
    const [sx, sy] = [stretch(ratio * (high + frame), wide), stretch((wide + frame) / ratio, high)];
    this.gap = up * sy;
    this.width = wide * sx + frame;
    this.height = high * sy + frame;
    this.place = board.layer.map((layer, v) => [
      Board.MARGIN + board.x[v] * across * sx, Board.MARGIN + (most - layer) * up * sy,
    ]);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.place.forEach(([x, y], v) => {
      this.vertices[v].setAttribute("transform", `translate(${x} ${y})`);
      board.predecessors[v].forEach((p, i) => this.edges[v][i].setAttribute("d", this.curve(p, v)));
    });
  }

  curve(p, v) {
    const [[x0, y0], [x1, y1]] = [this.place[p], this.place[v]];
    if (this.board.layer[v] - this.board.layer[p] === 1) return `M${x0} ${y0}L${x1} ${y1}`;
    const bend = (y0 - y1) * 0.42;
    return `M${x0} ${y0}C${x0} ${y0 - bend} ${x1} ${y1 + bend} ${x1} ${y1}`;
  }

  vertex(name, v) {
    const id = `${this.svg.id.replace("board", "vertex")}-${v}`;
    const group = drawn(this.svg, "g", { "data-vertex": v, id, role: "option", "aria-selected": "false", tabindex: "-1" });
    const input = this.board.predecessors[v].length === 0;
    drawn(group, "circle", { class: "halo", r: 25 });
    if (this.isOutput.has(v)) {
      drawn(group, input ? "rect" : "circle", { class: "rim", ...(input ? square(20, 8) : { r: 21 }) });
    }
    drawn(group, input ? "rect" : "circle", { class: "body", ...(input ? square(16, 5) : { r: 17 }) });
    drawn(group, "text", { class: "letter" });
    drawn(group, "text", { class: "index" });
    drawn(group, "circle", { class: "pebble-red", cx: -16, cy: -16, r: 6.5 });
    drawn(group, "path", { class: "pebble-blue", d: "M16 -24l8 8l-8 8l-8 -8z" });
    drawn(group, "circle", { class: "lack", cx: 16, cy: 17, r: 8.5 });
    drawn(group, "text", { class: "lack", x: 16, y: 22 }, "!");
    drawn(group, "title", {}, name);
    return group;
  }

  // -- its size

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!this.board || !clientWidth || !clientHeight) return;
    const ratio = this.canvas.offsetWidth / this.canvas.offsetHeight;
    if (Math.abs(ratio - this.ratio) > 0.02 * this.ratio) {
      this.arrange(ratio);
      this.shown = 0;
    }
    const room = Math.min((clientWidth - 4) / this.width, (clientHeight - 4) / this.height);
    if (this.scale === undefined) this.scale = room < Board.LEAST_FIT ? Board.READABLE : null;
    const wanted = this.scale ?? Math.min(1.75, room);
    if (wanted === this.shown) return;
    this.shown = wanted;
    this.svg.setAttribute("width", Math.floor(this.width * wanted));
    this.svg.setAttribute("height", Math.floor(this.height * wanted));
    this.shortened = [];
    this.vertices.forEach((group, v) => this.label(group, v));
    this.tag();
  }

  /* Write as much of a vertex's name as can be read. */
  label(group, v) {
    const [letter, index] = group.querySelectorAll(".letter, .index");
    const parts = PebbleLabels.parts(this.board.names[v]);
    const fitted = PebbleLabels.fitted(parts, this.shown);
    this.shortened[v] = fitted.name + fitted.index !== parts.name + parts.index;
    letter.textContent = fitted.name;
    index.textContent = fitted.index;
    letter.style.fontSize = `${fitted.nameSize}px`;
    index.style.fontSize = `${fitted.indexSize}px`;
    letter.setAttribute("y", fitted.index ? -1.5 : 0.36 * fitted.nameSize);
    index.setAttribute("y", 0.5 + 0.8 * fitted.indexSize);
  }

  /* Write the names of the vertex moved and the one chosen above them: not all inside, where there is room between rows. */
  tag() {
    const size = 12 / this.shown;
    this.tags.forEach((text, i) => {
      const v = this.named[i];
      const short = v >= 0 && this.shortened[v] && this.gap > 36 + size;
      text.textContent = short ? this.board.names[v] : "";
      if (!short) return;
      const [x, y] = this.place[v];
      const half = 0.31 * size * text.textContent.length;
      text.style.fontSize = `${size}px`;
      text.setAttribute("x", Math.max(half, Math.min(this.width - half, x)));
      text.setAttribute("y", y > 30 + size ? y - 30 : y + 26 + size);
    });
  }

  zoom(by) {
    if (by === 0) this.scale = null;
    else if (by > 0) this.scale = Board.SCALES.find((scale) => scale > this.shown + 0.01) ?? Board.SCALES.at(-1);
    else this.scale = Board.SCALES.findLast((scale) => scale < this.shown - 0.01) ?? Board.SCALES[0];
    this.resize();
    if (by !== 0) this.reveal(this.selected >= 0 ? this.selected : this.focused);
  }

  /* Scroll so that a vertex can be seen. */
  reveal(v) {
    if (v < 0 || (this.canvas.scrollWidth <= this.canvas.clientWidth && this.canvas.scrollHeight <= this.canvas.clientHeight)) return;
    const [x, y] = this.place[v].map((at) => at * this.shown);
    const { scrollLeft: left, scrollTop: top, clientWidth: w, clientHeight: h } = this.canvas;
    const edge = 60;
    if (x > left + edge && x < left + w - edge && y > top + edge && y < top + h - edge) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.canvas.scrollTo({ left: x - w / 2, top: y - h / 2, behavior: calm ? "auto" : "smooth" });
  }

  // -- what it shows

  /* Show a state; `move` is the move that led to it, `lacking` are vertices to point at. */
  render(state, move, lacking = []) {
    this.state = state;
    const lack = new Set(lacking);
    this.vertices.forEach((group, v) => {
      const classes = ["vertex"];
      if (this.board.predecessors[v].length === 0) classes.push("input");
      if (this.isOutput.has(v)) classes.push("output");
      if (state.red[v]) classes.push("red");
      if (state.blue[v]) classes.push("blue");
      if (state.computed[v] && !state.red[v] && !state.blue[v]) classes.push("spent");
      if (!state.red[v] && !state.blue[v] && !state.computed[v]) classes.push("untouched");
      if (move && move.vertex === v) classes.push("active");
      if (v === this.selected) classes.push("selected");
      if (lack.has(v)) classes.push("lacking");
      const wanted = classes.join(" ");
      if (wanted === this.seen[v]) return;
      this.seen[v] = wanted;
      group.setAttribute("class", wanted);
      group.setAttribute("aria-label", this.describe(v));
    });
    this.named = [move ? move.vertex : -1, this.selected];
    this.tag();
    this.light(move && move.op === PebbleRules.COMPUTE ? move.vertex : -1);
    if (this.selected >= 0) this.events.inspect(this.selected);
  }

  light(v) {
    const wanted = new Set();
    for (const [kind, u] of [["live", v], ["asked", this.selected]]) {
      if (u < 0) continue;
      for (const path of this.edges[u]) {
        path.setAttribute("class", `edge ${kind}`);
        wanted.add(path);
      }
    }
    for (const path of this.live) if (!wanted.has(path)) path.setAttribute("class", "edge");
    this.live = [...wanted];
  }

  /* A vertex in words. */
  describe(v) {
    const { names, predecessors } = this.board;
    const from = predecessors[v].map((p) => names[p]).join(", ");
    const what = predecessors[v].length ? `computed from ${from}` : "input";
    return `${names[v]}: ${what}${this.isOutput.has(v) ? "; output" : ""}; ${this.pebbles(v)}`;
  }

  pebbles(v) {
    const { red, blue, computed } = this.state;
    if (red[v] && blue[v]) return "red and blue pebble";
    if (red[v]) return "red pebble";
    if (blue[v]) return "blue pebble";
    return computed[v] ? "no pebble, computed before" : "no pebble";
  }

  // -- choosing a vertex

  choose(v, focus) {
    this.vertices[this.focused].setAttribute("tabindex", "-1");
    this.focused = v;
    this.vertices[v].setAttribute("tabindex", "0");
    if (focus && document.activeElement !== this.vertices[v]) this.vertices[v].focus({ preventScroll: true });
    this.select(v);
    this.events.inspect(v);
  }

  select(v) {
    if (v === this.selected) return;
    if (this.selected >= 0) this.vertices[this.selected].setAttribute("aria-selected", "false");
    this.selected = v;
    if (v >= 0) this.vertices[v].setAttribute("aria-selected", "true");
    this.events.chosen(v);
  }

  focus() {
    this.vertices[this.focused].focus();
    this.reveal(this.focused);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Enter") this.events.obvious(this.focused);
    const next = this.neighbour(event.key);
    if (next === null && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== null) {
      this.choose(next, true);
      this.reveal(next);
    }
  }

  /* The vertex an arrow key leads to, or null if the key is no arrow. */
  neighbour(key) {
    const at = this.rows.findIndex((row) => row.includes(this.focused));
    const place = this.rows[at].indexOf(this.focused);
    const clamp = (value, most) => Math.max(0, Math.min(most, value));
    if (key === "ArrowLeft" || key === "ArrowRight") {
      return this.rows[at][clamp(place + (key === "ArrowLeft" ? -1 : 1), this.rows[at].length - 1)];
    }
    if (key !== "ArrowUp" && key !== "ArrowDown") return null;
    const row = this.rows[clamp(at + (key === "ArrowUp" ? 1 : -1), this.rows.length - 1)];
    if (row.includes(this.focused)) return this.focused;
    const distance = (v) => Math.abs(this.place[v][0] - this.place[this.focused][0]);
    return row.reduce((near, v) => (distance(v) < distance(near) ? v : near));
  }
}

function square(half, rx) {
  return { x: -half, y: -half, width: 2 * half, height: 2 * half, rx };
}
