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

export const tests = [aNumberIsTypedIntoAPit, theEditorWorksByTouchAlone];
