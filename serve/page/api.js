// What the page asks: ask.js knows whom.

import { ask } from "./ask.js";
import { pause } from "./dom.js";

export const TROUBLE = 2000; // milliseconds between questions to a silent server

/** Whether to ask again says something: the server was silent, or had no time. */
export const isPassing = ({ status }) => status === 0 || status === 503;

/** Asks as long as the answer is a passing trouble, which `hear` is told of, and `isWanted`. */
export async function insist(question, isWanted, hear = () => {}) {
  for (;;) {
    const answer = await question();
    if (!isPassing(answer) || !isWanted()) return answer;
    hear(answer);
    await pause(TROUBLE);
    if (!isWanted()) return answer;
  }
}

export const info = () => ask("api/info");
export const stats = (variant) => ask("api/stats", variant);
export const moves = (variant, p) => ask("api/moves", { ...variant, p });
export const position = (variant, p) => ask("api/position", { ...variant, p });
export const analysis = (variant, p) => ask("api/analysis", { ...variant, p });
export const move = (variant, p, level, seed) => ask("api/move", { ...variant, p, level, seed });
const send = (path, variant, body) => ask(path, variant, { method: "POST", headers: { "Content-Type": "text/plain" }, body });
export const game = (variant, text) => send("api/game", variant, text);
export const review = (variant, text) => send("api/review", variant, text);
