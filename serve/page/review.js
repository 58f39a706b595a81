// Reviews a game: sends a text to the server, and draws a curve and a list of moves from the answer.

import * as api from "./api.js";
import { gameChart, judgement } from "./charts.js";
import { announce, byId, el, pause, signed } from "./dom.js";
import { fromDiagram } from "./game.js";
import { percent, seedsText, sideText, t, troubleText } from "./messages.js";
import { findChoice, titleOf } from "./rules.js";

/** State of the review. `data` is the server's answer for the latest game; `open` shows the position of a move. */
export const review = { variant: null, choices: [], searches: false, ticket: 0, data: null, complaint: null, open: null };

const PAUSE = 400; // milliseconds between two queries of the progress

const example = `[FEN "1-1-2-1-1-1-1-1-1-1-1-1-17-18-S"]
1. E b 2. D f 3. C c 4. E e 5. A d 6. B f
7. F c 8. D a 9. B e 10. A d 11. E f`;

/** Shows a problem. `say` returns its text in the current language; null removes the problem. */
function complain(say) {
  const text = say?.() || "", box = byId("game-notice");
  review.complaint = say;
  if (box.textContent !== text) box.textContent = text; // screen readers announce every change
  box.hidden = !text;
}

/** Returns the final margin, South minus North, with best play from each position; null where it is not known. */
function findMargins(data) {
  const margins = data.plies.map((ply) => {
    if (ply.value === undefined) return null;
    const { stores, north } = fromDiagram(ply.position);
    return stores[0] - stores[1] + (north ? -ply.value : ply.value);
  });
  const last = data.plies[data.plies.length - 1];
  const { stores, north } = fromDiagram(last.position);
  margins.push(last.value === undefined ? null : stores[0] - stores[1] + (north ? -last.played : last.played));
  return margins;
}

/** Returns a sentence for each side. */
function summary(plies) {
  return ["south", "north"].map((name) => {
    const side = sideText(name);
    const own = plies.filter((ply) => (ply.move >= "a") === (name === "north"));
    const judged = own.filter((ply) => ply.value !== undefined);
    const wrong = judged.filter((ply) => ply.cost > 0);
    const lost = wrong.reduce((sum, ply) => sum + ply.cost, 0);
    if (judged.length === 0) return t("review.none", { side });
    const values = { side, judged: judged.length, moves: t("count.moves", { count: own.length }), count: wrong.length, seeds: seedsText(lost) };
    return t(wrong.length === 0 ? "review.clean" : "review.wrong", values);
  }).join(" ");
}

/** Names the rules if they differ from the selected ones, and says so if there are no tables. */
function rulesText({ rules, cycle, tables }) {
  const chosen = findChoice(review.choices, review.variant.rules, review.variant.cycle).database;
  const found = findChoice(review.choices, rules, cycle) || { name: rules, named: false, database: { rules, cycle } };
  const other = chosen.rules !== rules || chosen.cycle !== cycle;
  return [other && t("review.by", { title: titleOf(found) }), tables === false && t("review.searched")].filter(Boolean).join(" ");
}

const accuracyText = ({ review: sides }) => (sides
  ? t("review.accuracy", { south: percent(sides.South.accuracy, 100, 1), north: percent(sides.North.accuracy, 100, 1) }) : "");

/** Makes an element that is hidden from screen readers. */
const shown = (tag, kind, text) => el(tag, { class: kind, "aria-hidden": "true" }, text);

function plyButton(ply, i) {
  const known = ply.value !== undefined;
  const words = judgement(ply);
  return el("li", {}, el("button", { onclick: () => review.open(ply.position, review.data), title: words },
    el("span", { class: "hidden" }, t("review.move", { count: i + 1, letter: ply.move, words })),
    shown("span", "small", `${i + 1}.`), shown("b", null, ply.move),
    known ? shown("span", `worth ${ply.cost ? "loss" : "win"}${ply.about ? " about" : ""}`, (ply.about ? "≈" : "") + (ply.cost ? signed(-ply.cost) : "✓") + (ply.turns ? " ⇄" : "")) : shown("span", "worth draw", "?")));
}

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

/** Adds the cost of a move. An estimated loss is rounded down, so that less than a seed counts as none. */
const withCost = (ply) => {
  const about = ply.kind === "estimate";
  return ply.loss === undefined ? ply : { ...ply, about, cost: Math.floor(about ? ply.loss : Math.round(ply.loss)) };
};

/** Judges the text under the rules that it names, else under the selected rules; by search if the server offers it. */
async function judge() {
  const ticket = ++review.ticket;
  const isWanted = () => ticket === review.ticket; // false once another review was started
  const text = byId("game-text").value || " ";
  const variant = /\[\s*Variant\s+"(?![?-]?")/.test(text) ? {} : review.variant;
  let trouble = null;
  const onFailure = (answer) => complain(trouble = () => troubleText(answer, true));
  const ask = async (question) => {
    const answer = await api.retry(() => question(variant, text), isWanted, onFailure);
    if (trouble && review.complaint === trouble) complain(trouble = null);
    return answer;
  };
  complain(null);
  showProgress({});
  let answer = review.searches ? await reviewed(ask, isWanted) : null;
  const judged = isWanted() && !answer?.ok ? await ask(api.game) : null;
  if (!isWanted()) return;
  if (judged?.ok || !answer || answer.status === 404) answer = judged || answer; // the static page has no reviews
  showProgress({});
  const { data } = answer;
  review.data = answer.ok && data.plies.length ? { ...data, plies: data.plies.map(withCost) } : null;
  complain(!answer.ok ? () => troubleText(answer) : review.data ? () => data.remarks.join("; ") : () => t("review.empty"));
  drawReview();
  if (review.data) announce(byId("review-summary").textContent);
}

export function drawReview() {
  complain(review.complaint);
  byId("review").hidden = !review.data;
  if (!review.data) return;
  const { plies } = review.data;
  byId("review-summary").textContent = [rulesText(review.data), summary(plies), accuracyText(review.data)].filter(Boolean).join(" ");
  byId("review-chart").replaceChildren(gameChart(plies, findMargins(review.data), (i) => review.open(plies[i].position, review.data)));
  byId("review-legend").textContent = `${t("review.legend")} ${t("review.legend-searched")}`;
  byId("plies").replaceChildren(...plies.map((ply, i) => plyButton(ply, i)));
}

export function setUpReview({ openPosition, played }) {
  review.open = openPosition;
  byId("game-form").addEventListener("submit", (event) => {
    event.preventDefault();
    judge();
  });
  byId("game-mine").addEventListener("click", () => {
    const text = played();
    complain(text ? null : () => t("review.unplayed"));
    if (text) { byId("game-text").value = text; judge(); }
  });
  byId("game-example").addEventListener("click", () => { byId("game-text").value = example; judge(); });
}
