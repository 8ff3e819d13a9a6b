/* Elements of the page, and words in it. */
const byId = (id) => document.getElementById(id);

const many = (n, one, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function option(text, value) {
  return Object.assign(element("option", text), { value: String(value) });
}

function drawn(parent, tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return parent.appendChild(made);
}

function on(id, event, act) {
  byId(id).addEventListener(event, act);
}

/* Say something to those who listen rather than look. */
function announce(text) {
  byId("live").textContent = text;
}
