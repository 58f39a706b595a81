// "Learn from your mistakes": the reader looks for a better move where a side lost seeds, in the positions of the reviewed game.

import { announce, byId } from "./dom.js";
import { eitherOf, sideText, t } from "./messages.js";
import { costOf, mistakesOf, nameOf } from "./review.js";

/** `nodes` are the mistakes of a side; `solved` is the mistake that was just answered; `found` has the mistakes that the reader solved. */
const lesson = { side: "", nodes: [], at: 0, solved: null, found: new Set(), said: null };

const current = () => lesson.nodes[lesson.at] ?? null;

/** Returns true if the answers must not be seen: the reader is to find a better move in the displayed position. */
export const isAsking = ({ node }) => current() !== null && node === current().parent && lesson.solved !== current();

/** Ends the lesson. */
export function stopLearning() {
  Object.assign(lesson, { nodes: [], at: 0, solved: null, said: null });
}

/** Starts with the first mistake of a side. Returns the position to display. */
export function startLearning(side) {
  Object.assign(lesson, { side, nodes: mistakesOf(side), at: 0, solved: null, found: new Set(), said: null });
  return current()?.parent ?? null;
}

/** Goes to the next mistake. Returns the position to display; null after the last one. */
export function nextMistake() {
  Object.assign(lesson, { at: lesson.at + 1, solved: null, said: null });
  return current()?.parent ?? null;
}

/** Returns the best moves at the current mistake. */
const bestMoves = () => costOf(current())?.best ?? [];

/** Returns how many seeds a move loses against the best known one: {loss, about}; null if that is not known. */
function lossOf({ answer }, letter) {
  const move = answer?.moves.find((each) => each.move === letter);
  if (!move) return null;
  const about = move.kind === "estimate" || move.kind === "bound";
  const loss = Math.max(...answer.moves.map(({ value }) => value)) - move.value;
  return { loss: about ? Math.floor(loss) : loss, about };
}

/** Judges a move that the reader tries. Returns true if it may be played; else the reader tries again. */
export function tryMove(view, letter) {
  const wrong = current(), lost = lossOf(view, letter);
  const isRight = bestMoves().includes(letter) || (letter !== wrong.letter && lost?.loss === 0);
  if (isRight) {
    lesson.found.add(wrong);
    lesson.solved = wrong;
    lesson.said = () => t("mistake.right", { letter });
  } else if (letter === wrong.letter) lesson.said = () => t("mistake.same", { letter });
  else lesson.said = () => (lost ? t(lost.about ? "mistake.wrong-about" : "mistake.wrong", { letter, count: lost.loss }) : t("mistake.not-best", { letter }));
  announce(lesson.said());
  return isRight;
}

/** Returns the move to show as the answer, or null. */
export function giveAnswer() {
  const best = bestMoves();
  if (!best.length) return null;
  lesson.solved = current();
  lesson.said = () => t("mistake.answer", { moves: eitherOf(best) });
  announce(lesson.said());
  return best[0];
}

/** Draws the lesson. */
export function drawLesson(view) {
  const wrong = current(), count = lesson.nodes.length, asks = isAsking(view), solved = wrong !== null && lesson.solved === wrong;
  byId("mistake-box").hidden = !count;
  if (!count) return;
  const side = sideText(lesson.side), cost = wrong && costOf(wrong);
  byId("mistake-count").textContent = wrong ? t("mistake.count", { number: lesson.at + 1, count }) : "";
  byId("mistake-text").textContent = !wrong ? t("mistake.over", { found: lesson.found.size, count })
    : [lesson.said?.(), !solved && t(asks ? cost?.about ? "mistake.ask-about" : "mistake.ask" : "mistake.left", { side, move: nameOf(wrong), count: cost?.cost ?? 0 })].filter(Boolean).join(" ");
  const shown = { back: wrong && !asks && !solved, show: wrong && !solved, skip: wrong && !solved, next: solved, again: !wrong, end: true };
  for (const [name, is] of Object.entries(shown)) byId(`mistake-${name}`).hidden = !is;
}

/** Returns the position of the current mistake, or null. */
export const mistakePosition = () => current()?.parent ?? null;

/** Returns the side whose mistakes are the subject. */
export const learningSide = () => lesson.side;
