// Runs in the worker that worker.js starts: opens a book, and answers calls of its methods in their order of arrival.

import { nodeModule } from "./source.js";
import { open } from "./wari.js";

let book = null;

async function answer({ name, given }) {
  if (name !== "open") return book[name](...given);
  book = await open(...given);
  const { rules, cycle, seeds, size } = book;
  return { rules, cycle, seeds, size };
}

async function handle(port, message) {
  try {
    port.postMessage({ call: message.call, result: await answer(message) });
  } catch ({ status, message: words }) {
    port.postMessage({ call: message.call, error: { status: status ?? "bad input", message: String(words) } });
  }
}

if (typeof self !== "undefined" && typeof self.postMessage === "function") {
  self.addEventListener("message", ({ data }) => handle(self, data));
} else {
  nodeModule("worker_threads").then(({ parentPort }) => parentPort.on("message", (data) => handle(parentPort, data)));
}
