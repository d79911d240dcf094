// The made motions of the page: searched, tried on the character while one is pointed at, kept by a click, with sliders;
// those of the body that is there.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { bytesOf, finish, idle, openStudio, openTab, repeat, test, until, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1100, height: 800, hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);
const playing = () => state(() => [window.limber.viewer.player.clip?.name ?? null, window.limber.viewer.player.playing]);
const titles = () => page.locator('.panel ul[aria-label="Made motions"] .name').allTextContents();
const row = (title) => page.locator('.panel ul[aria-label="Made motions"] button', { has: page.locator(`.name:text-is("${title}")`) });
const clips = () => state(() => (window.limber.session.current.info.clips ?? []).map((clip) => clip.name));

async function rig(kind) {
    await page.selectOption('select[aria-label="Try a sample"]', kind);
    await until(() => state((kind) => window.limber.session.current?.title.startsWith(kind), kind), `there is no ${kind}`);
    await idle(page);
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await until(() => state(() => window.limber.session.isRigged), `the ${kind} is not rigged`);
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

await test('favourites come first, over a reload too', async () => {
    const list = page.locator('.panel ul[aria-label="Made motions"]');
    const star = (title) => list.locator(`[aria-label="${title}: a favourite"]`);
    await page.fill('input[aria-label="Search made motions"]', '');
    const usual = await titles();
    assert.notEqual(usual[0], 'Bow');
    await star('Bow').click();
    assert.equal((await titles())[0], 'Bow');
    assert.equal(await star('Bow').getAttribute('aria-pressed'), 'true');
    assert.deepEqual(await violations(page), []);
    await until(() => state(() => window.limber.keeper.state.value === 'kept'), 'it is not kept');
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    await openTab(page, 'Animate');
    await until(async () => (await titles())[0] === 'Bow', 'the favourite is forgotten');
    await star('Bow').click();
    await until(async () => (await titles()).join() === usual.join(), 'the favourite stays one');
});

await test('what is pointed at is tried on the character, and leaves nothing behind', async () => {
    await page.fill('input[aria-label="Search made motions"]', 'bow');
    const before = await state(() => window.limber.session.current.file), was = await playing();
    await row('Bow').hover();
    await until(async () => (await playing())[0] === 'bow', 'the bow is not tried');
    assert.deepEqual(await playing(), ['bow', true]);
    const tried = () => state(() => window.limber.viewer.player.clip.uuid), first = await tried();
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
    // The next one has joints elsewhere.
    await rig('humanoid');
    await row('Bow').hover();
    await until(async () => (await playing())[0] === 'bow', 'the bow is not tried on the next one');
    assert.notEqual(await tried(), first, 'the next one is shown what was made for the first');
    await page.mouse.move(900, 700);
    await until(async () => (await playing())[0] === null, 'the try does not end');
});

await test('a click keeps it, with what the sliders say', async () => {
    await page.getByRole('slider', { name: 'Tempo of others' }).fill('2');
    const space = page.getByRole('slider', { name: 'Arm space' });
    await space.focus();
    for (let k = 0; k < 10; ++k) await page.keyboard.press('ArrowRight');
    assert.deepEqual(await page.locator('.field.sliding:has-text("Tempo of others") output, .field.sliding:has-text("Arm space") output').allTextContents(), ['× 2.0', '10°']);
    assert.equal(await space.getAttribute('aria-valuetext'), '10°');
    await page.getByLabel('Mirror left and right').check();
    await row('Bow').click();
    await idle(page);
    await until(async () => (await clips()).includes('bow'), 'there is no clip of a bow');
    const line = await state(() => window.limber.session.log.value.at(-1).line);
    for (const option of ['animate', ' bow ', '--speed 2', '--arm-space 10', '--mirror']) assert.ok(line.includes(option), `${line} has no ${option}`);
    assert.ok(Math.abs((await state(() => window.limber.viewer.player.duration)) - 1.5) < 0.05, 'the tempo does nothing');
});

await test('a wave is laid over a walk, and a shell makes the same bytes', async () => {
    const section = page.locator('.panel section', { has: page.locator('h3:text-is("Layers")') });
    assert.equal(await section.isVisible(), false, 'one clip is nothing to lay over another');
    await page.getByLabel('Mirror left and right').uncheck();
    for (const name of ['Wave', 'Walk']) {
        await page.click(`.panel .grid3 button:text-is("${name}")`);
        await idle(page);
    }
    await section.getByLabel('With').selectOption('wave');
    await section.getByLabel('Part').selectOption('right arm');
    const before = { file: await state(() => window.limber.session.current.file), glb: await bytesOf(page) };
    await section.locator('button:text-is("Make a new clip")').click();
    await idle(page);
    assert.equal(await state(() => window.limber.viewer.player.clip.name), 'walk and wave');
    // What plays is drawn on and on.
    await state(() => window.limber.viewer.player.play(false));
    const line = await state(() => window.limber.session.log.value.at(-1).line);
    fs.writeFileSync(path.join(work, before.file), before.glb);
    repeat(line, work);
    const ours = await bytesOf(page);
    assert.ok(ours.equals(fs.readFileSync(path.join(work, line.match(/-o (\S+)$/)[1]))), line);
    /** How high a joint gets in a clip. */
    const highest = (clip, joint) => state(([clip, joint]) => {
        const { viewer } = window.limber, { joints, clips } = viewer.character.value;
        viewer.player.select(clips.find(({ name }) => name === clip));
        let most = -Infinity;
        for (let k = 0; k <= 40; ++k) {
            viewer.player.seek((k / 40) * viewer.player.duration);
            const { node } = joints.find(({ name }) => name === joint);
            node.updateWorldMatrix(true, false);
            most = Math.max(most, node.matrixWorld.elements[13]);
        }
        return most;
    }, [clip, joint]);
    assert.ok((await highest('walk and wave', 'rightHand')) > (await highest('walk', 'rightHand')) + 0.3, 'the right hand does not wave');
    assert.ok(Math.abs((await highest('walk and wave', 'leftFoot')) - (await highest('walk', 'leftFoot'))) < 0.03, 'the feet do not walk');
    await section.getByLabel('How').selectOption('after');
    assert.equal(await section.getByLabel('Weight').isVisible(), false);
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

await test('what is asked of one character is not answered of the next', async () => {
    const asked = await state(async () => {
        const { session, hand } = window.limber, how = (promise) => promise.then(() => 'answered', (error) => error.message);
        const snake = await hand.open(), before = await how(hand.live(snake, 'motionBody'));
        const late = how(hand.open().then((shape) => hand.live(shape, 'body')));
        await session.undo();
        await late;
        return [before, await how(hand.live(snake, 'motionBody')), await how(hand.open()), session.notice.value];
    });
    assert.deepEqual(asked, ['answered', 'another character came', 'answered', null]);
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
