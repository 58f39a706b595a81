// The requests of the page. ask.js sends them.

import { ask } from "./ask.js";
import { pause } from "./dom.js";

export const TROUBLE = 2000; // milliseconds between two attempts while the server does not respond

/** Returns true if a repeated request may succeed: the server did not respond, or was busy. */
export const isTemporary = ({ status }) => status === 0 || status === 503;

/** Repeats a request while it fails temporarily and `isWanted` returns true; calls `onFailure` for each failure. */
export async function retry(request, isWanted, onFailure = () => {}) {
  for (;;) {
    const answer = await request();
    if (!isTemporary(answer) || !isWanted()) return answer;
    onFailure(answer);
    await pause(TROUBLE);
    if (!isWanted()) return answer;
  }
}

export const info = () => ask("api/info");
export const stats = (variant) => ask("api/stats", variant);
export const moves = (variant, p) => ask("api/moves", { ...variant, p });
export const position = (variant, p) => ask("api/position", { ...variant, p });
export const analysis = (variant, p) => ask("api/analysis", { ...variant, p });
export const move = (variant, p, level, seed, history) => ask("api/move", { ...variant, p, level, seed, ...history });
export const puzzle = (variant, args) => ask("api/puzzle", { ...variant, ...args });
const send = (path, variant, body) => ask(path, variant, { method: "POST", headers: { "Content-Type": "text/plain" }, body });
export const game = (variant, text) => send("api/game", variant, text);
export const review = (variant, text) => send("api/review", variant, text);
