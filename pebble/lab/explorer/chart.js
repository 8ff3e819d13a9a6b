/* The chart: words moved against words of fast memory, both on logarithmic scales. */
const byId = (id) => document.getElementById(id);
const words = (number) => number.toLocaleString("en-US");

class Chart {
  static BOTTOM = 38;
  static LEFT = 42;

  constructor(svg, choose) {
    this.svg = svg;
    this.choose = choose;
    const pick = (event) => {
      const at = event.clientX - svg.getBoundingClientRect().left;
      const apart = this.stops.map((M) => Math.abs(this.x(M) - at));
      choose(apart.indexOf(Math.min(...apart)));
    };
    svg.addEventListener("pointerdown", pick);
    svg.addEventListener("pointermove", (event) => event.buttons && pick(event));
  }

  x(M) {
    const [low, high] = [this.stops[0], this.stops.at(-1)].map(Math.log2);
    return Chart.LEFT + ((this.width - this.right - Chart.LEFT) * (Math.log2(M) - low)) / (high - low);
  }

  y(io) {
    const [low, high] = this.range;
    return this.height - Chart.BOTTOM - ((this.height - Chart.BOTTOM - this.top) * (Math.log10(io) - low)) / (high - low);
  }

  /* Draw curves [{name, points: [[M, words]]}], the bound, d², devices [{name, M}], and the stop chosen. */
  draw({ stops, curves, bound, dd, devices, M, chosen, title }) {
    this.stops = stops;
    this.width = Math.max(this.svg.clientWidth, 280);
    this.height = this.svg.clientHeight;
    this.right = 80;
    const all = [...curves.flatMap((one) => one.points), ...bound].map(([, io]) => Math.log10(io));
    this.range = [Math.min(...all) - 0.25, Math.max(...all) + 0.12];
    const marks = this.rows([{ name: "d²", M: dd, kind: "dd" }, ...devices]);
    this.top = 22 + 15 * Math.max(0, ...marks.map((one) => one.row));
    this.parts = [];
    this.grid();
    this.area(bound);
    for (const { M: at, row, kind } of marks) {
      this.line(this.x(at), 17 + 15 * row, this.x(at), this.height - Chart.BOTTOM, `mark ${kind ?? "device"}`);
    }
    for (const { name, M: at, row, kind } of marks) {
      this.text(this.x(at), 13 + 15 * row, name, `mark-name ${kind ?? ""}`, "middle");
    }
    const x = this.x(M);
    this.line(x, this.top, x, this.height - Chart.BOTTOM, "chosen");
    for (const { name, points } of [...curves].reverse()) {
      const path = points.map(([at, io]) => `${this.x(at).toFixed(1)},${this.y(io).toFixed(1)}`).join(" ");
      if (points.length === 1) this.parts.push(`<circle class="${name}" r="3" cx="${this.x(points[0][0])}" cy="${this.y(points[0][1])}"/>`);
      this.parts.push(`<polyline class="curve ${name}${name === chosen ? " on" : ""}" points="${path}"/>`);
    }
    for (const { name, points } of curves) {
      const here = points.find(([at]) => at === M);
      if (here) this.parts.push(`<circle class="${name}" r="${name === chosen ? 6 : 4}" cx="${x}" cy="${this.y(here[1])}"/>`);
    }
    this.names(curves);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("aria-label", title);
    this.svg.innerHTML = this.parts.join("");
  }

  /* Put the names of marks on as few rows as leave them legible. */
  rows(marks) {
    const ends = [];
    const inside = marks.filter((one) => one.M >= this.stops[0] && one.M <= this.stops.at(-1));
    return inside.sort((a, b) => a.M - b.M).map((one) => {
      const half = one.name.length * 3.6 + 4;
      let row = ends.findIndex((end) => end < this.x(one.M) - half);
      if (row < 0) row = ends.length;
      ends[row] = this.x(one.M) + half;
      return { ...one, row };
    });
  }

  grid() {
    const foot = this.height - Chart.BOTTOM;
    const [low, high] = this.range;
    for (let power = Math.ceil(low); power <= high; power++) {
      this.line(Chart.LEFT, this.y(10 ** power), this.width - this.right, this.y(10 ** power), "grid");
      this.text(Chart.LEFT - 6, this.y(10 ** power) + 4, `10<tspan dy="-5" font-size="9">${power}</tspan>`, "tick", "end");
    }
    for (let M = 1024; M <= this.stops.at(-1); M *= 4) this.text(this.x(M), foot + 16, words(M), "tick", "middle");
    this.text((Chart.LEFT + this.width - this.right) / 2, foot + 33, "M, words of fast memory", "tick", "middle");
  }

  area(bound) {
    const foot = this.height - Chart.BOTTOM;
    const top = bound.map(([M, io]) => `${this.x(M).toFixed(1)},${this.y(io).toFixed(1)}`);
    const ends = [this.stops.at(-1), this.stops[0]].map((M) => `${this.x(M)},${foot}`);
    this.parts.push(`<polygon class="out" points="${[...top, ...ends].join(" ")}"/>`);
    this.text(Chart.LEFT + 5, foot - 8, "proved: out of reach", "out-name", "start");
  }

  /* Name curves at their right ends; names that would collide move apart. */
  names(curves) {
    const gap = 15;
    const ends = curves.map(({ name, points: at }) => ({ name, M: at.at(-1)[0], y: this.y(at.at(-1)[1]) + 4 }));
    const short = ends.filter((one) => one.M < this.stops.at(-1));
    for (const one of short) this.text(this.x(one.M) + 7, one.y - 7, one.name, `name ${one.name}`, "start");
    const last = ends.filter((one) => !short.includes(one)).sort((a, b) => a.y - b.y);
    for (let i = 1; i < last.length; i++) last[i].y = Math.max(last[i].y, last[i - 1].y + gap);
    for (const one of last) this.text(this.width - this.right + 7, one.y, one.name, `name ${one.name}`, "start");
  }

  line(x1, y1, x2, y2, kind) {
    this.parts.push(`<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`);
  }

  text(x, y, text, kind, anchor) {
    this.parts.push(`<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`);
  }
}
