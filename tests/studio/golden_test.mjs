// The page looks as it did: panels and picture against those of golden/, which are screenshots at a quarter of their size.
// Text is set in blocks of one width, as fonts are others on every machine. `node tests/studio/golden_test.mjs --update` takes
// them anew, in a change that means to change how the page looks. What is off lies in build/golden then.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPng, writePng } from '../../tools/png.mjs';
import { blockFont } from './block_font.mjs';
import { drawn, finish, idle, openStudio, openTab, test } from './studio.mjs';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'golden');
const outcome = path.join(folder, '../../../build/golden');
const update = process.argv.includes('--update');
const shrink = 4;
const coarse = 4; // of 255: steps of a colour

// Drivers round edges otherwise; a line that moves by a pixel is a quarter of a block.
const blockTolerance = 24; // of 255, of any channel
const offTolerance = 0.002; // of all blocks
const meanTolerance = 0.5; // of 255

/** Means of blocks of so many pixels. */
function reduced({ w, h, rgb }) {
    const width = Math.floor(w / shrink), height = Math.floor(h / shrink), out = Buffer.alloc(3 * width * height);
    for (let k = 0; k < out.length; ++k) {
        const channel = k % 3, x = Math.floor(k / 3) % width, y = Math.floor(k / 3 / width);
        let sum = 0;
        for (let v = 0; v < shrink; ++v) for (let u = 0; u < shrink; ++u) sum += rgb[3 * ((shrink * y + v) * w + shrink * x + u) + channel];
        out[k] = Math.min(255, coarse * Math.round(sum / shrink / shrink / coarse));
    }
    return { w: width, h: height, rgb: out };
}

/** The fraction of blocks that are another colour, and the mean difference. */
function compare(shown, golden) {
    assert.deepEqual([shown.w, shown.h], [golden.w, golden.h]);
    let off = 0, sum = 0;
    for (let at = 0; at < shown.rgb.length; at += 3) {
        const by = [0, 1, 2].map((channel) => Math.abs(shown.rgb[at + channel] - golden.rgb[at + channel]));
        off += Math.max(...by) > blockTolerance;
        sum += by[0] + by[1] + by[2];
    }
    return { off: off / (shown.w * shown.h), mean: sum / shown.rgb.length };
}

const studio = await openStudio();
const font = [...blockFont()];

async function setInBlocks(page) {
    await page.evaluate(async (bytes) => {
        document.fonts.add(await new FontFace('block', new Uint8Array(bytes).buffer).load());
        document.head.append(Object.assign(document.createElement('style'), { textContent: '* { font-family: block !important; caret-color: transparent !important; }' }));
        await document.fonts.ready;
    }, font);
}

async function shot(page, clip) {
    await page.mouse.move(1, 1);
    await page.evaluate(() => document.activeElement?.blur());
    await drawn(page);
    await page.evaluate(() => window.limber.skinning?.settled());
    await page.evaluate(() => window.limber.viewer.stage.now());
    return reduced(readPng(await page.screenshot({ clip })));
}

/** One picture of the page, or of a part of it; what is off is kept. */
async function looksAs(name, page, clip) {
    await test(name, async () => {
        const file = path.join(folder, `${name}.png`), shown = await shot(page, clip);
        if (update) return writePng(file, shown.w, shown.h, shown.rgb);
        const { off, mean } = compare(shown, readPng(fs.readFileSync(file)));
        const said = `${(100 * off).toFixed(2)} % of the blocks are off, ${mean.toFixed(2)} of 255 in the mean`;
        console.log(`      ${said}`);
        if (off <= offTolerance && mean <= meanTolerance) return;
        fs.mkdirSync(outcome, { recursive: true });
        writePng(path.join(outcome, `${name}.png`), shown.w, shown.h, shown.rgb);
        assert.fail(`${said}: build/golden/${name}.png`);
    });
}

/** A page of that size and scheme; WebGL draws all of the picture. */
async function opened(size, colorScheme, hash) {
    const page = await studio.page({ ...size, scale: 1, colorScheme, hash, picture: 'full', before: () => localStorage.setItem('limber graphics', 'webgl') });
    await setInBlocks(page);
    return page;
}

async function person(size, colorScheme) {
    const page = await opened(size, colorScheme, '#sample=humanoid:5&do=[["rig"]]');
    await idle(page);
    return page;
}

async function walks(page) {
    await page.click('.guide button:text-is("Walk")');
    await idle(page);
    await page.evaluate(() => window.limber.viewer.player.seekFrame(20));
}

const wide = { width: 1200, height: 760 }, upright = { width: 768, height: 1024 }, phone = { width: 390, height: 844 };
const first = await opened(wide, 'light');
await first.waitForFunction(() => window.limber.viewer.stage.scene.getObjectByProperty('isSkinnedMesh', true));
await looksAs('first-light', first);

const dark = await person(wide, 'dark');
await openTab(dark, 'Rig');
await looksAs('rig-dark', dark);
await openTab(dark, 'Weights');
await dark.evaluate(() => window.limber.viewer.select(window.limber.viewer.character.value.jointIndex('leftUpperArm')));
await looksAs('weights-dark', dark);
await walks(dark);
await openTab(dark, 'Animate');
await looksAs('animate-dark', dark);
await dark.click('[aria-label="Look"]');
await dark.getByLabel('Beside it', { exact: true }).selectOption('dual');
await dark.click('[aria-label="Commands that were run"]');
await looksAs('look-dark', dark);

const light = await person(wide, 'light');
await walks(light);
await openTab(light, 'Export');
await looksAs('export-light', light);
await light.evaluate(() => (window.limber.session.notice.value = { kind: 'error', title: 'It failed', text: 'limber animate: the body has no legs' }));
await openTab(light, 'Body');
await looksAs('body-light', light);

// Shade fills the picture.
await light.click('[aria-label="Close this message"]');
await light.evaluate(() => {
    const { viewer } = window.limber;
    viewer.wear('clay');
    viewer.stage.zoom(0.3);
});
const view = await light.locator('.view').boundingBox();
await looksAs('shade-light', light, { x: view.x + view.width / 2 - 160, y: view.y + 70, width: 320, height: 400 });

const tablet = await person(upright, 'light');
await openTab(tablet, 'Pose');
await tablet.evaluate(() => window.limber.viewer.select(window.limber.viewer.character.value.jointIndex('leftUpperArm')));
await tablet.click('.keys button:text-is("New clip of keys")');
await tablet.waitForSelector('.strip:visible');
await idle(tablet);
await looksAs('pose-tablet-light', tablet);

const small = await person(phone, 'dark');
await openTab(small, 'Rig');
await looksAs('rig-phone-dark', small);
await walks(small);
await openTab(small, 'Animate');
await looksAs('animate-phone-dark', small);

const lesson = await opened(phone, 'light', '#lesson/3');
await lesson.waitForTimeout(500);
await looksAs('lesson-phone-light', lesson);

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
