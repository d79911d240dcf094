// Weights as artists want them: a brush with falloff, pressure and locks, on a joint that is bent; one vertex by numbers; odd
// vertices; parts of the skin; weights of another character.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, exported, finish, idle, openStudio, openTab, repeat, screenPlace, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1000, height: 700, hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);
const step = () => state(() => window.limber.session.history.step);
const choose = (name) => page.click(`.tree [role=treeitem]:has(.name:text-is("${name}"))`);
/** How much of each vertex follows a joint, summed, and how many do. */
const weight = (joint) => state((name) => {
    const { meshes, joints } = window.limber.viewer.character.value;
    const { node } = joints.find((one) => one.name === name);
    let sum = 0, count = 0;
    for (const mesh of meshes) {
        const { skinIndex, skinWeight } = mesh.geometry.attributes;
        const bone = mesh.skeleton.bones.indexOf(node);
        for (let v = 0; v < skinIndex.count; v++) for (let k = 0; k < 4; k++) {
            if (skinIndex.getComponent(v, k) !== bone || skinWeight.getComponent(v, k) === 0) continue;
            sum += skinWeight.getComponent(v, k);
            count++;
        }
    }
    return { sum, count };
}, joint);
async function does(name, act) {
    const before = await state(() => window.limber.session.current.file);
    await act();
    await until(async () => (await state(() => window.limber.session.current.file)) !== before && (await step()) === name, `there is no step "${name}"`);
    await idle(page);
    await drawn(page);
}
const undo = async () => {
    await page.keyboard.press('Control+z');
    await idle(page);
    await drawn(page);
};
/** A stroke with a pen, if it is told how hard. */
async function stroke([x, y], force) {
    const cdp = await page.context().newCDPSession(page);
    const send = (type, dx, buttons) => cdp.send('Input.dispatchMouseEvent', { type, x: x + dx, y, button: buttons || type === 'mouseReleased' ? 'left' : 'none', buttons, clickCount: 1, ...(force === undefined ? {} : { pointerType: 'pen', force }) });
    await send('mouseMoved', -4, 0);
    await send('mousePressed', -4, 1);
    for (const dx of [-2, 0, 2, 4]) await send('mouseMoved', dx, 1);
    await send('mouseReleased', 4, 0);
    await cdp.detach();
}

await page.click('.guide button:text-is("Rig and walk")');
await idle(page);
await openTab(page, 'Weights');
await page.waitForSelector('.tree');
await choose('leftUpperArm');

await test('what is read off the picture is the colour of the legend', async () => {
    await state(() => window.limber.session.busy.value ?? window.limber.viewer.player.play(false));
    await drawn(page);
    const [near, all] = await state(() => {
        const { bones, stage, canvas } = window.limber.viewer;
        const legend = [...getComputedStyle(document.querySelector('.ramp')).backgroundImage.matchAll(/rgb\((\d+), (\d+), (\d+)\)/g)].map((stop) => stop.slice(1).map(Number));
        /** How far a colour is from the nearest of a stretch of the legend. */
        const off = (colour, from, to) => {
            const along = from.map((value, k) => to[k] - value), length = along.reduce((sum, value) => sum + value * value, 0);
            const share = Math.min(1, Math.max(0, along.reduce((sum, value, k) => sum + value * (colour[k] - from[k]), 0) / length));
            return Math.max(...colour.map((value, k) => Math.abs(value - from[k] - share * along[k])));
        };
        for (const group of [bones.group, stage.floor.group]) group.visible = false;
        stage.now();
        const flat = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height }).getContext('2d');
        flat.drawImage(canvas, 0, 0);
        for (const group of [bones.group, stage.floor.group]) group.visible = true;
        const { data } = flat.getImageData(0, 0, canvas.width, canvas.height);
        let near = 0, all = 0;
        for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] < 255) continue;
            ++all;
            const colour = [...data.subarray(at, at + 3)];
            near += legend.slice(1).some((to, k) => off(colour, legend[k], to) < 8);
        }
        return [near, all];
    });
    console.log(`      ${near} of ${all} pixels`);
    // Rims are darker.
    assert.ok(all > 500 && near > 0.75 * all, `${near} of ${all} pixels have a colour of the legend`);
});

await test('strokes fall off as is chosen, and pens press', async () => {
    await page.check('.panel label:has-text("Paint the chosen joint") input');
    const gains = {};
    for (const [name, falloff, force] of [['soft', '0'], ['none', '2'], ['pressed', '0', 1], ['light', '0', 0.15]]) {
        const before = await weight('leftUpperArm');
        await page.getByLabel('Falls off').selectOption(falloff);
        await drawn(page);
        const at = await screenPlace(page, 'spine');
        await does('paint leftUpperArm', () => stroke(at, force));
        gains[name] = (await weight('leftUpperArm')).sum - before.sum;
        await undo();
    }
    assert.ok(gains.none > 1.2 * gains.soft && gains.soft > 0, JSON.stringify(gains));
    assert.ok(gains.light > 0 && gains.light < 0.6 * gains.pressed, JSON.stringify(gains));
    assert.deepEqual(await violations(page), []);
});

await test('what is locked keeps its weights', async () => {
    await choose('spine');
    await page.check('.panel label:has-text("Lock the chosen joint") input');
    const before = await weight('spine');
    await choose('leftUpperArm');
    await does('paint leftUpperArm', async () => stroke(await screenPlace(page, 'spine')));
    const after = await weight('spine');
    assert.ok(Math.abs(after.sum - before.sum) < 1e-3 * before.sum, `${before.sum} became ${after.sum}`);
    await undo();
    await page.click('.panel button[title="Unlock spine"]');
    await does('paint leftUpperArm', async () => stroke(await screenPlace(page, 'spine')));
    assert.ok((await weight('spine')).sum < 0.99 * before.sum, 'it is still locked');
    await undo();
});

/** The colours of all vertices, four bytes each. */
const colours = () => state(() => window.limber.viewer.character.value.meshes.flatMap(({ geometry }) => [...geometry.attributes.color.array]));

await test('a dab recolours the vertices that it changed, and no others', async () => {
    const before = await colours();
    // What no weight looks like: it goes where a colour is written. What is sent to the GPU is from the first of those to the last.
    await state(() => {
        const { viewer } = window.limber, show = viewer.showWeights, unwritten = 7;
        window.written = [];
        window.sent = [];
        viewer.showWeights = function (of) {
            const all = new Set(viewer.character.value.meshes.map(({ geometry }) => geometry.attributes.color));
            for (const { array } of all) array.fill(unwritten);
            show.call(viewer, of);
            for (const { array, updateRanges } of all) {
                // By the fourth of a colour, which is never what no weight looks like; the others may be.
                const { start, count } = updateRanges.at(-1) ?? {}, ends = [];
                for (let k = 3; k < array.length; k += 4) if (array[k] !== unwritten) ends.push(k);
                if (ends.length) window.sent.push([start, start + count, ends[0] - 3, ends.at(-1) + 1]);
            }
            const now = viewer.character.value.meshes.flatMap(({ geometry }) => [...geometry.attributes.color.array]);
            now.forEach((value, k) => (window.written[k] = now[k | 3] === unwritten ? (window.written[k] ?? unwritten) : value));
        };
    });
    await does('paint leftUpperArm', async () => stroke(await screenPlace(page, 'spine')));
    const written = await state(() => delete window.limber.viewer.showWeights && window.written), after = await colours();
    const sent = await state(() => window.sent);
    assert.ok(sent.length > 0);
    for (const [from, to, first, end] of sent) assert.deepEqual([from, to], [first, end], 'what is sent is not what was written');
    let [count, changed] = [0, 0];
    for (let at = 0; at < after.length; at += 4) {
        const off = (a, b) => Math.max(...[0, 1, 2].map((k) => Math.abs(a[at + k] - b[at + k])));
        const own = written[at + 3] !== 7, other = off(before, after) > 2;
        assert.ok(own || !other, `vertex ${at / 4} changed, and its colour did not`);
        // The file keeps four joints a vertex: the fifth, blue and not grey, is gone from it.
        if (own) assert.ok(off(written, after) <= 65, `vertex ${at / 4} has a wrong colour`);
        count += own;
        changed += other;
    }
    console.log(`      ${count} of ${after.length / 4} colours written, ${changed} changed`);
    assert.ok(changed > 5 && count < 0.1 * (after.length / 4), `${count} were written`);
    await undo();
});

await test('a joint is bent to see, and painted on so', async () => {
    await page.keyboard.press('1');
    await choose('leftLowerArm');
    const slider = page.getByLabel('How far the chosen joint is bent');
    await page.getByLabel('About which axis').selectOption('2');
    const straight = await screenPlace(page, 'leftHand');
    await slider.fill('80');
    await drawn(page);
    const bent = await screenPlace(page, 'leftHand');
    assert.ok(Math.hypot(bent[0] - straight[0], bent[1] - straight[1]) > 30, 'it is not bent');
    const rest = await state(() => window.limber.session.engine.live('rest'));
    // Where the forearm is seen now there is nothing at rest.
    const elbow = await screenPlace(page, 'leftLowerArm');
    await choose('leftHand');
    await choose('leftLowerArm');
    const before = await weight('leftLowerArm');
    await page.getByLabel('Weight', { exact: true }).fill('0');
    await page.locator('.panel select').nth(1).waitFor();
    await page.getByLabel('Brush', { exact: true }).selectOption('1');
    await does('paint leftLowerArm', () => stroke([(elbow[0] + bent[0]) / 2, (elbow[1] + bent[1]) / 2]));
    assert.ok((await weight('leftLowerArm')).sum < before.sum - 1, 'nothing of the forearm was painted');
    const again = await screenPlace(page, 'leftHand');
    assert.ok(Math.hypot(again[0] - bent[0], again[1] - bent[1]) < 4, 'it is not bent any more');
    assert.deepEqual(rest, await state(() => window.limber.session.engine.live('rest')));
    await undo();
    await slider.fill('0');
    await page.uncheck('.panel label:has-text("Paint the chosen joint") input');
});

await test('a vertex shows its weights, and takes others', async () => {
    await page.click('.panel button:text-is("Point at a vertex")');
    await drawn(page);
    const [x, y] = await screenPlace(page, 'leftLowerArm');
    await page.mouse.click(x, y);
    const inputs = page.locator('.weights-table input');
    await until(async () => (await inputs.count()) > 0, 'no vertex was found');
    const values = async () => Object.fromEntries(await page.locator('.weights-table').evaluate((table) => [...table.querySelectorAll('input')].map((input) => [input.getAttribute('aria-label').slice(10), Number(input.value)])));
    const before = await values();
    assert.ok(Math.abs(Object.values(before).reduce((sum, value) => sum + value, 0) - 1) < 1e-3, JSON.stringify(before));
    await does('weight of head', () => page.getByLabel('Another joint').selectOption('head'));
    await until(async () => (await values()).head === 0.1, 'the head has no weight');
    await does('weight of head', async () => {
        await page.getByLabel('Weight of head').fill('0.75');
        await page.getByLabel('Weight of head').press('Enter');
    });
    await until(async () => (await values()).head === 0.75, 'it has another weight');
    assert.ok(Math.abs(Object.values(await values()).reduce((sum, value) => sum + value, 0) - 1) < 1e-3);
    // An arm's vertex that follows the head is odd.
    await page.click('.panel button:text-is("Find odd ones")');
    const odd = page.locator('.panel [aria-label="Vertices unlike their neighbours"] button');
    await odd.first().waitFor();
    await odd.first().click();
    await until(async () => (await values()).head === 0.75, 'the odd one is not the first');
    assert.deepEqual(await violations(page), []);
    await does('weight of head', () => page.click('.panel [aria-label="No weight for head"]'));
    await until(async () => !('head' in (await values())), 'the head still has weight');
});

await test('parts of the skin are changed alone', async () => {
    await choose('leftFoot');
    const pieces = await page.getByLabel('Where').locator('option').allTextContents();
    assert.ok(pieces.length > 3, `${pieces}`);
    const [, many] = pieces.find((text) => text.startsWith('piece 1'))?.match(/: ([\d\u202f]+) vertices/);
    const before = await weight('leftFoot');
    await page.getByLabel('Where').selectOption({ label: pieces.find((text) => text.startsWith('piece 1')) });
    await does('assign weights', () => page.click('.panel button:text-is("Flood")'));
    const gained = (await weight('leftFoot')).sum - before.sum;
    assert.ok(gained >= Number(many.replaceAll('\u202f', '')) - 0.01, `${gained} of ${many}`);
    await undo();
    assert.equal((await weight('leftFoot')).sum, before.sum);
});

await test('a joint gets what another one has', async () => {
    const given = await weight('leftToes');
    assert.ok(given.sum > 1, `${given.sum}`);
    await choose('leftFoot');
    const before = await weight('leftFoot');
    await page.getByLabel('Where').selectOption('');
    await page.getByLabel('From joint').selectOption('leftToes');
    await does('move weights', () => page.click('.panel button:text-is("Move")'));
    assert.ok(Math.abs((await weight('leftFoot')).sum - before.sum - given.sum) < 1e-3);
    await undo();
    assert.equal((await weight('leftFoot')).sum, before.sum);
});

await test('weights of another character, and a shell makes the same bytes', async () => {
    const glb = await exported(page);
    fs.writeFileSync(path.join(work, 'other.glb'), glb);
    await openTab(page, 'Weights');
    await does('assign weights', () => page.click('.panel button:text-is("Flood")'));
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('.panel button:text-is("From another character")')]);
    await does('weights of other.glb', () => chooser.setFiles(path.join(work, 'other.glb')));
    const ours = await exported(page);
    const last = await state(() => window.limber.session.log.value.slice(-2).map(({ line }) => line));
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    fs.copyFileSync(path.join(work, 'other.glb'), path.join(folder, 'other.glb'));
    fs.writeFileSync(path.join(folder, last[0].match(/assign (\S+)/)[1]), glb);
    for (const line of last) repeat(line, folder);
    assert.ok(ours.equals(fs.readFileSync(path.join(folder, last[1].match(/-o (\S+)$/)[1]))));
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
