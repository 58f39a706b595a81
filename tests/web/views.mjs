// Tests that the page works in every browser: for everyone, on every screen, in five languages, and with damaged
// input. browsers.mjs runs these tests. Tests with `themes` run in
// the dark theme, too. Tests with `everywhere` run in Firefox, too: what they see depends on the browser's
// layout, keyboard, focus or number formats, and not only on the page's own code. Firefox tests fewer screens.

import { readFileSync } from "node:fs";
import path from "node:path";

// All values are published, or computed by hand (data/README.md).
const ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"; // worth 0; A..F: -1 -8 -2 -2 -2 0
const START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
const SHORT = "0-0-0-0-0-1-0-0-1-0-0-0-22-24-S"; // after F, North has both seeds and cannot feed
// A word of each language, and its format of the number of positions with 0 to 12 seeds that can arise: the sum of
// C(n + 11, 11) - C(n + 5, 11), which is C(24, 12) - C(18, 12).
const LANGUAGES = {
  en: ["Analyse", "2,685,592"], fr: ["Analyser", "2\u202f685\u202f592"], es: ["Analizar", "2.685.592"],
  nl: ["Analyseren", "2.685.592"], it: ["Analizza", "2.685.592"],
};

function same(seen, expected, what) {
  if (JSON.stringify(seen) !== JSON.stringify(expected))
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, saw ${JSON.stringify(seen)}`);
}

/** Opens each view, waits until it is drawn, and calls `look`. */
async function inEveryView(page, look) {
  await look("board");
  await page.see(() => document.getElementById("ogn-example").click());
  await page.until(() => document.querySelector("#review-moments button"));
  await page.settle();
  await look("review");
  await page.press("#section-learn");
  await look("learn");
  await page.press("#section-play");
  await look("play");
  await page.press("#section-statistics");
  await page.until(() => document.querySelectorAll("#shares-chart g.ply").length === 13);
  await look("statistics");
}

// ---- Accessibility ----

async function axeFindsNothingSerious(page) {
  const source = readFileSync(path.join(page.modules, "node_modules/axe-core/axe.min.js"), "utf8");
  for (const size of [{}, { width: 360, height: 640 }]) {
    await page.open(`?rules=awari&p=${ONES}`, size);
    await page.press("#pit-F");
    await page.press("#edit");
    await page.see(source);
    await inEveryView(page, async (view) => {
      const found = await page.see(async () => {
        document.querySelectorAll("details").forEach((each) => { each.open = true; });
        const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
        return violations.map((each) => `${each.impact} ${each.id}: ${each.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
      });
      same(found, [], `what axe found in ${view} at ${JSON.stringify(size)}`);
    });
  }
}
axeFindsNothingSerious.themes = true;

/** Returns all texts of the live region since the page was opened. */
function listen(page) {
  return page.see(() => {
    window.heard = [];
    new MutationObserver(() => window.heard.push(document.getElementById("live").textContent))
      .observe(document.getElementById("live"), { childList: true, characterData: true, subtree: true });
  });
}

const heard = (page) => page.see(() => window.heard.join(" | "));
const focus = (page) => page.see(() => document.activeElement.id || document.activeElement.closest("[id]")?.id || document.activeElement.tagName);

async function aGameIsPlayedByKeysAndHeard(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await listen(page);
  await page.see(() => document.getElementById("pit-F").focus());
  await page.key("Enter"); // captures 2, as North's reply f does
  await page.says("live", "North to move");
  await page.key("f");
  await page.says("live", "South to move");
  for (const words of ["South plays F and captures 2.", "North plays f and captures 2.", "Value for North: +2"])
    if (!(await heard(page)).includes(words)) throw new Error(`expected to hear "${words}" in ${await heard(page)}`);
  same(await focus(page), "pit-F", "the focus");
  for (let ply = 2; ply < 200; ply++) { // plays best moves until the game ends or repeats
    const more = await page.see(() => !document.getElementById("best").matches("[aria-disabled=true]"));
    if (!more || (await page.text("notice")).includes("three times")) break;
    await page.key("m");
    if ((await focus(page)) === "BODY") throw new Error(`the focus is lost after ply ${ply}`);
  }
  await page.open(`?rules=awari&p=${SHORT}`);
  await page.key("6");
  await page.says("turn-text", "The game is over");
  await page.says("live", "South plays F.");
  await page.says("live", "The game is over. South has no seeds and North can’t feed, so North takes the remaining 2. South 22, North 26: North wins.");
}

async function theFocusIsNeverLost(page) {
  const isOn = async (id, after) => {
    const seen = await focus(page);
    if (seen !== id) throw new Error(`after ${after} the focus is on ${seen}, not on ${id}`);
  };
  await page.open(`?rules=awari&p=${ONES}`);
  const focusOn = (selector) => page.see((css) => document.querySelector(css).focus(), selector);
  const moves = (count) => page.until((most) => document.querySelectorAll("#history button").length === most, count);
  await focusOn("#moves button");
  await page.key("Enter");
  await moves(1);
  await isOn("moves", "a move of the list");
  await focusOn("#undo");
  await page.key("Enter");
  await page.until((p) => location.search.includes(p), ONES);
  await isOn("undo", "the last move was undone");
  await focusOn("#line button:nth-child(3)");
  await page.key("Enter");
  await moves(3);
  await page.settle();
  await isOn("line", "the line was played");
  await focusOn("#history button");
  await page.key("Enter");
  await page.until(() => document.querySelector("#history button[aria-current]")?.textContent === "F");
  await isOn("history", "a step through the game");
  await focusOn("#delete");
  await page.key("Enter"); // asks
  await page.until(() => !document.querySelector("#history button"));
  await isOn("delete", "a dialog");
  await focusOn("#language");
  await page.tab.select("#language", "fr");
  await page.says("section-analyse", "Analyser");
  await isOn("language", "another language");
  await page.see(() => document.getElementById("ogn-example").click());
  await page.until(() => document.querySelector("#review-moments button"));
  await focusOn("#review-moments button");
  await page.key("Enter");
  await page.until(() => document.querySelector("#review-moments [aria-current]"));
  await isOn("review-moments", "a move of the review");
}

// ---- Screens ----

// The narrowest screen of each layout of style.css: a small and a larger phone, each in both orientations; a tablet; and a
// large window. Firefox tests only the small phone, in both orientations, and the tablet.
const SIZES = [[320, 568], [360, 640], [568, 320], [640, 360], [768, 1024], [1180, 900]];
const NARROW = [[320, 568], [568, 320], [768, 1024]];

async function nothingOverflowsInAnyLanguage(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.press("#edit");
  await inEveryView(page, async (view) => {
    for (const [language, [word]] of Object.entries(LANGUAGES)) {
      await page.speak(language, word);
      for (const [width, height] of page.name === "firefox" ? NARROW : SIZES) {
        await page.tab.setViewport({ width, height });
        const wide = await page.see(() => document.documentElement.scrollWidth);
        if (wide > width) throw new Error(`${view} in ${language} is ${wide} wide at ${width} x ${height}`);
      }
    }
    await page.tab.setViewport({ width: 1180, height: 900 });
  });
}

async function whatAPlayerLooksAtIsOnTheFirstScreen(page) {
  for (const p of [ONES, START]) {
    await page.open(`?rules=awari&p=${p}`, { width: 360, height: 640 });
    for (const [language, [word]] of Object.entries(LANGUAGES)) {
      await page.speak(language, word);
      if (p === START) await page.until(() => document.getElementById("search-text").textContent); // an estimate, by search
      for (const [width, height] of [[360, 640], [640, 360]]) {
        await page.resize(width, height);
        const bottoms = await page.see(() => ["board", "turn-text", "value", "moves"].map((id) => [id, document.getElementById(id).getBoundingClientRect().bottom]));
        const below = bottoms.filter(([, bottom]) => bottom > height);
        same(below, [], `below the first screen of ${width} x ${height} in ${language}`);
      }
    }
  }
}

async function everyTargetHasRoomForAFinger(page) {
  for (const [width, height] of page.name === "firefox" ? [[320, 568]] : [[320, 568], [360, 640], [640, 360], [1180, 900]]) {
    await page.open(`?rules=awari&p=${ONES}`, { width, height });
    await page.press("#pit-F");
    await page.press("#edit");
    await inEveryView(page, async (view) => {
      const small = await page.see(() => {
        document.querySelectorAll("details").forEach((each) => { each.open = true; });
        const targets = [...document.querySelectorAll("button, select, input, textarea, summary, a")];
        return targets.filter((each) => each.checkVisibility()).map((each) => {
          const box = (each.matches("[type=radio], [type=checkbox]") ? each.closest("label") : each).getBoundingClientRect();
          return [each.id || each.textContent, Math.round(box.width * 10) / 10, Math.round(box.height * 10) / 10];
        }).filter(([, wide, high]) => wide < 44 || high < 44);
      });
      same(small, [], `targets below 44 pixels in ${view} at ${width} x ${height}`);
    });
  }
}

async function nothingMovesForWhoWantsCalm(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see(() => {
    window.moved = 0;
    new MutationObserver(() => { window.moved++; }).observe(document.querySelector("#board .air"), { childList: true }); // where seeds fly
  });
  await page.press("#pit-F");
  await page.says("history", "F");
  same(await page.see(() => [window.moved, document.getAnimations().length]), [0, 0], "movements");
  same(await page.see(() => document.querySelectorAll("audio, video").length), 0, "sounds");
}

// ---- Languages ----

async function everyLanguageSpeaksAndIsRemembered(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.says("section-analyse", "Analyse");
  for (const [language, [word, number]] of Object.entries(LANGUAGES)) {
    await page.tab.select("#language", language);
    await page.says("section-analyse", word);
    await page.says("rules-summary", number);
    await page.tab.reload();
    await page.settle();
    await page.says("section-analyse", word);
    same(await page.see(() => document.documentElement.lang), language, "the language of the document");
  }
}

async function numbersHaveTheirPluralForms(page) {
  const one = "0-0-0-0-0-1-0-0-0-0-0-0-23-24-S";
  for (const [language, [seed, seeds]] of Object.entries({ en: ["1 seed on", "0 seeds"], fr: ["1 graine sur", "0 graine sur"], nl: ["1 zaad op", "0 zaden"] })) {
    await page.open(`?rules=awari&p=${one}`, { kept: { "wari language": language } });
    const label = await page.see(() => document.querySelector("#pit-F .hidden").textContent);
    if (!label.includes(seed.split(" ").slice(0, 2).join(" "))) throw new Error(`${language}: ${label}`);
    const empty = await page.see(() => document.querySelector("#pit-A .hidden").textContent);
    if (!empty.includes(seeds.split(" ").slice(0, 2).join(" "))) throw new Error(`${language}: ${empty}`);
  }
}

// ---- Damaged and hostile input ----

async function markupIsShownAsText(page) {
  const evil = "<img src=x onerror='window.harmed=1'><b>bold</b>";
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see(() => { document.getElementById("ogn-box").open = true; });
  const text = `[South "${evil}"]\n[FEN "${ONES}"]\n1. F { ${evil} } *\n\n[South "${evil}"]\n[Variant "awari${evil}"]\nA *`;
  await page.see((words) => { document.getElementById("ogn-text").value = words; }, text);
  await page.press("#ogn-open");
  await page.until(() => document.querySelectorAll("#ogn-games button").length === 2);
  await page.see((words) => { if (!document.getElementById("ogn-games").textContent.includes(words)) throw new Error("the tag is not shown"); }, evil);
  await page.press("#ogn-games li:nth-child(2) button");
  await page.until(() => document.getElementById("notice").textContent.includes("<b>bold"));
  await page.press("#ogn-games button");
  await page.says("history", "F");
  await page.until((words) => document.getElementById("comment").value === words, evil);
  await page.open(`?rules=${encodeURIComponent(evil)}&p=${encodeURIComponent(evil)}`);
  same(await page.see(() => [window.harmed, document.querySelectorAll("#view-board img, #view-board b > b, .notice b").length]), [null, 0], "harm");
}

/** Opens each link; the page must then be complete, and a move must be possible. */
async function aLinkCutAnywhereOpensSomething(page) {
  const link = `?rules=awari&cycle=even&p=${ONES}#moves=Ff`;
  const cuts = [7, 10, 14, 20, 26, 30, 33, 40, 58, 60, 64, 70].map((length) => link.slice(0, length));
  for (const each of [...cuts, "?p=%E0%A4", "?p=%", "?rules=&p=&cycle=", "#moves=", "?p=1&p=2", `?p=${"1".repeat(3000)}`]) {
    await page.open(each);
    const ready = await page.see(() => document.querySelectorAll(".pit.playable").length + document.querySelectorAll("#turn-text").length);
    if (ready < 1 || !(await page.text("turn-text"))) throw new Error(`nothing is shown for ${each}`);
  }
}

async function aLinkOfOtherRulesSaysSo(page) {
  const row = [-1, "", ONES, 0, "", "", 0], next = [0, "F", "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N", 0, "", "", 1];
  const kept = { "wari games /games/wari/": JSON.stringify([{ id: "x", rules: "oware", cycle: "own", time: 1, at: 0, rows: [row, next] }]) };
  await page.open(`?rules=awari&p=${ONES}`, { kept });
  await page.says("notice", "You had chosen Oware (tournament)");
  await page.open(`?rules=oware&p=${ONES}`, { kept });
  if ((await page.text("notice")).includes("before")) throw new Error("expected nothing about other rules");
}

async function damagedStorageDoesNoHarm(page) {
  const key = "wari games /games/wari/";
  const row = [-1, "", ONES, 0, "", "", 0];
  const game = (rows, more = {}) => JSON.stringify([{ id: "x", rules: "awari", cycle: "even", time: 1, at: 0, rows, ...more }]);
  const damaged = ["", "{", "null", "7", "[[]]", "[null]", "[{}]", game([]), game([[]]), game([row, [5, "A", ONES, 0, "", "", 0]]), game([row, [0, "Z", ONES, 0, "", "", 0]]),
    game([row, [0, "F", "1-2", 0, "", "", 0]]), game([[-1, "", ONES, { share: null }, "", "", 0]]), game([[-1, "", ONES, 0, 7, "", 0]]), game([row], { at: 9 }), game([row], { at: "length" }),
    game([row], { rules: "<b>" }), game([row], { time: "x" }), game([row]).slice(0, 60), "x".repeat(100000)];
  for (const each of damaged) {
    await page.open("", { kept: { [key]: each, "wari language": each } });
    await page.until(() => document.querySelectorAll(".pit.playable").length > 0);
    await page.says("history", "No moves yet");
  }
  await page.open("", { kept: { [key]: game([row, [0, "F", "1-1-1-1-1-0-0-1-1-1-1-1-20-18-N", 0, "<b>", "!", 1]], { at: 1 }) } });
  await page.says("history", "F!");
}

async function aRecordOfWhichAPartIsReadSaysSo(page) {
  const opens = (text) => page.see((record) => {
    document.getElementById("ogn-text").value = record;
    document.getElementById("ogn-open").click();
  }, text);
  await page.open(`?rules=awari&p=${ONES}`);
  await opens(`[FEN "${ONES}"]\nF &`);
  await page.says("history", "F");
  await page.says("notice", "Only part of the text could be read. Line 2, column 3");
  await opens(`[FEN "${ONES}"]\n% passed over {\nF { fifty\n% of them } f *`); // this % belongs to the comment
  await page.says("history", "Ff");
  await opens(`[FEN "${ONES}"]\nE${" ".repeat(1 << 20)}`);
  await page.says("history", "E");
  await page.says("notice", "The text is longer than 1,048,576 characters");
}

async function aButtonThatIsDrawnAgainStaysTheSame(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  same(await page.see(async () => {
    const { el, refill } = await import(new URL("dom.js", document.baseURI).href);
    const box = document.body.appendChild(el("ol"));
    const draw = (letters, worth) => refill(box, [...letters].map((letter) => el("li", { "data-key": letter }, el("button", { onclick: () => box.append(worth) }, letter, el("b", {}, worth)))), document.body);
    draw("ABC", "1");
    const button = box.querySelector("[data-key=B] button");
    button.focus();
    draw("CBA", "2");
    const seen = [box.textContent, button === box.querySelector("[data-key=B] button"), document.activeElement === button];
    button.click(); // its handler is new, too
    seen.push(box.lastChild.textContent);
    draw("A", "3");
    seen.push(box.textContent, document.activeElement.textContent);
    box.remove();
    return seen;
  }), ["C2B2A2", true, true, "2", "A3", "A3"], "a list drawn again");
}

async function aServerThatStopsIsMissedAndFoundAgain(page) {
  await page.open("?rules=awari&p=0-1-0-0-1-0-0-0-0-0-0-1-22-23-S"); // published: +3, with B and E
  await page.server.stop();
  try {
    await page.tab.locator("#pit-E").click();
    await page.says("verdict", "Can’t reach the server. Trying again");
  } finally {
    await page.server.start();
  }
  await page.says("verdict", "South gets 3 seeds more");
  await page.says("history", "E");
  await page.press("#pit-f");
  await page.says("history", "Ef");
}

for (const test of [aGameIsPlayedByKeysAndHeard, theFocusIsNeverLost, nothingOverflowsInAnyLanguage, whatAPlayerLooksAtIsOnTheFirstScreen,
  everyTargetHasRoomForAFinger, nothingMovesForWhoWantsCalm, numbersHaveTheirPluralForms,
  aButtonThatIsDrawnAgainStaysTheSame, aServerThatStopsIsMissedAndFoundAgain])
  test.everywhere = true;

export const tests = [axeFindsNothingSerious, aGameIsPlayedByKeysAndHeard, theFocusIsNeverLost, nothingOverflowsInAnyLanguage,
  whatAPlayerLooksAtIsOnTheFirstScreen, everyTargetHasRoomForAFinger, nothingMovesForWhoWantsCalm, everyLanguageSpeaksAndIsRemembered,
  numbersHaveTheirPluralForms, markupIsShownAsText, aLinkCutAnywhereOpensSomething, aLinkOfOtherRulesSaysSo, damagedStorageDoesNoHarm, aRecordOfWhichAPartIsReadSaysSo,
  aButtonThatIsDrawnAgainStaysTheSame, aServerThatStopsIsMissedAndFoundAgain];
