// Sources of the bytes of a book. A source is {size, read(offset, length)}; read() returns a Uint8Array of
// that length or a promise of one, or fails. A source that this module opened also has close().

export class WariError extends Error {
  constructor(status, message, options) {
    super(message, options);
    this.name = "WariError";
    this.status = status;
  }
}

/** Converts what a source threw, which may be anything, to a WariError. */
export function notRead(cause) {
  if (cause instanceof WariError) return cause;
  const reason = typeof cause === "string" ? cause : cause?.message;
  return new WariError("not read", `the book cannot be read: ${typeof reason === "string" ? reason : "no reason was given"}`, { cause });
}

/** Imports a module of Node. Bundlers do not follow an import whose name is not a literal, so they also make bundles for
 * browsers, where this is never called. */
export const nodeModule = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);

const FIRST = 1 << 16; // size of the first request, in bytes: header, model, and the table of a small book

/** Makes a source of an array in memory. The array becomes empty if its owner transfers it to a worker. */
export function bytesSource(bytes) {
  const size = bytes.length;
  const read = (offset, length) => {
    if (bytes.length !== size) throw new Error("its bytes were transferred or resized; open it again");
    return bytes.subarray(offset, offset + length);
  };
  return { size, bytes, read };
}

/** Reads a property of a typed array itself, even if a subclass defines another one with this name. */
const own = (array, name) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name).get.call(array);

/** Returns a view of the caller's bytes. */
function bytesAt(buffer, offset = 0, length = buffer.byteLength) {
  try {
    return new Uint8Array(buffer, offset, length);
  } catch (cause) {
    throw new WariError("bad input", "these bytes were transferred or resized and are no longer available", { cause });
  }
}

const blobSource = (blob) => ({
  size: blob.size,
  read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
});

const unclosed = new FinalizationRegistry((file) => file.close()); // files of books that were never closed
const READ_MAX = 1 << 30; // bytes per read of a file

async function readFile(file, path, offset, length) {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(length - at, READ_MAX), offset + at);
    if (bytesRead === 0) throw new Error(`${path} has become shorter; open it again`);
    at += bytesRead;
  }
  return bytes;
}

async function fileSource(path, whole) {
  const { constants, promises } = await nodeModule("fs");
  // Non-blocking, because opening a named pipe would wait for ever for its other end.
  const file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let keepOpen = false;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new WariError("bad input", `${path}: this is not a regular file`);
    if (whole) return bytesSource(await readFile(file, path, 0, found.size));
    const read = (offset, length) => readFile(file, path, offset, length);
    const source = { size: found.size, read, close: () => file.close() };
    unclosed.register(source, file);
    keepOpen = true;
    return source;
  } finally {
    if (!keepOpen) await file.close();
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

/** Requests a range of a file. Returns the bytes, their offset and the size of the file. A server without range
 * requests sends the whole file. The whole file is also requested if the browser hides the Content-Range header,
 * as it may do from a page of another host. */
async function fetchRange(fetch, url, offset, length) {
  let response = await ask(fetch, url, { headers: { Range: `bytes=${offset}-${offset + length - 1}` } });
  if (response.status === 206 && !response.headers.has("Content-Range")) response = await ask(fetch, url);
  const bytes = await bytesOf(response);
  if (response.status !== 206) return { bytes, offset: 0, size: bytes.length };
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("Content-Range") || "");
  if (!range || Number(range[1]) !== offset || bytes.length !== Number(range[2]) - offset + 1)
    throw new Error(`${url}: the server sends other bytes than its Content-Range says`);
  return { bytes, offset, size: Number(range[3]) };
}

async function addressSource(fetch, url, whole) {
  if (whole) return bytesSource(await bytesOf(await ask(fetch, url)));
  const first = await fetchRange(fetch, url, 0, FIRST);
  if (first.bytes.length === first.size) return bytesSource(first.bytes);
  let all = null; // the whole file, if the server sends it instead of a range
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

/** Makes a source from any argument of open(). */
export async function sourceOf(from, options = {}) {
  if (from instanceof Uint8Array) return bytesSource(bytesAt(own(from, "buffer"), own(from, "byteOffset"), own(from, "length")));
  if (from instanceof ArrayBuffer) return bytesSource(bytesAt(from));
  if (typeof Blob !== "undefined" && from instanceof Blob) return blobSource(from);
  if (from && typeof from.read === "function") return { size: from.size, read: (offset, length) => from.read(offset, length) };
  if (typeof from !== "string" && typeof from?.href !== "string")
    throw new WariError("bad input", "a book must be a URL, a path, bytes, a file, or an object with size and read()");
  const address = String(from);
  if (!isAddress(address)) return fileSource(address, options.whole);
  if (address.startsWith("file:")) return fileSource(new URL(address), options.whole);
  return addressSource(options.fetch || fetch, address, options.whole);
}

const PAGE = 1 << 14;
const PAGES_MAX = 1024; // cached pages: 16 MB

/** A cache of pages of a source, for the C code, which cannot wait: more() fetches the page that copy() missed. */
export class Pages {
  constructor(source) {
    this.source = source;
    this.pages = new Map();
    this.missing = null;
  }

  /** Copies bytes to `to`. Returns false if they are not in the cache. Never throws, because WebAssembly calls it. */
  copy(offset, to) {
    const { bytes, size } = this.source;
    if (bytes?.length === size) {
      to.set(bytes.subarray(offset, offset + to.length));
      return true;
    }
    if (offset + to.length > size) return false; // beyond the end, so there is nothing to fetch
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

  /** Fetches the page that copy() missed. */
  async more() {
    const number = this.missing;
    const length = Math.min(PAGE, this.source.size - number * PAGE);
    const given = await this.source.read(number * PAGE, length);
    // The copy is checked, not the array, because the source may reuse the array, and a subclass may misstate its length.
    const page = ArrayBuffer.isView(given) && given instanceof Uint8Array ? new Uint8Array(given) : null;
    if (page?.length !== length)
      throw new Error(`${length} bytes from offset ${number * PAGE} on are not available`);
    if (this.pages.size >= PAGES_MAX) this.pages.delete(this.pages.keys().next().value);
    this.pages.set(number, page);
  }
}
