// The Play section: the question before a game, how a game ends, and the sheet with its result.

import * as api from "./api.js";
import { byId, enable, pause } from "./dom.js";
import { finalScore, onBoard, SEEDS, sideOf } from "./game.js";
import { number, sideText, t } from "./messages.js";
import { CLOCKS, endText, LEVELS } from "./opponent.js";
import { writePlay } from "./storage.js";

const SIDES = ["south", "north"];
const ENDS = ["resign", "time", "agreed"];
const DRAW_PATIENCE = 3000; // milliseconds of search before the computer answers the offer of a draw

export const otherSide = (side) => (side === "south" ? "north" : "south");

/**
 * Makes the settings of a game: `opponent` is the computer's side, "" if two people play here; `clock` is in minutes, 0 for
 * none; `playsOn` is true once the players go on although one side has more than half of the seeds; `ended` is
 * {how, winner} if the game did not end by the moves.
 */
export const newPlay = ({ opponent, level, clock }) => ({ opponent, level, clock, playsOn: false, ended: null });

/** Restores the settings of a stored game. Returns null if it is not a game to play, or if they are damaged. */
export function storedPlay(stored) {
  const level = stored?.level ?? stored?.["level-of-play"], clock = Number(stored?.clock), { opponent, playsOn, ended } = stored || {};
  if (!LEVELS.includes(level) || !CLOCKS.includes(clock) || !["", ...SIDES].includes(opponent)) return null;
  if (stored.level === undefined && !opponent && !clock) return null; // stored when the page had no Play section
  const known = ended && ENDS.includes(ended.how) && [...SIDES, null].includes(ended.winner);
  return { ...newPlay({ opponent, level, clock }), playsOn: playsOn === true, ended: known ? { how: ended.how, winner: ended.winner } : null };
}

/** Reads the form, and remembers what is selected there. `computer` is true for a game against the computer. */
export function chosenPlay(computer) {
  const [level, wanted, clock] = ["level-of-play", "play-side", "clock"].map((id) => byId(id).value);
  const side = wanted === "any" ? SIDES[Math.floor(2 * Math.random())] : wanted;
  writePlay({ level, side: wanted, clock });
  return newPlay({ opponent: computer ? otherSide(side) : "", level, clock: Number(clock) });
}

// ---- The end ----

/** Under these rules a grand slam decides the game, however many seeds either side has. */
const isDecidedBySlam = (rules) => ["ware", "slam-wins"].includes(rules);

/**
 * Returns how the game has ended at the displayed position: {how, winner, south, north, nobody, whole}, or null. `whole` is
 * true if all seeds are shared out. Only in the Play section, a game also ends as `play.ended` says, or because one side has more
 * than half of the seeds.
 */
export function endOf({ state, over, thrice, repetition, play, choice }, isPlaying) {
  const [south, north] = state.stores;
  const stores = { south, north, nobody: 0, whole: false };
  if (isPlaying && play?.ended) return { ...stores, ...play.ended };
  if (over) return { ...finalScore(state, over), how: "rules", whole: true };
  if (thrice) return { ...stores, winner: undefined, ...(repetition && { ...repetition, whole: true }), how: "repetition" };
  if (!isPlaying || !play || play.playsOn || Math.max(south, north) <= SEEDS / 2 || isDecidedBySlam(choice.database.rules)) return null;
  return { ...stores, how: "seeds", winner: south > north ? "south" : "north" };
}

/** Returns the state to draw after an end: nobody is to move, and if all seeds are shared out, they are in the stores. */
export const finalState = (state, { south, north, whole }) =>
  ({ ...state, ...(whole ? { pits: Array(12).fill(0), stores: [south, north] } : {}), over: true });

/** Says who has won and by how much: "South wins 29–19". */
export function headline({ winner, south, north }) {
  const [most, least] = [Math.max(south, north), Math.min(south, north)].map(number);
  if (!winner) return t("headline.draw", { most, least });
  return (winner === "south") === (south > north) && south !== north
    ? t("headline.wins", { side: sideText(winner), most, least }) : t("headline.won", { side: sideText(winner) });
}

function titleOf(end) {
  if (end.winner === undefined) return t("panel.over");
  if (end.how === "seeds") return t("headline.has-won", { side: sideText(end.winner) });
  if (end.whole) return headline(end);
  return end.winner ? t("headline.won", { side: sideText(end.winner) }) : t("headline.drawn");
}

function reasonOf(end, state, over) {
  const score = `${t(end.nobody ? "score.nobody" : "score.both", end)}.`;
  if (end.how === "rules") return `${endText(state, over)} ${score}`;
  if (end.how === "repetition") return [t("result.repetition"), end.whole && score].filter(Boolean).join(" ");
  if (end.how === "seeds") return t("result.seeds", { side: sideText(end.winner), count: Math.max(end.south, end.north) });
  if (end.how === "agreed") return `${t("result.agreed")} ${score}`;
  return `${t(`result.${end.how}`, { side: sideText(otherSide(end.winner)) })} ${score}`;
}

/** Returns true if the computer accepts a draw: it expects no more seeds than its opponent, by the tables or by search. */
export async function acceptsDraw({ variant, state, play, analyses }, p, isWanted) {
  const mover = Number(state.north);
  for (const end = performance.now() + DRAW_PATIENCE; ;) {
    const { ok, data } = await (analyses ? api.analysis : api.position)(variant, p);
    if (!ok || !isWanted()) return false;
    if (!analyses || (data.kind && (data.state === "done" || data.kind === "exact" || performance.now() > end))) {
      const margin = Math.round(state.stores[mover] - state.stores[1 - mover] + data.value); // for the side to move
      return (play.opponent === sideOf(state.north) ? margin : -margin) <= 0;
    }
    if (performance.now() > 2 * DRAW_PATIENCE + end) return false;
    await pause(200);
    if (!isWanted()) return false;
  }
}

// ---- Drawing ----

/** Returns the text above the controls while a game is played. */
export function turnText({ state, play }) {
  const side = sideOf(state.north);
  if (!play.opponent) return t("play.turn", { side: sideText(side) });
  return play.opponent === side ? t("play.thinking", { level: t(`level.${play.level}`) }) : t("play.yours", { side: sideText(side) });
}

/**
 * Draws what only the Play section has: the question, the buttons, and the sheet of the result. Returns the result as text, or "".
 */
export function drawPlay(view, end) {
  const asks = !view.play, result = byId("result"), wasHidden = result.hidden;
  byId("play-form").hidden = !asks;
  byId("play-form").parentElement.classList.toggle("asks", asks);
  document.querySelector(".more").hidden = document.querySelector(".toolbar").hidden = asks;
  byId("play-here-box").hidden = onBoard(view.state) === SEEDS && view.state.pits.every((count) => count === 4);
  result.hidden = asks || !end;
  for (const id of ["resign", "draw"]) enable(byId(id), !asks && !end);
  enable(byId("new-game"), !asks);
  enable(byId("hint"), !asks && !end);
  byId("turn-text").hidden = asks || Boolean(end);
  if (asks || !end) return asks ? t("play.question") : "";
  byId("result-title").textContent = titleOf(end);
  byId("result-reason").textContent = reasonOf(end, view.state, view.over);
  byId("play-on").hidden = end.how !== "seeds";
  if (wasHidden) {
    byId("result-title").focus({ preventScroll: true });
    result.scrollIntoView({ block: "nearest" });
  }
  return `${byId("result-title").textContent}. ${byId("result-reason").textContent}`;
}
