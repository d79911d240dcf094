// The page without a network: its files are kept when they were there once. With a network what is there comes first, so that
// no file is older than another. And it makes the page one that may share memory between threads, whatever its server says.
declare const files: string[];
declare const version: string;
const worker = self as unknown as {
    addEventListener(type: 'install' | 'activate', act: (event: { waitUntil(done: Promise<unknown>): void }) => void): void;
    addEventListener(type: 'fetch', act: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void): void;
    skipWaiting(): Promise<void>;
    clients: { claim(): Promise<void> };
    registration: { scope: string };
};

const prefix = 'limber-';
const kept = prefix + version;
// A network that is there but says nothing is none.
const patience = 4000; // milliseconds

// Documents and workers with these headers are isolated; what else there is comes from the same place and needs none.
const isolating = new Map([['Cross-Origin-Opener-Policy', 'same-origin'], ['Cross-Origin-Embedder-Policy', 'require-corp']]);
const isolated: RequestDestination[] = ['document', 'iframe', 'worker'];

worker.addEventListener('install', (event) => event.waitUntil(fill().then(() => worker.skipWaiting())));
worker.addEventListener('activate', (event) => event.waitUntil(drop().then(() => worker.clients.claim())));
worker.addEventListener('fetch', (event) => {
    const name = nameOf(event.request);
    if (name !== null) event.respondWith(answer(event.request, name).then((found) => (isolated.includes(event.request.destination) ? isolate(found) : found)));
});

async function fill(): Promise<void> {
    await (await caches.open(kept)).addAll(files.map((name) => new URL(name, worker.registration.scope).href));
}

async function drop(): Promise<void> {
    for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== kept) await caches.delete(name);
}

/** Which of the page's files is asked for; null: none, such as a file of the user's. */
function nameOf(request: Request): string | null {
    const [address] = request.url.split(/[?#]/);
    if (request.method !== 'GET' || !address!.startsWith(worker.registration.scope)) return null;
    const name = address!.slice(worker.registration.scope.length) || 'index.html';
    return files.includes(name) ? name : null;
}

async function answer(request: Request, name: string): Promise<Response> {
    try {
        const fresh = await fetch(request, { signal: AbortSignal.timeout(patience) });
        if (fresh.ok) return fresh;
    } catch {
        // What is kept is told below.
    }
    const found = await (await caches.open(kept)).match(new URL(name, worker.registration.scope).href);
    return found ?? Response.error();
}

function isolate(found: Response): Response {
    // An error has no body to hand on.
    if (!found.ok) return found;
    const headers = new Headers(found.headers);
    for (const [name, value] of isolating) headers.set(name, value);
    return new Response(found.body, { status: found.status, statusText: found.statusText, headers });
}
