// The page as its server hands it out: packed, kept by the browser, with threads possible.
import assert from 'node:assert/strict';
import { finish, openStudio, test } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page();

/** What came over the network for each file of the page. */
function transfers(page) {
    return page.evaluate(() => Object.fromEntries(performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
        .map(({ name, transferSize, encodedBodySize, decodedBodySize }) => [new URL(name).pathname.slice(1) || 'index.html', { transferSize, encodedBodySize, decodedBodySize }])));
}

await test('memory can be shared between threads', async () => {
    assert.equal(await page.evaluate(() => self.crossOriginIsolated), true);
    assert.equal(await page.evaluate(() => new SharedArrayBuffer(8).byteLength), 8);
});

await test('the page comes packed', async () => {
    const came = await transfers(page);
    for (const name of ['studio.js', 'style.css', 'index.html']) assert.ok(came[name].encodedBodySize < 0.6 * came[name].decodedBodySize, `${name}: ${JSON.stringify(came[name])}`);
    // The worker's own requests are not in the page's list.
    const wasm = await page.evaluate(async () => {
        const answer = await fetch('limber.wasm');
        const packed = Number(answer.headers.get('content-length'));
        return { packed, plain: (await answer.arrayBuffer()).byteLength, type: answer.headers.get('content-type') };
    });
    assert.equal(wasm.type, 'application/wasm');
    assert.ok(wasm.packed < 0.6 * wasm.plain, JSON.stringify(wasm));
});

await test('what has not changed is not sent again', async () => {
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    const came = await transfers(page);
    // The head of an answer counts for 300 bytes.
    assert.ok(came['studio.js'].transferSize <= 1000, JSON.stringify(came['studio.js']));
});

await test('nobody complained, and nobody else was asked', async () => {
    assert.deepEqual(studio.complaints, []);
    assert.deepEqual(studio.strangers, []);
});

await studio.close();
finish();
