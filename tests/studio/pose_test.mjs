// Joints in the user's hands: what a drag does to the rest of the body, and what undo takes back.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drag, drawn, finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, until, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);

/** From each joint to the scene, column-major. */
function matrices() {
    return state(() => Object.fromEntries(window.limber.viewer.character.value.joints.map(({ name, node }) => {
        node.updateWorldMatrix(true, false);
        return [name, [...node.matrixWorld.elements]];
    })));
}

function turned(a, b) {
    const trace = [0, 1, 2, 4, 5, 6, 8, 9, 10].reduce((sum, k) => sum + a[k] * b[k], 0);
    return (Math.acos(Math.max(-1, Math.min(1, (trace - 1) / 2))) * 180) / Math.PI;
}

await openTab(page, 'Rig');
await page.click('.panel button.primary');
await idle(page);

await test('hips that are dragged down bend the knees, and the trunk stays upright', async () => {
    await openTab(page, 'Pose');
    await page.keyboard.press('1');
    await drawn(page);
    const before = await matrices();
    const [, low] = await screenPlace(page, 'leftFoot');
    const [x, y] = await screenPlace(page, 'hips');
    await drag(page, [x, y], [x, y + 0.4 * (low - y)]);
    const after = await matrices();
    const moved = (name) => after[name].slice(12, 15).map((value, axis) => value - before[name][12 + axis]);
    assert.ok(moved('hips')[1] < -0.1, `the hips went ${moved('hips')[1]} m`);
    for (const name of ['hips', 'chest']) assert.ok(turned(before[name], after[name]) < 10, `the ${name} tipped by ${turned(before[name], after[name])} degrees`);
    for (const name of ['leftLowerLeg', 'rightLowerLeg']) assert.ok(moved(name)[2] > 0.1, `${name} came ${moved(name)[2]} m forward`);
    for (const name of ['leftFoot', 'rightFoot']) assert.ok(Math.hypot(...moved(name)) < 0.005, `${name} slid ${Math.hypot(...moved(name))} m`);
});

const undo = async () => {
    await page.keyboard.press('Control+z');
    await idle(page);
    await drawn(page);
};
const redo = async () => {
    await page.keyboard.press('Control+Shift+z');
    await idle(page);
    await drawn(page);
};
const steps = () => state(() => window.limber.session.history.step);
const clips = () => state(() => window.limber.viewer.character.value.clips.map(({ name }) => name));

/** The farthest that a joint is from where it was, in metres. */
function apart(a, b) {
    return Math.max(...Object.keys(a).map((name) => Math.hypot(...[12, 13, 14].map((k) => a[name][k] - b[name][k]))));
}

await test('undo takes back one drag after the other, redo does them again', async () => {
    const low = await matrices();
    const [x, y] = await screenPlace(page, 'leftHand');
    await drag(page, [x, y], [x - 20, y - 40]);
    const both = await matrices();
    assert.ok(apart(low, both) > 0.1, 'the hand was not dragged');
    await undo();
    assert.ok(apart(await matrices(), low) < 1e-4, 'undo did not bring the pose before the drag back');
    await undo();
    const first = await matrices();
    assert.ok(apart(first, low) > 0.1, 'the second undo did not take the hips back');
    assert.equal(await steps(), 'rig');
    await redo();
    assert.ok(apart(await matrices(), low) < 1e-4);
    await redo();
    assert.ok(apart(await matrices(), both) < 1e-4);
    assert.equal(await steps(), 'pose leftHand');
});

await test('undo in Pose keeps the clips, and shows the moment that was seen', async () => {
    await openTab(page, 'Animate');
    await page.click('.panel button:text-is("Walk")');
    await idle(page);
    await openTab(page, 'Pose');
    await page.evaluate(() => window.limber.viewer.player.seekFrame(10));
    await drawn(page);
    const walking = await matrices();
    const [x, y] = await screenPlace(page, 'rightHand');
    await drag(page, [x, y], [x + 15, y - 40]);
    const posed = await matrices();
    assert.ok(apart(walking, posed) > 0.1, 'the hand was not dragged');
    await undo();
    assert.deepEqual(await clips(), ['walk']);
    assert.ok(apart(await matrices(), walking) < 1e-4, 'undo does not show the frame that was seen');
    await redo();
    await page.fill('.panel input[type=text]', 'hail');
    await page.click('.panel button:has-text("Keep as a clip")');
    await page.waitForFunction(() => window.limber.session.current.step === 'pose: hail');
    await idle(page);
    assert.deepEqual(await clips(), ['hail', 'walk']);
    await page.keyboard.press('Escape');
    await undo();
    assert.deepEqual(await clips(), ['walk']);
    assert.ok(apart(await matrices(), posed) < 1e-3, 'undo of the clip threw the pose away');
});

await test('a pose tells how high it is, and is put on the floor', async () => {
    await openTab(page, 'Animate');
    await page.click('.panel button:text-is("Jump")');
    await idle(page);
    const file = await state(() => window.limber.session.current.file);
    await openTab(page, 'Pose');
    const highest = await state(() => {
        const { viewer } = window.limber, { player } = viewer;
        let best = [0, -1];
        for (let frame = 0; frame <= player.frames; ++frame) {
            player.seekFrame(frame);
            viewer.stage.scene.updateMatrixWorld();
            const height = viewer.bones.character.joints[0].node.matrixWorld.elements[13];
            if (height > best[1]) best = [frame, height];
        }
        player.seekFrame(best[0]);
        return best[1];
    });
    const said = () => page.textContent('.panel .row:has(button:text-is("Put on the floor")) [role=status]');
    await until(async () => /^\d+\.\d cm over the floor\.$/.test(await said()), 'no height is told');
    const over = Number((await said()).match(/[\d.]+/)[0]) / 100, inTheAir = await matrices();
    assert.ok(over > 0.05, `it is ${over} m over the floor`);
    await page.click('.panel button:text-is("Put on the floor")');
    await until(async () => (await said()) === 'It stands on the floor.', 'it does not stand there');
    const down = await matrices();
    for (const name of ['hips', 'head', 'leftFoot']) assert.ok(Math.abs(inTheAir[name][13] - over - down[name][13]) < 0.001, `${name} went from ${inTheAir[name][13]} to ${down[name][13]} of ${highest}`);
    await undo();
    assert.ok(apart(await matrices(), inTheAir) < 1e-4);
    await undo();
    assert.notEqual(await state(() => window.limber.session.current.file), file);
});

await test('the floor is where a character stands that its file has higher', async () => {
    const other = await studio.page({});
    repeat('limber sample humanoid --seed 3 --triangles 2000 --rigged -o high.gltf', work);
    const gltf = JSON.parse(fs.readFileSync(path.join(work, 'high.gltf'), 'utf8'));
    gltf.nodes[gltf.scenes[0].nodes[0]].translation = [0, 1, 0];
    await openFile(other, 'high.gltf', JSON.stringify(gltf));
    await openTab(other, 'Pose');
    const said = () => other.textContent('.panel .row:has(button:text-is("Put on the floor")) [role=status]');
    await until(async () => (await said()) !== '', 'no height is told');
    assert.equal(await said(), 'It stands on the floor.');
    assert.ok(Math.abs((await other.evaluate(() => window.limber.viewer.stage.floor.height)) - 1) < 0.01);
    await other.context().close();
});

await test('a correction of the rig that was undone does not come back', async () => {
    await openTab(page, 'Rig');
    await page.keyboard.press('1');
    await drawn(page);
    const [x, y] = await screenPlace(page, 'leftLowerArm');
    await drag(page, [x, y], [x + 12, y]);
    await page.waitForFunction(() => window.limber.session.log.value.some(({ line }) => line.includes('--marker')));
    await idle(page);
    assert.equal(await page.isVisible('.panel :text("Joints put by hand")'), true);
    await undo();
    assert.equal(await page.isVisible('.panel :text("Joints put by hand")'), false);
    await page.click('.panel button.primary');
    await idle(page);
    assert.doesNotMatch(await state(() => window.limber.session.log.value.findLast(({ line }) => line.startsWith('limber rig')).line), /--marker/);
    await undo();
    await redo();
    assert.equal(await page.isVisible('.panel :text("Joints put by hand")'), false);
});

await test('undo of paint takes the stroke and leaves the joint, however soon', async () => {
    await openTab(page, 'Weights');
    await page.click('.panel [role=treeitem]:has-text("leftUpperArm")');
    await page.click('.panel label:has-text("Paint the chosen joint")');
    await drawn(page);
    const before = await state(() => window.limber.session.current.file);
    const weights = () => state(() => {
        const { viewer } = window.limber;
        return [...(viewer.character.value.meshes[0].geometry.attributes.color?.array ?? [])].reduce((sum, x) => sum + x, 0);
    });
    const [x, y] = await screenPlace(page, 'spine');
    const unpainted = await weights();
    await drag(page, [x - 6, y], [x + 6, y], 6);
    assert.ok(Math.abs((await weights()) - unpainted) > 0.5, 'nothing was painted');
    await undo();
    assert.equal(await state(() => window.limber.session.current.file), before, 'undo took back what was before the stroke');
    assert.equal(await page.textContent('.panel [role=treeitem][aria-selected=true]'), 'leftUpperArm');
    // Colours come in slices.
    await until(async () => Math.abs((await weights()) - unpainted) < 1e-3, 'the paint is there still');
    await redo();
    assert.equal(await steps(), 'paint leftUpperArm');
    await until(async () => Math.abs((await weights()) - unpainted) > 0.5, 'redo did not paint again');
    assert.equal(await page.textContent('.panel [role=treeitem][aria-selected=true]'), 'leftUpperArm');
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
