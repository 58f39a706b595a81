// Tests of the sections of the page and of the Play section: from the first visit to the sheet with the result. browsers.mjs runs
// these tests.

const START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
const ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"; // worth 0; A..F: -1 -8 -2 -2 -2 0 (data/README.md)

function same(seen, expected, what) {
  if (JSON.stringify(seen) !== JSON.stringify(expected))
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, saw ${JSON.stringify(seen)}`);
}

const shows = (page, selector) => page.see((css) => document.querySelector(css).checkVisibility(), selector);
const section = (page) => page.see(() => [document.body.dataset.section, location.hash]);
const worths = (page) => page.see(() => [...document.querySelectorAll("#board .worth:not(.none)")].length);
const seeds = (page) => page.see(() => [...document.querySelectorAll("#board .pit b")].map((each) => Number(each.textContent)).concat(
  [...document.querySelectorAll("#board .store .count")].map((each) => Number(each.textContent))).reduce((sum, each) => sum + each, 0));

/** Waits until the reader may move, or the game is over. */
const turn = (page) => page.until(() => document.body.dataset.ready === "true" &&
  (document.querySelector("#board .pit.playable") || !document.getElementById("result").hidden));

async function choose(page, { level = "first-steps", side = "south", clock = "0" } = {}) {
  for (const [id, value] of [["level-of-play", level], ["play-side", side], ["clock", clock]]) await page.tab.select(`#${id}`, value);
  await page.press("#play-computer");
}

async function theFirstVisitAsksHowToPlay(page) {
  await page.open("#");
  same(await section(page), ["play", "#/play"], "the section of the first visit");
  same(await page.see(() => new URLSearchParams(location.search).get("p")), START, "the position");
  same([await shows(page, "#play-form"), await shows(page, "#value"), await shows(page, "#moves"), await shows(page, "#edit")], [true, false, false, false], "what is shown");
  same(await page.see(() => [...document.querySelectorAll(".choice button")].filter((each) => each.checkVisibility()).map((each) => each.textContent)),
    ["Play against the computer", "Two players here"], "the choices");
  await page.press("#pit-C");
  await page.says("notice", "First choose how you’d like to play");
  same(await page.see(() => new URLSearchParams(location.search).get("p")), START, "the position after a tap");
}

async function valuesAreHiddenWhilePlayingAlsoAfterAReload(page) {
  await page.open("#/play");
  await page.press("#play-two");
  for (const pit of ["C", "c", "A"]) await page.press(`#pit-${pit}`);
  for (const again of [() => {}, () => page.tab.reload()]) {
    await again();
    await page.settle();
    same([await page.text("history"), await worths(page), await shows(page, "#value"), await shows(page, "#play-form")], ["CcA", 0, false, false], "the game that is played");
    await page.says("turn-text", "North’s turn");
  }
  await page.press("#section-analyse");
  await page.until(() => document.querySelector("#board .worth:not(.none)"));
  await page.press("#section-play");
  same([await page.text("history"), await worths(page)], ["CcA", 0], "the game after a visit to Analyse");
}

async function theBoardTurnsToTheReadersSideAndTurnsAreUndoneWhole(page) {
  await page.open("#/play");
  await choose(page, { side: "north" });
  await turn(page); // the computer has moved first
  const tops = await page.see(() => ["A", "a"].map((pit) => document.getElementById(`pit-${pit}`).getBoundingClientRect().top));
  if (tops[0] >= tops[1]) throw new Error("South's row is the near one");
  same(await page.see(() => document.getElementById("undo").getAttribute("aria-disabled")), "true", "nothing to undo for North");
  const first = await page.text("history");
  await page.press("#board .pit.playable");
  await page.until(() => document.querySelectorAll("#history button").length === 3);
  await turn(page);
  const whole = await page.text("history"), p = await page.see(() => document.body.dataset.shown);
  await page.press("#undo");
  same(await page.see(() => document.querySelector("#history [aria-current]").textContent), first, "the move after Undo");
  await page.press("#redo");
  same([await page.text("history"), await page.see(() => document.body.dataset.shown)], [whole, p], "the game after Redo");
}

async function aGameIsPlayedToItsResultSheet(page) {
  await page.open(`?rules=tournament&p=0-2-0-1-0-1-1-0-2-0-1-1-20-19-S#/play`);
  await page.see(() => { document.getElementById("play-here").checked = true; });
  await choose(page);
  for (let ply = 0; ply < 300; ply++) {
    await turn(page);
    if (await shows(page, "#result")) break;
    await page.press("#board .pit.playable");
  }
  await page.until(() => / wins|Draw|has won/.test(document.getElementById("result-title").textContent));
  if ((await page.text("result-title")).includes("has won")) {
    same(await shows(page, "#play-on"), true, "the offer to play on");
    await page.press("#play-on");
    for (let ply = 0; ply < 300; ply++) {
      await turn(page);
      if (await shows(page, "#result")) break;
      await page.press("#board .pit.playable");
    }
    await page.until(() => / wins \d|Draw, \d/.test(document.getElementById("result-title").textContent));
  }
  same([await seeds(page), await page.see(() => document.querySelectorAll(".pit.playable, .store.to-move").length)], [48, 0], "the seeds at the end");
  same(await page.see(() => document.activeElement.id), "result-title", "the focus");
  await page.press("#rematch");
  same(await page.see(() => [document.body.dataset.shown.endsWith("-S"), document.getElementById("result").hidden]), [true, true], "the rematch");
}

async function atTheEndAllSeedsAreInTheStores(page) {
  const ends = [["0-0-0-0-0-0-1-2-0-0-0-0-22-23-S", "North wins 26–22", [22, 26]], ["2-0-0-0-0-0-0-0-0-0-0-0-23-23-S", "South wins 25–23", [25, 23]]];
  for (const [p, title, stores] of ends) {
    await page.open(`?rules=awari&p=${p}`);
    same(await page.text("headline"), title, "the headline");
    const seen = await page.see(() => ({ pits: [...document.querySelectorAll("#board .pit b")].map((each) => each.textContent).join(""),
      stores: [...document.querySelectorAll("#board .store .count")].map((each) => Number(each.textContent)),
      open: document.querySelectorAll(".pit.playable, .store.to-move").length }));
    same(seen, { pits: "000000000000", stores: [stores[1], stores[0]], open: 0 }, `the board after ${p}`);
  }
}

async function theHeadlineSaysWhoWinsAndByHowMuch(page) {
  await page.open(`?rules=awari&p=0-1-0-0-1-0-0-0-0-0-0-1-26-19-S`); // published: +3 for South
  await page.until(() => document.getElementById("headline").textContent === "South wins 29–19");
  same(await page.text("value"), "+3", "the value of the rest");
  await page.open(`?rules=awari&p=${ONES}`);
  await page.until(() => document.getElementById("headline").textContent === "Draw, 24–24");
}

async function moreThanHalfOfTheSeedsWinsAndMayBePlayedOn(page) {
  await page.open(`?rules=awari&p=1-1-1-1-1-1-1-1-1-1-1-1-24-12-S#/play`); // F captures 2
  same(await page.see(() => document.getElementById("play-here").checked), true, "the choice to play the position of the link");
  same([await shows(page, "#play-here"), await worths(page)], [true, 0], "what a link to a position shows in Play");
  await page.press("#play-two");
  await page.press("#pit-F");
  await page.says("result-title", "South has won");
  await page.says("result-reason", "South has 26 of the 48 seeds, more than half. Play on?");
  same(await page.see(() => document.querySelectorAll(".pit.playable, .store.to-move").length), 0, "pits that can be played");
  await page.press("#play-on");
  await page.press("#pit-f");
  same(await page.text("history"), "Ff", "the game that goes on");
}

async function resignationDrawsAndRepetitionEndAGame(page) {
  await page.open("#/play");
  await page.press("#play-two");
  await page.press("#pit-C");
  await page.press("#resign"); // asks; the test says yes
  await page.says("result-title", "South wins");
  await page.says("result-reason", "North has resigned. South 0, North 0.");
  await page.tab.reload();
  await page.settle();
  await page.says("result-reason", "North has resigned.");
  await page.press("#pit-c");
  await page.says("notice", "The game is over");
  await page.press("#rematch");
  await page.press("#draw");
  await page.says("result-title", "Draw");
  await page.says("result-reason", "agreed to a draw");
  await page.press("#result-new");
  same([await shows(page, "#play-form"), await page.see(() => document.body.dataset.shown)], [true, START], "a new game");
  // F with 1 seed and f with 1 seed each go round one by one; each side always has one move.
  await page.open("?rules=tournament&p=1-0-0-0-0-0-1-0-0-0-0-0-23-23-S#/play");
  await page.see(() => { document.getElementById("play-here").checked = true; });
  await page.press("#play-two");
  for (let ply = 0; ply < 200 && !(await shows(page, "#result")); ply++) await page.press("#board .pit.playable");
  await page.until(() => /\d–\d/.test(document.getElementById("result-title").textContent));
  same(await seeds(page), 48, "the seeds at the end");
}

async function lostTimeEndsAGame(page) {
  await page.open("#/play");
  await page.tab.select("#clock", "3");
  await page.press("#play-two");
  await page.press("#pit-C");
  await page.see(() => { const now = performance.now() + 300000, begun = Date.now(); performance.now = () => now + Date.now() - begun; });
  await page.says("result-title", "South wins");
  await page.says("result-reason", "North has run out of time.");
  same(await page.see(() => document.querySelectorAll(".pit.playable, .store.to-move").length), 0, "pits that can be played");
}

/** The computer accepts a draw where it expects nothing better: a position that is worth 0, and one where it loses. */
async function theComputerAnswersTheOfferOfADraw(page) {
  const offers = [[ONES, "south", true], ["0-1-0-0-1-0-0-0-0-0-0-1-22-23-S", "south", true], ["1-1-1-1-1-1-1-1-1-1-1-1-17-19-S", "south", false]];
  for (const [p, side, accepts] of offers) { // South wins the second 25-23, and North the third
    await page.open(`?rules=awari&p=${p}#/play`);
    await page.see(() => { document.getElementById("play-here").checked = true; });
    await choose(page, { side });
    await page.press("#draw");
    if (accepts) await page.says("result-reason", "agreed to a draw");
    else await page.says("notice", "declines your offer of a draw");
  }
}

/** Has the page believe, from the next time it is opened, that the server was started with --no-analysis, while `act` runs. */
async function withoutAnalysis(page, act) {
  const { identifier } = await page.tab.evaluateOnNewDocument(() => {
    const { fetch } = window;
    window.fetch = async (url, ...options) => {
      const response = await fetch(url, ...options);
      return String(url).startsWith("api/info") ? Response.json({ ...await response.json(), analysis_threads: 0 }) : response;
    };
  });
  try {
    await act();
  } finally {
    await page.tab.removeScriptToEvaluateOnNewDocument(identifier);
  }
}

async function theComputerAnswersTheOfferOfADrawWithoutAnalysis(page) {
  await withoutAnalysis(page, () => theComputerAnswersTheOfferOfADraw(page));
}

/** Counts the pending timers and requests of the page from now on. */
const count = (page) => page.see(() => {
  const { setTimeout, fetch } = window;
  window.underWay = 0;
  window.setTimeout = (call, milliseconds) => {
    window.underWay++;
    return setTimeout(() => { call(); setTimeout(() => { window.underWay--; }); }, milliseconds);
  };
  window.fetch = (...asked) => {
    window.underWay++;
    return fetch(...asked).finally(() => setTimeout(() => { window.underWay--; }));
  };
});

async function openingAPositionNeverMakesTheComputerMove(page) {
  await page.open("#/play");
  await choose(page);
  await page.press("#board .pit.playable");
  await page.until(() => document.querySelectorAll("#history button").length === 2);
  await turn(page);
  const played = await page.text("history");
  await page.press("#section-analyse");
  await page.press("#hints"); // no search, so that the page comes to rest
  await count(page);
  await page.press("#history button"); // after the first move, North is to move
  await page.until(() => document.body.dataset.shown.endsWith("-N"));
  await page.press("#start"); // another position in Analyse
  await page.press("#pit-C");
  await page.until(() => window.underWay === 0); // otherwise the computer would move yet
  same(await page.text("history"), "C", "the moves in Analyse");
  await page.see(() => document.querySelector("#recent button").click());
  await page.until((text) => document.getElementById("history").textContent === text, played);
}

async function theSheetOpensTheReview(page) {
  await page.open(`?rules=awari&p=${ONES}#/play`);
  await page.see(() => { document.getElementById("play-here").checked = true; });
  await page.press("#play-two");
  await page.press("#pit-B"); // costs 8
  await page.press("#resign");
  await page.press("#result-review");
  same((await section(page))[0], "analyse", "the section");
  await page.until(() => !document.getElementById("review-result").hidden);
}

async function everySectionHasAnAddress(page) {
  await page.open(`?rules=awari&p=${ONES}#/analyse`);
  for (const each of ["play", "learn", "statistics", "analyse"]) {
    await page.press(`#section-${each}`);
    same(await section(page), [each, `#/${each}`], "the section");
    same(await page.see((name) => document.getElementById(`section-${name}`).getAttribute("aria-current"), each), "page", "the link");
  }
  await page.tab.goBack();
  await page.until(() => document.body.dataset.section === "statistics" && location.hash === "#/statistics");
  for (const [query, expected] of [[`?rules=awari&p=${ONES}`, "analyse"], [`?rules=awari&p=${ONES}#moves=F`, "analyse"], ["?rules=awari#/learn", "learn"]]) {
    await page.open("#/play");
    await page.tab.goto("about:blank");
    await page.tab.goto(page.server.url + query);
    await page.settle();
    same((await section(page))[0], expected, `the section of ${query}`);
  }
}

for (const test of [theFirstVisitAsksHowToPlay, everySectionHasAnAddress]) test.everywhere = true;

export const tests = [theFirstVisitAsksHowToPlay, valuesAreHiddenWhilePlayingAlsoAfterAReload, theBoardTurnsToTheReadersSideAndTurnsAreUndoneWhole,
  aGameIsPlayedToItsResultSheet, atTheEndAllSeedsAreInTheStores, theHeadlineSaysWhoWinsAndByHowMuch, moreThanHalfOfTheSeedsWinsAndMayBePlayedOn,
  resignationDrawsAndRepetitionEndAGame, lostTimeEndsAGame, theComputerAnswersTheOfferOfADraw, theComputerAnswersTheOfferOfADrawWithoutAnalysis,
  openingAPositionNeverMakesTheComputerMove, theSheetOpensTheReview, everySectionHasAnAddress];
