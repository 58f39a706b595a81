// Rule sets by the names that people use for them. The server says which presets a table serves;
// here is what each is called, and in what its game differs from the others.

import { byId, el } from "./dom.js";

/** Presets in the order in which they are offered; those that name nothing more are left out. */
const titles = new Map([
  ["oware", "Oware (tournament)"], ["english", "English"], ["dutch", "Dutch"], ["spanish", "Spanish"],
  ["italian", "Italian"], ["walker", "Walker's leaflet"], ["caribbean", "Caribbean Warri"], ["academic", "Published tables"],
]);

const everything = "A move that would take everything the other side has";
const slams = {
  awari: `${everything} may not be played; if there is no other move, the mover takes all seeds.`,
  wari: `${everything} may not be played; if there is no other move, each side takes its own row.`,
  abapa: `${everything} may be played, but takes nothing.`,
  warri: `${everything} does take it, and the same side moves again.`,
  ware: `${everything} loses the game.`,
  "slam-ends": `${everything} ends the game, and the seeds on the board are nobody's.`,
  "slam-gives": `${everything} does take it, but ends the game, and the other side gets the rest.`,
  "slam-wins": `${everything} wins the game.`,
};
const endless = {
  even: "If play goes round for ever, the seeds on the board are shared evenly.",
  own: "If play goes round for ever, each side gets what stays in its own row.",
};
const unnamed = { even: "endless play shared evenly", own: "endless play by own rows" };

/** What one can choose: {name, title, database, named}; `name` is what links and requests say. */
export function choices(databases) {
  const named = [...titles].flatMap(([name, title]) => databases
    .filter((each) => each.presets.includes(name)).map((database) => ({ name, title, database, named: true })));
  const others = databases.filter((each) => !named.some((choice) => choice.database === each))
    .map((database) => ({ name: database.rules, title: `${database.rules}, ${unnamed[database.cycle]}`, database, named: false }));
  return [...named, ...others];
}

/** The choice that a link means by a rule set or preset and, perhaps, a cycle rule; undefined: none. */
export function findChoice(all, rules, cycle) {
  const fits = (each) => !cycle || each.database.cycle === cycle;
  return all.find((each) => each.name === rules && fits(each)) ||
    all.find((each) => (each.database.rules === rules || each.database.presets.includes(rules)) && fits(each));
}

export const variantOf = (choice) => ({ rules: choice.name, cycle: choice.database.cycle });

/** One sentence on captures of everything, one on play without an end. */
export const differences = ({ database }) => `${slams[database.rules] || database.summary} ${endless[database.cycle]}`;

export function drawChoices(all, chosen) {
  const option = (each) => el("option", { value: all.indexOf(each), selected: each === chosen }, each.title);
  const others = all.filter((each) => !each.named);
  byId("rules").replaceChildren(...all.filter((each) => each.named).map(option),
    ...(others.length ? [el("optgroup", { label: "Others" }, ...others.map(option))] : []));
  byId("rules-line").textContent = differences(chosen);
}

/** Why the pit may not be played now. `state` and `moves` are those on the board. */
export function refusalText(state, pit, refused, { letter, mover, other }) {
  if (state.over) return "The game is over.";
  if ((pit >= 6) !== state.north) return `It is ${mover}'s turn, and this pit is ${other}'s.`;
  if (state.pits[pit] === 0) return `Pit ${letter} is empty.`;
  const why = refused.find((each) => each.move === letter)?.why;
  if (why === "feed") return `${letter} would leave ${other} without seeds: you must give some if you can.`;
  if (why === "slam") return `${letter} would take everything ${other} has, which these rules forbid.`;
  return "";
}
