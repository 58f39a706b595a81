// Rule sets under the names that players use. The server says which presets a database serves; this file
// has their order and their descriptions.

import { byId, el } from "./dom.js";
import { t } from "./messages.js";

/** Presets in the order in which they are listed; presets that only repeat another one are omitted. */
const presets = ["oware", "english", "dutch", "spanish", "italian", "walker", "caribbean", "academic"];
const sets = ["awari", "wari", "abapa", "warri", "ware", "slam-ends", "slam-gives", "slam-wins"];

/** Returns the choices: {name, database, named}; `name` identifies the rules in links and requests. */
export function choices(databases) {
  const named = presets.flatMap((name) => databases
    .filter((each) => each.presets.includes(name)).map((database) => ({ name, database, named: true })));
  const others = databases.filter((each) => !named.some((choice) => choice.database === each))
    .map((database) => ({ name: database.rules, database, named: false }));
  return [...named, ...others];
}

/** Returns the displayed name of a choice. */
export const titleOf = ({ name, database: { rules, cycle }, named }) =>
  (named ? t(`rules.${name}`) : t(cycle === "own" ? "rules.own" : "rules.even", { rules }));

/** Finds the choice for a rule set or preset and an optional cycle rule; undefined if there is none. */
export function findChoice(all, rules, cycle) {
  const fits = (each) => !cycle || each.database.cycle === cycle;
  return all.find((each) => each.name === rules && fits(each)) ||
    all.find((each) => (each.database.rules === rules || each.database.presets.includes(rules)) && fits(each));
}

export const variantOf = (choice) => ({ rules: choice.name, cycle: choice.database.cycle });

/** Describes the rule for grand slams in a sentence. */
export const slamText = ({ database }) => (sets.includes(database.rules) ? t(`slam.${database.rules}`) : database.summary);

/** Describes the rule for grand slams and the rule for endless play, in a sentence each. */
const differences = ({ database }) =>
  `${slamText({ database })} ${t(database.cycle === "own" ? "endless.own" : "endless.even")}`;

export function drawChoices(all, chosen) {
  const option = (each) => el("option", { value: all.indexOf(each), selected: each === chosen }, titleOf(each));
  const others = all.filter((each) => !each.named);
  byId("rules").replaceChildren(...all.filter((each) => each.named).map(option),
    ...(others.length ? [el("optgroup", { label: t("rules.others") }, ...others.map(option))] : []));
  byId("rules-line").textContent = differences(chosen);
}

/** Explains why a pit cannot be played. */
export function refusalText(state, pit, refused, { letter, mover, other }) {
  if (state.over) return t("refused.over");
  if ((pit >= 6) !== state.north) return t("refused.turn", { mover, other });
  if (state.pits[pit] === 0) return t("refused.empty", { letter });
  const why = refused.find((each) => each.move === letter)?.why;
  if (why === "feed") return t("refused.feed", { letter, other });
  if (why === "slam") return t("refused.slam", { letter, other });
  return "";
}
