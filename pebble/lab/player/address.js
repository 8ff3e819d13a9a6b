/* The address of the page: it follows what is shown, and what it says is shown. */
class Address {
  static PAUSE = 500; // browsers refuse an address that changes too often

  /* `text` gives the position on show; `show` shows the one of a text, as the reader opens it or goes back. */
  constructor(text, show) {
    this.text = text;
    this.show = show;
    this.busy = true;
    this.written = 0;
    this.timer = null;
    addEventListener("hashchange", () => this.open());
    addEventListener("pagehide", () => this.write());
  }

  /* Whether a link to this page leads anywhere: not so in a frame that was filled with text. */
  static get shareable() {
    return /^(https?|file):$/.test(location.protocol);
  }

  get link() {
    return `${location.href.split("#")[0]}#${this.text()}`;
  }

  /* Show what the address says. */
  open() {
    const wanted = location.hash.slice(1);
    const place = document.getElementById(wanted) !== null;
    if (place && this.known !== undefined) return;
    this.quietly(() => this.show(place ? "" : wanted));
    this.known = this.text();
  }

  /* Follow a move; not more often than browsers like. */
  changed() {
    if (this.busy || this.timer !== null) return;
    const wait = this.written + Address.PAUSE - Date.now();
    if (wait <= 0) this.write();
    else this.timer = setTimeout(() => this.write(), wait);
  }

  /* Turn to another game: the browser's way back leads to the one that is left. */
  turn(act) {
    this.write();
    this.quietly(act);
    this.write(window.top === window ? "pushState" : "replaceState");
  }

  quietly(act) {
    clearTimeout(this.timer);
    this.timer = null;
    this.busy = true;
    try {
      act();
    } finally {
      this.busy = false;
    }
  }

  write(how = "replaceState") {
    clearTimeout(this.timer);
    this.timer = null;
    const text = this.text();
    if (text === this.known) return;
    this.known = text;
    this.written = Date.now();
    try {
      history[how](null, "", this.link);
    } catch {
      // A frame without an address of its own: the page works, its address stays.
    }
  }
}

/* A few words above everything, which the reader can put away. */
const Notice = {
  show(text, link = null) {
    byId("notice-text").textContent = text;
    byId("notice-link").hidden = link === null;
    byId("notice-link").value = link ?? "";
    byId("notice").hidden = false;
    if (link !== null) byId("notice-link").select();
  },

  hide() {
    byId("notice").hidden = true;
    byId("notice-text").textContent = "";
  },
};

async function copyLink(link) {
  const file = location.protocol === "file:" ? " It leads to a file on this device: send the file too." : "";
  try {
    await navigator.clipboard.writeText(link);
    Notice.show(`Link copied.${file}`);
  } catch {
    Notice.show(`The browser lets no page copy here; this is the link.${file}`, link);
  }
}
