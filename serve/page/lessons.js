// The lesson: a few positions, each with a task. The server says what a move does; this file only compares it with the task.

import { finalScore, fromDiagram } from "./game.js";
import { t } from "./messages.js";
import { endText } from "./opponent.js";
import { scoreText } from "./panels.js";
import { slamText } from "./rules.js";
import * as storage from "./storage.js";

/** `fits` returns true if a move does what the task asks for. */
const steps = [
  { key: "sow", p: "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", fits: ({ move }) => move === "C" },
  { key: "round", p: "12-1-1-1-1-1-3-3-3-3-3-3-7-6-S", fits: ({ move }) => move === "A" },
  { key: "capture", p: "2-1-2-3-1-2-1-4-3-4-3-4-9-9-S", fits: ({ captured }) => captured > 0 },
  { key: "chain", p: "1-2-0-2-2-3-1-2-1-3-4-2-13-12-S", fits: ({ captured }, moves) => captured === Math.max(...moves.map((each) => each.captured)) },
  { key: "feed", p: "0-3-1-2-3-0-0-0-0-0-0-0-20-19-S", fits: () => true },
  { key: "slam", p: "1-0-2-0-2-0-1-0-0-0-0-0-21-21-S", fits: ({ move }) => move === "E" },
  { key: "end", p: "0-0-0-0-0-1-0-0-1-0-0-0-25-21-S", fits: () => true },
];

export const STEPS = steps.length;

function ask(table, number) {
  const { key, p } = steps[number];
  table.explain({ step: t("learn.step", { number: number + 1, count: STEPS }), goal: t(`lesson.${key}`), text: t(`lesson.${key}-task`), part: `lesson/${number + 1}` });
  table.say("");
  table.offer([]);
  table.onMove = (move) => answer(table, number, move);
  table.onRefusal = (letter, why, text) => {
    if (key === "slam" && why === "slam") finish(table, number, `${text} ${slamText(table.rules)}`);
    else if (text) table.say(text, "wrong");
  };
  return table.show(fromDiagram(p));
}

async function answer(table, number, move) {
  const { key, fits } = steps[number];
  const right = fits(move, table.moves);
  if (!await table.play(move.move)) return;
  if (!right) {
    table.say(t(`lesson.${key}-not`, { letter: move.move }), "wrong");
    table.offer([["again", t("learn.again"), () => ask(table, number)]]);
    return;
  }
  const parts = { slam: () => slamText(table.rules), end: () => table.end && `${endText(table.state, table.end)} ${scoreText(finalScore(table.state, table.end))}.` };
  finish(table, number, [parts[key]?.(), t(`lesson.${key}-done`, { count: move.captured })].filter(Boolean).join(" "));
}

function finish(table, number, text) {
  const kept = storage.readLearn();
  storage.writeLearn({ ...kept, lesson: Math.max(kept.lesson, number + 1) });
  table.say(text, "right");
  const last = number === STEPS - 1;
  table.offer([last ? ["puzzles-next", t("learn.to-puzzles"), () => { window.location.hash = "#/learn/puzzles"; }] : ["next", t("learn.next"), () => ask(table, number + 1)],
    ["again", t("learn.once-more"), () => ask(table, last ? 0 : number)]]);
}

/** Opens the lesson at a step, counted from 1; 0 means the step at which the reader stopped. */
export function openLesson(table, step) {
  const { lesson } = storage.readLearn();
  const next = step ? step - 1 : lesson < STEPS ? lesson : 0;
  return ask(table, Math.min(next, STEPS - 1));
}
