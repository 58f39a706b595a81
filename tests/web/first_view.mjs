// Tests of what a visitor waits for: the number of round trips and of bytes, and pages that cannot run. Nothing
// here depends on time: requests are held until all that belong to a round trip have been made.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";

const FIRST_VIEW = 200000; // most bytes that a first view may transfer, with one language

function same(seen, expected, what) {
  if (JSON.stringify(seen) !== JSON.stringify(expected))
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, saw ${JSON.stringify(seen)}`);
}

/** Opens the page in a window of its own, with nothing cached or stored. */
async function inNewWindow(page, look) {
  const context = await page.tab.browser().createBrowserContext();
  try {
    const tab = await context.newPage();
    await look(tab, await tab.createCDPSession());
  } finally {
    await context.close();
  }
}

const isReady = (tab) => tab.waitForFunction(() => document.body?.dataset.ready === "true", { timeout: 0, polling: 50 });

const isPainted = (tab) => tab.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length, { timeout: 0, polling: 50 });
const sectionTexts = (tab) => tab.evaluate(() => ["section-play", "section-learn"].map((id) => document.getElementById(id).innerText));

/** Holds each request until it is let go; `held` has those that are held. */
class Gate {
  constructor(tab, base) {
    Object.assign(this, { base, held: new Map(), waiting: null });
    tab.on("request", (request) => {
      if (!request.url().startsWith(base)) return;
      if (this.isOpen) {
        request.continue();
        return;
      }
      this.held.set(request.url().slice(base.length).replace(/\?.*/, ""), request);
      this.waiting?.();
    });
  }

  /** Waits until these files, and perhaps others, are requested. */
  async wait(...files) {
    while (!files.every((file) => this.held.has(file))) await new Promise((resolve) => { this.waiting = resolve; });
  }

  /** Waits until these files, and perhaps others, are requested; lets all requests go. */
  async pass(...files) {
    await this.wait(...files);
    const all = [...this.held.values()];
    this.held.clear();
    await Promise.all(all.map((request) => request.continue()));
  }

  /** Lets all further requests go, too. */
  async open() {
    this.isOpen = true;
    await this.pass();
  }
}

/** The page comes with its style, its texts and its script, so that a first visit sees the text and the board before any other response. */
async function textAndBoardAreThereAfterOneRoundTrip(page) {
  await inNewWindow(page, async (tab) => {
    await tab.setRequestInterception(true);
    await tab.setCacheEnabled(true);
    const gate = new Gate(tab, page.server.url);
    const opened = tab.goto(page.server.url, { timeout: 0 });
    await gate.pass("");
    await gate.wait("api/info", "icon.svg");
    await isPainted(tab);
    await tab.waitForFunction(() => document.querySelectorAll("#board .pit .seed").length === 48, { timeout: 0, polling: 50 });
    same(await sectionTexts(tab), ["Play", "Learn"], "the text before the next response");
    same([...gate.held.keys()].sort(), ["api/info", "icon.svg"], "the requests");
    await tab.screenshot({ path: path.join(page.folder, "before-info.png") });
    await gate.pass("api/info");
    await gate.pass("api/moves");
    await gate.open();
    await isReady(tab);
    await opened;
  });
}

/**
 * A server sends about 14 kB at once to a client that it does not know yet: ten segments (RFC 6928). The text needs no
 * more than that of the page.
 */
async function theTextIsInTheFirst14kB(page) {
  const first = 14000;
  let release;
  const released = new Promise((done) => { release = done; });
  const proxy = net.createServer((client) => {
    const server = net.connect(page.server.port, "127.0.0.1");
    let left = first;
    client.pipe(server);
    server.on("data", (bytes) => {
      const rest = bytes.subarray(left);
      client.write(bytes.subarray(0, left));
      left = Math.max(0, left - bytes.length);
      if (rest.length) released.then(() => client.write(rest));
    });
    for (const each of [client, server]) each.on("error", () => client.destroy());
  });
  await new Promise((done) => { proxy.listen(0, "127.0.0.1", done); });
  try {
    await inNewWindow(page, async (tab) => {
      const opened = tab.goto(page.server.url.replace(`:${page.server.port}/`, `:${proxy.address().port}/`), { timeout: 0 });
      await tab.waitForFunction(() => document.querySelector("footer [data-t]"), { timeout: 0, polling: 50 });
      await isPainted(tab);
      same(await sectionTexts(tab), ["Play", "Learn"], "the text before the rest of the page");
      same(await tab.evaluate(() => [document.readyState, document.querySelectorAll(".pit").length]), ["loading", 0], "the page, and pits that the script drew");
      await tab.screenshot({ path: path.join(page.folder, "before-scripts.png") });
      release();
      await isReady(tab);
      await opened;
    });
  } finally {
    release();
    proxy.close();
  }
}

/** The server sends the page in the reader's language, so that the text does not change when the scripts run. */
async function theTextComesInTheLanguageThatTheReaderSelected(page) {
  await inNewWindow(page, async (tab) => {
    const seen = () => tab.evaluate(() => [document.documentElement.lang, document.getElementById("section-play").innerText]);
    await tab.goto(page.server.url, { timeout: 0 });
    await isReady(tab);
    await tab.select("#language", "fr");
    await tab.waitForFunction(() => document.documentElement.lang === "fr", { timeout: 0, polling: 50 });
    await tab.setJavaScriptEnabled(false);
    await tab.goto(page.server.url, { timeout: 0 });
    same(await seen(), ["fr", "Jouer"], "the language without scripts");
  });
}

async function aFirstViewIsSmall(page) {
  await inNewWindow(page, async (tab, network) => {
    const files = new Map();
    let bytes = 0;
    await network.send("Network.enable");
    network.on("Network.responseReceived", ({ requestId, response }) => files.set(requestId, response));
    network.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
    await tab.goto(page.server.url, { waitUntil: "networkidle0", timeout: 0 });
    await isReady(tab);
    const seen = [...files.values()].map(({ url }) => url.slice(page.server.url.length).replace(/\?.*/, ""));
    same(seen.filter((each) => /\.(js|css|json)$/.test(each)), [], "files that are in the page itself");
    for (const { url, headers } of files.values())
      if (!url.includes("/api/") && !Object.entries(headers).some(([name, value]) => name.toLowerCase() === "content-encoding" && value === "gzip")) throw new Error(`${url} is not compressed`);
    console.log(`# a first view has ${files.size} responses and ${bytes} bytes`);
    if (bytes >= FIRST_VIEW) throw new Error(`expected fewer than ${bytes} bytes`);
  });
}

/**
 * If the server was built without esbuild, the script in its page is main.js as it is, which imports the other modules. The
 * server of this test may have been built with esbuild, so the test replaces its page; all modules come from the server.
 */
async function withoutEsbuildThePageLoadsItsModules(page) {
  const folder = path.resolve(page.folder, "unbundled"), tools = `${folder}-tools`;
  rmSync(tools, { recursive: true, force: true });
  mkdirSync(tools);
  for (const each of ["awk", "basename", "cp", "dirname", "gzip", "mkdir", "rm", "sha256sum"]) symlinkSync(`/usr/bin/${each}`, path.join(tools, each));
  const { status } = spawnSync("/bin/sh", ["serve/page.sh", folder], { env: { PATH: tools } });
  const [body, policy] = ["index.en.html", "policy"].map((name) => readFileSync(path.join(folder, name), "utf8"));
  for (const each of [folder, tools]) rmSync(each, { recursive: true });
  same([status, body.includes(readFileSync("serve/page/main.js", "utf8"))], [0, true], "status of page.sh, and whether it leaves the script as it is");
  await inNewWindow(page, async (tab) => {
    const loaded = [], errors = [];
    tab.on("pageerror", (error) => errors.push(String(error)));
    await tab.setRequestInterception(true);
    tab.on("request", (request) => {
      const name = path.basename(new URL(request.url()).pathname);
      if (name.endsWith(".js")) loaded.push(name);
      if (request.isNavigationRequest()) request.respond({ contentType: "text/html; charset=utf-8", headers: { "Content-Security-Policy": policy }, body });
      else request.continue();
    });
    await tab.goto(`${page.server.url}#/analyse`, { timeout: 0 });
    await isReady(tab);
    same(loaded.sort(), readdirSync("serve/page").filter((each) => each.endsWith(".js") && each !== "main.js").sort(), "the modules");
    same([errors, await tab.evaluate(() => document.querySelectorAll("#board .pit.playable").length)], [[], 6], "errors, and pits to play");
  });
}

/** The reader sees why there is nothing but a board. */
async function aServerThatIsGoneIsReported(page) {
  await inNewWindow(page, async (tab) => {
    await tab.setRequestInterception(true);
    tab.on("request", (request) => (request.url().includes("/api/") ? request.abort() : request.continue()));
    await tab.goto(page.server.url, { timeout: 0 });
    await tab.waitForFunction(() => document.getElementById("notice").textContent, { timeout: 0, polling: 50 });
    same(await tab.evaluate(() => [getComputedStyle(document.getElementById("notice")).visibility, document.getElementById("notice").innerText]),
      ["visible", "Can’t reach the server. Is it running?"], "the notice");
    await tab.screenshot({ path: path.join(page.folder, "no-server.png") });
  });
}

/** Readers see what to do if the page cannot run: here its own folder is opened as files. */
async function aPageOpenedFromDiskSaysWhatToDo(page) {
  await inNewWindow(page, async (tab) => {
    await tab.goto(pathToFileURL(path.resolve("serve/page/index.html")).href);
    await tab.evaluate(() => document.getAnimations().forEach((each) => each.finish())); // it appears after some seconds
    const text = await tab.evaluate(() => document.body.innerText);
    if (!text.includes("Start wari serve --db DIR and open the address that it prints")) throw new Error(`expected advice, saw ${text}`);
    await tab.screenshot({ path: path.join(page.folder, "from-disk.png") });
  });
  await page.open();
  same(await page.see(() => document.getElementById("stuck")), null, "the advice on a page that runs");
}

async function withoutTablesThePagePlaysAndAnalysesBySearch(page) {
  const bare = new page.server.constructor(null, "/");
  await bare.start();
  try {
    await page.tab.goto(`${bare.url}#/analyse`);
    await page.settle();
    await page.says("rules-summary", "there are no tables here");
    await page.says("value", "±");
    await page.press("#pit-C");
    await page.until(() => document.body.dataset.shown === "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N");
    await page.see(() => { window.location.hash = "#/statistics"; });
    await page.says("stats-summary", "there are no tables here");
  } finally {
    await page.tab.goto("about:blank");
    await bare.stop();
  }
}

export const tests = [withoutTablesThePagePlaysAndAnalysesBySearch, textAndBoardAreThereAfterOneRoundTrip, theTextIsInTheFirst14kB,
  theTextComesInTheLanguageThatTheReaderSelected, aFirstViewIsSmall, aServerThatIsGoneIsReported, withoutEsbuildThePageLoadsItsModules, aPageOpenedFromDiskSaysWhatToDo];
