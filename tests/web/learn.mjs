// Tests of the Learn section: the lesson, the puzzles and the puzzle of the day. browsers.mjs runs them; views.mjs explains
// `themes` and `everywhere`. The solution of a puzzle is worked out here from the values that the tables give each move,
// and not taken from the maker of the puzzle; tests/support/check_puzzles.py checks makers without any code of theirs.

import { readFileSync } from "node:fs";
import path from "node:path";

const STORED = "wari learn /games/wari/";
const LESSON = "CADFEEF"; // by hand: the moves that solve the steps of the lesson

function same(seen, expected, what) {
  if (JSON.stringify(seen) !== JSON.stringify(expected))
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, saw ${JSON.stringify(seen)}`);
}

const settled = (page) => page.until(() => document.getElementById("view-learn").dataset.ready === "true" && !document.getElementById("view-learn").hidden);
const stored = (page) => page.see((key) => JSON.parse(localStorage.getItem(key) || "{}"), STORED);

async function open(page, rest, options = {}) {
  await page.open(`?rules=${options.rules || "awari"}#/learn${rest}`, options);
  await settled(page);
}

/** Presses something and waits until the view is complete again. */
async function press(page, selector) {
  await page.see((css) => document.querySelector(css).click(), selector);
  await settled(page);
}

const sow = (page, letter) => press(page, `#learn-pit-${letter}`);
const position = (page) => page.see(() => document.getElementById("learn-board").dataset.position);
const buttons = (page) => page.see(() => [...document.querySelectorAll("#learn-buttons button")].map((each) => each.id));

async function theLessonIsPlayedToItsEnd(page) {
  await open(page, "");
  same(await page.see(() => [...document.querySelectorAll("#learn-home a")].map((each) => each.hash)), ["#/learn/lesson", "#/learn/daily", "#/learn/puzzles"], "what there is to learn");
  await page.press("#learn-to-lesson");
  await settled(page);
  same(await page.text("learn-title"), "Your first lesson", "the title");
  for (const [i, letter] of [...LESSON].entries()) {
    await page.says("learn-step", `Step ${i + 1} of 7`);
    await sow(page, letter);
    await page.says("learn-said", "✓");
    await page.until(() => document.querySelector("#learn-next, #learn-puzzles-next"));
    if (i < LESSON.length - 1) await press(page, "#learn-next");
  }
  await page.says("learn-said", "South 25, North 23: South wins");
  same((await stored(page)).lesson, 7, "the steps done");
  await press(page, "#learn-puzzles-next");
  await page.says("learn-title", "Puzzles");
  await page.see(() => { location.hash = "#/learn"; });
  await page.says("learn-to-lesson", "Done");
}

async function aWrongMoveOfTheLessonIsExplained(page) {
  await open(page, "/lesson/1");
  await sow(page, "a");
  await page.says("learn-said", "this pit belongs to North");
  await sow(page, "D");
  await page.says("learn-said", "D is legal, too");
  same(await position(page), "4-4-4-0-5-5-5-5-4-4-4-4-0-0-N", "the position");
  await press(page, "#learn-again");
  same(await position(page), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "the position again");
  await open(page, "/lesson/4");
  await sow(page, "E"); // captures 2; F captures 7
  await page.says("learn-said", "isn’t the biggest capture");
  await open(page, "/lesson/5");
  await sow(page, "D");
  await page.says("learn-said", "You must feed");
  same((await stored(page)).lesson || 0, 0, "the steps done");
}

/** The server has tables of two rule sets: grand slams are illegal in awari, and capture nothing in the rules of tournaments. */
async function theLessonShowsTheGrandSlamOfTheChosenRules(page) {
  await open(page, "/lesson/6");
  await sow(page, "E");
  await page.says("learn-said", "which these rules forbid");
  same(await position(page), "1-0-2-0-2-0-1-0-0-0-0-0-21-21-S", "the position");
  await open(page, "/lesson/6", { rules: "oware" });
  await sow(page, "E");
  await page.says("learn-said", "captures nothing");
  same(await position(page), "1-0-2-0-0-1-2-0-0-0-0-0-21-21-N", "the position");
}

async function theLessonGoesOnWhereItWasLeft(page) {
  await open(page, "/lesson");
  await sow(page, "C");
  await page.says("learn-said", "✓");
  await page.tab.reload();
  await settled(page);
  await page.says("learn-step", "Step 2 of 7");
  await open(page, "/lesson", { kept: { "wari learn /games/wari/": "{\"lesson\": 99, \"solved\": [7], \"level\": \"x\"}" } });
  await page.says("learn-step", "Step 1 of 7");
}

/** Returns the moves of the puzzle on the board, [those that reach the goal, the others], from the values of the tables. */
async function judged(page, rules) {
  const goal = await page.text("learn-goal"), p = await position(page);
  const answer = await page.see(async (url) => (await fetch(url)).json(), `api/position?rules=${rules}&p=${p}`);
  const [south, north] = p.split("-").slice(12, 14).map(Number);
  const seeds = 48 - south - north;
  const reaches = { "Find the win": (value) => south - north + value > 0, "Find the draw": (value) => south - north + value === 0, "Take all the seeds": (value) => value === seeds }[goal];
  return [true, false].map((yes) => answer.moves.filter(({ value }) => reaches(value) === yes).map(({ move }) => move));
}

async function aPuzzleHasOneSolutionAndSaysWhenItIsFound(page) {
  await open(page, "/puzzles");
  for (let i = 1; i <= 4; i++) {
    const [right, wrong] = await judged(page, "awari");
    same([right.length, wrong.length > 0], [1, true], "moves that reach the goal, and others");
    await sow(page, right[0]);
    await page.says("learn-said", `✓ ${right[0]} is right!`);
    await page.says("learn-said", `streak ${i}`);
    same((await stored(page)).solved.length, i, "the solved puzzles");
    await press(page, "#learn-next");
  }
  same((await stored(page)).level, 1, "the level after three solved puzzles");
  await page.says("learn-step", "Medium");
}

async function aWrongMoveOfAPuzzleIsAnsweredAndCanBeTakenBack(page) {
  await open(page, "/puzzles", { kept: { [STORED]: "{\"streak\": 5, \"best\": 5, \"sum\": -1, \"level\": 1}" } });
  const before = await position(page);
  const [[right], [wrong]] = await judged(page, "awari");
  await sow(page, wrong);
  await page.says("learn-said", `✗ ${wrong} doesn’t do it`);
  same(await buttons(page), ["learn-again", "learn-show", "learn-next"], "the buttons");
  await press(page, "#learn-again");
  same(await position(page), before, "the position");
  await sow(page, right);
  await page.says("learn-said", "is right!");
  const { streak, best, level, solved } = await stored(page);
  same([streak, best, level, solved.length], [0, 5, 0, 1], "streak, best streak, level, solved puzzles");
}

async function aPuzzleShowsWhyAndPlaysItsSolution(page) {
  await open(page, "/puzzles");
  const before = await position(page);
  const [[right], wrong] = await judged(page, "awari");
  await press(page, "#learn-show");
  same(await page.see(() => [...document.querySelectorAll("#learn-why .moves .letter")].map((each) => each.textContent).sort()), [...wrong].sort(), "the other moves");
  same(await page.see(() => document.querySelector("#learn-why .line button").textContent), right, "the first move of the solution");
  await press(page, "#learn-why .moves button");
  await page.says("learn-said", "doesn’t do it");
  await press(page, "#learn-why .line button");
  same((await position(page)) !== before && (await position(page)).endsWith("N"), true, "the position after the first move");
  await page.see(() => document.getElementById("learn-line").click());
  await page.says("learn-said", "✓ With best play");
  await press(page, "#learn-again");
  await sow(page, right);
  await page.says("learn-said", "is right!");
  same((await stored(page)).solved?.length || 0, 0, "puzzles counted as solved after the solution was shown");
}

/** All random numbers are equal, so that the server would give the same puzzle again and again. */
async function aSolvedPuzzleIsNotGivenAgain(page) {
  await open(page, "/puzzles");
  await page.see(() => {
    const numbers = [0.25, 0.25, 0.25, 0.5, 0.75, 0.1, 0.9];
    Math.random = () => numbers.shift() ?? 0.3;
  });
  await press(page, "#learn-next, #learn-show"); // reveals, so that there is a button for the next puzzle
  await press(page, "#learn-next");
  const first = await position(page);
  const [[right]] = await judged(page, "awari");
  await sow(page, right);
  await page.says("learn-said", "is right!");
  await press(page, "#learn-next");
  same((await position(page)) === first, false, "the same puzzle again");
}

async function thePuzzleOfTheDayIsTheSameForEverybody(page) {
  await open(page, "/daily");
  const first = await position(page);
  const [[right]] = await judged(page, "awari");
  const expected = await page.see(async () => {
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
    return (await (await fetch(`api/puzzle?rules=awari&seed=${day}&easiest=2&hardest=8`)).json()).position;
  });
  same(first, expected, "the position");
  await open(page, "/daily");
  same(await position(page), first, "the position for another reader");
  await sow(page, right);
  await page.says("learn-said", "1 day in a row");
  await page.see(() => { location.hash = "#/learn"; });
  await page.says("learn-to-daily", "Done ✓ · 1 day in a row");
}

async function damagedProgressDoesNoHarm(page) {
  for (const each of ["", "{", "null", "7", "[]", "{\"solved\": {}, \"lesson\": -1, \"level\": 9, \"daily\": 5, \"days\": null}"]) {
    await open(page, "/puzzles", { kept: { [STORED]: each } });
    await page.until(() => document.querySelectorAll("#learn-board .pit.playable").length > 0);
  }
}

async function rulesWithoutPuzzlesSaySo(page) {
  await open(page, "/puzzles");
  await page.see(() => {
    const { fetch } = window;
    window.fetch = (url, options) => (String(url).startsWith("api/puzzle")
      ? Promise.resolve(new Response("{\"error\": \"none\", \"status\": 404}", { status: 404 })) : fetch(url, options));
  });
  await press(page, "#learn-show");
  await press(page, "#learn-next");
  await page.says("learn-text", "no puzzles for these rules");
}

const SIZES = [[320, 640], [390, 844], [640, 360], [1280, 900]];

async function learningIsAccessibleAndFitsEveryScreen(page) {
  const source = readFileSync(path.join(page.modules, "node_modules/axe-core/axe.min.js"), "utf8");
  const languages = [["en", "Analyse"], ["fr", "Analyser"], ["es", "Analizar"], ["nl", "Analyseren"], ["it", "Analizza"]];
  for (const [rest, prepare] of [["", null], ["/lesson/2", "#learn-pit-A"], ["/puzzles", "#learn-show"]]) {
    await open(page, rest);
    if (prepare) await press(page, prepare);
    for (const [language, word] of page.dark ? languages.slice(0, 1) : languages) { // sizes do not depend on the theme
      await page.speak(language, word);
      for (const [width, height] of SIZES) {
        await page.tab.setViewport({ width, height });
        const seen = await page.see(() => [document.documentElement.scrollWidth, [...document.querySelectorAll("#view-learn button, #view-learn a")]
          .filter((each) => each.checkVisibility()).map((each) => [each.textContent, each.getBoundingClientRect()])
          .filter(([, box]) => box.width < 44 || box.height < 43.9).map(([text]) => text)]);
        same(seen, [width, []], `width, and small targets, of ${rest} in ${language} at ${width} x ${height}`);
        if (language === "en") await page.picture(`learn${rest.replaceAll("/", "-")}-${width}${page.dark ? "-dark" : ""}`);
      }
      if (language !== "en") continue;
      await page.see(source);
      same(await page.see(async () => {
        const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
        return violations.map((each) => `${each.impact} ${each.id}: ${each.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
      }), [], `what axe found in ${rest}`);
    }
  }
}
learningIsAccessibleAndFitsEveryScreen.themes = true;

theLessonIsPlayedToItsEnd.everywhere = true;

export const tests = [theLessonIsPlayedToItsEnd, aWrongMoveOfTheLessonIsExplained, theLessonShowsTheGrandSlamOfTheChosenRules,
  theLessonGoesOnWhereItWasLeft, aPuzzleHasOneSolutionAndSaysWhenItIsFound, aWrongMoveOfAPuzzleIsAnsweredAndCanBeTakenBack,
  aPuzzleShowsWhyAndPlaysItsSolution, aSolvedPuzzleIsNotGivenAgain, thePuzzleOfTheDayIsTheSameForEverybody,
  damagedProgressDoesNoHarm, rulesWithoutPuzzlesSaySo, learningIsAccessibleAndFitsEveryScreen];
