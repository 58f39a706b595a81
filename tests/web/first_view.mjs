// Tests of what a visitor waits for: the number of round trips and of bytes, and pages that cannot run. Nothing
// here depends on time: requests are held until all that belong to a round trip have been made.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
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

  /** Waits for the request for a file, and lets it continue. */
  async passOne(file) {
    await this.wait(file);
    const request = this.held.get(file);
    this.held.delete(file);
    await request.continue();
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

/** The text needs the page and its style, but no script. */
async function textIsThereAfterTwoRoundTripsAndTheBoardAfterThree(page) {
  await inNewWindow(page, async (tab) => {
    await tab.setRequestInterception(true);
    await tab.setCacheEnabled(true);
    const gate = new Gate(tab, page.server.url);
    const opened = tab.goto(page.server.url, { timeout: 0 });
    await gate.pass("");
    await gate.wait("style.css", "main.js", "messages/en.json", "api/info");
    await gate.passOne("style.css");
    await tab.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length, { timeout: 0, polling: 50 });
    same(await tab.evaluate(() => ["door-play", "door-learn"].map((id) => document.getElementById(id).innerText)), ["Play", "Learn"], "the text before the scripts");
    await tab.screenshot({ path: path.join(page.folder, "before-scripts.png") });
    await gate.pass("main.js", "messages/en.json", "api/info");
    await gate.pass("api/moves");
    await gate.open();
    await isReady(tab);
    await opened;
  });
}

/** The server sends the page in the reader's language, so that the text does not change when the scripts run. */
async function theTextComesInTheLanguageThatTheReaderSelected(page) {
  await inNewWindow(page, async (tab) => {
    const seen = () => tab.evaluate(() => [document.documentElement.lang, document.getElementById("door-play").innerText]);
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
    same(seen.filter((each) => each.endsWith(".js")), ["main.js"], "the scripts");
    same(seen.filter((each) => each.endsWith(".json")), ["messages/en.json"], "the languages");
    for (const { url, headers } of files.values())
      if (!url.includes("/api/") && !Object.entries(headers).some(([name, value]) => name.toLowerCase() === "content-encoding" && value === "gzip")) throw new Error(`${url} is not compressed`);
    console.log(`# a first view has ${files.size} responses and ${bytes} bytes`);
    if (bytes >= FIRST_VIEW) throw new Error(`expected fewer than ${bytes} bytes`);
  });
}

/**
 * If the server was built without esbuild, its main.js imports the other modules. The server of this test may have been built
 * with esbuild, so the test replaces the answer for main.js; all other modules come from the server.
 */
async function withoutEsbuildThePageLoadsItsModules(page) {
  const folder = path.resolve(page.folder, "unbundled"), main = path.join(folder, "main.js");
  rmSync(folder, { recursive: true, force: true });
  cpSync("serve/page", folder, { recursive: true });
  mkdirSync(path.join(folder, "bin"));
  for (const each of ["basename", "dirname"]) symlinkSync(`/usr/bin/${each}`, path.join(folder, "bin", each));
  const { status } = spawnSync("/bin/sh", ["serve/bundle.sh", main], { env: { PATH: path.join(folder, "bin") } });
  const script = readFileSync(main, "utf8");
  rmSync(folder, { recursive: true });
  same([status, script === readFileSync("serve/page/main.js", "utf8")], [0, true], "status of bundle.sh, and whether it leaves the script");
  await inNewWindow(page, async (tab) => {
    const loaded = [], errors = [];
    tab.on("pageerror", (error) => errors.push(String(error)));
    await tab.setRequestInterception(true);
    tab.on("request", (request) => {
      const name = path.basename(new URL(request.url()).pathname);
      if (name.endsWith(".js")) loaded.push(name);
      if (name === "main.js") request.respond({ contentType: "text/javascript; charset=utf-8", body: script });
      else request.continue();
    });
    await tab.goto(`${page.server.url}#/analyse`, { timeout: 0 });
    await isReady(tab);
    same(loaded.sort(), readdirSync("serve/page").filter((each) => each.endsWith(".js")).sort(), "the modules");
    same([errors, await tab.evaluate(() => document.querySelectorAll("#board .pit.playable").length)], [[], 6], "errors, and pits to play");
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

export const tests = [withoutTablesThePagePlaysAndAnalysesBySearch, textIsThereAfterTwoRoundTripsAndTheBoardAfterThree,
  theTextComesInTheLanguageThatTheReaderSelected, aFirstViewIsSmall, withoutEsbuildThePageLoadsItsModules, aPageOpenedFromDiskSaysWhatToDo];
