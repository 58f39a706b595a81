// The game on paper: its moves with all comments and variations, as text. style.css shows it only in print, where the lists
// and fields of the screen are hidden.

import { byId, el } from "./dom.js";
import { t } from "./messages.js";
import { titleOf } from "./played.js";
import { isNorths, numberAfter } from "./tree.js";

/** Returns a move with its comment. Its number is omitted if it is North's move and South's move of this number precedes it (`follows`). */
function moveText(node, number, follows) {
  const label = isNorths(node) ? (follows ? "" : `${number}… `) : `${number}. `;
  return el("span", {}, label, el("b", {}, node.letter + node.mark), ` ${node.comment}`.trimEnd());
}

const spaced = (parts) => parts.flatMap((part, i) => (i ? [" ", part] : [part]));

/** Returns the moves after `from`. `before` is the number of the last move, as numberAfter() returns it. */
function movesAfter(from, before) {
  const parts = [];
  let follows = false; // only South's move of the same number was written before
  for (let at = from, last = before; at.children.length; at = at.children[0]) {
    const [first, ...others] = at.children, north = isNorths(first), number = numberAfter(last, north);
    parts.push(moveText(first, number, follows && last.number === number));
    last = { number, north };
    for (const other of others) parts.push(el("span", {}, "(", ...spaced([moveText(other, number, false), ...movesAfter(other, last)]), ")"));
    follows = !north && !first.comment && !others.length;
  }
  return parts;
}

/** Writes the game; `result` says how it ended. */
function write({ root, tags }, result) {
  const title = titleOf(tags), moves = movesAfter(root);
  byId("paper").replaceChildren(...title ? [el("h2", {}, title)] : [], ...root.comment ? [el("p", {}, root.comment)] : [],
    ...moves.length ? [el("h2", {}, t("panel.played")), el("p", {}, ...spaced(moves))] : [], ...result ? [el("p", {}, result)] : []);
}

/** Writes the game whenever the page is to be printed. `resultOf` returns how it ended. */
export function setUpPaper(view, resultOf) {
  const print = window.matchMedia("print");
  const draw = () => view.root && write(view, resultOf());
  window.addEventListener("beforeprint", draw);
  print.addEventListener("change", () => print.matches && draw());
}
