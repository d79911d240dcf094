// Loops of edges: the ring around a tube by one click with Alt or after L, grown, filled with the brush; a shell repeats it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, exported, finish, idle, openFile, openStudio, openTab, repeat, test, until, violations, work } from './studio.mjs';

// Twelve vertices around, nine rings 0.2 m apart, quads; two joints.
const around = 12, rings = 9, height = 1.6;
const place = (ring, k) => [0.3 * Math.cos((2 * Math.PI * k) / around), 0.2 * ring, 0.3 * Math.sin((2 * Math.PI * k) / around)];
const at = (ring, k) => 1 + ring * around + (k % around);
const indices = (count) => Array.from({ length: count }, (_, k) => k);
const tube = [
    ...indices(rings).flatMap((ring) => indices(around).map((k) => `v ${place(ring, k).join(' ')}`)),
    ...indices(rings - 1).flatMap((ring) => indices(around).map((k) => `f ${at(ring, k)} ${at(ring + 1, k)} ${at(ring + 1, k + 1)} ${at(ring, k + 1)}`)),
];
fs.writeFileSync(path.join(work, 'tube.obj'), `${tube.join('\n')}\n`);
fs.writeFileSync(path.join(work, 'joints.gltf'), JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: [{ name: 'lower', children: [1] }, { name: 'upper', translation: [0, height / 2, 0] }],
}));
repeat('limber rig tube.obj --skeleton joints.gltf --fit never --weights nearest -o tube.glb', work);

const studio = await openStudio();
const page = await studio.page({ width: 1000, height: 700 });
const state = (read, given) => page.evaluate(read, given);
/** The vertices that follow the upper joint alone, by their rings. */
const full = () => state(() => {
    const { meshes, joints } = window.limber.viewer.character.value;
    const node = joints.find(({ name }) => name === 'upper').node;
    const places = new Set();
    for (const { geometry, skeleton } of meshes) {
        const { skinIndex, skinWeight, position } = geometry.attributes;
        for (let v = 0; v < position.count; v++) {
            for (let k = 0; k < 4; k++) if (skeleton.bones[skinIndex.getComponent(v, k)] === node && skinWeight.getComponent(v, k) > 0.999) places.add([position.getX(v), position.getY(v), position.getZ(v)].map((x) => x.toFixed(3)).join());
        }
    }
    const rings = {};
    for (const one of places) rings[Math.round(Number(one.split(',')[1]) / 0.2)] = (rings[Math.round(Number(one.split(',')[1]) / 0.2)] ?? 0) + 1;
    return rings;
});
const seen = (point) => state((given) => {
    const { viewer } = window.limber;
    const { left, top, width, height } = viewer.canvas.getBoundingClientRect();
    const spot = viewer.character.value.box.max.clone().set(...given).project(viewer.stage.camera);
    return [left + ((spot.x + 1) / 2) * width, top + ((1 - spot.y) / 2) * height];
}, point);
const said = () => page.textContent('.panel .loops [role=status]');
/** The middle of an edge along a ring, on the side that is seen. */
const edge = (ring) => seen([2, 3].map((k) => place(ring, k)).reduce((a, b) => a.map((x, axis) => (x + b[axis]) / 2)));

await openFile(page, 'tube.glb', fs.readFileSync(path.join(work, 'tube.glb')));
await openTab(page, 'Weights');
await page.waitForSelector('.tree');
await page.click('.tree [role=treeitem]:has(.name:text-is("upper"))');
await page.check('.panel label:has-text("Paint the chosen joint") input');
await page.keyboard.press('1');
await drawn(page);

await test('a click with Alt chooses the ring, and it grows and shrinks', async () => {
    assert.ok(await page.locator('.panel button:text-is("Fill")').isDisabled(), 'there is something to fill');
    await page.keyboard.down('Alt');
    await page.mouse.click(...(await edge(2)));
    await page.keyboard.up('Alt');
    await until(async () => (await said()) === '12 vertices chosen', 'a ring is not chosen');
    await page.click('.panel button:text-is("Grow")');
    await until(async () => (await said()) === '36 vertices chosen', 'it does not grow');
    await page.click('.panel button:text-is("Shrink")');
    await until(async () => (await said()) === '12 vertices chosen', 'it does not shrink');
    assert.deepEqual(await violations(page), []);
});

await test('presses that come faster than they are done are all done', async () => {
    await state(() => {
        const press = (name) => [...document.querySelectorAll('.panel .loops button')].find((one) => one.textContent === name).click();
        for (const name of ['Grow', 'Shrink', 'Grow']) press(name);
        return window.limber.hand.settled();
    });
    assert.equal(await said(), '36 vertices chosen');
    await page.click('.panel button:text-is("Shrink")');
    await until(async () => (await said()) === '12 vertices chosen', 'it does not shrink');
});

await test('the brush fills what is chosen, a step of the history', async () => {
    const before = await full();
    await page.getByLabel('Brush').selectOption({ label: 'Replace' });
    await page.getByLabel('Strength').fill('1');
    await page.locator('.panel button:text-is("Fill")').press('Enter');
    await until(() => state(() => window.limber.session.history.step === 'paint upper'), 'there is no step');
    await idle(page);
    assert.deepEqual(await full(), { ...before, 2: around });
    assert.equal(await said(), '12 vertices chosen', 'they are not chosen any more');
});

await test('undo leaves them chosen, and they are filled once more', async () => {
    const filled = await full();
    await page.keyboard.press('Control+z');
    await idle(page);
    assert.notDeepEqual(await full(), filled);
    await until(async () => (await said()) === '12 vertices chosen', 'undo forgets what was chosen');
    await page.locator('.panel button:text-is("Fill")').press('Enter');
    await until(() => state(() => window.limber.session.history.step === 'paint upper'), 'there is no step');
    await idle(page);
    assert.deepEqual(await full(), filled);
});

await test('both sides are filled', async () => {
    await page.click('.panel button:text-is("None")');
    await page.keyboard.down('Alt');
    // An edge from ring to ring, on the side that is seen.
    const [x, y] = await seen([1, 2].map((ring) => place(ring, 2)).reduce((a, b) => a.map((part, axis) => (part + b[axis]) / 2)));
    await page.mouse.click(x, y);
    await page.keyboard.up('Alt');
    await until(async () => / vertices chosen$/.test(await said()), 'no column is chosen');
    const before = await full();
    await page.getByLabel('On both sides').check();
    await page.locator('.panel button:text-is("Fill")').press('Enter');
    await until(() => state((one) => window.limber.session.history.undoable === 'paint upper' && window.limber.session.log.value.filter(({ line }) => line.startsWith('cat ')).length === 3, null), 'there is no step');
    await idle(page);
    const after = await full();
    // Of a ring that had none: the column that was chosen and its mirror image.
    for (const ring of Object.keys(after)) if (!before[ring]) assert.equal(after[ring], 2, `ring ${ring}: ${JSON.stringify(after)}`);
    assert.notDeepEqual(after, before);
    await page.keyboard.press('Control+z');
    await idle(page);
    await page.getByLabel('On both sides').uncheck();
});

await test('with Shift beside what is chosen, and else in place of it', async () => {
    await page.click('.panel button:text-is("None")');
    for (const [ring, keys, count] of [[1, ['Alt'], 12], [3, ['Alt', 'Shift'], 24], [2, ['Alt'], 12]]) {
        for (const key of keys) await page.keyboard.down(key);
        await page.mouse.click(...(await edge(ring)));
        for (const key of keys) await page.keyboard.up(key);
        await until(async () => (await said()) === `${count} vertices chosen`, `${keys} at ring ${ring}: ${await said()}`);
    }
});

await test('without Alt after L, one beside the other', async () => {
    await page.click('.panel button:text-is("None")');
    await page.locator('canvas').first().focus().catch(() => {});
    await page.keyboard.press('l');
    assert.equal(await page.getAttribute('.panel .loops button:text-is("Choose a loop")', 'aria-pressed'), 'true');
    for (const [ring, count] of [[1, 12], [3, 24]]) {
        await page.mouse.click(...(await edge(ring)));
        await until(async () => (await said()) === `${count} vertices chosen`, `ring ${ring} is not chosen`);
    }
    await page.keyboard.press('l');
    const file = await state(() => window.limber.session.current.file);
    await page.click('.panel button:text-is("Fill")');
    await until(() => state((one) => window.limber.session.current.file !== one, file), 'nothing is filled');
    await idle(page);
    const rings = await full();
    assert.deepEqual([rings[1], rings[2], rings[3]], [around, around, around], JSON.stringify(rings));
    if (process.env.LIMBER_PICTURES) await page.screenshot({ path: path.join(process.env.LIMBER_PICTURES, 'loops.png') });
});

await test('a shell makes the same bytes', async () => {
    const ours = await exported(page);
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    fs.copyFileSync(path.join(work, 'tube.glb'), path.join(folder, 'tube.glb'));
    for (const line of await state(() => window.limber.session.log.value.filter(({ code }) => code === 0).map(({ line }) => line))) repeat(line, folder);
    assert.ok(ours.equals(fs.readFileSync(path.join(folder, await state(() => window.limber.session.current.file)))));
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
