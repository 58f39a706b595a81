// A position with stores and the side to move, and what has been played. No rules: what a move does
// is the server's word ("next", "captured", "again", "ends"); here it is only put on the board.
//
// Pits are numbered 0..11: A..F of South, then a..f of North. Stores and pits always hold 48 seeds.

export const SEEDS = 48;

export const startPosition = () => ({ pits: Array(12).fill(4), stores: [0, 0], north: false });

export const onBoard = (state) => state.pits.reduce((sum, pit) => sum + pit, 0);

/** From the mover's numbering to the board's, and back. */
export const turned = (state, pit) => (state.north ? (pit + 6) % 12 : pit);

export const letterOf = (pit) => "ABCDEFabcdef"[pit];

/** What a side is called in the code and in addresses; messages.js knows its name. */
export const sideOf = (north) => (north ? "north" : "south");

export const diagram = (state) => [...state.pits, ...state.stores, state.north ? "N" : "S"].join("-");

/** Twelve counts from the mover, with the seeds that are missing shared between the stores. */
export function fromCounts(counts) {
  const left = SEEDS - counts.reduce((sum, count) => sum + count, 0);
  return { pits: [...counts], stores: [Math.ceil(left / 2), Math.floor(left / 2)], north: false };
}

/** A diagram that the server has accepted. */
export function fromDiagram(text) {
  const parts = text.trim().split("-");
  const counts = parts.slice(0, 14).map(Number);
  return { pits: counts.slice(0, 12), stores: counts.slice(12), north: parts[14] === "N" };
}

/** The state after a move, as /api/moves lists it. */
export function after(state, move) {
  const north = move.again ? state.north : !state.north;
  const next = { pits: Array(12).fill(0), stores: [...state.stores], north };
  move.next.forEach((count, pit) => { next.pits[turned(next, pit)] = count; });
  next.stores[state.north ? 1 : 0] += move.captured;
  if (move.ends) next.over = { share: move.ends, north: state.north, slam: true };
  return next;
}

/** The final score where the game is over: {south, north, nobody, winner}. */
export function finalScore(state, over) {
  const mine = over.north ? 1 : 0;
  const score = [...state.stores];
  score[mine] += over.share.mover;
  score[1 - mine] += over.share.opponent;
  let winner = score[0] > score[1] ? "south" : score[1] > score[0] ? "north" : null;
  if (over.share.winner) winner = sideOf((over.share.winner === "mover") === over.north);
  return { south: score[0], north: score[1], nobody: over.share.nobody, winner };
}

/** A position with `seeds` seeds, at least 2, strewn at random, one in each row first: so South, who is to move, can. */
export function randomPosition(seeds) {
  const pits = Array(12).fill(0);
  const anywhere = (count) => Math.floor(Math.random() * count);
  pits[anywhere(6)]++;
  pits[6 + anywhere(6)]++;
  for (let i = 2; i < seeds; i++) pits[anywhere(12)]++;
  return fromCounts(pits);
}

/** Adds `step` seeds (1 or -1) to a pit, out of or into a store; null if there are none. */
export function edited(state, pit, step) {
  const next = { pits: [...state.pits], stores: [...state.stores], north: state.north };
  const own = pit < 6 ? 0 : 1;
  const store = step > 0 && next.stores[own] === 0 ? 1 - own : own;
  if (next.stores[store] - step < 0 || next.pits[pit] + step < 0) return null;
  next.pits[pit] += step;
  next.stores[store] -= step;
  return next;
}
