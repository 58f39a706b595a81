// The static page gives the same answers as `wari serve --book`. WARI_SERVER is the URL of a server, WARI_SITE the folder
// made by bindings/js/site/build.sh.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

// For the search, each reading of the clock is 20 milliseconds later: so it visits equally many positions on all machines.
let milliseconds = 0;
Object.defineProperty(performance, "now", { value: () => (milliseconds += 20) });

/** Number of repetitions; fewer in a small run. */
const scale = (full, small) => (process.env.WARI_TEST_SCALE === "small" ? small : full);

const site = process.env.WARI_SITE;
const { Answers } = await import(pathToFileURL(join(site, "answers.js")));
const answers = await Answers.open(join(site, "oware.book"), {});
const { rules, cycle, seeds_max: most } = (await answers.answer("api/info", {})).data.databases[0];

async function served(path, args = {}, options = {}) {
  const response = await fetch(`${process.env.WARI_SERVER}/${path}?${new URLSearchParams({ ...(path === "api/info" ? {} : { rules, cycle }), ...args })}`, options);
  return { ok: response.ok, status: response.status, data: await response.json() };
}

/** Checks that `whole` contains all members of `of`. */
function agree(of, whole, leaveOut = []) {
  for (const [key, value] of Object.entries(of)) if (!leaveOut.includes(key)) assert.deepEqual(value, whole[key], key);
}

const byLetter = (moves) => [...moves].sort((one, other) => one.move.localeCompare(other.move));

let seed = 1;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;

function positions(count) {
  return Array.from({ length: count }, () => {
    const pits = Array(12).fill(0);
    for (let left = random(most + 3); left > 0; left--) pits[random(12)]++;
    const rest = 48 - pits.reduce((sum, pit) => sum + pit, 0);
    return random(2) ? pits.join(" ") : [...pits, rest - (rest >> 1), rest >> 1, "SN"[random(2)]].join("-");
  });
}

// Above the book only the server answers. It also orders equal moves by progress, which determines its line.
test("positions and moves are answered as the server does", async () => {
  for (const p of positions(scale(100, 40))) {
    const moves = await answers.answer("api/moves", { p });
    assert.deepEqual(moves, await served("api/moves", { p }), p);
    const own = await answers.answer("api/position", { p });
    const theirs = await served("api/position", { p });
    assert.equal(own.status, theirs.status, p);
    if (!own.ok) continue;
    agree(own.data, theirs.data, ["moves", "line", "end", "repeats_from"]);
    assert.deepEqual(own.data.moves.map((move) => move.value), theirs.data.moves.map((move) => move.value), p);
    assert.deepEqual(byLetter(own.data.moves), byLetter(theirs.data.moves), p);
  }
});

// Positions with two seeds more than the book. WARI_TRUTH has their values, computed by the solver.
test("above the book a search says what is proven, and that is so", async () => {
  let exact = 0;
  for (const line of readFileSync(process.env.WARI_TRUTH, "utf8").trim().split("\n")) {
    const [p, value] = line.split(",");
    let found = await answers.answer("api/analysis", { p });
    for (let i = 0; i < 5 && found.data.state === "searching"; i++) found = await answers.answer("api/analysis", { p });
    assert.equal(found.status, 200, p);
    const { kind, bounds, moves } = found.data;
    if (kind === "exact") assert.equal(found.data.value, Number(value), p);
    else assert.ok(bounds[0] <= Number(value) && Number(value) <= bounds[1], p);
    exact += kind === "exact";
    const legal = (await answers.answer("api/moves", { p })).data.moves;
    assert.deepEqual(byLetter(moves).map((move) => move.move), byLetter(legal).map((move) => move.move), p);
  }
  assert.ok(exact > 0);
});

test("levels play what they play on the server", async () => {
  for (const p of positions(scale(30, 10))) {
    for (const level of ["first-steps", "beginner", "easy", "medium", "hard"]) {
      const args = { p, level, seed: String(random(1000)) };
      const own = await answers.answer("api/move", args);
      const theirs = await served("api/move", args);
      assert.equal(own.status, theirs.status, p);
      if (own.ok) assert.deepEqual(own.data, theirs.data, `${p} ${level}`);
    }
  }
  for (let i = 0; ; i++) {
    const { data } = await answers.answer("api/move", { p: "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", level: "master", seed: "1" });
    assert.ok(i < 200);
    if (data.state !== "done") continue;
    assert.match(data.move, /^[A-F]$/);
    break;
  }
  for (const level of [undefined, "none", "x".repeat(100)]) assert.equal((await answers.answer("api/move", { p: "1 1 1 1 1 1 1 1 1 1 1 1", level, seed: "1" })).status, 400);
});

test("a line is played move by move and ends as it says", async () => {
  for (const p of positions(scale(20, 10))) {
    const { ok, data } = await answers.answer("api/position", { p });
    if (!ok) continue;
    let at = p;
    const seen = [];
    for (const letter of data.line) {
      const { moves } = (await served("api/moves", { p: at })).data;
      const move = moves.find((each) => each.move.toUpperCase() === letter.toUpperCase());
      assert.ok(move, `${letter} in ${data.line.join("")} of ${p}`);
      seen.push(at.length > 24 && seen.length === 0 ? null : at);
      at = move.next.join(" ");
    }
    const { moves } = (await served("api/moves", { p: at })).data;
    if (data.end === "over") assert.equal(moves.length, 0, p);
    if (data.end === "repetition" && data.repeats_from > 0) assert.equal(at, seen[data.repeats_from], p);
  }
});

/** Checks that server and site judge a game alike. Returns the answer. */
async function sameGame(p, letters) {
  const game = await served("api/game", {}, { method: "POST", headers: { "Content-Type": "text/plain" }, body: `[FEN "${p}"]\n${letters.join(" ")}` });
  const own = await answers.answer("api/game", {}, { position: p, line: letters.map((letter) => ({ letter })) });
  assert.equal(own.status, game.status, `${p} ${letters.join("")}`);
  if (own.ok) assert.deepEqual({ ...own.data, remarks: null }, { ...game.data, remarks: null }, `${p} ${letters.join("")}`);
  return game.data;
}

// Fixed bug: a third repetition gave no result. Both sides play the first of the best moves.
test("a position that comes back ends games as the server says", async () => {
  const times = new Set();
  for (const p of ["1-0-1-0-0-0-1-0-0-0-0-0-23-22-S", "0-0-0-1-0-0-0-0-1-0-0-0-23-23-N", ...positions(scale(10, 5)).filter((each) => each.includes("-"))]) {
    const letters = [];
    for (let at = p; letters.length < 60;) {
      const { data } = await answers.answer("api/position", { p: at });
      if (!data.moves?.length) break;
      letters.push(data.moves[0].move);
      const { end } = (await answers.answer("api/game", {}, { position: p, line: letters.map((letter) => ({ letter })) })).data;
      if (end === at) break;
      at = end;
      const { repetition } = letters.length % 5 && letters.length < 50 ? {} : await sameGame(p, letters);
      if (repetition) times.add(repetition.times);
    }
    if (letters.length) await sameGame(p, letters);
  }
  if (rules === "abapa") assert.ok(times.has(3), [...times].join());
});

test("a game goes on as the server lets it", async () => {
  for (const p of positions(20).filter((each) => each.includes("-"))) await sameGame(p, Array.from({ length: 8 }, (_, i) => "ABCDEFabcdef"[6 * (i % 2) + random(6)]));
});

test("47 seeds are covered by no book", async () => {
  const { book } = answers;
  const seeds = book.seeds;
  book.seeds = 48; // as in a book of all levels
  const p = "4-4-4-4-4-4-4-4-4-4-4-3-0-1-S";
  const [found, game] = [await answers.answer("api/analysis", { p }), await answers.answer("api/game", {}, { position: p, line: [{ letter: "A" }] })];
  book.seeds = seeds;
  assert.notEqual(found.data.kind, "exact");
  assert.deepEqual([found.status, game.status, game.data.score], [200, 200, null]);
});

test("games are judged as the server does", async () => {
  for (const p of positions(scale(30, 12)).filter((each) => each.includes("-"))) {
    const letters = [];
    let at = p;
    for (let i = 0; i < 12; i++) {
      const { data } = await served("api/moves", { p: at });
      if (!data.moves?.length) break;
      letters.push(data.moves[random(data.moves.length)].move);
      at = (await sameGame(p, letters)).end;
    }
  }
  const status = async (game) => (await answers.answer("api/game", {}, game)).status;
  assert.equal(await status({ line: [{ letter: "f" }] }), 400);
  assert.equal(await status({ position: "1 1", line: [] }), 400);
});

/** Polls the review of a game until it is complete. Returns it, and how many requests it took. */
async function reviewed(game) {
  for (let requests = 1; ; requests++) {
    const { status, data } = await answers.answer("api/review", {}, game);
    assert.equal(status, 200);
    if (data.plies) return { data, requests };
    assert.ok(requests < 200 && data.done < data.count);
  }
}

// The server reviews positions of the book without a search, so that both must find the same.
test("a review of positions in the book is that of the server", async () => {
  for (const p of positions(scale(20, 8)).filter((each) => each.includes("-"))) {
    const letters = [];
    for (let at = p; letters.length < 10;) {
      const { data } = await answers.answer("api/moves", { p: at });
      if (!data.moves?.length || data.seeds > most) break;
      letters.push(data.moves[random(data.moves.length)].move);
      at = (await answers.answer("api/game", {}, { position: p, line: letters.map((letter) => ({ letter })) })).data.end;
    }
    if (!letters.length) continue;
    const body = `[FEN "${p}"]\n${letters.join(" ")}`;
    const theirs = await served("api/review", {}, { method: "POST", headers: { "Content-Type": "text/plain" }, body });
    const { data, requests } = await reviewed({ position: p, line: letters.map((letter) => ({ letter })) });
    assert.equal(requests, 1);
    for (const side of [...Object.values(data.review), ...Object.values(theirs.data.review)]) side.accuracy = side.accuracy.toFixed(6); // sums in another order
    assert.deepEqual(data, theirs.data, `${p} ${letters.join("")}`);
  }
});

test("a game from the start is reviewed move by move, whatever the number of seeds", async () => {
  const game = { line: [..."EcFdAe"].map((letter) => ({ letter })) };
  const { data, requests } = await reviewed(game);
  assert.ok(requests > 1); // a request takes no longer than a moment
  assert.equal(data.plies.length, 6);
  for (const ply of data.plies) assert.ok(ply.loss >= 0 && ply.proven_loss <= ply.loss && ply.value >= ply.played, JSON.stringify(ply));
  assert.deepEqual([data.review.South.moves, data.review.North.moves], [3, 3]);
  assert.ok(data.review.South.accuracy > 0 && data.review.South.accuracy <= 100);
  assert.equal((await answers.answer("api/review", {}, { line: [{ letter: "f" }] })).status, 400);
});

// Fixed bug: every record was judged by the rules of the book, even if it named other rules.
test("a record that does not fit the book is refused", async () => {
  const status = async (game) => (await answers.answer("api/game", {}, { line: [{ letter: "A" }], ...game })).status;
  assert.equal(await status({ rules, cycle }), 200);
  assert.equal(await status({ rules: rules === "abapa" ? "awari" : "abapa" }), 404);
  assert.equal(await status({ rules: "frisian" }), 404);
  assert.equal(await status({ cycle: cycle === "own" ? "even" : "own" }), 404);
  assert.equal(await status({ line: [{ letter: "A", captured: 0 }, { letter: "a" }] }), 200);
  assert.equal(await status({ line: [{ letter: "A", captured: 3 }, { letter: "a" }] }), 400);
});

/** Asks both about a game like "Aab+2", and checks that the answers have the same status. */
async function sameStatus(p, text) {
  const body = `[Rules "${rules}"]\n[FEN "${p}"]\n${text}`;
  const game = await served("api/game", {}, { method: "POST", headers: { "Content-Type": "text/plain" }, body });
  const line = [...text.matchAll(/([A-Fa-f])(?:\+(\d+))?/g)].map(([, letter, seeds]) => ({ letter, ...(seeds && { captured: Number(seeds) }) }));
  const own = await answers.answer("api/game", {}, { position: p, line });
  assert.equal(own.status, game.status, `${p} ${text}`);
  return own.status;
}

// Aualé ends a game when a position occurs for the second time, and adds the seeds of a side's row to its last move. Here one
// seed is in each row, and the position occurs for the third time, the third, the second and the first.
test("the last move may capture what the end of the game brings", async () => {
  const p = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S";
  const round = "AaBbCcDdEeFf";
  const found = [];
  for (const text of [`${round}${round}+1`, `${round}${round}+2`, `${round}+1`, "A+1"]) found.push(await sameStatus(p, text));
  if (["abapa", "awari"].includes(rules)) assert.deepEqual(found, [200, 400, 200, 400]);
});

// Both moves are slams. South gets the 6 seeds of the board whether it makes one or not.
test("under awari a player without another move may end the game by a slam", async () => {
  const p = "0-0-0-3-2-0-1-0-0-0-0-0-21-21-S";
  for (const letter of "ADE") {
    if (!["awari", "abapa"].includes(rules)) break; // elsewhere a slam is a legal move
    const end = await sameGame(p, [letter]);
    if (rules === "awari" && letter !== "A") assert.deepEqual(end.score, [27, 21], letter);
  }
});

test("statistics and information are what the server says", async () => {
  agree((await answers.answer("api/stats", {})).data, (await served("api/stats")).data);
  const [own, theirs] = [(await answers.answer("api/info", {})).data, (await served("api/info")).data];
  agree(own.databases[0], theirs.databases[0]);
  assert.equal(own.version, theirs.version); // fixed bug: the page's footer showed "wari {version}."
  const used = new Set(readFileSync("serve/page/main.js", "utf8").match(/(?<=answer\.data\.)\w+/g).filter((key) => key in theirs));
  assert.ok(used.has("version") && used.has("databases"));
  for (const key of used) assert.equal(typeof own[key], typeof theirs[key], key);
});

test("invalid requests and positions are rejected", async () => {
  assert.equal((await answers.answer("api/none", {})).status, 404);
  for (const p of ["", "1 1", "x", undefined]) assert.equal((await answers.answer("api/moves", { p })).status, 400);
});

test("the page caches all of its files", () => {
  const script = readFileSync(join(site, "offline.js"), "utf8");
  const files = JSON.parse(/FILES = (\[.*),\];/.exec(script)[1] + "]");
  const listed = files.filter((each) => each !== "./").map((each) => each.slice(2)).sort();
  const present = ["", "messages/"].flatMap((folder) => readdirSync(join(site, folder), { withFileTypes: true })
    .filter((each) => each.isFile() && !["LICENSE", "offline.js"].includes(each.name)).map((each) => folder + each.name)).sort();
  assert.deepEqual(listed, present);
});

test("each number has a puzzle of the chosen difficulty", async () => {
  const puzzles = [1, 2, 5, 9].map((difficulty) => ({ difficulty }));
  const own = await Answers.open(join(site, "oware.book"), {}, () => puzzles);
  const ask = async (args) => (await own.answer("api/puzzle", args));
  assert.deepEqual((await ask({ seed: "5" })).data, { difficulty: 2 });
  assert.deepEqual((await ask({ seed: "2147483647", easiest: "5", hardest: "8" })).data, { difficulty: 5 });
  assert.equal((await ask({ seed: "1", easiest: "10", hardest: "13" })).status, 404);
  for (const args of [{}, { seed: "0" }, { seed: "x" }, { seed: "1", easiest: "14" }]) assert.equal((await ask(args)).status, 400);
});
