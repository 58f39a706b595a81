// Where the bytes of a book come from. A source is {size, read(offset, length)}, whose read() gives a
// Uint8Array of that length, or a promise of one, or fails. A source that we opened has close(), too.

export class WariError extends Error {
  constructor(status, message, options) {
    super(message, options);
    this.name = "WariError";
    this.status = status;
  }
}

/** What a source threw, which may be anything, as an error of ours. */
export function notRead(cause) {
  if (cause instanceof WariError) return cause;
  const reason = typeof cause === "string" ? cause : cause?.message;
  return new WariError("not read", `the book cannot be read: ${typeof reason === "string" ? reason : "no reason is given"}`, { cause });
}

const FIRST = 1 << 16; // bytes that are asked for first: header, model, and the table of a small book

/** All of it in memory: an array, which has no bytes any more when its owner sends them to a worker. */
export function bytesSource(bytes) {
  const size = bytes.length;
  const read = (offset, length) => {
    if (bytes.length !== size) throw new Error("its bytes were transferred or resized; open it again");
    return bytes.subarray(offset, offset + length);
  };
  return { size, bytes, read };
}

/** Bytes that a caller has, in a view of our own. */
function bytesAt(buffer, offset = 0, length = buffer.byteLength) {
  try {
    return new Uint8Array(buffer, offset, length);
  } catch (cause) {
    throw new WariError("bad input", "these bytes were transferred or resized: they are here no more", { cause });
  }
}

const blobSource = (blob) => ({
  size: blob.size,
  read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
});

const forgotten = new FinalizationRegistry((file) => file.close()); // of books that nobody closed
const MOST = 1 << 30; // bytes that a file is asked for at once

async function readFile(file, path, offset, length) {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(length - at, MOST), offset + at);
    if (bytesRead === 0) throw new Error(`${path} has become shorter; open it again`);
    at += bytesRead;
  }
  return bytes;
}

async function fileSource(path, whole) {
  const { constants, promises } = await import("node:fs");
  // Without waiting: where a file should be there may be a pipe, whose other end nobody opens.
  const file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let stays = false;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new WariError("bad input", `${path}: this is no regular file`);
    if (whole) return bytesSource(await readFile(file, path, 0, found.size));
    const read = (offset, length) => readFile(file, path, offset, length);
    const source = { size: found.size, read, close: () => file.close() };
    forgotten.register(source, file);
    stays = true;
    return source;
  } finally {
    if (!stays) await file.close();
  }
}

async function bytesOf(response) {
  return new Uint8Array(await response.arrayBuffer());
}

async function ask(fetch, url, options) {
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${url}: the server answers ${response.status}`);
  return response;
}

/** The answer to a request for a range: its bytes, where they begin, and how long the whole is. A server that
 * knows no ranges sends the whole, and is asked for it where a browser hides from a page of another host which
 * range came. */
async function fetchRange(fetch, url, offset, length) {
  let response = await ask(fetch, url, { headers: { Range: `bytes=${offset}-${offset + length - 1}` } });
  if (response.status === 206 && !response.headers.has("Content-Range")) response = await ask(fetch, url);
  const bytes = await bytesOf(response);
  if (response.status !== 206) return { bytes, offset: 0, size: bytes.length };
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("Content-Range") || "");
  if (!range || Number(range[1]) !== offset || bytes.length !== Number(range[2]) - offset + 1)
    throw new Error(`${url}: the server sends other bytes than it says`);
  return { bytes, offset, size: Number(range[3]) };
}

async function addressSource(fetch, url, whole) {
  if (whole) return bytesSource(await bytesOf(await ask(fetch, url)));
  const first = await fetchRange(fetch, url, 0, FIRST);
  if (first.bytes.length === first.size) return bytesSource(first.bytes);
  let all = null; // a server may change its mind
  return {
    size: first.size,
    async read(offset, length) {
      if (all) return all.subarray(offset, offset + length);
      if (offset + length <= first.bytes.length) return first.bytes.subarray(offset, offset + length);
      const part = await fetchRange(fetch, url, offset, length);
      if (part.size !== first.size) throw new Error(`${url}: the book has changed; open it again`);
      if (part.bytes.length === part.size) all = part.bytes;
      return all ? all.subarray(offset, offset + length) : part.bytes;
    },
  };
}

const isAddress = (text) => /^[a-z][a-z0-9+.-]+:/i.test(text) || typeof process === "undefined" || !process.versions?.node;

/** A source of whatever open() takes, whose size stays. */
export async function sourceOf(from, options = {}) {
  if (from instanceof Uint8Array) return bytesSource(bytesAt(from.buffer, from.byteOffset, from.length));
  if (from instanceof ArrayBuffer) return bytesSource(bytesAt(from));
  if (typeof Blob !== "undefined" && from instanceof Blob) return blobSource(from);
  if (from && typeof from.read === "function") return { size: from.size, read: (offset, length) => from.read(offset, length) };
  const address = String(from);
  if (!isAddress(address)) return fileSource(address, options.whole);
  if (address.startsWith("file:")) return fileSource(new URL(address), options.whole);
  return addressSource(options.fetch || fetch, address, options.whole);
}

const PAGE = 1 << 14;
const PAGES = 1024; // that are kept: 16 MB

/** Pages of a source that were read, for read(), which cannot wait: what it misses is fetched by more(). */
export class Pages {
  constructor(source) {
    this.source = source;
    this.pages = new Map();
    this.missing = null;
  }

  /** Copies bytes into `to`; false if they are not at hand. Throws nothing: its caller is the module. */
  copy(offset, to) {
    const { bytes, size } = this.source;
    if (bytes?.length === size) {
      to.set(bytes.subarray(offset, offset + to.length));
      return true;
    }
    if (offset + to.length > size) return false; // and nothing to fetch
    for (let at = 0; at < to.length; ) {
      const number = Math.floor((offset + at) / PAGE);
      const page = this.pages.get(number);
      if (!page) {
        this.missing = number;
        return false;
      }
      const from = offset + at - number * PAGE;
      const part = page.subarray(from, from + to.length - at);
      to.set(part, at);
      at += part.length;
    }
    return true;
  }

  /** Fetches what copy() missed. */
  async more() {
    const number = this.missing;
    const length = Math.min(PAGE, this.source.size - number * PAGE);
    const page = await this.source.read(number * PAGE, length);
    if (!(page instanceof Uint8Array) || page.length !== length)
      throw new Error(`${length} bytes from offset ${number * PAGE} on are not to be had`);
    if (this.pages.size >= PAGES) this.pages.delete(this.pages.keys().next().value);
    this.pages.set(number, new Uint8Array(page)); // the other one may change
  }
}
