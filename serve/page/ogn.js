// Game records in OGN (described in wari-judge(1)): parses text into trees, and writes trees as text.
// This file knows no rules: the caller checks the moves of a record one by one.

import { diagram, letterOfSquares, startPosition } from "./game.js";
import { sideText } from "./messages.js";
import { COMMENT_MAX, MARKS } from "./tree.js";

export const MOVES_MAX = 5000; // per game; each move needs a request to the server

// In order: a line that begins with % or #, a tag, a comment, a parenthesis, a result, a move number, a move (a letter, or
// two squares of PlayStrategy) with its captures and marks, an annotation such as $4, white space.
const TOKEN = new RegExp([
  /^[ \t]*[%#].*/, /\[[ \t]*(\w+)[ \t]*"((?:\\.|[^"\\\n])*)"[ \t]*\]/, /\{([^}]*)\}/, /;([^\n]*)/, /([()])/,
  /(\*|\d+(?:\.5)?-\d+(?:\.5)?(?!\.?\d))/, /(\d+\.*)/, /((?:[a-f][12]){2}(?!\w)|[A-Fa-f])(?:\+(\d+))?([!?]*)/, /(\$\d+\.*)/, /\n|[ \t\r\f\v]+/,
].map((each) => each.source).join("|"), "my");

const WORD = /[A-Za-z]*[G-Zg-z][A-Za-z]*|[^(){};[]/y; // text that a variation may contain beside moves

// A line of a list may begin with a diagram or a position of PlayStrategy. A line that begins with a later move continues the game above.
const DIAGRAM = /^\s*((?:\d+-){14}[SN]|[\dS,]+\/[\dS,]+\s+\d+\s+\d+\s+[SN](?:\s+\d+(?![\d.]))?)(?=\s|$)/;
const MIDDLE = /^\s*(?!0*[01]\.)\d+\./;

const move = (letter, mark) => ({ letter, mark, comment: "", result: "", children: [] });
const joined = (comment, more) => comment.length >= COMMENT_MAX ? comment : `${comment} ${more}`.replace(/\s+/g, " ").trim().slice(0, COMMENT_MAX);

class Reader {
  constructor() {
    this.games = [];
    this.begin();
  }

  begin() {
    this.root = move("", "");
    this.game = { tags: {}, root: this.root };
    this.at = [this.root]; // path of nodes to the latest move
    this.outer = []; // the paths of the enclosing lines of a variation
    this.count = 0;
    this.begun = false; // something other than tags has been read
    this.ended = false; // a result has been read
  }

  end() {
    if (this.begun || Object.keys(this.game.tags).length) this.games.push(this.game);
    this.begin();
  }

  /** Processes a token. Returns false if it is not allowed here. */
  take([, tag, value, braces, rest, bracket, result, number, letter, captured, marks, sign]) {
    const last = this.at[this.at.length - 1];
    const comment = braces ?? rest;
    if (tag) {
      if (this.inList || this.outer.length) return false;
      if (this.begun) this.end();
      this.game.tags[tag] = value.replace(/\\(.)/g, "$1").trim();
      return true;
    }
    if (this.ended && !this.outer.length && (result || number || letter || sign)) return false;
    this.begun ||= (braces ?? bracket ?? result ?? number ?? letter ?? sign) !== undefined ||
      (rest !== undefined && Object.keys(this.game.tags).length > 0); // between games it is ignored
    if (comment !== undefined) last.comment = joined(last.comment, comment);
    else if (bracket === "(") {
      this.outer.push(this.at);
      this.at = this.at.length > 1 ? this.at.slice(0, -1) : [move("", "")]; // an alternative to no move: ignored
    } else if (bracket === ")") {
      if (!this.outer.length) return false;
      this.at = this.outer.pop();
    } else if (result) {
      if (!this.outer.length) this.ended = true;
      if (result !== "*") last.result = result;
    }
    else if (letter) this.play(last, letter, MARKS.includes(marks) ? marks : "", captured);
    return true;
  }

  play(last, letter, mark, captured) {
    if (++this.count > MOVES_MAX) {
      this.game.cut = true;
      return;
    }
    const squares = letter.length > 1;
    const pit = squares ? letterOfSquares(letter) : letter;
    let next = last.children.find((each) => each.letter === pit);
    if (!next) last.children.push(next = move(pit, mark));
    if (squares) next.squares = letter;
    if (captured !== undefined) next.captured = Number(captured);
    this.at.push(next);
  }

  /** Parses `text` from `start` on. Returns the position of the first error, or -1 if there is none. */
  read(text, start = 0) {
    for (let place = start; place < text.length;) {
      WORD.lastIndex = TOKEN.lastIndex = place;
      const word = this.outer.length ? WORD.exec(text) : null;
      const found = word && word[0].length > 1 ? null : TOKEN.exec(text);
      if (!(found ? this.take(found) : word)) return place;
      place += (found ?? word)[0].length;
    }
    return this.outer.length ? text.length : -1; // a variation is not closed
  }

  /** Parses a list, in which each line is a game. Returns the position of the first error, or -1. */
  readList(text) {
    let begin = 0;
    this.inList = true;
    for (const line of text.split("\n")) {
      const diagram = DIAGRAM.exec(line);
      if (line.trim() && !/^\s*[#%;]/.test(line)) {
        if (!MIDDLE.test(line)) this.end();
        if (diagram) this.game.tags.FEN = diagram[1];
        const place = this.read(line, diagram ? diagram[0].length : 0);
        if (place >= 0) return begin + place;
      }
      begin += line.length + 1;
    }
    return -1;
  }
}

/** Returns true if a text is a list: it does not start with a bracket, apart from lines that are ignored. */
function isList(text) {
  const first = text.split("\n").map((line) => line.trim()).find((line) => line && !/^[#%;]/.test(line));
  return first !== undefined && !first.startsWith("[");
}

/**
 * Parses a text. Returns {games: [{tags, root, cut}], error}: the games that could be read, `cut` if a game has more than
 * MOVES_MAX moves, and the place of the first error ({line, column, character}) or null.
 */
export function readGames(marked) {
  const text = marked.replace(/^\uFEFF/, ""); // byte order mark
  const reader = new Reader();
  const place = isList(text) ? reader.readList(text) : reader.read(text);
  reader.end();
  if (place < 0) return { games: reader.games, error: null };
  const before = text.slice(0, place).split("\n");
  return { games: reader.games, error: { line: before.length, column: before.at(-1).length + 1, character: text[place] ?? "" } };
}

const known = (value) => (/^[?-]?$/.test(value ?? "") ? undefined : value);

/** Returns the rule set and cycle rule that the tags name, as the server names them ("Oware Abapa" is abapa); undefined if not named. */
export const rulesOf = (tags) => ({ rules: known(tags.Variant)?.toLowerCase().replace(/^oware\s+/, ""), cycle: known(tags.Cycle) });

export const titleOf = ({ tags }, i) => `${i + 1}. ${tags.South || sideText("south")} – ${tags.North || sideText("north")}${tags.Date ? `, ${tags.Date}` : ""}`;

// ---- Writing ----

const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const braced = (text) => (text ? [`{ ${text.replace(/\}/g, ")")} }`] : []);

const NOTE = /^value [+-]?\d+, best [A-Fa-f ]+(; |$)/; // a note written into an earlier record; replaced by the new note

function wordsFrom(from, number, notes) {
  const words = [];
  for (let at = from, i = number; at.children.length; at = at.children[0], i++) {
    const name = (each) => `${i}.${each.letter >= "a" ? ".." : ""} ${each.letter}${each.mark}`;
    const [first, ...others] = at.children;
    words.push(name(first), ...braced(notes.has(first) ? [notes.get(first), first.comment.replace(NOTE, "")].filter(Boolean).join("; ") : first.comment));
    for (const other of others)
      words.push("(", name(other), ...braced(other.comment), ...wordsFrom(other, i + 1, notes), ")");
  }
  return words;
}

/** Writes a game with its variations. `notes` maps nodes to a text that precedes their comments. The result is that of the last move. */
export function writeGame(root, { FEN, Result, ...tags }, notes = new Map()) {
  const start = diagram(root.state) === diagram(startPosition()) ? {} : { FEN: diagram(root.state) };
  let last = root;
  while (last.children.length) last = last.children[0];
  const head = Object.entries({ ...tags, ...(Result && last.result ? { Result } : {}), ...start }).map(([name, value]) => `[${name} ${quoted(value)}]`);
  const lines = [""];
  for (const word of [...wordsFrom(root, 1, notes), last.result || "*"].join(" ").split(" ")) {
    const line = lines[lines.length - 1];
    if (line && line.length + 1 + word.length > 79 && word[0] !== "%") lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return `${head.join("\n")}\n\n${lines.join("\n")}\n`;
}
