// Measures how long a visitor waits on a slow network: until the text appears, until the board appears, and until the page
// can be used. It measures in two ways, neither of which limits the bandwidth:
// - "with connections": a proxy delays all bytes by half of the latency in each direction, and the first bytes of each
//   connection by the whole latency in addition, as TCP does.
// - "per request": the browser delays each request by the latency, as its developer tools do. Connections cost no time.
// The figures depend on the machine, so this is a tool and not a test; first_view.mjs counts the round trips.
//
//     TOOL=latency.mjs node tests/web/browsers.mjs PROGRAM FOLDER MODULES
//
// LATENCY=0 in the environment measures without a delay what the browser and the page need for themselves.

import net from "node:net";

const LATENCY = Number(process.env.LATENCY || 400), VISITS = 5; // milliseconds from a request to its answer; visits per section
const SECTIONS = ["#/play", "#/learn", "#/analyse"];

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

/**
 * Runs in the page: records when each stage is reached, in milliseconds since the visit began. The browser itself records when
 * it has painted the text, which is in the page that the server sends.
 */
function watch() {
  const stages = {
    text: () => document.getElementById("section-play")?.textContent && performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    board: () => document.querySelector("#board .seed, #learn-home a") && performance.now(),
    ready: () => document.body?.dataset.ready === "true" && performance.now(),
  };
  window.reached = {};
  const look = () => {
    for (const [name, timeOf] of Object.entries(stages)) {
      const time = window.reached[name] ? 0 : timeOf();
      if (time) window.reached[name] = Math.round(time);
    }
    if (Object.keys(window.reached).length < Object.keys(stages).length) setTimeout(look, 5);
  };
  look();
}

/** Opens the page in a window of its own, with nothing cached or stored. `latency` is the delay that the browser adds. */
async function visit(page, url, latency) {
  const context = await page.tab.browser().createBrowserContext();
  try {
    const tab = await context.newPage();
    if (latency) await tab.emulateNetworkConditions({ latency, download: -1, upload: -1 });
    await tab.evaluateOnNewDocument(watch);
    await tab.goto(url, { timeout: 0 });
    await tab.waitForFunction(() => window.reached?.ready, { timeout: 0, polling: 50 });
    return await tab.evaluate(() => window.reached);
  } finally {
    await context.close();
  }
}

const median = (numbers) => numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

async function measure(page, way, base, latency) {
  for (const section of SECTIONS) {
    const visits = [];
    for (let i = 0; i < VISITS; i++) visits.push(await visit(page, base + section, latency));
    const [text, board, ready] = ["text", "board", "ready"].map((name) => median(visits.map((each) => each[name])));
    console.log(`# ${section} at ${LATENCY} ms latency ${way}: text after ${text} ms, the board after ${board} ms, ready after ${ready} ms (medians of ${VISITS})`);
  }
}

async function timeToTextBoardAndUse(page) {
  const proxy = await startProxy(page.server.port);
  await measure(page, "with connections", page.server.url.replace(`:${page.server.port}/`, `:${proxy.port}/`), 0);
  proxy.end();
  await measure(page, "per request", page.server.url, LATENCY);
}

export const tools = [timeToTextBoardAndUse];
