// The page on its own: it says how far a command is and stops it at once; it is installed, and works without its server and
// under any path of any server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { finish, idle, openStudio, openTab, test, until, violations } from './studio.mjs';

const studio = await openStudio();
let page = await studio.page({ hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);

await test('a command says what it is at, and how far', async () => {
    await state(() => {
        window.told = [];
        window.limber.session.progress.watch((progress) => progress && window.told.push(progress));
    });
    await page.click('.guide button:text-is("Rig and walk")');
    await idle(page);
    const told = await state(() => window.told);
    const shares = told.filter(({ stage }) => stage === 'bone heat').map(({ fraction }) => fraction);
    assert.ok(shares.length > 2 && shares.at(-1) > 0.5 && shares.every((share, k) => share >= 0 && share <= 1 && (k === 0 || share >= shares[k - 1])), JSON.stringify(told));
    assert.ok(new Set(told.map(({ stage }) => stage)).size > 2, JSON.stringify(told));
    const messages = await state(() => window.limber.session.log.value.map(({ line, messages }) => line + messages).join('\n'));
    assert.ok(!messages.includes('progress'), messages);
});

await test('cancelled is cancelled at once', async () => {
    for (const wait of [30, 400]) {
        void state(() => void window.limber.session.sample('humanoid', 5, ['--triangles', '2000000']));
        await page.waitForSelector('.busy button');
        await page.waitForTimeout(wait);
        const took = await state(() => new Promise((resolve) => {
            const start = performance.now();
            const stop = window.limber.session.busy.watch((busy) => busy === null && resolve(performance.now() - start));
            document.querySelector('.busy button').click();
            void stop;
        }));
        assert.ok(took < 200, `${took} ms`);
        assert.equal(await page.isVisible('.notice.error'), false);
    }
});

await test('it can be installed', async () => {
    const manifest = await state(async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json());
    assert.equal(manifest.display, 'standalone');
    for (const { src, type } of manifest.icons) {
        const answer = await fetch(new URL(src, studio.url));
        assert.equal(answer.headers.get('content-type'), type);
        const { width } = await state((href) => new Promise((resolve, reject) => {
            const image = new Image();
            image.onload = () => resolve({ width: image.naturalWidth });
            image.onerror = () => reject(new Error(`${href} is no picture`));
            image.src = href;
        }), src);
        assert.ok(width > 0);
    }
    await until(() => state(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'), 'nothing is kept for later');
    assert.equal(await state(() => navigator.serviceWorker.getRegistration().then(({ scope }) => scope)), studio.url);
});

await test('it works without its server', async () => {
    await page.goto('about:blank');
    assert.equal(await studio.server.stop(), 0);
    await assert.rejects(fetch(studio.url));
    await page.goto(`${studio.url}#sample=humanoid:4`);
    await page.waitForSelector('html.ready', { state: 'attached' });
    assert.equal(await state(() => self.crossOriginIsolated), true);
    await page.click('.guide button:text-is("Rig and walk")');
    await idle(page);
    assert.equal(await state(() => window.limber.viewer.player.clip?.name), 'walk');
    await openTab(page, 'Weights');
    await page.waitForSelector('.tree');
    await state(() => (location.hash = '#lesson/1'));
    await page.waitForSelector('.lesson h1');
    assert.equal(await state(async () => typeof (await import(new URL('webgpu.js', document.baseURI).href)).makePainter), 'function');
    // A page of the same place that is not of the studio is the network's.
    await assert.rejects(state(() => fetch('file/mine.obj')));
});

await test('any server hands it out, under any path', async () => {
    const folder = studio.folder;
    const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm', svg: 'image/svg+xml' };
    const server = http.createServer((request, response) => {
        const name = new URL(request.url, 'http://x').pathname.replace(/^\/a\/b c\//, '').replace(/^\/a\/b%20c\//, '') || 'index.html';
        const file = path.join(folder, path.basename(name));
        if (!request.url.startsWith('/a/b%20c/') || !fs.existsSync(file)) return response.writeHead(404).end();
        response.writeHead(200, { 'content-type': types[name.split('.').pop()] ?? 'application/octet-stream' }).end(fs.existsSync(`${file}.gz`) ? gunzipSync(fs.readFileSync(`${file}.gz`)) : fs.readFileSync(file));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    page = await (await studio.browser.newContext({ viewport: { width: 800, height: 540 }, reducedMotion: 'reduce' })).newPage();
    page.on('console', (message) => message.type() === 'error' && studio.complaints.push(message.text()));
    await page.goto(`http://127.0.0.1:${server.address().port}/a/b%20c/#sample=hand:1`);
    await page.waitForSelector('html.ready', { state: 'attached' });
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    assert.equal(await state(() => window.limber.session.isRigged), true);
    await openTab(page, 'Weights');
    await page.waitForSelector('.tree');
    await until(() => state(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated'), 'nothing is kept for later');
    assert.deepEqual(await violations(page), []);
    await new Promise((resolve) => server.close(resolve) && server.closeAllConnections());
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints.filter((text) => !/ERR_CONNECTION_REFUSED|Failed to load resource/.test(text)), []));

await studio.browser.close();
finish();
