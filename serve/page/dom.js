// Making elements. Texts only ever become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const byId = (id) => document.getElementById(id);

/** Goes on after so many milliseconds. */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Whether a button does something. It keeps the focus where it does not. */
export function enable(button, yes) {
  button.setAttribute("aria-disabled", yes ? "false" : "true");
}

/** Puts other children into `box`. What had the focus in it hands it to what stands in its place, else to `otherwise`. */
export function refill(box, children, otherwise) {
  const inside = () => [...box.querySelectorAll("button")];
  const place = inside().indexOf(document.activeElement);
  box.replaceChildren(...children);
  if (place < 0) return;
  const now = inside();
  (now[Math.min(place, now.length - 1)] || otherwise).focus();
}

/** "+3", "0", "−2": a sign that is as wide as the plus. */
export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

/** The class of colours for a value. */
export const tone = (value) => (value > 0 ? "win" : value < 0 ? "loss" : "draw");

/** Reads a text to those who do not see the page. */
export function announce(text) {
  byId("live").textContent = text;
}
