// The current game as a tree of moves: another move from an earlier position starts a variation, and nothing is lost
// unless it is deleted.
//
// A node is {key, letter, state, parent, children, chosen, comment, mark, result}. `key` is unique, `letter` is the move
// that led to the node (null at the root), `state` the position after it, `chosen` the child that was displayed last,
// `result` the result that a record states there. Trees are stored as flat rows, each node after its parent, so that depth
// is not limited.

import { diagram, fromDiagram, SEEDS } from "./game.js";

export const MARKS = ["", "!", "?", "!!", "??", "!?", "?!"];
export const COMMENT_MAX = 2000;
export const RESULT_MAX = 40;

let nodes = 0;

function node(parent, letter, state) {
  return { key: ++nodes, parent, letter, state, children: [], chosen: null, comment: "", mark: "", result: "" };
}

export const plant = (state) => node(null, null, state);

/** Returns true if North played the move that led to a node. */
export const isNorths = ({ letter }) => letter >= "a";

/**
 * Returns the number of a move, which South's and North's moves share in pairs. `before` is {number, north} of the move
 * before it, undefined for the first move.
 */
export const numberAfter = (before, north) => (north && before && !before.north ? before.number : (before?.number ?? 0) + 1);

/** Returns the number of seeds that the move to a node captured. */
export const capturedBy = ({ state, parent, letter }) => state.stores[letter >= "a" ? 1 : 0] - parent.state.stores[letter >= "a" ? 1 : 0];

/** Returns the node to which letters lead from `root`; null if the tree does not have these moves. */
export const follow = (root, letters) => [...letters].reduce((at, letter) => at?.children.find((each) => each.letter === letter) ?? null, root);

/** Returns the last node of the line that was displayed last, from `from` on. */
export function lastOf(from) {
  let at = from;
  while (at.children.length) at = at.chosen || at.children[0];
  return at;
}

/** Returns the node after a move, and creates it if need be. */
export function grow(from, letter, state) {
  let child = from.children.find((each) => each.letter === letter);
  if (!child) from.children.push(child = node(from, letter, state));
  from.chosen = child;
  return child;
}

export function path(to) {
  const nodes = [];
  for (let each = to; each; each = each.parent) nodes.push(each);
  return nodes.reverse();
}

/** Returns the nodes from the root through `through` to the end of the line that was displayed last. */
export function lineThrough(through) {
  const nodes = path(through);
  for (let each = through.chosen || through.children[0]; each; each = each.chosen || each.children[0]) nodes.push(each);
  return nodes;
}

/** Makes the path to `to` the displayed line: all nodes above it choose their child on the path. */
export function choosePath(to) {
  for (let each = to; each.parent; each = each.parent) each.parent.chosen = each;
}

/** Returns the next (`step` 1) or previous (-1) alternative move; undefined if there is none. */
export function sibling(of, step) {
  const all = of.parent ? of.parent.children : [of];
  return all[all.indexOf(of) + step];
}

/** Returns the nearest node, `of` or above, that is not the first child of its parent; null on the main line. */
export function branch(of) {
  let each = of;
  while (each.parent && each.parent.children[0] === each) each = each.parent;
  return each.parent ? each : null;
}

/** Makes the variation that contains `of` the first of its alternatives. Returns false on the main line. */
export function promote(of) {
  const first = branch(of);
  if (!first) return false;
  const { children } = first.parent;
  children.splice(children.indexOf(first), 1);
  children.unshift(first);
  return true;
}

/** Removes a move and all moves after it. Returns the node before it. */
export function cut(off) {
  const { parent } = off;
  parent.children.splice(parent.children.indexOf(off), 1);
  if (parent.chosen === off) parent.chosen = null;
  return parent;
}

/** Lists all nodes, each after its parent. */
export function allNodes(root) {
  const nodes = [root];
  for (let i = 0; i < nodes.length; i++) nodes.push(...nodes[i].children);
  return nodes;
}

// ---- Storage ----

export function toRows(root) {
  const nodes = allNodes(root);
  const places = new Map(nodes.map((each, i) => [each, i]));
  return nodes.map((each) => [each.parent ? places.get(each.parent) : -1, each.letter || "", diagram(each.state),
    each.state.over || 0, each.comment, each.mark, each.parent?.chosen === each ? 1 : 0, each.result]);
}

/** Returns the rows as text, without the displayed line. */
export const contentOf = (rows) => JSON.stringify(rows.map((row) => row.filter((_, i) => i !== 6)));

const isCount = (value) => Number.isInteger(value) && value >= 0 && value <= SEEDS;

function readOver(over) {
  if (over === 0) return undefined;
  const { mover, opponent, nobody, winner } = over.share;
  if (![mover, opponent, nobody].every(isCount)) throw new Error("no end");
  return { share: { mover, opponent, nobody, ...(winner ? { winner: winner === "mover" ? "mover" : "opponent" } : {}) },
    north: over.north === true, slam: over.slam === true };
}

function readState(text, over) {
  const state = /^\d{1,2}(-\d{1,2}){13}-[NS]$/.test(text) ? fromDiagram(text) : null;
  const seeds = state && [...state.pits, ...state.stores].reduce((sum, each) => sum + each, 0);
  if (seeds !== SEEDS) throw new Error("no position");
  const end = readOver(over);
  return end ? { ...state, over: end } : state;
}

/** Restores the nodes of a tree, the root first. Returns null if the rows are damaged. */
export function fromRows(rows) {
  try {
    if (!Array.isArray(rows) || rows[0][0] !== -1) return null;
    const nodes = [];
    rows.forEach(([parent, letter, text, over, comment, mark, chosen, result], i) => {
      const state = readState(text, over);
      if (i > 0 && (!(parent >= 0 && parent < i) || !/^[A-Fa-f]$/.test(letter))) throw new Error("no move");
      if (typeof comment !== "string" || !MARKS.includes(mark)) throw new Error("no comment");
      const each = node(i ? nodes[parent] : null, i ? letter : null, state);
      each.comment = comment.slice(0, COMMENT_MAX);
      each.mark = mark;
      each.result = typeof result === "string" ? result.slice(0, RESULT_MAX) : "";
      nodes.push(each);
      if (i === 0) return;
      each.parent.children.push(each);
      if (chosen) each.parent.chosen = each;
    });
    return nodes;
  } catch {
    return null; // not a valid game
  }
}
