// The board: pits as buttons with drawings of their seeds, the stores, and the animated hand that sows.

import { el, pause, signed, svg, tone } from "./dom.js";
import { letterOf, sideOf, turned } from "./game.js";
import { seedsText, sideText, t } from "./messages.js";

const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Draws seeds along a spiral that fills an ellipse evenly; `wide` and `high` are its half axes. */
function drawSeeds(count, wide, high) {
  const size = Math.max(4.2, Math.min(10.5, 0.78 * Math.sqrt((wide * high) / Math.max(count, 1))));
  const seeds = [];
  for (let i = 0; i < count; i++) {
    const far = count === 1 ? 0 : Math.sqrt((i + 0.5) / count);
    const angle = i * 2.39996 + count;
    seeds.push(svg("ellipse", {
      class: "seed", rx: size, ry: size * 0.86,
      cx: (Math.cos(angle) * far * (wide - size)).toFixed(1), cy: (Math.sin(angle) * far * (high - size)).toFixed(1),
    }));
  }
  return seeds;
}

const worthKeys = [["board.worth", "board.about"], ["board.best", "board.about-best"]];

/** A board inside the element `root`. A page may have several; the pits of one of them have ids, such as "pit-A". */
export class Board {
  constructor(root, onPit, ids = null) {
    this.root = root;
    this.flipped = false;
    this.pits = Array.from({ length: 12 }, (_, pit) => this.makePit(pit, onPit, ids && ids + letterOf(pit)));
    this.rows = el("div", { class: "pits" });
    this.stores = [el("div", { class: "store" }), el("div", { class: "store" })]; // South's, North's
    this.hand = el("div", { class: "hand", hidden: true });
    this.arrange();
  }

  makePit(pit, onPit, id) {
    const drawing = svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" });
    const worth = el("span", { class: "worth", "aria-hidden": "true" });
    const count = el("b");
    const name = el("span", { class: "hidden" });
    const button = el("button", { class: "pit", id, "data-pit": pit, onclick: () => onPit(pit) },
      name, el("span", { class: "bowl", "aria-hidden": "true" }, drawing),
      el("span", { class: "tag", "aria-hidden": "true" }, letterOf(pit), count), worth);
    return { button, name, drawing, worth, count, shown: -1 };
  }

  /** Arranges the pits so that the near side reads A..F, or a..f, from the left. */
  arrange() {
    const below = this.flipped ? 6 : 0;
    const above = 6 - below;
    const order = [5, 4, 3, 2, 1, 0].map((i) => above + i).concat([0, 1, 2, 3, 4, 5].map((i) => below + i));
    this.rows.replaceChildren(...order.map((pit) => this.pits[pit].button));
    this.pits.forEach((each, pit) => each.button.classList.toggle("top", (pit >= 6) !== this.flipped));
    const [south, north] = this.stores;
    this.root.replaceChildren(this.flipped ? south : north, this.rows, this.flipped ? north : south, this.hand);
    this.order = order;
  }

  flip() {
    this.flipped = !this.flipped;
    this.arrange();
  }

  drawPit(pit, count) {
    const each = this.pits[pit];
    if (each.shown === count) return;
    each.shown = count;
    each.drawing.replaceChildren(...drawSeeds(count, 40, 40));
    each.count.textContent = count;
  }

  drawStore(north, count, toMove) {
    const store = this.stores[Number(north)];
    const side = sideText(sideOf(north));
    store.classList.toggle("to-move", toMove);
    const wide = window.matchMedia("(max-width: 620px)").matches;
    const drawing = wide
      ? svg("svg", { viewBox: "-110 -20 220 40", "aria-hidden": "true" }, ...drawSeeds(count, 106, 19))
      : svg("svg", { viewBox: "-36 -110 72 220", "aria-hidden": "true" }, ...drawSeeds(count, 33, 106));
    store.setAttribute("role", "img");
    store.setAttribute("aria-label", t(toMove ? "board.store-mover" : "board.store", { side, seeds: seedsText(count) }));
    store.replaceChildren(el("span", { class: "who" }, side), drawing, el("span", { class: "count" }, String(count)));
  }

  /** Draws a state. `values` maps letters to {value, about}, or is null; `sign` is -1 to show values for the side not to move; `last` is the pit played last. */
  draw(state, { moves = [], values = null, last = -1, editing = false, locked = false, sign = 1 }) {
    const best = values ? Math.max(...[...values.values()].map((each) => each.value)) : 0;
    const playable = new Set(moves.map((move) => move.move));
    this.pits.forEach((each, pit) => {
      const letter = letterOf(pit);
      const known = values?.get(letter);
      const value = known && Math.round(sign * known.value);
      const isBest = known !== undefined && known.value === best;
      const can = playable.has(letter);
      this.drawPit(pit, state.pits[pit]);
      const active = !locked && (editing || can);
      each.button.setAttribute("aria-disabled", String(!active));
      each.button.tabIndex = active ? 0 : -1;
      each.button.classList.toggle("playable", can && !editing && !locked);
      each.button.classList.toggle("best", isBest);
      each.button.classList.toggle("last", pit === last);
      each.button.classList.remove("taken");
      each.worth.className = `worth ${value === undefined ? "none" : tone(value)} ${known?.about ? "about" : ""}`;
      each.worth.textContent = value === undefined ? "0" : (isBest ? "★ " : "") + (known.about ? "≈" : "") + signed(value);
      const name = t("board.pit", { letter, side: sideText(sideOf(pit >= 6)), seeds: seedsText(state.pits[pit]) });
      each.name.textContent = value === undefined ? name : t(worthKeys[Number(isBest)][Number(known.about)], { pit: name, value: signed(value) });
    });
    this.drawStore(false, state.stores[0], !state.north && !state.over);
    this.drawStore(true, state.stores[1], state.north && !state.over);
  }

  /** Moves the focus from a pit by an arrow key, within its row or to the other row. */
  moveFocus(from, key) {
    const place = this.order.indexOf(from);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -6, ArrowDown: 6 }[key];
    const to = place + step;
    const sameRow = Math.floor(to / 6) === Math.floor(place / 6);
    if (to >= 0 && to < 12 && sameRow === (Math.abs(step) === 1)) this.pits[this.order[to]].button.focus();
  }

  centre(node) {
    const box = node.getBoundingClientRect();
    const board = this.root.getBoundingClientRect();
    return `translate(${box.left + box.width / 2 - board.left}px, ${box.top + box.height / 2 - board.top}px)`;
  }

  bowl(pit) {
    return this.pits[pit].button.querySelector(".bowl");
  }

  /** Hides the hand. */
  rest() {
    if (!this.hand.hidden) this.hand.hidden = true;
  }

  /** Animates a move seed by seed. Returns after the last capture, or as soon as `isWanted` returns false. */
  async animate(state, move, isWanted) {
    if (calm()) return;
    const counts = [...state.pits];
    const { hand } = this;
    const goesOn = (ms) => pause(ms).then(isWanted);
    const take = (pit) => {
      hand.style.transition = "none";
      hand.style.transform = this.centre(this.bowl(pit));
      hand.textContent = counts[pit];
      hand.hidden = false;
    };
    const from = turned(state, "ABCDEF".indexOf(move.move.toUpperCase()));
    let held = counts[from];
    const step = Math.max(45, Math.min(125, 1500 / held));
    take(from);
    this.drawPit(from, counts[from] = 0);
    if (!await goesOn(120)) return;
    hand.style.transition = `transform ${step - 15}ms ease-in-out`;
    for (const each of move.sown) {
      const pit = turned(state, each);
      hand.style.transform = this.centre(this.bowl(pit));
      if (!await goesOn(step)) return;
      this.drawPit(pit, ++counts[pit]);
      hand.textContent = --held || "";
    }
    hand.hidden = true;
    const store = this.stores[Number(state.north)];
    for (const each of [...move.taken].reverse()) {
      const pit = turned(state, each);
      this.pits[pit].button.classList.add("taken");
      take(pit);
      if (!await goesOn(170)) return;
      hand.style.transition = "transform 260ms ease-in";
      this.drawPit(pit, counts[pit] = 0);
      hand.style.transform = this.centre(store);
      if (!await goesOn(280)) return;
      hand.hidden = true;
    }
  }
}
