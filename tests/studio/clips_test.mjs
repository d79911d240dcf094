// The clip on show in an artist's hands: trimmed, retimed, renamed, turned round, closed, deleted; each a step of the history
// and a line that a shell repeats to the same bytes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, exported, finish, idle, openStudio, openTab, repeat, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1000, height: 700, hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);
const clips = () => state(() => window.limber.viewer.character.value.clips.map(({ name, duration }) => [name, duration]));
const section = page.locator('.panel section.clip');
const press = (label) => section.locator(`button:text-is("${label}")`).click();
/** Where the left foot is to the hips at a time of the clip on show. */
const foot = (time) => state((at) => {
    const { viewer } = window.limber;
    viewer.player.play(false);
    viewer.player.seek(at);
    viewer.stage.scene.updateMatrixWorld();
    const [hips, foot] = ['hips', 'leftFoot'].map((name) => viewer.character.value.joints[viewer.character.value.jointIndex(name)].node.matrixWorld.elements.slice(12, 15));
    return foot.map((value, axis) => value - hips[axis]);
}, time);
const near = (a, b, within = 0.02) => assert.ok(Math.hypot(...a.map((value, k) => value - b[k])) < within, `${a} and ${b}`);
async function does(step, act) {
    await act();
    await until(() => state((name) => window.limber.session.history.step === name, step), `there is no step "${step}"`);
    await idle(page);
    await drawn(page);
}
const undo = async () => {
    await page.keyboard.press('Control+z');
    await idle(page);
};

await page.click('.guide button:text-is("Rig and walk")');
await idle(page);
await openTab(page, 'Animate');
await page.click('.panel button:text-is("Run")');
await idle(page);
await page.click('section:has(> h3:text-is("Clips")) button:has-text("walk")');
const [, [, length]] = await clips();

await test('a part is kept, in place of the whole', async () => {
    await section.waitFor();
    const begins = await foot(0.2), ends = await foot(0.7);
    await foot(0.2);
    await section.locator('[aria-label="From the moment on show"]').click();
    await section.getByLabel('To, s').fill('0.7');
    await does('trim walk', () => press('Trim'));
    assert.deepEqual((await clips()).map(([name]) => name), ['walk', 'run']);
    assert.ok(Math.abs((await clips())[0][1] - 0.5) < 0.02, `${await clips()}`);
    near(await foot(0), begins);
    near(await foot(0.5), ends);
    assert.deepEqual(await violations(page), []);
    await undo();
    assert.deepEqual((await clips())[1], ['walk', length]);
});

await test('it is retimed and turned round', async () => {
    await page.click('section:has(> h3:text-is("Clips")) button:has-text("walk")');
    const early = await foot(0.2), late = await foot(length - 0.2);
    assert.ok(Math.hypot(...early.map((value, k) => value - late[k])) > 0.1, 'the foot hardly moves');
    await section.getByLabel('Times as fast').fill('2');
    await does('retime walk', () => press('Retime'));
    assert.ok(Math.abs((await clips())[0][1] - length / 2) < 0.02, `${await clips()}`);
    near(await foot(0.1), early);
    await does('reverse walk', () => press('Reverse'));
    near(await foot((await clips())[0][1] - length / 2 + 0.1), late, 0.04);
});

await test('it gets a name, and sides are exchanged', async () => {
    await does('rename walk', async () => {
        await section.getByLabel('Name of the clip').fill('back = fast');
        await page.keyboard.press('Enter');
    });
    assert.deepEqual((await clips()).map(([name]) => name), ['back - fast', 'run']);
    assert.equal(await section.getByLabel('Name of the clip').inputValue(), 'back - fast');
    await section.getByLabel('Name of the clip').fill('run');
    await page.keyboard.press('Enter');
    await until(() => page.isVisible('.notice.error'), 'two clips have one name');
    await idle(page);
    await page.keyboard.press('Escape');
    const left = await foot(0.1);
    await does('mirror back - fast', () => press('Mirror'));
    const [x, y, z] = await foot(0.1 + length / 4);
    near([x, y, z], left, 0.06);
});

await test('a shell makes the same bytes, and a link does it again', async () => {
    const ours = await exported(page);
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    const { moments, lines } = await state(() => ({ moments: window.limber.session.history.contents.moments.map(({ snapshot }) => snapshot.file), lines: window.limber.session.log.value.filter(({ code }) => code === 0).map(({ line }) => line) }));
    for (const line of lines) repeat(line, folder);
    assert.ok(ours.equals(fs.readFileSync(path.join(folder, moments.at(-1)))));
    assert.match(await state(() => window.limber.session.link), /clean/);
});

await test('it is deleted, and the next one is on show', async () => {
    await openTab(page, 'Animate');
    await does('delete back - fast', () => press('Delete'));
    assert.deepEqual((await clips()).map(([name]) => name), ['run']);
    assert.equal(await state(() => window.limber.viewer.player.clip?.name), 'run');
    await does('close the loop run', () => press('Close the loop'));
    const [[, seconds]] = await clips();
    near(await foot(0), await foot(seconds), 0.03);
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
