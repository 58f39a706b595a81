// Results of a search above the tables: polled while the position is displayed, and described as
// exact, bounded or estimated values.

import * as api from "./api.js";
import { byId, pause, signed, svg } from "./dom.js";
import { after, diagram, onBoard, sideOf } from "./game.js";
import { number, seedsText, sideText, t } from "./messages.js";

const PAUSES = { first: 60, most: 400 }; // milliseconds between two requests

const LINE_TRIES = 5; // maximum number of requests for a line

let current = 0;

const turned = () => new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));

/** Stops following the current search. */
export function stopFollowing() {
  current++;
}

/** Polls until the search is done, fails permanently or is replaced by another. A hidden page does not poll. */
export async function follow(variant, p, onUpdate, onFailure) {
  const own = ++current;
  for (let wait = PAUSES.first; ; wait = Math.min(2 * wait, PAUSES.most)) {
    await pause(wait);
    while (document.hidden) await turned();
    if (own !== current) return;
    const answer = await api.analysis(variant, p);
    if (own !== current) return;
    if (!answer.ok && !api.isTemporary(answer)) return onFailure(answer);
    if (!answer.ok) await pause(api.TROUBLE);
    else onUpdate(answer.data);
    if (answer.data.state === "done") return;
  }
}

/**
 * Finds the lines of the `count` best moves except the first one. Calls `onLine` with the letter of each move, and the moves that
 * should follow it.
 */
export async function findLines({ variant, state, moves, answer, analyses }, count, isWanted, onLine) {
  for (const { move: letter } of answer.moves.slice(1, count)) {
    const move = moves.find((each) => each.move === letter), next = move && after(state, move);
    for (let left = LINE_TRIES; next && !next.over && left > 0; left--) {
      await pause(PAUSES.most);
      if (!isWanted()) return;
      const found = await (analyses ? api.analysis : api.position)(variant, diagram(next));
      if (!isWanted() || !found.ok) break;
      if (found.data.line?.length) onLine(letter, found.data.line);
      if (found.data.line || found.data.state === "done") break;
    }
    if (!isWanted()) return;
  }
}

// ---- Words ----

export const isAbout = ({ kind }) => kind === "estimate" || kind === "bound";
const whole = (value) => signed(Math.round(value));

/** Returns the bounds for the displayed side; null unless they exclude at least half of all values. */
function boundsOf({ bounds: [least, most], seeds }, sign) {
  if (most - least > seeds) return null;
  return sign > 0 ? [least, most] : [-most, -least];
}

function boundsText(answer, sign) {
  const bounds = boundsOf(answer, sign);
  if (!bounds) return "";
  const [least, most] = bounds.map(signed);
  if (bounds[1] === answer.seeds) return t("value.least", { value: least });
  return bounds[0] === -answer.seeds ? t("value.most", { value: most }) : t("value.between", { least, most });
}

/** Formats a value: "+3" from the tables, "= +3" if proved by search, else "about +3 ± 4". */
export function numberText(answer, sign) {
  if (isAbout(answer)) return t("value.about", { value: whole(sign * answer.value), error: number(Math.round(answer.error)) });
  return (answer.depth ? "= " : "") + signed(sign * answer.value);
}

/** Names the winner if the bounds prove it; "" if they do not, or if a slam can decide the game regardless of the score. */
function provenText(answer, state) {
  if (["ware", "slam-wins"].includes(answer.rules)) return "";
  const mover = state.north ? 1 : 0;
  const ahead = state.stores[mover] - state.stores[1 - mover];
  const winner = ahead + answer.bounds[0] > 0 ? state.north : ahead + answer.bounds[1] < 0 ? !state.north : null;
  return winner === null ? "" : t("value.wins", { side: sideText(sideOf(winner)) });
}

/** Describes an estimate: which side gets more, and what is proved. */
export function aboutText(answer, state, sign) {
  const value = Math.round(answer.value);
  const winner = value > 0 ? state.north : !state.north;
  const text = value === 0 ? t("value.about-even")
    : t("value.about-more", { winner: sideText(sideOf(winner)), loser: sideText(sideOf(!winner)), seeds: seedsText(Math.abs(value)) });
  const bounds = boundsText(answer, sign);
  return [text, provenText(answer, state), bounds && t("value.proven", { bounds })].filter(Boolean).join(" ");
}

/** Describes the progress of the search; "" if there is none. */
export function searchText(search) {
  if (!search?.state || (search.kind && search.depth === undefined)) return "";
  if (search.state === "waiting" && search.before > 0) return t("search.waiting", { count: search.before });
  if (!search.depth) return t("search.begins");
  return t(search.state === "done" ? "search.done" : "search.goes", { count: search.depth, positions: t("count.positions", { count: search.nodes }) });
}

// ---- The bar ----

/** Draws the expected distribution of the 48 seeds, South's from the left, with its error range. */
export function drawBar(answer, state) {
  const bar = byId("bar");
  bar.hidden = !answer;
  if (!answer) return;
  const share = (value) => Math.max(0, Math.min(48, (48 + state.stores[0] - state.stores[1] + (state.north ? -value : value)) / 2));
  const error = isAbout(answer) ? answer.error : 0;
  const [from, to] = [share(answer.value - error), share(answer.value + error)].sort((a, b) => a - b);
  const part = (x, width, kind) => svg("rect", { x, y: 0, width, height: 6, class: kind });
  bar.replaceChildren(svg("svg", { viewBox: "0 0 48 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    part(0, 48, "bar-north"), part(0, share(answer.value), "bar-south"), part(from, to - from, "bar-open"), part(23.9, 0.2, "bar-middle")));
}

/** Returns true if the position is to be searched: the server offers searches, the game goes on, and values may be seen. */
export const isSearchable = (view) => view.analyses && !view.over && view.hints && onBoard(view.state) > 0;
