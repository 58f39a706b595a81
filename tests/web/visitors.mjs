// Tests of what particular visitors need: a small or enlarged screen, paper, a class, and the choices of the last visit.
// browsers.mjs runs these tests.

import path from "node:path";

const START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
const ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"; // worth 0; A..F: -1 -8 -2 -2 -2 0 (data/README.md)
const SMALL = [[640, 450], [320, 640], [320, 568]]; // a window of 1280 x 900 at 200 %, and the narrowest phones

function same(seen, expected, what) {
  if (JSON.stringify(seen) !== JSON.stringify(expected)) throw new Error(`${what}: expected ${JSON.stringify(expected)}, saw ${JSON.stringify(seen)}`);
}

const shows = (page, selector) => page.see((css) => Boolean(document.querySelector(css)?.checkVisibility()), selector);
const learnt = (page) => page.until(() => document.getElementById("view-learn").dataset.ready === "true");

// ---- Small screens ----

/** Every section, as a visitor sees it who has played some moves: [name, address, what to wait for]. */
const SECTIONS = [["play-question", "#/play"], ["play", `?rules=awari&p=${ONES}#/play`], ["learn", "?rules=awari#/learn"], ["lesson", "?rules=awari#/learn/lesson/2"],
  ["analyse", `?rules=awari&p=${ONES}#moves=FfE`], ["statistics", "?rules=awari#/statistics"]];

const LARGE = [1280, 900], PHONE = [390, 844];

/** Also makes pictures of each section: in the light theme on all these screens, in the dark theme on two of them. */
async function everySectionFitsASmallOrEnlargedScreen(page) {
  const screens = page.dark ? [PHONE, LARGE] : [...SMALL, PHONE, LARGE];
  for (const [name, address] of SECTIONS) {
    await page.open(address, { width: screens[0][0], height: screens[0][1] });
    if (address.includes("learn")) await learnt(page);
    if (name === "play") await page.press("#play-two");
    for (const [width, height] of screens) {
      await page.resize(width, height);
      const wide = await page.see(() => document.documentElement.scrollWidth);
      if (wide > width) throw new Error(`${name} is ${wide} wide at ${width} x ${height}`);
      const screen = width === 640 ? "200-percent" : `${width}x${height}`;
      await page.picture(`section-${name}-${screen}${page.dark ? "-dark" : ""}${page.name === "firefox" ? "-firefox" : ""}`);
    }
  }
}
everySectionFitsASmallOrEnlargedScreen.themes = true;

async function tappingTwiceDoesNotZoom(page) {
  await page.open(`?rules=awari&p=${ONES}#moves=FfE`);
  same(await page.see(() => [...document.querySelectorAll("button, a, label, summary, select, input")]
    .filter((each) => getComputedStyle(each).touchAction !== "manipulation").map((each) => each.id || each.textContent)), [], "what zooms");
}

async function aTapOnTheHistoryKeepsTheBoardInView(page) {
  for (const [width, height] of [...SMALL, [390, 844]]) {
    await page.open("?rules=awari&p=1-1-2-1-1-1-1-1-1-1-1-1-17-18-S#moves=EbDfCcEeAdBfFcDaBeAdEf", { width, height });
    await page.until(() => history.state.moves.length === 22);
    await page.settle();
    await page.see(() => document.getElementById("history").scrollIntoView({ block: "end" }));
    await page.see(() => [...document.querySelectorAll("#history button")].at(-4).click());
    await page.until(() => history.state.moves.length === 19);
    await page.settle();
    const [top, bottom] = await page.see(() => { const box = document.getElementById("board").getBoundingClientRect(); return [box.top, box.bottom]; });
    if (top < -1 || bottom > height + 1) throw new Error(`the board is at ${top} to ${bottom} on a screen of ${width} x ${height}`);
    await page.picture(`history-${width}x${height}`);
  }
}

/** The board is as wide as the page, and what a player needs is below it without scrolling. */
async function aLargeWindowHasALargeBoard(page) {
  await page.open("#/play", { width: 1280, height: 900 });
  const boxes = () => page.see(() => Object.fromEntries(["board", "play-form", "play-two", "step-last", "resign", "result", "rematch"].map((id) => {
    const each = document.getElementById(id), box = each?.checkVisibility() ? each.getBoundingClientRect() : null;
    return [id, box && { width: box.width, bottom: box.bottom }];
  })));
  const asked = await boxes();
  if (asked.board.width < 1200 || asked["play-two"].bottom > 900) throw new Error(`the question: ${JSON.stringify(asked)}`);
  await page.press("#play-two");
  for (const pit of ["C", "c", "A", "a", "B", "b", "D", "d", "E"]) await page.press(`#pit-${pit}`);
  const played = await boxes();
  if (played.board.width < 1200 || played["step-last"].bottom > 900 || played.resign.bottom > 900) throw new Error(`the game: ${JSON.stringify(played)}`);
  await page.picture("play-large");
  await page.press("#resign");
  const ended = await boxes();
  if (ended.rematch.bottom > 900) throw new Error(`the result: ${JSON.stringify(ended)}`);
  await page.picture("play-large-result");
}

// ---- Choices of the last visit ----

const selected = (page) => page.see(() => ["level-of-play", "play-side", "clock"].map((id) => document.getElementById(id).value));

async function aPlayersChoicesAreSelectedTheNextTime(page) {
  await page.open("#/play");
  same(await selected(page), ["medium", "south", "0"], "the choices of the first visit");
  for (const [id, value] of [["level-of-play", "hard"], ["play-side", "any"], ["clock", "10"]]) await page.tab.select(`#${id}`, value);
  await page.press("#play-two");
  const kept = await page.see(() => ({ "wari play": localStorage.getItem("wari play") }));
  await page.open("#/play", { kept });
  same(await selected(page), ["hard", "any", "10"], "the choices of the next visit");
  await page.tab.select("#clock", "3");
  await page.tab.select("#language", "nl"); // draws the lists again
  await page.says("play-two", "Twee spelers");
  same(await selected(page), ["hard", "any", "3"], "the choices in another language");
  for (const each of ["", "null", "7", "[]", "{\"level\": \"x\", \"side\": 3, \"clock\": \"-1\"}"]) {
    await page.open("#/play", { kept: { "wari play": each } });
    same(await selected(page), ["medium", "south", "0"], `the choices after ${each}`);
  }
}

async function hiddenValuesStayHidden(page) {
  const worths = () => page.see(() => document.querySelectorAll("#board .worth:not(.none)").length);
  await page.open(`?rules=awari&p=${ONES}`);
  same(await worths(), 6, "the values at first");
  await page.press("#hints");
  const kept = await page.see(() => ({ "wari values": localStorage.getItem("wari values") }));
  await page.open(`?rules=awari&p=${ONES}`, { kept });
  same([await worths(), await page.see(() => document.getElementById("hints").checked)], [0, false], "the values at the next visit");
  await page.press("#hints");
  await page.tab.reload();
  await page.settle();
  same([await worths(), await page.see(() => document.getElementById("hints").checked)], [6, true], "the values after all");
}

async function theFirstVisitToAnalyseShowsTheOpening(page) {
  await page.open("");
  same(await page.see(() => new URLSearchParams(location.search).get("p")), START, "the position");
  await page.says("value", "±"); // an estimate, by search
  await page.until(() => document.querySelectorAll("#board .worth.about").length === 6);
}

// ---- Paper ----

const COMMENTED = `[South "Ama"]\n[North "Kofi"]\n[Variant "awari"]\n[FEN "${ONES}"]\n{ of two friends } 1. F! { a strong move } ( 1. A { too slow } ) 1... f 2. E 26-22\n`;

const onPaper = async (page, look) => {
  await page.tab.emulateMediaType("print");
  try {
    await look();
  } finally {
    await page.tab.emulateMediaType(null);
  }
};

/** Returns what is printed: the texts, the elements that can be seen, and the colours that are not black, white or grey. */
const printed = (page) => page.see(() => {
  const seen = [...document.body.querySelectorAll("*")].filter((each) => each.checkVisibility() && each.getClientRects().length && !each.closest(".hidden"));
  const colours = new Set();
  for (const each of seen) {
    const style = getComputedStyle(each);
    const paints = each instanceof SVGElement ? [style.fill, style.stroke] : [style.color, style.backgroundColor, style.borderTopColor];
    for (const paint of [...paints, style.backgroundImage]) {
      const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(paint);
      if (parts ? parts[1] !== parts[2] || parts[2] !== parts[3] : paint !== "none") colours.add(`${each.id || each.className.baseVal || each.className}: ${paint}`);
    }
  }
  const isShown = (css) => [...document.querySelectorAll(css)].some((each) => each.checkVisibility());
  return { text: document.getElementById("paper").innerText.replace(/\s+/g, " ").trim(), colours: [...colours],
    shown: ["#board", "#paper", "#graph", "header", "footer", "nav", ".toolbar", "#moves", "#lines", "#value", "#history", "textarea", ".options", "#share-box", "#ogn-box", ".keys"].filter(isShown) };
});

async function aGameIsPrintedWithItsMovesAndCommentsOnly(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see((text) => {
    document.getElementById("ogn-text").value = text;
    document.getElementById("ogn-review").click();
  }, COMMENTED);
  await page.until(() => !document.getElementById("review-result").hidden && document.querySelectorAll("#graph .curve").length === 3);
  await page.settle();
  await onPaper(page, async () => {
    await page.until(() => document.getElementById("paper").textContent);
    const { text, colours, shown } = await printed(page);
    same(shown, ["#board", "#paper", "#graph"], "what is printed");
    same(text.replace(/moves played/i, "MOVES PLAYED").replace("AMA – KOFI", "Ama – Kofi"), "Ama – Kofi of two friends MOVES PLAYED 1. F! a strong move (1. A too slow) 1… f 2. E Result: 26–22", "the text");
    same(colours, [], "colours");
    await page.picture(`paper${page.dark ? "-dark" : ""}`, { fullPage: true });
    if (page.name === "chromium") {
      const pdf = await page.tab.pdf({ path: path.join(page.folder, `paper${page.dark ? "-dark" : ""}.pdf`), format: "A4", printBackground: true });
      same(Buffer.from(pdf).toString("latin1").match(/\/Type \/Page\b/g)?.length, 1, "the pages");
    }
  });
}
aGameIsPrintedWithItsMovesAndCommentsOnly.themes = true;

async function aGameThatIsPlayedAndALessonArePrinted(page) {
  await page.open("#/play");
  await page.press("#play-two");
  for (const pit of ["C", "c"]) await page.press(`#pit-${pit}`);
  await page.press("#resign");
  await onPaper(page, async () => {
    await page.until(() => document.getElementById("paper").textContent);
    const { text, shown } = await printed(page);
    same([shown, /1\. C c North wins$/.test(text)], [["#board", "#paper"], true], "what is printed in Play");
  });
  await page.open("?rules=awari#/learn/lesson/3");
  await learnt(page);
  await onPaper(page, async () => {
    same([await shows(page, "#learn-board"), await shows(page, "#learn-goal"), await shows(page, "#learn-buttons"), await shows(page, "#learn-share")], [true, true, false, false], "what is printed in Learn");
    await page.picture("paper-lesson", { fullPage: true });
  });
}

async function thePrintButtonPrints(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see(() => { window.print = () => { window.printed = true; }; });
  await page.see(() => { document.getElementById("share-box").open = true; });
  await page.press("#print");
  same(await page.see(() => window.printed), true, "the browser's dialog");
}

// ---- Classes ----

/** Makes the clipboard one that can be read here. */
const clipboard = (page) => page.see(() => { Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } }); });
const copied = (page) => page.until(() => window.copied).then(() => page.see(() => window.copied));

/** Opens a link that was copied, as somebody else would. */
async function follow(page, link) {
  await page.see(() => { localStorage.clear(); sessionStorage.clear(); });
  await page.tab.goto("about:blank");
  await page.tab.goto(link);
}

async function aLinkForAClassShowsNoValues(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await clipboard(page);
  await page.see(() => { document.getElementById("share-box").open = true; });
  await page.press("#share-class");
  const link = await copied(page);
  same(new URL(link).hash, "#/play", "the section of the link");
  await follow(page, link);
  await page.settle();
  const hidden = ["#section-analyse", "#section-statistics", "#hint", "#value", "#moves", "#lines", "#hints", "#graph", "#ogn-box", "#share", "#edit", "#result-review"];
  const nothing = async (when) => {
    const seen = [];
    for (const each of hidden) if (await shows(page, each)) seen.push(each);
    same([seen, await page.see(() => [document.body.dataset.section, document.querySelectorAll("#board .worth:not(.none)").length])], [[], ["play", 0]], `what is shown ${when}`);
  };
  await nothing("at first");
  same([await shows(page, "#section-play"), await shows(page, "#section-learn"), await page.see(() => document.getElementById("play-here").checked)], [true, true, true], "what a class needs");
  const asked = [];
  page.tab.on("request", (request) => asked.push(new URL(request.url()).pathname.replace(/.*\//, "")));
  await page.press("#play-two");
  same(await page.see(() => document.body.dataset.shown), ONES, "the position");
  for (const key of ["h", "m", "n"]) await page.key(key);
  await page.press("#pit-F");
  await nothing("after a move and keys");
  for (const address of ["#/analyse", "#/statistics", "#/analyse/review"]) {
    await page.see((hash) => { location.hash = hash; }, address);
    await page.until(() => location.hash === "#/play");
    await nothing(`at ${address}`);
  }
  await page.tab.reload();
  await page.settle();
  await nothing("after a reload");
  same(await page.see(() => [location.hash, new URLSearchParams(location.search).has("class"), document.getElementById("history").textContent]), ["#/play", true, "F"], "the address, and the game");
  await page.press("#resign");
  same([await shows(page, "#result-title"), await shows(page, "#result-review")], [true, false], "the result");
  same(asked.filter((each) => ["position", "analysis", "move", "review", "game", "stats"].includes(each)), [], "requests that tell values");
  for (const more of [`?rules=awari&p=${ONES}&class=1#/analyse`, `?rules=awari&p=${ONES}&class=1#moves=Ff`, `?rules=awari&p=${ONES}&class=1`]) {
    await follow(page, page.server.url + more);
    await page.settle();
    await nothing(`for ${more}`);
  }
}

async function aClassGetsAStepOfTheLesson(page) {
  await page.open("?rules=awari#/learn/lesson/2");
  await learnt(page);
  await clipboard(page);
  await page.press("#learn-pit-A");
  await page.until(() => document.getElementById("learn-next"));
  await page.see(() => document.getElementById("learn-next").click());
  await page.says("learn-step", "Step 3 of 7");
  await page.see(() => document.getElementById("learn-share").click());
  const link = await copied(page);
  await page.says("learn-shared", "Link copied");
  same([new URL(link).hash, new URL(link).searchParams.get("class")], ["#/learn/lesson/3", "1"], "the link");
  await follow(page, link);
  await learnt(page);
  await page.says("learn-step", "Step 3 of 7");
  same([await shows(page, "#section-analyse"), await shows(page, "#learn-share"), await shows(page, "#section-play")], [false, false, true], "what a class sees");
  await page.see(() => { location.hash = "#/learn/puzzles"; });
  await page.says("learn-title", "Puzzles");
  same(await shows(page, "#learn-class"), false, "the link below a puzzle");
}

// ---- Results of games that were played here ----

const exported = async (page) => {
  await page.see(() => { document.getElementById("ogn-text").value = ""; document.getElementById("ogn-write").click(); });
  await page.until(() => document.getElementById("ogn-text").value);
  return page.see(() => document.getElementById("ogn-text").value);
};

async function theResultOfAGameIsExported(page) {
  const SHORT = "0-0-0-0-0-1-0-0-1-0-0-0-22-24-S"; // after F, North has both seeds and cannot feed
  await page.open(`?rules=awari&p=${SHORT}#/play`);
  await page.press("#play-two");
  await page.press("#pit-F");
  await page.says("result-title", "North wins 26–22");
  await page.press("#section-analyse");
  const text = await exported(page);
  same([/^\[Result "22-26"\]$/m.test(text), text.trim().endsWith("} 22-26")], [true, true], `the result in ${text}`);
  await page.open(`?rules=awari&p=${ONES}#/play`);
  await page.press("#play-two");
  await page.press("#pit-F");
  await page.press("#section-analyse");
  same((await exported(page)).includes("Result"), false, "a result of a game that goes on");
  await page.press("#section-play");
  await page.press("#resign"); // North
  await page.press("#section-analyse");
  const resigned = await exported(page);
  same([/^\[Result "1-0"\]$/m.test(resigned), resigned.trim().endsWith("1-0")], [true, true], `the result in ${resigned}`);
}

/** A word with two dashes stands where a list may have a position, and `wari judge` says what is wrong with it. */
async function aPositionThatIsNoneIsRefusedAsByTheProgram(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  const message = "column 1: the count of pit A is expected, but here is 'F'; a position is twelve counts";
  await page.see(() => {
    document.getElementById("ogn-text").value = "F--f E";
    document.getElementById("ogn-open").click();
  });
  await page.says("ogn-notice", message);
  same(await page.see(() => [new URLSearchParams(location.search).get("p"), document.body.innerText.includes("NaN")]), [ONES, false], "the position");
  await page.see((text) => {
    document.getElementById("position-text").value = text;
    document.getElementById("position-form").requestSubmit();
  }, "F--f E");
  await page.says("notice", message);
  same(await page.see(() => [new URLSearchParams(location.search).get("p"), document.body.innerText.includes("NaN")]), [ONES, false], "the position");
  await page.says("notice", "This isn’t a position. Enter the number of seeds in each of the twelve pits");
  await page.open("?rules=awari&p=F--f#/analyse", { kept: { "wari language": "fr" } });
  await page.says("notice", `Ce n’est pas une position. Saisissez le nombre de graines de chacune des douze cases, ou un diagramme comme ${START}.`);
}

// ---- Puzzles ----

/** A puzzle is one move, which the page says, and it shows on request how the game goes on. */
async function aPuzzleIsSolvedByItsOneMove(page) {
  await page.open("?rules=awari#/learn/puzzles");
  await learnt(page);
  await page.says("learn-text", "Only one move does it: find it, and you’ve solved the puzzle.");
  const move = await page.see(async () => { // the only one whose result differs from that of all others is found by trying
    const pits = [...document.querySelectorAll("#learn-board .pit.playable")].map((each) => each.id);
    const until = async (look) => { while (!look()) await new Promise((done) => { setTimeout(done, 10); }); };
    const ready = () => document.getElementById("view-learn").dataset.ready === "true";
    for (const id of pits) {
      document.getElementById(id).click();
      await until(() => ready() && !document.getElementById("learn-said").hidden);
      if (document.getElementById("learn-said").textContent.startsWith("✓")) return id.slice(-1);
      document.getElementById("learn-again").click();
      await until(() => ready() && document.getElementById("learn-said").hidden);
    }
    return "";
  });
  await page.says("learn-said", `✓ ${move} is right!`);
  await page.see(() => document.getElementById("learn-show").click());
  await page.says("learn-why", `After ${move}, several moves may be good`);
  if (!(await shows(page, "#learn-go-on"))) return; // the move ends the game
  await page.see(() => document.getElementById("learn-go-on").click());
  await page.says("learn-said", "✓ With best play");
}

everySectionFitsASmallOrEnlargedScreen.everywhere = true;

export const tests = [everySectionFitsASmallOrEnlargedScreen, tappingTwiceDoesNotZoom, aTapOnTheHistoryKeepsTheBoardInView, aLargeWindowHasALargeBoard,
  aPlayersChoicesAreSelectedTheNextTime, hiddenValuesStayHidden, theFirstVisitToAnalyseShowsTheOpening, aGameIsPrintedWithItsMovesAndCommentsOnly,
  aGameThatIsPlayedAndALessonArePrinted, thePrintButtonPrints, aLinkForAClassShowsNoValues, aClassGetsAStepOfTheLesson, theResultOfAGameIsExported, aPositionThatIsNoneIsRefusedAsByTheProgram, aPuzzleIsSolvedByItsOneMove];
