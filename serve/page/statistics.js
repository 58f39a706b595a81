// The statistics view: what /api/stats knows of each level.

import * as api from "./api.js";
import { histogramChart, sharesChart } from "./charts.js";
import { byId } from "./dom.js";

const shown = { levels: [], at: 0 };

function drawLevel() {
  const level = shown.levels[shown.at];
  byId("level").value = shown.at;
  byId("level-text").textContent = `${level.seeds}: ${level.placements.toLocaleString("en")} positions`;
  byId("shares-chart").replaceChildren(sharesChart(shown.levels, shown.at, (i) => { shown.at = i; drawLevel(); }));
  byId("histogram-chart").replaceChildren(histogramChart(level));
}

export async function showStats(variant) {
  const answer = await api.stats(variant);
  const summary = byId("stats-summary");
  if (!answer.ok) {
    summary.textContent = answer.data.error;
    return;
  }
  const { data } = answer;
  summary.textContent = `${data.rules} ${data.cycle}: ${data.positions.toLocaleString("en")} positions in ${data.bytes.toLocaleString("en")} bytes, ${((8 * data.bytes) / data.positions).toFixed(2)} bits a position. A press on a column chooses the number of seeds below.`;
  shown.levels = data.levels;
  shown.at = data.levels.length - 1;
  byId("level").max = shown.at;
  drawLevel();
}

export function setUpStats() {
  byId("level").addEventListener("input", (event) => {
    shown.at = Number(event.target.value);
    drawLevel();
  });
}
