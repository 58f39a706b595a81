// What the page asks: ask.js knows whom.

import { ask } from "./ask.js";

export const info = () => ask("api/info");
export const stats = (variant) => ask("api/stats", variant);
export const moves = (variant, p) => ask("api/moves", { ...variant, p });
export const position = (variant, p) => ask("api/position", { ...variant, p });
export const analysis = (variant, p) => ask("api/analysis", { ...variant, p });
export const move = (variant, p, level, seed) => ask("api/move", { ...variant, p, level, seed });
export const game = (variant, text) =>
  ask("api/game", variant, { method: "POST", headers: { "Content-Type": "text/plain" }, body: text });
export const review = (variant, text) =>
  ask("api/review", variant, { method: "POST", headers: { "Content-Type": "text/plain" }, body: text });
