// The package in Node returns the values that `wari export` writes, however the book is read.
//
// WARI_TEST is a folder with o.book (tournament), its values.csv, the package in node_modules, and load.mjs, which
// exports what the package exports.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, copyFileSync, openSync, readFileSync, readdirSync, readlinkSync, truncateSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const folder = process.env.WARI_TEST;
const { WariError, legalMoves, open, openInWorker } = await import(pathToFileURL(join(folder, "load.mjs")));
const { Pages } = await import("../../bindings/js/source.js");
const path = join(folder, "o.book");
const bytes = new Uint8Array(readFileSync(path));
const values = readFileSync(join(folder, "values.csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(","));
const small = values.filter((_, i) => i % 97 === 0);

const fails = (status, words) => (error) => error instanceof WariError && error.status === status && error.message.includes(words);

/** Runs `use` with the URL of a server of the book; `answer(request, response)` may replace its behaviour. */
async function served(answer, use) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.headers.range || "whole");
    answer(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${server.address().port}/o.book`, requests);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function byRanges(request, response, change = (part) => part) {
  const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range);
  const part = bytes.subarray(Number(first), Number(last) + 1);
  response.writeHead(206, { "Content-Range": `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}` });
  response.end(change(part));
}

async function agrees(book, list = small) {
  for (const [position, value] of list) assert.equal(await book.value(position), Number(value), position);
}

test("every value is that of the library", async () => {
  const book = await open(path);
  assert.deepEqual([book.rules, book.cycle, book.size], ["abapa", "own", bytes.length]);
  await agrees(book, values);
});

test("bytes, addresses of files and chosen files are read, too", async () => {
  for (const from of [bytes, bytes.buffer, pathToFileURL(path), String(pathToFileURL(path)), new Blob([bytes])]) await agrees(await open(from));
});

test("moves come best first, and each is worth what the position after it says", async () => {
  const book = await open(bytes);
  for (const [position, value] of small) {
    const moves = await book.moves(position);
    const legal = await legalMoves("abapa", position);
    assert.deepEqual(moves.map((move) => move.letter).sort(), legal.moves.map((move) => move.letter));
    assert.equal(moves.length ? moves[0].value : legal.endValue, Number(value));
    for (const move of moves) assert.equal(move.value, move.captured - (await book.value(move.next)));
  }
});

test("a server that knows ranges sends a part, one that does not the whole, once", async () => {
  await served(byRanges, async (url, requests) => {
    const book = await open(url);
    await agrees(book, small.slice(0, 3));
    assert.equal(requests.includes("whole"), false);
    await agrees(book);
  });
  await served((request, response) => response.end(bytes), async (url, requests) => {
    await agrees(await open(url));
    assert.equal(requests.length, 1);
  });
  await served((request, response) => response.end(bytes), async (url, requests) => {
    await agrees(await open(url, { whole: true }));
    assert.deepEqual(requests, ["whole"]);
  });
});

test("values that are asked for at once do not mix, and come however late the bytes are", async () => {
  const late = { size: bytes.length, read: (offset, length) => new Promise((resolve) => setTimeout(resolve, offset % 3, bytes.slice(offset, offset + length))) };
  for (const from of [bytes, late]) {
    const book = await open(from);
    const found = await Promise.all(small.map(([position]) => book.value(position)));
    assert.deepEqual(found, small.map(([, value]) => Number(value)));
  }
});

test("a server that forgets ranges in between is understood, one that lies is not", async () => {
  let count = 0;
  const forgets = (request, response) => (count++ === 0 ? byRanges(request, response) : response.end(bytes));
  await served(forgets, async (url) => agrees(await open(url)));
  const hides = (request, response) => response.writeHead(request.headers.range ? 206 : 200).end(request.headers.range ? bytes.subarray(0, 100) : bytes);
  await served(hides, async (url, requests) => {
    await agrees(await open(url));
    assert.equal(requests.length, 2);
  });
  const short = (request, response) => byRanges(request, response, (part) => part.subarray(1));
  await served(short, (url) => assert.rejects(open(url), fails("not read", "other bytes")));
  await served((request, response) => response.writeHead(404).end(), (url) => assert.rejects(open(url), fails("not read", "404")));
  await assert.rejects(open("http://127.0.0.1:1/none"), fails("not read", ""));
});

test("a failure of a source is reported, and the next call tries again", async () => {
  let broken = false;
  const source = { size: bytes.length, read: (offset, length) => { if (broken) throw new Error("no line"); return bytes.subarray(offset, offset + length); } };
  const book = await open(source);
  broken = true;
  await assert.rejects(agrees(book), fails("not read", "no line"));
  broken = false;
  await agrees(book);
  await assert.rejects(open({ size: 1e6, read: () => new Uint8Array(3) }), fails("not read", "not available"));
  await assert.rejects(open({ size: NaN, read: () => bytes }), fails("bad input", "size"));
});

test("whatever a source throws becomes a WariError", async () => {
  for (const [thrown, words] of [[null, "no reason"], [undefined, "no reason"], ["no line", "no line"], [{ message: 3 }, "no reason"], [Symbol("x"), "no reason"]]) {
    const fail = () => { throw thrown; };
    await assert.rejects(open({ size: 1e6, read: fail }), fails("not read", words));
    await assert.rejects(open("http://127.0.0.1:1/none", { fetch: fail }), fails("not read", words));
  }
});

/** Returns how many times this process has the file open. */
const timesOpen = (name) => readdirSync("/proc/self/fd").filter((fd) => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === name;
  } catch {
    return false; // the descriptor of the folder itself
  }
}).length;

test("what is no regular file is refused at once", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  let waits = false;
  const end = setTimeout(() => { // releases a reader that waits
    waits = true;
    closeSync(openSync(pipe, "r+"));
  }, 100000);
  for (const from of [pipe, pathToFileURL(pipe), folder, "/dev/null", "/dev/zero"]) await assert.rejects(open(from), fails("bad input", "not a regular file"));
  clearTimeout(end);
  assert.equal(waits, false, "timed out: somebody waits for the pipe");
  assert.equal(timesOpen(pipe) + timesOpen("/dev/zero"), 0);
});

test("a file of more than 2 GB is read in parts", async () => {
  const large = join(folder, "large.book");
  copyFileSync(path, large);
  truncateSync(large, 3 * 2 ** 30);
  await assert.rejects(open(large), fails("damaged", "longer"));
});

test("a file is closed with its book, and where it is refused", async () => {
  const own = join(folder, "own.book"); // not opened by any other test
  copyFileSync(path, own);
  const book = await open(own);
  await agrees(book, small.slice(0, 3));
  assert.equal(timesOpen(own), 1);
  await book.close();
  await book.close();
  await assert.rejects(book.value(small[0][0]), fails("bad input", "closed"));
  await assert.rejects(open(own, { rules: "awari" }), fails("mismatch", ""));
  await agrees(await open(own, { whole: true }));
  assert.equal(timesOpen(own), 0);
  const cut = join(folder, "cut.book");
  copyFileSync(path, cut);
  const shorter = await open(cut);
  truncateSync(cut, 100);
  await assert.rejects(agrees(shorter), fails("not read", "shorter"));
  await shorter.close();
  await assert.rejects(open(cut), fails("damaged", ""));
  assert.equal(timesOpen(cut), 0);
});

test("the file of a book that is forgotten is closed, too", async () => {
  const warned = [];
  process.on("warning", (warning) => warned.push(warning));
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const lost = join(folder, "lost.book");
  copyFileSync(path, lost);
  await (async () => agrees(await open(lost), small.slice(0, 3)))();
  for (let i = 0; i < 10000 && timesOpen(lost); i++) { // up to a hundred seconds, until the garbage collector has run
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.deepEqual([timesOpen(lost), warned], [0, []]);
});

test("a source that shrinks, or takes back the bytes that it gave, is no trap", async () => {
  const read = (offset, length) => bytes.slice(offset, offset + length);
  let asked = 0;
  const shrinks = { get size() { return asked++ === 0 ? bytes.length : 100; }, read };
  await agrees(await open(shrinks));
  assert.equal(asked, 1);
  const last = new Uint8Array(1 << 14);
  const reuses = { size: bytes.length, read: (offset, length) => (last.set(bytes.subarray(offset, offset + length)), last.subarray(0, length)) };
  await agrees(await open(reuses));
  const given = [];
  const takesBack = { size: bytes.length, read: (offset, length) => (given.push(read(offset, length)), given.at(-1)) };
  const book = await open(takesBack);
  for (const { buffer } of given) structuredClone(buffer, { transfer: [buffer] });
  await agrees(book);
  const pages = new Pages({ size: 100, read });
  pages.missing = 0;
  await pages.more();
  assert.equal(pages.copy(90, new Uint8Array(11)), false);
  assert.equal(pages.copy(90, new Uint8Array(10)), true);
});

test("transferred or resized bytes are reported, before and after the book is opened", async () => {
  const gone = bytes.slice();
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  for (const from of [gone, gone.buffer]) await assert.rejects(open(from), fails("bad input", "transferred"));
  const changes = [(buffer) => structuredClone(buffer, { transfer: [buffer] })];
  if (ArrayBuffer.prototype.resize) changes.push((buffer) => buffer.resize(100));
  for (const change of changes) {
    const buffer = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length });
    new Uint8Array(buffer).set(bytes);
    const book = await open(buffer);
    await agrees(book, small.slice(0, 3));
    change(buffer);
    await assert.rejects(agrees(book), fails("not read", "transferred"));
  }
});

/** Bytes that misstate their number, and where they are. */
class Lying extends Uint8Array {
  get length() { return 1 << 14; }
  get byteOffset() { return 5; }
  get buffer() { return new ArrayBuffer(3); }
}

// Fixed bug: open() never returned.
test("an array that misstates its length is copied, and the copy is checked", async () => {
  for (const count of [0, 100, 1 << 15])
    await assert.rejects(open({ size: 1e6, read: () => new Lying(count) }), fails("not read", "not available"));
  await agrees(await open(new Lying(bytes)));
  const fakes = [Object.create(Uint8Array.prototype), new Proxy(bytes, {}), { length: 1 << 14 }, new Uint16Array(1 << 14), "x".repeat(1 << 14)];
  for (const fake of fakes) await assert.rejects(open({ size: 1e6, read: () => fake }), fails("not read", "not available"));
});

test("arguments that misstate their length, change, or cannot be read are bad input", async () => {
  const book = await open(bytes);
  const gone = new Uint8Array(12);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  const shrinking = { get length() { delete this[11]; return 12; }, ...Array(12).fill(0) };
  const throwing = { get length() { throw new Error("x"); } };
  for (const wrong of [gone, { length: 2 ** 53 }, { length: 12 }, shrinking, throwing, Symbol("x"), Array(12).fill(0n), Array(12).fill({ valueOf: () => 0 })]) {
    for (const call of [(position) => book.value(position), (position) => book.moves(position), (position) => legalMoves("awari", position)])
      await assert.rejects(call(wrong), fails("bad input", "position"));
  }
  const nameless = Object.create(null);
  for (const options of [{ rules: nameless }, { cycle: nameless }]) await assert.rejects(open(bytes, options), fails("bad input", "cannot be read"));
  await assert.rejects(legalMoves(nameless, small[0][0]), fails("bad input", "cannot be read"));
  await agrees(await open(bytes, null), small.slice(0, 3));
  await assert.rejects(open({ read: () => bytes, get size() { throw new Error("x"); } }), fails("not read", ""));
  for (const from of [nameless, null, undefined, 5, {}, new Uint16Array(3)]) await assert.rejects(open(from), fails("bad input", "a book must be"));
});

// Fixed bug: presets and invalid names were treated as other rule sets.
test("rules are named as everywhere: by rule sets, presets and cycle rules", async () => {
  for (const options of [{ rules: "oware" }, { rules: "tournament", cycle: "own" }, { rules: "abapa" }, { rules: "abapa own" }, { rules: " oware  own ", cycle: "own" }, { cycle: "own" }, { rules: null }, {}])
    assert.equal((await open(bytes, options)).rules, "abapa");
  for (const [options, words] of [[{ rules: "english" }, "not of english"], [{ rules: "abapa", cycle: "even" }, "not of abapa even"]])
    await assert.rejects(open(bytes, options), fails("mismatch", `the book is of abapa own, ${words}`));
  await assert.rejects(open(bytes, { rules: "foo" }), fails("bad input", 'no rule set is called "foo"; the rule sets are awari, '));
  for (const rules of [undefined, null, ""]) await assert.rejects(legalMoves(rules, small[0][0]), fails("bad input", "")); // fixed bug: were those of awari
  for (const rules of ["", "oware\0x", 3, "Oware"]) await assert.rejects(open(bytes, { rules }), fails("bad input", ""));
  await assert.rejects(open(bytes, { cycle: "odd" }), fails("bad input", 'no cycle rule is called "odd"'));
  await assert.rejects(open(bytes, { rules: "oware", cycle: "even" }), fails("bad input", "oware means the cycle rule own, which contradicts even; for that game, name the rule set: abapa"));
  const slam = "0 0 0 3 2 0 / 1 0 0 0 0 0"; // illegal only in wari
  assert.deepEqual(await legalMoves("oware", slam), await legalMoves("abapa", slam));
  assert.equal((await legalMoves("english", slam)).moves.length, 0);
});

test("a book that is cut, changed or of other rules is refused", async () => {
  for (let size = 0; size < bytes.length; size += 1 + (size >> 4)) await assert.rejects(open(bytes.subarray(0, size)), fails("damaged", ""));
  await assert.rejects(open(path, { rules: "awari" }), fails("mismatch", "abapa own"));
  await assert.rejects(open(path, { cycle: "even" }), fails("mismatch", "abapa own"));
  await assert.rejects(open(join(folder, "no.book")), fails("not read", "no.book"));
  const changed = bytes.slice();
  changed[Math.floor(changed.length * 0.7)] ^= 1;
  const book = await open(changed);
  let refused = 0;
  for (const [position, value] of values) {
    const found = await book.value(position).catch((error) => error.status);
    if (found === "damaged") refused++;
    else assert.equal(found, Number(value), position);
  }
  assert.ok(refused > 0);
});

test("many positions are looked up at once", async () => {
  const expected = values.map(([, value]) => Number(value));
  await served(byRanges, async (url) => {
    for (const source of [bytes, path, url]) {
      const book = await open(source);
      const found = await book.values(values.map(([position]) => position));
      assert.ok(found instanceof Int8Array);
      assert.deepEqual([...found], expected);
      assert.equal((await book.values([])).length, 0);
      assert.deepEqual([...(await book.values(new Set([values[0][0]])))], [expected[0]]);
      await book.close();
    }
  });
  const book = await open(bytes);
  await assert.rejects(book.values([values[0][0], "1 1"]), fails("bad input", "positions[1]: column 4: the text ends after 2 of 12"));
  await assert.rejects(book.values([Array(12).fill(4)]), fails("not covered", "positions[0]: "));
  for (const wrong of [null, 3, undefined]) await assert.rejects(book.values(wrong), fails("bad input", "cannot be read"));
  await assert.rejects(book.values(values[0][0]), fails("bad input", "this is one position"));
  await book.close();
  await assert.rejects(book.values(["1"]), fails("bad input", "this book is closed"));
});

test("a worker answers as the book itself does, while the caller's thread is free", async () => {
  const direct = await open(bytes);
  const book = await openInWorker(path, { rules: "oware" });
  assert.deepEqual([book.rules, book.cycle, book.seeds, book.size], [direct.rules, direct.cycle, direct.seeds, direct.size]);
  const positions = values.map(([position]) => position);
  const [all, one, moves] = await Promise.all([book.values(positions), book.value(positions[7]), book.moves(positions[7])]);
  assert.deepEqual([...all], values.map(([, value]) => Number(value)));
  assert.equal(one, Number(values[7][1]));
  assert.deepEqual(moves, await direct.moves(positions[7]));
  await assert.rejects(book.value("1 1"), fails("bad input", "2 of 12 counts"));
  await assert.rejects(book.values(3), fails("bad input", "cannot be read"));
  await assert.rejects(book.values(positions[0]), fails("bad input", "this is one position"));
  await assert.rejects(book.value(() => 0), fails("bad input", "no functions"));
  await book.close();
  await book.close();
  await assert.rejects(book.value(positions[0]), fails("bad input", "closed"));
  await assert.rejects(openInWorker(join(folder, "none.book")), fails("not read", "none.book"));
  await assert.rejects(openInWorker(bytes, { rules: "awari" }), fails("mismatch", "abapa own"));
  await assert.rejects(openInWorker({ size: 1, read: () => bytes }), fails("bad input", "no functions"));
});

// Fixed bug: a call that was waiting for bytes was never answered.
test("closing a book in a worker ends the calls that wait", async () => {
  let asked;
  const waits = new Promise((resolve) => { asked = resolve; });
  const start = bytes.subarray(0, 1 << 15); // enough to open the book
  const stops = (request, response) => {
    if (!request.headers.range.startsWith("bytes=0-")) return asked();
    response.writeHead(206, { "Content-Range": `bytes 0-${start.length - 1}/${bytes.length}` });
    return response.end(start);
  };
  await served(stops, async (url) => {
    const book = await openInWorker(url);
    const answer = assert.rejects(book.values(values.map(([position]) => position)), fails("bad input", "closed"));
    try {
      await Promise.race([waits, answer]);
    } finally {
      await book.close();
    }
    await answer;
  });
});

// By hand: of two seeds in each of B and b, North's move b is that of the player to move.
test("moves of North have small letters", async () => {
  const south = "0-2-0-0-0-0-0-2-0-0-0-0-20-24-S", north = "0-2-0-0-0-0-0-2-0-0-0-0-20-24-N";
  const book = await open(bytes);
  const letters = (moves) => moves.map((move) => move.letter).join("");
  for (const [position, letter] of [[south, "B"], [north, "b"], ["0 2 0 0 0 0 / 0 2 0 0 0 0", "B"], [[0, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0], "B"]]) {
    assert.equal(letters(await book.moves(position)), letter);
    assert.equal(letters((await legalMoves("oware", position)).moves), letter);
  }
});

test("require() gives the same package", async () => {
  const require = createRequire(join(folder, "x.js")), required = require("wari");
  const inWorker = await require("wari/worker").openInWorker(path);
  assert.equal(await inWorker.value(values[3][0]), Number(values[3][1]));
  await inWorker.close();
  const book = await required.open(path);
  assert.equal(await book.value(values[3][0]), Number(values[3][1]));
  assert.equal((await required.legalMoves("oware", values[3][0])).moves.length, (await legalMoves("oware", values[3][0])).moves.length);
  await assert.rejects(required.open(bytes, { rules: "x" }), (error) => error instanceof required.WariError && error instanceof WariError);
  assert.ok(!(new Error("x") instanceof required.WariError));
  await book.close();
});

test("what is no position is refused", async () => {
  const book = await open(bytes);
  await assert.rejects(book.value(Array(12).fill(4)), fails("not covered", "48 seeds"));
  await assert.rejects(book.value([47, ...Array(11).fill(0)]), fails("not covered", "47"));
  for (const wrong of [Array(12).fill(5), [49, ...Array(11).fill(0)], [1, 2], null, [...Array(11).fill(0), 0.5], "1 2 3", "x".repeat(2000), "", "1 1 1 1 1 1 / 1 1 1 1 1 1\0", "\0"])
    await assert.rejects(book.value(wrong), fails("bad input", ""));
  for (const ask of [(position) => book.value(position), (position) => book.moves(position), (position) => legalMoves("awari", position)])
    await assert.rejects(ask("0 1 0 0 1 0 / 0 0 0 0 0 1\0 junk"), fails("bad input", "column 26: NUL"));
  await assert.rejects(legalMoves("chess", "0"), fails("bad input", "chess"));
});
