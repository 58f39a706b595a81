// The editor of positions: seeds are put into pits from the stores and go back to them.
//
// A pit is chosen by a tap or by the focus. Its number can be typed, on the board or in the editor, and changed by plus
// and minus.

import { announce, byId, enable } from "./dom.js";
import { edited, letterOf, onBoard, placed, SEEDS, startPosition } from "./game.js";
import { seedsText, sideText, t } from "./messages.js";

const STEPS_MAX = 200; // edits that can be undone

/** Writes a number into a field, but not while the reader has emptied it to type another. */
function write(field, number) {
  if (field.value === "" && field === document.activeElement) return;
  if (field.value === "" || Number(field.value) !== number) field.value = number;
}

export class Editor {
  /** `begin` starts a game from a state and announces a text. */
  constructor(view, begin) {
    Object.assign(this, { view, begin, pit: 0, typed: "", before: [] });
    const press = (id, action) => byId(id).addEventListener("click", () => {
      if (byId(id).getAttribute("aria-disabled") !== "true") action();
    });
    press("edit-less", () => this.add(this.pit, -1));
    press("edit-more", () => this.add(this.pit, 1));
    press("edit-undo", () => this.undo());
    press("clear", () => this.change({ ...view.state, pits: Array(12).fill(0), stores: [SEEDS / 2, SEEDS / 2] }, t("edit.cleared")));
    press("edit-start", () => this.change({ ...startPosition(), north: view.state.north }, t("played.start")));
    byId("edit-count").addEventListener("input", ({ target }) => target.value && this.set(this.pit, Number(target.value)));
    byId("edit-store").addEventListener("input", ({ target }) => target.value && this.setStore(Number(target.value)));
    for (const id of ["edit-count", "edit-store"]) byId(id).addEventListener("blur", () => this.draw());
    for (const each of document.querySelectorAll("input[name=to-move]"))
      each.addEventListener("change", () => this.change({ ...view.state, north: each.value === "north" }, t("edit.turned", { side: sideText(each.value) })));
    document.addEventListener("focusin", ({ target }) => {
      const pit = view.editing && target.closest?.("#board .pit");
      if (pit) this.choose(Number(pit.dataset.pit));
    });
  }

  /** Selects the pit that plus, minus and numbers change. */
  choose(pit) {
    if (this.pit === pit) return;
    Object.assign(this, { pit, typed: "" });
    this.draw();
  }

  tap(pit) {
    this.choose(pit);
    this.add(pit, Number(document.querySelector("input[name=tap]:checked").value));
  }

  /** Starts again from a changed state; undo() restores the previous state. */
  change(state, said) {
    this.before.push(this.view.state);
    if (this.before.length > STEPS_MAX) this.before.shift();
    this.begin({ ...state, over: undefined }, said);
    this.draw();
  }

  undo() {
    const state = this.before.pop();
    if (!state) return;
    this.typed = "";
    this.begin({ ...state, over: undefined }, t("edit.undone"));
    this.draw();
  }

  add(pit, step) {
    this.typed = "";
    const next = edited(this.view.state, pit, step);
    if (next) this.change(next, this.pitText(next, pit));
    else announce(t(step > 0 ? "edit.all" : "edit.none"));
  }

  set(pit, count) {
    if (count === this.view.state.pits[pit]) return;
    const next = Number.isInteger(count) && placed(this.view.state, pit, count);
    if (next) this.change(next, this.pitText(next, pit));
    else announce(this.leftText(this.view.state));
    this.draw();
  }

  setStore(count) {
    const { state } = this.view, left = SEEDS - onBoard(state);
    if (Number.isInteger(count) && count >= 0 && count <= left) this.change({ ...state, stores: [count, left - count] }, this.leftText(state));
    this.draw();
  }

  /** Handles a key on a pit: a digit continues the number that is being typed. Returns false if the key is no command. */
  key(pit, key) {
    if (key === "+") this.add(pit, 1);
    else if (key === "-" || key === "−") this.add(pit, -1);
    else if (key === "Delete" || key === "Backspace") this.set(pit, 0);
    else if (/^[0-9]$/.test(key)) {
      this.choose(pit);
      const longer = this.typed + key;
      const typed = placed(this.view.state, pit, Number(longer)) ? longer : key;
      this.set(pit, Number(typed));
      this.typed = typed;
    } else return false;
    return true;
  }

  pitText(state, pit) {
    return `${t("edit.pit", { letter: letterOf(pit), count: state.pits[pit] })} ${this.leftText(state)}`;
  }

  leftText(state) {
    return t("edit.left", { seeds: seedsText(SEEDS - onBoard(state)) });
  }

  draw() {
    const { state, editing } = this.view;
    byId("editor").hidden = !editing;
    byId("edit").setAttribute("aria-pressed", String(editing));
    for (const each of document.querySelectorAll("#board .pit")) each.classList.toggle("chosen", editing && Number(each.dataset.pit) === this.pit);
    if (!editing) return;
    byId("edit-left").textContent = this.leftText(state);
    byId("edit-pit").textContent = t("edit.chosen", { letter: letterOf(this.pit) });
    write(byId("edit-count"), state.pits[this.pit]);
    write(byId("edit-store"), state.stores[0]);
    byId("edit-store").max = SEEDS - onBoard(state);
    enable(byId("edit-less"), state.pits[this.pit] > 0);
    enable(byId("edit-more"), onBoard(state) < SEEDS);
    enable(byId("edit-undo"), this.before.length);
    for (const each of document.querySelectorAll("input[name=to-move]")) each.checked = (each.value === "north") === state.north;
  }

  /** Turns the editor on or off. */
  toggle() {
    this.view.editing = !this.view.editing;
    Object.assign(this, { before: [], typed: "" });
    this.draw();
  }
}
