// Helpers for elements. Text always becomes text nodes, never markup.

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

/** Resolves after `ms` milliseconds. */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Enables or disables a button. A disabled button can still have the focus. */
export function enable(button, yes) {
  button.setAttribute("aria-disabled", yes ? "false" : "true");
}

/** Copies the attributes, children and handler of `fresh` to an existing element of the same kind. */
function update(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) old.setAttribute(name, value);
  old.onclick = fresh.onclick;
  const before = [...old.childNodes], now = [...fresh.childNodes];
  const isAlike = (each, i) => each.nodeName === now[i].nodeName && each.dataset?.key === now[i].dataset?.key;
  if (before.length !== now.length || !before.every(isAlike)) old.replaceChildren(...now);
  else before.forEach((each, i) => { if (each.nodeType === Node.TEXT_NODE) each.data = now[i].data; else update(each, now[i]); });
}

/**
 * Replaces the children of `box`. A child with the same data-key as before remains the same element, so that a click
 * that has started on it still counts. The focused button keeps the focus; if it is gone, the button now in its place
 * gets the focus, or else `fallback`.
 */
export function refill(box, children, fallback) {
  const inside = () => [...box.querySelectorAll("button")];
  const focused = document.activeElement, place = inside().indexOf(focused);
  const before = new Map([...box.children].map((each) => [each.dataset.key, each]));
  const kept = children.map((child) => {
    const same = child.dataset?.key && before.get(child.dataset.key);
    if (same) update(same, child);
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
  (box.contains(focused) ? focused : now[Math.min(place, now.length - 1)] || fallback).focus();
}

/** Formats a value as "+3", "0" or "−2", with a minus sign that is as wide as the plus sign. */
export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

/** Returns the colour class of a value. */
export const tone = (value) => (value > 0 ? "win" : value < 0 ? "loss" : "draw");

let said = "";

/** Announces a text to screen readers. It is appended to what was announced just before, which would otherwise be lost. */
export function announce(text) {
  if (!said) setTimeout(() => { said = ""; });
  said = `${said} ${text}`.trim();
  byId("live").textContent = said;
}
