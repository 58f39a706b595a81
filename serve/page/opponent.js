// The computer as an opponent: its moves, the clock, and the end of a game.

import * as api from "./api.js";
import { byId, el, pause } from "./dom.js";
import { diagram, onBoard, sideOf } from "./game.js";
import { sideText, t } from "./messages.js";
import { readPlay } from "./storage.js";
import { path } from "./tree.js";

export const LEVELS = ["first-steps", "beginner", "easy", "medium", "hard", "expert", "master"];
export const CLOCKS = [0, 3, 5, 10, 20]; // minutes
const SIDES_TO_PLAY = ["south", "north", "any"]; // "any" leaves it to chance
const PAUSE = 300; // milliseconds between two requests

/** Derives a seed from the id of a game, so that the computer's mistakes differ from game to game. */
const seedOf = (id) => [...id].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 4294967296, 7);

/** Returns the arguments by which a request names the positions since the last capture. */
export function historyOf(node) {
  const nodes = path(node), left = onBoard(node.state), recent = nodes.filter(({ state }) => onBoard(state) === left);
  return recent.length > 1 ? { start: diagram(recent[0].state), moves: recent.slice(1).map(({ letter }) => letter).join("") } : {};
}

/** Returns the letter that a level plays; null if the server fails or `isWanted` returns false. Calls `onFailure` for temporary failures. */
export async function chooseMove({ variant, id, node }, level, isWanted, onFailure) {
  const p = diagram(node.state), history = historyOf(node);
  for (;;) {
    const answer = await api.retry(() => api.move(variant, p, level, seedOf(id), history), isWanted, onFailure);
    if (!answer.ok || !isWanted()) return null;
    if (answer.data.state === "done") return answer.data.move;
    await pause(PAUSE);
    if (!isWanted()) return null;
  }
}

/** Fills the lists of levels and clocks in the current language. The first time, it selects what the reader chose for the last game. */
export function drawChoicesOfPlay() {
  const kept = readPlay(), level = byId("level-of-play").value || kept.level, clock = byId("clock").value || kept.clock;
  if (!byId("level-of-play").value && SIDES_TO_PLAY.includes(kept.side)) byId("play-side").value = kept.side;
  byId("level-of-play").replaceChildren(...LEVELS.map((each) => el("option", { value: each }, t(`level.${each}`))));
  byId("level-of-play").value = LEVELS.includes(level) ? level : "medium";
  byId("clock").replaceChildren(...CLOCKS.map((each) => el("option", { value: each }, each ? t("clock.minutes", { count: each }) : t("clock.none"))));
  byId("clock").value = CLOCKS.includes(Number(clock)) ? Number(clock) : 0;
}

// ---- The end ----

const row = (state, north) => state.pits.slice(north ? 6 : 0, north ? 12 : 6).reduce((sum, count) => sum + count, 0);

/** Explains why the game is over, from what /api/moves says about the remaining seeds. */
export function endText(state, over) {
  const names = { mover: sideText(sideOf(over.north)), other: sideText(sideOf(!over.north)), count: onBoard(state) };
  if (over.slam) return t("end.slam", names);
  if (names.count === 0) return t("end.none");
  if (row(state, over.north) === 0) return t("end.empty", names);
  if (row(state, !over.north) === 0) return t("end.unfed", names);
  return t(over.share.opponent ? "end.stuck" : "end.stuck-all", names);
}

/** Returns the score of a game that ends because a position occurs for the third time; null if the server does not give the score. */
export async function scoreOfRepetition(variant, text) {
  const answer = await api.game(variant, text);
  const score = answer.ok && answer.data.repetition ? answer.data.score : null;
  if (!score) return null;
  const [south, north] = score;
  return { south, north, nobody: 0, winner: south > north ? "south" : north > south ? "north" : null };
}

// ---- The clock ----

const timeText = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

export class Clock {
  /** `side` returns the side whose time runs, or null; `onTimeout` is called with the side whose time is up. */
  constructor(side, onTimeout) {
    Object.assign(this, { side, onTimeout, left: null, last: 0 });
    window.addEventListener("pageshow", () => { this.last = performance.now(); });
    setInterval(() => this.tick(), 200);
  }

  /** Sets the clock to a number of minutes for each side, or for a stored game to the times that were `left`. 0 minutes mean no clock. */
  reset(minutes, left) {
    const ms = 60000 * minutes;
    const rest = (side) => (left?.[side] >= 0 && left[side] <= ms ? left[side] : ms);
    this.left = ms ? { south: rest("south"), north: rest("north") } : null;
    this.last = performance.now();
    this.draw();
  }

  tick() {
    const now = performance.now(), passed = now - this.last;
    const side = this.left && !this.loser() ? this.side() : null;
    this.last = now;
    if (!side) return;
    this.left[side] = Math.max(0, this.left[side] - passed);
    this.draw();
    if (this.left[side] === 0) this.onTimeout(side);
  }

  /** Returns the side whose time is up, or undefined. */
  loser() {
    return ["south", "north"].find((side) => this.left?.[side] === 0);
  }

  draw() {
    byId("time").hidden = !this.left;
    if (this.left) byId("time").textContent = ["south", "north"]
      .map((side) => t("clock.left", { side: sideText(side), time: timeText(this.left[side]) })).join(" · ");
  }
}
