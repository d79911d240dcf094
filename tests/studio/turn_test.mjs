// Poses by hand: the chosen joint rotated by numbers and by rings, the other side along with it, sides mirrored, poses kept
// with a picture and put on again. Keys of a clip: set, moved, bent, dropped. Each is a step of the one history.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { drag, drawn, finish, idle, openStudio, openTab, repeat, screenPlace, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1000, height: 700 });
const state = (read, given) => page.evaluate(read, given);
const settled = async () => {
    await state(() => window.limber.hand.settled());
    await drawn(page);
};
const step = () => state(() => window.limber.session.history.step);
const place = (name) => state((joint) => {
    const { character } = window.limber.viewer;
    return character.value.joints[character.value.jointIndex(joint)].node.matrixWorld.elements.slice(12, 15);
}, name);
const choose = (name) => state((joint) => window.limber.viewer.select(window.limber.viewer.character.value.jointIndex(joint)), name);
const degrees = (axis) => page.getByLabel(`Turned about ${axis}, degrees`);
const off = (a, b) => Math.hypot(...a.map((value, axis) => value - b[axis]));

await state(() => window.limber.session.sample('humanoid', 7, ['--pose', 't', '--triangles', '2000']));
await page.click('.guide button:text-is("Rig and walk")');
await idle(page);
await openTab(page, 'Pose');
await page.getByLabel('What moves').selectOption('rings');

await test('numbers turn the chosen joint, and the other side with it', async () => {
    await page.click('.panel button:text-is("Rest pose")');
    await settled();
    await choose('leftUpperArm');
    const [left, right] = [await place('leftHand'), await place('rightHand')];
    await degrees('Z').fill('60');
    await degrees('Z').press('Enter');
    await settled();
    assert.ok(off(await place('leftHand'), left) > 0.3, 'the arm was not rotated');
    assert.ok(off(await place('rightHand'), right) < 1e-6);
    assert.equal(await step(), 'rotate leftUpperArm');
    await degrees('Z').blur();
    await page.keyboard.press('Control+z');
    await idle(page);
    await settled();
    assert.ok(off(await place('leftHand'), left) < 1e-5, 'undo does not turn it back');
    await page.getByLabel('The other side follows').check();
    await degrees('Z').fill('60');
    await degrees('Z').press('Enter');
    await settled();
    const [l, r] = [await place('leftHand'), await place('rightHand')];
    assert.ok(off(l, [-r[0], r[1], r[2]]) < 0.08, `${l} and ${r}`);
    await page.getByLabel('The other side follows').uncheck();
    assert.deepEqual(await violations(page), []);
});

await test('rings turn it', async () => {
    await page.click('.panel button:text-is("Rest pose")');
    await settled();
    await choose('rightUpperArm');
    await drawn(page);
    const before = await place('rightHand');
    const [x, y] = await screenPlace(page, 'rightUpperArm');
    // Outwards from the joint until the pointer is on a ring.
    let ring = 0;
    for (let far = 14; far < 140 && !ring; far += 3) {
        await page.mouse.move(x - 0.6 * far, y + 0.8 * far);
        if (await state(() => window.limber.viewer.holdsSelection)) ring = far;
    }
    assert.ok(ring, 'there are no rings');
    await page.mouse.down();
    await page.mouse.move(x - 0.6 * ring + 50, y + 0.8 * ring + 30, { steps: 5 });
    await page.mouse.up();
    await settled();
    assert.ok(off(await place('rightHand'), before) > 0.02, 'the ring turns nothing');
    assert.equal(await step(), 'rotate rightUpperArm');
    assert.equal(await state(() => window.limber.viewer.selected.value), await state(() => window.limber.viewer.character.value.jointIndex('rightUpperArm')));
});

await test('an arrow pulls it along one axis', async () => {
    await page.click('.panel button:text-is("Rest pose")');
    await settled();
    await page.getByLabel('What moves').selectOption('0');
    await page.keyboard.press('1');
    await drawn(page);
    // Nearer, so that the arm reaches what is above.
    const [far, level] = await screenPlace(page, 'leftHand');
    await drag(page, [far, level], [far - 45, level + 20]);
    await page.getByLabel('What moves').selectOption('arrows');
    await choose('leftHand');
    await drawn(page);
    const before = await place('leftHand'), [x, y] = await screenPlace(page, 'leftHand');
    let arrow = 0;
    for (let far = 14; far < 90 && !arrow; far += 2) {
        await page.mouse.move(x, y - far);
        if (await state(() => window.limber.viewer.holdsSelection)) arrow = far;
    }
    assert.ok(arrow, 'there is no arrow up');
    await page.mouse.down();
    await page.mouse.move(x + 25, y - arrow - 30, { steps: 5 });
    await page.mouse.up();
    await settled();
    const after = await place('leftHand');
    assert.ok(after[1] - before[1] > 0.05, `the hand went ${after[1] - before[1]} m up`);
    assert.ok(Math.abs(after[2] - before[2]) < 0.02 && Math.abs(after[0] - before[0]) < 0.02, `the hand went aside: ${before} to ${after}`);
    assert.equal(await step(), 'pose leftHand');
});

await test('an elbow swings while the hand stays', async () => {
    await page.getByLabel('What moves').selectOption('3');
    await choose('leftLowerArm');
    await drawn(page);
    const [hand, elbow] = [await place('leftHand'), await place('leftLowerArm')];
    const [x, y] = await screenPlace(page, 'leftLowerArm');
    await drag(page, [x, y], [x, y - 120]);
    await settled();
    assert.ok(off(await place('leftHand'), hand) < 1e-3, `the hand goes ${off(await place('leftHand'), hand)} m`);
    assert.ok((await place('leftLowerArm'))[1] > elbow[1] + 0.01, `the elbow went from ${elbow} to ${await place('leftLowerArm')}`);
    await page.getByLabel('What moves').selectOption('0');
});

await test('sides are exchanged, and put on each other', async () => {
    const [left, right] = [await place('leftHand'), await place('rightHand')];
    await page.click('.panel button:text-is("Right onto left")');
    await settled();
    const other = await place('leftHand');
    assert.ok(off(other, left) > 0.02 && off(other, [-right[0], right[1], right[2]]) < 0.08);
    assert.equal(await step(), 'right onto left');
});

await test('a pose is kept with a picture, and put on again', async () => {
    const kept = await place('leftHand');
    await page.click('.panel button:text-is("Keep this pose")');
    await page.click('.panel button:text-is("Rest pose")');
    await settled();
    assert.ok(off(await place('leftHand'), kept) > 0.02);
    const picture = page.locator('.poses img');
    assert.ok((await picture.getAttribute('src')).length > 500);
    await page.click('.poses button:has-text("Pose 1")');
    await settled();
    assert.ok(off(await place('leftHand'), kept) < 1e-3, 'another pose was put on');
    assert.equal(await step(), 'pose: Pose 1');
    await page.click('.poses button[aria-label="Forget Pose 1"]');
    assert.equal(await picture.count(), 0);
});

const clip = () => state(() => {
    const { player } = window.limber.viewer;
    return { name: player.clip?.name, duration: Number(player.duration.toFixed(3)), keys: [...new Set(player.clip?.tracks.flatMap(({ times }) => [...times].map((time) => Number(time.toFixed(3)))))].sort((a, b) => a - b) };
});
const pressed = async (selector) => {
    await page.click(selector);
    await settled();
    await idle(page);
    await drawn(page);
};
async function cursorAt(time) {
    const { x, y, width } = await page.locator('.strip').boundingBox();
    const span = Math.max(2, 1.25 * (await clip()).duration);
    await page.mouse.click(x + (width * time) / span, y + 3);
    await drawn(page);
}

await test('keys are set, between which the module moves the character', async () => {
    await page.click('.panel button:text-is("Rest pose")');
    await settled();
    await choose('leftUpperArm');
    const low = await place('leftHand');
    await pressed('.keys button:text-is("New clip of keys")');
    assert.deepEqual(await clip(), { name: 'keys 1', duration: 0, keys: [0] });
    await cursorAt(0.5);
    await degrees('Z').fill('60');
    await degrees('Z').press('Enter');
    await settled();
    const high = await place('leftHand');
    await pressed('.keys button:text-is("Set key")');
    await pressed('.keys button:text-is("Close the loop")');
    assert.deepEqual(await clip(), { name: 'keys 1', duration: 0.75, keys: [0, 0.5, 0.75] });
    for (const [time, where] of [[0, low], [0.5, high], [0.75, low]]) {
        await state((at) => window.limber.viewer.player.seek(at), time);
        await drawn(page);
        assert.ok(off(await place('leftHand'), where) < 1e-3, `at ${time} s`);
    }
    await state(() => window.limber.viewer.player.seek(0.25));
    await drawn(page);
    const between = await place('leftHand');
    assert.ok(off(between, low) > 0.1 && off(between, high) > 0.1, 'nothing moves between keys');
    assert.deepEqual(await violations(page), []);
});

/** A curve passes through the second key as steeply as its handle says, still when another key was moved, until it is smoothed. */
async function eased() {
    const after = async () => {
        await state(() => window.limber.viewer.player.seek(0.6));
        await drawn(page);
        const where = await place('leftHand');
        await state(() => window.limber.viewer.player.seek(Math.fround(0.533)));
        await drawn(page);
        return where;
    };
    const handle = page.locator('.curves .handle[aria-label^="Z goes from key 2"]');
    let said = '';
    const says = async (pattern) => {
        await until(async () => pattern.test((said = await handle.getAttribute('aria-label', { timeout: 1000 }).catch(() => 'no handle'))), `expected ${pattern}`).catch((error) => assert.fail(`${error.message}, found "${said}"`));
    };
    const before = await after();
    await says(/ at -?0 degrees a second/);
    await handle.focus();
    await page.keyboard.press('ArrowUp');
    await says(/ at 15 degrees/);
    await idle(page);
    assert.equal(await step(), 'key eased at 0.53 s');
    const { x, y, width, height } = await handle.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2 - 20, { steps: 4 });
    await page.mouse.up();
    await says(/ at (\d{3,}) degrees/);
    await idle(page);
    const high = await after();
    assert.ok(high[1] > before[1] + 0.01, `the hand is at ${high[1]}, it was at ${before[1]}`);
    await page.locator('.key >> nth=2').focus();
    await page.keyboard.press('ArrowRight');
    await until(async () => (await clip()).duration > 0.76, 'the last key does not move');
    await idle(page);
    await after();
    await says(/ at (\d{3,}) degrees/);
    await page.check('label:has-text("Break handles") input');
    const other = page.locator('.curves .handle[aria-label^="Z comes to key 2"]');
    const kept = (await other.getAttribute('aria-label')).match(/at (-?\d+) degrees/)[1];
    const gone = said.match(/at (-?\d+) degrees/)[1];
    await other.focus();
    await page.keyboard.press('ArrowUp');
    await until(async () => new RegExp(`at ${+kept + 15} degrees`).test(await other.getAttribute('aria-label').catch(() => '')), 'the handle before the key does not move');
    await says(new RegExp(`at ${gone} degrees`));
    await idle(page);
    await page.uncheck('label:has-text("Break handles") input');
    await handle.focus();
    await page.keyboard.press('Delete');
    await says(/ at -?0 degrees a second/);
    await idle(page);
}

await test('keys are moved, bent in the curves, stepped, dropped, by keys of the keyboard too', async () => {
    await page.locator('.key >> nth=1').focus();
    await page.keyboard.press('ArrowRight');
    await until(async () => (await clip()).keys[1] === 0.533, 'the key does not move');
    await idle(page);
    await page.waitForSelector('.curves .point');
    const points = page.locator('.curves .point[aria-label^="Z at key 2"]');
    await until(async () => (await points.getAttribute('aria-label')).includes(': 60 degrees'), 'the curve has another angle');
    await points.focus();
    await page.keyboard.press('ArrowUp');
    await until(async () => (await points.getAttribute('aria-label').catch(() => '')).includes(': 65 degrees'), 'the curve was not bent');
    await idle(page);
    assert.equal(await step(), 'key bent at 0.53 s');
    await eased();
    await page.getByLabel('Between keys').selectOption('step');
    await until(async () => (await step()) === 'keys: step', 'keys do not step');
    await idle(page);
    await state(() => window.limber.viewer.player.seek(0.3));
    await drawn(page);
    const held = await place('leftHand');
    await state(() => window.limber.viewer.player.seek(0));
    await drawn(page);
    assert.ok(off(held, await place('leftHand')) < 1e-5, 'something moves between steps');
    await page.locator('.key >> nth=1').focus();
    await page.keyboard.press('Delete');
    await until(async () => (await clip()).keys.length === 2, 'the key is still there');
    await idle(page);
    await page.keyboard.press('Control+z');
    await idle(page);
    await drawn(page);
    assert.equal((await clip()).keys.length, 3, 'undo does not bring it back');
    const info = await state(() => window.limber.session.current.info.clips.map(({ name }) => name));
    assert.deepEqual(info, ['keys 1', 'walk']);
});

await test('a shell that repeats the log makes the same clips of keys', async () => {
    const lines = await state(() => window.limber.session.log.value.map(({ line }) => line));
    const made = lines.filter((line) => /^limber animate .*[.]keys -o /.test(line));
    // Begun, set, closed, moved, bent, eased three times and smoothed, moved, stepped, dropped.
    assert.ok(made.length >= 10, made.join('\n'));
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    for (const line of lines) repeat(line, folder);
    const hashes = await state(() => {
        const snapshots = [...new Set(window.limber.session.history.contents.moments.map(({ snapshot }) => snapshot))];
        return Promise.all(snapshots.map(async ({ file, glb }) => [file, [...new Uint8Array(await crypto.subtle.digest('SHA-256', glb))]]));
    });
    const hash = (name) => [...createHash('sha256').update(fs.readFileSync(path.join(folder, name))).digest()];
    for (const [name, bytes] of hashes) assert.deepEqual(hash(name), bytes, name);
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
