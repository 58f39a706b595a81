// The game at hand as one tree of moves: playing another move from an earlier position makes a
// variation, and nothing is forgotten unless it is deleted.
//
// A node is {key, letter, state, parent, children, chosen, comment, mark, result}: a number of its own, the move that led
// to it (null at the root), the position after it, the child that was looked at last, the result of a record. What is
// stored is flat, a row for each node behind its parent's, so that no depth is too deep.

import { diagram, fromDiagram, SEEDS } from "./game.js";

export const MARKS = ["", "!", "?", "!!", "??", "!?", "?!"];
export const COMMENT_MAX = 2000;
const RESULT = /^\d+(\.5)?-\d+(\.5)?$/;

let nodes = 0;

function node(parent, letter, state) {
  return { key: ++nodes, parent, letter, state, children: [], chosen: null, comment: "", mark: "", result: "" };
}

export const plant = (state) => node(null, null, state);

/** The node behind a move, which may be there already. */
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

/** From the root through `through` to the end of what was looked at last. */
export function lineThrough(through) {
  const nodes = path(through);
  for (let each = through.chosen || through.children[0]; each; each = each.chosen || each.children[0]) nodes.push(each);
  return nodes;
}

/** Makes `to` the one that is looked at: every node above remembers the way. */
export function choosePath(to) {
  for (let each = to; each.parent; each = each.parent) each.parent.chosen = each;
}

/** The variation `step` (1, -1) away; undefined if there is none. */
export function sibling(of, step) {
  const all = of.parent ? of.parent.children : [of];
  return all[all.indexOf(of) + step];
}

/** The nearest node at or above `of` that is not its parent's first; null on the main line. */
export function branch(of) {
  let each = of;
  while (each.parent && each.parent.children[0] === each) each = each.parent;
  return each.parent ? each : null;
}

/** Puts the variation in which `of` lies before the others at its place. False on the main line. */
export function promote(of) {
  const first = branch(of);
  if (!first) return false;
  const { children } = first.parent;
  children.splice(children.indexOf(first), 1);
  children.unshift(first);
  return true;
}

/** Cuts off a move with all that follows; returns the node before it. */
export function cut(off) {
  const { parent } = off;
  parent.children.splice(parent.children.indexOf(off), 1);
  if (parent.chosen === off) parent.chosen = null;
  return parent;
}

/** All nodes, each behind its parent. */
export function allNodes(root) {
  const nodes = [root];
  for (let i = 0; i < nodes.length; i++) nodes.push(...nodes[i].children);
  return nodes;
}

// ---- What is stored ----

export function toRows(root) {
  const nodes = allNodes(root);
  const places = new Map(nodes.map((each, i) => [each, i]));
  return nodes.map((each) => [each.parent ? places.get(each.parent) : -1, each.letter || "", diagram(each.state),
    each.state.over || 0, each.comment, each.mark, each.parent?.chosen === each ? 1 : 0, each.result]);
}

/** The rows as text, without what was looked at last. */
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

/** The nodes of a tree, the root first; null if the rows are damaged. */
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
      each.result = RESULT.test(result) ? result : "";
      nodes.push(each);
      if (i === 0) return;
      each.parent.children.push(each);
      if (chosen) each.parent.chosen = each;
    });
    return nodes;
  } catch {
    return null; // whatever it is, it is no game
  }
}
