// What stays in the browser: the latest games, each with its tree, which of them a tab shows, the language, and
// whether letters are keys.
//
// Every call may fail, where storage is full or forbidden: then the game goes on
// and is merely not kept. What is read may be damaged: then it counts as not there.

import { allNodes, contentOf, fromRows, toRows } from "./tree.js";

const GAMES_MAX = 20;
const KEY = `wari games ${window.location.pathname}`;
const LANGUAGE = "wari language";
const KEYS = "wari keys";
const TAB = `wari game ${window.location.pathname}`;
const TAGS_MAX = 30, TAG_MAX = 300; // of a record, and characters of each

const seen = new Map(); // of a game, by its id: {content, text}, what this tab has last read or written of it

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

/** The tags of a record that can be kept. */
export const keptTags = (tags) => Object.fromEntries(Object.entries(tags && typeof tags === "object" ? tags : {})
  .filter(([name, value]) => /^\w{1,40}$/.test(name) && typeof value === "string" && value.length <= TAG_MAX).slice(0, TAGS_MAX));

/** A game with its tree: {id, rules, cycle, tags, play, root, node}; null if there is none. */
export function readGame(id) {
  const found = recentGames().find((each) => each.id === id);
  const nodes = found && fromRows(found.rows);
  if (!nodes) return null;
  seen.set(id, { content: contentOf(found.rows), text: textOf(found) });
  return { id, rules: found.rules, cycle: found.cycle, tags: keptTags(found.tags), play: found.play, root: nodes[0],
    node: (Number.isInteger(found.at) && nodes[found.at]) || nodes[0] };
}

const textOf = ({ rows, at, tags, play }) => JSON.stringify([rows, at, tags, play]);

/** What another tab has made of a game; undefined: nothing. */
function otherContent(id, list) {
  const there = list.find((each) => each.id === id);
  const content = there && attempt(() => contentOf(there.rows), "");
  return content === seen.get(id)?.content ? undefined : content;
}

/** Puts a game first (`changed`: if it did); old ones make room. Returns its id, a new one if another tab went on with it; "": not kept. */
export function writeGame({ id, rules, cycle, tags, play, root, node }, changed) {
  const rows = toRows(root), content = contentOf(rows), before = recentGames();
  const own = { id, rules, cycle, tags, play, time: Date.now(), at: allNodes(root).indexOf(node), rows };
  const other = otherContent(id, before), known = seen.get(id);
  if (known && (changed ? textOf(own) === known.text : other !== undefined && content === known.content)) return id;
  if (other !== undefined && other !== content) own.id = newId();
  const list = [own, ...before.filter((each) => each.id !== own.id)].slice(0, GAMES_MAX);
  for (; list.length; list.pop()) {
    if (!attempt(() => { window.localStorage.setItem(KEY, JSON.stringify(list)); return true; }, false)) continue;
    seen.set(own.id, { content, text: textOf(own) });
    return own.id;
  }
  return "";
}

/** Takes a game out of the stored ones, unless another tab has gone on with it. */
export function forgetGame(id) {
  const list = recentGames();
  if (list.some((each) => each.id === id) && otherContent(id, list) === undefined)
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

/** The address alone says what is shown when this tab is loaded again. */
export const forgetTab = () => attempt(() => window.sessionStorage.removeItem(TAB));

/** The game that this tab showed before it was loaded again; null if it shows something new. */
export function tabGame() {
  const state = attempt(() => window.history.state, null);
  const reloaded = attempt(() => performance.getEntriesByType("navigation")[0].type === "reload", false);
  return (reloaded && attempt(() => window.sessionStorage.getItem(TAB), null)) || (isName(state?.game) ? state.game : null);
}
