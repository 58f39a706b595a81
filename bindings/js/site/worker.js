// The worker: answers the requests of the page in the order in which they arrive.

import { Answers } from "./answers.js";

const puzzles = async () => (await fetch(new URL("./puzzles.json", import.meta.url))).json();
const answers = Answers.open(new URL("./oware.book", import.meta.url), undefined, puzzles);

self.addEventListener("message", async ({ data: { id, path, args, game } }) => {
  let answer;
  try {
    answer = await (await answers).answer(path, args, game);
  } catch (error) {
    answer = { ok: false, status: 500, data: { error: error.message } };
  }
  self.postMessage({ id, answer });
});
