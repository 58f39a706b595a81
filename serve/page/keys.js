// Keyboard commands, outside of text fields: letters and digits play, arrow keys move through the tree of moves.

import { byId } from "./dom.js";
import { turned } from "./game.js";
import { lastOf, path, sibling } from "./tree.js";

// Elements that need the arrow keys and letters themselves.
const TYPED = "textarea, select, input:not([type=checkbox], [type=file], [type=button])";

/** The node to which each key leads. */
const steps = {
  ArrowLeft: (node) => node.parent, ArrowRight: (node) => node.chosen || node.children[0],
  ArrowUp: (node) => sibling(node, -1), ArrowDown: (node) => sibling(node, 1),
  Home: (node) => path(node)[0], End: lastOf,
};

/** Installs the keyboard commands. `actions` maps other letters to functions. */
export function setUpKeys({ view, board, actions, editor, tryPit, goTo }) {
  let pointed = false; // the focus came by a click, after which arrow keys step through the game
  document.addEventListener("pointerdown", () => { pointed = true; }, true);
  byId("skip").addEventListener("click", (event) => { // the fragment of the URL names the section
    event.preventDefault();
    byId("content").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") pointed = false;
    if (event.ctrlKey || event.metaKey || event.altKey || byId("view-board").hidden) return;
    if (event.target.matches(TYPED)) return;
    const pit = event.target.closest?.(".pit");
    if (pit && view.editing && editor.key(Number(pit.dataset.pit), event.key)) return event.preventDefault();
    if (event.key.length === 1 && !byId("keys").checked) return;
    const key = event.key.toLowerCase();
    const number = "abcdef".includes(key) && key.length === 1 ? "abcdef".indexOf(key) : "123456".indexOf(key);
    if (pit && (view.editing || !pointed) && event.key.startsWith("Arrow")) board.moveFocus(Number(pit.dataset.pit), event.key);
    else if (steps[event.key]) {
      const node = steps[event.key](view.node);
      if (!node) return;
      if (node !== view.node) goTo(node);
    }
    else if (key.length === 1 && number >= 0) tryPit(turned(view.state, number));
    else if (actions[key]) actions[key]();
    else return;
    event.preventDefault();
  });
}
