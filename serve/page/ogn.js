// Records of games in OGN (wari-judge(1) describes it): text to trees and back.
// Rules are not known here: the moves of a record are tried one by one by whoever asks.

import { diagram, startPosition } from "./game.js";
import { sideText } from "./messages.js";
import { COMMENT_MAX, MARKS } from "./tree.js";

export const MOVES_MAX = 5000; // of a game: the server is asked about each

// A line that begins with % or #, a tag, a comment, a bracket, a result, a number of a move, a move with captures and
// marks, a sign like $4, blanks.
const TOKEN = new RegExp([
  /^[ \t]*[%#].*/, /\[[ \t]*(\w+)[ \t]*"((?:\\.|[^"\\\n])*)"[ \t]*\]/, /\{([^}]*)\}/, /;([^\n]*)/, /([()])/,
  /(\*|\d+(?:\.5)?-\d+(?:\.5)?(?!\.?\d))/, /(\d+\.*)/, /([A-Fa-f])(?:\+(\d+))?([!?]*)/, /(\$\d+\.*)/, /\n|[ \t\r\f\v]+/,
].map((each) => each.source).join("|"), "my");

const WORD = /[A-Za-z]*[G-Zg-z][A-Za-z]*|[^(){};[]/y; // what a variation may hold beside moves

// A line of a list may begin with a diagram; one that begins with a later move goes on with the game above.
const DIAGRAM = /^\s*((?:\d+-){14}[SN])(?=\s|$)/;
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
    this.at = [this.root]; // the moves up to the latest
    this.outer = []; // the same for the lines around a variation
    this.count = 0;
    this.begun = false; // there was more than tags
    this.ended = false; // there was a result
  }

  end() {
    if (this.begun || Object.keys(this.game.tags).length) this.games.push(this.game);
    this.begin();
  }

  /** False if this cannot stand here. */
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
      (rest !== undefined && Object.keys(this.game.tags).length > 0); // between games it is passed over
    if (comment !== undefined) last.comment = joined(last.comment, comment);
    else if (bracket === "(") {
      this.outer.push(this.at);
      this.at = this.at.length > 1 ? this.at.slice(0, -1) : [move("", "")]; // in place of no move: left out
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
    let next = last.children.find((each) => each.letter === letter);
    if (!next) last.children.push(next = move(letter, mark));
    if (captured !== undefined) next.captured = Number(captured);
    this.at.push(next);
  }

  /** Takes `text` from `start` on; where it stopped, -1 at the end. */
  read(text, start = 0) {
    for (let place = start; place < text.length;) {
      WORD.lastIndex = TOKEN.lastIndex = place;
      const word = this.outer.length ? WORD.exec(text) : null;
      const found = word && word[0].length > 1 ? null : TOKEN.exec(text);
      if (!(found ? this.take(found) : word)) return place;
      place += (found ?? word)[0].length;
    }
    return this.outer.length ? text.length : -1; // a variation without its end
  }

  /** The same for a list: each line is a game. */
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

/** A text is a list unless it starts with a bracket, behind lines that are passed over. */
function isList(text) {
  const first = text.split("\n").map((line) => line.trim()).find((line) => line && !/^[#%;]/.test(line));
  return first !== undefined && !first.startsWith("[");
}

/**
 * {games: [{tags, root, cut}], error}: what could be read (`cut`: of a game the first MOVES_MAX of more moves),
 * and where reading stopped ({line, column, character}), if it did.
 */
export function readGames(marked) {
  const text = marked.replace(/^\uFEFF/, ""); // the mark that some programs put in front
  const reader = new Reader();
  const place = isList(text) ? reader.readList(text) : reader.read(text);
  reader.end();
  if (place < 0) return { games: reader.games, error: null };
  const before = text.slice(0, place).split("\n");
  return { games: reader.games, error: { line: before.length, column: before.at(-1).length + 1, character: text[place] ?? "" } };
}

const known = (value) => (/^[?-]?$/.test(value ?? "") ? undefined : value);

/** The rule set and cycle rule that the tags name, as they are asked for: "Oware Abapa" is abapa; undefined: not named. */
export const rulesOf = (tags) => ({ rules: known(tags.Variant)?.toLowerCase().replace(/^oware\s+/, ""), cycle: known(tags.Cycle) });

export const titleOf = ({ tags }, i) => `${i + 1}. ${tags.South || sideText("south")} – ${tags.North || sideText("north")}${tags.Date ? `, ${tags.Date}` : ""}`;

// ---- Writing ----

const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const braced = (text) => (text ? [`{ ${text.replace(/\}/g, ")")} }`] : []);

const NOTE = /^value [+-]?\d+, best [A-Fa-f ]+(; |$)/; // that an earlier record has; the new one stands in its place

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

/** A game with its variations; `notes` maps nodes to what is said of them in front of their comments. A result is that of its last move. */
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
