// The made motions of the page: searched, tried on the character while one is pointed at, kept by a click, with sliders;
// those of the body that is there.
import assert from 'node:assert/strict';
import { finish, idle, openStudio, openTab, test, until } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1100, height: 800, hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);
const playing = () => state(() => [window.limber.viewer.player.clip?.name ?? null, window.limber.viewer.player.playing]);
const titles = () => page.locator('.panel ul[aria-label="Made motions"] .name').allTextContents();
const row = (title) => page.locator('.panel ul[aria-label="Made motions"] button', { has: page.locator(`.name:text-is("${title}")`) });
const clips = () => state(() => (window.limber.session.current.info.clips ?? []).map((clip) => clip.name));

async function rig(kind) {
    await page.selectOption('select[aria-label="Try a sample"]', kind);
    await idle(page);
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    await openTab(page, 'Animate');
}

await test('a search finds motions by title and tag', async () => {
    await rig('humanoid');
    await until(async () => (await titles()).length >= 60, 'fewer than 60 motions are listed');
    await page.fill('input[aria-label="Search made motions"]', 'greeting polite');
    assert.deepEqual(await titles(), ['Bow']);
    await page.fill('input[aria-label="Search made motions"]', 'xyzzy');
    assert.deepEqual(await titles(), []);
    assert.ok(await page.isVisible('.panel p:text("None has all of these words")'));
});

await test('what is pointed at is tried on the character, and leaves nothing behind', async () => {
    await page.fill('input[aria-label="Search made motions"]', 'bow');
    const before = await state(() => window.limber.session.current.file), was = await playing();
    await row('Bow').hover();
    await until(async () => (await playing())[0] === 'bow', 'the bow is not tried');
    assert.deepEqual(await playing(), ['bow', true]);
    const head = () => state(() => {
        const { joints } = window.limber.viewer.character.value, { node } = joints[window.limber.viewer.character.value.jointIndex('head')];
        return node.getWorldPosition(node.position.clone()).z;
    });
    await state(() => window.limber.viewer.player.play(false));
    await state(() => window.limber.viewer.player.seek(0));
    const upright = await head();
    await state(() => window.limber.viewer.player.seek(1.3));
    assert.ok((await head()) > upright + 0.15, 'the head does not go ahead in a bow');
    await page.mouse.move(900, 700);
    await until(async () => (await playing())[0] === was[0], 'the try does not end');
    assert.equal(await state(() => window.limber.session.current.file), before, 'a try became a step');
    assert.deepEqual(await clips(), []);
});

await test('a click keeps it, with what the sliders say', async () => {
    await page.getByLabel('Tempo of others').fill('2');
    await page.getByLabel('Arm space, degrees').fill('10');
    await page.getByLabel('Mirror left and right').check();
    await row('Bow').click();
    await idle(page);
    await until(async () => (await clips()).includes('bow'), 'there is no clip of a bow');
    const line = await state(() => window.limber.session.log.value.at(-1).line);
    for (const option of ['animate', ' bow ', '--speed 2', '--arm-space 10', '--mirror']) assert.ok(line.includes(option), `${line} has no ${option}`);
    assert.ok(Math.abs((await state(() => window.limber.viewer.player.duration)) - 1.5) < 0.05, 'the tempo does nothing');
});

await test('an animal has its own', async () => {
    await page.fill('input[aria-label="Search made motions"]', '');
    await rig('snake');
    await until(async () => (await titles()).includes('Slither'), 'a snake does not slither');
    assert.ok(!(await titles()).includes('Bow'));
    await row('Slither').click();
    await idle(page);
    await until(async () => (await clips()).includes('snake-slither'), 'there is no clip of a snake');
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
