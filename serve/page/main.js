// The controller of the page: what is displayed, and what the buttons and keys do.
//
// The object `view` holds all state. `show` queries the server about the current position and draws the
// result. Each call of `show` takes a new `view.ticket`; an answer whose ticket is no longer current is
// dropped.

import * as api from "./api.js";
import { drawBar, findLines, follow, isAbout, isSearchable, stopFollowing } from "./analysis.js";
import { Board } from "./board.js";
import { announce, byId, enable, pause } from "./dom.js";
import { Editor } from "./editor.js";
import * as game from "./game.js";
import { drawGraph } from "./graph.js";
import { setUpKeys } from "./keys.js";
import { drawLearn, setUpLearn } from "./learn.js";
import { seedsText, setUpLanguages, sideText, speak, t, troubleText, wantedLanguage } from "./messages.js";
import { drawLesson, giveAnswer, isAsking, learningSide, mistakePosition, nextMistake, startLearning, stopLearning, tryMove } from "./mistakes.js";
import { setUpPaper } from "./paper.js";
import { drawPanel, LINES_MAX, notice, scoreText } from "./panels.js";
import { chooseMove, Clock, drawChoicesOfPlay, scoreOfRepetition } from "./opponent.js";
import { acceptsDraw, chosenPlay, drawPlay, endOf, finalState, newPlay, otherSide, storedPlay, turnText } from "./play.js";
import { drawPlayed, drawRecent, hasMoves } from "./played.js";
import { copyLink, linkedMoves, linkForClass, linkTo, recordOf, replay, setUpRecords, textOf } from "./records.js";
import { rulesOf } from "./ogn.js";
import { costOf, drawReview, forgetReview, review, reviewAgain, reviewNow, startReview } from "./review.js";
import { choices, drawChoices, findChoice, refusalText, titleOf, variantOf } from "./rules.js";
import { forClass, fragmentNow, onSection, openSection, parseSection, sectionNow, setUpSections } from "./sections.js";
import { setSounds, soundsAreOn } from "./sounds.js";
import { setUpStats, showStats } from "./statistics.js";
import * as storage from "./storage.js";
import * as tree from "./tree.js";

const view = {
  choices: [], choice: null, variant: null, id: storage.newId(), tags: {}, root: null, node: null, kept: true,
  state: game.startPosition(), moves: [], refused: [], answer: null, search: null, over: null, reason: null, play: null, thrice: false, repetition: null,
  commented: null, troubled: false, analyses: false, hints: true, editing: false, busy: false, goesOn: true, ticket: 0, opening: 0,
  lines: new Map(), seekingLines: "", threads: 0, shownAt: 0,
};

const board = new Board(byId("board"), pressPit, "pit-");
const editor = new Editor(view, (state, said) => begin(state, said));
const SWIFT = 150; // milliseconds; a reader who steps faster than this does not need the values of each position
const LINES_AFTER = 1500; // milliseconds of search after which the order of the best moves hardly changes
const clock = new Clock(() => runningSide(), endByTime);
const database = () => view.choice.database;

// ---- Showing ----

const movesTo = (node) => tree.path(node).slice(1).map(({ letter }) => letter).join("");
const writeAddress = (push) => storage.writeAddress(new URLSearchParams({ ...view.variant, p: game.diagram(view.state), ...(forClass ? { class: 1 } : {}) }), fragmentNow(),
  { game: view.id, moves: movesTo(view.node) }, push);

/** Stores the game, under a new id if another tab has continued it. Returns false if it could not be stored. */
function store(changed) {
  if (!view.root) return true;
  if (!hasMoves(view.root) && !view.play) {
    storage.forgetGame(view.id);
    return true;
  }
  const { variant, id, tags, root, node } = view;
  const play = view.play && { ...view.play, left: clock.left };
  const kept = storage.writeGame({ id, ...variant, tags, play, review: reviewNow(), root, node }, changed);
  view.id = kept || id;
  if (view.id !== id) {
    writeAddress(false);
    showRecent();
  }
  return kept !== "";
}

/** Stores the game and writes the position into the URL; `push` adds an entry to the browser's history. */
function keep(push) {
  const kept = store();
  writeAddress(push);
  return kept;
}

/** Values are those of the side to move: returns -1 if the reader wants those of the other side, else 1. */
const sign = () => (byId("viewer").value === game.sideOf(!view.state.north) ? -1 : 1);

const isPlaying = () => sectionNow() === "play";

/** Returns true if values are not to be seen. */
const isHidden = () => !view.hints || isPlaying() || isAsking(view);

/** Returns the judgement of a move that lost seeds, unless values are not to be seen. */
const costShown = (node) => (view.hints && !isPlaying() ? costOf(node) : null);

/** Returns the computer's side in the game that is played; null if there is none. */
const computerSide = () => (isPlaying() && view.play?.opponent) || null;

/** Returns how the game has ended at the displayed position, or null. */
const endNow = () => endOf(view, isPlaying());

/** Returns true if the reader may not play here: the game is over or not begun, or it is the computer's turn. */
const isLocked = () => Boolean(endNow()) || (isPlaying() && !view.play) || computerSide() === game.sideOf(view.state.north);

function drawValues() {
  const end = endNow(), hidden = isHidden();
  const values = view.answer && !hidden ? new Map(view.answer.moves.map((move) => [move.move, { value: move.value, about: isAbout(move) }])) : null;
  board.draw(end && !view.editing ? finalState(view.state, end) : view.state, { moves: isLocked() ? [] : view.moves, values, last: lastPit(), landed: end ? -1 : landedPit(), hint: view.hint, glide: view.glide, editing: view.editing, locked: view.busy, sign: sign() });
  enable(byId("best"), view.answer?.moves.length && !view.busy && !end);
  drawBar(!hidden && !end ? view.answer : null, view.state);
  drawGraph(view, { hidden, costOf: costShown, onNode: jump });
  seekLines();
  const said = drawPanel({ ...view, hints: !hidden }, sign(), { end, onMove: tryLetter, onLine: playLine });
  if (!isPlaying()) {
    for (const each of [byId("turn-text"), document.querySelector(".more"), document.querySelector(".toolbar")]) each.hidden = false;
    enable(byId("hint"), !end);
    return said;
  }
  const result = drawPlay(view, end);
  if (!result) byId("turn-text").textContent = turnText(view);
  return result || `${byId("turn-text").textContent}`;
}

function draw() {
  const said = drawValues();
  const isSettled = isPlaying() && (!view.play || view.play.ended);
  enable(byId("undo"), undoTarget() && !view.busy && !isSettled);
  enable(byId("redo"), redoTarget() && !view.busy && !isSettled);
  drawSteps();
  drawFields();
  drawReview(view, isHidden(), jump);
  drawLesson(view);
  editor.draw();
  byId("mark").value = view.node.mark;
  byId("mark").disabled = !view.node.parent;
  document.body.dataset.ready = String(!view.busy);
  return said;
}

/** Draws the moves played, and the buttons that step through them. */
function drawSteps() {
  const { root, node } = view;
  drawPlayed(view, costShown, jump);
  for (const id of ["step-first", "step-back"]) enable(byId(id), node !== root);
  for (const id of ["step-forward", "step-last"]) enable(byId(id), node.children.length);
}

/** Draws the position at once, before anything is known about its moves. */
function drawStep() {
  board.draw(view.state, { last: lastPit(), landed: landedPit(), glide: view.glide, locked: true, editing: view.editing });
  drawSteps();
  drawFields();
  drawGraph(view, { hidden: isHidden(), costOf: costShown, onNode: jump });
}

/** Requests the continuations of the best moves except the first, once the order of the best moves will hardly change. */
function seekLines() {
  const { ticket, answer, search: found } = view;
  if (isHidden() || !answer || view.busy || view.over || sectionNow() !== "analyse") return;
  const done = found?.state === "done" || !found?.state, key = `${ticket} ${done}`;
  if (view.seekingLines === key || !(done || (view.threads > 1 && found.milliseconds >= LINES_AFTER))) return;
  view.seekingLines = key;
  findLines(view, LINES_MAX, () => ticket === view.ticket && view.seekingLines === key && !document.hidden, (letter, line) => {
    view.lines.set(letter, line);
    drawValues();
  });
}

/** Fills the text fields, except while the reader is typing: a comment stays with the move for which it was started. */
function drawFields() {
  if (!byId("position-text").dataset.typed) byId("position-text").value = game.diagram(view.state);
  if (document.activeElement === byId("comment") && view.commented) return;
  byId("comment").value = view.node.comment;
  view.commented = { node: view.node, text: byId("comment").value };
}

/** Saves the comment that is being typed. */
function takeComment() {
  if (!view.commented || byId("comment").value === view.commented.text) return;
  view.commented.text = byId("comment").value;
  view.commented.node.comment = view.commented.text.trim();
}

/** Called before another game is shown: saves the comment that is being typed, and the clock, with the present game. */
function leaveGame() {
  view.opening++;
  if (view.commented) leavePage();
  view.commented = null;
}

/** Called when the page is hidden, because it may be closed without further notice. */
function leavePage() {
  takeComment();
  store(true);
}

const lastPit = () => {
  const { letter } = view.node;
  return letter ? "ABCDEFabcdef".indexOf(letter) : -1;
};

/** Returns the pit of the last seed of the last move, or -1. */
const landedPit = () => (view.node.parent ? game.landingPit(view.node.parent.state, lastPit()) : -1);

/** Queries the server about the position of view.node and draws it. Returns false if another position was shown meanwhile. */
async function show(said = "", push = false, glide = false) {
  const ticket = ++view.ticket, swift = performance.now() - view.shownAt < SWIFT;
  Object.assign(view, { glide, hint: -1, shownAt: performance.now() });
  view.state = view.node.state;
  if (!view.commented) drawFields(); // another game: comments now belong to it
  view.busy = true;
  document.body.dataset.ready = "false";
  Object.assign(view, { moves: [], refused: [], answer: null, search: null, over: view.state.over || null, reason: null, troubled: false, lines: new Map(), thrice: repeated(), repetition: null });
  stopFollowing();
  board.rest();
  const kept = keep(push);
  const p = game.diagram(view.state);
  let answered = true, problem = "";
  drawStep();
  if (swift) await pause(SWIFT);
  if (ticket !== view.ticket) return false;
  if (!view.over) {
    const value = isPlaying() ? null : (view.analyses ? api.analysis : api.position)(view.variant, p);
    const [moves, answer] = await Promise.all([api.moves(view.variant, p), value]);
    if (ticket !== view.ticket) return false;
    if (moves.ok) {
      view.moves = moves.data.moves;
      view.refused = moves.data.refused;
      if (moves.data.end) view.over = { share: moves.data.end, north: view.state.north };
    }
    if (answer) answered = takeAnswer(answer, moves);
    else {
      answered = !api.isTemporary(moves);
      problem = moves.ok ? "" : troubleText(moves, !answered);
    }
  }
  view.busy = false;
  announce(`${said} ${draw()}`);
  notice(problem || (view.thrice && !isPlaying() ? t("move.thrice") : ""));
  if (!kept && view.kept) notice(t("played.lost"));
  view.kept = kept;
  document.body.dataset.shown = p;
  if (!answered) setTimeout(() => { if (ticket === view.ticket) show(); }, api.TROUBLE);
  search();
  playComputerMove(ticket);
  if (view.thrice) reportRepetition(ticket);
  return true;
}

/**
 * Takes the answer about the value of the position. Returns false if the requests have to be repeated. If the request for the
 * moves failed, the value is not shown, since it may come from the browser's cache while the server cannot be reached.
 */
function takeAnswer(answer, moves) {
  const failed = api.isTemporary(moves) ? moves : answer;
  view.troubled = api.isTemporary(answer) && isSearchable(view) && !api.isTemporary(moves);
  if (failed.ok) receive(answer.data);
  else view.reason = () => (failed.status === 404
    ? t("value.unknown", { seeds: seedsText(game.onBoard(view.state)), most: database().seeds_max }) : troubleText(failed, true));
  return view.troubled || !(api.isTemporary(moves) || api.isTemporary(answer));
}

/** Reports the result that the server computes by the rule for endless play. */
async function reportRepetition(ticket) {
  const score = await scoreOfRepetition(view.variant, textOf(tree.path(view.node)));
  if (!score || ticket !== view.ticket) return;
  view.repetition = score;
  const said = draw();
  if (isPlaying()) announce(said);
  else notice(`${t("move.thrice")} ${scoreText(score)}.`, `${scoreText(score)}.`);
}

function receive(data) {
  Object.assign(view, { search: data, troubled: false, reason: null });
  if (data.kind || data.end) view.answer = data;
}

/** Follows a search that is not finished, or that the server was too busy to start. */
function search() {
  if (!isSearchable(view) || !(view.search || view.troubled) || view.search?.state === "done") return;
  follow(view.variant, game.diagram(view.state), (data) => {
    const before = view.search;
    receive(data);
    if (before && data.milliseconds === before.milliseconds && data.state === before.state && data.before === before.before) return;
    const said = drawValues();
    if (data.state === "done") announce(said);
  }, (failed) => {
    Object.assign(view, { troubled: false, reason: () => troubleText(failed) });
    drawValues();
  });
}

/** Returns true if this position has occurred at least three times. */
function repeated() {
  const now = game.diagram(view.state);
  return tree.path(view.node).filter((each) => game.diagram(each.state) === now).length >= 3;
}

// ---- Playing ----

async function play(letter) {
  const move = view.moves.find((each) => each.move === letter);
  if (!move || view.busy || view.editing || endNow()) return false;
  const before = view.state, from = view.node, ticket = ++view.ticket;
  const isWanted = () => ticket === view.ticket; // another game may be opened during the animation
  view.busy = true;
  document.body.dataset.ready = "false";
  stopFollowing();
  board.draw(before, { last: -1, locked: true });
  await board.animate(before, move, isWanted);
  if (!isWanted()) return false;
  view.node = tree.grow(from, letter, game.after(before, move));
  if (isPlaying()) while (tree.promote(view.node)); // what was taken back becomes a variation
  view.goesOn = true;
  const side = sideText(game.sideOf(before.north));
  return show(t(move.captured ? "move.captured" : "move.played", { side, letter, count: move.captured }));
}

async function playLine(letters) {
  for (const letter of letters) {
    if (!(await play(letter))) return;
  }
}

const bestLetter = () => view.answer?.line[0] || view.answer?.moves[0]?.move;

/** Chooses a move if no values are known: one of those that capture most. */
function guess() {
  const most = Math.max(...view.moves.map((move) => move.captured));
  const list = view.moves.filter((move) => move.captured === most);
  return list[Math.floor(Math.random() * list.length)].move;
}

/** Returns the move that a level plays. Shows a temporary failure once, and only while it lasts. */
async function askForMove(level, isWanted) {
  let shown = "";
  const onFailure = (trouble) => {
    const text = troubleText(trouble, true);
    if (text !== shown) notice(shown = text);
  };
  const letter = await chooseMove(view, level, isWanted, onFailure);
  if (shown && byId("notice").textContent === shown) notice("");
  return letter;
}

/** Plays a move for the computer if it is the computer's turn. */
async function playComputerMove(ticket) {
  const isTurn = () => computerSide() === game.sideOf(view.state.north);
  const isWanted = () => ticket === view.ticket && isTurn() && !view.busy && !endNow();
  if (!isTurn() || !view.goesOn || endNow() || view.moves.length === 0) return;
  await pause(350);
  if (!isWanted()) return;
  const letter = await askForMove(view.play.level, isWanted);
  if (!isWanted()) return;
  const known = letter || bestLetter();
  if (await play(known || guess()) && !known) notice(t("move.guessed"));
}

async function hint() {
  const { ticket } = view;
  if (view.busy || isLocked() || view.moves.length === 0 || forClass) return;
  const letter = bestLetter() || await askForMove("master", () => ticket === view.ticket);
  if (ticket !== view.ticket) return;
  view.hint = letter ? "ABCDEFabcdef".indexOf(letter) : -1;
  drawValues();
  notice(letter ? t("move.hint", { letter }) : t("move.no-hint"));
}

function flip() {
  board.flip();
  draw();
  announce(t("board.turned", { side: sideText(game.sideOf(board.flipped)) }));
}

/** Reads the board to screen readers. */
function readBoard() {
  const { pits, stores } = view.state;
  const row = (north) => t("board.row", { side: sideText(game.sideOf(north)), seeds: seedsText(stores[Number(north)]),
    pits: pits.flatMap((count, pit) => ((pit >= 6) === north ? [`${game.letterOf(pit)} ${count}`] : [])).join(", ") });
  announce(`${byId("turn-text").textContent}. ${row(false)} ${row(true)}`);
}

/**
 * Returns the side whose clock runs; null if no clock runs: before the first move, after the end, and on the computer's turn while
 * the reader looks at earlier moves.
 */
function runningSide() {
  const side = game.sideOf(view.state.north);
  return isPlaying() && view.play && view.node.parent && !endNow() && (view.goesOn || side !== view.play.opponent) ? side : null;
}

/** Returns true if the game may be continued after a node: it is the last one, and has no result. */
const goesOn = (node) => node.children.length === 0 && !node.result;

function endByTime(side) {
  endPlay("time", otherSide(side));
}

/** Displays a position of the game, at once. `push` adds an entry to the browser's history. */
function goTo(node, push = false) {
  if (!node) return;
  tree.choosePath(node);
  const isStep = node.parent === view.node || view.node.parent === node;
  view.node = node;
  view.goesOn = goesOn(node);
  const moves = tree.path(node).length - 1;
  show(moves === 0 ? t("move.first") : t("move.after", { count: moves }), push, isStep);
}

/** Scrolls the page until the board is in view. */
const bringBoardIntoView = () => board.root.scrollIntoView({ block: "nearest" });

/** Displays a position that the reader chose elsewhere in the game, and scrolls to the board. The browser's back button leads back. */
function jump(node) {
  if (!node || node === view.node) return;
  goTo(node, true);
  bringBoardIntoView();
}

const steps = {
  first: () => view.root, back: () => view.node.parent, forward: () => view.node.chosen || view.node.children[0], last: () => tree.lastOf(view.node),
};

// ---- Reviews ----

function judge() {
  startReview(view, () => {
    stopLearning();
    store(true);
    draw();
  });
}

/** Starts to learn from the mistakes of a side. */
function learn(side) {
  jump(startLearning(side));
  draw();
}

async function showAnswer() {
  const letter = giveAnswer();
  if (view.node !== mistakePosition()) view.node = mistakePosition();
  if (!letter || !await show()) return;
  if (await play(letter)) draw();
}

/** Plays a move. A reader who is looking for a better move than a mistake can only play moves that tryMove() accepts. */
async function tryLetter(letter) {
  if (!isPlaying() && isAsking(view) && !view.busy && !tryMove(view, letter)) {
    draw();
    return false;
  }
  return play(letter);
}

/** Returns the node to which Undo leads: in a game against the computer, the reader's turn before; else the move before. */
function undoTarget() {
  let node = view.node.parent;
  while (node && computerSide() === game.sideOf(node.state.north)) node = node.parent;
  return node;
}

const next = (node) => node.chosen || node.children[0];

/** Returns the node to which Redo leads: in a game against the computer, the reader's next turn; else the next move. */
function redoTarget() {
  let node = next(view.node);
  while (node && next(node) && computerSide() === game.sideOf(node.state.north)) node = next(node);
  return node;
}

const isEnabled = (id) => byId(id).getAttribute("aria-disabled") !== "true";
const undo = () => isEnabled("undo") && goTo(undoTarget());
const redo = () => isEnabled("redo") && goTo(redoTarget());

/** Makes the displayed variation the main line, also where it is a variation of another variation. */
function promote() {
  let isChanged = false;
  while (tree.promote(view.node)) isChanged = true;
  if (isChanged) show(t("move.promoted"));
}

function deleteMove() {
  if (!view.node.parent || view.busy) return;
  const last = view.node.children.length === 0;
  if (!last && !window.confirm(t("move.delete"))) return;
  if (review.marks.has(view.node) || review.waits) dropReview(); // it would, or might, lead to moves that are not in the tree
  view.node = tree.cut(view.node);
  view.goesOn = goesOn(view.node);
  show(t("move.deleted"));
}

function dropReview() {
  forgetReview();
  stopLearning();
}

/** Starts a new game from a position, to be played as `settings` say, if any. The previous game remains among the recent games. */
function begin(state, said, push = true, settings = null) {
  leaveGame();
  const fresh = push && view.root && hasMoves(view.root);
  if (fresh) view.id = storage.newId();
  view.node = view.root = tree.plant(state);
  Object.assign(view, { tags: {}, goesOn: true });
  dropReview();
  playBy(settings);
  return show(said, fresh).then((shown) => { showRecent(); return shown; });
}

// ---- The Play section ----

/** Takes over the settings of a game, and turns the board to the reader's side. */
function playBy(settings, left) {
  view.play = settings;
  clock.reset(settings?.clock || 0, left);
  if (settings?.opponent && board.flipped !== (settings.opponent === "south")) board.flip();
}

/** Starts a game to play, from the starting position or from the displayed one. */
function startPlay(settings) {
  const here = byId("play-here").checked && !byId("play-here-box").hidden;
  byId("play-here").checked = false;
  begin(here ? { ...view.state, over: undefined } : game.startPosition(), t("play.begun"), true, settings).then(bringBoardIntoView);
  byId("turn-text").focus();
}

/** Ends a game that its moves have not ended; `how` is "resign", "time" or "agreed". */
function endPlay(how, winner) {
  view.play.ended = { how, winner };
  store();
  if (!view.busy) announce(draw()); // else `show` draws it after the move
}

const readersSide = () => (view.play.opponent ? otherSide(view.play.opponent) : game.sideOf(view.state.north));

function resign() {
  if (!view.busy && window.confirm(t("play.resign", { side: sideText(readersSide()) }))) endPlay("resign", otherSide(readersSide()));
}

/** Offers a draw: the other player is asked, or the computer decides. */
async function offerDraw() {
  const { ticket } = view;
  const isWanted = () => ticket === view.ticket && !endNow();
  if (view.busy) return;
  if (!view.play.opponent) {
    const [side, other] = [readersSide(), otherSide(readersSide())].map(sideText);
    if (window.confirm(t("play.draw", { side, other }))) endPlay("agreed", null);
    return;
  }
  notice(t("play.offered"));
  const accepts = await acceptsDraw(view, game.diagram(view.state), isWanted);
  if (!isWanted()) return;
  notice(accepts ? "" : t("play.declined"));
  if (accepts) endPlay("agreed", null);
}

function playOn() {
  view.play.playsOn = true;
  show(t("play.on"));
  byId("turn-text").focus();
}

/** Plays again from the same position, with the sides exchanged. */
function rematch() {
  const { opponent } = view.play;
  begin(view.root.state, t("play.begun"), true, newPlay({ ...view.play, opponent: opponent && otherSide(opponent) }));
  byId("turn-text").focus();
}

function newGame() {
  begin(game.startPosition(), "");
  byId("play-computer").focus();
}

/** Asks how to play on from the displayed position. */
function playFromHere() {
  begin({ ...view.state, over: undefined }, "");
  byId("play-here").checked = true;
  window.location.hash = "#/play";
}

// ---- Stored games ----

function showRecent() {
  const rulesText = ({ rules, cycle }) => {
    const found = findChoice(view.choices, rules, cycle);
    return found ? titleOf(found) : rules;
  };
  drawRecent(view.id, rulesText, (id) => openKept(id, true));
}

/** Continues a stored game. Returns false if it no longer exists or its rules are not available. */
async function openKept(id, push) {
  const kept = storage.readGame(id);
  const choice = kept && findChoice(view.choices, kept.rules, kept.cycle);
  if (!choice) {
    if (push) notice(t("played.damaged"));
    return false;
  }
  take(choice);
  Object.assign(view, { id, tags: kept.tags, root: kept.root, node: kept.node, goesOn: goesOn(kept.node) });
  stopLearning();
  reviewAgain(kept.review, view.variant, kept.root);
  playBy(storedPlay(kept.play), kept.play?.left);
  await show(t("played.again"), push);
  showRecent();
  return true;
}

function randomEndGame() {
  const seeds = database().positions ? Math.max(2, Math.min(database().seeds_max, 46)) : 12;
  begin(game.randomPosition(seeds), t("played.random", { seeds: seedsText(seeds) }));
}

// ---- Editing ----

function pressPit(pit) {
  if (view.editing) editor.tap(pit);
  else tryPit(pit);
}

function tryPit(pit) {
  if (!isLocked() && view.moves.some((move) => move.move === game.letterOf(pit))) tryLetter(game.letterOf(pit));
  else refuse(pit);
}

/** Explains why a pit cannot be played, for sighted readers and screen readers. */
function refuse(pit) {
  if (view.busy || view.editing) return;
  if (isPlaying() && !view.play) {
    notice(t("play.first"));
    return;
  }
  if (computerSide() === game.sideOf(view.state.north) && !endNow()) {
    notice(t("play.wait"));
    return;
  }
  const sides = { letter: game.letterOf(pit), mover: sideText(game.sideOf(view.state.north)), other: sideText(game.sideOf(!view.state.north)) };
  notice(refusalText({ ...view.state, over: endNow() }, pit, view.refused, sides));
}

function toggleEditing() {
  editor.toggle();
  show(t(view.editing ? "edit.begun" : "edit.ended"));
}

/** Parses twelve counts, a diagram or a position of PlayStrategy. Returns false if the server rejects it, null if another game was opened meanwhile. */
async function setPosition(text, push = true) {
  const opening = ++view.opening;
  const answer = await api.moves(view.variant, text);
  if (opening !== view.opening) return null;
  if (!answer.ok) {
    const said = answer.status === 400 ? `${t("edit.unclear", { example: game.diagram(game.startPosition()) })} ` : "";
    notice(said + troubleText(answer));
    return false;
  }
  const stores = game.isDiagram(text);
  const shown = await begin(stores ? game.fromDiagram(text) : game.fromCounts(answer.data.position), t("edit.placed"), push);
  if (shown && game.onBoard(view.state) < game.SEEDS && !stores) notice(t("edit.filled", { count: game.onBoard(view.state) }));
  return shown || null;
}

const gameLink = () => linkTo(view.variant, view.root, view.node);
const classLink = () => linkForClass(view.variant, { p: game.diagram(view.state) });
const share = async (link) => notice(await copyLink(link));

// ---- Records ----

/** Adds a choice for rules that the server knows but has no tables for, and returns it; undefined if there are no such rules. */
async function searchedChoice(rules, cycle = "even") {
  const known = view.analyses && rules ? await api.moves({ rules, cycle }, game.diagram(game.startPosition())) : null;
  if (!known?.ok || view.choices.some((each) => each.database.rules === known.data.rules)) return undefined;
  const choice = { name: known.data.rules, named: false, database: { rules: known.data.rules, cycle, presets: [], summary: "", seeds_max: 0, positions: 0 } };
  view.choices.push(choice);
  return choice;
}

/** Shows a record on the board, under the rules that it names if they are available. Returns false if another game was opened meanwhile. */
async function openRecord(record, andJudge = false) {
  const { rules, cycle } = rulesOf(record.tags);
  const found = rules || cycle ? findChoice(view.choices, rules || database().rules, cycle) || await searchedChoice(rules, cycle) : view.choice;
  const said = !found ? t("record.rules", { name: [rules, cycle].filter(Boolean).join(" "), title: titleOf(view.choice) })
    : found.database !== view.choice.database ? t("record.other", { title: titleOf(found), before: titleOf(view.choice) }) : "";
  const choice = said && found ? found : view.choice;
  const opening = ++view.opening;
  const { root, node, problem } = await replay(variantOf(choice), record);
  if (opening !== view.opening) return false; // another game was opened in the meantime
  if (!root) {
    notice(t("record.failed", { problem }));
    return true;
  }
  take(choice);
  playBy(null);
  Object.assign(view, { id: storage.newId(), tags: storage.keptTags(record.tags), root, node, goesOn: goesOn(node) });
  dropReview();
  const shown = await show(t("record.shown"), true);
  showRecent();
  if (shown && andJudge) judge();
  if (shown && (said || problem)) notice(`${said} ${problem}`.trim());
  return shown;
}

// ---- Rule sets ----

/** Selects a rule set and shows its name and description. */
function take(choice) {
  leaveGame();
  view.choice = choice;
  view.variant = variantOf(choice);
  drawRules();
  drawLearn(view.choice);
}

function drawRules() {
  const { seeds_max: most, positions } = database();
  drawChoices(view.choices, view.choice);
  byId("rules-summary").textContent = t(positions ? "page.known" : "page.searched", { title: titleOf(view.choice), count: positions, most });
}

function choose(choice) {
  if (hasMoves(view.root) && !window.confirm(t("rules.ask", { title: titleOf(choice) }))) {
    drawChoices(view.choices, view.choice);
    return;
  }
  take(choice);
  begin({ ...view.state, over: undefined }, t("rules.changed", { title: titleOf(choice) }));
  drawStats();
}

function drawStats() {
  if (sectionNow() === "statistics") showStats(view.variant, titleOf(view.choice));
}

/** Handles the back and forward buttons. A game that was never stored is read from the URL, by reloading the page. */
async function goBack({ state }) {
  openSection(window.location.hash);
  if (!state && parseSection(window.location.hash)) { // a link to a section
    writeAddress(false);
    return;
  }
  if (state?.game === view.id) {
    const node = tree.follow(view.root, state.moves ?? "");
    if (node && node !== view.node) goTo(node);
    return;
  }
  if (state?.game && await openKept(state.game, false)) return;
  storage.forgetTab();
  view.ticket++; // a pending answer must not write the URL again
  view.opening++;
  window.location.reload();
}

// ---- Start ----

function setUpButtons() {
  const actions = {
    u: () => (view.editing ? editor.undo() : undo()), y: redo, m: () => isEnabled("best") && bestLetter() && play(bestLetter()), h: hint, t: flip, n: () => isPlaying() || randomEndGame(), l: () => share(forClass ? classLink() : gameLink()), r: readBoard,
  };
  setUpKeys({ view, board, actions, editor, tryPit, goTo });
  const onPress = (id, action) => byId(id).addEventListener("click", () => {
    if (isEnabled(id)) action();
  });
  onPress("undo", undo);
  onPress("redo", actions.y);
  onPress("best", actions.m);
  onPress("hint", hint);
  onPress("flip", flip);
  onPress("random", randomEndGame);
  onPress("start", () => begin(game.startPosition(), t("played.start")));
  onPress("edit", toggleEditing);
  onPress("share", actions.l);
  onPress("share-game", () => share(gameLink()));
  onPress("share-class", () => share(classLink()));
  onPress("print", () => window.print());
  for (const [name, node] of Object.entries(steps)) onPress(`step-${name}`, () => goTo(node()));
  onPress("review-start", judge);
  for (const side of ["south", "north"]) onPress(`learn-${side}`, () => learn(side));
  onPress("mistake-back", () => jump(mistakePosition()));
  onPress("mistake-show", showAnswer);
  for (const each of ["skip", "next"]) onPress(`mistake-${each}`, () => { jump(nextMistake()); draw(); });
  onPress("mistake-again", () => learn(learningSide()));
  onPress("mistake-end", () => { stopLearning(); draw(); });
  onPress("promote", promote);
  onPress("delete", deleteMove);
  byId("position-text").addEventListener("input", ({ target }) => { target.dataset.typed = "true"; });
  byId("position-text").addEventListener("blur", ({ target }) => { delete target.dataset.typed; });
  byId("position-form").addEventListener("submit", (event) => {
    event.preventDefault();
    delete byId("position-text").dataset.typed;
    setPosition(byId("position-text").value);
  });
  byId("play-form").addEventListener("submit", (event) => {
    event.preventDefault();
    startPlay(chosenPlay(true));
  });
  onPress("play-two", () => startPlay(chosenPlay(false)));
  onPress("resign", resign);
  onPress("draw", offerDraw);
  onPress("new-game", newGame);
  onPress("play-on", playOn);
  onPress("rematch", rematch);
  onPress("result-new", newGame);
  onPress("result-review", () => { window.location.hash = "#/analyse/review"; });
  onPress("play-from-here", playFromHere);
  view.hints = byId("hints").checked = storage.readValues();
  byId("hints").addEventListener("change", (event) => {
    view.hints = event.target.checked;
    storage.writeValues(view.hints);
    stopFollowing();
    draw();
    search();
  });
  byId("viewer").addEventListener("change", draw);
  byId("pace").value = storage.readPace() || "";
  byId("pace").addEventListener("change", (event) => storage.writePace(event.target.value));
  byId("sounds").checked = soundsAreOn();
  byId("sounds").addEventListener("change", (event) => setSounds(event.target.checked));
  byId("keys").checked = storage.readKeys();
  byId("keys").addEventListener("change", (event) => storage.writeKeys(event.target.checked));
  byId("rules").addEventListener("change", (event) => choose(view.choices[Number(event.target.value)]));
  window.addEventListener("popstate", goBack);
  window.addEventListener("pagehide", leavePage);
  document.addEventListener("visibilitychange", () => document.hidden && leavePage());
  window.matchMedia("(max-width: 620px)").addEventListener("change", draw);
}

function drawAll(version) {
  byId("version").textContent = t("server.version", { version });
  notice("");
  drawRules();
  drawChoicesOfPlay();
  clock.draw();
  showRecent();
  drawLearn(view.choice);
  drawStats();
  announce(draw());
}

/** Returns a notice if the rules of a link are not available, or differ from those of the latest game. */
function linkText(named, found) {
  if (!named) return "";
  if (!found) return t("link.rules", { name: named, title: titleOf(view.choice) });
  const latest = storage.recentGames()[0];
  const before = latest && findChoice(view.choices, latest.rules, latest.cycle);
  return before && before.database !== found.database ? t("record.other", { title: titleOf(found), before: titleOf(before) }) : "";
}

async function start() {
  byId("stuck").remove();
  document.body.classList.toggle("for-class", forClass);
  const wanted = new URLSearchParams(window.location.search);
  const before = storage.tabGame() || (window.location.search ? null : storage.recentGames()[0]?.id);
  const isFirst = !before && !window.location.search && (window.location.hash || storage.readSection() || "#/play") === "#/play";
  const infoRequest = api.info(), spoken = await speak(wantedLanguage());
  if (spoken && isFirst) board.draw(game.startPosition(), { locked: true }); // the board of a first visit need not wait for the server
  const answer = await infoRequest;
  if (!spoken || !answer.ok) {
    notice(spoken ? troubleText(answer) : "Can’t reach the server."); // not even a language file was loaded
    return;
  }
  setUpLanguages(byId("language"), () => drawAll(answer.data.version));
  view.choices = choices(answer.data.databases);
  view.analyses = answer.data.analysis_threads > 0;
  view.threads = answer.data.analysis_threads;
  review.searches = view.analyses;
  byId("version").textContent = t("server.version", { version: answer.data.version });
  const named = wanted.get("rules") && [wanted.get("rules"), wanted.get("cycle")].filter(Boolean).join(" ");
  const found = findChoice(view.choices, wanted.get("rules"), wanted.get("cycle"));
  take(found || view.choices[0]);
  const aboutLink = linkText(named, found);
  drawChoicesOfPlay();
  setUpButtons();
  setUpStats();
  setUpPaper(view, () => byId(isPlaying() ? "result-title" : "game-result").textContent);
  setUpRecords({ open: openRecord, view, say: notice, changed: () => { keep(false); draw(); }, commented: takeComment, left: drawFields });
  onSection("statistics", drawStats);
  setUpLearn(view.choice);
  onSection("play", () => {
    if (view.editing) toggleEditing();
    else if (view.root) show();
  });
  onSection("analyse", async (rest) => {
    if (view.root) await show();
    if (view.root && rest === "review") judge();
  });
  const linked = forClass ? "" : linkedMoves();
  setUpSections(linked || wanted.get("p"));
  if (before && (await openKept(before, false))) return;
  const p = wanted.get("p");
  const placed = p && await setPosition(p, false);
  if (placed === null && p) return;
  if (placed) {
    byId("play-here").checked = isPlaying(); // a link that opens a position to play
    if (linked) await openRecord(recordOf(game.diagram(view.state), linked));
    if (aboutLink) notice(`${aboutLink} ${byId("notice").textContent}`.trim(), aboutLink);
    return;
  }
  const problem = `${aboutLink} ${p ? byId("notice").textContent : ""}`.trim();
  await begin(game.startPosition(), "", false);
  if (problem) notice(problem);
}

start();
