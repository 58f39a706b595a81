// Reviewing a game: a text goes to the server, a curve and a list of moves come back.

import * as api from "./api.js";
import { gameChart } from "./charts.js";
import { byId, el, seedsText, signed } from "./dom.js";
import { fromDiagram } from "./game.js";

export const review = { variant: null };

const example = `[FEN "1-1-2-1-1-1-1-1-1-1-1-1-17-18-S"]
1. E b 2. D f 3. C c 4. E e 5. A d 6. B f
7. F c 8. D a 9. B e 10. A d 11. E f`;

function complain(text) {
  byId("game-notice").textContent = text;
  byId("game-notice").hidden = !text;
}

/** The final margin, South minus North, that best play from each position brings; null: unknown. */
function findMargins(data) {
  const margins = data.plies.map((ply) => {
    if (ply.value === undefined) return null;
    const { stores, north } = fromDiagram(ply.position);
    return stores[0] - stores[1] + (north ? -ply.value : ply.value);
  });
  const last = data.plies[data.plies.length - 1];
  const { stores, north } = fromDiagram(last.position);
  margins.push(last.value === undefined ? null : stores[0] - stores[1] + (north ? -last.played : last.played));
  return margins;
}

/** One sentence for each side. */
function summary(plies) {
  return ["South", "North"].map((name) => {
    const own = plies.filter((ply) => (ply.move >= "a") === (name === "North"));
    const judged = own.filter((ply) => ply.value !== undefined);
    const wrong = judged.filter((ply) => ply.cost > 0);
    const lost = wrong.reduce((sum, ply) => sum + ply.cost, 0);
    if (judged.length === 0) return `${name}: no move could be judged.`;
    return `${name}: ${judged.length} of ${own.length} moves judged, ${wrong.length === 0 ? "no mistake" : `${wrong.length} mistake${wrong.length === 1 ? "" : "s"} that cost ${seedsText(lost)}`}.`;
  }).join(" ");
}

function plyButton(ply, i, openPosition) {
  const known = ply.value !== undefined;
  const words = !known ? "not judged" : ply.cost ? `costs ${ply.cost}, best ${ply.best.join(" or ")}` : "no loss";
  return el("li", {}, el("button", { onclick: () => openPosition(ply.position), title: words, "aria-label": `move ${i + 1}, ${ply.move}: ${words}` },
    el("span", { class: "small" }, `${i + 1}.`), el("b", {}, ply.move),
    known ? el("span", { class: `worth ${ply.cost ? "loss" : "win"}` }, ply.cost ? signed(-ply.cost) : "✓") : el("span", { class: "worth draw" }, "?")));
}

async function judge(openPosition) {
  const answer = await api.game(review.variant, byId("game-text").value || " ");
  complain(answer.ok ? "" : answer.data.error);
  byId("review").hidden = !answer.ok;
  if (!answer.ok) return;
  const { plies, remarks } = answer.data;
  complain(plies.length === 0 ? "There is no move in this game." : remarks.join("; "));
  byId("review").hidden = plies.length === 0;
  if (plies.length === 0) return;
  byId("review-summary").textContent = summary(plies);
  byId("review-chart").replaceChildren(gameChart(plies, findMargins(answer.data), (i) => openPosition(plies[i].position)));
  byId("review-legend").textContent = "The curve: South's final margin with best play from there. Filled dots and bars: mistakes. Shaded: not judged. A press opens the position.";
  byId("plies").replaceChildren(...plies.map((ply, i) => plyButton(ply, i, openPosition)));
}

export function setUpReview(variant, { openPosition, played }) {
  review.variant = variant;
  byId("game-form").addEventListener("submit", (event) => {
    event.preventDefault();
    judge(openPosition);
  });
  byId("game-mine").addEventListener("click", () => {
    const text = played();
    complain(text ? "" : "No move has been played on the board.");
    if (text) { byId("game-text").value = text; judge(openPosition); }
  });
  byId("game-example").addEventListener("click", () => { byId("game-text").value = example; judge(openPosition); });
}
