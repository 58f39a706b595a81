// What the page says, in the reader's language. Each language has one file in messages/, and only the
// chosen one is loaded (English where that fails). A text of the page stands nowhere else.
//
// A message is a text with {places}, or an object with such a text for each plural form of {count}.
// Elements name theirs: data-t for what they contain, data-t-label and data-t-title for these.

import { el } from "./dom.js";
import * as storage from "./storage.js";

/** Languages by their own names. */
const languages = new Map([["en", "English"], ["fr", "Français"], ["es", "Español"], ["nl", "Nederlands"], ["it", "Italiano"]]);

const said = { language: "en", texts: {}, plural: null, number: null, wishes: 0 };

/** The message `key` with `values` in its places; numbers are written as the language does. */
export function t(key, values = {}) {
  const message = said.texts[key] ?? key;
  const text = typeof message === "string" ? message : message[said.plural.select(values.count)] ?? message.other;
  return text.replace(/\{(\w+)\}/g, (place, name) => {
    const value = values[name] ?? place;
    return typeof value === "number" ? number(value) : value;
  });
}

export const number = (value) => said.number.format(value);
export const percent = (part, whole, digits = 2) => new Intl.NumberFormat(said.language,
  { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(whole ? part / whole : 0);
export const dateText = (time) => new Date(time).toLocaleString(said.language, { dateStyle: "medium", timeStyle: "short" });
export const eitherOf = (items) => new Intl.ListFormat(said.language, { type: "disjunction" }).format(items);

export const seedsText = (count) => t("count.seeds", { count });
export const sideText = (side) => t(side === "north" ? "side.north" : "side.south");

/** Why an answer of the server is none; `again`: it is asked once more. What is wrong with a question, it says in English. */
export function troubleText({ status, data }, again = false) {
  if (status === 0) return t("server.silent");
  if (status === 503) return t(again ? "server.again" : "server.busy");
  return status >= 500 ? t("server.failed") : t("server.said", { error: data.error });
}

// ---- Choosing ----

/** The reader's own choice, else the first language of the browser that is here. */
export function wantedLanguage() {
  const kept = storage.readLanguage();
  const wishes = [kept, ...(navigator.languages || [navigator.language])].filter((each) => typeof each === "string");
  return wishes.map((each) => each.toLowerCase().split("-")[0]).find((each) => languages.has(each)) || "en";
}

async function load(language) {
  try {
    const response = await fetch(`messages/${language}.json`);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Loads a language and writes all texts that elements name. False: it could not be had, or another one is wanted by now. */
export async function speak(language) {
  const wish = ++said.wishes;
  const texts = await load(language);
  if (wish !== said.wishes) return false;
  if (!texts && language !== "en" && !said.number) return speak("en");
  if (!texts) return false;
  Object.assign(said, { language, texts, plural: new Intl.PluralRules(language), number: new Intl.NumberFormat(language) });
  document.documentElement.lang = language;
  write(document);
  return true;
}

/** A text with [keys] as elements. */
const withKeys = (text) => text.split(/\[(.+?)\]/).map((part, i) => (i % 2 ? el("kbd", {}, part) : part));

function write(inside) {
  for (const each of inside.querySelectorAll("[data-t]")) each.replaceChildren(...withKeys(t(each.dataset.t)));
  for (const each of inside.querySelectorAll("[data-t-label]")) each.setAttribute("aria-label", t(each.dataset.tLabel));
  for (const each of inside.querySelectorAll("[data-t-title]")) each.title = t(each.dataset.tTitle);
}

/** The list of languages; `changed` is called when another one is spoken. */
export function setUpLanguages(list, changed) {
  list.replaceChildren(...[...languages].map(([code, name]) => el("option", { value: code, lang: code, selected: code === said.language }, name)));
  list.addEventListener("change", async () => {
    const wanted = list.value;
    if (await speak(wanted)) {
      storage.writeLanguage(wanted);
      changed();
    }
    if (list.value === wanted || said.language === wanted) list.value = said.language;
  });
}
