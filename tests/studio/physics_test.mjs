// By a key what hangs swings, or the body is let go, over the clip on show; a shell repeats it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, exported, finish, idle, openStudio, openTab, repeat, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1000, height: 700 });
const state = (read, given) => page.evaluate(read, given);
const clips = () => state(() => window.limber.viewer.character.value.clips.map(({ name }) => name));
const onShow = () => state(() => window.limber.viewer.player.clip?.name ?? null);
const lines = () => state(() => window.limber.session.log.value.map(({ line }) => line));

await state(() => window.limber.session.sample('humanoid', 4, ['--pose', 't', '--triangles', '2000']));
await page.click('.guide button:text-is("Rig and walk")');
await idle(page);
await openTab(page, 'Animate');

await test('X lets it fall from the moment on show', async () => {
    const name = await onShow();
    await state(() => (window.limber.viewer.player.play(false), window.limber.viewer.player.seek(0.25)));
    await page.keyboard.press('x');
    await until(async () => (await onShow()) === `${name} fall`, 'there is no such clip');
    await idle(page);
    assert.ok((await lines()).some((line) => line.includes('--ragdoll --release 0.25')), 'the log has another line');
    // it lies: no joint of the head is as high as the hips stood
    await state(() => (window.limber.viewer.player.play(false), window.limber.viewer.player.seek(99)));
    await drawn(page);
    const head = await state(() => {
        const { joints } = window.limber.viewer.character.value;
        return window.limber.viewer.bones.position(joints.findIndex(({ name }) => name === 'head')).y;
    });
    assert.ok(head < 0.7, `its head is ${head} m high`);
    assert.deepEqual(await violations(page), []);
});

await test('S has a chosen joint swing, a step that is undone', async () => {
    const before = await clips();
    await state((name) => {
        const { viewer } = window.limber;
        viewer.selected.value = viewer.character.value.joints.findIndex((joint) => joint.name === 'leftLowerArm');
        viewer.player.select(viewer.character.value.clips.find((clip) => clip.name === name));
    }, before.find((name) => !name.endsWith('fall')));
    const name = await onShow();
    await page.keyboard.press('s');
    await until(async () => (await onShow()) === `${name} swing`, 'there is no such clip');
    await idle(page);
    assert.ok((await lines()).some((line) => line.includes('--springs --chain leftLowerArm')), 'the log has another line');
    await page.keyboard.press('Control+z');
    await until(async () => (await clips()).length === before.length, 'it stays');
    await page.keyboard.press('Control+Shift+z');
    await until(async () => (await clips()).length === before.length + 1, 'it does not come back');
    if (process.env.LIMBER_PICTURES) await page.screenshot({ path: path.join(process.env.LIMBER_PICTURES, 'physics.png') });
});

await test('what hangs swings while a clip plays, and nothing is kept of it', async () => {
    const file = await state(() => window.limber.session.current.file);
    const swings = page.getByLabel('Swings while it plays');
    /** How far the chosen joint is from where the clip has it, degrees; and one that does not hang from it. */
    const off = () => state(() => {
        const { viewer } = window.limber, { player, character, bones } = viewer, { joints } = character.value;
        const turns = ['leftLowerArm', 'rightLowerArm'].map((name) => joints.find((joint) => joint.name === name).node);
        const shown = turns.map((node) => node.quaternion.clone());
        player.seek(player.time);
        return turns.map((node, k) => (180 / Math.PI) * 2 * Math.acos(Math.min(1, Math.abs(shown[k].dot(node.quaternion)))));
    });
    await state(() => {
        const { viewer } = window.limber;
        viewer.player.select(viewer.character.value.clips.find(({ name }) => name === 'walk'));
        viewer.select(viewer.character.value.joints.findIndex((joint) => joint.name === 'leftLowerArm'));
        viewer.player.play(true);
    });
    await drawn(page);
    assert.ok(Math.max(...(await off())) < 0.1, 'it is not as the clip has it');
    await swings.check();
    let most = 0;
    await until(async () => {
        const [hangs, other] = await off();
        assert.ok(other < 0.1, `the other arm is ${other} degrees off`);
        return (most = Math.max(most, hangs)) > 3;
    }, 'nothing swings');
    await swings.uncheck();
    await drawn(page);
    await drawn(page);
    assert.ok(Math.max(...(await off())) < 0.1, 'it is not as the clip has it');
    // Nothing that swings is chosen, and the file names nothing.
    await state(() => window.limber.viewer.select(-1));
    await swings.click();
    await until(async () => !(await swings.isChecked()), 'it is still to swing');
    assert.equal(await state(() => window.limber.session.notice.value.title), 'Nothing swings');
    await state(() => window.limber.viewer.player.play(false));
    assert.equal(await state(() => window.limber.session.current.file), file);
});

await test('a shell makes the same bytes', async () => {
    const ours = await exported(page);
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    for (const line of await state(() => window.limber.session.log.value.filter(({ code }) => code === 0).map(({ line }) => line))) repeat(line, folder);
    assert.ok(ours.equals(fs.readFileSync(path.join(folder, await state(() => window.limber.session.current.file)))));
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
