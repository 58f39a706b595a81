// What is said beside the board: value, moves, line of best play.

import { byId, el, seedsText, signed, tone } from "./dom.js";
import { finalScore, onBoard, sideName } from "./game.js";

const other = { South: "North", North: "South" };

/** "South 26, North 22" and who wins. */
export function scoreText({ south, north, nobody, winner }) {
  const lost = nobody ? `, ${nobody} for nobody` : "";
  return `South ${south}, North ${north}${lost}: ${winner ? `${winner} wins` : "a draw"}`;
}

function valueText(mover, value) {
  if (value === 0) return "From here on both get the same.";
  return `From here on ${value > 0 ? mover : other[mover]} gets ${seedsText(Math.abs(value))} more than ${value > 0 ? other[mover] : mover}.`;
}

function resultText(answer) {
  const [south, north] = answer.score;
  const won = answer.result === "draw" ? "a draw" : `${answer.result} wins`;
  const lost = answer.nobody ? `, nobody ${answer.nobody}` : "";
  return ` With best play: South ${south}, North ${north}${lost}, ${won}.`;
}

function moveNote(move, end) {
  const notes = [];
  if (move.captured) notes.push(`captures ${move.captured}`);
  if (move.again) notes.push("moves again");
  if (end) notes.push("a grand slam ends the game");
  return notes.join(", ");
}

/** All legal moves; with values, best first, where the database has them. */
function drawMoves(view, sign, onMove) {
  const list = view.answer
    ? view.answer.moves.map((each) => ({ ...view.moves.find((move) => move.move === each.move), value: each.value }))
    : view.moves;
  byId("moves-box").hidden = list.length === 0;
  byId("moves").replaceChildren(...list.map((move) => {
    const known = move.value !== undefined && view.hints;
    return el("li", {}, el("button", { onclick: () => onMove(move.move) },
      el("span", { class: "letter" }, move.move),
      el("span", { class: `worth ${known ? tone(sign * move.value) : ""}` }, known ? signed(sign * move.value) : ""),
      el("span", { class: "small" }, moveNote(move, move.ends))));
  }));
}

const lineEnds = {
  over: () => "then the game is over",
  slam: () => "the last move is a grand slam that ends the game",
  cut: () => "and so on",
  repetition: (answer) => answer.repeats_from
    ? `repeats the position after move ${answer.repeats_from}` : "comes back to this position",
};

function drawLine(view, onLine) {
  const { answer, state } = view;
  const letters = view.hints && answer ? answer.line : [];
  byId("line-box").hidden = letters.length === 0;
  byId("line").replaceChildren(...letters.map((letter, i) => {
    const opponent = (letter >= "a") !== state.north;
    return el("button", { class: opponent ? "opponent" : null, "aria-label": `play the line up to move ${i + 1}, ${letter}`, onclick: () => onLine(letters.slice(0, i + 1)) }, letter);
  }));
  if (answer) byId("line-end").textContent = lineEnds[answer.end](answer);
}

function show(number, kind, text) {
  const value = byId("value");
  value.textContent = number;
  value.className = kind;
  byId("verdict").textContent = text;
}

/** The one sentence for the value panel, which screen readers get, too. */
export function drawPanel(view, sign, { onMove, onLine }) {
  const { state, answer, over } = view;
  const mover = sideName(state.north);
  byId("turn-text").textContent = over ? "The game is over" : `${mover} to move, ${seedsText(onBoard(state))} on the board`;
  if (over) show("", "draw", scoreText(finalScore(state, over)));
  else if (!answer) show("?", "draw", view.reason || "");
  else if (!view.hints) show("…", "draw", "Values are hidden.");
  else show(signed(sign * answer.value), tone(sign * answer.value), valueText(mover, answer.value) + (answer.score ? resultText(answer) : ""));
  const viewer = sideName(state.north === (sign > 0));
  byId("value-side").textContent = answer && view.hints && !over ? `for ${viewer}` : "";
  drawMoves(view, sign, onMove);
  drawLine(view, onLine);
  return byId("turn-text").textContent + ". " + (answer && view.hints ? `Value for ${viewer}: ${signed(sign * answer.value)}. ` : "") + byId("verdict").textContent;
}

export function notice(text) {
  const box = byId("notice");
  box.textContent = text || "";
  box.hidden = !text;
}
