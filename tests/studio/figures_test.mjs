// A file of several figures with a clip each: all of them move at once, or one alone; also after a reload, and by hand.
import assert from 'node:assert/strict';
import path from 'node:path';
import { makeCrowd } from './crowd.mjs';
import { drag, drawn, finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, until, work } from './studio.mjs';

const figures = 3;
const file = makeCrowd(figures, 600, { clipEach: true });
const studio = await openStudio();
const page = await studio.page({ width: 900, height: 640 });
const state = (read, given) => page.evaluate(read, given);
const clip = () => state(() => window.limber.viewer.player.clip?.name ?? null);

/** The rotation of each figure's left thigh at a time of the clip on show. */
const thighs = (time) => state(([count, at]) => {
    const { viewer } = window.limber, { joints } = viewer.character.value;
    viewer.player.play(false);
    if (at !== null) viewer.player.seek(at);
    return Array.from({ length: count }, (_, k) => joints[viewer.character.value.jointIndex(`leftUpperLeg ${k}`)].node.quaternion.toArray());
}, [figures, time]);
const far = (a, b) => a.map((rotation, k) => 1 - Math.abs(rotation.reduce((sum, value, axis) => sum + value * b[k][axis], 0)));
const choose = (name) => page.click(`section:has(> h3:text-is("Clips")) button:has(.name:text-is("${name}"))`);

await openFile(page, path.join(work, file));
await openTab(page, 'Animate');

await test('all figures move at once, each by its own clip, the shorter one again and again', async () => {
    assert.equal(await clip(), 'all together');
    const lengths = await state(() => window.limber.viewer.character.value.clips.map(({ name, duration }) => [name, duration]));
    assert.deepEqual(lengths.map(([name]) => name), ['walk 0', 'run 1', 'walk 2']);
    const [[, walk], [, run]] = lengths;
    assert.ok(run < 0.9 * walk, `${run} s and ${walk} s`);
    const time = run + 0.1, all = await thighs(time);
    for (const [k, name] of lengths.map(([name]) => name).entries()) {
        await choose(name);
        const alone = await thighs(k === 1 ? time - run : time);
        const off = far(all, alone);
        assert.ok(off[k] < 1e-5, `figure ${k} is off by ${off}`);
        assert.ok(off.some((one) => one > 1e-4), 'one clip moves all');
    }
    assert.equal(await state(() => window.limber.viewer.character.value.clips.length), figures, 'the file has other clips');
});

await test('a reload shows the same moment, and a hand takes over from it', async () => {
    await choose('all together');
    const before = await thighs(0.2);
    await until(() => state(() => window.limber.keeper.state.value === 'kept'), 'it is not kept');
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    await idle(page);
    assert.equal(await clip(), 'all together');
    assert.ok(far(await thighs(null), before).every((one) => one < 1e-5), 'another moment');
    await openTab(page, 'Pose');
    await drawn(page);
    const [x, y] = await screenPlace(page, 'leftHand 0');
    await drag(page, [x, y], [x, y - 20]);
    const off = far(await thighs(null), before);
    assert.ok(off.slice(1).every((one) => one < 1e-4), `other figures went elsewhere: ${off}`);
    await page.keyboard.press('Control+z');
    await idle(page);
    await drawn(page);
    assert.equal(await clip(), 'all together', 'undo shows another clip');
    assert.ok(far(await thighs(null), before).every((one) => one < 1e-5), 'undo shows another moment');
});

await test('the second clip of one goes with the last of the others', async () => {
    repeat(`limber clean ${file} --clip 0 --reverse --name back -o two.glb`, work);
    await openFile(page, path.join(work, 'two.glb'));
    await openTab(page, 'Animate');
    const time = 0.2;
    // The new clip comes before the one that it was made of.
    for (const [together, first] of [['all together', 'back'], ['all together 2', 'walk 0']]) {
        await choose(together);
        const all = await thighs(time);
        for (const [k, name] of [first, 'run 1', 'walk 2'].entries()) {
            await choose(name);
            const off = far(all, await thighs(time));
            assert.ok(off[k] < 1e-5, `${together}: figure ${k} is off by ${off}`);
        }
    }
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
