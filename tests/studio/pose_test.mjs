// Joints in the user's hands: what a drag does to the rest of the body, and what undo takes back.
import assert from 'node:assert/strict';
import { drag, drawn, finish, idle, openStudio, openTab, screenPlace, test, until } from './studio.mjs';

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

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
