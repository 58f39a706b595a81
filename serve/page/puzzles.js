// Puzzles: positions in which exactly one move reaches a goal. /api/puzzle makes them; what the reader has solved is stored.

import * as api from "./api.js";
import { el, pause } from "./dom.js";
import { fromDiagram } from "./game.js";
import { seedsText, t, troubleText } from "./messages.js";
import * as storage from "./storage.js";

const RANGES = [[1, 1], [2, 4], [5, 8], [9, 13]]; // difficulties of the four levels
const LEVELS = ["puzzle.easy", "puzzle.medium", "puzzle.hard", "puzzle.expert"];
const DAILY = [2, 8]; // difficulties of the daily puzzle
const UP = 3, DOWN = -2; // solved minus failed puzzles at which the level goes up or down
const ATTEMPTS = 12; // requests for a puzzle that was not solved before
const SOLVED_MAX = 3000;

let now = null; // the puzzle on the table: {puzzle, daily, tried, solved}

/** Returns the date in UTC, which is the same for everybody, as 2026-11-28. */
const dateOf = (time) => new Date(time).toISOString().slice(0, 10);
const today = () => dateOf(Date.now());
const yesterday = () => dateOf(Date.now() - 86400000);
const levelText = ({ difficulty }) => t(LEVELS[RANGES.findIndex(([, most]) => difficulty <= most)]);
const nameOf = ({ position, rules, cycle }) => `${rules} ${cycle} ${position}`;

/** Describes the state of the daily puzzle, for the list of what there is to learn. */
export function dailyState() {
  const { daily, days } = storage.readLearn();
  const count = daily === today() || daily === yesterday() ? days : 0;
  return [daily === today() ? t("learn.done") : "", count ? t("puzzle.days", { count }) : ""].filter(Boolean).join(" · ");
}

/** Describes the reader's success. */
export function progress() {
  const { solved, streak, best } = storage.readLearn();
  return solved.length ? [t("puzzle.solved", { count: solved.length }), t("puzzle.streak", { count: streak }), t("puzzle.best", { count: best })].join(" · ") : "";
}

function leadText(lead) {
  if (lead === 0) return t("puzzle.level-end");
  return t(lead > 0 ? "puzzle.ahead" : "puzzle.behind", { seeds: seedsText(Math.abs(lead)) });
}

const numberOf = (daily) => (daily ? Number(today().replaceAll("-", "")) : 1 + Math.floor(Math.random() * 2147483646));

/** Requests a puzzle that the reader has not solved, or the puzzle of the day. If there is none in the range of difficulties, takes one of any difficulty. */
async function find(table, daily, isWanted) {
  const kept = storage.readLearn();
  let answer;
  for (let i = 0; i < (daily ? 2 : ATTEMPTS); i++) {
    const [easiest, hardest] = daily ? DAILY : RANGES[kept.level];
    const limits = i < (daily ? 1 : ATTEMPTS - 4) && answer?.status !== 404 ? { easiest, hardest } : {};
    answer = await api.retry(() => api.puzzle(table.variant, { seed: numberOf(daily), ...limits }), isWanted, (trouble) => table.say(troubleText(trouble, true)));
    if (!isWanted() || (!answer.ok && answer.status !== 404) || (answer.status === 404 && !limits.easiest)) return answer;
    if (answer.ok && (daily || !kept.solved.includes(nameOf(answer.data)))) return answer;
  }
  return { ok: false, status: 404, data: {}, all: answer.ok };
}

/** Opens the puzzle of the day, or another one. */
export async function openPuzzle(table, daily) {
  const isWanted = table.begin();
  table.explain({ step: t("puzzle.loading"), goal: "", text: "" });
  table.reveal(null);
  table.say("");
  const answer = await find(table, daily, isWanted);
  if (!isWanted()) return;
  if (!answer.ok) {
    table.explain({ step: "", goal: "", text: answer.status !== 404 ? troubleText(answer) : t(answer.all ? "puzzle.all-solved" : "puzzle.none") });
    table.offer([["again", t("learn.again"), () => openPuzzle(table, daily)]]);
    table.ready(true);
    return;
  }
  now = { puzzle: answer.data, daily, tried: false, solved: false };
  await ask(table);
}

/** Shows the puzzle, to be solved. */
async function ask(table) {
  const { puzzle, daily } = now;
  const goals = { win: "puzzle.win", draw: "puzzle.draw", all: "puzzle.all" };
  table.explain({ step: `${daily ? `${today()} · ` : ""}${levelText(puzzle)} · ${t("puzzle.difficulty", { number: puzzle.difficulty })}`, goal: t(goals[puzzle.goal]), text: t("puzzle.task") });
  table.say("");
  table.onMove = (move) => (move.move === puzzle.move ? right(table) : wrong(table, move.move));
  table.onRefusal = (letter, why, text) => text && table.say(text);
  offer(table);
  await table.show(fromDiagram(puzzle.position));
}

function offer(table) {
  const { daily, solved, tried } = now;
  const again = ["again", t("learn.again"), () => { table.reveal(null); ask(table); }];
  const why = ["show", t("puzzle.why"), () => showWhy(table)];
  const next = ["next", t("puzzle.next"), () => (daily ? (window.location.hash = "#/learn/puzzles") : openPuzzle(table, false))];
  const goOn = ["go-on", t("puzzle.go-on"), () => playLine(table, 1)];
  table.offer(solved ? [next, ...(now.puzzle.line.length > 1 ? [goOn] : []), why, again] : tried ? [again, why, next] : [why]);
}

/** Records the first attempt at the puzzle: it changes the streak and the level. */
function count(success) {
  if (now.tried || now.solved) return;
  const kept = storage.readLearn();
  const streak = success ? kept.streak + 1 : 0;
  const sum = kept.sum + (success ? 1 : -1);
  const step = sum >= UP ? 1 : sum <= DOWN ? -1 : 0;
  storage.writeLearn({ ...kept, streak, best: Math.max(kept.best, streak), sum: step ? 0 : sum, level: Math.max(0, Math.min(kept.level + step, RANGES.length - 1)) });
}

async function right(table) {
  const { puzzle, daily } = now;
  count(true);
  const kept = storage.readLearn(), name = nameOf(puzzle);
  if (!now.shown && !kept.solved.includes(name)) kept.solved = [...kept.solved, name].slice(-SOLVED_MAX);
  if (daily && !now.shown && kept.daily !== today()) Object.assign(kept, { days: kept.daily === yesterday() ? kept.days + 1 : 1, daily: today() });
  storage.writeLearn(kept);
  now.solved = true;
  if (!await table.play(puzzle.move)) return;
  table.say([t("puzzle.right", { letter: puzzle.move }), leadText(puzzle.lead), daily ? dailyState() : progress()].filter(Boolean).join(" "), "right");
  offer(table);
}

async function wrong(table, letter) {
  count(false);
  now.tried = true;
  await refute(table, now.puzzle.others.find((each) => each.move === letter));
}

/** Plays a move that does not reach the goal, and the best reply to it, from the position of the puzzle. */
async function refute(table, { move, lead, reply }) {
  if (!await table.play(move)) return;
  if (reply) {
    await pause(300);
    if (!await table.play(reply)) return;
  }
  table.say([t(reply ? "puzzle.wrong-reply" : "puzzle.wrong", { letter: move, reply }), leadText(lead)].join(" "), "wrong");
  offer(table);
}

/** Shows the position after `length` moves of the solution. */
async function walk(table, length) {
  table.say("");
  if (!await table.show(fromDiagram(now.puzzle.position), { locked: true })) return;
  for (let i = 0; i < length; i++)
    if (!await table.play(now.puzzle.line[i], { calm: i < length - 1 })) return;
}

/** Plays the solution, the first `shown` moves of it at once. */
async function playLine(table, shown = 0) {
  table.say("");
  if (!await table.show(fromDiagram(now.puzzle.position), { locked: true })) return;
  for (const [i, letter] of now.puzzle.line.entries()) {
    if (!await table.play(letter, { calm: i < shown })) return;
    const { ticket } = table;
    await pause(i < shown ? 0 : 400);
    if (ticket !== table.ticket) return;
  }
  table.say(leadText(now.puzzle.lead), "right");
}

/** Explains the puzzle: the solution, and why every other move fails. Each of these lines can be played on the board. */
function showWhy(table) {
  count(false);
  if (!now.solved) Object.assign(now, { tried: true, shown: true });
  const { line, others } = now.puzzle;
  const failing = async (other) => {
    table.say("");
    if (await table.show(fromDiagram(now.puzzle.position), { locked: true })) refute(table, other);
  };
  table.reveal([
    el("h2", {}, t("puzzle.solution")),
    el("p", { class: "line" }, ...line.map((letter, i) => el("button", { class: letter >= "a" ? "opponent" : null, "aria-label": t("line.play", { count: i + 1, letter }), onclick: () => walk(table, i + 1) }, letter))),
    el("div", { class: "row" }, el("button", { id: "learn-line", onclick: () => playLine(table) }, t("puzzle.play-line"))),
    el("p", { class: "small" }, t("puzzle.one-move", { letter: now.puzzle.move })),
    el("h2", {}, t("puzzle.others")),
    el("ol", { class: "moves" }, ...others.map((other) => el("li", {}, el("button", { onclick: () => failing(other) }, el("span", { class: "letter" }, other.move), el("span", { class: "worth" }, other.reply || ""), el("span", {}, leadText(other.lead)))))),
  ]);
  offer(table);
}
