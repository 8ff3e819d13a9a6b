/* The explorer: sliders choose a point, and everything else shows it. All numbers were counted beforehand. */
const DATA = JSON.parse(byId("document").textContent);
const MASK_NAMES = { none: "none", causal: "causal", "window:1024": "window of 1,024" };
const ABOUT = {
  standard: "writes all scores to slow memory and reads them back",
  "flash-2": "FlashAttention-2: the scores never leave fast memory",
  "small-cache": "square tiles of the size that its paper gives",
  best: "the cheapest schedule known here",
};
const MEANINGS = {
  Q: "queries", K: "keys", V: "values", S: "scores, QKᵀ", P: "weights of the values", l: "row sums of the weights",
  U: "sums before the division", O: "result", dO: "gradient of the result", dV: "gradient of V", dK: "gradient of K",
  dQ: "gradient of Q", dP: "gradient of P", dS: "gradient of S", D: "row sums of dO·O",
};
const START = { N: 4096, d: 64, M: 32768, mask: "none", pass: "forward", width: "1", schedule: "flash-2", type: "2" };
const state = { ...START };
const SLIDERS = ["N", "d", "M"];
const GROUPS = ["mask", "pass", "width"];

const placeOf = (width) => `${state.mask}/${width}`;
const stopsOf = (name) => DATA.stops[placeOf(state.width)][name];

function nearest(stops, value) {
  const apart = stops.map((stop) => Math.abs(Math.log(stop / value)));
  return stops[apart.indexOf(Math.min(...apart))];
}

const pointAt = (M) => DATA.points[[state.N, state.d, M, state.mask, state.pass, state.width].join("/")];
const sum = (row, side) => Object.values(row.moved).reduce((total, one) => total + one[side], 0);
const io = (row) => sum(row, 0) + sum(row, 1);
const bytes = (count) => {
  const [size, unit] = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([size]) => count >= size) ?? [1, "B"];
  return `${(count / size).toLocaleString("en-US", { maximumFractionDigits: 1 })} ${unit}`;
};

const inBytes = (count) => (state.type === "words" ? "" : ` · ${bytes(count * state.type)}`);

function loops(row) {
  const [place, ...numbers] = row.loops;
  return DATA.listings[place].replace(/#/g, () => numbers.shift());
}

function radio(group, value, label) {
  return `<label><input type="radio" name="${group}" value="${value}"${state[group] === value ? " checked" : ""}><span>${label}</span></label>`;
}

function drawChart(point) {
  const stops = stopsOf("M");
  const points = (name) => stops.map((M) => [M, pointAt(M).schedules[name]]).filter(([, row]) => row);
  const curves = Object.keys(ABOUT)
    .map((name) => ({ name, points: points(name).map(([M, row]) => [M, io(row)]) }))
    .filter((one) => one.points.length);
  const devices = state.type === "words" ? [] : DATA.devices.map((one) => ({ name: one.name, M: one.bytes / state.type }));
  const title = `Words moved against words of fast memory, at M = ${words(state.M)}: ${Object.keys(point.schedules)
    .map((name) => `${name} ${words(io(point.schedules[name]))}`).join(", ")}; bound ${words(point.bound[1])}`;
  chart.draw({
    stops, curves, devices, title, dd: state.d ** 2, M: state.M, chosen: state.schedule,
    bound: stops.map((M) => [M, pointAt(M).bound[1]]),
  });
}

function drawBars(point) {
  const rows = Object.entries(point.schedules);
  const most = Math.max(...rows.map(([, row]) => io(row)));
  const low = (100 * point.bound[1]) / most;
  byId("bars").innerHTML = rows.map(([name, row]) => {
    const total = io(row);
    const [read, written] = [0, 1].map((side) => (100 * sum(row, side)) / most);
    const about = name === "best" ? `${ABOUT.best}: ${row.chosen}` : ABOUT[name];
    return `<label class="bar ${name}"><input type="radio" name="schedule" value="${name}"${name === state.schedule ? " checked" : ""}>
      <span class="bar-name"><b>${name}</b> <small>${about}</small></span>
      <span class="bar-io"><b>${words(total)}</b> <small>${(total / point.bound[1]).toFixed(3)} × bound${inBytes(total)}</small></span>
      <span class="track"><i data-width="${read}" class="read"></i><i data-width="${written}" class="written"></i><u data-left="${low}"></u></span></label>`;
  }).join("");
  for (const bar of document.querySelectorAll("[data-width]")) bar.style.width = `${bar.dataset.width}%`;
  for (const bar of document.querySelectorAll("[data-left]")) bar.style.left = `${bar.dataset.left}%`;
  byId("bound").textContent = `The line across the bars: every schedule must move at least ${words(point.bound[1])} words${inBytes(point.bound[1])}. This is the bound ${point.bound[0]}. The pale end of a bar is written, the rest is read.`;
}

function verdict(point) {
  const { standard, "flash-2": flash, best } = point.schedules;
  const side = state.M < state.d ** 2 ? `M is below d² = ${words(state.d ** 2)}.` : `M is at least d² = ${words(state.d ** 2)}.`;
  const near = `The best schedule moves ${(io(best) / point.bound[1]).toFixed(2)} times the proved lower bound.`;
  const wide = state.width > 1 ? ` A partial sum takes ${state.width} words, as a 32-bit sum of ${32 / state.width}-bit inputs does.` : "";
  if (!flash) return `${side} FlashAttention-2 does not fit. ${near}${wide}`;
  const [less, more] = io(flash) < io(standard) ? ["FlashAttention-2", "the standard algorithm"] : ["the standard algorithm", "FlashAttention-2"];
  const ratio = Math.max(io(standard) / io(flash), io(flash) / io(standard));
  const why = less === "FlashAttention-2" ? "" : " Writing the scores out is cheaper here.";
  const compared = ratio < 1.05
    ? "FlashAttention-2 and the standard algorithm move nearly the same."
    : `Here ${more} moves ${ratio.toFixed(1)} times as many words as ${less}.${why}`;
  const same = state.mask === "window:1024" && state.N <= 1024 ? " At this N the window equals the causal mask." : "";
  return `${side} ${compared} ${near}${same}${wide}`;
}

function drawDetail(row) {
  const name = state.schedule === "best" ? row.chosen : state.schedule;
  byId("moved-name").textContent = byId("loops-name").textContent = name;
  byId("moved").tBodies[0].innerHTML = Object.entries(row.moved).map(([array, [read, written]]) =>
    `<tr><th>${array}</th><td class="meaning">${MEANINGS[array] ?? ""}</td><td>${read ? words(read) : "–"}</td><td>${written ? words(written) : "–"}</td></tr>`).join("");
  byId("moved").tFoot.innerHTML = `<tr><th>all</th><td class="meaning"></td><td>${words(sum(row, 0))}</td><td>${words(sum(row, 1))}</td></tr>`;
  byId("tiles").textContent = `${row.tiles ? `Tiles: ${row.tiles.replaceAll(",", ", ")}. ` : ""}Holds at most ${words(row.peak)} of ${words(state.M)} words${inBytes(row.peak)}.`;
  byId("loops").replaceChildren(...loops(row).split("\n").map((text) => {
    const line = Object.assign(document.createElement("span"), { textContent: text });
    const indent = text.search(/\S|$/) + 4;
    line.style.paddingLeft = `${indent}ch`;
    line.style.textIndent = `-${indent}ch`;
    return line;
  }));
}

function draw() {
  if (!DATA.stops[placeOf(state.width)]) state.width = "1";
  for (const name of SLIDERS) state[name] = nearest(stopsOf(name), state[name]);
  const point = pointAt(state.M);
  if (!point.schedules[state.schedule]) state.schedule = "best";
  for (const name of SLIDERS) {
    const stops = stopsOf(name);
    const size = name === "M" && state.type !== "words" ? `${words(state.M)} words · ${bytes(state.M * state.type)}` : words(state[name]);
    byId(name).max = stops.length - 1;
    byId(name).disabled = stops.length === 1;
    byId(name).value = stops.indexOf(state[name]);
    byId(name).setAttribute("aria-valuetext", size);
    byId(`${name}-value`).textContent = size;
  }
  for (const group of GROUPS) {
    for (const one of byId(group).querySelectorAll("input")) one.checked = one.value === state[group];
  }
  for (const one of byId("width").querySelectorAll("input")) one.disabled = !DATA.stops[placeOf(one.value)];
  byId("type").value = state.type;
  byId("at").textContent = `At N = ${words(state.N)}, d = ${state.d}, M = ${words(state.M)}${state.width > 1 ? `, sums of ${state.width} words` : ""}`;
  byId("verdict").textContent = verdict(point);
  const focused = document.activeElement?.name === "schedule";
  drawChart(point);
  drawBars(point);
  if (focused) document.querySelector("#bars input:checked").focus();
  drawDetail(point.schedules[state.schedule]);
  const mask = state.mask === "none" ? "" : ` --mask ${state.mask}`;
  const pass = state.pass === "forward" ? "" : " --pass backward";
  const width = state.width > 1 ? ` --sum-width ${state.width}` : "";
  byId("command").textContent = `pebble count -N ${state.N} -d ${state.d} -M ${state.M}${mask}${pass}${width} --schedule ${Object.keys(point.schedules).join(",")}`;
  address.changed();
}

/* Show what an address says; a number that is no stop becomes the nearest one, and the page says so. */
function open(text) {
  const asked = new URLSearchParams(text);
  const known = {
    mask: DATA.masks, pass: DATA.passes, width: DATA.widths, schedule: Object.keys(ABOUT),
    type: [...byId("type").options].map((one) => one.value),
  };
  const changed = [];
  Object.assign(state, START);
  for (const [name, value] of asked) {
    if (SLIDERS.includes(name) && Number(value) > 0) {
      state[name] = Number(value);
    } else if (known[name]?.includes(value)) state[name] = value;
    else changed.push(`nothing for ${name}=${value}`);
  }
  if (!DATA.stops[placeOf(state.width)]) {
    changed.push(`nothing for width=${state.width} under a mask`);
    state.width = "1";
  }
  for (const name of SLIDERS) {
    const wanted = state[name];
    state[name] = nearest(stopsOf(name), wanted);
    if (state[name] !== wanted) changed.push(`${name} = ${words(state[name])}, not ${words(wanted)}`);
  }
  if (changed.length) Notice.show(`This page has no stop for the point in the link. It shows ${changed.join("; ")}.`);
  else Notice.hide();
  draw();
}

byId("mask").innerHTML = DATA.masks.map((one) => radio("mask", one, MASK_NAMES[one])).join("");
byId("pass").innerHTML = DATA.passes.map((one) => radio("pass", one, one)).join("");
byId("width").innerHTML = DATA.widths.map((one) => radio("width", one, one)).join("");
const chart = new Chart(byId("chart"), (stop) => { state.M = stopsOf("M")[stop]; draw(); });
const address = new Address(() => new URLSearchParams(state).toString(), open);
for (const name of SLIDERS) byId(name).addEventListener("input", () => { state[name] = stopsOf(name)[byId(name).value]; draw(); });
document.addEventListener("change", ({ target }) => {
  if ([...GROUPS, "schedule"].includes(target.name)) state[target.name] = target.value;
  else if (target.id === "type") state.type = target.value;
  else return;
  draw();
});
byId("copy-link").addEventListener("click", () => copyLink(address.link));
byId("copy-link").hidden = !Address.shareable;
byId("notice-close").addEventListener("click", () => Notice.hide());
addEventListener("resize", () => draw());
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
address.open();
