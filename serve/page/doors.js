// The four doors of the page, Play, Learn, Analyse and Statistics, and their addresses.
//
// The fragment of the URL names the door, as in #/play or #/learn/puzzles: what follows the door's name (its "rest") belongs
// to the door. The links of the header are ordinary links. document.body.dataset.door is the open door, and style.css
// hides elements with the class only-play or only-analyse behind the other doors.
//
// A link for a class has `class=1` in its query. It opens the page without values: the doors Analyse and Statistics stay
// closed, and style.css hides elements with the class not-in-class.

import { byId } from "./dom.js";
import * as storage from "./storage.js";

const sections = { play: "view-board", learn: "view-learn", analyse: "view-board", statistics: "view-statistics" };
const ADDRESS = /^#\/(play|learn|analyse|statistics)(?:[/?](.*))?$/;
const CLASS_DOORS = ["play", "learn"];
const listeners = [];
let fragment = "";

/** Parses a fragment: {door, rest}, or null if it names no door. */
export function parseDoor(hash) {
  const found = ADDRESS.exec(hash);
  return found && { door: found[1], rest: found[2] || "" };
}

/** True if the page was opened by a link for a class. */
export const forClass = new URLSearchParams(window.location.search).has("class");

/** Returns the open door. */
export const doorNow = () => document.body.dataset.door;

/** Returns the fragment of the open door, which belongs into every URL of the page. */
export const fragmentNow = () => fragment;

/** Calls `opened(rest)` whenever the address of a door is opened. */
export function onDoor(door, opened) {
  listeners.push({ door, opened });
}

/** Displays the door that a fragment names. Does nothing if it names none, or one that is closed for a class. To go to a door, set window.location.hash. */
export function openDoor(hash) {
  const found = parseDoor(hash);
  if (!found || hash === fragment || (forClass && !CLASS_DOORS.includes(found.door))) return;
  fragment = hash;
  const { door, rest } = found;
  document.body.dataset.door = door;
  for (const id of new Set(Object.values(sections))) byId(id).hidden = sections[door] !== id;
  for (const each of Object.keys(sections)) {
    if (each === door) byId(`door-${each}`).setAttribute("aria-current", "page");
    else byId(`door-${each}`).removeAttribute("aria-current");
  }
  if (!forClass) storage.writeDoor(`#/${door}`);
  for (const each of listeners) if (each.door === door) each.opened(rest);
}

/**
 * Opens the door of the URL, else that which was opened last, else Play. A link to a position (`linked`) that names no door
 * opens Analyse. From then on, follows the fragment of the URL.
 */
export function setUpDoors(linked) {
  window.addEventListener("hashchange", () => openDoor(window.location.hash));
  for (const each of [window.location.hash, linked ? "#/analyse" : storage.readDoor(), "#/play"]) {
    openDoor(each || "");
    if (fragment) return;
  }
}
