// Charts as SVG: shares by level, the histogram of a level, the curve of a game. Every number is also in
// a <title>, for tooltips and screen readers.

import { signed, svg, tone } from "./dom.js";
import { eitherOf, percent, seedsText, sideText, t } from "./messages.js";

/** Width available for a chart: charts are not scaled, so that text keeps its size on a phone. */
const availableWidth = () => Math.max(260, Math.min(960, document.querySelector("main").clientWidth - 38));
const positionsText = (count) => t("count.positions", { count });

function chart(width, height, label, ...children) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...children);
}

const LETTER = 6.5; // approximate width of a letter in the charts
const text = (x, y, words, attributes) => svg("text", { x, y, ...attributes }, words);
const line = (x1, y1, x2, y2, kind = "axis") => svg("line", { x1, y1, x2, y2, class: kind });
const bar = (x, y, width, height, kind, title) =>
  svg("rect", { x, y, width: Math.max(width, 0), height: Math.max(height, 0), class: kind, rx: 1.5 }, title ? svg("title", {}, title) : null);

/** Draws the shares of wins, draws and losses of the mover, one column for each level. */
export function sharesChart(levels, chosen, onLevel) {
  const all = availableWidth(), left = 46, top = 46, high = 200, bottom = top + high;
  const step = Math.min((all - left - 8) / levels.length, 70);
  const parts = [text(left, 14, t("chart.mover"))];
  let at = left;
  for (const [word, kind] of [[t("chart.wins"), "win"], [t("chart.draws"), "draw"], [t("chart.loses"), "loss"]]) {
    parts.push(bar(at, 22, 12, 12, `fill-${kind}`), text(at + 17, 32, word));
    at += 17 + LETTER * (word.length + 2);
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1])
    parts.push(line(left - 4, bottom - share * high, left + step * levels.length, bottom - share * high),
      text(left - 8, bottom - share * high + 4, percent(share, 1, 0), { "text-anchor": "end" }));
  levels.forEach((level, i) => {
    const x = left + i * step + step * 0.1, width = step * 0.8, total = level.placements;
    let y = bottom;
    const column = svg("g", { class: "ply", onclick: () => onLevel(i) }, svg("title", {},
      t("chart.share", { seeds: seedsText(level.seeds), wins: percent(level.wins, total), draws: percent(level.draws, total), losses: percent(level.losses, total), total: positionsText(total) })));
    for (const [count, kind] of [[level.wins, "win"], [level.draws, "draw"], [level.losses, "loss"]]) {
      const height = (count / total) * high;
      column.append(bar(x, y -= height, width, height, `fill-${kind}`));
    }
    parts.push(column);
    if (step >= 18 || i % 2 === 0 || i === chosen)
      parts.push(text(x + width / 2, bottom + 16, level.seeds, { "text-anchor": "middle", class: i === chosen ? "strong" : "" }));
  });
  parts.push(text(left, bottom + 32, t("chart.seeds")));
  return chart(all, bottom + 38, t("chart.shares"), ...parts);
}

/** Draws how often each value occurs in a level. */
export function histogramChart(level) {
  const all = availableWidth(), left = 60, top = 14, high = 230, bottom = top + high;
  const counts = new Map(level.histogram.map((entry) => [entry.value, entry.count]));
  const most = Math.max(...counts.values());
  const values = 2 * level.seeds + 1;
  const step = Math.min((all - left - 10) / values, 60);
  const every = Math.ceil(28 / step);
  const start = left + (all - left - 10 - step * values) / 2;
  const parts = [line(left - 4, bottom, all - 8, bottom, "zero")];
  for (const share of [0.25, 0.5, 0.75, 1])
    parts.push(line(left - 4, bottom - share * high, all - 8, bottom - share * high),
      text(left - 8, bottom - share * high + 4, percent(share * most, level.placements, most / level.placements < 0.1 ? 1 : 0), { "text-anchor": "end" }));
  for (let i = 0; i < values; i++) {
    const value = i - level.seeds, count = counts.get(value) || 0;
    const height = (count / most) * high, x = start + i * step;
    if (count)
      parts.push(bar(x + step * 0.1, bottom - Math.max(height, 1), step * 0.8, Math.max(height, 1), `fill-${tone(value)}`,
        t("chart.value", { value: signed(value), positions: positionsText(count), share: percent(count, level.placements) })));
    if (i % every === 0)
      parts.push(text(x + step / 2, bottom + 17, signed(value), { "text-anchor": "middle" }));
  }
  parts.push(text(left, bottom + 34, t("chart.axis")));
  return chart(all, bottom + 40, t("chart.values", { count: level.seeds }), ...parts);
}

/** Describes the judgement of a move. */
export function judgement({ value, cost, best, about, turns }) {
  if (value === undefined) return t("review.unjudged");
  const words = cost ? t(about ? "review.costs-about" : "review.costs", { cost, best: eitherOf(best) }) : t("review.best");
  return turns ? `${words}; ${t("review.turns")}` : words;
}

/**
 * Draws a game: the final margin (South minus North) with best play from each position, and below it the
 * cost of each move. `margins` has one entry more than `plies`; an entry is null if it is not known.
 */
export function gameChart(plies, margins, onPly) {
  const all = availableWidth(), left = 46, top = 14, high = 170, gap = 26, costs = 70;
  const bottom = top + high, base = bottom + gap;
  const step = (all - left - 12) / Math.max(plies.length, 1);
  const reach = Math.max(4, ...margins.filter((margin) => margin !== null).map((margin) => Math.ceil(Math.abs(margin))));
  const worst = Math.max(4, ...plies.map((ply) => ply.cost || 0));
  const y = (margin) => top + high / 2 - (margin / reach) * (high / 2);
  const x = (i) => left + i * step;
  const parts = [text(left - 8, y(reach) + 8, signed(reach), { "text-anchor": "end" }), text(left - 8, y(0) + 4, "0", { "text-anchor": "end" }),
    text(left - 8, y(-reach), signed(-reach), { "text-anchor": "end" })];
  plies.forEach((ply, i) => {
    if (ply.value === undefined) parts.push(bar(x(i), top, step + 0.5, base + costs - top, "fill-gap", t("review.move", { count: i + 1, letter: ply.move, words: judgement(ply) })));
  });
  parts.push(line(left, y(0), all - 12, y(0), "zero"), line(left, base, all - 12, base, "zero"),
    text(left + 4, top + 12, t("chart.ahead", { side: sideText("south") })), text(left + 4, bottom - 4, t("chart.ahead", { side: sideText("north") })), text(left - 8, base + 12, t("chart.cost"), { "text-anchor": "end" }));
  plies.forEach((ply, i) => {
    if (margins[i] !== null && margins[i + 1] !== null)
      parts.push(line(x(i), y(margins[i]), x(i + 1), y(margins[i + 1]), ply.about ? "curve about" : "curve"));
  });
  plies.forEach((ply, i) => {
    const mark = svg("g", { class: "ply", onclick: () => onPly(i) }, svg("title", {}, t("review.move", { count: i + 1, letter: ply.move, words: judgement(ply) })),
      svg("rect", { class: "hit", x: x(i), y: top, width: step, height: base + costs - top }));
    if (ply.cost) mark.append(bar(x(i) + step * 0.15, base, step * 0.7, (ply.cost / worst) * costs, "fill-loss"));
    if (margins[i] !== null) mark.append(svg("circle", { class: ply.cost ? "dot bad" : "dot", cx: x(i), cy: y(margins[i]), r: ply.cost ? 5.5 : 3 }));
    if (ply.turns && margins[i] !== null) mark.append(svg("circle", { class: "turn", cx: x(i), cy: y(margins[i]), r: 9 }));
    parts.push(mark);
    if (step >= 11 || ply.cost) parts.push(text(x(i) + step / 2, base + costs + 16, ply.move, { "text-anchor": "middle", class: ply.cost ? "strong" : "" }));
  });
  return chart(all, base + costs + 24, t("chart.game"), ...parts);
}
