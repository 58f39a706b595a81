// The board: pits as buttons with drawings of their seeds, the stores, and seeds that fly when a move is played.

import { el, signed, svg, tone } from "./dom.js";
import { landingPit, letterOf, sideOf, turned } from "./game.js";
import { seedsText, sideText, t } from "./messages.js";
import { play } from "./sounds.js";
import { readPace } from "./storage.js";

/**
 * How seeds fly, in milliseconds: the flight of a seed, the time between two seeds, and the maximum for all seeds together. With
 * `counts`, the numbers of the pits change with every seed that lands. Otherwise they change when all seeds have landed, so that the
 * browser need not compute the layout while seeds fly.
 */
const PACES = {
  slow: { flight: 520, step: 260, most: 4000, counts: true }, normal: { flight: 280, step: 110, most: 1400 }, fast: { flight: 150, step: 45, most: 500 },
};
const GLIDE = 180; // maximum duration of a step through the game, in milliseconds

/** Returns the pace that the reader chose, else the normal one; null if seeds must not fly. */
function paceNow() {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  return document.hidden ? null : PACES[readPace() || (calm ? "off" : "normal")] || null;
}

// Half axes of the area of seeds, half the width of a seed, and the number of seeds in a layer.
const BOWL = { view: [100, 100], wide: 41, high: 41, size: 8.8, layer: 15 };
const TALL = { view: [72, 220], wide: 34, high: 106, size: 7.6, layer: 48 };
const FLAT = { view: [220, 40], wide: 106, high: 18, size: 5.6, layer: 48 };

/** The seeds of a pit or a store. The place of a seed does not depend on the number of seeds, so that seeds do not jump. */
class Pile {
  constructor(shape, turn) {
    Object.assign(this, { turn, shown: 0, drawing: svg("svg", { "aria-hidden": "true" }), number: el("b") });
    this.setShape(shape);
  }

  setShape(shape) {
    if (this.shape === shape) return;
    this.shape = shape;
    const [wide, high] = shape.view, { shown } = this;
    this.drawing.setAttribute("viewBox", `${-wide / 2} ${-high / 2} ${wide} ${high}`);
    this.drawing.replaceChildren();
    this.shown = 0;
    this.draw(shown);
  }

  /** Returns the place of a seed: a spiral fills the area evenly, then the next layer lies on top of it. */
  place(i) {
    const { wide, high, size, layer } = this.shape;
    const floor = Math.floor(i / layer), far = Math.sqrt((i % layer + 0.4) / layer) / (1 + 0.2 * floor);
    const angle = (i % layer) * 2.39996 + this.turn + 1.3 * floor;
    return [Math.cos(angle) * far * (wide - size), Math.sin(angle) * far * (high - size)];
  }

  draw(count) {
    for (; this.shown < count; this.shown++) {
      const [cx, cy] = this.place(this.shown).map((each) => each.toFixed(1));
      this.drawing.append(svg("ellipse", { class: "seed", rx: this.shape.size, ry: this.shape.size * 0.86, cx, cy }));
    }
    for (; this.shown > count; this.shown--) this.drawing.lastChild.remove();
    this.write(count);
  }

  /** Writes the number of seeds, without drawing them. */
  write(count) {
    const text = String(count);
    if (this.number.textContent !== text) this.number.textContent = text;
  }

  /** Returns a function from a seed to its centre and half width, in pixels from the corner of `root`. */
  measure(root) {
    const box = this.drawing.getBoundingClientRect(), [wide, high] = this.shape.view;
    const scale = Math.min(box.width / wide, box.height / high);
    const x = box.left + box.width / 2 - root.left, y = box.top + box.height / 2 - root.top;
    return (i) => {
      const [dx, dy] = this.place(i);
      return { x: x + dx * scale, y: y + dy * scale, size: this.shape.size * scale };
    };
  }
}

const worthKeys = [["board.worth", "board.about"], ["board.best", "board.about-best"]];

/** A board inside the element `root`. A page may have several; the pits of one of them have ids, such as "pit-A". */
export class Board {
  constructor(root, onPit, ids = null) {
    this.root = root;
    this.flipped = false;
    this.pits = Array.from({ length: 12 }, (_, pit) => this.makePit(pit, onPit, ids && ids + letterOf(pit)));
    this.rows = el("div", { class: "pits" });
    this.stores = [this.makeStore(1), this.makeStore(2)]; // South's, North's
    this.air = el("div", { class: "air" }); // holds the flying seeds, so that they don't change the layout of the board
    this.flights = [];
    this.moves = new Map(); // by pit
    this.state = null;
    this.arrange();
    document.addEventListener("visibilitychange", () => document.hidden && this.rest());
  }

  makePit(pit, onPit, id) {
    const pile = new Pile(BOWL, 1.7 * pit);
    const worth = el("span", { class: "worth", "aria-hidden": "true" });
    const name = el("span", { class: "hidden" });
    const button = el("button", {
      class: "pit", id, "data-pit": pit, onclick: () => onPit(pit),
      onpointerenter: () => this.preview(pit), onpointerleave: () => this.preview(-1), onfocus: () => button.matches(":focus-visible") && this.preview(pit), onblur: () => this.preview(-1),
    },
      name, el("span", { class: "bowl", "aria-hidden": "true" }, pile.drawing),
      el("span", { class: "tag", "aria-hidden": "true" }, letterOf(pit), pile.number), worth);
    return { button, name, pile, worth };
  }

  makeStore(turn) {
    const pile = new Pile(TALL, turn), who = el("span", { class: "who" });
    pile.number.className = "count";
    return { pile, who, box: el("div", { class: "store", role: "img" }, who, pile.drawing, pile.number) };
  }

  /** Arranges the pits so that the near side reads A..F, or a..f, from the left. */
  arrange() {
    const below = this.flipped ? 6 : 0;
    const above = 6 - below;
    const order = [5, 4, 3, 2, 1, 0].map((i) => above + i).concat([0, 1, 2, 3, 4, 5].map((i) => below + i));
    this.rows.replaceChildren(...order.map((pit) => this.pits[pit].button));
    this.pits.forEach((each, pit) => each.button.classList.toggle("top", (pit >= 6) !== this.flipped));
    const [south, north] = this.stores.map((each) => each.box);
    this.root.replaceChildren(this.flipped ? south : north, this.rows, this.flipped ? north : south, this.air);
    this.order = order;
  }

  flip() {
    this.flipped = !this.flipped;
    this.rest();
    this.arrange();
  }

  /** Names a store and draws its frame. */
  drawStore(north, count, toMove) {
    const { box, who, pile } = this.stores[Number(north)];
    const side = sideText(sideOf(north));
    box.classList.toggle("to-move", toMove);
    box.setAttribute("aria-label", t(toMove ? "board.store-mover" : "board.store", { side, seeds: seedsText(count) }));
    who.textContent = side;
    pile.setShape(window.matchMedia("(max-width: 620px)").matches ? FLAT : TALL);
  }

  /** Returns the piles of the twelve pits and the two stores. */
  get piles() {
    return [...this.pits, ...this.stores].map((each) => each.pile);
  }

  /**
   * Draws a state. `values` maps letters to {value, about}, or is null; `sign` is -1 to show values for the side not to move;
   * `last` is the pit played last and `landed` the pit of its last seed; `hint` is a pit to be marked; with `glide`, seeds fly
   * to their new places.
   */
  draw(state, { moves = [], values = null, last = -1, landed = -1, hint = -1, editing = false, locked = false, sign = 1, glide = false }) {
    const best = values ? Math.max(...[...values.values()].map((each) => each.value)) : 0;
    this.state = state;
    this.moves = new Map(editing || locked ? [] : moves.map((move) => ["ABCDEFabcdef".indexOf(move.move), move]));
    const playable = new Set(moves.map((move) => move.move));
    this.pits.forEach((each, pit) => {
      const letter = letterOf(pit);
      const known = values?.get(letter);
      const value = known && Math.round(sign * known.value);
      const isBest = known !== undefined && known.value === best;
      const can = playable.has(letter);
      const active = !locked && (editing || can);
      each.button.setAttribute("aria-disabled", String(!active));
      each.button.tabIndex = active ? 0 : -1;
      each.button.classList.toggle("playable", can && !editing && !locked);
      each.button.classList.toggle("best", isBest);
      each.button.classList.toggle("last", pit === last);
      each.button.classList.toggle("landed", pit === landed && !editing);
      each.button.classList.toggle("hinted", pit === hint);
      each.worth.className = `worth ${value === undefined ? "none" : tone(value)} ${known?.about ? "about" : ""}`;
      each.worth.textContent = value === undefined ? "0" : (isBest ? "★ " : "") + (known.about ? "≈" : "") + signed(value);
      const name = t("board.pit", { letter, side: sideText(sideOf(pit >= 6)), seeds: seedsText(state.pits[pit]) });
      each.name.textContent = value === undefined ? name : t(worthKeys[Number(isBest)][Number(known.about)], { pit: name, value: signed(value) });
      const about = this.moves.has(pit) ? this.previewText(this.moves.get(pit)) : "";
      if (about) each.button.setAttribute("aria-description", about);
      else each.button.removeAttribute("aria-description");
    });
    this.drawStore(false, state.stores[0], !state.north && !state.over);
    this.drawStore(true, state.stores[1], state.north && !state.over);
    this.drawPiles([...state.pits, ...state.stores], glide);
    this.preview(this.pits.findIndex(({ button }) => button.matches(":focus-visible, :hover")));
  }

  /** Draws all seeds, unless they are just flying to where they belong. */
  drawPiles(counts, glide) {
    if (this.goal?.every((count, i) => count === counts[i])) return;
    this.rest();
    const pace = glide && this.piles.some((pile, i) => pile.shown !== counts[i]) && paceNow();
    if (pace) this.glide(counts, Math.min(GLIDE, pace.flight));
    else this.piles.forEach((pile, i) => pile.draw(counts[i]));
  }

  /** Marks where the last seed of a pit would fall and what it would capture; -1 removes the marks. */
  preview(pit) {
    const move = this.moves.get(pit);
    const taken = move ? move.taken.map((each) => turned(this.state, each)) : [];
    const target = move ? landingPit(this.state, pit) : -1;
    this.pits.forEach(({ button }, i) => {
      button.classList.toggle("target", i === target);
      button.classList.toggle("prey", taken.includes(i));
    });
  }

  previewText(move) {
    const pit = letterOf(landingPit(this.state, "ABCDEFabcdef".indexOf(move.move)));
    return t(move.captured ? "board.ends-captures" : "board.ends", { pit, seeds: seedsText(move.captured) });
  }

  /** Moves the focus from a pit by an arrow key, within its row or to the other row. */
  moveFocus(from, key) {
    const place = this.order.indexOf(from);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -6, ArrowDown: 6 }[key];
    const to = place + step;
    const sameRow = Math.floor(to / 6) === Math.floor(place / 6);
    if (to >= 0 && to < 12 && sameRow === (Math.abs(step) === 1)) this.pits[this.order[to]].button.focus();
  }

  // ---- Flying seeds ----

  /** Ends all flights. */
  rest() {
    this.goal = null;
    for (const { seed, motion } of this.flights.splice(0)) {
      motion.cancel();
      seed.remove();
    }
  }

  /**
   * Lets seeds fly: each flight is {from, to, delay, pile, count, landed}, with places as Pile.measure() returns them; the
   * pile then has `count` seeds. To keep slow devices fluent, only transforms change on the way, and the seeds are drawn in their
   * piles when all have landed. Returns false if the flights were ended early.
   */
  async fly(flights, duration) {
    const own = flights.map(({ from, to, delay, landed }) => {
      const seed = el("span", { class: "flyer" });
      Object.assign(seed.style, { width: `${2 * from.size}px`, height: `${1.72 * from.size}px` }); // the server forbids style attributes
      const at = ({ x, y, size }, more = 1) => `translate(${(x - from.size).toFixed(1)}px, ${(y - 0.86 * from.size).toFixed(1)}px) scale(${(size / from.size * more).toFixed(3)})`;
      const middle = { x: (from.x + to.x) / 2, y: Math.min(from.y, to.y) + 0.25 * Math.abs(from.y - to.y) - 2 * from.size, size: (from.size + to.size) / 2 };
      this.air.append(seed);
      const motion = seed.animate([{ transform: at(from) }, { transform: at(middle, 1.25) }, { transform: at(to) }],
        { duration, delay, fill: "both", easing: "ease-in-out" });
      return { seed, motion, done: motion.finished.then(() => { landed?.(); return true; }, () => false) };
    });
    this.flights.push(...own);
    const all = await Promise.all(own.map((each) => each.done));
    if (!all.every(Boolean)) return false;
    this.flights = [];
    for (const { pile, count } of flights) pile.draw(count);
    for (const { seed } of own) seed.remove();
    return true;
  }

  /** Returns the function of Pile.measure() for each pile. */
  measure() {
    const root = this.root.getBoundingClientRect();
    return this.piles.map((pile) => pile.measure(root));
  }

  /** Lets all seeds fly at once that lie elsewhere in the next position. */
  async glide(counts, duration) {
    const { piles } = this, places = this.measure();
    const now = piles.map((pile) => pile.shown), from = [], to = [];
    counts.forEach((count, i) => {
      for (let seed = now[i]; seed > count; seed--) from.push(places[i](seed - 1));
      for (let seed = now[i]; seed < count; seed++) to.push({ place: places[i](seed), pile: piles[i], count: seed + 1 });
      piles[i].draw(Math.min(now[i], count));
    });
    this.goal = counts;
    const flights = to.map(({ place, pile, count }, i) => ({ from: from[i] || place, to: place, delay: 0, pile, count }));
    if (await this.fly(flights, duration)) this.goal = null;
  }

  /** Animates a move seed by seed. Returns after the last capture, or as soon as rest() is called or `isWanted` returns false. */
  async animate(state, move, isWanted) {
    const pace = paceNow();
    if (!pace) return play(move.captured ? "take" : "sow");
    const { piles } = this, places = this.measure(), counts = [...state.pits];
    const from = turned(state, "ABCDEF".indexOf(move.move.toUpperCase())), held = counts[from];
    const step = Math.min(pace.step, pace.most / held);
    this.preview(-1);
    piles[from].draw(counts[from] = 0);
    if (pace.counts) piles[from].write(held);
    const sown = move.sown.map((each, i) => {
      const pit = turned(state, each), count = ++counts[pit];
      const landed = () => {
        if (pace.counts) {
          piles[from].write(held - 1 - i);
          piles[pit].write(count);
        }
        play("sow");
      };
      return { from: places[from](held - 1 - i), to: places[pit](count - 1), delay: i * step, pile: piles[pit], count, landed };
    });
    if (!await this.fly(sown, pace.flight) || !isWanted()) return;
    const store = 12 + Number(state.north), flights = [];
    let stored = state.stores[Number(state.north)];
    for (const each of [...move.taken].reverse()) {
      const pit = turned(state, each);
      for (let seed = counts[pit] - 1; seed >= 0; seed--) {
        const count = ++stored;
        const landed = () => {
          if (pace.counts) piles[store].write(count);
          play("take");
        };
        flights.push({ from: places[pit](seed), to: places[store](count - 1), delay: flights.length * step / 2, pile: piles[store], count, landed });
      }
      piles[pit].draw(0);
    }
    await this.fly(flights, pace.flight * 1.3);
  }
}
