// Measures how smoothly seeds fly on a slow phone: frames per second while moves are shown, with the processor throttled four
// times. The figures depend on the machine, so this is a tool and no test:
//
//     TOOL=frames.mjs node tests/web/browsers.mjs PROGRAM FOLDER MODULES

const THROTTLED = 4; // times slower
const MOVES = [ // positions, and the moves that are shown
  ["four seeds", "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "C"],
  ["twelve seeds, once around the board", "12-1-1-1-1-1-3-3-3-3-3-3-7-6-S", "A"],
  ["a capture of three pits", "1-2-0-2-2-3-1-2-1-3-4-2-13-12-S", "F"],
  ["27 seeds", "27-1-1-1-1-1-1-1-1-1-1-1-5-5-S", "A"],
];

/** Plays a move, and returns the times of all frames while a seed flies. */
const framesOf = (page, letter) => page.see((name) => new Promise((done) => {
  const times = [], board = document.getElementById("board");
  let begun = false;
  const frame = (time) => {
    const flies = board.querySelector(".flyer") !== null;
    if (flies) times.push(time);
    begun ||= flies;
    if (begun && !flies && document.body.dataset.ready === "true") done(times);
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  document.getElementById(`pit-${name}`).click();
}), letter);

/** Returns the frames per second while nothing moves: the most that this machine can show at the moment. */
const idleFrames = (page) => page.see(() => new Promise((done) => {
  let count = 0, first = 0;
  const frame = (time) => {
    first ||= time;
    if (count++ < 60) requestAnimationFrame(frame);
    else done(60000 / (time - first));
  };
  requestAnimationFrame(frame);
}));

async function framesWhileSowing(page) {
  const { tab } = page, rates = [];
  for (const [name, p, letter] of MOVES) {
    await page.open(`?rules=awari&p=${p}#/play`, { width: 390, height: 844, kept: { "wari pace": "normal" } });
    await page.press("#play-two");
    await tab.emulateCPUThrottling(THROTTLED);
    const idle = await idleFrames(page), before = await tab.metrics(), times = await framesOf(page, letter), after = await tab.metrics();
    await tab.emulateCPUThrottling(1);
    const gaps = times.slice(1).map((time, i) => time - times[i]), passed = times.at(-1) - times[0];
    const [layouts, ...seconds] = ["LayoutCount", "LayoutDuration", "RecalcStyleDuration", "ScriptDuration", "TaskDuration"].map((each) => after[each] - before[each]);
    const [layout, style, script, task] = seconds.map((each) => (1000 * each).toFixed(0));
    rates.push(1000 * gaps.length / passed);
    console.log(`# ${name}: ${rates.at(-1).toFixed(1)} frames per second (${idle.toFixed(1)} while nothing moves) in ${(passed / 1000).toFixed(2)} s, ` +
      `longest gap ${Math.max(...gaps).toFixed(0)} ms; main thread ${task} ms: ${script} ms scripts, ${style} ms styles, ${layout} ms for ${layouts} layouts`);
  }
  console.log(`# slowest: ${Math.min(...rates).toFixed(1)} frames per second, throttled ${THROTTLED} times`);
}

export const tools = [framesWhileSowing];
