// Computes the answers of `wari serve` from a book. wari-serve(1) documents them.

import { exactly, reviewMove, reviewSide } from "./judge.js";
import { open, WariError } from "./wari.js";

const START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
const LINE_MAX = 100;
const SLICES = { first: 60, most: 300, move: 1500, all: 20000 }; // milliseconds of search: first and longest slice, total for a move, total for a position
const REVIEW = { position: 80, request: 200, most: 500 }; // milliseconds of search of a position, and of a request; moves of a game
const KINDS = ["exact", "bound", "estimate"]; // in the order of enum wari_kind
const SLAM = { DRAWS: 4, LOSES: 3, WINS_ALL: 6 }; // values of enum wari_slam whose result does not follow from the seeds
const HARDEST = 13; // difficulty of the puzzles that a search does not solve
const TIMES_TO_END = 3; // occurrences of a position that end the game
const STATUS = { "not covered": 404, "bad input": 400 };

const sum = (list) => list.reduce((all, each) => all + each, 0);
const letter = (pit, north) => (north ? "abcdef" : "ABCDEF")[pit];
const sideName = (north) => (north ? "North" : "South");
const diagramOf = ({ pits, stores, north }) => [...(north ? [...pits.slice(6), ...pits.slice(0, 6)] : pits), ...stores, north ? "N" : "S"].join("-");

/** Returns the state after a move: pits as the mover sees them, stores of South and North. */
function after(state, move) {
  const stores = [...state.stores];
  stores[state.north ? 1 : 0] += move.captured;
  return { pits: move.next, stores, north: move.again ? state.north : !state.north, diagram: state.diagram };
}

/** Parses the levels in the record of a book. */
function levelsOf(record) {
  const levels = [];
  for (const line of record.split("\n")) {
    const level = /^level (\d+) positions (\d+) bytes (\d+) .*payload (\w+)$/.exec(line);
    if (level) levels.push({ seeds: Number(level[1]), positions: Number(level[2]), bytes: Number(level[3]), hash: level[4] });
    if (!line.startsWith("histogram ")) continue;
    const histogram = line.split(" ").slice(2).map((each) => each.split(":").map(Number)).map(([value, count]) => ({ value, count }));
    const count = (fits) => sum(histogram.filter(({ value }) => fits(value)).map((each) => each.count));
    Object.assign(levels.at(-1), {
      placements: count(() => true), wins: count((value) => value > 0), draws: count((value) => value === 0), losses: count((value) => value < 0), histogram,
    });
  }
  return levels;
}

export class Answers {
  /** `loadPuzzles` returns the list of puzzles; it is called when the first puzzle is requested. */
  static async open(from, options = { whole: true }, loadPuzzles = () => []) {
    const answers = new Answers();
    answers.loadPuzzles = loadPuzzles;
    answers.book = await open(from, options);
    const { reader, pages, size } = answers.book;
    const start = reader.c.record();
    answers.reader = reader;
    answers.rules = reader.c.rules();
    answers.reviewed = new Map(); // values of searched positions by diagram
    answers.levels = levelsOf(new TextDecoder().decode(await pages.source.read(start, size - 8 - start)));
    return answers;
  }

  async answer(path, args, game) {
    try {
      const find = { "api/info": "info", "api/stats": "stats", "api/moves": "moves", "api/analysis": "analysis", "api/move": "move", "api/position": "position", "api/game": "game", "api/puzzle": "puzzle", "api/review": "review" }[path];
      if (!find) return { ok: false, status: 404, data: { error: `there is no ${path} here` } };
      return { ok: true, status: 200, data: await this[find](args, game) };
    } catch (error) {
      if (!(error instanceof WariError)) throw error;
      const status = STATUS[error.status] || 500;
      return { ok: false, status, data: { error: error.message, status } };
    }
  }

  /** Returns true if the book covers the position. No book has 47 seeds, because no move leads there. */
  covers(pits) {
    return sum(pits) <= this.book.seeds && sum(pits) !== 47;
  }

  /** Parses a position. */
  read(text) {
    const { reader } = this;
    reader.set(String(text ?? ""));
    const diagram = Boolean(reader.c.isDiagram()), north = Boolean(reader.c.north());
    const stores = [reader.c.store(0), reader.c.store(1)];
    return { pits: Array.from(new Uint8Array(reader.c.memory.buffer, reader.c.pits(), 12)), diagram, north, stores };
  }

  get about() {
    const { book } = this;
    return { rules: book.rules, cycle: book.cycle, seeds_max: book.seeds, positions: sum(this.levels.map((each) => each.positions)), bytes: book.size, proved: -1, record: "none" };
  }

  info() {
    const { reader } = this;
    const presets = [];
    for (let i = 0; reader.c.presetName(i); i++)
      if (reader.c.presetRules(i) === this.rules && reader.c.presetCycle(i) === reader.c.cycle()) presets.push(reader.string(reader.c.presetName(i)));
    const texts = { summary: reader.string(reader.c.rulesSummary(this.rules)), players: reader.string(reader.c.rulesPlayers(this.rules)) };
    return { version: reader.string(reader.c.version()), databases: [{ ...this.about, ...texts, presets }], analysis_threads: 1 };
  }

  stats() {
    return { ...this.about, levels: this.levels };
  }

  /** Returns the distribution of the seeds on the board at the end of the game. */
  share(seeds, value, bySlam) {
    const slam = bySlam ? this.reader.c.slam(this.rules) : 0;
    const nobody = slam === SLAM.DRAWS;
    const end = { mover: nobody ? 0 : (seeds + value) / 2, opponent: nobody ? 0 : (seeds - value) / 2, nobody: nobody ? seeds : 0 };
    const winner = slam === SLAM.WINS_ALL ? "mover" : slam === SLAM.LOSES ? "opponent" : null;
    return winner ? { ...end, winner } : end;
  }

  /** Describes a legal move with everything that is needed to animate it. */
  drawn(state, move) {
    const board = [...state.pits];
    const sown = [];
    board[move.pit] = 0;
    for (let at = move.pit; sown.length < state.pits[move.pit];) {
      at = (at + 1) % 12;
      if (at === move.pit) continue;
      board[at]++;
      sown.push(at);
    }
    const turned = move.again ? 0 : 6;
    const taken = board.flatMap((count, pit) => (count > move.next[(pit + turned) % 12] ? [pit] : []));
    const ends = move.ends ? { ends: this.share(sum(state.pits), move.endValue, true) } : {};
    return { move: letter(move.pit, state.north), captured: move.captured, sown, taken, next: move.next, again: move.again, ...ends };
  }

  moves({ p }) {
    const state = this.read(p);
    const { pits, north } = state;
    const { moves, endValue } = this.reader.legalMoves(this.rules, pits);
    const hungry = sum(pits.slice(6)) === 0;
    const refused = pits.slice(0, 6).flatMap((count, pit) => (count === 0 || moves.some((move) => move.pit === pit) ? []
      : [{ move: letter(pit, north), why: hungry && pit + count < 6 ? "feed" : "slam" }]));
    const end = moves.length ? {} : { end: this.share(sum(pits), endValue, false) };
    return { position: pits, seeds: sum(pits), rules: this.book.rules, moves: moves.map((move) => this.drawn(state, move)), refused, ...end };
  }

  /** Returns a line of best moves, up to the first repetition. Not every best move makes progress; so if there is still
   * something to win at the repetition, the line counts as cut there. */
  async line(state) {
    const letters = [];
    const seen = new Map();
    for (let at = state; letters.length < LINE_MAX;) {
      const moves = await this.book.moves(at.pits);
      if (moves.length === 0) return { line: letters, end: "over" };
      const key = at.pits.join();
      if (seen.has(key)) return moves[0].value === 0 ? { line: letters, end: "repetition", repeats_from: seen.get(key) } : { line: letters, end: "cut" };
      seen.set(key, letters.length);
      letters.push(letter(moves[0].pit, at.north));
      if (moves[0].ends) return { line: letters, end: "slam" };
      at = after(at, moves[0]);
    }
    return { line: letters, end: "cut" };
  }

  /** Returns the final score with best play; none if a slam can decide the game regardless of the seeds. */
  score({ pits, stores, north, diagram }, value) {
    if (!diagram) return {};
    const text = diagramOf({ pits, stores, north });
    if (Object.values(SLAM).includes(this.reader.c.slam(this.rules))) return { diagram: text, stores };
    const score = stores.map((store, side) => store + (sum(pits) + (side === (north ? 1 : 0) ? value : -value)) / 2);
    return { diagram: text, stores, score, result: score[0] === score[1] ? "draw" : sideName(score[1] > score[0]) };
  }

  async position({ p }) {
    const state = this.read(p);
    const value = await this.book.value(state.pits);
    const moves = await this.book.moves(state.pits);
    return {
      position: state.pits, seeds: sum(state.pits), rules: this.book.rules, cycle: this.book.cycle, value,
      moves: moves.map((move) => ({ move: letter(move.pit, state.north), captured: move.captured, value: move.value })),
      ...(await this.line(state)), ...this.score(state, value),
    };
  }

  /** Returns a puzzle of puzzles.json with a difficulty in the range. The number `seed` selects it. */
  async puzzle({ seed, easiest = 1, hardest = HARDEST }) {
    const whole = (value, most) => /^\d{1,10}$/.test(value) && Number(value) >= 1 && Number(value) <= most;
    if (!whole(seed, 2147483647) || !whole(easiest, HARDEST) || !whole(hardest, HARDEST)) throw new WariError("bad input", `seed must be a number, and easiest and hardest numbers from 1 to ${HARDEST}`);
    this.puzzles ||= await this.loadPuzzles();
    const fitting = this.puzzles.filter(({ difficulty }) => difficulty >= easiest && difficulty <= hardest);
    if (fitting.length === 0) throw new WariError("not covered", "there is no puzzle of this difficulty here");
    return fitting[seed % fitting.length];
  }

  // ---- Above the book ----

  /** Returns the result of the search for the position (`i` is -1) or for a move. */
  found(i) {
    const { c } = this.reader;
    const kind = KINDS[c.foundKind(i)];
    return kind === "exact" ? { kind, value: c.foundLeast(i) } : { kind, value: c.foundScore(i), error: c.foundError(i), bounds: [c.foundLeast(i), c.foundMost(i)] };
  }

  /** Runs a slice of the search; each slice of a position is longer than the one before. */
  search(key, { pits, stores, north }) {
    const { reader } = this;
    const anew = this.searched?.key !== key;
    if (anew) this.searched = { key, slice: SLICES.first, milliseconds: 0 };
    const { searched } = this;
    if (searched.milliseconds < SLICES.all && !searched.done) {
      const began = performance.now();
      reader.set(pits);
      reader.check(reader.c.search(searched.slice, anew ? 1 : 0, north ? 1 : 0, ...stores));
      searched.milliseconds += Math.max(1, Math.round(performance.now() - began));
      searched.slice = Math.min(2 * searched.slice, SLICES.most);
    }
    searched.done = reader.c.foundKind(-1) === 0 || searched.milliseconds >= SLICES.all;
    return searched;
  }

  async analysis({ p }) {
    const state = this.read(p);
    const about = { position: state.pits, seeds: sum(state.pits), rules: this.book.rules, cycle: this.book.cycle };
    if (this.covers(state.pits)) return { ...(await this.position({ p })), kind: "exact", state: "done" };
    const { moves, endValue } = this.reader.legalMoves(this.rules, state.pits);
    if (moves.length === 0) return { ...about, kind: "exact", value: endValue, moves: [], line: [], end: "over", state: "done" };
    const { milliseconds, done } = this.search(p, state);
    const { c } = this.reader;
    const list = (count, make) => Array.from({ length: count }, (_, i) => make(i));
    return {
      ...about, ...this.found(-1),
      moves: list(c.foundCount(), (i) => ({ move: letter(c.foundPit(i), state.north), captured: c.foundCaptured(i), ...this.found(i) })),
      line: list(c.lineCount(), (i) => letter(c.linePit(i), state.north !== Boolean(c.lineOpponent(i)))),
      depth: c.foundDepth(), nodes: c.foundNodes(), ...(state.diagram ? { diagram: p, stores: state.stores } : {}),
      state: done ? "done" : "searching", before: 0, milliseconds,
    };
  }

  /** Returns the move that a level plays. Full strength uses the book, or else searches for a while. */
  async move({ p, level, seed = 0 }) {
    const state = this.read(p);
    const { reader } = this;
    if (reader.legalMoves(this.rules, state.pits).moves.length === 0) throw new WariError("bad input", "the game is over: there is no move to play");
    if (!/^[a-z-]{1,20}$/.test(level) || !/^\d{1,15}$/.test(seed)) throw new WariError("bad input", "level must be a name, and seed a number");
    new Uint8Array(reader.c.memory.buffer, reader.c.text(), 32).fill(0).set(new TextEncoder().encode(level));
    const pit = reader.c.levelMove(Number(seed));
    if (pit === -1) throw new WariError("bad input", `no level is called ${level}`);
    if (pit >= 0) return { move: letter(pit, state.north), level, state: "done" };
    const { moves, state: how, milliseconds } = await this.analysis({ p });
    const done = how === "done" || milliseconds >= SLICES.move;
    return { move: done ? moves[0].move : null, level, state: done ? "done" : how, before: 0 };
  }

  /** Returns the value of a played move if the book covers the position. */
  async judged(state, played) {
    if (!this.covers(state.pits)) return {};
    const moves = await this.book.moves(state.pits);
    if (moves.length === 0) { // the last slam, which loses nothing
      const { endValue } = this.reader.legalMoves(this.rules, state.pits);
      return { value: endValue, played: endValue, cost: 0, best: [letter(played.pit, state.north)] };
    }
    const value = moves[0].value;
    const own = moves.find((move) => move.pit === played.pit).value;
    const best = moves.filter((move) => move.value === value).map((move) => move.pit).sort();
    return { value, played: own, cost: value - own, best: best.map((pit) => letter(pit, state.north)) };
  }

  /** Throws an error unless the rules that a game's tags name are those of the book. */
  checkRules({ rules, cycle }) {
    const [{ rules: own, cycle: ownCycle, presets }] = this.info().databases;
    if ((rules !== undefined && rules !== own && !presets.includes(rules)) || (cycle !== undefined && cycle !== ownCycle))
      throw new WariError("not covered", `the game is played by the rules ${[rules, cycle].filter(Boolean).join(" ")}; only ${own} ${ownCycle} is available here`);
  }

  /** Checks if the current position has occurred before, since the last capture, and computes what endless repetition
   * would pay, like play/game.c and play/judge.c. `before` lists the position before each move; `value` is South's. */
  repetition(before, state, value) {
    const isAgain = (each) => each.north === state.north && each.pits.join() === state.pits.join() && each.stores.join() === state.stores.join();
    const first = before.findIndex(isAgain);
    if (first < 0) return null;
    const surplus = ({ pits, north }) => (north ? -1 : 1) * (sum(pits.slice(0, 6)) - sum(pits.slice(6)));
    const surpluses = before.slice(first).map(surplus);
    const [least, most] = [Math.min(...surpluses), Math.max(...surpluses)];
    const pays = this.book.cycle === "even" ? 0 : Math.max(least, 0) + Math.min(most, 0);
    const about = { times: before.filter(isAgain).length + 1, after_move: first, pays, value };
    return value === null ? about : { ...about, loser: value === pays ? null : sideName(value < pays), cost: Math.abs(value - pays) };
  }

  /** Returns how a game ends, or would end with best play: `score` of South and North, and `repetition`. */
  async outcome(before, state, last) {
    const forSouth = (value) => (state.north ? 0 - value : value);
    const share = (value) => state.stores.map((store, side) => store + (sum(state.pits) + (side === 0 ? value : -value)) / 2);
    if (last?.ends) {
      const { stores, north, pits } = before.at(-1);
      const { mover, opponent } = this.share(sum(pits), last.endValue, true);
      return { score: stores.map((store, side) => store + (side === (north ? 1 : 0) ? mover : opponent)), repetition: null };
    }
    const { moves, endValue } = this.reader.legalMoves(this.rules, state.pits);
    if (moves.length === 0) return { score: share(forSouth(endValue)), repetition: null };
    const value = this.covers(state.pits) ? forSouth(await this.book.value(state.pits)) : null;
    const repetition = this.repetition(before, state, value);
    const worth = repetition?.times >= TIMES_TO_END ? repetition.pays : value;
    return { score: worth === null ? null : share(worth), repetition };
  }

  /** Finds the move of a pit for a player without a legal move: a grand slam, if wari_game_play() lets the player make
   * it under these rules. The sowing and capture are those of the rules `warri`, where slams capture. */
  lastSlam(pits, pit) {
    const { reader, rules } = this;
    if (!reader.c.allowsLastSlam(rules)) return undefined;
    const slam = reader.legalMoves(reader.variantOf("warri").rules, pits).moves.find((each) => each.pit === pit && each.again);
    return slam && { ...slam, again: false, next: [...slam.next.slice(6), ...slam.next.slice(0, 6)] };
  }

  /** Finds the move of a pit that a game may go on with; undefined if there is none. */
  playable(pits, pit) {
    const { moves } = this.reader.legalMoves(this.rules, pits);
    return moves.find((each) => each.pit === pit) ?? (moves.length === 0 ? this.lastSlam(pits, pit) : undefined);
  }

  /** Returns true if the side that made the last move gets `seeds` seeds by the end of the game, as play/record/ decides it. */
  async bringsEnd(before, state, last, seeds) {
    const { north, pits } = before.at(-1);
    if (last.ends) return seeds <= sum(pits);
    const { moves } = this.reader.legalMoves(this.rules, state.pits);
    const { score, repetition } = await this.outcome(before, state, last);
    if (moves.length > 0 && !repetition) return false;
    const row = sum(state.north === north ? state.pits.slice(0, 6) : state.pits.slice(6));
    return seeds === row || seeds === score?.[north ? 1 : 0] - state.stores[north ? 1 : 0];
  }

  /** Plays the moves of a game. Returns {before, moves, state, last}: the positions before the moves, the moves, the last position, and the last move. */
  async replay({ rules, cycle, position = START, line }) {
    let state = this.read(position);
    let last = null;
    const moves = [];
    const before = [];
    this.checkRules({ rules, cycle });
    if (!state.diagram) throw new WariError("bad input", "a game must start from a diagram");
    for (const [i, { letter: name, captured }] of line.entries()) {
      const pit = "ABCDEFabcdef".indexOf(name) - (state.north ? 6 : 0);
      const move = last?.ends ? undefined : this.playable(state.pits, pit);
      if (!move) throw new WariError("bad input", `move ${i + 1}: ${name} cannot be played`);
      const more = (captured ?? move.captured) - move.captured;
      before.push(state);
      const fits = more === 0 || (more > 0 && i === line.length - 1 && await this.bringsEnd(before, after(state, move), move, more));
      if (!fits) throw new WariError("bad input", `move ${i + 1}: ${name} captures ${move.captured}, not ${captured}`);
      moves.push(move);
      state = after(state, move);
      last = move;
    }
    return { before, moves, state, last };
  }

  /** Describes the moves of a game, and how it ends; `judge` returns what is known about a move. */
  async described({ before, moves, state, last }, judge) {
    const plies = [];
    for (const [i, move] of moves.entries())
      plies.push({ move: letter(move.pit, before[i].north), position: diagramOf(before[i]), captured: move.captured, ...(await judge(i)) });
    return { rules: this.book.rules, cycle: this.book.cycle, plies, end: diagramOf(state), ...(await this.outcome(before, state, last)), remarks: [] };
  }

  async game(args, game) {
    const played = await this.replay(game);
    return this.described(played, (i) => this.judged(played.before[i], played.moves[i]));
  }

  // ---- Reviews ----

  /** Evaluates a position of a game, in which `played` was played, by search if the book does not cover it. Returns null if it has not been searched enough, and `until` has passed. */
  async evaluated(state, played, until) {
    const { moves, endValue } = this.reader.legalMoves(this.rules, state.pits);
    if (moves.length === 0) return { ...exactly(endValue), best: played ? [played.pit] : [] }; // if a move follows, it is the last slam
    if (this.covers(state.pits)) {
      const all = await this.book.moves(state.pits);
      return { ...exactly(all[0].value), best: all.filter((move) => move.value === all[0].value).map((move) => move.pit) };
    }
    const key = diagramOf(state);
    if (!this.reviewed.has(key)) {
      do {
        if (performance.now() >= until) return null;
      } while (this.search(key, state).milliseconds < REVIEW.position && !this.searched.done);
      const { kind, value, bounds: [least, most] = [value, value] } = this.found(-1);
      this.reviewed.set(key, { kind, value, least, most, best: [this.reader.c.foundPit(0)] });
    }
    return this.reviewed.get(key);
  }

  /** Judges all moves of a game. Each request searches for a short time. Until all positions have been searched, it only reports how many have. */
  async review(args, game) {
    const played = await this.replay(game);
    const { before, moves, state, last } = played;
    const values = [];
    const until = performance.now() + REVIEW.request;
    if (moves.length > REVIEW.most) throw new WariError("bad input", `games of more than ${REVIEW.most} moves are not reviewed here`);
    if (this.reviewed.size > 2 * REVIEW.most) this.reviewed.clear();
    for (const [i, each] of [...before, state].entries())
      values.push(each === state && last?.ends ? exactly(0) : await this.evaluated(each, moves[i], until));
    const about = { rules: this.book.rules, cycle: this.book.cycle, tables: true, remarks: [], done: values.filter(Boolean).length, count: values.length };
    if (about.done < about.count) return about;
    const decides = [SLAM.LOSES, SLAM.WINS_ALL].includes(this.reader.c.slam(this.rules));
    const reviewed = moves.map((move, i) => reviewMove(before[i], move, values[i], values[i + 1], decides));
    const side = (north) => reviewSide(reviewed.filter((_, i) => before[i].north === north));
    const described = await this.described(played, (i) => ({ ...reviewed[i], best: reviewed[i].best.sort().map((pit) => letter(pit, before[i].north)) }));
    return { ...about, ...described, review: { South: side(false), North: side(true) } };
  }
}
