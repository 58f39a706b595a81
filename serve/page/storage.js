// The browser's storage: the latest games with their trees, the game that each tab shows, what the reader has learnt, and
// the reader's choices, such as the language.
//
// Every access may fail because storage is full or forbidden; the game then continues without being stored. Stored data
// may be damaged; it is then treated as absent.

import { allNodes, contentOf, fromRows, toRows } from "./tree.js";

const GAMES_MAX = 20;
const KEY = `wari games ${window.location.pathname}`;
const LANGUAGE = "wari language";
const KEYS = "wari keys";
const PACE = "wari pace";
const SOUNDS = "wari sounds";
const LEARN = `wari learn ${window.location.pathname}`;
const SECTION = "wari section";
const VALUES = "wari values";
const PLAY = "wari play";
const TAB = `wari game ${window.location.pathname}`;
const TAGS_MAX = 30, TAG_MAX = 300; // tags of a record, and characters of a tag

const seen = new Map(); // by id of a game: {content, text} as this tab last read or wrote them

function attempt(action, fallback) {
  try {
    return action();
  } catch {
    return fallback;
  }
}

const isName = (value) => typeof value === "string" && value.length < 80;

/** Returns the stored games, the latest first, with their trees still as rows. */
export function recentGames() {
  const list = attempt(() => JSON.parse(window.localStorage.getItem(KEY)), null);
  return Array.isArray(list)
    ? list.filter((each) => each && isName(each.id) && isName(each.rules) && isName(each.cycle) && Number.isFinite(each.time) && Array.isArray(each.rows))
    : [];
}

/** Returns the tags of a record that may be stored. */
export const keptTags = (tags) => Object.fromEntries(Object.entries(tags && typeof tags === "object" ? tags : {})
  .filter(([name, value]) => /^\w{1,40}$/.test(name) && typeof value === "string" && value.length <= TAG_MAX).slice(0, TAGS_MAX));

/** Reads a game with its tree: {id, rules, cycle, tags, play, root, node}; null if there is none. */
export function readGame(id) {
  const found = recentGames().find((each) => each.id === id);
  const nodes = found && fromRows(found.rows);
  if (!nodes) return null;
  seen.set(id, { content: contentOf(found.rows), text: textOf(found) });
  return { id, rules: found.rules, cycle: found.cycle, tags: keptTags(found.tags), play: found.play, review: found.review, root: nodes[0],
    node: (Number.isInteger(found.at) && nodes[found.at]) || nodes[0] };
}

const textOf = ({ rows, at, tags, play, review }) => JSON.stringify([rows, at, tags, play, review]);

/** Returns the content of a game if another tab has changed it, else undefined. */
function otherContent(id, list) {
  const there = list.find((each) => each.id === id);
  const content = there && attempt(() => contentOf(there.rows), "");
  return content === seen.get(id)?.content ? undefined : content;
}

/**
 * Stores a game as the latest one (with `changed`, only if it has changed), and drops the oldest games if need be. Returns
 * its id, which is new if another tab has continued the game; "" if the game could not be stored.
 */
export function writeGame({ id, rules, cycle, tags, play, review, root, node }, changed) {
  const rows = toRows(root), content = contentOf(rows), before = recentGames();
  const own = { id, rules, cycle, tags, play, review, time: Date.now(), at: allNodes(root).indexOf(node), rows };
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

/** Deletes a stored game, unless another tab has continued it. */
export function forgetGame(id) {
  const list = recentGames();
  if (list.some((each) => each.id === id) && otherContent(id, list) === undefined)
    attempt(() => window.localStorage.setItem(KEY, JSON.stringify(list.filter((each) => each.id !== id))));
}

/** Returns true if single letters are shortcuts. */
export const readKeys = () => attempt(() => window.localStorage.getItem(KEYS), null) !== "off";
export const writeKeys = (on) => attempt(() => window.localStorage.setItem(KEYS, on ? "on" : "off"));

const whole = (value) => (Number.isInteger(value) && value >= 0 ? value : 0);

/**
 * Returns what the reader has learnt: `lesson` (number of steps done), `solved` (names of puzzles), `streak` and `best` (puzzles
 * solved at the first attempt, one after the other), `level` (0..3) and `sum` (solved minus failed puzzles at this level), `daily`
 * (date of the last daily puzzle that was solved) and `days` (number of such days, one after the other).
 */
export function readLearn() {
  const kept = attempt(() => JSON.parse(window.localStorage.getItem(LEARN)), null) || {};
  return {
    lesson: whole(kept.lesson), streak: whole(kept.streak), best: whole(kept.best), level: Math.min(whole(kept.level), 3), days: whole(kept.days),
    sum: Number.isInteger(kept.sum) ? kept.sum : 0, daily: typeof kept.daily === "string" ? kept.daily : "",
    solved: Array.isArray(kept.solved) ? kept.solved.filter((each) => typeof each === "string" && each.length < 100) : [],
  };
}
export const writeLearn = (learnt) => attempt(() => window.localStorage.setItem(LEARN, JSON.stringify(learnt)));

/** Returns the fragment of the section that was opened last, or null. */
export const readSection = () => attempt(() => window.localStorage.getItem(SECTION), null);
export const writeSection = (section) => attempt(() => window.localStorage.setItem(SECTION, section));

/** Returns true if the reader wants to see values in Analyse. */
export const readValues = () => attempt(() => window.localStorage.getItem(VALUES), null) !== "off";
export const writeValues = (on) => attempt(() => window.localStorage.setItem(VALUES, on ? "on" : "off"));

/** Returns what the reader chose for the last game that was played: {level, side, clock}, texts that may be missing or unknown. */
export const readPlay = () => attempt(() => JSON.parse(window.localStorage.getItem(PLAY)), null) || {};
export const writePlay = (chosen) => attempt(() => window.localStorage.setItem(PLAY, JSON.stringify(chosen)));

/** Returns how fast seeds fly, if the reader chose it: "slow", "normal", "fast" or "off". */
export const readPace = () => attempt(() => window.localStorage.getItem(PACE), null);
export const writePace = (pace) => attempt(() => window.localStorage.setItem(PACE, pace));
export const readSounds = () => attempt(() => window.localStorage.getItem(SOUNDS), null) === "on";
export const writeSounds = (on) => attempt(() => window.localStorage.setItem(SOUNDS, on ? "on" : "off"));

export const readLanguage = () => attempt(() => window.localStorage.getItem(LANGUAGE), null);
/** Stores the language that the reader selected. The cookie tells the server in which language to send the texts of the page. */
export function writeLanguage(language) {
  attempt(() => window.localStorage.setItem(LANGUAGE, language));
  attempt(() => { document.cookie = `wari-language=${language}; max-age=31536000; samesite=lax`; });
}

export const newId = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

// ---- The URL ----

/** Writes the URL of the displayed game; `state` is {game, moves}: its id, and the moves that lead to the displayed position. If that fails (too many calls, file:), the URL remains as it was. */
export function writeAddress(query, fragment, state, push) {
  attempt(() => window.sessionStorage.setItem(TAB, state.game));
  attempt(() => window.history[push ? "pushState" : "replaceState"](state, "", `?${query}${fragment}`));
}

/** Makes the URL alone decide what is displayed after this tab is reloaded. */
export const forgetTab = () => attempt(() => window.sessionStorage.removeItem(TAB));

/** Returns the id of the game that this tab showed before it was reloaded; null if there is none. */
export function tabGame() {
  const state = attempt(() => window.history.state, null);
  const reloaded = attempt(() => performance.getEntriesByType("navigation")[0].type === "reload", false);
  return (reloaded && attempt(() => window.sessionStorage.getItem(TAB), null)) || (isName(state?.game) ? state.game : null);
}
