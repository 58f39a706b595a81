// The moves played so far, with variations in parentheses, and the list of recent games.

import { byId, el, enable, refill } from "./dom.js";
import { dateText, t } from "./messages.js";
import { recentGames } from "./storage.js";
import { allNodes, branch } from "./tree.js";

function moveButton(node, number, current, onNode) {
  return el("button", {
    "data-key": node.key,
    class: node.letter >= "a" ? "opponent" : null, "aria-current": node === current ? "step" : null, title: node.comment || null,
    "aria-label": t(node.comment ? "played.go-comment" : "played.go", { count: number, move: node.letter + node.mark, comment: node.comment }),
    onclick: () => onNode(node),
  }, node.letter + node.mark);
}

/** Returns buttons for the moves after `from`, which start with move `number`; alternatives follow their move in parentheses. */
function buttonsFrom(from, number, current, onNode) {
  const parts = [];
  for (let at = from, i = number; at.children.length; at = at.children[0], i++) {
    const [first, ...others] = at.children;
    parts.push(moveButton(first, i, current, onNode));
    for (const other of others)
      parts.push(el("span", { class: "variation", "data-key": `variation ${other.key}` }, "(", moveButton(other, i, current, onNode), ...buttonsFrom(other, i + 1, current, onNode), ")"));
  }
  return parts;
}

export function drawPlayed(root, current, onNode) {
  const parts = buttonsFrom(root, 1, current, onNode);
  refill(byId("history"), parts.length ? parts : [t("panel.nothing")], byId("turn-text"));
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
