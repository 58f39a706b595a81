// Keyboard commands, outside of text fields: letters and digits play, arrow keys move through the tree of moves.

import { byId } from "./dom.js";
import { turned } from "./game.js";
import { sibling } from "./tree.js";

/** The node to which each arrow key leads. */
const walks = {
  ArrowLeft: (node) => node.parent, ArrowRight: (node) => node.chosen || node.children[0],
  ArrowUp: (node) => sibling(node, -1), ArrowDown: (node) => sibling(node, 1),
};

/** Installs the keyboard commands. `actions` maps other letters to functions. */
export function setUpKeys({ view, board, actions, editor, tryPit, goTo }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("view-board").hidden) return;
    if (event.target.matches("input, textarea, select")) return;
    const pit = event.target.closest?.(".pit");
    if (pit && view.editing && editor.key(Number(pit.dataset.pit), event.key)) return event.preventDefault();
    if (event.key.length === 1 && !byId("keys").checked) return;
    const key = event.key.toLowerCase();
    const number = "abcdef".includes(key) && key.length === 1 ? "abcdef".indexOf(key) : "123456".indexOf(key);
    if (pit && event.key.startsWith("Arrow")) board.moveFocus(Number(pit.dataset.pit), event.key);
    else if (walks[event.key] && event.target.closest?.("nav, summary") === null) {
      const node = walks[event.key](view.node);
      if (!node) return;
      goTo(node);
    }
    else if (key.length === 1 && number >= 0) tryPit(turned(view.state, number));
    else if (actions[key]) actions[key]();
    else return;
    event.preventDefault();
  });
}
