// The statistics view, which shows the levels of a database (/api/stats).

import * as api from "./api.js";
import { histogramChart, sharesChart } from "./charts.js";
import { byId } from "./dom.js";
import { t, troubleText } from "./messages.js";

const shown = { levels: [], at: 0, ticket: 0 };

function drawLevel() {
  const level = shown.levels[shown.at];
  byId("level").value = shown.at;
  byId("level-text").textContent = t("stats.level", { seeds: level.seeds, positions: t("count.positions", { count: level.placements }) });
  byId("shares-chart").replaceChildren(sharesChart(shown.levels, shown.at, (i) => { shown.at = i; drawLevel(); }));
  byId("histogram-chart").replaceChildren(histogramChart(level));
}

/** Loads and draws the statistics of a variant; `title` is the name of its rules. */
export async function showStats(variant, title) {
  const ticket = ++shown.ticket;
  const answer = await api.stats(variant);
  const summary = byId("stats-summary");
  if (ticket !== shown.ticket) return; // other rules were selected meanwhile
  if (!answer.ok) {
    summary.textContent = answer.status === 404 ? t("page.searched", { title }) : troubleText(answer);
    for (const chart of ["shares-chart", "histogram-chart"]) byId(chart).replaceChildren();
    return;
  }
  const { data } = answer;
  const bits = Math.round((800 * data.bytes) / data.positions) / 100;
  summary.textContent = t("stats.summary", { title, positions: t("count.positions", { count: data.positions }), bytes: data.bytes, bits });
  shown.levels = data.levels;
  shown.at = data.levels.length - 1;
  byId("level").max = shown.at;
  drawLevel();
}

export function setUpStats() {
  byId("level").addEventListener("input", (event) => {
    if (!byId("shares-chart").firstChild) return;
    shown.at = Number(event.target.value);
    drawLevel();
  });
}
