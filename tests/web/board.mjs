// Tests of the board: its editor, its moves, how it is read and printed. browsers.mjs runs these tests.

// All values are published, or computed by hand (data/README.md).
const ONES = "1-1-1-1-1-1-1-1-1-1-1-1-18-18-S"; // worth 0; A..F: -1 -8 -2 -2 -2 0

function same(seen, expected, what) {
  if (JSON.stringify(seen) !== JSON.stringify(expected))
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, saw ${JSON.stringify(seen)}`);
}

const showsPosition = (page, p) => page.until((wanted) => document.body.dataset.ready === "true" && document.body.dataset.shown === wanted, p);
const focusOn = (page, selector) => page.see((css) => document.querySelector(css).focus(), selector);
const type = async (page, keys) => {
  for (const key of keys) await page.key(key);
};

// ---- The editor ----

async function aNumberIsTypedIntoAPit(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.press("#edit");
  await page.says("edit-left", "36 seeds");
  await focusOn(page, "#pit-B");
  await type(page, "12");
  await showsPosition(page, "1-12-1-1-1-1-1-1-1-1-1-1-7-18-S"); // South's store gave 11
  await page.says("edit-left", "25 seeds");
  await page.key("ArrowRight");
  await type(page, "9");
  await showsPosition(page, "1-12-9-1-1-1-1-1-1-1-1-1-0-17-S"); // South's store was empty after 7
  await type(page, "9"); // not 99: a number that is too large starts again
  await showsPosition(page, "1-12-9-1-1-1-1-1-1-1-1-1-0-17-S");
  await type(page, ["Delete"]);
  await showsPosition(page, "1-12-0-1-1-1-1-1-1-1-1-1-9-17-S");
  await type(page, "+");
  await showsPosition(page, "1-12-1-1-1-1-1-1-1-1-1-1-8-17-S");
  await type(page, "-");
  await showsPosition(page, "1-12-0-1-1-1-1-1-1-1-1-1-9-17-S");
  await page.see(() => { document.getElementById("keys").checked = false; }); // keys of the focused pit are no shortcuts
  await type(page, "3");
  await showsPosition(page, "1-12-3-1-1-1-1-1-1-1-1-1-6-17-S");
}

async function theEditorWorksByTouchAlone(page) {
  await page.open(`?rules=awari&p=${ONES}`, { width: 320, height: 640 });
  await page.press("#edit");
  await page.press("#pit-f"); // adds a seed, and makes f the chosen pit
  await showsPosition(page, "1-1-1-1-1-1-1-1-1-1-1-2-18-17-S");
  await page.says("edit-pit", "Pit f");
  await page.press("#edit-less");
  await page.press("#edit-less");
  await showsPosition(page, "1-1-1-1-1-1-1-1-1-1-1-0-18-19-S");
  await page.press("#edit-more");
  await showsPosition(page, ONES);
  await page.tab.click("#edit-count", { count: 3 });
  await type(page, "10");
  await showsPosition(page, "1-1-1-1-1-1-1-1-1-1-1-10-18-9-S");
  await page.press("#edit-undo");
  await showsPosition(page, ONES);
  await page.press("input[name=to-move][value=north]");
  await showsPosition(page, ONES.replace("S", "N"));
  await page.tab.click("#edit-store", { count: 3 });
  await type(page, "36");
  await showsPosition(page, "1-1-1-1-1-1-1-1-1-1-1-1-36-0-N");
  await page.press("#clear");
  await showsPosition(page, "0-0-0-0-0-0-0-0-0-0-0-0-24-24-N");
  same(await page.see(() => document.getElementById("edit-less").getAttribute("aria-disabled")), "true", "minus of an empty pit");
  await page.press("#edit-start");
  await showsPosition(page, "4-4-4-4-4-4-4-4-4-4-4-4-0-0-N");
  same(await page.see(() => document.getElementById("edit-more").getAttribute("aria-disabled")), "true", "plus with nothing left");
  await page.says("edit-left", "0 seeds");
  await page.press("#edit-undo");
  await page.press("#edit-undo");
  await showsPosition(page, "1-1-1-1-1-1-1-1-1-1-1-1-36-0-N");
}

// ---- Seeds ----

const SLOW = { "wari pace": "slow" }; // a pace that the reader chose, although the system asks for calm

/** Returns the places of the seeds that the pits show. */
const seedsOf = (page) => page.see(() => Object.fromEntries([..."ABCDEFabcdef"].map((letter) =>
  [letter, [...document.querySelectorAll(`#pit-${letter} .seed`)].map((each) => `${each.getAttribute("cx")} ${each.getAttribute("cy")} ${each.getAttribute("rx")}`)])));

/** Counts the seeds that fly from now on, and lists what changes on their way. */
const watchFlights = (page) => page.see(() => {
  window.flown = 0;
  window.changed = new Set();
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const each of addedNodes) {
        if (!each.matches?.(".flyer")) continue;
        if (each.offsetWidth > 4) window.flown++; // not one that cannot be seen
        for (const motion of each.getAnimations()) for (const frame of motion.effect.getKeyframes()) for (const name of Object.keys(frame)) window.changed.add(name);
      }
  }).observe(document.getElementById("board"), { childList: true, subtree: true });
});
const flown = (page) => page.see(() => [window.flown, [...window.changed].filter((name) => !["offset", "computedOffset", "easing", "composite"].includes(name)), document.querySelectorAll("#board .flyer").length]);

async function seedsFlySinglyAndDoNotJump(page) {
  await page.open("?rules=awari&p=0-0-0-0-3-1-2-1-0-0-0-1-20-20-S", { kept: SLOW }); // E: F 2, a 3, b 2, captures both
  const before = await seedsOf(page);
  await watchFlights(page);
  await page.press("#pit-E");
  await page.says("history", "E");
  same(await flown(page), [3 + 5, ["transform"], 0], "flights, what changed, and flights that have not ended");
  const after = await seedsOf(page);
  same(Object.values(after).map((each) => each.length), [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1], "seeds");
  same(after.F[0], before.F[0], "the place of the seed that was there");
  same(await page.see(() => [...document.querySelectorAll("#board .store .count")].map((each) => each.textContent)), ["20", "25"], "the stores");
  same(await page.see(() => ["last", "landed"].map((kind) => document.querySelector(`.pit.${kind}`).id)), ["pit-E", "pit-b"], "the pits of the move");
}

async function aStepThroughTheGameIsSeen(page) {
  await page.open(`?rules=awari&p=${ONES}`, { kept: SLOW });
  await page.press("#pit-F");
  await page.says("history", "F");
  await watchFlights(page);
  await page.press("#undo");
  await showsPosition(page, ONES);
  await page.until(() => !document.querySelector(".flyer"));
  same(await flown(page), [2, ["transform"], 0], "seeds that flew back"); // from the store to F and a
  same(Object.values(await seedsOf(page)).map((each) => each.length), Array(12).fill(1), "seeds");
  await page.press("#redo");
  await page.press("#undo"); // before the seeds have landed, perhaps
  await page.until(() => !document.querySelector(".flyer"));
  same(Object.values(await seedsOf(page)).map((each) => each.length), Array(12).fill(1), "seeds");
}

async function thePaceIsChosenAndRemembered(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.tab.select("#pace", "off");
  await page.open(`?rules=awari&p=${ONES}`, { kept: await page.see(() => ({ "wari pace": localStorage.getItem("wari pace") })) });
  same(await page.see(() => document.getElementById("pace").value), "off", "the pace");
  await page.tab.emulateMediaFeatures?.([{ name: "prefers-reduced-motion", value: "no-preference" }]);
  await watchFlights(page);
  await page.press("#pit-F");
  await page.says("history", "F");
  same(await flown(page), [0, [], 0], "flights");
}

async function soundsAreOffUnlessWanted(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see(() => {
    window.tones = 0;
    const parameter = { setValueAtTime: () => {}, exponentialRampToValueAtTime: () => {} };
    window.AudioContext = class {
      constructor() { Object.assign(this, { state: "running", currentTime: 0, destination: {} }); }
      createOscillator() { return { frequency: parameter, connect: (next) => next, start: () => { window.tones++; }, stop: () => {} }; }
      createGain() { return { gain: parameter, connect: (next) => next }; }
    };
  });
  await page.press("#pit-F");
  await page.says("history", "F");
  same(await page.see(() => window.tones), 0, "sounds");
  await page.press("#sounds"); // an example
  await page.press("#pit-f");
  await page.says("history", "Ff");
  same(await page.see(() => [window.tones, localStorage.getItem("wari sounds")]), [2, "on"], "sounds");
}

async function aPitShowsWhereItsLastSeedFalls(page) {
  const marked = () => page.see(() => ["target", "prey"].map((kind) => [...document.querySelectorAll(`#board .${kind}`)].map((each) => each.id)));
  await page.open(`?rules=awari&p=${ONES}`);
  same(await marked(), [[], []], "marks before");
  await page.tab.hover("#pit-F");
  same(await marked(), [["pit-a"], ["pit-a"]], "marks of F");
  same(await page.see(() => document.getElementById("pit-F").getAttribute("aria-description")), "last seed lands in a, captures 2 seeds", "what is heard");
  await page.tab.hover("h1");
  same(await marked(), [[], []], "marks afterwards");
  await page.key("Tab");
  await focusOn(page, "#pit-A");
  same(await marked(), [["pit-B"], []], "marks of A");
  await page.key("Enter");
  await page.says("history", "A");
  same(await marked(), [[], []], "marks of a pit of the other side");
}

// ---- Reading ----

const label = (page, selector) => page.see((css) => document.querySelector(css).textContent, selector);

async function aReaderWithoutEyesHearsTheBoard(page) {
  await page.open("?rules=awari&p=0-1-0-0-1-0-0-0-0-0-0-1-22-23-S"); // published: +3, with B and E
  same(await label(page, "#moves [data-key=B] .hidden"), "Pit B, +3", "the name of a move");
  await page.key("r");
  await page.says("live", "South to move");
  await page.says("live", "South: A 0, B 1, C 0, D 0, E 1, F 0; 22 seeds captured. North: a 0, b 0, c 0, d 0, e 0, f 1; 23 seeds captured.");
  await page.key("t");
  await page.says("live", "North is now at the bottom.");
  await page.key("h");
  await page.until(() => document.getElementById("live").textContent.includes(`Hint: play ${document.querySelector(".pit.hinted")?.id.slice(-1)}.`));
  await page.press("#hints"); // hides the values
  same(await label(page, "#moves [data-key=B] .hidden"), "Pit B", "the name of a move without its value");
}

async function theMoveListIsOneStop(page) {
  const stops = () => page.see(() => [...document.querySelectorAll("#history button")].map((each) => each.tabIndex));
  const current = () => page.see(() => [document.activeElement.textContent, document.activeElement.getAttribute("aria-current")]);
  await page.open(`?rules=awari&p=${ONES}#moves=FfE`);
  await page.says("history", "E");
  same(await stops(), [-1, -1, 0], "stops of the Tab key");
  await focusOn(page, "#history [aria-current]");
  await page.key("ArrowLeft");
  await page.until(() => document.querySelector("#history [aria-current]").textContent === "f");
  await page.settle();
  same([await stops(), await current()], [[-1, 0, -1], ["f", "step"]], "after a step back");
  await page.key("ArrowRight");
  await page.until(() => document.querySelector("#history [aria-current]").textContent === "E");
  await page.settle();
  same(await current(), ["E", "step"], "after a step forward");
}

async function theFirstStopSkipsTheHeader(page) {
  await page.open(`?rules=awari&p=${ONES}`);
  await page.see(() => document.body.focus());
  await page.key("Tab");
  same(await page.see(() => document.activeElement.id), "skip", "the first stop");
  await page.key("Enter");
  same(await page.see(() => [document.activeElement.id, location.hash]), ["content", "#/analyse"], "the focus and the section");
}

export const tests = [aNumberIsTypedIntoAPit, theEditorWorksByTouchAlone, seedsFlySinglyAndDoNotJump, aStepThroughTheGameIsSeen,
  thePaceIsChosenAndRemembered, soundsAreOffUnlessWanted, aPitShowsWhereItsLastSeedFalls,
  aReaderWithoutEyesHearsTheBoard, theMoveListIsOneStop, theFirstStopSkipsTheHeader];
