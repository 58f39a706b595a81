// Import and export: a text or file becomes the game on the board, and the game becomes a text or a link.

import * as api from "./api.js";
import { byId, el, signed } from "./dom.js";
import { after, diagram, fromDiagram, isDiagram, squaresOf, startPosition } from "./game.js";
import { t, troubleText } from "./messages.js";
import { MOVES_MAX, readGames, titleOf, writeGame } from "./ogn.js";
import { grow, lineThrough, MARKS, path, plant } from "./tree.js";

const TEXT_MAX = 1 << 20; // characters; the limit of the server, too

/** Returns true if a record gives the right number of captured seeds. Some records add the seeds left at the end to the last capture. */
const fits = ({ captured, children }, seeds) =>
  captured === undefined || captured === seeds || (captured > seeds && children.length === 0);

/** Replays a record under the rules of `variant`. Returns {root, node, problem}; `node` is the end of the main line. */
export async function replay(variant, { tags, root: record, cut }) {
  const text = tags.FEN || diagram(startPosition());
  const first = await api.moves(variant, text);
  if (!first.ok || !isDiagram(text))
    return { root: null, problem: first.ok ? t("record.diagram") : troubleText(first) };
  const root = plant(fromDiagram(text));
  let node = root, problem = "";
  Object.assign(root, { comment: record.comment, result: record.result || "" });
  for (const work = [[record, root, true]]; work.length;) {
    const [from, to, main] = work.pop();
    const answer = from.children.length && !to.state.over ? await api.moves(variant, diagram(to.state)) : null;
    if (main) node = to;
    for (const each of from.children) {
      const move = answer?.ok && answer.data.moves.find((legal) => legal.move === each.letter);
      const target = !each.squares || each.squares === squaresOf(to.state, each.letter);
      if (!move || !target || !fits(each, move.captured)) {
        const written = each.squares || each.letter;
        const letter = each.captured === undefined ? written : `${written}+${each.captured}`;
        problem ||= answer && !answer.ok ? troubleText(answer) : t("record.illegal", { letter });
        continue;
      }
      const child = grow(to, each.letter, after(to.state, move));
      Object.assign(child, { comment: each.comment, mark: each.mark, result: each.result || "" });
      work.push([each, child, main && each === from.children[0]]);
    }
  }
  return { root, node, problem: problem || (cut ? t("record.many", { most: MOVES_MAX }) : "") };
}

/** Makes a record from letters that start at the position `p`. */
export function recordOf(p, letters) {
  const root = { letter: "", mark: "", comment: "", children: [] };
  let at = root;
  for (const letter of letters) at.children.push(at = { letter, mark: "", comment: "", children: [] });
  return { tags: { FEN: p }, root };
}

const lettersOf = (nodes, between) => nodes.slice(1).map((each) => each.letter).join(between);

/** Returns the record of a path of nodes that starts at the root; "" if it has no moves. */
export const textOf = (nodes) => (nodes.length > 1 ? `[FEN "${diagram(nodes[0].state)}"]\n${lettersOf(nodes, " ")}` : "");

/** Returns a link to the displayed line, up to its end. */
export function linkTo(variant, root, node) {
  const query = new URLSearchParams({ ...variant, p: diagram(root.state) });
  const letters = lettersOf(lineThrough(node), "");
  return `${window.location.origin}${window.location.pathname}?${query}${letters ? `#moves=${letters}` : ""}`;
}

/** Returns the moves in the URL of the page. */
export const linkedMoves = () => /^#moves=([A-Fa-f]{1,1000})/.exec(window.location.hash)?.[1] || "";

/** Returns the record of a game, with the values of its moves where they are known. */
async function exported({ choice, variant, tags, root }) {
  let end = root;
  while (end.children.length) end = end.children[0];
  const main = path(end), notes = new Map();
  const judged = end.parent ? await api.game(variant, textOf(main)) : null;
  if (judged?.ok)
    judged.data.plies.forEach((ply, i) => {
      if (ply.value !== undefined) notes.set(main[i + 1], `value ${signed(ply.played).replace("−", "-")}, best ${ply.best.join(" ")}`);
    });
  return writeGame(root, { ...tags, Variant: choice.database.rules, Cycle: choice.database.cycle }, notes);
}

function offer(games, onGame) {
  byId("ogn-games").replaceChildren(...(games.length < 2 ? []
    : games.map((each, i) => el("li", {}, el("button", { onclick: () => onGame(each) }, titleOf(each, i))))));
}

/**
 * Connects the controls. `open` shows a record and returns false if another game was opened meanwhile; `view` is the state
 * of the page; `say` shows a notice.
 */
export function setUpRecords({ open, view, say, changed, commented, left }) {
  const read = async (text) => {
    const { games: all, error } = readGames(text.slice(0, TEXT_MAX));
    const games = all.filter(({ tags, root }) => root.children.length || root.comment || Object.keys(tags).length);
    byId("ogn-text").value = text.slice(0, TEXT_MAX);
    offer(games, open);
    if (games.length === 1 && !await open(games[0])) return;
    const problem = text.length > TEXT_MAX ? t("record.long", { most: TEXT_MAX }) : error && t("record.unclear", error);
    if (games.length !== 1) say(problem || (games.length ? t("record.choose", { count: games.length }) : t("record.empty")));
    else if (problem) say(`${byId("notice").textContent} ${t("record.part", { problem })}`.trim(), t("record.part", { problem }));
  };
  const readFile = async (file) => {
    const text = await file?.slice(0, 4 * TEXT_MAX + 4).text().catch(() => null); // bytes, enough for one character too many
    if (text === null) say(t("record.unread"));
    else if (file) read(text);
  };
  byId("ogn-open").addEventListener("click", () => read(byId("ogn-text").value));
  byId("ogn-file").addEventListener("change", (event) => {
    readFile(event.target.files[0]);
    event.target.value = ""; // the same file may be chosen again
  });
  byId("ogn-write").addEventListener("click", async () => { byId("ogn-text").value = await exported(view); });
  byId("ogn-text").addEventListener("dragover", (event) => event.preventDefault());
  byId("ogn-text").addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    readFile(event.dataTransfer.files[0]);
  });
  byId("mark").replaceChildren(...MARKS.map((mark) => el("option", { value: mark }, mark || "–")));
  byId("mark").addEventListener("change", (event) => { view.node.mark = event.target.value; changed(); });
  byId("comment").addEventListener("change", () => { commented(); changed(); });
  byId("comment").addEventListener("blur", left);
}
