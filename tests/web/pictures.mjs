// Makes the pictures of the documents, serve/page*.png:
//
//     TOOL=pictures.mjs node tests/web/browsers.mjs PROGRAM FOLDER MODULES
//
// They are written into FOLDER. To make them small, reduce their colours, for instance with ImageMagick's
// `convert page.png -colors 128 PNG8:page.png`.

import path from "node:path";

const GAME = "?rules=awari&p=1-1-2-1-1-1-1-1-1-1-1-1-17-18-S#moves=EbDfCcEeAdBfFcDaBeAdEf";

const save = (page, name) => page.tab.screenshot({ path: path.join(page.folder, `${name}.png`) });

/** Analyse: a reviewed game with values, moves, graph and lines. */
async function pictureOfAnalyse(page) {
  await page.open(GAME, { width: 1240, height: 860 });
  await page.until(() => history.state.moves.length === 22);
  await page.press("#review-start");
  await page.until(() => !document.getElementById("review-result").hidden);
  await page.see(() => document.querySelectorAll("#history button")[5].click());
  await page.until(() => history.state.moves.length === 6 && document.body.dataset.ready === "true" && document.querySelectorAll("#lines li").length > 1);
  await page.see(() => window.scrollTo(0, 0));
  await save(page, "page");
}

/** Play, with the dark theme. */
async function pictureOfPlay(page) {
  page.dark = true;
  await page.open("#/play", { width: 1240, height: 860 });
  await page.press("#play-two");
  for (const pit of ["C", "d", "F", "b", "A"]) await page.press(`#pit-${pit}`);
  await page.tab.mouse.move(0, 0);
  await save(page, "page-dark");
  page.dark = false;
}

/** The lesson, in French on a phone. */
async function pictureOfLearn(page) {
  await page.open("?rules=awari#/learn/lesson/4", { width: 390, height: 760, kept: { "wari language": "fr" } });
  await page.until(() => document.getElementById("view-learn").dataset.ready === "true");
  await page.tab.mouse.move(0, 0);
  await save(page, "page-phone");
}

export const tools = [pictureOfAnalyse, pictureOfPlay, pictureOfLearn];
