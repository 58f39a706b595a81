// Making elements. Texts only ever become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node[name] = value;
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

/** Makes an element look and act like another one that was made alike. */
function become(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) old.setAttribute(name, value);
  old.onclick = fresh.onclick;
  const before = [...old.childNodes], now = [...fresh.childNodes];
  const isAlike = (each, i) => each.nodeName === now[i].nodeName && each.dataset?.key === now[i].dataset?.key;
  if (before.length !== now.length || !before.every(isAlike)) old.replaceChildren(...now);
  else before.forEach((each, i) => { if (each.nodeType === Node.TEXT_NODE) each.data = now[i].data; else become(each, now[i]); });
}

/**
 * Puts other children into `box`. One with the same data-key as before stays the same element, so that a press which has
 * begun on it counts. What had the focus in it keeps it, or hands it to what stands in its place, else to `otherwise`.
 */
export function refill(box, children, otherwise) {
  const inside = () => [...box.querySelectorAll("button")];
  const focused = document.activeElement, place = inside().indexOf(focused);
  const before = new Map([...box.children].map((each) => [each.dataset.key, each]));
  const kept = children.map((child) => {
    const same = child.dataset?.key && before.get(child.dataset.key);
    if (same) become(same, child);
    return same || child;
  });
  const stays = new Set(kept);
  for (const each of [...box.childNodes]) if (!stays.has(each)) each.remove();
  let at = box.firstChild;
  for (const each of kept) {
    if (at === each) at = at.nextSibling;
    else box.insertBefore(typeof each === "string" ? new Text(each) : each, at);
  }
  if (place < 0 || document.activeElement === focused) return;
  const now = inside();
  (box.contains(focused) ? focused : now[Math.min(place, now.length - 1)] || otherwise).focus();
}

/** "+3", "0", "−2": a sign that is as wide as the plus. */
export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

/** The class of colours for a value. */
export const tone = (value) => (value > 0 ? "win" : value < 0 ? "loss" : "draw");

let said = "";

/** Reads a text to those who do not see the page; behind what was announced just now, which would be lost. */
export function announce(text) {
  if (!said) setTimeout(() => { said = ""; });
  said = `${said} ${text}`.trim();
  byId("live").textContent = said;
}
