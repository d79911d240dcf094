// What leaves the page: films that players decode, a program that plays the file, a link that makes a sample's state again.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawn, exported, finish, idle, openStudio, openTab, test, violations } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 640, height: 420, hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);
const here = path.join(process.env.LIMBER_SOURCE ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../..'), 'studio/page');

await page.click('.guide button:text-is("Rig and walk")');
await idle(page);
await openTab(page, 'Export');
const glb = await exported(page);
const look = () => state(() => {
    const { player, stage } = window.limber.viewer;
    return { time: player.time, playing: player.playing, camera: stage.camera.position.toArray().map((value) => Math.round(1e4 * value)) };
});
async function film(name) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.panel button:text-is("${name}")`)]);
    await idle(page);
    return fs.readFileSync(await download.path());
}

await test('a video is decoded by the browser, frame by frame', async () => {
    const before = await look();
    const bytes = await film('Video');
    await drawn(page);
    assert.deepEqual(await look(), before);
    // The page itself shows no videos.
    const other = await (await studio.browser.newContext()).newPage();
    const seen = await other.evaluate(async (data) => {
        const video = document.createElement('video');
        video.src = URL.createObjectURL(new Blob([Uint8Array.from(data)], { type: 'video/webm' }));
        await new Promise((resolve, reject) => {
            video.onloadeddata = resolve;
            video.onerror = () => reject(new Error(video.error.message));
        });
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width: video.videoWidth, height: video.videoHeight });
        const context = canvas.getContext('2d', { willReadFrequently: true });
        const off = (a, b) => a.reduce((sum, value, k) => sum + Math.abs(value - b[k]), 0) / a.length;
        const shown = () => {
            context.drawImage(video, 0, 0);
            return [...context.getImageData(0, 0, canvas.width, canvas.height).data];
        };
        const pictures = [];
        for (const time of [0, 0.25, 0.5]) {
            await new Promise((resolve) => {
                video.onseeked = resolve;
                video.currentTime = time + 0.01;
            });
            // A busy browser says that it sought before the frame can be drawn.
            let picture = shown();
            for (let k = 0; k < 100 && time > 0 && off(picture, pictures.at(-1)) === 0; ++k) {
                await new Promise((resolve) => setTimeout(resolve, 50));
                picture = shown();
            }
            pictures.push(picture);
        }
        return { duration: video.duration, width: video.videoWidth, moved: [off(pictures[0], pictures[1]), off(pictures[1], pictures[2])] };
    }, [...bytes]);
    await other.close();
    const view = await state(() => ({ clip: window.limber.viewer.player.duration, canvas: window.limber.viewer.canvas.width }));
    assert.ok(Math.abs(seen.duration - view.clip) < 0.04, JSON.stringify(seen));
    assert.ok(Math.abs(seen.width - view.canvas) < 2);
    assert.ok(seen.moved.every((by) => by > 0.3), JSON.stringify(seen.moved));
});

await test('a GIF has the frames of the clip, in the colours of the view', async () => {
    const bytes = await film('GIF');
    assert.equal(bytes.subarray(0, 6).toString(), 'GIF89a');
    const seen = await state(async (data) => {
        const decoder = new ImageDecoder({ data: Uint8Array.from(data), type: 'image/gif' });
        await decoder.tracks.ready;
        await decoder.completed;
        const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
        const pixelsOf = async (frameIndex) => {
            const { image } = await decoder.decode({ frameIndex });
            const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            const { duration } = image;
            image.close();
            return { width: canvas.width, height: canvas.height, duration, data: context.getImageData(0, 0, canvas.width, canvas.height).data };
        };
        const frames = [];
        for (let k = 0; k < frameCount; ++k) frames.push(await pixelsOf(k));
        // The first frame beside the view at the clip's begin, over its ground.
        const { player, stage, canvas } = window.limber.viewer;
        player.seek(0);
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        stage.now();
        const own = new OffscreenCanvas(frames[0].width, frames[0].height).getContext('2d');
        const [top, low] = getComputedStyle(canvas.parentElement).backgroundImage.match(/rgba?\([^)]*\)/g);
        const ground = own.createLinearGradient(0, 0, 0, frames[0].height);
        ground.addColorStop(0, top);
        ground.addColorStop(1, low);
        own.fillStyle = ground;
        own.fillRect(0, 0, frames[0].width, frames[0].height);
        own.drawImage(canvas, 0, 0, frames[0].width, frames[0].height);
        const off = (a, b) => a.reduce((sum, value, k) => sum + Math.abs(value - b[k]), 0) / a.length;
        const view = own.getImageData(0, 0, frames[0].width, frames[0].height).data;
        return { frameCount, repetitionCount, duration: frames[1].duration, likeView: off(frames[0].data, view), moved: off(frames[0].data, frames[6].data), last: off(frames[0].data, frames.at(-1).data), clip: player.duration };
    }, [...bytes]);
    assert.equal(seen.frameCount, Math.round(20 * seen.clip));
    assert.equal(seen.repetitionCount, Infinity);
    assert.equal(seen.duration, 50000);
    assert.ok(seen.likeView < 3 && seen.moved > 0.5, JSON.stringify(seen));
});

await test('a film can be cancelled, and goes round the character', async () => {
    const before = await look();
    await page.getByLabel('Camera', { exact: true }).selectOption('around');
    void page.click('.panel button:text-is("Video")');
    await page.waitForFunction(() => window.limber.session.progress.value?.stage.startsWith('drawing frame'));
    await page.waitForFunction((camera) => Math.abs(window.limber.viewer.stage.camera.position.x * 1e4 - camera[0]) > 100, before.camera);
    await page.click('.busy button');
    await idle(page);
    await drawn(page);
    assert.deepEqual(await look(), { ...before, time: (await look()).time });
    assert.equal(await page.isVisible('.notice.error'), false);
});

await test('the program that is offered plays the file', async () => {
    await page.click('summary:has-text("A program that plays it")');
    const code = await page.textContent('.snippet');
    await page.getByLabel('For what').selectOption('react');
    const react = await page.textContent('.snippet');
    assert.ok(react.includes('useGLTF("humanoid-3.glb")') && react.includes('actions["walk"]'));
    assert.deepEqual(await violations(page), []);
    const { build } = createRequire(path.join(here, 'package.json'))('esbuild');
    const bundle = await build({ stdin: { contents: `${code}\nwindow.shown = { character, mixer };`, resolveDir: here, loader: 'js' }, bundle: true, write: false, format: 'esm', logLevel: 'error' });
    await build({ stdin: { contents: react, resolveDir: here, loader: 'jsx' }, bundle: false, write: false, logLevel: 'error' });
    const other = await (await studio.browser.newContext({ viewport: { width: 300, height: 300 } })).newPage();
    const files = { '/': ['text/html', '<!doctype html><body><script type="module" src="a.js"></script>'], '/a.js': ['text/javascript', bundle.outputFiles[0].text], '/humanoid-3.glb': ['model/gltf-binary', glb] };
    await other.route('http://snippet.test/**', (route) => {
        const [contentType, body] = files[new URL(route.request().url()).pathname] ?? ['text/plain', ''];
        return route.fulfill({ contentType, body });
    });
    await other.goto('http://snippet.test/');
    await other.waitForFunction(() => window.shown?.mixer.time > 0.1);
    assert.equal(await other.evaluate(() => window.shown.mixer._actions[0].getClip().name), 'walk');
    await other.close();
});

await test('a link makes the same bytes in another browser', async () => {
    await openTab(page, 'Weights');
    await page.click('.panel button:text-is("Smooth")');
    await idle(page);
    await openTab(page, 'Export');
    const link = await state(() => window.limber.session.link);
    const ours = await exported(page);
    const other = await studio.page({ hash: link });
    await idle(other);
    assert.ok((await exported(other)).equals(ours));
    await other.keyboard.press('Control+z');
    await idle(other);
    assert.equal(await other.evaluate(() => window.limber.session.history.step), 'animate walk');
    await other.close();
    const bad = await studio.page({ hash: '#sample=hand:1&do=[["sample","x"]]' });
    assert.match(await bad.textContent('.notice'), /cannot run "sample"/);
    await bad.close();
    // What hands made is in no link.
    await openTab(page, 'Pose');
    await page.click('.keys button:text-is("New clip of keys")');
    await page.waitForFunction(() => window.limber.session.history.step.startsWith('key'));
    await idle(page);
    assert.equal(await state(() => window.limber.session.link), null);
    await openTab(page, 'Export');
    assert.equal(await page.isDisabled('.panel button:text-is("Copy a link")'), true);
});

await test('a VRM has the author that is told', async () => {
    const file = await state(() => window.limber.session.current.file);
    const section = page.locator('.panel section', { has: page.locator('h3:text-is("VRM")') });
    const make = section.locator('button:text-is("VRM avatar")');
    assert.equal(await make.isDisabled(), true);
    await section.getByLabel('Author').fill('Grace');
    await section.getByLabel('Who may wear it').selectOption('everyone');
    const [download] = await Promise.all([page.waitForEvent('download'), make.click()]);
    const bytes = fs.readFileSync(await download.path()), { extensions } = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
    assert.deepEqual(extensions.VRMC_vrm.meta.authors, ['Grace']);
    assert.equal(extensions.VRMC_vrm.meta.avatarPermission, 'everyone');
    const line = await state(() => window.limber.session.log.value.at(-1).line);
    assert.ok(line.includes(file) && line.includes('--author Grace'), line);
});

await test('nobody complained, and nobody else was asked', async () => {
    assert.deepEqual(studio.complaints, []);
    assert.deepEqual(studio.strangers, []);
});

await studio.close();
finish();
