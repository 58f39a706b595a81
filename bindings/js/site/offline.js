// Keeps the files of the page, so that it opens without a network. @VERSION@ is a hash of them all: other
// files are another cache, and the one before goes. Other folders of the host may have pages of their own.

const OWN = `wari ${self.registration.scope} `;
const CACHE = `${OWN}@VERSION@`;
const FILES = [@FILES@];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = async () => {
    const names = await caches.keys();
    const isOld = (name) => (name.startsWith(OWN) && name !== CACHE) || /^wari [^ ]+$/.test(name); // as they were called before
    await Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(old());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const address = new URL(event.request.url);
  address.search = address.hash = ""; // what a link says is for the page
  event.respondWith(caches.open(CACHE).then((cache) => cache.match(address.href)).then((found) => found || fetch(event.request)));
});
