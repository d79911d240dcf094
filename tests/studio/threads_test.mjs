// Threads: where the page is isolated the module runs on several, elsewhere on one, to the same bytes. A static host's page is
// isolated from its second load on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { finish, openStudio, test, until } from './studio.mjs';

const studio = await openStudio();
const isolation = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm', svg: 'image/svg+xml' };
const frame = '<!doctype html><title>A page around it</title><iframe src="index.html" width="700" height="500"></iframe>';

/** The page's folder on a server without anything of ours; `broken` is a file that comes as something else. */
async function host(headers = {}, broken = '') {
    const asked = [];
    const server = http.createServer((request, response) => {
        const name = new URL(request.url, 'http://x').pathname.slice(1) || 'index.html', file = path.join(studio.folder, path.basename(name));
        asked.push(name);
        response.setHeader('content-type', types[name.split('.').pop()] ?? 'application/octet-stream');
        if (name === 'frame.html') return response.end(frame);
        if (name === broken) return response.end('no module');
        if (!fs.existsSync(file)) return response.writeHead(404).end();
        response.writeHead(200, headers).end(fs.existsSync(`${file}.gz`) ? gunzipSync(fs.readFileSync(`${file}.gz`)) : fs.readFileSync(file));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const stop = () => new Promise((resolve) => server.close(resolve) && server.closeAllConnections());
    return { url: `http://127.0.0.1:${server.address().port}/`, asked, stop };
}

async function visit(url, serviceWorkers = 'block') {
    const context = await studio.browser.newContext({ viewport: { width: 800, height: 540 }, deviceScaleFactor: 0.5, reducedMotion: 'reduce', serviceWorkers });
    await context.addInitScript(() => localStorage.setItem('limber picture', 'simple'));
    const page = await context.newPage();
    page.setDefaultTimeout(120000);
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text()) && studio.complaints.push(message.text()));
    await page.goto(url);
    await page.waitForSelector('html.ready', { state: 'attached' });
    return page;
}

// A digest of everything that two commands write, and what they said of how far they are.
const rig = (page) => page.evaluate(async () => {
    const stages = [];
    window.limber.session.engine.progressed = ({ stage, fraction }) => stages.push([stage, fraction]);
    const run = async (line, files) => {
        const { code, messages, files: made } = await window.limber.run(line.split(' '), files);
        if (code !== 0) throw new Error(messages);
        return made;
    };
    const mesh = await run('sample humanoid --seed 7 --pose t --triangles 12000 -o body.obj');
    const rigged = await run('rig body.obj -o body.glb', mesh);
    const walking = await run('animate body.glb walk -o walk.glb', rigged);
    const sums = [];
    for (const files of [mesh, rigged, walking]) for (const [name, bytes] of files) sums.push(`${name} ${bytes.length} ${new Uint32Array(await crypto.subtle.digest('SHA-256', bytes)).join()}`);
    return { sums, stages };
});
const isIsolated = (page) => page.evaluate(() => self.crossOriginIsolated);
const threads = ['limber-threads.wasm', 'helper.js'];

const page = await studio.page();
const cores = await page.evaluate(() => navigator.hardwareConcurrency);
if (cores < 2) {
    console.log('skipped: this machine has one core');
    process.exit(77);
}
const asked = [];
page.on('request', (request) => asked.push(request.url().split('/').pop()));
let truth;

await test('an isolated page has threads', async () => {
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    truth = await rig(page);
    assert.ok(await isIsolated(page));
    assert.equal(asked.filter((name) => name === 'helper.js').length, Math.min(cores, 8) - 1);
    assert.ok(asked.includes('limber-threads.wasm') && !asked.includes('limber.wasm'), asked.join(' '));
});

await test('what is at work says how far it is', async () => {
    const heat = truth.stages.filter(([stage]) => stage === 'bone heat').map(([, fraction]) => fraction);
    assert.ok(heat.length > 2 && heat.at(-1) > 0.5 && heat.every((share, k) => k === 0 || share >= heat[k - 1]), JSON.stringify(truth.stages));
});

await test('threads are cancelled at once, and start again', async () => {
    for (const wait of [50, 500]) {
        const took = await page.evaluate(async (ms) => {
            const { engine } = window.limber.session;
            const { files } = await engine.run('sample humanoid --seed 7 --pose t --triangles 200000 -o body.obj'.split(' '));
            const ended = engine.run('rig body.obj -o body.glb'.split(' '), files).then(() => 'done', () => 'cancelled');
            await new Promise((done) => setTimeout(done, ms));
            const start = performance.now();
            engine.cancel();
            return [await ended, performance.now() - start];
        }, wait);
        assert.equal(took[0], 'cancelled');
        assert.ok(took[1] < 200, `${took[1]} ms`);
    }
    assert.deepEqual((await rig(page)).sums, truth.sums);
});

await test('a page that is not isolated has one thread, and the same bytes', async () => {
    const server = await host();
    const plain = await visit(server.url);
    assert.equal(await isIsolated(plain), false);
    assert.deepEqual((await rig(plain)).sums, truth.sums);
    assert.ok(server.asked.includes('limber.wasm') && !threads.some((name) => server.asked.includes(name)), server.asked.join(' '));
    await plain.context().close();
    await server.stop();
});

await test('where threads cannot be had it goes on with one', async () => {
    const server = await host(isolation, 'limber-threads.wasm');
    const said = [];
    const own = await visit(server.url);
    own.on('console', (message) => said.push(`${message.type()} ${message.text()}`));
    await own.reload();
    await own.waitForSelector('html.ready', { state: 'attached' });
    assert.equal(await isIsolated(own), true);
    assert.deepEqual((await rig(own)).sums, truth.sums);
    assert.ok(server.asked.includes('limber.wasm') && !server.asked.includes('helper.js'));
    assert.ok(said.some((text) => text.startsWith('info one thread: ')), said.join('\n'));
    await own.context().close();
    await server.stop();
});

await test('a static host has them from the second load on, without a network too, and not in a frame', async () => {
    const server = await host();
    const own = await visit(server.url, 'allow');
    assert.equal(await isIsolated(own), false);
    await own.evaluate(() => navigator.serviceWorker.register('sw.js'));
    await until(() => own.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'), 'nothing is kept for later');
    await own.reload();
    await own.waitForSelector('html.ready', { state: 'attached' });
    assert.equal(await isIsolated(own), true);
    assert.deepEqual((await rig(own)).sums, truth.sums);
    assert.ok(threads.every((name) => server.asked.includes(name)), server.asked.join(' '));

    await own.goto(`${server.url}frame.html`);
    const inner = await (await own.waitForSelector('iframe')).contentFrame();
    await inner.waitForSelector('html.ready', { state: 'attached' });
    assert.equal(await isIsolated(inner), false);
    assert.deepEqual((await rig(inner)).sums, truth.sums);

    await own.goto('about:blank');
    await server.stop();
    await own.goto(server.url);
    await own.waitForSelector('html.ready', { state: 'attached' });
    assert.equal(await isIsolated(own), true);
    assert.deepEqual((await rig(own)).sums, truth.sums);
    await own.context().close();
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints.filter((text) => !/ERR_CONNECTION_REFUSED|Failed to load resource/.test(text)), []));

await studio.close();
finish();
