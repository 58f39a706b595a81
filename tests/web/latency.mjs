// Measures how long a visitor waits on a slow network: until the text appears, until the board appears, and until the page
// can be used. A proxy delays all bytes by half of the latency in each direction, and the first bytes of each connection by
// the whole latency in addition, as TCP does. It does not limit the bandwidth. The figures depend on the machine, so this
// is a tool and not a test; first_view.mjs counts the round trips.
//
//     TOOL=latency.mjs node tests/web/browsers.mjs PROGRAM FOLDER MODULES

import net from "node:net";

const LATENCY = 400, VISITS = 5; // milliseconds from a request to its answer; visits per door
const DOORS = ["#/play", "#/learn", "#/analyse"];

/** Copies what `from` receives to `to`, delayed by LATENCY / 2, and not before the time `open`. */
function copy(from, to, open) {
  let before = Promise.resolve();
  const later = (action) => {
    const due = Math.max(performance.now(), open) + LATENCY / 2;
    before = before.then(() => new Promise((done) => { setTimeout(done, due - performance.now()); })).then(action);
  };
  from.on("data", (bytes) => later(() => to.write(bytes)));
  from.on("end", () => later(() => to.end()));
  from.on("error", () => to.destroy());
}

/** Starts the proxy. Returns its port, and a function that ends it. */
async function startProxy(port) {
  const proxy = net.createServer((client) => {
    const server = net.connect(port, "127.0.0.1"), open = performance.now() + LATENCY;
    copy(client, server, open);
    copy(server, client, open);
  });
  await new Promise((done) => { proxy.listen(0, "127.0.0.1", done); });
  return { port: proxy.address().port, end: () => proxy.close() };
}

/** Runs in the page: records when each stage is reached, in milliseconds since the visit began. */
function watch() {
  const stages = {
    text: () => document.getElementById("door-play")?.textContent && performance.getEntriesByName("first-contentful-paint").length,
    board: () => document.querySelector("#board .pit, #learn-home a"),
    ready: () => document.body?.dataset.ready === "true",
  };
  window.reached = {};
  const look = () => {
    for (const [name, isReached] of Object.entries(stages)) if (!window.reached[name] && isReached()) window.reached[name] = Math.round(performance.now());
    if (Object.keys(window.reached).length < Object.keys(stages).length) setTimeout(look, 5);
  };
  look();
}

async function visit(page, url) {
  const context = await page.tab.browser().createBrowserContext();
  try {
    const tab = await context.newPage();
    await tab.evaluateOnNewDocument(watch);
    await tab.goto(url, { timeout: 0 });
    await tab.waitForFunction(() => window.reached?.ready, { timeout: 0, polling: 50 });
    return await tab.evaluate(() => window.reached);
  } finally {
    await context.close();
  }
}

const median = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

async function timeToTextBoardAndUse(page) {
  const proxy = await startProxy(page.server.port);
  const base = page.server.url.replace(`:${page.server.port}/`, `:${proxy.port}/`);
  for (const door of DOORS) {
    const visits = [];
    for (let i = 0; i < VISITS; i++) visits.push(await visit(page, base + door));
    const [text, board, ready] = ["text", "board", "ready"].map((name) => median(visits.map((each) => each[name])));
    console.log(`# ${door} at ${LATENCY} ms latency: text after ${text} ms, the board after ${board} ms, ready after ${ready} ms (medians of ${VISITS})`);
  }
  proxy.end();
}

export const tools = [timeToTextBoardAndUse];
