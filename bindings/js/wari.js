// Books of Wari in JavaScript. wari.d.ts documents the interface.
//
// The reader is C code and cannot wait for bytes. So a call that needs missing bytes fails, the bytes are fetched,
// and the call is repeated; this is safe because calls only read. Each book has its own instance of the module.

import { Pages, WariError, nodeModule, notRead, sourceOf } from "./source.js";

export { WariError };

const STATUS = { 2: "not covered", 3: "bad input", 4: "damaged", 5: "not read", 7: "mismatch" };
const IO = 5;
const TEXT_BYTES = 1024; // as in wasm.c

let compiled = null;

async function compile() {
  const address = new URL("./wari.wasm", import.meta.url);
  if (address.protocol !== "file:") return WebAssembly.compile(await (await fetch(address)).arrayBuffer());
  const { readFile } = await nodeModule("fs/promises");
  return WebAssembly.compile(await readFile(address));
}

/** Converts an argument by `convert`. An argument that cannot be read, such as an object without a text, is bad input. */
function read(argument, what, convert) {
  try {
    return convert(argument);
  } catch (cause) {
    throw new WariError("bad input", `${what} cannot be read`, { cause });
  }
}

/** Returns the entries of a position, or null if there are not twelve. The copy is checked afterwards, because the
 * entries of the caller's array may differ each time that they are read. */
function twelve(position) {
  return position?.length === 12 ? Array.from({ length: 12 }, (_, i) => position[i]) : null;
}

/** An instance of the module, and functions to call it. */
class Reader {
  static async make(read = () => 1) {
    compiled ??= compile().catch((error) => {
      compiled = null; // try again next time
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

  /** Writes a text to the module's buffer, to its second half if `at` is TEXT_BYTES. `what` names the text in errors. */
  write(string, what, at = 0) {
    const text = new TextEncoder().encode(string);
    const end = text.indexOf(0); // where C would end the text
    if (end >= 0) throw new WariError("bad input", `column ${end + 1}: NUL characters are not allowed`);
    if (text.length > 1000) throw new WariError("bad input", `${what} has at most 1000 bytes`);
    new Uint8Array(this.c.memory.buffer, this.c.text() + at, TEXT_BYTES).fill(0).set(text);
  }

  /** Sets the current position of the module. */
  set(position) {
    if (typeof position === "string") {
      this.write(position, "a position");
      this.check(this.c.parse());
      return;
    }
    const counts = read(position, "this position", twelve);
    if (!counts?.every((count) => Number.isInteger(count) && count >= 0 && count <= 48))
      throw new WariError("bad input", "a position must be a text or twelve counts from 0 to 48");
    new Uint8Array(this.c.memory.buffer, this.c.pits(), 12).set(counts);
  }

  move(i) {
    const { c } = this;
    return {
      pit: c.pit(i), letter: (c.north() ? "abcdef" : "ABCDEF")[c.pit(i)], captured: c.captured(i), ends: Boolean(c.ends(i)),
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

  cycleOf(name) {
    this.write(read(name, "this name of a cycle rule", String), "a cycle rule's name");
    this.check(this.c.readCycle());
    return this.c.namedCycle();
  }

  /** Returns the numbers of the rule set and cycle rule that the two names select; undefined where they select none. */
  variantOf(rules, cycle) {
    const { c } = this;
    if (rules == null) return { cycle: cycle == null ? undefined : this.cycleOf(cycle) };
    const names = [read(rules, "this name of a rule set", String), cycle == null ? "" : read(cycle, "this name of a cycle rule", String)];
    this.write(names[0], "a rule set's name");
    this.write(names[1], "a cycle rule's name", TEXT_BYTES);
    this.check(c.readVariant(cycle != null));
    return { rules: c.namedRules(), cycle: c.fixesCycle() ? c.namedCycle() : undefined };
  }
}

export class Book {
  /** Called by open() only. */
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

  /** Repeats `call` until all bytes that it needs are there; then calls `result` at once, before any other call can run. */
  async retry(call, result) {
    for (;;) {
      if (this.closed) throw new WariError("bad input", "this book is closed; open it again");
      this.pages.missing = null;
      const status = call();
      if (status !== IO || this.pages.missing === null) {
        this.reader.check(status);
        return result();
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

  async values(positions) {
    const { c } = this.reader;
    if (typeof positions === "string") throw new WariError("bad input", "this is one position; values() takes a list, and value() one position");
    const list = read(positions, "this list of positions", (all) => [...all]);
    const values = new Int8Array(list.length);
    let at = 0;
    const call = () => {
      for (; at < list.length; at++) {
        this.reader.set(list[at]);
        const status = c.findValue();
        if (status !== 0) return status;
        values[at] = c.value();
      }
      return 0;
    };
    try {
      return await this.retry(call, () => values);
    } catch (error) {
      if (this.closed || !(error instanceof WariError)) throw error;
      throw new WariError(error.status, `positions[${at}]: ${error.message}`, { cause: error });
    }
  }

  async moves(position) {
    const { c } = this.reader;
    const result = () => this.reader.all((i) => ({ ...this.reader.move(i), value: c.worth(i) }));
    return this.retry(() => (this.reader.set(position), c.findMoves()), result);
  }
}

async function bookOf(source, options) {
  if (!Number.isSafeInteger(source.size) || source.size < 0) throw new WariError("bad input", "the size of a source must be a number of bytes");
  const pages = new Pages(source);
  const reader = await Reader.make((offset, to) => (pages.copy(offset, to) ? 0 : 1));
  const book = new Book(reader, pages);
  const requested = reader.variantOf(options.rules, options.cycle);
  await book.retry(() => reader.c.open(source.size), () => {
    book.rules = reader.string(reader.c.rulesName(reader.c.rules()));
    book.cycle = reader.string(reader.c.cycleName(reader.c.cycle()));
    book.seeds = reader.c.seeds();
  });
  const { rules = reader.c.rules(), cycle = reader.c.cycle() } = requested;
  if (rules !== reader.c.rules() || cycle !== reader.c.cycle())
    throw new WariError("mismatch", `the book is of ${book.rules} ${book.cycle}, not of ${[options.rules, options.cycle].filter(Boolean).join(" ")}`);
  return book;
}

export async function open(from, options = {}) {
  let source;
  try {
    const { rules, cycle, whole, fetch } = options ?? {};
    const copy = { rules, cycle, whole, fetch };
    source = await sourceOf(from, copy);
    return await bookOf(source, copy);
  } catch (error) {
    await source?.close?.().catch(() => {}); // report the first error
    throw notRead(error);
  }
}

let shared = null;

export async function legalMoves(rules, position) {
  if (rules == null) throw new WariError("bad input", "the rules are missing; name a rule set or preset, such as \"oware\"");
  const reader = (shared ??= await Reader.make());
  return reader.legalMoves(reader.variantOf(rules).rules, position);
}
