// "Try your character": steered by keys and by buttons it walks straight over ramp and stairs, falls and gets up; leaving
// it leaves nothing behind.
import assert from 'node:assert/strict';
import { drawn, finish, idle, openStudio, openTab, screenPlace, test, until, violations } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 700, height: 480 });
const state = (read, given) => page.evaluate(read, given);
const hips = () => state(() => [...window.limber.viewer.bones.position(0)]);
const phase = () => state(() => window.limber.tryout.phase.value);
const held = () => state(() => ({ ...window.limber.viewer.stage.renderer.info.memory }));
let before;

await test('one button has it stand there, to be steered', async () => {
    await state(() => window.limber.session.sample('humanoid', 4, ['--pose', 't', '--triangles', '2000']));
    await openTab(page, 'Animate');
    assert.ok(await page.isDisabled('button:text-is("Try your character")'), 'a mesh without joints walks');
    await page.click('.guide button:text-is("Rig and walk")');
    await idle(page);
    await drawn(page);
    before = await state(() => ({ lines: window.limber.session.log.value.length, step: window.limber.session.history.step, file: window.limber.session.current.file }));
    before.held = await held();
    await page.click('button:text-is("Try your character")');
    await until(async () => (await phase()) === 'moves', 'nobody can be steered');
    await drawn(page);
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.isVisible('.timeline'), false);
    const bar = await page.locator('.trybar .hint').boundingBox();
    for (const foot of ['leftToes', 'rightToes']) {
        const [, y] = await screenPlace(page, foot);
        assert.ok(y < bar.y, `${foot} is at ${y}, and what steers lies over the picture from ${bar.y} on`);
    }
});

await test('arrows walk it ahead, up the ramp, and turn it', async () => {
    await page.keyboard.down('ArrowUp');
    await until(async () => (await hips())[2] > 3, 'it does not walk');
    const [x, y] = await hips();
    assert.ok(Math.abs(x) < 0.15, `it walks ${x} m aside`);
    await page.keyboard.down('Shift');
    assert.equal(await state(() => window.limber.tryout.pace.value), 2);
    await page.keyboard.up('Shift');
    assert.ok(y > 0.9, `its hips are ${y} m high on the ramp`);
    await page.keyboard.down('ArrowLeft');
    await until(async () => (await hips())[0] > 0.4, 'it does not turn left');
    await page.keyboard.up('ArrowLeft');
    await page.keyboard.up('ArrowUp');
    await until(async () => {
        const from = await hips();
        await page.waitForTimeout(300);
        const to = await hips();
        return Math.hypot(to[0] - from[0], to[2] - from[2]) < 0.05;
    }, 'it does not stop');
});

await test('it is let fall, and gets up', async () => {
    await page.click('.trybar button:text-is("Let it fall")');
    let lying = await hips();
    await until(async () => {
        const before = lying;
        await page.waitForTimeout(300);
        lying = await hips();
        return (await phase()) === 'lies' && Math.abs(lying[1] - before[1]) < 0.02;
    }, 'it does not lie');
    await page.keyboard.press('x');
    await until(async () => (await phase()) === 'moves', 'it does not get up');
    await until(async () => (await hips())[1] > lying[1] + 0.4, 'it does not stand');
    await page.locator('.trybar button[aria-label="Go ahead (↑)"]').focus();
    await page.keyboard.press('Enter');
    const from = await hips();
    await until(async () => Math.hypot((await hips())[0] - from[0], (await hips())[2] - from[2]) > 0.5, 'the button does not make it go');
});

await test('leaving it leaves nothing behind', async () => {
    await page.keyboard.press('Escape');
    await drawn(page);
    assert.equal(await phase(), null);
    assert.deepEqual(await state(() => [window.limber.viewer.player.clip?.name, window.limber.viewer.player.time]), ['walk', 0]);
    assert.deepEqual(await state(() => ({ lines: window.limber.session.log.value.length, step: window.limber.session.history.step, file: window.limber.session.current.file })), { lines: before.lines, step: before.step, file: before.file });
    await drawn(page);
    assert.deepEqual(await held(), before.held, 'the GPU holds more than before');
    assert.ok(await page.isVisible('.timeline'));
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
