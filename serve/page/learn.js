// The Learn section: the list of what there is to learn, and the board with its texts (Table), on which lessons.js and puzzles.js
// show their positions.

import * as api from "./api.js";
import { Board } from "./board.js";
import { announce, byId, el, refill } from "./dom.js";
import { after, diagram, letterOf, sideOf, turned } from "./game.js";
import { openLesson, STEPS } from "./lessons.js";
import { sideText, t, troubleText } from "./messages.js";
import { dailyState, openPuzzle, progress } from "./puzzles.js";
import { copyLink, linkForClass } from "./records.js";
import { refusalText, variantOf } from "./rules.js";
import { onSection, sectionNow } from "./sections.js";
import * as storage from "./storage.js";

/** The board of the Learn section, and the texts and buttons beside it. `rules` is the selected choice of rules.js. */
class Table {
  constructor() {
    Object.assign(this, { ticket: 0, state: null, moves: [], refused: [], end: null, rules: null, onMove: null, onRefusal: null });
    this.board = new Board(byId("learn-board"), (pit) => this.press(pit), "learn-pit-");
    byId("learn-board").addEventListener("keydown", (event) => this.key(event));
  }

  get variant() {
    return variantOf(this.rules);
  }

  /** Marks the view as complete, for the tests, or as waiting for an answer. */
  ready(yes) {
    byId("view-learn").dataset.ready = String(yes);
  }

  /** Starts something new on the table, so that answers to earlier requests are dropped. Returns a function: true until the next start. */
  begin() {
    const ticket = ++this.ticket;
    this.ready(false);
    this.board.rest();
    return () => ticket === this.ticket;
  }

  /** Shows a position; with `locked`, no move can be played. Returns false if that failed or something else was shown meanwhile. */
  async show(state, { last = -1, locked = false } = {}) {
    const isWanted = this.begin();
    const over = { ok: true, data: { moves: [], refused: [] } };
    const answer = state.over ? over : await api.retry(() => api.moves(this.variant, diagram(state)), isWanted, (trouble) => this.say(troubleText(trouble, true)));
    if (!isWanted()) return false;
    if (!answer.ok) {
      this.say(troubleText(answer));
      this.ready(true);
      return false;
    }
    const { moves, refused, end } = answer.data;
    Object.assign(this, { state, moves, refused, locked, end: state.over || (end ? { share: end, north: state.north } : null) });
    this.board.draw(state, { moves: locked ? [] : moves, last, locked });
    byId("learn-board").dataset.position = diagram(state);
    this.ready(true);
    return true;
  }

  /** Plays a legal move; with `calm`, without the animation. Returns false like show(). */
  async play(letter, { locked = true, calm = false } = {}) {
    const move = this.moves.find((each) => each.move === letter), from = this.state;
    if (!move) return false;
    const isWanted = this.begin();
    this.board.draw(from, { locked: true });
    if (!calm) await this.board.animate(from, move, isWanted);
    if (!isWanted()) return false;
    announce(move.captured ? t("move.captured", { side: sideText(sideOf(from.north)), letter, count: move.captured }) : t("move.played", { side: sideText(sideOf(from.north)), letter }));
    return this.show(after(from, move), { last: "ABCDEFabcdef".indexOf(letter), locked });
  }

  press(pit) {
    if (byId("view-learn").dataset.ready !== "true" || this.locked) return;
    const letter = letterOf(pit);
    const move = this.moves.find((each) => each.move === letter);
    if (move) this.onMove(move);
    else {
      const why = this.refused.find((each) => each.move === letter)?.why;
      const names = { letter, mover: sideText(sideOf(this.state.north)), other: sideText(sideOf(!this.state.north)) };
      this.onRefusal(letter, why, refusalText({ ...this.state, over: this.end }, pit, this.refused, names));
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pit = event.target.closest?.(".pit"), key = event.key.toLowerCase();
    if (pit && event.key.startsWith("Arrow")) this.board.moveFocus(Number(pit.dataset.pit), event.key);
    else if (key.length === 1 && "abcdef".includes(key) && storage.readKeys()) this.press(turned(this.state, "abcdef".indexOf(key)));
    else return;
    event.preventDefault();
  }

  /** Sets the texts above the notice. `part` is the address of what is shown, if it may be given to a class. */
  explain({ step, goal, text, part = "" }) {
    this.part = part;
    byId("learn-class").hidden = !part;
    byId("learn-shared").textContent = "";
    byId("learn-step").textContent = step;
    byId("learn-goal").textContent = goal;
    byId("learn-text").textContent = text;
    announce([step, goal, text].filter(Boolean).join(". "));
  }

  /** Shows a notice and announces it; "" removes it. `kind` is "right", "wrong" or nothing. */
  say(text, kind = "") {
    const box = byId("learn-said");
    box.className = `notice ${kind}`;
    box.textContent = text && kind ? `${kind === "right" ? "✓" : "✗"} ${text}` : text;
    box.hidden = !text;
    if (text) announce(text);
  }

  /** Draws the buttons: [name, text, action]. The first button, which leads to the next step, is emphasised. */
  offer(buttons) {
    refill(byId("learn-buttons"), buttons.map(([name, text, onclick], i) =>
      el("button", { id: `learn-${name}`, "data-key": name, class: i === 0 ? "primary" : null, onclick }, text)), byId("learn-goal"));
  }

  /** Draws what explains a solution; null removes it. */
  reveal(parts) {
    byId("learn-why").hidden = !parts;
    refill(byId("learn-why"), parts || [], byId("learn-goal"));
  }
}

let table = null;
let open = "";

function card(name, title, text, state) {
  return el("li", {}, el("a", { href: `#/learn/${name}`, id: `learn-to-${name}`, class: "card" }, el("b", {}, title), el("span", {}, text), el("span", { class: "small" }, state)));
}

function drawHome() {
  const { lesson } = storage.readLearn();
  const done = lesson >= STEPS;
  byId("learn-home").replaceChildren(
    card("lesson", t("learn.lesson"), t("learn.lesson-long"), done ? t("learn.done") : lesson ? t("learn.step", { number: lesson + 1, count: STEPS }) : ""),
    card("daily", t("learn.daily"), t("learn.daily-long"), dailyState()),
    card("puzzles", t("learn.puzzles"), t("learn.puzzles-long"), progress()));
}

/** Opens what follows "#/learn" in the address: nothing, lesson, lesson/3, puzzles or daily. */
function openPart(rest) {
  const [part, step] = rest.split("/");
  const home = !["lesson", "puzzles", "daily"].includes(part);
  open = rest;
  byId("learn-home").hidden = !home;
  byId("learn-room").hidden = home;
  byId("learn-title").textContent = t(home ? "section.learn" : `learn.${part}`);
  if (!table.rules) return;
  table.begin();
  table.say("");
  table.reveal(null);
  table.offer([]);
  if (home) {
    drawHome();
    table.ready(true);
  } else if (part === "lesson") openLesson(table, Number(step) || 0);
  else openPuzzle(table, part === "daily");
}

/** Draws the section again, for other rules (a choice of rules.js) or in another language. */
export function drawLearn(rules) {
  if (!table) return;
  table.rules = rules;
  if (sectionNow() === "learn") openPart(open);
}

export function setUpLearn(rules) {
  table = new Table();
  table.rules = rules;
  byId("learn-share").addEventListener("click", async () => {
    byId("learn-shared").textContent = await copyLink(linkForClass(table.variant, { fragment: `#/learn/${table.part}` }));
  });
  onSection("learn", (rest) => {
    openPart(rest);
    byId("learn-title").focus();
  });
  window.matchMedia("(max-width: 620px)").addEventListener("change", () => table.state && table.board.draw(table.state, { moves: table.locked ? [] : table.moves, locked: table.locked }));
}
