// The evaluation graph of the displayed line: what is known about the positions of a game, and its drawing.

import * as api from "./api.js";
import { isAbout } from "./analysis.js";
import { gameGraph } from "./charts.js";
import { byId, pause, refill } from "./dom.js";
import { diagram, finalScore, fromDiagram } from "./game.js";
import { textOf } from "./records.js";
import { lineThrough } from "./tree.js";

const DELAY = 250; // milliseconds before the values of a new line are requested, since the line may grow at once
const KNOWN_MAX = 5000; // positions

const known = new Map(); // by rules and position: {margin, about}
let requested = ""; // the line whose values were requested last

const keyOf = ({ rules, cycle }, state) => `${rules} ${cycle} ${diagram(state)}`;

/** Remembers the value of a position for the side to move. An estimate does not replace an exact value. */
export function remember(variant, state, value, about) {
  const key = keyOf(variant, state);
  if (about && known.get(key)?.about === false) return;
  if (known.size > KNOWN_MAX) known.clear();
  known.set(key, { margin: state.stores[0] - state.stores[1] + (state.north ? -value : value), about });
}

/** Returns the margin with which South wins with best play, as far as it is known: {margin, about}, or null. */
function marginOf(variant, state) {
  if (!state.over) return known.get(keyOf(variant, state)) ?? null;
  const { south, north } = finalScore(state, state.over);
  return { margin: south - north, about: false };
}

/** Requests the values of a line that the tables have. Returns true if there are new ones. */
async function request(variant, nodes, isWanted) {
  const text = textOf(nodes), key = `${variant.rules} ${variant.cycle} ${text}`;
  if (key === requested || nodes.every(({ state }) => marginOf(variant, state))) return false;
  requested = key;
  await pause(DELAY);
  if (!isWanted() || key !== requested) {
    if (key === requested) requested = "";
    return false;
  }
  const answer = await api.game(variant, text);
  if (!answer.ok) return false;
  const judged = answer.data.plies.filter((ply) => ply.value !== undefined);
  for (const { position, value } of judged) remember(variant, fromDiagram(position), value, false);
  return isWanted() && judged.length > 0;
}

/**
 * Draws the graph of the displayed line. `hidden` is true if values are not to be seen; `costOf` returns the judgement of a
 * move if it lost seeds, else null; `onNode` is called with the node of a point that was pressed.
 */
export function drawGraph(view, { hidden, costOf, onNode }) {
  const { variant, node, answer } = view, box = byId("graph"), nodes = lineThrough(node);
  if (answer && !view.over) remember(variant, view.state, answer.value, isAbout(answer));
  byId("graph-box").hidden = hidden || nodes.length < 2;
  if (byId("graph-box").hidden || byId("graph-box").checkVisibility?.() === false) return;
  const points = nodes.map((each) => ({ node: each, ...(marginOf(variant, each.state) ?? { margin: null, about: false }), lost: each.parent ? costOf(each) : null }));
  const drawn = gameGraph(points, nodes.indexOf(node), Math.max(260, box.clientWidth), (i) => onNode(nodes[i]));
  drawn.dataset.key = "graph";
  refill(box, [drawn]);
  request(variant, nodes, () => view.variant === variant && lineThrough(view.node).at(-1) === nodes.at(-1))
    .then((isNew) => { if (isNew) drawGraph(view, { hidden, costOf, onNode }); });
}
