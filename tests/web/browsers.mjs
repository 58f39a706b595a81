// The page of `wari serve` in Chromium and Firefox, without windows, driven by puppeteer.
//
//     node tests/web/browsers.mjs PROGRAM FOLDER MODULES
//
// Builds small databases in FOLDER and starts a server; MODULES is where `npm ci` put the packages of
// package.json. Every test runs in Chromium, and tests with `themes` in its dark theme, too. Firefox runs the
// tests with `everywhere`: those whose result depends on the browser. Each browser starts once. Prints "ok" or
// "not ok" for each test and ends with "N passed, M failed". BROWSERS='chromium' selects one of the browsers,
// ONLY='*focus*' some of the tests. TOOL='frames.mjs' runs a tool of this folder in place of the tests, in Chromium:
// frames.mjs measures the animation, latency.mjs the wait on a slow network, games.mjs plays more games, and
// pictures.mjs makes the pictures of the documents.

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { tests as ofAnalyse } from "./analyse.mjs";
import { tests as ofBoard } from "./board.mjs";
import { tests as ofFirstView } from "./first_view.mjs";
import { tests as ofGames } from "./games.mjs";
import { tests as ofLearning } from "./learn.mjs";
import { tests as ofPlay } from "./play.mjs";
import { tests as ofViews } from "./views.mjs";
import { tests as ofVisitors } from "./visitors.mjs";

const [PROGRAM, FOLDER, MODULES] = process.argv.slice(2);
const { default: puppeteer } = await import(createRequire(`${path.resolve(MODULES)}/`).resolve("puppeteer-core"));
const { TOOL } = process.env;
const tests = TOOL ? (await import(`./${TOOL}`)).tools
  : [...ofViews, ...ofPlay, ...ofAnalyse, ...ofBoard, ...ofFirstView, ...ofLearning, ...ofVisitors, ...ofGames];
const PATIENCE = 600000; // time-out of every wait in milliseconds, far more than any step needs
const programs = { chromium: "/usr/bin/chromium", firefox: "/usr/bin/firefox-esr" };

// ---- The server ----

/**
 * With CALLS, the library of tests/calls, the clock of the server advances by a millisecond with each reading. So its searches,
 * which are limited by time and not by depth, end after a fiftieth of the work. run.sh sets CALLS; tools use the real clock.
 */
const fastClock = process.env.CALLS && !TOOL ? { LD_PRELOAD: process.env.CALLS, CLOCK_STEP: "1000000" } : {};

function buildDatabases(database) {
  for (const options of [["--seeds", "12"], ["--seeds", "7", "--rules", "tournament"]]) {
    const { status, stderr } = spawnSync(PROGRAM, ["build", "--db", database, ...options], { encoding: "utf8" });
    if (status !== 0) throw new Error(`the build failed: ${stderr}`);
  }
}

/** A server that can be stopped and restarted on the same port. */
class Server {
  constructor(database, base) {
    Object.assign(this, { database, base, port: 0 });
  }

  async start() {
    const child = spawn(PROGRAM, ["serve", ...(this.database ? ["--db", this.database] : []), "--base", this.base, "--port", String(this.port), "--seconds", "3600"],
      { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...fastClock } });
    this.child = child;
    for await (const line of createInterface({ input: child.stderr })) {
      const found = /listening on (http:\S+:(\d+)\S*)/.exec(line);
      if (!found) continue;
      [, this.url, this.port] = found;
      return;
    }
    throw new Error("the server did not start");
  }

  async stop() {
    const ended = new Promise((done) => this.child.on("exit", done));
    this.child.kill("SIGTERM");
    const status = await ended;
    if (status !== 143) throw new Error(`the server ended with status ${status}`);
  }
}

// ---- A browser ----

const chromiumFlags = () => readFileSync(new URL("chromium.flags", import.meta.url), "utf8").split("\n").filter((line) => line.startsWith("--"));

// Firefox needs a quarter less processor time if one process serves all pages, and without features that tests do not need.
const FIREFOX = { "fission.autostart": false, "dom.ipc.processCount": 1, "dom.ipc.processPrelaunch.enabled": false, "browser.cache.disk.enable": false,
  "browser.sessionhistory.max_total_viewers": 0, "browser.sessionstore.interval": 3600000, "places.history.enabled": false,
  "browser.places.speculativeConnect.enabled": false, "browser.tabs.remote.warmup.enabled": false, "layers.acceleration.disabled": true };

async function launch(name) {
  return puppeteer.launch({
    browser: name === "firefox" ? "firefox" : "chrome", executablePath: programs[name], headless: true,
    args: name === "chromium" ? chromiumFlags() : [],
    extraPrefsFirefox: { ...FIREFOX, "layout.css.prefers-color-scheme.content-override": 1, "ui.prefersReducedMotion": 1, "intl.accept_languages": "en" },
    protocolTimeout: 3 * PATIENCE,
  });
}

/** A tab with the page, as tests use it. */
class Page {
  constructor(tab, server, name) {
    Object.assign(this, { tab, server, name, dark: false, errors: [], modules: MODULES, folder: FOLDER });
    tab.setDefaultTimeout(PATIENCE); // also of navigation, which is 30 seconds otherwise
    tab.on("pageerror", (error) => this.errors.push(String(error)));
    tab.on("dialog", (dialog) => (this.answer ? dialog.accept() : dialog.dismiss()).catch(() => {}));
  }

  /** Opens the page again, with empty storage or with that of `kept`: the Analyse section, unless `query` has a fragment. */
  async open(query = "", { width = 1180, height = 900, kept = {} } = {}) {
    await this.tab.setViewport({ width, height });
    if (this.name === "chromium")
      await this.tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: this.dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }]);
    if (!this.tab.url().startsWith(this.server.url)) await this.tab.goto(`${this.server.url}icon.svg`);
    // Until the page is left, it must neither write its storage again nor change its address. The other address has the effect
    // that the page is loaded even if the new address differs from the old one only by its fragment.
    await this.tab.evaluate((stored) => {
      localStorage.clear();
      sessionStorage.clear();
      for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
      Storage.prototype.setItem = Storage.prototype.removeItem = () => {};
      history.replaceState(null, "", new URL("icon.svg", document.baseURI));
      History.prototype.replaceState = History.prototype.pushState = () => {};
    }, kept);
    await this.tab.goto(this.server.url + query + (query.includes("#") ? "" : "#/analyse"));
    await this.settle();
  }

  /** Changes the size of the window, and waits until the page is drawn in this size. */
  async resize(width, height) {
    await this.tab.setViewport({ width, height });
    await this.see(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
    await this.settle();
  }

  /** Selects another language, and waits until the page is in this language: `word` is the name of the Analyse section in it. */
  async speak(language, word) {
    await this.tab.select("#language", language);
    await this.says("section-analyse", word);
    await this.settle();
  }

  settle() {
    return this.until(() => document.body.dataset.ready === "true");
  }

  /** Waits until `look`, which runs in the page, returns true. */
  async until(look, ...values) {
    try {
      return await this.tab.waitForFunction(look, { timeout: PATIENCE, polling: 50 }, ...values);
    } catch (error) {
      throw error.name === "TimeoutError" ? new Error(`timed out: ${look} ${JSON.stringify(values)}`) : error;
    }
  }

  /** Waits until the text of an element contains `text`. */
  async says(id, text) {
    try {
      await this.until((name, words) => document.getElementById(name).textContent.includes(words), id, text);
    } catch (error) {
      throw new Error(`${error.message}\nexpected "${text}" in #${id}, saw "${await this.text(id)}"`);
    }
  }

  see(look, ...values) {
    return this.tab.evaluate(look, ...values);
  }

  text(id) {
    return this.see((name) => document.getElementById(name).textContent, id);
  }

  /** Saves a picture of the window, or with `fullPage` of the whole page. Chromium is told to spend little time on compression. */
  picture(name, options = {}) {
    const fast = this.name === "chromium" ? { optimizeForSpeed: true } : {};
    return this.tab.screenshot({ path: path.join(this.folder, `${name}.png`), ...fast, ...options });
  }

  async press(selector) {
    await this.tab.locator(selector).setTimeout(PATIENCE).click();
    await this.settle();
  }

  async key(key) {
    await this.tab.keyboard.press(key);
    await this.settle();
  }
}

// ---- All tests ----

const chosen = new RegExp(`^${(process.env.ONLY || "*").replaceAll("*", ".*")}$`);
const count = { passed: 0, failed: 0 };

async function runOne(test, page) {
  const title = `${test.name} (${page.name}${page.dark ? ", dark" : ""})`;
  page.errors.length = 0;
  page.answer = true;
  try {
    await test(page);
    if (page.errors.length) throw new Error(page.errors.join("; "));
    console.log(`ok - ${title}`);
    count.passed++;
  } catch (error) { // a failed test must not hide the others
    console.log(`not ok - ${title}\n    ${String(error.stack).replaceAll("\n", "\n    ")}`);
    await page.tab.screenshot({ path: path.join(FOLDER, `failed-${test.name}-${page.name}.png`) }).catch(() => {});
    count.failed++;
  }
}

/** Starts a browser. A browser that hangs at its start is started again, since that is no fault of the page. */
async function launched(name) {
  for (let left = 2; ; left--) {
    try {
      return await launch(name);
    } catch (error) {
      if (left === 0) throw error;
      console.log(`# ${name} did not start: ${error.message}`);
    }
  }
}

async function runBrowser(name, server) {
  const wanted = tests.filter((test) => chosen.test(test.name) && (name === "chromium" || test.everywhere));
  if (!wanted.length) return;
  const browser = await launched(name);
  try {
    const page = new Page(await browser.newPage(), server, name);
    for (page.dark of name === "chromium" ? [false, true] : [false])
      for (const test of wanted)
        if (!page.dark || test.themes) await runOne(test, page);
  } finally {
    await browser.close();
  }
}

async function main() {
  const database = path.join(FOLDER, "db-browsers");
  buildDatabases(database);
  const server = new Server(database, "/games/wari/");
  await server.start();
  for (const name of (process.env.BROWSERS || (TOOL ? "chromium" : "chromium firefox")).split(" "))
    await runBrowser(name, server);
  await server.stop();
}

await main().catch((error) => { console.log(`not ok - ${error.stack}`); count.failed++; });
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed ? 1 : 0);
