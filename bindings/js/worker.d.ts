import type { Book, BookSource, Move, OpenOptions } from "./wari.js";

/** A book that is read by a worker. Its methods are those of Book, and take no time of the caller's thread. */
export type WorkerBook = Pick<Book, "rules" | "cycle" | "seeds" | "size" | "value" | "values" | "moves" | "close">;

/** Starts a worker and opens a book in it. close() ends the worker. The source must be one that can be sent to a
 * worker, so it cannot be an object that reads ranges, and `fetch` cannot be given. */
export function openInWorker(source: Exclude<BookSource, { read: unknown }>, options?: Omit<OpenOptions, "fetch">): Promise<WorkerBook>;
