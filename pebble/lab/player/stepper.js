/* Something to step through with buttons, a slider and keys: what is stepped through has `length`, `at`,
   `place(at)`, `draw()` and `sentence()`. */
class Stepper {
  static SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64];

  constructor(speed = 2) {
    this.timer = null;
    this.speed = speed;
    byId("speed").replaceChildren(...Stepper.SPEEDS.map((one) => option(`${one}/s`, one)));
    byId("speed").value = String(speed);
    for (const [id, by] of [["first", -Infinity], ["back", -1], ["step", 1], ["last", Infinity]]) {
      on(id, "click", () => this.step(by));
    }
    for (const [id, event] of [["slider", "input"], ["jump", "change"]]) {
      on(id, event, ({ target }) => { this.pause(); this.goTo(Number(target.value)); });
    }
    on("play", "click", () => this.toggle());
    on("speed", "change", ({ target }) => this.setSpeed(Number(target.value)));
  }

  get keys() {
    return {
      " ": () => this.toggle(),
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
    };
  }

  goTo(target) {
    this.place(Number.isNaN(target) ? this.at : Math.max(0, Math.min(this.length, Math.round(target))));
    this.render();
    if (this.timer === null) announce(this.sentence());
  }

  step(by) {
    this.pause();
    this.goTo(this.at + by);
  }

  toggle() {
    if (this.timer !== null) this.pause();
    else this.start();
  }

  start() {
    if (this.at === this.length) this.place(0);
    announce("Playing");
    this.tick();
    this.showPlaying();
  }

  tick() {
    this.timer = setTimeout(() => this.tick(), 1000 / this.speed);
    this.goTo(this.at + 1);
    if (this.speed <= 0.5) announce(this.sentence());
    if (this.at === this.length) this.pause();
  }

  pause() {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.showPlaying();
    announce(this.sentence());
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.tick();
  }

  showPlaying() {
    byId("play").textContent = this.timer === null ? "Play" : "Pause";
  }

  render() {
    const { at, length } = this;
    this.draw();
    byId("slider").max = byId("jump").max = String(length);
    byId("slider").value = byId("jump").value = String(at);
    byId("slider").setAttribute("aria-valuetext", this.sentence());
    byId("total").textContent = `of ${length.toLocaleString("en")}`;
    byId("first").disabled = byId("back").disabled = at === 0;
    byId("last").disabled = byId("step").disabled = at === length;
  }
}

/* Let keys act, but not in fields, on what they press already, or with Ctrl and the like; `keys()` says what each does. */
function listen(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
    if (event.key === " " && event.target.matches("button, summary, input, a")) return;
    const shifted = event.shiftKey && event.key.startsWith("Arrow");
    const act = keys()[shifted ? `Shift+${event.key}` : event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
