// The page's parser of game records accepts and rejects the same texts as `wari judge`, and reads the same games. The
// page knows no rules, so texts that only the rules forbid are not compared. WARI is the program, WARI_DB a folder
// with a database of each rule set and cycle rule, WARI_PAGE a folder with the modules of the page.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

// The parts of a browser that messages.js needs.
globalThis.window = { location: { search: "", hash: "" }, addEventListener() {} };
globalThis.document = { documentElement: {}, getElementById: () => null, querySelectorAll: () => [], addEventListener() {} };
globalThis.localStorage = { getItem: () => null, setItem() {} };
const load = (name) => import(pathToFileURL(join(process.env.WARI_PAGE, name)));
const { decodeRecord, readGames, rulesOf } = await load("ogn.js");
const { replay } = await load("records.js");
const { diagram, fromDiagram, isDiagram, squaresOf, startPosition } = await load("game.js");

const OF_SHAPE = /is expected(?!.*diagram)|that ends this|after its result|line of a list|numbers and no moves|this is JSON/; // complaints that do not depend on the rules

/** Runs `wari judge` on texts, once for each set of options. Returns the games and messages of each text. */
function judgeAll(texts) {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  const names = texts.map((text, i) => join(folder, String(i)));
  texts.forEach((text, i) => writeFileSync(names[i], text));
  const options = texts.map((text) => [...(text.includes("[Variant") ? [] : ["--rules", "awari"]), "--cycle", text.includes("Abapa") ? "own" : "even"]);
  const found = new Map(names.map((name) => [name, { games: [], said: "" }]));
  for (const each of new Set(options.map((words) => words.join(" ")))) {
    const files = names.filter((_, i) => options[i].join(" ") === each);
    const { stdout, stderr } = spawnSync(process.env.WARI, ["judge", "--db", process.env.WARI_DB, ...each.split(" "), "--json", ...files], { encoding: "utf8", maxBuffer: 1 << 28 });
    for (const game of stdout.split("\n").filter((line) => line.startsWith('{"file"')).map((line) => JSON.parse(line)))
      found.get(game.file).games.push(`${game.start} ${game.moves.map((move) => move.move).join("")}`);
    for (const [line, name] of stderr.matchAll(/^wari judge: ([^:\n]*).*\n/gm)) found.get(name).said += line;
  }
  rmSync(folder, { recursive: true });
  return names.map((name) => found.get(name));
}

function read(text) {
  const { games: all, problems: [error = null] } = readGames(text);
  const games = all.filter((game) => !game.lost);
  const letters = (at) => (at.children.length ? at.children[0].letter + letters(at.children[0]) : "");
  return { games: games.map(({ tags, root }) => `${diagram(tags.FEN ? fromDiagram(tags.FEN) : startPosition())} ${letters(root)}`), error };
}

/** Compares the results of the page and the judge for each text. Returns for each if the judge accepts it. */
function compareAll(texts, nameOf = JSON.stringify) {
  return judgeAll(texts).map((truth, i) => {
    const page = read(texts[i]), taken = !truth.said.includes("skipped"), name = `${nameOf(texts[i], i)}: ${truth.said}`;
    if (taken) assert.deepEqual([page.games, page.error], [truth.games, null], name);
    else if (OF_SHAPE.test(truth.said)) assert.notEqual(page.error, null, name);
    return taken;
  });
}

const SITE = "3,2S,1S,2S/1S,3,2S,3S 20 17 S 50"; // a position in a test of PlayStrategy
const BOARD = "0-0-0-0-0-1-1-0-0-0-0-1-23-22-S";

test("texts that are accepted", () => {
  const texts = [
    "FfEe\nDdCc", "# a list\n\nFf\n; none\n% none\n  Ee *\n", `${BOARD} Ff\nFf 25-23`, "25-23\nFf", '[South "a"]\n(F) E', "1. F f 2. E e", "1. F f\n2. E e\n1. E", "1. F 1. ... f 2 . E e", "", "\n", "% nothing\n",
    "F { a remark } f", "F! f?? $4 E", "\uFEFF[South \"a\"]\nF", '[South"a"]\nF', `[FEN "${BOARD}" ]\nF+2`, '[Event "Final [A]"]\nF f',
    '[South "a"]\n\nF f *\n\n[South "b"]\n\nE e 1-2', '[South "a"]\n*\n[South "b"]\nF', '[South "a"]\n1. F ( 1. E e ( D ) ) f ; and\n2. E *',
    '# first\n  % second\n[South "a"]\nF', '[South "a"]\nF (better: E) f', '[South "a"]\nF (E = x, A) f', '[South "a"]\nF!!! f$4. E',
    '[South "a"]\n{ none }\n[North "b"]\nF', '[South "a"]\n1.\n[North "b"]\nF', "{ none }\nF", "1.\nF", `[FEN " ${BOARD} "]\nF`,
    "d1e2 b2c1 b1f2", '[South "a"]\n1. d1e2! b2c1 2. b1f2 { so } *', "d1e2 f", `${SITE} e1f2`, `${SITE.slice(0, -3)} 1. e1f2+3 b`, `[FEN "${SITE}"]\ne1f2 *`,
    '% first\n[South "a \\" \\\\"]\n% between\nF\n% behind\nf',
  ];
  compareAll(texts).forEach((taken, i) => assert.ok(taken, texts[i]));
});

// Fixed bug: the page took the moves of a variation that repeats a move for the moves that were played.
test("variations that repeat moves of the game are not the game", () => {
  const texts = ["F (F f)", "F (F f) e", "F f (f E e) D (D d (d C)) *", '[South "a"]\n1. F (F f 2. E) e (e D) 2. C 24-24', "1. F f 2. E (F e) (E e)"];
  compareAll(texts).forEach((taken, i) => assert.ok(taken, texts[i]));
  const { games: [{ root }] } = readGames("F (F f $1 { so }) e");
  assert.deepEqual(root.children[0].children.map(({ letter }) => letter), ["e", "f"]);
});

test("texts that are rejected", () => {
  const texts = [
    '[South "a"]\n(F', '[South "a"]\n) F', '[South "a"]\nF ( E', '[South "a"]\nF (E [North "b"] f', '[South "a"]\nF { f', '[South "a"]\nF 1-0 f', "2 5 2 1 1 2", "1. F f\n3. E e",
    '[South "a"]\nF * f', '[South "a"]\nF * *', '[South "a"]\nF * 3.', '[South "a"]\nF * $1', '[South "a"]\nF 1-2.53', '[South\na]\nF',
    '[South "a\n\nb"]\nF', '[South "a"]\nF\u00A0f', '[South "a"]\nF x', "F [South] f", "F g", "F (", "d1e3", "g1f2", '[South "a"]\nF+ f', "F 25-23 f", '[South "a"]\n[North "b',
    "F--f E", '[FEN "F--f"]\nE', '[FEN "4-4-4-4-4-4-4-4-4-4-4-4-0-1-S"]\nE', '[FEN "4 4 4 4 4 4 / 4 4 4 4 4 4"]\nE', "\uFEFF\uFEFFF f", '\uFEFF\uFEFF[South "a"]\nF f',
  ];
  compareAll(texts).forEach((taken, i) => assert.ok(!taken, texts[i]));
});

test("files of the tests", () => {
  const folder = "tests/fuzz/corpus/record", names = readdirSync(folder); // the first byte is not part of the text
  const texts = names.map((name) => readFileSync(join(folder, name), "utf8").slice(1));
  const takes = compareAll([...texts, readFileSync("data/games/village.ogn", "utf8")], (_, i) => names[i] ?? "village");
  assert.ok(takes.at(-1), "village");
});

test("positions and moves of PlayStrategy", () => { // the site's own tests have these
  assert.equal(diagram(fromDiagram(SITE)), "1-0-0-0-2-3-2-1-2-0-0-0-20-17-S");
  assert.equal(diagram(fromDiagram("1S,1,8S,2,3S/2S,1S,1S,2S,2S,2S_13_13_N_50")), "2-1-1-2-2-2-3-0-0-8-0-1-13-13-N");
  assert.equal(diagram(fromDiagram("2S,5/5,2S 23 25 S 56")), "0-0-0-0-0-2-0-0-0-0-0-2-21-23-S"); // stores that include the rows
  for (const text of ["4 4 4 4 4 4 / 4 4 4 4 4 4", "1,1/1,1 S", ""]) assert.ok(!isDiagram(text), text);
  assert.equal(squaresOf(startPosition(), "D"), "d1e2");
  assert.equal(squaresOf(startPosition(), "e"), "b2c1");
  assert.equal(squaresOf(fromDiagram("5,6S/12S,5 20 10 S 1"), "A"), "a1b1"); // the twelfth seed skips the first pit
  const { games: [{ root }] } = readGames("d1e2 b2c1");
  assert.deepEqual([root.children[0].letter, root.children[0].squares, root.children[0].children[0].letter], ["D", "d1e2", "e"]);
});

test("a question mark names no rules", () => {
  assert.deepEqual(rulesOf({ Variant: "Oware Abapa", Cycle: "own" }), { rules: "abapa", cycle: "own" });
  for (const tags of [{ Variant: "?", Cycle: "?" }, { Variant: "-" }, { Variant: "" }, {}])
    assert.deepEqual(rulesOf(tags), { rules: undefined, cycle: undefined });
});

// In this position, D and E are grand slams, which awari forbids, so the game is over and the mover gets all 6 seeds
// (RULES.md). By the rules of the published tables, one of them may be played, so records may contain it. The answers of
// the server are written by hand.
test("the page replays a grand slam that ends an academic game", async () => {
  const p = "0-0-0-3-2-0-1-0-0-0-0-0-21-21-S", pits = [0, 0, 0, 3, 2, 0, 1, 0, 0, 0, 0, 0];
  const end = { end: "no-legal-move", mover: 6, opponent: 0 };
  const slams = [{ move: "D", why: "slam" }, { move: "E", why: "slam" }];
  const replayed = async (moves, data) => {
    globalThis.fetch = async () => ({ ok: true, status: 200, json: async () => ({ position: pits, seeds: 6, moves: [], ...data }) });
    const { games: [game] } = readGames(`[FEN "${p}"]\n${moves}`);
    return replay({ rules: "awari", cycle: "even" }, game);
  };
  for (const moves of ["D *", "E+1 27-21", "D ( E ) *"]) {
    const { root, node, problem } = await replayed(moves, { refused: slams, end });
    assert.equal(problem, "", moves);
    assert.equal(node, root, moves); // the game ends before the slam, with the same score
    assert.deepEqual(node.children, [], moves);
  }
  for (const [moves, data] of [["A *", { refused: slams, end }], ["D *", { refused: slams, end: { ...end, mover: 3, opponent: 3 } }],
    ["D *", { refused: [{ move: "D", why: "feed" }], end }], ["D *", { refused: slams, end: null }]])
    assert.match((await replayed(moves, data)).problem, /^record.illegal/, moves);
});

test("the records of tests/data/records are read as written beside them", () => {
  const folder = "tests/data/records", names = readdirSync(folder).filter((name) => name.endsWith(".expected")).map((name) => name.replace(".expected", ".ogn"));
  assert.ok(names.length >= 60);
  for (const name of names) {
    const { text, remark, problem } = decodeRecord(readFileSync(join(folder, name)));
    const { games, problems, remarks } = readGames(text);
    const kindOf = (key) => key.replace("record.remark-", "");
    const found = [...(remark ? [remark] : []), ...remarks].map((each) => `remark ${each.line}:${each.column} ${kindOf(each.key)}`);
    for (const each of [...(problem ? [problem] : []), ...problems]) found.push(`lost ${each.game} at ${each.line}:${each.column}`);
    for (const { tags, root, result, line, lost } of games) {
      if (lost) continue;
      const moves = [];
      for (let at = root.children[0]; at; at = at.children[0]) moves.push(at);
      found.push(`game ${line} ${moves.map((each) => each.letter).join("") || "-"}${result ? ` ${result}` : ""}`);
      for (const side of ["South", "North"]) if (tags[side]) found.push(`tag ${line} ${side} ${tags[side]}`);
      if (tags.FEN) found.push(`start ${line} ${tags.FEN}`);
      moves.forEach(({ comment }, i) => {
        const all = [i === 0 ? root.comment : "", comment].filter(Boolean).join(" "); // a comment before the first move belongs to that move
        if (all) found.push(`comment ${line} ${i + 1} ${all}`);
      });
    }
    // The page does not know the rules. If only the rules make a game unreadable, the page reads its moves.
    const whole = readFileSync(join(folder, name.replace(".ogn", ".expected")), "utf8").split("\n").filter(Boolean);
    const page = whole.filter((line) => line.startsWith("page ")).map((line) => line.slice(5));
    if (page.length) {
      assert.deepEqual([problems, games.map(({ root }) => { let all = ""; for (let at = root.children[0]; at; at = at.children[0]) all += at.letter; return all; })], [[], page], name);
      continue;
    }
    assert.deepEqual(found.sort(), whole.sort(), name);
  }
});
