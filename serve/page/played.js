// The moves played so far, in numbered pairs and with variations in parentheses, and the list of recent games.

import { byId, el, enable, refill, signed } from "./dom.js";
import { dateText, t } from "./messages.js";
import { recentGames } from "./storage.js";
import { allNodes, branch, capturedBy, isNorths, numberAfter } from "./tree.js";

const numbered = (number, north) => `${number}${north ? "…" : "."}`;

/** Describes a move for a screen reader. */
function spoken(node, number, judged) {
  const captured = capturedBy(node);
  const words = [node.letter + node.mark, captured ? t("move.captures", { count: captured }) : "", judged ? t("review.lost", { count: judged.cost }) : ""];
  return t(node.comment ? "played.go-comment" : "played.go", { count: number, move: words.filter(Boolean).join(", "), comment: node.comment });
}

/**
 * Makes the button of a move. Captures, numbers and costs are attributes, which the style sheet writes beside the letter.
 * Only one button is reached with the Tab key; the arrow keys lead to the others.
 */
function moveButton(node, ply, label, { current, costOf, onNode, first }) {
  const judged = costOf(node), captured = capturedBy(node), isCurrent = node === current;
  const shown = isCurrent || (!current.parent && node === first);
  return el("button", {
    "data-key": node.key, class: `${isNorths(node) ? "opponent norths" : "souths"}${judged ? " lost" : ""}${judged?.turns ? " turns" : ""}${node.comment ? " commented" : ""}`,
    "aria-current": isCurrent ? "step" : null, tabindex: shown ? "0" : "-1", title: node.comment || null,
    "data-number": label, "data-captured": captured ? `+${captured}` : null, "data-cost": judged ? (judged.about ? "≈" : "") + signed(-judged.cost) : null,
    "aria-label": spoken(node, ply, judged), onclick: () => onNode(node),
  }, node.letter + node.mark);
}

/** Returns the moves of a variation after `from`, in a line of text. `before` is the number of the last move, as numberAfter() returns it. */
function inLine(from, ply, before, all) {
  const parts = [];
  let follows = !before.north; // the number of South's move is shown just before it
  for (let at = from, i = ply, last = before; at.children.length; at = at.children[0], i++) {
    const [first, ...others] = at.children, north = isNorths(first), number = numberAfter(last, north);
    parts.push(moveButton(first, i, north && follows ? null : numbered(number, north), all));
    last = { number, north };
    for (const other of others) parts.push(variation(other, i, last, all));
    follows = !north && !others.length;
  }
  return parts;
}

const variation = (node, ply, place, all) => el("span", { class: "variation", "data-key": `variation ${node.key}` },
  "(", moveButton(node, ply, numbered(place.number, place.north), all), ...inLine(node, ply + 1, place, all), ")");

/** Returns the main line in pairs: South's moves in the first column, North's in the second. */
function inPairs(root, all) {
  const parts = [];
  let inRow = false; // a move of South is the last in its row
  for (let at = root, i = 1, last; at.children.length; at = at.children[0], i++) {
    const [first, ...others] = at.children, north = isNorths(first), number = numberAfter(last, north);
    if (north && !inRow) parts.push(el("span", { class: "souths gap", "data-key": `gap ${first.key}`, "data-number": numbered(number, false), "aria-hidden": "true" }));
    parts.push(moveButton(first, i, north ? null : numbered(number, false), all));
    last = { number, north };
    for (const other of others) parts.push(variation(other, i, last, all));
    inRow = !north && !others.length;
  }
  return parts;
}

/** Scrolls a box, and not the page, until the current move is in view. */
function bringIntoView(box) {
  const current = box.querySelector("[aria-current]");
  if (!current) {
    box.scrollTop = 0;
    return;
  }
  const outer = box.getBoundingClientRect(), inner = current.getBoundingClientRect();
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + inner.height;
  else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + inner.height;
}

/** Returns "Ama – Kofi, 2021-05-01", from the tags of a record; "" if they do not say who played. */
export function titleOf({ South, North, Date: date, Event: event }) {
  const known = (text) => (text && !/^[?.-]*$/.test(text) ? text : "");
  if (!known(South) && !known(North)) return "";
  return [`${known(South) || t("side.south")} – ${known(North) || t("side.north")}`, known(event), known(date)].filter(Boolean).join(", ");
}

/** Draws the moves. `costOf` returns the judgement of a move if it lost seeds, else null. */
export function drawPlayed({ root, node: current, tags }, costOf, onNode) {
  const all = { current, costOf, onNode, first: root.children[0] };
  const parts = inPairs(root, all), box = byId("history");
  const inside = box.contains(document.activeElement);
  refill(box, parts.length ? parts : [el("span", { class: "nothing" }, t("panel.nothing"))], byId("turn-text"));
  if (inside) (box.querySelector("[tabindex='0']") ?? byId("turn-text")).focus({ preventScroll: true });
  bringIntoView(box);
  let end = root;
  while (end.children.length) end = end.children[0];
  byId("game-title").textContent = titleOf(tags);
  byId("game-title").hidden = !titleOf(tags);
  byId("game-result").textContent = end.result && end.result !== "*" ? t("played.result", { result: end.result.replace("-", "–") }) : "";
  byId("game-result").hidden = !byId("game-result").textContent;
  enable(byId("promote"), branch(current));
  enable(byId("delete"), current.parent);
}

/** Lists the stored games except the displayed one. */
export function drawRecent(shownId, titleOf, onGame) {
  const games = recentGames().filter((each) => each.id !== shownId);
  byId("recent-box").hidden = games.length === 0;
  refill(byId("recent"), games.map((each) => el("li", {}, el("button", { onclick: () => onGame(each.id) },
    `${dateText(each.time)} · ${titleOf(each)} · ${t("count.moves", { count: each.rows.length - 1 })}`))), byId("turn-text"));
}

export const hasMoves = (root) => allNodes(root).length > 1 || root.comment !== "";
