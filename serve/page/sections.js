// The four sections of the page, Play, Learn, Analyse and Statistics, and their addresses.
//
// The page shows one section at a time. The fragment of the URL names it, as in #/play or #/learn/puzzles; what follows the name
// (the "rest") has a meaning within the section. The links in the header are ordinary links. document.body.dataset.section is the
// open section, and in other sections style.css hides the elements with the class only-play or only-analyse.
//
// A link for a class has `class=1` in its query. It opens the page without values: the sections Analyse and Statistics cannot
// be opened, and style.css hides elements with the class not-in-class.

import { byId } from "./dom.js";
import * as storage from "./storage.js";

const views = { play: "view-board", learn: "view-learn", analyse: "view-board", statistics: "view-statistics" };
const ADDRESS = /^#\/(play|learn|analyse|statistics)(?:[/?](.*))?$/;
const CLASS_SECTIONS = ["play", "learn"];
const listeners = [];
let fragment = "";

/** Parses a fragment: {section, rest}, or null if it names no section. */
export function parseSection(hash) {
  const found = ADDRESS.exec(hash);
  return found && { section: found[1], rest: found[2] || "" };
}

/** True if the page was opened by a link for a class. */
export const forClass = new URLSearchParams(window.location.search).has("class");

/** Returns the open section. */
export const sectionNow = () => document.body.dataset.section;

/** Returns the fragment of the open section, which is a part of every URL of the page. */
export const fragmentNow = () => fragment;

/** Calls `opened(rest)` whenever the address of a section is opened. */
export function onSection(section, opened) {
  listeners.push({ section, opened });
}

/**
 * Displays the section that a fragment names. Does nothing if the fragment names no section, or a section that a class cannot open.
 * To go to a section, set window.location.hash.
 */
export function openSection(hash) {
  const found = parseSection(hash);
  if (!found || hash === fragment || (forClass && !CLASS_SECTIONS.includes(found.section))) return;
  fragment = hash;
  const { section, rest } = found;
  document.body.dataset.section = section;
  for (const id of new Set(Object.values(views))) byId(id).hidden = views[section] !== id;
  for (const each of Object.keys(views)) {
    if (each === section) byId(`section-${each}`).setAttribute("aria-current", "page");
    else byId(`section-${each}`).removeAttribute("aria-current");
  }
  if (!forClass) storage.writeSection(`#/${section}`);
  for (const each of listeners) if (each.section === section) each.opened(rest);
}

/**
 * Opens the section that the URL names, or else the section that was opened last, or else Play. A link to a position (`linked`)
 * that names no section opens Analyse. From then on, follows the fragment of the URL.
 */
export function setUpSections(linked) {
  window.addEventListener("hashchange", () => openSection(window.location.hash));
  for (const each of [window.location.hash, linked ? "#/analyse" : storage.readSection(), "#/play"]) {
    openSection(each || "");
    if (fragment) return;
  }
}
