/**
 * Service worker of the console. If the server is unavailable, it answers page requests with the page `away`. It passes
 * all other requests to the server, so no tab runs old files after an upgrade.
 */
export {};

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

interface WorkerScope {
  readonly location: Location;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}

const worker = self as unknown as WorkerScope;
const CACHES = 'waymark-away-';
/** The build replaces the placeholder with a digest of the page `away`, so browsers detect a new version. */
const CACHE = `${CACHES}__AWAY__`;
const AWAY = new URL('away', worker.location.href).href;
const AWAY_FILES = new URL('assets/away-', worker.location.href).href;

worker.addEventListener('install', (event) => {
  event.waitUntil(keepAway().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(forgetFormer().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.mode === 'navigate') event.respondWith(pageOrAway(request));
  else if (request.url.startsWith(AWAY_FILES)) event.respondWith(fileOrKept(request));
});

/** Caches the page `away` and its files. */
async function keepAway(): Promise<void> {
  const page = await fetch(AWAY, { cache: 'reload' });
  if (!page.ok) throw new Error(`the page is answered with ${page.status}`);
  const names = Array.from(
    (await page.clone().text()).matchAll(/(?:src|href)="([^"]+)"/g),
    ([, name = '']) => name,
  );
  const cache = await caches.open(CACHE);
  await cache.addAll(names);
  await cache.put(AWAY, page);
}

async function forgetFormer(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(CACHES) && name !== CACHE) await caches.delete(name);
  }
}

async function pageOrAway(request: Request): Promise<Response> {
  const answer = await fetch(request).catch(() => undefined);
  if (answer !== undefined && !isOfProxy(answer)) return answer;
  return (await caches.match(AWAY)) ?? answer ?? Response.error();
}

/** Returns whether a proxy answered that it cannot reach the server. The server's own answers have a request id. */
function isOfProxy({ status, headers }: Response): boolean {
  return status >= 502 && status <= 504 && !headers.has('x-request-id');
}

async function fileOrKept(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}
