// A state of the game: pits, stores and the side to move. This file knows no rules: the server says what a
// move does ("next", "captured", "again", "ends").
//
// Pits are numbered 0..11: A..F of South, then a..f of North. Stores and pits always hold 48 seeds in all.

export const SEEDS = 48;

export const startPosition = () => ({ pits: Array(12).fill(4), stores: [0, 0], north: false });

export const onBoard = (state) => state.pits.reduce((sum, pit) => sum + pit, 0);

/** Converts a pit number between the mover's numbering and the board's, in either direction. */
export const turned = (state, pit) => (state.north ? (pit + 6) % 12 : pit);

export const letterOf = (pit) => "ABCDEFabcdef"[pit];

/** Returns the identifier of a side in code and URLs; messages.js has its displayed name. */
export const sideOf = (north) => (north ? "north" : "south");

export const diagram = (state) => [...state.pits, ...state.stores, state.north ? "N" : "S"].join("-");

/** Makes a state from twelve counts, the mover's first; the remaining seeds are split between the stores. */
export function fromCounts(counts) {
  const left = SEEDS - counts.reduce((sum, count) => sum + count, 0);
  return { pits: [...counts], stores: [Math.ceil(left / 2), Math.floor(left / 2)], north: false };
}

// The notation of the site PlayStrategy: North's row from f to a, South's row, the stores, the side and the number of the move.
const SITE = /^\s*([\dS,]+)\/([\dS,]+)[\s_]+(\d+)[\s_]+(\d+)[\s_]+([SN])(?:[\s_]+\d+)?\s*$/;

const countsOfRow = (row) => row.split(",").flatMap((word) => (word.endsWith("S") ? [parseInt(word, 10)] : Array(Math.min(Number(word), 6)).fill(0)));
const sum = (counts) => counts.reduce((all, count) => all + count, 0);

/** Returns true if a text gives stores and a side to move: a diagram, or a position of PlayStrategy. Only its shape is checked. */
export const isDiagram = (text) => SITE.test(text) || text.trim().split("-").length === 15;

function fromSite([, north, south, first, second, side]) {
  const rows = [countsOfRow(south), countsOfRow(north).reverse()];
  const stores = [Number(first), Number(second)];
  const counted = stores[0] + stores[1] === SEEDS; // after a game the stores include the rows
  return { pits: rows.flat(), stores: counted ? stores.map((store, i) => store - sum(rows[i])) : stores, north: side === "N" };
}

/** Returns true if a text is a diagram or a position of PlayStrategy: it has all counts, and their sum is that of a game. */
export function isSetup(text) {
  if (!SITE.test(text) && !/^\s*(\d+-){14}[SN]\s*$/.test(text)) return false;
  const { pits, stores } = fromDiagram(text);
  return pits.length === 12 && stores.every((count) => count >= 0) && sum([...pits, ...stores]) === SEEDS;
}

/** Parses a diagram or a position of PlayStrategy, which the server must have accepted before. */
export function fromDiagram(text) {
  const site = SITE.exec(text);
  if (site) return fromSite(site);
  const parts = text.trim().split("-");
  const counts = parts.slice(0, 14).map(Number);
  return { pits: counts.slice(0, 12), stores: counts.slice(12), north: parts[14] === "N" };
}

const squareOf = (pit) => (pit < 6 ? `${"abcdef"[pit]}1` : `${"abcdef"[11 - pit]}2`);

/** Returns the pit into which the last seed of a pit falls: sowing passes over the pit that is sown. */
export function landingPit(state, pit) {
  const seeds = state.pits[pit];
  return (pit + seeds + Math.floor((seeds - 1) / 11)) % 12;
}

/** Returns a move as PlayStrategy writes it: the square of the pit, and the square into which its last seed falls. */
export function squaresOf(state, letter) {
  const pit = "ABCDEFabcdef".indexOf(letter);
  return squareOf(pit) + squareOf(landingPit(state, pit));
}

/** Returns the letter of the pit that a move such as "d1e2" sows. */
export const letterOfSquares = (squares) => letterOf(squares[1] === "1" ? "abcdef".indexOf(squares[0]) : 11 - "abcdef".indexOf(squares[0]));

/** Returns the state after a move from the list of /api/moves. */
export function after(state, move) {
  const north = move.again ? state.north : !state.north;
  const next = { pits: Array(12).fill(0), stores: [...state.stores], north };
  move.next.forEach((count, pit) => { next.pits[turned(next, pit)] = count; });
  next.stores[state.north ? 1 : 0] += move.captured;
  if (move.ends) next.over = { share: move.ends, north: state.north, slam: true };
  return next;
}

/** Returns the final score of a finished game: {south, north, nobody, winner}. */
export function finalScore(state, over) {
  const mine = over.north ? 1 : 0;
  const score = [...state.stores];
  score[mine] += over.share.mover;
  score[1 - mine] += over.share.opponent;
  let winner = score[0] > score[1] ? "south" : score[1] > score[0] ? "north" : null;
  if (over.share.winner) winner = sideOf((over.share.winner === "mover") === over.north);
  return { south: score[0], north: score[1], nobody: over.share.nobody, winner };
}

/** Returns a random position with `seeds` seeds, at least 2. Each row gets one first, so that South, to move, has a move. */
export function randomPosition(seeds) {
  const pits = Array(12).fill(0);
  const anywhere = (count) => Math.floor(Math.random() * count);
  pits[anywhere(6)]++;
  pits[6 + anywhere(6)]++;
  for (let i = 2; i < seeds; i++) pits[anywhere(12)]++;
  return fromCounts(pits);
}

/**
 * Changes the number of seeds in a pit to `count`. Takes seeds from the stores, first from the store of the pit's side, or returns
 * seeds to that store. Returns null if the stores have too few seeds.
 */
export function placed(state, pit, count) {
  const next = { pits: [...state.pits], stores: [...state.stores], north: state.north };
  const own = pit < 6 ? 0 : 1, more = count - state.pits[pit];
  if (count < 0 || more > next.stores[0] + next.stores[1]) return null;
  const fromOther = Math.max(0, more - next.stores[own]);
  next.pits[pit] = count;
  next.stores[own] -= more - fromOther;
  next.stores[1 - own] -= fromOther;
  return next;
}

/** Adds a seed to a pit (`step` 1) or takes one out (-1). Returns null if there is no such seed. */
export const edited = (state, pit, step) => placed(state, pit, state.pits[pit] + step);
