// The panel beside the board: value, moves, line of best play.

import { announce, byId, el, refill, signed, tone } from "./dom.js";
import { endText } from "./opponent.js";
import { aboutText, isAbout, numberText, searchText } from "./analysis.js";
import { finalScore, onBoard, SEEDS, sideOf } from "./game.js";
import { number, seedsText, sideText, t } from "./messages.js";
import { headline } from "./play.js";

export const LINES_MAX = 3;

/** Formats a score: "South 26, North 22: South wins". */
export function scoreText({ south, north, nobody, winner }) {
  const score = t(nobody ? "score.nobody" : "score.both", { south, north, nobody });
  return winner ? t("score.won", { score, side: sideText(winner) }) : t("score.draw", { score });
}

function valueText(north, value) {
  if (value === 0) return t("value.even");
  const won = value > 0 ? north : !north;
  return t("value.more", { winner: sideText(sideOf(won)), loser: sideText(sideOf(!won)), seeds: seedsText(Math.abs(value)) });
}

/** Returns the score and winner with best play: {south, north, nobody, winner}; null where a slam may decide regardless of the score. */
function expectedEnd({ score, nobody, result, value, rules }, state) {
  if (score) return { south: score[0], north: score[1], nobody, winner: result === "draw" ? null : result.toLowerCase() };
  if (["ware", "slam-wins", "slam-ends"].includes(rules)) return null;
  const margin = state.stores[0] - state.stores[1] + Math.round(state.north ? -value : value);
  const south = (SEEDS + margin) / 2;
  return { south, north: SEEDS - south, nobody: 0, winner: margin > 0 ? "south" : margin < 0 ? "north" : null };
}

/** Says who wins and by how much; with "about" if that is an estimate. */
function headlineText({ state, answer, over, hints }, end) {
  if (over) return headline(finalScore(state, over));
  if (end) return end.winner === undefined ? t("panel.over") : headline(end);
  const expected = answer && hints && expectedEnd(answer, state);
  if (!expected) return "";
  if (!isAbout(answer)) return headline(expected);
  const [most, least] = [Math.max(expected.south, expected.north), Math.min(expected.south, expected.north)].map((seeds) => number(Math.round(seeds)));
  return expected.winner ? t("headline.about", { side: sideText(expected.winner), most, least }) : t("headline.about-even");
}

function moveNote(move, end) {
  const notes = [];
  if (move.captured) notes.push(t("move.captures", { count: move.captured }));
  if (move.again) notes.push(t("move.again"));
  if (end) notes.push(t("move.ends"));
  return notes.join(", ");
}

/** Lists all legal moves; with values and the best first if values are known and displayed. */
function drawMoves(view, sign, onMove) {
  const list = view.answer && view.hints
    ? view.answer.moves.map((each) => ({ ...view.moves.find((move) => move.move === each.move), value: each.value, about: isAbout(each) }))
    : view.moves;
  refill(byId("moves"), list.map((move) => {
    const known = move.value !== undefined && view.hints;
    const value = known && signed(Math.round(sign * move.value));
    const name = [t(known ? (move.about ? "move.pit-about" : "move.pit-worth") : "move.pit", { letter: move.move, value }), moveNote(move, move.ends)];
    const shown = (kind, text) => el("span", { class: kind, "aria-hidden": "true" }, text);
    return el("li", { "data-key": move.move }, el("button", { onclick: () => onMove(move.move) },
      el("span", { class: "hidden" }, name.filter(Boolean).join(", ")), shown("letter", move.move),
      shown(`worth ${known ? tone(Math.round(sign * move.value)) : "none"} ${move.about ? "about" : ""}`, known ? (move.about ? "≈" : "") + value : ""),
      shown("small", moveNote(move, move.ends))));
  }), byId("turn-text"));
  byId("moves-box").hidden = list.length === 0;
}

const lineEnds = {
  over: () => t("line.over"),
  slam: () => t("line.slam"),
  cut: () => t("line.cut"),
  repetition: (answer) => answer.repeats_from
    ? t("line.repeats-after", { count: answer.repeats_from }) : t("line.repeats"),
};

/** Lists the best lines: the first as the search or the tables have it, the others with the continuations in view.lines. */
function drawLines(view, sign, onLine) {
  const { answer, state } = view;
  const moves = view.hints && answer ? answer.moves.slice(0, LINES_MAX) : [];
  refill(byId("lines"), moves.map((move, rank) => {
    const letters = rank === 0 ? answer.line : [move.move, ...(view.lines.get(move.move) ?? [])];
    const value = Math.round(sign * move.value);
    return el("li", { "data-key": rank },
      el("span", { class: `worth ${tone(value)} ${isAbout(move) ? "about" : ""}` }, (isAbout(move) ? "≈" : "") + signed(value)),
      el("span", { class: "line", id: rank === 0 ? "line" : null }, ...letters.map((letter, i) => el("button", {
        "data-key": i + letter, class: (letter >= "a") !== state.north ? "opponent" : null,
        "aria-label": t("line.play", { count: i + 1, letter }), onclick: () => onLine(letters.slice(0, i + 1)),
      }, letter))));
  }), byId("turn-text"));
  byId("line-box").hidden = moves.length === 0;
  if (answer) byId("line-end").textContent = lineEnds[answer.end || "cut"](answer);
}

function show(number, kind, text) {
  const value = byId("value");
  value.textContent = number;
  value.className = kind;
  byId("verdict").textContent = text;
}

/** Draws the panel. Returns its text for screen readers. */
export function drawPanel(view, sign, { end, onMove, onLine }) {
  const { state, answer, over } = view;
  byId("turn-text").textContent = end ? t("panel.over") : t("panel.turn", { side: sideText(sideOf(state.north)), seeds: seedsText(onBoard(state)) });
  if (over) show("", "draw", `${endText(state, over)} ${scoreText(finalScore(state, over))}.`);
  else if (!answer) show(view.search ? "…" : "?", "draw", view.reason?.() || "");
  else if (!view.hints) show("…", "draw", t("panel.hidden"));
  else if (isAbout(answer)) show(numberText(answer, sign), `${tone(Math.round(sign * answer.value))} about`, aboutText(answer, state, sign));
  else show(numberText(answer, sign), tone(sign * answer.value), [valueText(state.north, answer.value), answer.nobody ? t("value.result", { result: scoreText(expectedEnd(answer, state)) }) : ""].filter(Boolean).join(" "));
  const viewer = sideText(sideOf(state.north === (sign > 0)));
  byId("value-side").textContent = answer && view.hints && !over ? t("panel.for", { side: viewer }) : "";
  byId("search-text").textContent = view.hints && !over ? searchText(view.search) : "";
  drawMoves(view, sign, onMove);
  drawLines(view, sign, onLine);
  byId("headline").textContent = headlineText(view, end);
  const spoken = answer && view.hints && !end ? `${byId("headline").textContent}. ${t("panel.spoken", { side: viewer, value: numberText(answer, sign) })}` : "";
  return [`${byId("turn-text").textContent}.`, spoken, byId("verdict").textContent].filter(Boolean).join(" ");
}

/** Shows a notice and announces it to screen readers (only `spoken`, if the rest was announced before); "" removes the notice. */
export function notice(text, spoken = text) {
  const box = byId("notice");
  box.textContent = text || "";
  box.hidden = !text;
  if (text) announce(spoken);
}
