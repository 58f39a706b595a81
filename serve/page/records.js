// Import and export: a text or file becomes the game on the board, and the game becomes a text or a link.

import * as api from "./api.js";
import { byId, el, signed } from "./dom.js";
import { after, diagram, fromDiagram, isDiagram, onBoard, squaresOf, startPosition } from "./game.js";
import { t, troubleText } from "./messages.js";
import { decodeRecord, MOVES_MAX, readGames, titleOf, writeGame } from "./ogn.js";
import { scoreOfRepetition } from "./opponent.js";
import { endOf } from "./play.js";
import { cut as cutOff, grow, lineThrough, MARKS, path, plant, RESULT_MAX } from "./tree.js";

const TEXT_MAX = 1 << 20; // characters; the limit of the server, too
const REMARKS_SHOWN = 3;

const rowOf = ({ pits }, north) => pits.slice(north ? 6 : 0, north ? 12 : 6).reduce((sum, pit) => sum + pit, 0);

/**
 * Returns true if `seeds` is the number of seeds that the side of the last move gets when the game ends at `node`: its share under
 * the rules, or the seeds in its own row. Some records add this number to the last capture, even if the game ended because a
 * position occurred for the second time.
 */
async function bringsEnd(variant, node, seeds) {
  const { state, parent } = node, { north } = parent.state;
  if (state.over) return seeds <= onBoard(parent.state);
  const answer = await api.moves(variant, diagram(state));
  const end = answer.ok && answer.data.end;
  const again = path(parent).some((each) => `${each.state.pits}${each.state.north}` === `${state.pits}${state.north}`);
  if (!end && !again) return false;
  return seeds === rowOf(state, north) || seeds === end?.[state.north === north ? "mover" : "opponent"];
}

/** Returns true if the published tables let this grand slam be played, although the game is over and the mover gets everything. */
const isLastSlam = ({ end, seeds, refused }, letter) =>
  end?.mover === seeds && refused.some((each) => each.move === letter && each.why === "slam");

/** Replays a record under the rules of `variant`. Returns {root, node, problem}; `node` is the end of the main line. */
export async function replay(variant, { tags, root: record, cut }) {
  const text = tags.FEN || diagram(startPosition());
  const first = await api.moves(variant, text);
  if (!first.ok || !isDiagram(text))
    return { root: null, problem: [first.ok || first.status === 400 ? t("record.diagram") : "", first.ok ? "" : troubleText(first)].join(" ").trim() };
  const root = plant(fromDiagram(text));
  let node = root, problem = "";
  const illegal = ({ letter, squares, captured }) =>
    `${t("record.illegal", { letter: (squares || letter) + (captured === undefined ? "" : `+${captured}`) })}${tags.FEN ? "" : ` ${t("record.start")}`}`;
  Object.assign(root, { comment: record.comment, result: record.result || "" });
  for (const work = [[record, root, true]]; work.length;) {
    const [from, to, main] = work.pop();
    const answer = from.children.length && !to.state.over ? await api.moves(variant, diagram(to.state)) : null;
    if (main) node = to;
    for (const each of from.children) {
      const move = answer?.ok && answer.data.moves.find((legal) => legal.move === each.letter);
      if (!move && answer?.ok && isLastSlam(answer.data, each.letter)) continue;
      const more = move ? (each.captured ?? move.captured) - move.captured : NaN;
      const target = !each.squares || each.squares === squaresOf(to.state, each.letter);
      const child = move && target ? grow(to, each.letter, after(to.state, move)) : null;
      if (!child || !(more === 0 || (more > 0 && !each.children.length && await bringsEnd(variant, child, more)))) {
        if (child) cutOff(child);
        problem ||= answer && !answer.ok ? troubleText(answer) : illegal(each);
        continue;
      }
      Object.assign(child, { comment: each.comment, mark: each.mark, result: each.result || "" });
      work.push([each, child, main && each === from.children[0]]);
    }
  }
  const told = tags.Result?.trim() ?? "";
  if (!problem && !cut && !node.result && !["", "?", "*"].includes(told)) node.result = told.slice(0, RESULT_MAX);
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

/** Returns a link for a class, without values and without Analyse: to a position to play, or to another section. */
export function linkForClass(variant, { p, fragment = "#/play" }) {
  const query = new URLSearchParams({ ...variant, ...(p ? { p } : {}), class: 1 });
  return `${window.location.origin}${window.location.pathname}?${query}${fragment}`;
}

/** Copies a link. Returns a text that says so; if the browser forbids it, the text is the link. */
export async function copyLink(link) {
  try {
    await navigator.clipboard.writeText(link);
    return t("link.copied");
  } catch {
    return t("link.shown", { link });
  }
}

/** Returns the moves in the URL of the page. */
export const linkedMoves = () => /^#moves=([A-Fa-f]{1,1000})/.exec(window.location.hash)?.[1] || "";

/**
 * Returns the result of a game whose moves end at `node`: the score if all seeds are shared out; points such as 1-0 if the players
 * ended the game, or one of them has more than half of the seeds; "" if the game goes on.
 */
async function resultOf({ variant, choice, play }, node) {
  const { state } = node, answer = state.over ? null : await api.moves(variant, diagram(state));
  const share = answer?.ok && answer.data.end;
  const thrice = path(node).filter((each) => diagram(each.state) === diagram(state)).length >= 3;
  const repetition = thrice ? await scoreOfRepetition(variant, textOf(path(node))) : null;
  const end = endOf({ state, over: state.over || (share ? { share, north: state.north } : null), thrice, repetition, play, choice }, true);
  if (!end || end.winner === undefined) return "";
  if (end.whole && (end.winner === "south") === (end.south > end.north) && (end.winner === "north") === (end.north > end.south)) return `${end.south}-${end.north}`;
  return { south: "1-0", north: "0-1" }[end.winner] ?? "1/2-1/2";
}

/** Returns the record of a game, with the values of its moves where they are known. */
async function exported(view) {
  const { choice, variant, tags, root } = view;
  let end = root;
  while (end.children.length) end = end.children[0];
  const main = path(end), notes = new Map();
  const judged = end.parent ? await api.game(variant, textOf(main)) : null;
  if (judged?.ok)
    judged.data.plies.forEach((ply, i) => {
      if (ply.value !== undefined) notes.set(main[i + 1], `value ${signed(ply.played).replace("−", "-")}, best ${ply.best.join(" ")}`);
    });
  return writeGame(root, { ...tags, Variant: choice.database.rules, Cycle: choice.database.cycle }, notes, await resultOf(view, end));
}

const example = `[FEN "1-1-2-1-1-1-1-1-1-1-1-1-17-18-S"]
1. E b 2. D f 3. C c 4. E e 5. A d 6. B f
7. F c 8. D a 9. B e 10. A d 11. E f`;

function offer(games, onGame) {
  const name = (each, i) => (each.lost ? t("record.lost", { title: titleOf(each, i) }) : titleOf(each, i));
  byId("ogn-games").replaceChildren(...(games.length < 2 ? []
    : games.map((each, i) => el("li", {}, el("button", { onclick: () => onGame(each) }, name(each, i))))));
}

/** Accepts files that are dropped anywhere on the page. */
function setUpDrop(readFile) {
  const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  const hint = (on) => byId("drop").hidden = !on;
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    hint(true);
  });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) hint(false); });
  document.addEventListener("drop", (event) => {
    hint(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    window.location.hash = "#/analyse";
    readFile(event.dataTransfer.files[0]);
  });
}

/**
 * Connects the controls. `open` shows a record, reviews it if its second argument is true, and returns false if another game
 * was opened meanwhile; `view` is the state of the page; `say` shows a notice.
 */
export function setUpRecords({ open, view, say, changed, commented, left }) {
  /** Repeats the notice beside the text, where the reader looks. */
  const repeat = () => {
    const { textContent } = byId("notice"), box = byId("ogn-notice");
    box.textContent = textContent;
    box.hidden = !textContent;
    if (textContent) byId("ogn-box").open = true;
  };
  const read = async (text, { problem: undecoded, remark } = {}, andJudge = false) => {
    const { games: all, problems, remarks } = readGames(text.slice(0, TEXT_MAX));
    const games = all.filter(({ tags, root }) => root.children.length || root.comment || Object.keys(tags).length);
    byId("ogn-text").value = text.slice(0, TEXT_MAX).replace(/^\uFEFF/, ""); // without the mark of a file
    const openOne = async (each) => {
      const shown = await open(each, andJudge);
      if (shown) repeat();
      return shown;
    };
    offer(games, openOne);
    if (games.length === 1 && !await open(games[0], andJudge)) return;
    const [first] = [...(undecoded ? [undecoded] : []), ...problems];
    const isSaid = games.length === 1 && first?.key === "record.diagram"; // the notice already has the server's text, which says what is wrong
    const problem = text.length > TEXT_MAX ? t("record.long", { most: TEXT_MAX }) : first && !isSaid ? t(first.key, first) : "";
    const remarked = [...(remark ? [remark] : []), ...remarks].slice(0, REMARKS_SHOWN).map((each) => t(each.key, each));
    const part = problem && games.length ? t("record.part", { problem }) : problem;
    if (games.length === 1) {
      const more = [part, ...remarked].filter(Boolean).join(" ");
      if (more) say(`${byId("notice").textContent} ${more}`.trim(), more);
    } else say([games.length ? t("record.choose", { count: games.length }) : part ? "" : t("record.empty"), part, ...remarked].filter(Boolean).join(" "));
    repeat();
  };
  const readFile = async (file) => {
    const most = 4 * TEXT_MAX + 4; // bytes: enough for TEXT_MAX characters and one more
    const bytes = await file?.slice(0, most).arrayBuffer().catch(() => null);
    if (bytes === null) {
      say(t("record.unread"));
      repeat();
    } else if (file) {
      const decoded = decodeRecord(new Uint8Array(bytes), file.size > most);
      read(decoded.text, decoded);
    }
  };
  byId("ogn-open").addEventListener("click", () => read(byId("ogn-text").value));
  byId("ogn-review").addEventListener("click", () => read(byId("ogn-text").value, {}, true));
  byId("ogn-example").addEventListener("click", () => read(example, {}, true));
  byId("ogn-file").addEventListener("change", (event) => {
    readFile(event.target.files[0]);
    event.target.value = ""; // the same file may be chosen again
  });
  byId("ogn-write").addEventListener("click", async () => { byId("ogn-text").value = await exported(view); });
  setUpDrop(readFile);
  byId("mark").replaceChildren(...MARKS.map((mark) => el("option", { value: mark }, mark || "–")));
  byId("mark").addEventListener("change", (event) => { view.node.mark = event.target.value; changed(); });
  byId("comment").addEventListener("change", () => { commented(); changed(); });
  byId("comment").addEventListener("blur", left);
}
