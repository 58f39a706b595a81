// What stays in the browser: the latest games, each with its tree, which of them a tab shows, the language, and
// whether letters are keys.
//
// Every call may fail, in private windows and where storage is full or forbidden: then the game goes on
// and is merely not kept. What is read may be damaged: then it counts as not there.

import { allNodes, fromRows, toRows } from "./tree.js";

const GAMES_MAX = 20;
const KEY = `wari games ${window.location.pathname}`;
const LANGUAGE = "wari language";
const KEYS = "wari keys";
const TAB = `wari game ${window.location.pathname}`;

function attempt(action, otherwise) {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

const isName = (value) => typeof value === "string" && value.length < 80;

/** What is stored of all games, the latest first; trees are not read yet. */
export function recentGames() {
  const list = attempt(() => JSON.parse(window.localStorage.getItem(KEY)), null);
  return Array.isArray(list)
    ? list.filter((each) => each && isName(each.id) && isName(each.rules) && isName(each.cycle) && Number.isFinite(each.time) && Array.isArray(each.rows))
    : [];
}

/** A game with its tree: {id, rules, cycle, root, node}; null if there is none. */
export function readGame(id) {
  const found = recentGames().find((each) => each.id === id);
  const nodes = found && fromRows(found.rows);
  return nodes ? { id, rules: found.rules, cycle: found.cycle, root: nodes[0], node: (Number.isInteger(found.at) && nodes[found.at]) || nodes[0] } : null;
}

/** Puts a game first among the stored ones; where there is no room, old ones go. False: not kept. */
export function writeGame({ id, rules, cycle, root, node }) {
  const rows = toRows(root);
  const own = { id, rules, cycle, time: Date.now(), at: allNodes(root).indexOf(node), rows };
  const list = [own, ...recentGames().filter((each) => each.id !== id)].slice(0, GAMES_MAX);
  for (; list.length; list.pop()) {
    if (attempt(() => { window.localStorage.setItem(KEY, JSON.stringify(list)); return true; }, false)) return true;
  }
  return false;
}

/** Takes a game out of the stored ones. */
export function forgetGame(id) {
  const list = recentGames();
  if (list.some((each) => each.id === id))
    attempt(() => window.localStorage.setItem(KEY, JSON.stringify(list.filter((each) => each.id !== id))));
}

/** Whether single letters are keys. */
export const readKeys = () => attempt(() => window.localStorage.getItem(KEYS), null) !== "off";
export const writeKeys = (on) => attempt(() => window.localStorage.setItem(KEYS, on ? "on" : "off"));

export const readLanguage = () => attempt(() => window.localStorage.getItem(LANGUAGE), null);
export const writeLanguage = (language) => attempt(() => window.localStorage.setItem(LANGUAGE, language));

export const newId = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

// ---- The address ----

/** Writes the address of what is shown. It may fail (too many calls, file:), and then stays as it was. */
export function writeAddress(query, id, push) {
  attempt(() => window.sessionStorage.setItem(TAB, id));
  attempt(() => window.history[push ? "pushState" : "replaceState"]({ game: id }, "", `?${query}`));
}

/** The game that this tab showed before it was loaded again; null if it shows something new. */
export function tabGame() {
  const state = attempt(() => window.history.state, null);
  if (state && isName(state.game)) return state.game;
  const reloaded = attempt(() => performance.getEntriesByType("navigation")[0].type === "reload", false);
  return reloaded ? attempt(() => window.sessionStorage.getItem(TAB), null) : null;
}
