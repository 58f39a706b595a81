// The program as an opponent: what it plays at a level, the clock if one is wanted, and how a game
// ended.

import * as api from "./api.js";
import { byId, el, pause } from "./dom.js";
import { onBoard, sideOf } from "./game.js";
import { sideText, t } from "./messages.js";

const LEVELS = ["beginner", "easy", "medium", "hard", "expert", "master"];
const CLOCKS = [0, 3, 5, 10, 20]; // minutes
const PAUSE = 300; // milliseconds between questions

/** What is misjudged differs from game to game: a number out of its name. */
const seedOf = (id) => [...id].reduce((sum, each) => (sum * 31 + each.charCodeAt(0)) % 4294967296, 7);

/** The letter that a level plays; null: the server does not say, or `isWanted` has become false. `hear` is told of trouble. */
export async function chooseMove({ variant, id }, p, level, isWanted, hear) {
  for (;;) {
    const answer = await api.insist(() => api.move(variant, p, level, seedOf(id)), isWanted, hear);
    if (!answer.ok || !isWanted()) return null;
    if (answer.data.state === "done") return answer.data.move;
    await pause(PAUSE);
    if (!isWanted()) return null;
  }
}

/** Writes the lists of levels and clocks; again in another language. */
export function drawChoicesOfPlay() {
  const level = byId("level-of-play").value || "medium", clock = byId("clock").value || "0";
  byId("level-of-play").replaceChildren(...LEVELS.map((each) => el("option", { value: each, selected: each === level }, t(`level.${each}`))));
  byId("clock").replaceChildren(...CLOCKS.map((each) => el("option", { value: each, selected: String(each) === clock },
    each ? t("clock.minutes", { count: each }) : t("clock.none"))));
}

const FIELDS = ["opponent", "level-of-play", "clock"];

/** Who plays and by what time, as it is stored with a game. */
export const playNow = (clock) => ({ left: clock.left, ...Object.fromEntries(FIELDS.map((id) => [id, byId(id).value])) });

/** Takes it again; what is no choice leaves things as they are. */
export function playAgain(play, clock) {
  for (const id of FIELDS) {
    if ([...byId(id).options].some(({ value }) => value === play?.[id])) byId(id).value = play[id];
  }
  clock.reset(play?.left);
}

// ---- The end ----

const row = (state, north) => state.pits.slice(north ? 6 : 0, north ? 12 : 6).reduce((sum, count) => sum + count, 0);

/** Why the game is over, as /api/moves says who takes what. */
export function endText(state, over) {
  const names = { mover: sideText(sideOf(over.north)), other: sideText(sideOf(!over.north)), count: onBoard(state) };
  if (over.slam) return t("end.slam", names);
  if (names.count === 0) return t("end.none");
  if (row(state, over.north) === 0) return t("end.empty", names);
  if (row(state, !over.north) === 0) return t("end.unfed", names);
  return t(over.share.opponent ? "end.stuck" : "end.stuck-all", names);
}

/** The score of a game that its third repetition ends; null if the server does not say. */
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
  /** `side` says whose time runs now, null where nobody's does; `late` hears whose is over. */
  constructor(side, late) {
    Object.assign(this, { side, late, left: null, last: 0 });
    window.addEventListener("pageshow", () => { this.last = performance.now(); });
    setInterval(() => this.tick(), 200);
  }

  /** A game begins: as much time as is chosen, or none; or it goes on with what was left. */
  reset(left) {
    const ms = 60000 * Number(byId("clock").value);
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
    if (this.left[side] === 0) this.late(side);
  }

  /** Whose time is over; undefined: nobody's. */
  loser() {
    return ["south", "north"].find((side) => this.left?.[side] === 0);
  }

  draw() {
    byId("time").hidden = !this.left;
    if (this.left) byId("time").textContent = ["south", "north"]
      .map((side) => t("clock.left", { side: sideText(side), time: timeText(this.left[side]) })).join(" · ");
  }
}
