// A book in a worker, so that look-ups do not block the page. worker_thread.js runs in the worker.

import { WariError, nodeModule } from "./source.js";

/** Starts the worker. In Node, a worker thread gets the interface that browsers give to a worker. */
async function startWorker() {
  if (typeof Worker === "function") return new Worker(new URL("./worker_thread.js", import.meta.url), { type: "module" });
  const { Worker: Thread } = await nodeModule("worker_threads");
  const thread = new Thread(new URL("./worker_thread.js", import.meta.url));
  return {
    postMessage: (message) => thread.postMessage(message),
    addEventListener: (kind, listener) => thread.on(kind, (given) => listener(kind === "message" ? { data: given } : given)),
    terminate: () => thread.terminate(),
  };
}

/** Makes an address absolute that is relative to this page, because the worker has another base address. */
const fromHere = (source) =>
  source instanceof URL || (typeof source === "string" && typeof document !== "undefined") ? new URL(source, globalThis.document?.baseURI).href : source;

class WorkerBook {
  constructor(worker) {
    this.worker = worker;
    this.waiting = new Map(); // number of the call -> { resolve, reject }
    this.calls = 0;
    this.ended = null; // why there is no worker any more
    worker.addEventListener("message", ({ data }) => {
      if (!this.waiting.has(data.call)) return; // an answer that was on its way when the worker was ended
      const { resolve, reject } = this.waiting.get(data.call);
      this.waiting.delete(data.call);
      if (data.error) reject(new WariError(data.error.status, data.error.message));
      else resolve(data.result);
    });
    worker.addEventListener("error", (event) => this.end(`the worker ended: ${event?.message ?? "it could not be loaded"}`));
  }

  /** Ends the worker. All calls that it has not answered fail. */
  end(reason) {
    this.ended ??= new WariError("not read", reason);
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }

  call(name, ...given) {
    if (this.ended) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      const call = ++this.calls;
      try {
        this.worker.postMessage({ call, name, given });
      } catch (cause) {
        reject(new WariError("bad input", "a worker can take positions, texts, numbers, bytes and files, and no functions", { cause }));
        return;
      }
      this.waiting.set(call, { resolve, reject });
    });
  }

  value(position) {
    return this.call("value", position);
  }

  values(positions) {
    return this.call("values", typeof positions === "object" && Symbol.iterator in Object(positions) ? [...positions] : positions);
  }

  moves(position) {
    return this.call("moves", position);
  }

  async close() {
    if (!this.ended) await this.call("close").catch(() => {});
    this.ended = new WariError("bad input", "this book is closed; open it again");
    this.end();
  }
}

export async function openInWorker(source, options = {}) {
  const book = new WorkerBook(await startWorker());
  try {
    return Object.assign(book, await book.call("open", fromHere(source), { ...options }));
  } catch (error) {
    book.end(error.message);
    throw error;
  }
}
