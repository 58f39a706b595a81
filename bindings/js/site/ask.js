// Answers the page's requests on a static site: a worker with a book takes the place of the server.
//
// Game records are parsed here, by the page's own parser, and replayed by the worker.

import { readGames, rulesOf } from "./ogn.js";

const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const waiting = new Map();
let number = 0;

worker.addEventListener("message", ({ data: { id, answer } }) => {
  waiting.get(id)?.(answer);
  waiting.delete(id);
});
worker.addEventListener("error", (event) => {
  for (const resolve of waiting.values()) resolve({ ok: false, status: 0, data: { error: event.message || "the worker cannot start" } });
  waiting.clear();
});

const refused = (error) => ({ ok: false, status: 400, data: { error } });

/** Returns the main line of a record: letters, and the captures that the record gives. */
function lineOf(root) {
  const line = [];
  for (let at = root.children[0]; at; at = at.children[0]) line.push({ letter: at.letter, captured: at.captured });
  return line;
}

export function ask(path, args, options) {
  let game = null;
  if (options?.body !== undefined) {
    const { games, problems: [error] } = readGames(options.body);
    if (error) return Promise.resolve(refused(`line ${error.line} column ${error.column}: "${error.character}" is not valid here`));
    if (games.length > 1) return Promise.resolve(refused("the text contains more than one game"));
    game = games.length ? { ...rulesOf(games[0].tags), position: games[0].tags.FEN, line: lineOf(games[0].root) } : { line: [] };
  }
  const id = ++number;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker.postMessage({ id, path, args: { ...args }, game });
  });
}

navigator.serviceWorker?.register(new URL("./offline.js", import.meta.url)).catch(() => {}); // without it, the page needs a network
