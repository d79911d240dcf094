// The skeleton under the user's hands: joints searched in a tree, named, added, hung elsewhere, mirrored, moved, removed;
// fingers counted; chains pointed at. Clips come along, undo goes back, a shell repeats it to the same bytes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drag, drawn, exported, finish, idle, openStudio, openTab, repeat, screenPlace, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1000, height: 700, hash: '#sample=humanoid:7' });
const state = (read, given) => page.evaluate(read, given);
const joints = () => state(() => {
    const { joints } = window.limber.viewer.character.value;
    return Object.fromEntries(joints.map(({ name, parent, node }) => [name, { parent: joints[parent]?.name ?? null, at: node.matrixWorld.elements.slice(12, 15) }]));
});
const rows = () => page.locator('.tree [role=treeitem]').allTextContents();
const chosen = () => state(() => window.limber.viewer.character.value.joints[window.limber.viewer.selected.value]?.name ?? null);
const step = () => state(() => window.limber.session.history.step);
const choose = (name) => page.click(`.tree [role=treeitem]:has(.name:text-is("${name}"))`, { timeout: 10000 });
const off = (a, b) => Math.hypot(...a.map((value, axis) => value - b[axis]));
/** Clicks, and waits for the step that it is. */
async function does(name, act) {
    await act();
    await until(async () => (await step()) === name, `there is no step "${name}"`);
    await idle(page);
    await drawn(page);
}

await page.click('.guide button:text-is("Rig and walk")');
await idle(page);
await openTab(page, 'Rig');
await page.waitForSelector('.tree');

await test('the tree is searched, folded and walked by keys', async () => {
    const all = await rows();
    assert.ok(all.length > 50 && all[0] === 'hips');
    await page.fill('.panel [aria-label="Search joints"]', 'left index');
    assert.deepEqual((await rows()).slice(-3), ['leftIndexProximal', 'leftIndexIntermediate', 'leftIndexDistal']);
    assert.ok((await rows()).includes('leftHand') && !(await rows()).includes('rightHand'), 'the way there is not listed');
    await page.fill('.panel [aria-label="Search joints"]', 'nothing like it');
    assert.deepEqual(await rows(), []);
    await page.fill('.panel [aria-label="Search joints"]', '');
    await choose('leftShoulder');
    await page.keyboard.press('ArrowLeft');
    assert.ok(!(await rows()).includes('leftHand'), 'it is not folded');
    await page.keyboard.press('ArrowDown');
    assert.equal(await chosen(), 'rightShoulder');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(await chosen(), 'leftUpperArm');
    assert.deepEqual(await rows(), all);
    assert.deepEqual(await violations(page), []);
});

await test('a new name keeps weights and clips', async () => {
    const weights = () => state(() => [...window.limber.viewer.character.value.meshes[0].geometry.attributes.skinWeight.array].reduce((sum, value) => sum + value * value, 0));
    const before = await weights();
    await choose('hips');
    await page.keyboard.press('F2');
    await page.keyboard.type('pelvis');
    await does('rename hips', () => page.keyboard.press('Enter'));
    assert.equal((await joints()).spine.parent, 'pelvis');
    assert.equal(await weights(), before);
    assert.deepEqual(await state(() => window.limber.viewer.character.value.clips.map(({ name }) => name)), ['walk']);
    assert.equal(await chosen(), 'pelvis');
    await page.fill('.panel [aria-label="Name of the joint"]', 'spine');
    await page.keyboard.press('Enter');
    await until(() => page.isVisible('.notice.error'), 'two joints have one name');
    await idle(page);
    assert.equal(await page.inputValue('.panel [aria-label="Name of the joint"]'), 'pelvis');
});

await test('joints are added, moved, hung elsewhere and mirrored', async () => {
    await choose('leftLowerArm');
    await does('add a joint below leftLowerArm', () => page.click('.panel button:text-is("Add a joint below")'));
    assert.equal(await chosen(), 'leftLowerArmEnd');
    const before = (await joints()).leftLowerArmEnd;
    assert.equal(before.parent, 'leftLowerArm');
    await page.uncheck('.panel label:has-text("Move the other side too") input');
    await page.keyboard.press('f');
    await drawn(page);
    const [x, y] = await screenPlace(page, 'leftLowerArmEnd');
    await does('move leftLowerArmEnd', () => drag(page, [x, y], [x, y + 25]));
    const moved = (await joints()).leftLowerArmEnd.at;
    assert.ok(moved[1] < before.at[1] - 0.01, 'it was not moved');
    const line = await state(() => window.limber.session.log.value.findLast(({ line }) => line.startsWith('limber rig')).line);
    assert.ok(line.includes('--fit never') && !line.includes('--marker'), line);
    await choose('leftLowerArmEnd');
    await does('hang leftLowerArmEnd', () => page.getByLabel('Hangs from').selectOption({ label: 'leftUpperArm' }));
    assert.equal((await joints()).leftLowerArmEnd.parent, 'leftUpperArm');
    assert.ok(off((await joints()).leftLowerArmEnd.at, moved) < 1e-4, 'it does not stay where it was');
    assert.ok(!(await page.getByLabel('Hangs from').locator('option').allTextContents()).includes('leftLowerArmEnd'));
    await does('mirror leftLowerArmEnd', () => page.click('.panel button:text-is("To the other side")'));
    const { rightLowerArmEnd: image, pelvis } = await joints();
    assert.equal(image.parent, 'rightUpperArm');
    assert.ok(off(image.at, [2 * pelvis.at[0] - moved[0], moved[1], moved[2]]) < 1e-4);
    assert.deepEqual(await state(() => window.limber.viewer.character.value.clips.map(({ name }) => name)), ['walk'], 'the clip stays behind');
});

await test('joints are removed, and fingers', async () => {
    await choose('chest');
    await does('remove chest', () => page.locator('.tree [role=treeitem][aria-selected=true]').press('Delete'));
    assert.equal((await joints()).upperChest.parent, 'spine');
    await does('keep 2 fingers', () => page.getByLabel('Fingers').selectOption('2'));
    const fingers = Object.keys(await joints()).filter((name) => /Thumb|Index|Middle|Ring|Little/.test(name));
    assert.equal(fingers.length, 12, `${fingers}`);
});

await test('weights that were edited stay with their joints', async () => {
    // For every vertex, what it follows and how much.
    const rows = () => state(() => window.limber.viewer.character.value.meshes.flatMap(({ geometry, skeleton }) => {
        const { skinIndex, skinWeight } = geometry.attributes;
        return Array.from({ length: skinWeight.count }, (_, v) => Object.fromEntries([0, 1, 2, 3].flatMap((k) => {
            const weight = skinWeight.getComponent(v, k);
            return weight > 0 ? [[skeleton.bones[skinIndex.getComponent(v, k)].name, weight]] : [];
        })));
    }));
    const keeps = page.locator('.panel label:has-text("Keep the weights") input');
    assert.equal(await keeps.isChecked(), false, 'weights that the rig made are kept');
    await state(() => window.limber.session.edit('Smoothing', ['weights', 'smooth'], ['--rounds', '20', '--joint', 'leftUpperArm'], { step: 'smooth' }));
    await idle(page);
    assert.equal(await keeps.isChecked(), true, 'weights that were edited are not kept');
    const before = await rows();
    await choose('leftHand');
    await does('hang leftHand', () => page.getByLabel('Hangs from').selectOption({ label: 'leftUpperArm' }));
    assert.deepEqual(await rows(), before, 'a joint that hangs elsewhere changes weights');
    await choose('head');
    await does('add a joint below head', () => page.click('.panel button:text-is("Add a joint below")'));
    const added = await rows();
    let taken = 0;
    for (const [v, { headEnd: own = 0, head: left = 0, ...others }] of added.entries()) {
        const { head: whole = 0, ...rest } = before[v];
        assert.deepEqual(others, rest, `vertex ${v}: the new joint takes from others`);
        assert.ok(Math.abs(own + left - whole) < 1e-6, `vertex ${v}: ${own} and ${left} of ${whole}`);
        taken += own;
    }
    assert.ok(taken > 1, `the new joint has ${taken}`);
    await choose('headEnd');
    await does('remove headEnd', () => page.locator('.tree [role=treeitem][aria-selected=true]').press('Delete'));
    for (const [v, row] of (await rows()).entries()) {
        for (const name of new Set([...Object.keys(row), ...Object.keys(before[v])])) assert.ok(Math.abs((row[name] ?? 0) - (before[v][name] ?? 0)) < 1e-6, `vertex ${v}: ${name} is not as it was`);
    }
    const lines = await state(() => window.limber.session.log.value.filter(({ line }) => line.startsWith('limber rig')).map(({ line }) => line));
    assert.ok(lines.slice(-3).every((line) => line.includes('--keep-weights')), lines.slice(-3).join());
    await page.uncheck('.panel label:has-text("Keep the weights") input');
    await choose('leftHand');
    await does('hang leftHand', () => page.getByLabel('Hangs from').selectOption({ label: 'leftLowerArm' }));
    assert.notDeepEqual(await rows(), before, 'nothing is bound anew');
    assert.equal(await keeps.isChecked(), false);
    for (let k = 0; k < 5; ++k) {
        await page.keyboard.press('Control+z');
        await idle(page);
    }
    assert.equal(await step(), 'keep 2 fingers');
});

await test('a shell makes the same bytes', async () => {
    const ours = await exported(page);
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    const lines = await state(() => window.limber.session.log.value.filter(({ code }) => code === 0).map(({ line }) => line));
    for (const line of lines) repeat(line, folder);
    assert.ok(ours.equals(fs.readFileSync(path.join(folder, await state(() => window.limber.session.current.file)))));
    fs.writeFileSync(path.join(folder, 'edited.glb'), ours);
    repeat('limber weights check edited.glb', folder);
});

await test('undo goes back joint by joint', async () => {
    const count = Object.keys(await joints()).length;
    await page.keyboard.press('Control+z');
    await idle(page);
    assert.equal(await step(), 'remove chest');
    await page.keyboard.press('Control+z');
    await idle(page);
    assert.ok(Object.keys(await joints()).length > count && 'chest' in (await joints()));
});

await test('a chain leads to where the mesh was pointed at', async () => {
    await state(() => window.limber.session.sample('quadruped', 3));
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    await page.click('summary:has-text("Chains")');
    await page.fill('.panel [aria-label="What the chain is called"]', 'ear');
    await page.click('.panel button:text-is("Point at its end")');
    await drawn(page);
    // The tip of an ear is the highest place.
    const [x, y] = await state(() => {
        const { viewer } = window.limber;
        const { left, top, width, height } = viewer.canvas.getBoundingClientRect();
        const high = viewer.character.value.box.max.clone();
        for (const { geometry } of viewer.character.value.meshes) {
            const { position } = geometry.attributes;
            for (let v = 0; v < position.count; ++v) if (Math.abs(position.getY(v) - viewer.character.value.box.max.y) < 1e-3) high.fromBufferAttribute(position, v);
        }
        high.y *= 0.99;
        high.project(viewer.stage.camera);
        return [left + ((high.x + 1) / 2) * width, top + ((1 - high.y) / 2) * height];
    });
    await page.mouse.click(x, y);
    await until(() => state(() => /--chain ear=/.test(window.limber.session.log.value.at(-1).line)), 'no chain was asked for');
    await idle(page);
    assert.ok('ear1' in (await joints()), 'there is no chain');
    await does('rig', () => page.click('.panel [aria-label="Take ear away"]'));
    assert.ok(!('ear1' in (await joints())), 'the chain is still there');
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
