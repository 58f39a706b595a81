// Tests of the Analyse section: the moves played, the graph, stepping, the review and its lessons, and the import of records.
// browsers.mjs runs these tests.

// All values are published, or computed by hand (data/README.md).
const ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"; // worth 0; A..F: -1 -8 -2 -2 -2 0
const LONG = "?rules=awari&p=1-1-2-1-1-1-1-1-1-1-1-1-17-18-S#moves=EbDfCcEeAdBfFcDaBeAdEf"; // 22 moves

function same(seen, expected, what) {
  if (JSON.stringify(seen) !== JSON.stringify(expected)) throw new Error(`${what}: expected ${JSON.stringify(expected)}, saw ${JSON.stringify(seen)}`);
}

/** Waits until the page shows the position after a number of moves, which has nothing left to ask for. */
const isAt = (page, moves) => page.until((count) => document.body.dataset.ready === "true" && history.state.moves.length === count, moves);

const click = (page, selector) => page.see((css) => document.querySelector(css).click(), selector);

/** Reviews a record, and waits until it is judged. */
async function reviewRecord(page, text) {
  await page.see((words) => {
    document.getElementById("ogn-text").value = words;
    document.getElementById("ogn-review").click();
  }, text);
  await page.until(() => !document.getElementById("review-result").hidden && document.body.dataset.ready === "true");
}

// ---- What is in view ----

async function everythingIsInViewWithoutScrolling(page) {
  await page.open(LONG, { width: 1280, height: 900 });
  await isAt(page, 22);
  const outside = await page.see(() => ["board", "value", "moves", "lines", "history", "step-first", "step-last", "graph", "comment"].filter((id) => {
    const { top, bottom, height } = document.getElementById(id).getBoundingClientRect();
    return top < 0 || bottom > 900 || height === 0;
  }));
  same(outside, [], "what is outside of a screen of 1280 x 900");
  for (const key of ["Home", "End", "ArrowLeft"]) {
    await page.key(key);
    const seen = await page.see(() => {
      const current = document.querySelector("#history [aria-current]"), box = document.getElementById("history").getBoundingClientRect();
      if (!current) return [0, document.getElementById("history").scrollTop];
      const { top, bottom } = current.getBoundingClientRect();
      return [top >= box.top && bottom <= box.bottom, window.scrollY];
    });
    same(seen, [key === "Home" ? 0 : true, 0], `the current move after ${key}`);
  }
}

async function movesStandInNumberedPairsWithWhatTheyCapture(page) {
  await page.open(`?rules=awari&p=${ONES}#moves=FfE`); // F and f capture 2 each
  await page.says("history", "FfE");
  const cells = await page.see(() => [...document.querySelectorAll("#history button")].map((each) => {
    const { left, top } = each.getBoundingClientRect();
    return [each.textContent, each.dataset.number ?? "", each.dataset.captured ?? "", Math.round(left), Math.round(top)];
  }));
  same(cells.map((each) => each.slice(0, 3)), [["F", "1.", "+2"], ["f", "", "+2"], ["E", "2.", ""]], "the moves");
  const [[, , , left, top], [, , , right, sameTop], [, , , below, nextTop]] = cells;
  same([right > left, sameTop === top, below === left, nextTop > top], [true, true, true, true], "their places");
  same(await page.see(() => document.querySelectorAll("#history [tabindex='0']").length), 1, "stops of the Tab key in the list");
}

async function theBestLinesAreShown(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.until(() => document.querySelectorAll("#lines li").length === 3 && [...document.querySelectorAll("#lines .line")].every((each) => each.children.length > 1));
  same(await page.see(() => [...document.querySelectorAll("#lines .worth")].map((each) => each.textContent)), ["0", "−1", "−2"], "their values");
  same(await page.see(() => [...document.querySelectorAll("#lines .line")].slice(0, 2).map((each) => each.textContent[0])), ["F", "A"], "their moves");
  await click(page, "#lines li:nth-child(2) button:nth-child(2)");
  await isAt(page, 2);
  same((await page.text("history"))[0], "A", "the line that was played");
}

// ---- Stepping ----

async function buttonsAndKeysStepThroughTheGame(page) {
  await page.open(LONG);
  await isAt(page, 22);
  for (const [press, moves] of [["#step-first", 0], ["#step-forward", 1], ["#step-last", 22], ["#step-back", 21]]) {
    await page.press(press);
    await isAt(page, moves);
  }
  for (const [key, moves] of [["Home", 0], ["End", 22], ["ArrowLeft", 21], ["ArrowRight", 22]]) {
    await page.key(key);
    await isAt(page, moves);
  }
  same(await page.see(() => ["first", "back", "forward", "last"].map((each) => document.getElementById(`step-${each}`).getAttribute("aria-disabled"))),
    ["false", "false", "true", "true"], "the buttons at the end");
}

async function arrowKeysStepAfterAClick(page) {
  await page.open(LONG);
  await isAt(page, 22);
  for (const [i, selector] of ["#keys", "#hints", "#board .pit:not(.playable)", "#flip", "#step-first"].entries()) {
    await page.see((css) => document.querySelector(css).closest("details")?.setAttribute("open", ""), selector);
    await page.press(selector);
    await page.key("End");
    await page.key("ArrowLeft");
    await isAt(page, 21);
    if (i === 0) await page.press("#keys"); // on again
  }
}

async function noPressIsDroppedHoweverSlowTheServerIs(page) {
  await page.open(LONG);
  await isAt(page, 22);
  await page.see(() => {
    const { fetch } = window;
    window.fetch = (...asked) => new Promise((done) => { setTimeout(done, 300); }).then(() => fetch(...asked));
  });
  const seen = [];
  for (let i = 0; i < 20; i++) {
    await page.tab.keyboard.press("ArrowLeft");
    seen.push(await page.see(() => history.state.moves.length)); // the view moves first
  }
  same(seen, Array.from({ length: 20 }, (_, i) => 21 - i), "the moves after each press");
  await isAt(page, 2);
  await page.until(() => document.querySelector("#board .worth:not(.none)"));
}

// ---- Graph and review ----

async function theGraphIsPressedAndBackReturns(page) {
  await page.open(LONG);
  await isAt(page, 22);
  await page.until(() => document.querySelectorAll("#graph .curve").length > 10); // what the tables know
  same(await page.see(() => document.querySelectorAll("#graph .ply").length), 23, "the points of the graph");
  await page.see(() => document.querySelectorAll("#graph .ply")[7].dispatchEvent(new MouseEvent("click", { bubbles: true })));
  await isAt(page, 7);
  await page.see(() => history.back());
  await isAt(page, 22);
  await page.press("#hints");
  same(await page.see(() => document.getElementById("graph-box").hidden), true, "the graph while values are hidden");
}

async function aReviewIsInsideTheGame(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await reviewRecord(page, `[FEN "${ONES}"]\n1. B e 2. A`);
  same(await page.see(() => document.querySelector("#history button").dataset.cost), "−8", "the mark of the worst move");
  same(await page.see(() => document.querySelector("#review-figures tr:nth-child(2) td").textContent), "2 of 2", "the judged moves");
  const first = await page.text("review-moments");
  if (!first.startsWith("1. B loses 8, best was F; changes the result")) throw new Error(`the key moments are ${first}`);
  await page.press("#review-moments button");
  await isAt(page, 1);
  same(await page.see(() => [document.querySelectorAll("#graph .dot.bad").length > 0, document.getElementById("review-result").hidden]), [true, false], "graph and review");
  await page.see(() => history.back());
  await isAt(page, 3);
  const figures = await page.text("review-figures");
  await page.tab.reload();
  await page.settle();
  same([await page.text("review-figures"), await page.text("review-moments"), await page.see(() => location.hash)], [figures, first, "#/analyse"], "after a reload");
  await page.press("#start"); // another game has no review
  same(await page.see(() => document.getElementById("review-result").hidden), true, "the review in another game");
}

/** The answer about one move whose loss is proved to be 0 by bounds, while the values are estimates. */
const BOUND = { rules: "awari", cycle: "even", tables: false, remarks: [], done: 2, count: 2, end: "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N", score: null, repetition: null,
  plies: [{ move: "C", position: "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", captured: 0, kind: "bound", value: 10, played: 10, loss: 0, proven_loss: 0, best: ["C"], turns: false, turn_proven: false }],
  review: Object.fromEntries(["South", "North"].map((side) => [side, { moves: 1, accuracy: 100, proven: 0, lost: 0, turns: 0 }])) };

async function boundsDoNotMakeAnEstimateCertain(page) {
  await page.open(`?rules=awari&p=${BOUND.plies[0].position}#moves=C`);
  await isAt(page, 1);
  await page.see((answer) => {
    const { fetch } = window;
    window.fetch = async (url, ...options) => (String(url).startsWith("api/review") ? Response.json(answer) : fetch(url, ...options));
  }, BOUND);
  await page.press("#review-start");
  await page.until(() => !document.getElementById("review-result").hidden && document.querySelector("#graph .curve"));
  const certain = () => page.see(() => [document.querySelectorAll("#graph .curve:not(.about)").length,
    [...document.querySelectorAll("#graph .ply title")].filter((each) => !each.textContent.includes("probably")).length]);
  same(await certain(), [0, 0], "lines and points that are certain");
  await page.tab.reload();
  await page.settle();
  await page.until(() => document.querySelector("#graph .curve"));
  same(await certain(), [0, 0], "lines and points that are certain after a reload");
}

async function aDeletedMoveIsInNoReview(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await reviewRecord(page, `[FEN "${ONES}"]\n1. B e (1... f) 2. A`);
  await page.press("#history button"); // B, the mistake
  await isAt(page, 1);
  await page.press("#delete");
  await isAt(page, 0);
  same(await page.see(() => document.getElementById("review-result").hidden), true, "the review of moves that were deleted");
}

async function theFiguresOfAReviewMeanSomething(page) {
  await page.open(LONG);
  await isAt(page, 22);
  await page.press("#review-start");
  await page.until(() => !document.getElementById("review-result").hidden);
  const rows = await page.see(() => [...document.querySelectorAll("#review-figures tr")].map((row) => [...row.children].map((each) => each.textContent)));
  same(rows.map(([name]) => name), ["", "Accuracy", "Moves judged", "Mistakes", "Lost (exact)", "Lost (estimated)"], "the figures");
  const costs = await page.see(() => [...document.querySelectorAll("#history button")].map((each) => [each.textContent, each.dataset.cost ?? ""]));
  for (const [column, north] of [[1, false], [2, true]]) {
    const lost = costs.filter(([move, cost]) => (move >= "a") === north && /^−/.test(cost)).reduce((sum, [, cost]) => sum + Number(cost.slice(1)), 0);
    same(parseInt(rows[4][column], 10), lost, `the seeds lost, as the list of moves has them, in column ${column}`);
  }
  const { moments, overlaps } = await page.see(() => {
    const letters = [...document.querySelectorAll("#graph text.strong")].map((each) => each.getBoundingClientRect()).sort((one, other) => one.left - other.left);
    return { moments: document.querySelectorAll("#review-moments li").length, overlaps: letters.filter((each, i) => i > 0 && letters[i - 1].right > each.left).length };
  });
  if (moments < 1 || moments > 5) throw new Error(`${moments} key moments`);
  for (const width of [390, 320]) {
    await page.tab.setViewport({ width, height: 640 });
    await page.key("Home"); // draws the graph again
    same([overlaps, await page.see(() => [...document.querySelectorAll("#graph text.strong")].map((each) => each.getBoundingClientRect().left).sort((one, other) => one - other)
      .filter((each, i, all) => i > 0 && each - all[i - 1] < 10).length)], [0, 0], `letters that overlap at ${width}`);
  }
}

async function oneLearnsFromOnesMistakes(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await reviewRecord(page, `[FEN "${ONES}"]\n1. B e`);
  await page.press("#learn-south");
  await isAt(page, 0);
  await page.says("mistake-text", "South played 1. B here and lost 8 seeds. Find a better move.");
  same(await page.see(() => [document.querySelectorAll("#board .worth:not(.none)").length, document.querySelectorAll("#lines li").length]), [0, 0], "values while the reader thinks");
  await page.press("#pit-B");
  await page.says("mistake-text", "B is the move that was played");
  await page.press("#pit-A");
  await page.says("mistake-text", "A loses 1 seed.");
  await isAt(page, 0);
  await page.press("#pit-F");
  await page.says("mistake-text", "Well done! No move is better than F.");
  await isAt(page, 1);
  same(await page.text("history"), "B(F)e", "the move that was found");
  await page.press("#mistake-next");
  await page.says("mistake-text", "Finished! You found 1 of 1.");
  await page.press("#mistake-again");
  await page.press("#mistake-show");
  await page.says("mistake-text", "The best move is F.");
  await page.press("#mistake-end");
  same(await page.see(() => document.getElementById("mistake-box").hidden), true, "the lesson after its end");
}

// ---- Records ----

const GOOD = `[South "Ama"]\n[North "Kofi"]\n[Date "2021.05.01"]\n[Result "26-22"]\n[Variant "awari"]\n[FEN "${ONES}"]\n{ of two friends } 1. F { strong } f 2. E *\n`;

async function anErrorHidesNoGame(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see((text) => {
    document.getElementById("ogn-text").value = text;
    document.getElementById("ogn-review").click();
  }, `[South "Esi"]\n[FEN "${ONES}"]\n1. F & 2. A\n\n${GOOD}`);
  await page.until(() => document.querySelectorAll("#ogn-games button").length === 2);
  const said = await page.text("ogn-notice");
  for (const words of ["2 games found. Choose one.", "Line 3, column 6"]) if (!said.includes(words)) throw new Error(`"${words}" is not in "${said}"`);
  same(await page.see(() => [...document.querySelectorAll("#ogn-games button")].map((each) => each.textContent.includes("only part of it"))), [true, false], "the games that lost a part");
  await click(page, "#ogn-games li:nth-child(2) button");
  await page.until(() => !document.getElementById("review-result").hidden); // it is reviewed, as was wanted
  await page.says("history", "FfE");
}

async function aRecordKeepsNamesResultAndComments(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see((text) => {
    document.getElementById("ogn-text").value = text;
    document.getElementById("ogn-open").click();
  }, GOOD);
  await page.says("history", "FfE");
  await page.says("game-title", "Ama – Kofi, 2021.05.01");
  await page.says("game-result", "Result: 26–22");
  await page.press("#step-first");
  same(await page.see(() => document.getElementById("comment").value), "of two friends", "the comment before the first move");
  await page.see(() => { document.getElementById("ogn-text").value = ""; document.getElementById("ogn-write").click(); });
  await page.until(() => document.getElementById("ogn-text").value);
  const text = (await page.see(() => document.getElementById("ogn-text").value)).replace(/\s+/g, " ");
  for (const words of ["[South \"Ama\"]", "[North \"Kofi\"]", "[Result \"26-22\"]", "{ of two friends } 1. F { value 0, best F; strong } 1... f", "2. E", "26-22"])
    if (!text.includes(words)) throw new Error(`"${words}" is not in "${text}"`);
}

async function aFileMayBeDroppedAnywhere(page) {
  await page.open("#/statistics");
  await page.see((text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "game.ogn"));
    document.querySelector("footer").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
  }, GOOD);
  await page.says("history", "FfE");
  same(await page.see(() => document.body.dataset.section), "analyse", "the open section");
}

for (const test of [noPressIsDroppedHoweverSlowTheServerIs, aReviewIsInsideTheGame]) test.everywhere = true;

export const tests = [everythingIsInViewWithoutScrolling, movesStandInNumberedPairsWithWhatTheyCapture, theBestLinesAreShown, buttonsAndKeysStepThroughTheGame,
  arrowKeysStepAfterAClick, noPressIsDroppedHoweverSlowTheServerIs, theGraphIsPressedAndBackReturns, aReviewIsInsideTheGame, boundsDoNotMakeAnEstimateCertain,
  aDeletedMoveIsInNoReview, theFiguresOfAReviewMeanSomething,
  oneLearnsFromOnesMistakes, anErrorHidesNoGame, aRecordKeepsNamesResultAndComments, aFileMayBeDroppedAnywhere];
