/* Several devices: each superstep is two steps, the work and then the exchange. */
const film = JSON.parse(byId("document").textContent);
const SIDE = 96, WIDTH = 150, HEIGHT = 190;
const steps = film.turns.flatMap((turn, number) => {
  const phases = [];
  if (turn.work.some((pairs) => pairs.length)) phases.push({ number, phase: "work" });
  if (turn.sends.length) phases.push({ number, phase: "send" });
  return phases;
});
steps.push({ number: film.turns.length - 1, phase: "end" });

// Devices of a grid stand in rows and columns, others on a circle.
function centres() {
  const count = film.devices;
  if (film.columns) {
    const gap = 90;
    return Array.from({ length: count }, (_, p) => [
      (p % film.columns) * (WIDTH + gap) + WIDTH / 2,
      Math.floor(p / film.columns) * (HEIGHT + gap) + HEIGHT / 2,
    ]);
  }
  const radius = count === 1 ? 0 : Math.max(count === 2 ? 140 : 215, (count * 270) / (2 * Math.PI));
  return Array.from({ length: count }, (_, p) => {
    const angle = (2 * Math.PI * p) / count - Math.PI / 2 - (count === 2 ? Math.PI / 2 : 0);
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}
const places = centres();

function drawDevice(p, step, into) {
  const [x, y] = places[p];
  const turn = film.turns[step.number], n = film.tiles, side = SIDE / n;
  drawn(into, "rect", { class: "device", x: x - WIDTH / 2, y: y - HEIGHT / 2, width: WIDTH, height: HEIGHT, rx: 10 });
  drawn(into, "text", { x, y: y - HEIGHT / 2 + 18 }, `device ${p}`);
  const past = new Set();
  film.turns.forEach((one, number) => {
    if (number < step.number || (number === step.number && step.phase !== "work")) {
      one.work[p].forEach(([i, j]) => past.add(i * n + j));
    }
  });
  const now = new Set(step.phase === "work" ? turn.work[p].map(([i, j]) => i * n + j) : []);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      const place = i * n + j;
      const state = now.has(place) ? " now" : past.has(place) ? " done" : film.allowed[i][j] ? "" : " masked";
      drawn(into, "rect", {
        class: `cell${state}`, x: x - SIDE / 2 + j * side, y: y - HEIGHT / 2 + 26 + i * side, width: side, height: side,
      });
    }
  }
  const visits = step.phase === "end" ? turn.after[p] : turn.visits[p];
  const shown = visits.length > 3 ? [...visits.slice(0, 2), `and ${visits.length - 2} more`] : visits;
  shown.forEach((what, line) => {
    drawn(into, "text", { class: "visit", x, y: y - HEIGHT / 2 + SIDE + 43 + 18 * line }, what);
  });
}

function drawSends(step, into) {
  const bundles = new Map();
  film.turns[step.number].sends.forEach((send) => {
    const key = `${send.from} ${send.to}`;
    if (!bundles.has(key)) bundles.set(key, { from: send.from, to: send.to, words: 0 });
    bundles.get(key).words += send.words;
  });
  bundles.forEach(({ from, to, words }) => {
    const [x1, y1] = places[from], [x2, y2] = places[to];
    const length = Math.hypot(x2 - x1, y2 - y1), [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const cut = Math.min(WIDTH / 2 / Math.max(Math.abs(dx), 0.01), HEIGHT / 2 / Math.max(Math.abs(dy), 0.01));
    const start = [x1 + dx * cut, y1 + dy * cut], end = [x2 - dx * cut, y2 - dy * cut];
    const bend = [(start[0] + end[0]) / 2 - dy * 26, (start[1] + end[1]) / 2 + dx * 26];
    drawn(into, "path", { class: "send", d: `M${start} Q${bend} ${end}` });
    drawn(into, "text", { class: "load", x: bend[0], y: bend[1] }, String(words));
  });
}

function describe(step) {
  const turn = film.turns[step.number], name = `Superstep ${step.number + 1} of ${film.turns.length}`;
  if (step.phase === "work") {
    const busy = turn.work.map((pairs, p) => (pairs.length ? p : -1)).filter((p) => p >= 0);
    return `${name}: ${busy.length === film.devices ? "all devices work" : `devices ${busy.join(", ")} work`}.`;
  }
  if (step.phase === "end") return "Every output is with its owner.";
  const some = turn.sends.slice(0, 4).map((send) => `${send.what} from ${send.from} to ${send.to}`);
  const more = turn.sends.length - some.length;
  return `${name} ends: ${some.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

class Exchange extends Stepper {
  length = steps.length - 1;
  at = 0;

  place(at) {
    this.at = at;
  }

  sentence() {
    return describe(steps[this.at]);
  }

  draw() {
    const step = steps[this.at], drawing = byId("devices");
    const sent = step.phase === "work" ? step.number : step.number + 1;
    const received = sent ? film.turns[sent - 1].received : film.turns[0].received.map(() => 0);
    const total = received.reduce((a, b) => a + b, 0);
    drawing.replaceChildren();
    const tip = drawn(drawn(drawing, "defs", {}), "marker", {
      id: "tip", viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto",
    });
    drawn(tip, "path", { class: "tip", d: "M0 0L10 5L0 10z" });
    places.forEach((_, p) => drawDevice(p, step, drawing));
    if (step.phase === "send") drawSends(step, drawing);
    byId("now").textContent = this.sentence();
    Panels.showMeter(total, [["received", total], ["of", film.total], ...(film.bound ? [["bound", film.bound]] : [])]);
    byId("io-split").textContent = `of ${many(film.total, "word")}`;
    byId("numbers").textContent = received.map((words, p) => `device\u00a0${p}:\u00a0${words.toLocaleString("en")}`).join(" · ");
    Panels.showLine(this.at, 0, 0);
  }
}

const xs = places.map(([x]) => x), ys = places.map(([, y]) => y), margin = 12;
byId("devices").setAttribute("viewBox", [
  Math.min(...xs) - WIDTH / 2 - margin, Math.min(...ys) - HEIGHT / 2 - margin,
  Math.max(...xs) - Math.min(...xs) + WIDTH + 2 * margin, Math.max(...ys) - Math.min(...ys) + HEIGHT + 2 * margin,
].join(" "));
byId("about").textContent = film.summary;
const bound = { kind: "bound", value: film.bound, text: "at least, if all devices do equal work" };
Panels.setMarks([...(film.bound ? [bound] : []), { kind: "total", value: film.total, text: "this schedule in total" }]);
Panels.setLines("Supersteps", steps.map(describe));
const exchange = new Exchange(1);
listen(() => exchange.keys);
exchange.render();
