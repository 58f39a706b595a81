// Reviews the moves of a game, as play/review/review.c does. Values are {kind, value, least, most} in seeds, for the side to
// move; a position also has `best`, the pits of its best known moves.

const CLEAR = 2; // seeds: a loss of at least this many is more than an error of the search

export const exactly = (value) => ({ kind: "exact", value, least: value, most: value });

/** Returns the value of a move to the side that makes it, where `after` is the value of the next position. */
function valueOfMove(move, after) {
  const { captured } = move;
  if (move.ends) return exactly(move.endValue);
  return move.again
    ? { ...after, value: after.value + captured, least: after.least + captured, most: after.most + captured }
    : { ...after, value: captured - after.value, least: captured - after.most, most: captured - after.least };
}

/** Returns {winner, proven}: 1 if the side that is ahead by `ahead` seeds will win, 0 for a draw, -1 if it will lose. */
function findWinner(ahead, { value, least, most }) {
  const proven = Math.sign(ahead + least) === Math.sign(ahead + most);
  return { winner: Math.sign(ahead + (proven ? least : value)), proven };
}

/** Reviews a move. `slamDecides` is true if a slam may decide a game of these rules whatever the score. */
export function reviewMove({ stores, north }, move, position, after, slamDecides) {
  const played = valueOfMove(move, after), before = { ...position };
  const mover = north ? 1 : 0, ahead = stores[mover] - stores[1 - mover];
  before.least = Math.max(before.least, played.least);
  if (before.best.includes(move.pit) || played.value > before.value) before.value = played.value;
  const provenLoss = Math.max(0, before.least - played.most);
  const exact = before.least === before.most && played.least === played.most;
  const loss = exact ? before.least - played.least : Math.max(before.value - played.value, provenLoss);
  const kind = exact ? "exact" : provenLoss > 0 || before.most <= played.least ? "bound" : "estimate";
  const then = findWinner(ahead, before), now = findWinner(ahead, played);
  const worse = loss > 0 && now.winner < then.winner;
  const turnProven = worse && then.proven && now.proven && !slamDecides;
  return {
    kind, value: before.value, played: played.value, loss, proven_loss: provenLoss,
    best: before.best.filter((pit) => loss === 0 || pit !== move.pit), turns: turnProven || (worse && loss >= CLEAR), turn_proven: turnProven,
  };
}

/** Returns the figures of a side, whose reviewed moves are given. */
export function reviewSide(moves) {
  const sum = (count) => moves.reduce((all, each) => all + count(each), 0);
  const accuracy = moves.length ? sum(({ loss }) => 100 / (1 + loss / 2)) / moves.length : 100;
  return {
    moves: moves.length, accuracy, proven: sum(({ kind }) => Number(kind !== "estimate")), lost: sum(({ loss }) => loss), turns: sum(({ turns }) => Number(turns)),
  };
}
