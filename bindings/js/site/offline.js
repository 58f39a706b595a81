// Service worker: caches the files of the page, so that it works without a network. @VERSION@ is a hash of all
// files: new files get a new cache, and the old cache is deleted. The caches of such pages in other folders of the host are kept.

const OWN = `wari ${self.registration.scope} `;
const CACHE = `${OWN}@VERSION@`;
const FILES = [@FILES@];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = async () => {
    const names = await caches.keys();
    const isOld = (name) => (name.startsWith(OWN) && name !== CACHE) || /^wari [^ ]+$/.test(name); // names of earlier versions
    await Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(old());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const address = new URL(event.request.url);
  address.search = address.hash = ""; // query and fragment are for the page only
  event.respondWith(caches.open(CACHE).then((cache) => cache.match(address.href)).then((found) => found || fetch(event.request)));
});
