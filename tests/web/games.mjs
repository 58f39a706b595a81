// Whole games against each level, from the first move to the sheet with the result. browsers.mjs runs the test. Its games
// start from a position of the tables, so that a move takes no time, and end after few moves. The tool plays three
// games of each kind from the opening; full strength searches for 1.5 seconds per move until the tables reach the position:
//
//     TOOL=games.mjs node tests/web/browsers.mjs PROGRAM FOLDER MODULES

const START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
const TABLES = "0-0-0-2-0-1-0-0-1-0-0-0-22-22-S"; // of games with random moves from here, half end after at most 7
const LEVELS = ["first-steps", "beginner", "easy", "medium", "hard", "expert", "master"];

/**
 * Plays for the reader until the sheet with the result is open. `choice` selects one of the playable pits of each turn, so that
 * the games differ. Shortens the pauses of the page, but not so much that repeated requests would slow down the search.
 */
const playToTheSheet = (page, choice) => page.see((number) => new Promise((done) => {
  const { setTimeout } = window;
  window.setTimeout = (call, milliseconds) => setTimeout(call, Math.min(milliseconds, 60));
  let turns = 0;
  const step = () => {
    const pits = document.body.dataset.ready === "true" ? [...document.querySelectorAll("#board .pit.playable")] : [];
    if (!document.getElementById("result").hidden) {
      window.setTimeout = setTimeout;
      done(turns);
      return;
    }
    if (pits.length) pits[(number + 3 * turns++) % pits.length].click();
    setTimeout(step, 20);
  };
  step();
}), choice);

/** Plays a game and checks its sheet. Returns a line about it. */
async function playOne(page, { p, level, side, number }) {
  const name = `game ${number + 1} of ${side} against ${level}`;
  await page.open(`?rules=awari&p=${p}#/play`);
  await page.tab.select("#level-of-play", level);
  await page.tab.select("#play-side", side);
  await page.press("#play-computer");
  const turns = await playToTheSheet(page, number);
  const seen = await page.see(() => ({
    title: document.getElementById("result-title").textContent, reason: document.getElementById("result-reason").textContent,
    moves: document.querySelectorAll("#history .souths:not(.gap), #history .norths").length, open: document.querySelectorAll("#board .pit.playable, #board .to-move").length,
    seeds: [...document.querySelectorAll("#board .pit b, #board .store .count")].reduce((sum, each) => sum + Number(each.textContent), 0),
  }));
  if (!/ wins|^Draw| has won|^The game is over/.test(seen.title) || !seen.reason || seen.seeds !== 48 || seen.open || turns < 1 || seen.moves < turns)
    throw new Error(`${name}: ${JSON.stringify({ ...seen, turns })}`);
  return `# ${name}: ${seen.title} after ${seen.moves} moves`;
}

/** A game against each level is played to the sheet with the result. The reader's side alternates from level to level. */
async function gamesAgainstEveryLevelEndWithTheirSheet(page) {
  for (const [number, level] of LEVELS.entries()) await playOne(page, { p: TABLES, level, side: ["south", "north"][number % 2], number: 0 });
}

/** Plays three games against each level, from both sides. */
async function gamesFromTheOpening(page) {
  for (const level of LEVELS)
    for (const side of ["south", "north"])
      for (let number = 0; number < 3; number++) console.log(await playOne(page, { p: START, level, side, number }));
}

export const tests = [gamesAgainstEveryLevelEndWithTheirSheet];
export const tools = [gamesFromTheOpening];
