// Game records in OGN (described in wari-judge(1)): parses text into trees, and writes trees as text.
// This file knows no rules: the caller checks the moves of a record one by one. The files of tests/data/records/ check that
// the page and the program read the same language.

import { diagram, isSetup, letterOfSquares, startPosition } from "./game.js";
import { sideText } from "./messages.js";
import { COMMENT_MAX, isNorths, MARKS, numberAfter } from "./tree.js";

export const MOVES_MAX = 5000; // per game; each move needs a request to the server

const NAME_MAX = 63; // characters of a tag's name
const REREAD_MAX = 1 << 20; // characters of lost games that may be read again, beyond the length of the text
const LINE_BLANKS = /[ \t\v\f\r]*/y;
const PERIODS = /[.…]/y;
const LETTER = /((?:[a-f][12]){2}(?!\w)|[A-Fa-f])(?:\+(\d+))?([!?]*)/y; // a letter, or two squares of PlayStrategy
// A line of a list may begin with a diagram or a position of PlayStrategy.
const DIAGRAM = /(?:[^ \t\n\v\f\r-]*-){2}[^ \t\n\v\f\r]*|[\dS,]+\/[\dS,]+[ \t]*\d*[ \t]*\d*[ \t]*[SN](?:[ \t]+\d+(?![\d.]))?/y;
const FIRST_NUMBER = /[ \t\v\f\r]*(\d+)[ \t]*[.…]/y; // "2." at the start of a line
const JSON_START = /\{\s*"/y; // in a record, these characters would begin a comment
const VALUE = /((?:[^"\\\n\0]+|\\["\\]|\\|\n(?![ \t\v\f\r]*(?:[\n[]|$)))*)(["\0]?)/y; // continues on a line that is no tag
const WORD = /[A-Za-z]*[G-Zg-z][A-Za-z]*/y; // in a variation: a word that is not made of moves
const SIDE = String.raw`1\/2|\d+(?:[.,]5|½)?|½`;
const RESULT = new RegExp(`(${SIDE})[ \\t]*[-:\\u2010-\\u2015\\u2212][ \\t]*(${SIDE})(?=$|[{;([ \\t\\n\\v\\f\\r])`, "y");

const move = (letter, mark) => ({ letter, mark, comment: "", result: "", children: [] });
const joined = (comment, more) => comment.length >= COMMENT_MAX ? comment : `${comment} ${more}`.replace(/\s+/g, " ").trim().slice(0, COMMENT_MAX);

/** Returns the match of a sticky expression at a place of the text, or null. */
function matchAt(expression, text, place) {
  expression.lastIndex = place;
  return expression.exec(text);
}

/** Returns the usual form of a result such as "25 – 23", or "" if it counts points of a match, such as 1-0, and not seeds. */
function usualScore([, ...sides]) {
  const [south, north] = sides.map((side) => (/^\d+(?!\/)/.exec(side)?.[0] ?? "0") + (/½|[.,/]/.test(side) ? ".5" : ""));
  return Number(south) + Number(north) === 1 ? "" : `${south}-${north}`;
}

/** A game that cannot be read, because of what is at this place of the text. */
class Lost {
  constructor(place, key = "record.unclear") {
    Object.assign(this, { place, key });
  }
}

/** Reads games as play/record/record_read.c does, and stops at the same places: the functions there have the same names. */
class Reader {
  constructor(text) {
    Object.assign(this, { text, at: 0, games: [], problems: [], remarks: [], examined: 0, reread: 0, noBrace: text.length + 1 });
    this.list = /^[ \t\v\f\r]*([^ \t\v\f\r\n#%;])/m.exec(text)?.[1] !== "[";
  }

  remark(place, key, values) {
    this.remarks.push({ place, key, ...values });
  }

  next() {
    return this.view[this.at];
  }

  lineEnd(place) {
    const end = this.text.indexOf("\n", place);
    return end < 0 ? this.text.length : end;
  }

  endAt(end) {
    this.view = this.text.slice(0, end);
  }

  skipOnLine() {
    this.at += matchAt(LINE_BLANKS, this.view, this.at)[0].length;
  }

  /** Skips white space, and lines that are ignored within a game. */
  skipBlanks() {
    for (; this.at < this.view.length; this.at++) {
      const c = this.next();
      if (/[%#]/.test(c) || (c === ";" && this.list)) {
        if (/[^ \t\v\f\r]/.test(this.text.slice(this.text.lastIndexOf("\n", this.at - 1) + 1, this.at))) return;
        this.at = Math.min(this.lineEnd(this.at), this.view.length) - 1;
      } else if (!/[ \t\n\v\f\r]/.test(c)) return;
    }
  }

  // ---- Tags ----

  /** Goes to `c` if only white space with at most one line end precedes it. Returns true if there is a line end. */
  seekInTag(c) {
    this.skipOnLine();
    if (this.next() !== "\n") return false;
    const end = this.at++;
    this.skipOnLine();
    if (this.next() === c) return true;
    this.at = end;
    return false;
  }

  readValue() {
    const quote = this.at++;
    const found = matchAt(VALUE, this.view, this.at);
    this.at += found[0].length;
    if (found[2] === "\0") throw new Lost(this.at - 1);
    if (found[2] !== "\"") throw new Lost(quote);
    return found[1];
  }

  readTag() {
    this.at++;
    this.skipOnLine();
    const nameAt = this.at, name = matchAt(/\w*/y, this.view, nameAt)[0];
    if (!name || /^\d/.test(name) || name.length > NAME_MAX) throw new Lost(nameAt);
    this.at += name.length;
    let lines = this.seekInTag("\""), value;
    const quoted = this.next() === "\"", valueAt = this.at + quoted;
    if (quoted) value = this.readValue();
    else {
      value = matchAt(/[^\]\n\0]*/y, this.view, this.at)[0];
      this.at += value.length;
      if (!value || this.next() === "\0") throw new Lost(this.at);
    }
    lines = value.includes("\n") || lines;
    lines = this.seekInTag("]") || lines;
    if (this.next() !== "]") throw new Lost(this.at);
    this.at++;
    if (!quoted) this.remark(valueAt, "record.remark-quotes", { name });
    if (lines) this.remark(nameAt, "record.remark-lines", { name });
    const told = (quoted ? value.replace(/\\(["\\])/g, "$1") : value).replace(/\n/g, " ").trim();
    if (name === "FEN" && !known(told)) return; // the game starts as if the tag were missing
    this.game.tags[name] = told;
    if (name === "Result") this.resultAt = valueAt;
    if (name === "FEN") this.startAt = valueAt;
  }

  storeResult() {
    const text = this.game.tags.Result;
    if (!text || text === "?" || text === "*") return;
    const found = matchAt(RESULT, text, 0);
    const score = found?.[0].length === text.length ? usualScore(found) : "";
    this.game.result = score;
    if (score !== text) this.remark(this.resultAt, score ? "record.remark-score" : "record.remark-result", { text, score });
  }

  /** Checks the position from which the game starts, which is at `place` of the text. */
  checkStart(place) {
    const text = this.game.tags.FEN;
    if (text && !isSetup(text)) throw new Lost(place, "record.diagram");
  }

  // ---- Moves ----

  /** Returns the end of the comment here, without its brace; -1 if there is none. */
  commentEnd() {
    if (this.next() === ";") return Math.min(this.lineEnd(this.at), this.view.length);
    if (this.at >= this.noBrace) return -1;
    const end = this.view.indexOf("}", this.at);
    if (end < 0 && !this.list) this.noBrace = this.at;
    return end;
  }

  readComment(end) {
    const brace = this.next() === "{";
    const comment = this.view.slice(this.at + 1, end);
    if (comment.includes("\0")) throw new Lost(this.at + 1);
    const last = this.path.at(-1);
    last.comment = joined(last.comment, comment);
    this.at = end + brace;
    this.examined = Math.max(this.examined, end);
  }

  readVariation() {
    const start = this.at, outer = [];
    do {
      this.skipBlanks();
      const c = this.next();
      if (c === undefined || c === "[") throw new Lost(start);
      if (c === "(") {
        outer.push(this.path);
        this.path = this.path.length > 1 ? this.path.slice(0, -1) : [move("", "")]; // ignored: it is not an alternative to any move
        this.at++;
      } else if (c === ")") {
        this.path = outer.pop();
        this.at++;
      } else if (c === "{" || c === ";") {
        const end = this.commentEnd();
        if (end < 0) throw new Lost(start);
        this.readComment(end);
      } else this.readAside();
    } while (outer.length);
  }

  /** Reads a move, a result or anything else in a variation. */
  readAside() {
    const result = matchAt(RESULT, this.view, this.at);
    const word = result ?? matchAt(/\d+/y, this.view, this.at) ?? matchAt(WORD, this.view, this.at);
    if (result) this.path.at(-1).result = usualScore(result);
    if (!word && matchAt(LETTER, this.view, this.at)) this.readMove();
    else this.at += word ? word[0].length : 1;
  }

  readMove() {
    const [all, letter, captured, marks] = matchAt(LETTER, this.view, this.at);
    const last = this.path.at(-1);
    this.at += all.length;
    if (++this.count > MOVES_MAX) {
      this.game.cut = true;
      return;
    }
    const squares = letter.length > 1;
    const pit = squares ? letterOfSquares(letter) : letter;
    let next = last.children.find((each) => each.letter === pit);
    if (!next) last.children.push(next = move(pit, MARKS.includes(marks) ? marks : ""));
    if (this.path === this.played) last.children = [next, ...last.children.filter((each) => each !== next)]; // before those of variations
    if (squares) next.squares = letter;
    if (captured !== undefined) next.captured = Number(captured);
    this.path.push(next);
  }

  readNumber() {
    const found = matchAt(RESULT, this.view, this.at), number = matchAt(/\d+/y, this.view, this.at);
    if (this.ended) throw new Lost(this.at);
    if (found) {
      const score = usualScore(found), [text] = found;
      this.ended = true;
      if (score !== text) this.remark(this.at, score ? "record.remark-score" : "record.remark-result", { text, score });
      if (score) this.path.at(-1).result = this.game.result = score;
    } else if (!number) throw new Lost(this.at);
    else if (this.number < 0 && !matchAt(/\d+[ \t]*[.…]/y, this.view, this.at)) this.number = this.at;
    this.at += (found ?? number)[0].length;
  }

  readToken() {
    const c = this.next(), rest = matchAt(/[!?]+|\$\d+/y, this.view, this.at) ?? matchAt(PERIODS, this.view, this.at);
    if (c === "{" || c === ";") {
      const end = this.commentEnd();
      if (end < 0) throw new Lost(this.at);
      this.readComment(end);
    } else if (c === "(") this.readVariation();
    else if (/[\d½]/.test(c)) this.readNumber();
    else if (this.ended) throw new Lost(this.at);
    else if (/[A-Fa-f]/.test(c)) this.readMove();
    else if (c === "*") {
      this.ended = true;
      this.game.result = "*";
      this.at++;
    } else if (rest) {
      if (MARKS.includes(rest[0]) && this.path.length > 1) this.path.at(-1).mark = rest[0];
      this.at += rest[0].length;
    } else throw new Lost(this.at);
  }

  readMoves() {
    this.skipBlanks();
    const start = this.at;
    for (;;) {
      this.skipBlanks();
      if (this.list && this.at >= this.view.length && this.continueOnNextLine()) continue;
      if (this.at >= this.view.length || (this.next() === "[" && !this.list)) break;
      this.readToken();
    }
    this.path.at(-1).children = []; // a variation that repeats the last move does not prolong the game
    if (this.game.root.children.length) return;
    if (matchAt(JSON_START, this.view, start)) throw new Lost(start);
    if (this.number >= 0) throw new Lost(this.number, "record.numbers");
  }

  // ---- Lists, in which each line is a game ----

  firstNumber(place) {
    return Number(matchAt(FIRST_NUMBER, this.text, place)?.[1] ?? 0);
  }

  nextListLine() {
    const { at, view } = this;
    this.at = view.length;
    this.view = this.text;
    this.skipBlanks();
    const line = this.at;
    Object.assign(this, { at, view });
    return line;
  }

  /** Extends the game by the next line, if that begins with the number of the next move. */
  continueOnNextLine() {
    const line = this.nextListLine(), number = this.firstNumber(line);
    if (this.ended || number <= 1 || number !== Math.floor((this.path.length - 1) / 2) + 1) return false;
    this.at = line;
    this.endAt(this.lineEnd(line));
    return true;
  }

  readLine() {
    const [diagram] = matchAt(DIAGRAM, this.view, this.at) ?? [""];
    if (diagram) {
      this.game.tags.FEN = diagram;
      this.checkStart(this.at);
      this.at += diagram.length;
    } else if (this.firstNumber(this.at) > 1) throw new Lost(this.at);
    this.readMoves();
  }

  // ---- Games ----

  /** Returns the start of the next game after a lost one. */
  findNextGame(place, inMoves) {
    let blank = false;
    for (let at = place, moves = inMoves; ;) {
      at = this.lineEnd(at) + 1;
      if (at >= this.text.length) return this.text.length;
      const line = this.text.slice(at, this.lineEnd(at)).replace(/^[ \t\v\f\r]+/, "");
      if (!line) blank = true;
      else if (line[0] !== "[") moves = true;
      else if (moves || blank || line.startsWith("[Variant")) return at;
    }
  }

  /** Returns where to search for the next game: at the place where a game was lost, unless too much was read again so far. */
  resumeAt(lost) {
    const examined = Math.max(this.at, this.examined);
    if (this.reread + examined - lost > this.text.length + REREAD_MAX) return examined;
    this.reread += Math.max(0, examined - lost);
    return lost;
  }

  readTaggedGame() {
    for (; this.next() === "["; this.skipBlanks()) this.readTag();
    this.checkStart(this.startAt);
    this.begun = true;
    this.storeResult();
    this.readMoves();
  }

  readGame() {
    const root = move("", ""), start = this.at;
    this.game = { tags: {}, root, result: "", place: start };
    const played = [root]; // the path without variations
    Object.assign(this, { path: played, played, count: 0, begun: false, ended: false, number: -1 });
    this.endAt(this.list ? this.lineEnd(start) : this.text.length);
    try {
      if (this.list) this.readLine();
      else this.readTaggedGame();
      if (this.list) this.at = this.view.length;
    } catch (lost) {
      if (!(lost instanceof Lost)) throw lost;
      this.game.lost = true;
      this.problems.push({ ...lost, game: start, character: String.fromCodePoint(this.text.codePointAt(lost.place) ?? 32).trim() });
      if (!this.list) this.at = this.findNextGame(this.resumeAt(lost.place), this.begun);
      else {
        while (this.firstNumber(this.nextListLine()) > 1) this.endAt(this.lineEnd(this.nextListLine()));
        this.at = this.view.length;
      }
    }
    this.games.push(this.game);
  }

  read() {
    while (this.at < this.text.length) {
      const c = this.text[this.at];
      if (/[#%;]/.test(c)) this.at = this.lineEnd(this.at);
      else if (/[ \t\n\v\f\r]/.test(c)) this.at++;
      else this.readGame();
    }
  }
}

/** Returns a function that converts a place in the text to {line, column}, both from 1. Columns count characters. */
function locator(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (place) => {
    let low = 0, high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= place) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: [...text.slice(starts[low], place)].length + 1 };
  };
}

/**
 * Parses a text, with any line ends. Returns {games, problems, remarks}. `games` are {tags, root, result, line}, with `cut`
 * if a game has more than MOVES_MAX moves, and with `lost` if only a part of it could be read: `problems` then has a
 * {line, column, character, game, key} for it. `remarks` ({line, column, key, ...}) lose nothing. The keys are those of messages.
 */
export function readGames(marked) {
  const text = marked.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const reader = new Reader(text), locate = locator(text);
  reader.read();
  const located = ({ place, ...others }) => ({ ...others, ...locate(place) });
  return {
    games: reader.games.map(({ place, ...game }) => ({ ...game, line: locate(place).line })),
    problems: reader.problems.map(({ game, ...problem }) => ({ ...located(problem), game: locate(game).line })),
    remarks: reader.remarks.map(located),
  };
}

// The characters 0x80 to 0x9F of Windows-1252, a superset of Latin-1. (The decoder of some versions of Node.js has Latin-1 instead.)
const WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ";

/**
 * Decodes bytes, each line in UTF-8 or else in Latin-1. Returns {text, line}: the first line that is in Latin-1, or 0. A byte
 * order mark remains in the text.
 */
function decodeLines(bytes) {
  const marked = bytes[0] === 0xEF && bytes[1] === 0xBB && bytes[2] === 0xBF, parts = [];
  let first = 0, line = 1;
  for (let at = marked ? 3 : 0; at <= bytes.length; line++) {
    let end = at;
    while (end < bytes.length && bytes[end] !== 10 && bytes[end] !== 13) end++;
    const part = bytes.subarray(at, end);
    try {
      parts.push(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part));
    } catch {
      parts.push(Array.from(part, (byte) => (byte < 0x80 || byte > 0x9F ? String.fromCharCode(byte) : WINDOWS_1252[byte - 0x80])).join(""));
      first ||= line;
    }
    at = end + (bytes[end] === 13 && bytes[end + 1] === 10 ? 2 : 1);
  }
  return { text: (marked ? "\uFEFF" : "") + parts.join("\n"), line: first };
}

/**
 * Decodes the bytes of a file: UTF-8, Latin-1 or UTF-16 with a byte order mark. `cut` is true if the file has further bytes. Returns
 * {text, remark, problem}, the last two undefined or as in readGames(). The mark remains in the text: readGames() skips it, and
 * accepts no second one.
 */
export function decodeRecord(bytes, cut = false) {
  const [first, second, third, fourth] = bytes;
  const pair = (first << 8) | second, wide = (pair === 0xFFFE && !third && !fourth && bytes.length > 3) || (!pair && third === 0xFE && fourth === 0xFF);
  if (wide || (bytes.length > 3 && !first !== !second && !first === !third && !second === !fourth))
    return { text: "", problem: { key: "record.encoding", line: 1, column: 1, game: 1, character: "" } };
  if (bytes.length > 1 && pair === 0xFFFE) return { text: new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes) };
  if (bytes.length > 1 && pair === 0xFEFF) return { text: new TextDecoder("utf-16be", { ignoreBOM: true }).decode(bytes) };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut }) };
  } catch {
    const { text, line } = decodeLines(bytes);
    return { text, remark: { key: "record.remark-encoding", line, column: 1 } };
  }
}

const known = (value) => (/^[?-]?$/.test(value ?? "") ? undefined : value);

/** Returns the rule set and cycle rule that the tags name, as the server names them ("Oware Abapa" is abapa); undefined if not named. */
export const rulesOf = (tags) => ({ rules: known(tags.Variant)?.toLowerCase().replace(/^oware\s+/, ""), cycle: known(tags.Cycle) });

export const titleOf = ({ tags }, i) => `${i + 1}. ${tags.South || sideText("south")} – ${tags.North || sideText("north")}${tags.Date ? `, ${tags.Date}` : ""}`;

// ---- Writing ----

const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const braced = (text) => (text ? [`{ ${text.replace(/\}/g, ")")} }`] : []);

const NOTE = /^value [+-]?\d+, best [A-Fa-f ]+(; |$)/; // a note written into an earlier record; replaced by the new note

/** Returns the moves after `from` as words; `before` is the number of the last move, as numberAfter() returns it. */
function wordsFrom(from, before, notes) {
  const words = [];
  let shown = false; // North's move follows South's of the same number
  for (let at = from, last = before; at.children.length; at = at.children[0]) {
    const [first, ...others] = at.children, number = numberAfter(last, isNorths(first));
    const numbered = (each, follows) => [...(isNorths(each) && follows ? [] : [`${number}.${isNorths(each) ? ".." : ""}`]), each.letter + each.mark];
    const note = notes.has(first) ? [notes.get(first), first.comment.replace(NOTE, "")].filter(Boolean).join("; ") : first.comment;
    words.push(...numbered(first, shown && last?.number === number), ...braced(note));
    last = { number, north: isNorths(first) };
    for (const other of others)
      words.push("(", ...numbered(other), ...braced(other.comment), ...wordsFrom(other, { number, north: isNorths(other) }, notes), ")");
    shown = !last.north && !note && !others.length;
  }
  return words;
}

const SCORE = /^(\d+(\.5)?-\d+(\.5)?|1\/2-1\/2)$/; // a result in seeds, or in points

/**
 * Writes a game with its variations. `notes` maps nodes to a text that precedes their comments. The result is that of the last
 * move if it has one, else `played`, which may be "".
 */
export function writeGame(root, { FEN, Result, ...tags }, notes = new Map(), played = "") {
  const start = diagram(root.state) === diagram(startPosition()) ? {} : { FEN: diagram(root.state) };
  let last = root;
  while (last.children.length) last = last.children[0];
  const result = last.result || played, tag = last.result ? Result : played;
  const head = Object.entries({ ...tags, ...(tag ? { Result: tag } : {}), ...start }).map(([name, value]) => `[${name} ${quoted(value)}]`);
  const lines = [""];
  for (const word of [...braced(root.comment), ...wordsFrom(root, undefined, notes), SCORE.test(result) ? result : "*"].join(" ").split(" ")) {
    const line = lines[lines.length - 1];
    if (line && line.length + 1 + word.length > 79 && word[0] !== "%") lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return `${head.join("\n")}\n\n${lines.join("\n")}\n`;
}
