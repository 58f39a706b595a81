// The texts of the page in the reader's language. Each language has a file in messages/, and only the selected
// one is loaded, or English if loading fails. The server has put the file of one language into the page. No text of the
// page is stored anywhere else.
//
// A message is a text with {placeholders}, or an object with such a text for each plural form of {count}.
// Elements name their messages: data-t for the content, data-t-label and data-t-title for these attributes.

import { byId, el } from "./dom.js";
import * as storage from "./storage.js";

/** Languages by their own names. */
const languages = new Map([["en", "English"], ["fr", "Français"], ["es", "Español"], ["nl", "Nederlands"], ["it", "Italiano"]]);

const said = { language: "en", texts: {}, plural: null, number: null, requests: 0 };

/** Returns the message `key` with `values` in place of its placeholders; numbers are formatted for the language. */
export function t(key, values = {}) {
  const message = said.texts[key] ?? key;
  const text = typeof message === "string" ? message : message[said.plural.select(values.count)] ?? message.other;
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => {
    const value = values[name] ?? placeholder;
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

/** Explains a failed answer of the server; `again` if the request is being repeated. The server's own error texts are in English. */
export function troubleText({ status, data }, again = false) {
  if (status === 0) return t(again ? "server.silent-again" : "server.silent");
  if (status === 503) return t(again ? "server.again" : "server.busy");
  return status >= 500 ? t("server.failed") : t("server.said", { error: data.error });
}

// ---- Choosing ----

/** Returns the language that the reader selected, else the first of the browser's languages that is available. */
export function wantedLanguage() {
  const kept = storage.readLanguage();
  const preferred = [kept, ...(navigator.languages || [navigator.language])].filter((each) => typeof each === "string");
  return preferred.map((each) => each.toLowerCase().split("-")[0]).find((each) => languages.has(each)) || "en";
}

/** Returns the texts of a language, which are in the page or are loaded; null if they could not be loaded. */
async function load(language) {
  const inPage = byId("texts");
  if (inPage?.lang === language) return JSON.parse(inPage.textContent);
  try {
    const response = await fetch(`messages/${language}.json`);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Loads a language and fills in all texts. Returns false if it could not be loaded, or if another language was requested meanwhile. */
export async function speak(language) {
  const request = ++said.requests;
  const texts = await load(language);
  if (request !== said.requests) return false;
  if (!texts && language !== "en" && !said.number) return speak("en");
  if (!texts) return false;
  Object.assign(said, { language, texts, plural: new Intl.PluralRules(language), number: new Intl.NumberFormat(language) });
  document.documentElement.lang = language;
  write(document);
  return true;
}

/** Splits a text into nodes, with [keys] as <kbd> elements. */
const withKeys = (text) => text.split(/\[(.+?)\]/).map((part, i) => (i % 2 ? el("kbd", {}, part) : part));

function write(inside) {
  for (const each of inside.querySelectorAll("[data-t]")) each.replaceChildren(...withKeys(t(each.dataset.t)));
  for (const each of inside.querySelectorAll("[data-t-label]")) each.setAttribute("aria-label", t(each.dataset.tLabel));
  for (const each of inside.querySelectorAll("[data-t-title]")) each.title = t(each.dataset.tTitle);
}

/** Fills the list of languages. `changed` is called after another language was loaded. */
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
