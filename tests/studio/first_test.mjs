// The first screen: somebody moves before the module is there; a mesh that is dropped walks by one button, and steps lead
// on from there; a body that is read doubtfully is offered as what else it may be.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import http from 'node:http';
import { drawn, finish, idle, openStudio, repeat, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 900, height: 620, colorScheme: 'light' });
const state = (read, given) => page.evaluate(read, given);
const log = () => state(() => window.limber.session.log.value.map(({ line }) => line));

function drop(name, text) {
    return page.evaluate(([file, content]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([content], file));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    }, [name, text]);
}

/** Boxes as an OBJ: each a low and a high corner, faces in squares of a sixth. */
function boxes(list) {
    const places = [], faces = [];
    for (const box of list) {
        for (let face = 0; face < 6; ++face) {
            const axes = [0, 1, 2].map((k) => (k + face) % 3), first = places.length + 1, high = face > 2;
            for (let k = 0; k < 49; ++k) {
                const place = [];
                place[axes[0]] = box[axes[0]] + ((box[axes[0] + 3] - box[axes[0]]) * Math.floor(k / 7)) / 6;
                place[axes[1]] = box[axes[1]] + ((box[axes[1] + 3] - box[axes[1]]) * (k % 7)) / 6;
                place[axes[2]] = box[axes[2] + (high ? 3 : 0)];
                places.push(`v ${place.join(' ')}`);
                if (k < 42 && k % 7 < 6) {
                    const square = [k, k + 7, k + 8, k + 1].map((corner) => first + corner);
                    faces.push(`f ${(high ? square : square.reverse()).join(' ')}`);
                }
            }
        }
    }
    return [...places, ...faces, ''].join('\n');
}

await test('somebody moves on the first screen, and everyone can use it', async () => {
    const scene = () => state(() => window.limber.viewer.stage.scene.children.filter((child) => child.getObjectByProperty('isSkinnedMesh', true)).length);
    await until(async () => (await scene()) === 1, 'nobody is there');
    assert.equal(await state(() => window.limber.session.current), null);
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.isVisible('.side .tabs'), false);
    // Not for who asks for less motion, as the pages of the tests do.
    const knee = (where) => where.evaluate(() => {
        const node = window.limber.viewer.stage.scene.getObjectByName('leftLowerLeg');
        return node ? [...node.quaternion] : null;
    });
    const still = await knee(page);
    const lively = await studio.page({ before: () => (window.matchMedia = ((ask) => (query) => (query.includes('reduced-motion') ? new EventTarget() : ask.call(window, query)))(window.matchMedia)) });
    await until(async () => (await knee(lively)) !== null, 'nobody is there');
    const first = await knee(lively);
    await until(async () => (await knee(lively)).some((x, k) => Math.abs(x - first[k]) > 0.02), 'nobody moves');
    assert.deepEqual(await knee(page), still, 'who wants it still sees somebody move');
    await lively.context().close();
});

/// How many bytes the server sends a browser that takes Brotli.
async function compressedSize(url) {
    const answer = await new Promise((resolve, reject) => http.get(url, { headers: { 'accept-encoding': 'br, gzip' } }, resolve).on('error', reject));
    assert.equal(answer.headers['content-encoding'], 'br', url);
    let size = 0;
    for await (const bytes of answer) size += bytes.length;
    return size;
}

await test('what a first character needs is small, and what a mesh of one\'s own needs', async () => {
    const sizes = {};
    for (const name of ['index.html', 'style.css', 'studio.js', 'shared.js', 'worker.js', 'hero.glb', 'limber.wasm', 'limber-threads.wasm']) {
        sizes[name] = await compressedSize(studio.url + name);
    }
    const sent = await state(() => performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/studio.js')).encodedBodySize);
    assert.equal(sent, sizes['studio.js'], 'what this browser was sent');
    const { 'limber.wasm': plain, 'limber-threads.wasm': threads, 'hero.glb': hero, ...page } = sizes;
    // One of the two is loaded.
    const module = Math.max(plain, threads);
    const own = Object.values(page).reduce((sum, size) => sum + size, 0);
    console.log(`      compressed: page ${own}, hero ${hero}, module ${module}`);
    assert.ok(own + hero < 0.45e6, 'the first screen');
    assert.ok(own + hero + module < 1.85e6, "until a mesh of one's own is rigged");
});

await test('a mesh that is dropped walks by one button', async () => {
    repeat('limber sample humanoid --seed 4 --pose t --triangles 4000 -o mine.obj', work);
    await drop('mine.obj', fs.readFileSync(path.join(work, 'mine.obj'), 'utf8'));
    await page.click('.guide button:text-is("Rig and walk")');
    await idle(page);
    assert.deepEqual(await state(() => [window.limber.viewer.player.clip?.name, window.limber.session.isRigged]), ['walk', true]);
    const lines = (await log()).filter((line) => !line.includes('convert'));
    assert.deepEqual(lines.map((line) => line.split(' ')[1]), ['rig', 'animate'], 'the log has the two commands');
    assert.equal(await state(() => window.limber.viewer.stage.scene.children.filter((child) => child.getObjectByProperty('isSkinnedMesh', true)).length), 1, 'who was there has not left');
});

await test('steps lead to a file, and can be passed over', async () => {
    const step = () => page.locator('.guide [aria-current="step"]').allTextContents();
    const tool = () => page.textContent('[role=tab][aria-selected="true"]');
    assert.deepEqual(await step(), []);
    const clip = () => state(() => window.limber.viewer.player.clip?.name ?? null);
    for (const [name, tab] of [['Correct', 'Rig'], ['Animate', 'Animate'], ['Pose', 'Pose'], ['Export', 'Export']]) {
        await page.click('.guide button:text-is("Next")');
        assert.deepEqual([await step(), await tool()], [[name], tab]);
        if (tab === 'Rig') assert.equal(await clip(), null, 'joints are put right in a clip');
        if (tab === 'Animate') assert.equal(await clip(), 'walk', 'it walks no more');
    }
    await page.click('.guide button:text-is("Animate")');
    assert.equal(await tool(), 'Animate');
    await page.click('.guide button:text-is("Export")');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.panel .target:has(b:text-is("GLB"))')]);
    assert.equal(fs.readFileSync(await download.path()).subarray(0, 4).toString(), 'glTF');
    assert.deepEqual(await violations(page), []);
});

await test('what runs below the picture keeps within it on an upright tablet', async () => {
    await page.setViewportSize({ width: 768, height: 900 });
    await drawn(page);
    const outside = await page.evaluate(() => [...document.querySelectorAll('.main :is(button, select, input)')].filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return width > 0 && (left < 0 || right > innerWidth);
    }).map((element) => element.outerHTML));
    assert.deepEqual(outside, []);
    assert.ok(await page.isVisible('.guide button:text-is("Export")'));
    await page.setViewportSize({ width: 900, height: 620 });
});

await test('names of tools keep clear of each other on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await drawn(page);
    const names = await page.locator('[role=tab]').evaluateAll((tabs) => tabs.map((tab) => {
        const range = document.createRange();
        range.selectNodeContents(tab.querySelector('span') ?? tab);
        const { left, right } = range.getBoundingClientRect(), own = tab.getBoundingClientRect();
        return [tab.textContent, Math.min(left - own.left, own.right - right)];
    }));
    for (const [name, room] of names) assert.ok(room > 0.5, `${name} has ${room.toFixed(1)} pixels beside it`);
    await page.setViewportSize({ width: 900, height: 620 });
});

await test('a doubtful body is offered as what else it may be', async () => {
    await drop('crab.obj', boxes([[-0.3, 0.2, -0.2, 0.3, 0.4, 0.2], [-0.9, 0.25, -0.05, -0.25, 0.35, 0.05], [0.25, 0.25, -0.05, 0.9, 0.35, 0.05],
        [-0.2, 0, 0.1, -0.1, 0.25, 0.2], [0.1, 0, 0.1, 0.2, 0.25, 0.2], [-0.2, 0, -0.2, -0.1, 0.25, -0.1], [0.1, 0, -0.2, 0.2, 0.25, -0.1]]));
    await page.waitForFunction(() => window.limber.session.current?.title === 'crab');
    await idle(page);
    await page.click('.guide button:text-is("Rig and walk")');
    await idle(page);
    // Who is on another tool is told.
    await page.click('[role=tab]:has-text("Body")');
    assert.match(await page.textContent('.guide .hint'), /What is this body\? A \w+, by \d+ %\. Step 1 shows what else it may be\./);
    assert.match(await page.getAttribute('.guide li:first-child button', 'class'), /doubt/);
    assert.deepEqual(await violations(page), []);
    await page.click('.guide button:text-is("Next")');
    assert.equal(await page.getAttribute('#tab-rig', 'aria-selected'), 'true');
    const { confidence, reason, skeleton } = await state(() => window.limber.session.current.rig);
    assert.ok(confidence < 0.6 && reason.includes('next best'), `${skeleton} ${confidence}: ${reason}`);
    const cards = page.locator('.readings button');
    await until(async () => (await page.locator('.panel p:text("Trying others")').count()) === 0 && (await cards.count()) > 1, 'nothing else is offered');
    const named = reason.match(/next best: --skeleton (\w+)/)[1];
    const inked = await cards.evaluateAll((all) => all.map((card) => {
        const canvas = card.querySelector('canvas');
        return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((value, k) => k % 4 === 3 && value > 0).length;
    }));
    for (const count of inked) assert.ok(count > 500, `a picture has ${count} pixels`);
    // The longest name that a reading has stays within its card.
    const wide = await cards.first().evaluate((card) => {
        const name = card.querySelector('.name'), kept = name.textContent;
        name.textContent = 'quadruped, the other way';
        const out = name.getBoundingClientRect().width - card.clientWidth;
        name.textContent = kept;
        return out;
    });
    assert.ok(wide <= 0, `a name is ${wide} pixels wider than its card`);
    await drawn(page);
    assert.deepEqual(await violations(page), []);
    await cards.filter({ hasText: named }).click();
    await idle(page);
    assert.ok((await log()).some((line) => line.includes(`--skeleton ${named}`)));
    assert.equal(await state(() => window.limber.session.current.rig.skeleton), named);
});

await test('nobody complained, and nobody else was asked', async () => {
    assert.deepEqual(studio.complaints, []);
    assert.deepEqual(studio.strangers, []);
});

await studio.close();
finish();
