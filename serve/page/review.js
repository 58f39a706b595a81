// Reviews the displayed game inside its tree: the server judges every move, and the judgements are shown in the list of moves,
// in the graph and below it. "Learn from your mistakes" is in mistakes.js.

import * as api from "./api.js";
import { judgement } from "./charts.js";
import { announce, byId, el, enable, pause, refill } from "./dom.js";
import { remember } from "./graph.js";
import { percent, seedsText, sideText, t, troubleText } from "./messages.js";
import { textOf } from "./records.js";
import { isNorths, lineThrough, numberAfter, path } from "./tree.js";

const PAUSE = 400; // milliseconds between two queries of the progress
const FIGURES = ["accuracy", "judged", "mistakes", "known", "estimated"];
const MOMENTS_MAX = 5;
const ABOUT_LEAST = 2; // seeds: a smaller estimated loss may be an error of the search

/**
 * State of the review. `data` has the judgements of a game, `marks` those of each node, and `letters` the moves of the game.
 * `searches` is true if the server searches.
 */
export const review = { searches: false, ticket: 0, data: null, marks: new Map(), letters: "", complaint: null, waits: false };

/** Shows a problem. `say` returns its text in the current language; null removes the problem. */
function complain(say) {
  const text = say?.() || "", box = byId("review-notice");
  review.complaint = say;
  if (box.textContent !== text) box.textContent = text; // screen readers announce every change
  box.hidden = !text;
}

const lettersOf = (nodes) => nodes.slice(1).map(({ letter }) => letter).join("");

/** Returns the judgement of a move if it lost seeds, else null. */
export function costOf(node) {
  const ply = review.marks.get(node);
  return ply?.cost ? ply : null;
}

/** Returns the moves of a side that lost seeds, in the order of the game. */
export const mistakesOf = (side) => [...review.marks].filter(([node, { cost }]) => cost > 0 && isNorths(node) === (side === "north")).map(([node]) => node);

/**
 * Adds the cost of a move: its loss if that is known, or the part of its loss that is proved; else the estimated loss, rounded down
 * to whole seeds, or 0 if the estimate is too small to mean anything. `about` is true if the cost is an estimate, and `sure` is true
 * if the values are exact: bounds may prove the cost although the values are estimates.
 */
function withCost({ value, played, cost, loss, proven_loss: proven, kind = "exact", best = [], turns = false }) {
  if (value === undefined) return {};
  const about = kind === "estimate", exact = kind === "bound" ? proven : Math.round(loss ?? cost);
  return { value, played, best, turns, about, sure: kind === "exact", loss: loss ?? cost, cost: !about ? exact : loss < ABOUT_LEAST ? 0 : Math.floor(loss) };
}

/** Takes over the answer of the server: data.plies has the judgements of the moves that led to `nodes`, except the first node. */
function accept(variant, nodes, data) {
  Object.assign(review, { data, letters: lettersOf(nodes), marks: new Map(data.plies.map((ply, i) => [nodes[i + 1], ply])) });
  data.plies.forEach(({ value, played, sure }, i) => {
    if (value === undefined) return;
    remember(variant, nodes[i].state, value, !sure);
    const { state } = nodes[i + 1], { north } = nodes[i].state;
    const more = played - state.stores[north ? 1 : 0] + nodes[i].state.stores[north ? 1 : 0];
    if (!state.over) remember(variant, state, state.north === north ? more : -more, !sure);
  });
}

/** Forgets the review, because another game is displayed. */
export function forgetReview() {
  review.ticket++;
  Object.assign(review, { data: null, marks: new Map(), letters: "", waits: false });
  complain(null);
}

// ---- Storage ----

/** Returns the review as it is stored with its game. */
export const reviewNow = () => (review.data ? { letters: review.letters, sides: review.data.sides,
  tables: review.data.tables, plies: review.data.plies.map(({ value, played, loss, cost, best, about, turns, sure }) => (value === undefined ? 0 : [value, played, loss, cost, best.join(""), Number(about), Number(turns), Number(sure)])) } : undefined);

function readPly(row) {
  if (row === 0) return {};
  const [value, played, loss, cost, best, about, turns, sure] = row; // rows of earlier versions end with `turns`: they are not sure
  if (![value, played, loss, cost].every(Number.isFinite) || !/^[A-Fa-f]{0,6}$/.test(best)) throw new Error("no judgement");
  return { value, played, loss, cost, best: [...best], about: about === 1, turns: turns === 1, sure: sure === 1 };
}

/** Restores a stored review of the game that starts at `root`. Damaged reviews, and those of moves that were deleted, are ignored. */
export function reviewAgain(kept, variant, root) {
  forgetReview();
  try {
    const { letters, sides, tables, plies } = kept, nodes = [root];
    for (const letter of letters) nodes.push(nodes.at(-1).children.find((each) => each.letter === letter));
    if (plies.length !== letters.length || nodes.includes(undefined)) return;
    if (sides !== null && ![sides.south, sides.north].every(Number.isFinite)) return;
    accept(variant, nodes, { sides, tables: tables !== false, plies: plies.map(readPly) });
  } catch {
    // there is no review, or it is damaged
  }
}

// ---- Judging ----

function showProgress({ done, count }) {
  byId("review-progress").hidden = done === undefined;
  byId("review-progress-bar").value = count ? done / count : 0;
  byId("review-progress-text").textContent = count ? t("review.progress", { done, total: count }) : "";
}

/** Polls until all positions have been searched, or `isWanted` returns false. */
async function reviewed(ask, isWanted) {
  for (;;) {
    const answer = await ask(api.review);
    if (!isWanted() || !answer.ok || answer.data.plies) return answer;
    showProgress(answer.data);
    await pause(PAUSE);
    if (!isWanted()) return answer;
  }
}

/** Judges the displayed line, by search if the server offers it. Calls `changed` when the judgements are there. */
export async function startReview({ variant, node }, changed) {
  const ticket = ++review.ticket, nodes = lineThrough(node), text = textOf(nodes);
  const isWanted = () => ticket === review.ticket; // false once another review was started, or another game is displayed
  if (!text) {
    complain(() => t("review.unplayed"));
    return;
  }
  let trouble = null;
  const onFailure = (answer) => complain(trouble = () => troubleText(answer, true));
  const ask = async (question) => {
    const answer = await api.retry(() => question(variant, text), isWanted, onFailure);
    if (trouble && review.complaint === trouble) complain(trouble = null);
    return answer;
  };
  complain(null);
  Object.assign(review, { data: null, marks: new Map(), waits: true });
  showProgress({ done: 0, count: nodes.length });
  changed();
  let answer = review.searches ? await reviewed(ask, isWanted) : null;
  const judged = isWanted() && !answer?.ok ? await ask(api.game) : null;
  if (!isWanted()) return;
  if (judged?.ok || !answer || answer.status === 404) answer = judged || answer;
  showProgress({});
  review.waits = false;
  if (answer.ok) {
    const { review: sides, tables, plies } = answer.data;
    accept(variant, nodes, { sides: sides ? { south: sides.South.accuracy, north: sides.North.accuracy } : null, tables: tables !== false, plies: plies.map(withCost) });
  } else complain(() => troubleText(answer));
  changed();
  if (review.data) announce(byId("review-result").textContent);
}

// ---- Showing ----

/** Returns the accuracy of a side in percent: the server's figure if there is one, else the mean over the judged moves. */
function accuracyOf(side, judged) {
  const known = review.data.sides?.[side];
  return known ?? (judged.length ? judged.reduce((sum, { loss }) => sum + 100 / (1 + loss / 2), 0) / judged.length : NaN);
}

/** Returns the figures of a side as texts, in the order of FIGURES. */
function figures(side) {
  const own = [...review.marks].filter(([node]) => isNorths(node) === (side === "north")).map(([, ply]) => ply);
  const judged = own.filter(({ value }) => value !== undefined), wrong = judged.filter(({ cost }) => cost > 0);
  const lost = (about) => wrong.filter((ply) => ply.about === about).reduce((sum, { cost }) => sum + cost, 0);
  const accuracy = accuracyOf(side, judged);
  return [Number.isNaN(accuracy) ? "–" : percent(accuracy, 100, 0), t("review.of", { count: judged.length, all: own.length }), String(wrong.length),
    seedsText(lost(false)), lost(true) ? `≈ ${seedsText(lost(true))}` : "–"];
}

/** Returns the moves that decided the game, at most MOMENTS_MAX, in the order of the game. */
function momentsOf() {
  const worst = [...review.marks].filter(([, { cost }]) => cost > 0).sort(([, one], [, other]) => other.turns - one.turns || other.cost - one.cost).slice(0, MOMENTS_MAX);
  return [...review.marks].filter((each) => worst.some(([node]) => node === each[0]));
}

/** Returns the name of a move in the game: "7. C" or "7… c". */
export function nameOf(node) {
  let last;
  for (const each of path(node).slice(1)) last = { number: numberAfter(last, isNorths(each)), north: isNorths(each) };
  return `${last.number}${last.north ? "…" : "."} ${node.letter}`;
}

/** Draws the result. `hidden` is true while the answers are not to be seen; `onNode` is called with a key moment that was pressed. */
export function drawReview({ node }, hidden, onNode) {
  const { data } = review, nodes = lineThrough(node);
  complain(review.complaint);
  byId("review-progress").hidden = !review.waits;
  byId("review-start").hidden = review.waits || (data !== null && lettersOf(nodes) === review.letters);
  enable(byId("review-start"), nodes.length > 1);
  byId("review-result").hidden = !data || hidden;
  if (!data) return;
  const [south, north] = ["south", "north"].map(figures);
  const cell = (tag, text, scope) => el(tag, scope ? { scope } : {}, text);
  byId("review-figures").replaceChildren(
    el("thead", {}, el("tr", {}, el("td"), ...["south", "north"].map((side) => cell("th", sideText(side), "col")))),
    el("tbody", {}, ...FIGURES.map((name, i) => el("tr", {}, cell("th", t(`review.${name}`), "row"), cell("td", south[i]), cell("td", north[i])))));
  byId("review-searched").hidden = data.tables;
  const moments = momentsOf();
  byId("review-moments-box").hidden = moments.length === 0;
  refill(byId("review-moments"), moments.map(([each, ply]) => el("li", { "data-key": each.key },
    el("button", { "aria-current": each === node ? "step" : null, onclick: () => onNode(each) }, el("b", {}, nameOf(each)), ` ${judgement(ply)}`))), byId("turn-text"));
  byId("review-clean").hidden = moments.length > 0;
  for (const side of ["south", "north"]) byId(`learn-${side}`).hidden = mistakesOf(side).length === 0;
}
