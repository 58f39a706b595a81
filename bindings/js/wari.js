// Books of Wari in JavaScript: wari.d.ts says what there is.
//
// The reader in C asks for bytes and cannot wait. So a call that misses some fails, they are fetched, and it is
// made again: calls only read. Each book has an instance of the module of its own.

import { Pages, WariError, notRead, sourceOf } from "./source.js";

export { WariError };

const STATUS = { 2: "not covered", 3: "bad input", 4: "damaged", 5: "not read", 7: "mismatch" };
const IO = 5;

let compiled = null;

async function compile() {
  const address = new URL("./wari.wasm", import.meta.url);
  if (address.protocol !== "file:") return WebAssembly.compile(await (await fetch(address)).arrayBuffer());
  const { readFile } = await import("node:fs/promises");
  return WebAssembly.compile(await readFile(address));
}

/** An instance of the module, and what it takes to talk to it. */
export class Reader {
  static async make(read = () => 1) {
    compiled ??= compile().catch((error) => {
      compiled = null; // may be had the next time
      throw error;
    });
    const reader = new Reader();
    const { exports } = await WebAssembly.instantiate(await compiled, {
      host: { now: () => performance.now() },
      book: { read: (offset, to, count) => read(offset, new Uint8Array(reader.c.memory.buffer, to, count)) },
    });
    reader.c = exports;
    return reader;
  }

  string(at) {
    const bytes = new Uint8Array(this.c.memory.buffer);
    return at ? new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at))) : null;
  }

  fail(status) {
    throw new WariError(STATUS[status] || "bad input", this.string(this.c.error()));
  }

  check(status) {
    if (status !== 0) this.fail(status);
  }

  /** Puts a text where C reads it. */
  write(string, what) {
    const text = new TextEncoder().encode(string);
    const end = text.indexOf(0); // where C would see the end
    if (end >= 0) throw new WariError("bad input", `column ${end + 1}: here is a NUL character; leave it out`);
    if (text.length > 1000) throw new WariError("bad input", `${what} is shorter than 1000 characters`);
    new Uint8Array(this.c.memory.buffer, this.c.text(), 1024).fill(0).set(text);
  }

  /** Makes `position` the one that is talked about. */
  set(position) {
    if (typeof position === "string") {
      this.write(position, "a position");
      this.check(this.c.parse());
      return;
    }
    const counts = Array.from(position || []);
    if (counts.length !== 12 || !counts.every((count) => Number.isInteger(count) && count >= 0 && count <= 48))
      throw new WariError("bad input", "a position is a text or twelve counts from 0 to 48");
    new Uint8Array(this.c.memory.buffer, this.c.pits(), 12).set(counts);
  }

  move(i) {
    const { c } = this;
    return {
      pit: c.pit(i), letter: "ABCDEF"[c.pit(i)], captured: c.captured(i), ends: Boolean(c.ends(i)),
      endValue: c.endValue(i), again: Boolean(c.again(i)), next: Array.from(new Uint8Array(c.memory.buffer, c.next(i), 12)),
    };
  }

  all(make) {
    return Array.from({ length: this.c.count() }, (_, i) => make(i));
  }

  legalMoves(rules, position) {
    this.set(position);
    this.check(this.c.listMoves(rules));
    return { moves: this.all((i) => this.move(i)), endValue: this.c.value() };
  }

  /** A rule set or preset: its number, and that of the cycle rule where the name means one. */
  rulesOf(name) {
    const { c } = this;
    this.write(String(name), "a rule set's name");
    this.check(c.readRules());
    return { rules: c.namedRules(), cycle: c.fixesCycle() ? c.namedCycle() : undefined };
  }

  cycleOf(name) {
    this.write(String(name), "a cycle rule's name");
    this.check(this.c.readCycle());
    return this.c.namedCycle();
  }

  /** The numbers that `rules` and `cycle` mean together; undefined where they leave it open. */
  variantOf(rules, cycle) {
    const { c } = this;
    const named = rules == null ? {} : this.rulesOf(rules);
    if (cycle == null) return named;
    const number = this.cycleOf(cycle);
    if (named.cycle !== undefined && named.cycle !== number) {
      const [fixed, set] = [this.string(c.cycleName(named.cycle)), this.string(c.rulesName(named.rules))];
      throw new WariError("bad input", `${rules} means the cycle rule ${fixed}, not ${cycle}; name the rule set, ${set}, for that game`);
    }
    return { rules: named.rules, cycle: number };
  }
}

export class Book {
  /** For open(). */
  constructor(reader, pages) {
    this.reader = reader;
    this.pages = pages;
    this.size = pages.source.size;
    this.closed = false;
  }

  async close() {
    this.closed = true;
    this.pages.pages.clear();
    await this.pages.source.close?.();
  }

  /** Calls `ask` until nothing that it needs is missing; then at once `take`, before anybody else asks. */
  async retry(ask, take) {
    for (;;) {
      if (this.closed) throw new WariError("bad input", "this book is closed; open it again");
      this.pages.missing = null;
      const status = ask();
      if (status !== IO || this.pages.missing === null) {
        this.reader.check(status);
        return take();
      }
      try {
        await this.pages.more();
      } catch (error) {
        throw notRead(error);
      }
    }
  }

  async value(position) {
    const { c } = this.reader;
    return this.retry(() => (this.reader.set(position), c.findValue()), () => c.value());
  }

  async moves(position) {
    const { c } = this.reader;
    const take = () => this.reader.all((i) => ({ ...this.reader.move(i), value: c.worth(i) }));
    return this.retry(() => (this.reader.set(position), c.findMoves()), take);
  }
}

async function bookOf(source, options) {
  if (!Number.isSafeInteger(source.size) || source.size < 0) throw new WariError("bad input", "a source has a size in bytes");
  const pages = new Pages(source);
  const reader = await Reader.make((offset, to) => (pages.copy(offset, to) ? 0 : 1));
  const book = new Book(reader, pages);
  const wanted = reader.variantOf(options.rules, options.cycle);
  await book.retry(() => reader.c.open(source.size), () => {
    book.rules = reader.string(reader.c.rulesName(reader.c.rules()));
    book.cycle = reader.string(reader.c.cycleName(reader.c.cycle()));
    book.seeds = reader.c.seeds();
  });
  const { rules = reader.c.rules(), cycle = reader.c.cycle() } = wanted;
  if (rules !== reader.c.rules() || cycle !== reader.c.cycle())
    throw new WariError("mismatch", `asked for ${[options.rules, options.cycle].filter(Boolean).join(" ")}; this is a book of ${book.rules} ${book.cycle}`);
  return book;
}

export async function open(from, options = {}) {
  let source;
  try {
    source = await sourceOf(from, options);
    return await bookOf(source, options);
  } catch (error) {
    await source?.close?.().catch(() => {}); // what was wrong first is told
    throw source ? error : notRead(error);
  }
}

let common = null;

export async function legalMoves(rules, position) {
  const reader = (common ??= await Reader.make());
  return reader.legalMoves(reader.rulesOf(rules).rules, position);
}
