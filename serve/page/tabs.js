// The three views and their tabs.

import { byId } from "./dom.js";

const tabs = ["board", "review", "stats"];

export function openTab(name) {
  for (const each of tabs) {
    byId(`view-${each}`).hidden = each !== name;
    byId(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    byId(`tab-${each}`).tabIndex = each === name ? 0 : -1;
  }
}

/** Connects the tabs. `opened` is called with the name of the selected view. */
export function setUpTabs(opened) {
  const choose = (name) => { openTab(name); opened(name); };
  tabs.forEach((name, i) => {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => choose(name));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      choose(next);
      byId(`tab-${next}`).focus();
      event.preventDefault();
    });
  });
}
