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

/** Describes the judgement of a move that lost seeds. */
export function judgement({ cost, best, about, turns }) {
  const words = t(about ? "review.costs-about" : "review.costs", { cost, best: eitherOf(best) });
  return turns ? t("review.turns", { words }) : words;
}

const ahead = (margin) => (margin === 0 ? t("chart.even")
  : t("chart.by", { side: sideText(margin > 0 ? "south" : "north"), seeds: seedsText(Math.abs(Math.round(margin))) }));

/** Describes a point of the graph. */
function pointText({ node, margin, about, lost }, i) {
  const value = margin === null ? t("chart.unknown") : about ? t("chart.about", { text: ahead(margin) }) : ahead(margin);
  const words = lost ? t("chart.lost", { value, words: judgement(lost) }) : value;
  return node.parent ? t("chart.move", { count: i, letter: node.letter, words }) : words;
}

/** Returns the points at which a letter is drawn: moves that lost seeds, the worst first, unless their letter overlaps an earlier one. */
function lettered(points, x, room) {
  const chosen = [];
  const wanted = points.map((point, i) => ({ ...point, i })).filter(({ node, lost }) => node.parent && lost)
    .sort((one, other) => other.lost.cost - one.lost.cost || one.i - other.i);
  for (const each of wanted) if (chosen.every(({ i }) => Math.abs(x(i) - x(each.i)) >= room)) chosen.push(each);
  return chosen;
}

/** Returns the two areas between a stretch of the curve and zero: South's above, and North's below. */
function areas(points, from, to, x, y) {
  const path = (least, most) => {
    const clipped = [];
    for (let i = from; i <= to; i++) {
      const margin = points[i].margin, before = i > from ? points[i - 1].margin : margin;
      if (margin * before < 0) clipped.push([x(i - 1) + (x(i) - x(i - 1)) * (before / (before - margin)), 0]);
      clipped.push([x(i), Math.max(least, Math.min(most, margin))]);
    }
    return `M${x(from)},${y(0)}${clipped.map(([at, margin]) => `L${at.toFixed(1)},${y(margin).toFixed(1)}`).join("")}L${x(to)},${y(0)}Z`;
  };
  return [svg("path", { class: "area-south", d: path(0, 48) }), svg("path", { class: "area-north", d: path(-48, 0) })];
}

/**
 * Draws a game: the margin with which South wins with best play, after each of its moves. `points` are the positions:
 * {node, margin, about, lost}, where `margin` is null if it is not known, and `lost` the judgement of a move that lost seeds.
 * `current` is the displayed position. The elements that can be pressed lie above the drawing and stay while the drawing changes
 * (see `refill`), so that a press counts even if a value arrives during the press.
 */
export function gameGraph(points, current, width, onPoint) {
  const left = 34, right = 10, top = 8, high = 88, bottom = top + high, count = Math.max(points.length - 1, 1);
  const step = (width - left - right) / count;
  const reach = Math.max(4, ...points.filter(({ margin }) => margin !== null).map(({ margin }) => Math.ceil(Math.abs(margin))));
  const y = (margin) => top + high / 2 - (margin / reach) * (high / 2);
  const x = (i) => left + i * step;
  const parts = [];
  for (const [at, low] of [[reach, 8], [0, 4], [-reach, 0]]) parts.push(text(left - 6, y(at) + low, signed(at), { "text-anchor": "end" }));
  for (let i = 0; i < points.length; i++) {
    let to = i;
    while (points[i].margin !== null && points[to + 1] && points[to + 1].margin !== null) to++;
    if (to > i) parts.push(...areas(points, i, to, x, y));
    i = to;
  }
  parts.push(line(left, y(0), width - right, y(0), "zero"), line(x(current), top, x(current), bottom, "cursor"));
  points.slice(1).forEach((point, i) => {
    const before = points[i];
    if (before.margin !== null && point.margin !== null)
      parts.push(line(x(i), y(before.margin), x(i + 1), y(point.margin), before.about || point.about ? "curve about" : "curve"));
  });
  points.forEach((point, i) => {
    const height = y(point.margin ?? 0);
    if (point.lost?.turns) parts.push(svg("circle", { class: "turn", cx: x(i), cy: height, r: 8 }));
    if (point.lost) parts.push(svg("circle", { class: "dot bad", cx: x(i), cy: height, r: 4.5 }));
    else if (step >= 14 && point.margin !== null) parts.push(svg("circle", { class: "dot", cx: x(i), cy: height, r: 2.5 }));
  });
  if (points[current].margin !== null) parts.push(svg("circle", { class: "here", cx: x(current), cy: y(points[current].margin), r: 5.5 }));
  for (const { node, i } of lettered(points, x, 14)) parts.push(text(x(i), bottom + 15, node.letter, { "text-anchor": "middle", class: "strong" }));
  parts.push(text(left + 4, top + 10, t("chart.ahead", { side: sideText("south") })), text(left + 4, bottom - 3, t("chart.ahead", { side: sideText("north") })));
  const plies = points.map((point, i) => svg("g", { class: "ply", onclick: () => onPoint(i) }, svg("title", {}, pointText(point, i)),
    svg("rect", { class: "hit", x: Math.max(left, x(i) - step / 2), y: top, width: i === 0 || i === count ? Math.max(step / 2, 6) : step, height: high + 18 })));
  return chart(width, bottom + 20, t("chart.game"), svg("g", { class: "drawing" }, ...parts), svg("g", {}, ...plies));
}
