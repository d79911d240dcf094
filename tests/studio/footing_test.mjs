// Whoever is at rest elsewhere than where motions put him, as meshes with their middle at 0 are, is seen whole in both, on
// the floor, and from the front; and what lies over a narrow picture keeps within it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, finish, idle, openFile, openStudio, openTab, repeat, test, until, work } from './studio.mjs';

repeat('limber sample humanoid --seed 4 --pose t --triangles 3000 -o person.obj', work);
const lowered = fs.readFileSync(path.join(work, 'person.obj'), 'utf8').replace(/^(mtllib|usemtl).*\n/gm, '')
    .replace(/^v (\S+) (\S+)/gm, (_, x, y) => `v ${x} ${(Number(y) - 0.9).toFixed(6)}`);
const studio = await openStudio();
const page = await studio.page({ width: 768, height: 1024 });
const state = (read, given) => page.evaluate(read, given);

/** Heights of the floor, of the lowest joint and of what the camera looks at, and whether every joint is in the picture. */
async function stands() {
    await drawn(page);
    return state(() => {
        const { stage, character } = window.limber.viewer;
        const joints = character.value.joints.map(({ node }) => node.getWorldPosition(stage.camera.position.clone()));
        const low = Math.min(...joints.map(({ y }) => y));
        const seen = joints.every((joint) => {
            const { x, y } = joint.project(stage.camera);
            return Math.abs(x) < 1 && Math.abs(y) < 1;
        });
        return { floor: stage.floor.height, low, aim: stage.controls.target.y, seen };
    });
}

async function standsAt(floor, what) {
    const { floor: shown, low, aim, seen } = await stands();
    assert.ok(Math.abs(shown - floor) < 0.01, `${what}: the floor is at ${shown}`);
    assert.ok(low > floor - 0.05 && low < floor + 0.15, `${what}: the lowest joint is at ${low}`);
    assert.ok(aim > floor + 0.5 && aim < floor + 1.2, `${what}: the camera looks at ${aim}`);
    assert.ok(seen, `${what}: it is not seen whole`);
}

await openFile(page, 'lowered.obj', lowered);
await page.click('.guide button:text-is("Rig and walk")');
await idle(page);
await state(() => window.limber.viewer.player.play(false));

await test('who walks elsewhere than he rests is seen on the floor, in both', async () => {
    await standsAt(0, 'it walks');
    await openTab(page, 'Rig');
    await standsAt(-0.9, 'it rests');
    await openTab(page, 'Animate');
    await standsAt(0, 'it walks again');
    await page.click('.panel button:text-is("Idle")');
    await idle(page);
    await standsAt(0, 'it idles');
});

await test('a pose is told how high it is over the floor that is shown', async () => {
    const onFloor = /^(It stands on the floor\.|[0-3]\.\d cm (over|in) the floor\.)$/;
    const said = () => page.textContent('.panel .row:has(button:text-is("Put on the floor")) [role=status]');
    await state(() => window.limber.viewer.player.play(false));
    await openTab(page, 'Rig');
    await openTab(page, 'Pose');
    await standsAt(-0.9, 'it rests');
    await until(async () => onFloor.test(await said()), 'no height over the floor, or a false one');
    await openTab(page, 'Animate');
    await openTab(page, 'Pose');
    await page.click('.keys button:text-is("New clip of keys")');
    await idle(page);
    await standsAt(0, 'a key');
    await until(async () => onFloor.test(await said()), 'no height over the floor, or a false one');
});

await test('who is steered stands on the course, and the view is as it was when he leaves', async () => {
    await openTab(page, 'Animate');
    const camera = () => state(() => window.limber.viewer.stage.camera.position.toArray());
    await drawn(page);
    const before = await camera();
    await page.click('.panel button:text-is("Try your character")');
    await page.waitForSelector('.trybar:visible');
    // Time for the camera to go where it goes.
    await page.waitForTimeout(1500);
    await standsAt(0, 'steered');
    await page.click('.trybar button:text-is("Leave")');
    await drawn(page);
    const off = (await camera()).map((value, axis) => Math.abs(value - before[axis]));
    assert.ok(Math.max(...off) < 0.05, `the camera is ${off} m from where it was`);
});

await test('buttons that steer lie within the picture, however narrow', async () => {
    await page.click('.panel button:text-is("Try your character")');
    await page.waitForSelector('.trybar:visible');
    for (const [width, height] of [[768, 1024], [820, 700], [390, 844]]) {
        await page.setViewportSize({ width, height });
        await drawn(page);
        const view = await page.locator('.view').boundingBox();
        for (const control of await page.locator('.trybar :is(button, input):visible').all()) {
            const box = await control.boundingBox();
            assert.ok(box.x >= view.x && box.x + box.width <= view.x + view.width, `${await control.textContent()} is at ${box.x} to ${box.x + box.width} of ${view.x} to ${view.x + view.width}`);
        }
    }
    await page.setViewportSize({ width: 768, height: 1024 });
    await page.click('.trybar button:text-is("Leave")');
    await standsAt(0, 'left');
});

await test('who is steered from rest is at rest again when he leaves', async () => {
    await page.click('.panel .list button:has-text("Rest pose")');
    await standsAt(-0.9, 'it rests');
    await page.click('.panel button:text-is("Try your character")');
    await page.waitForSelector('.trybar:visible');
    await standsAt(0, 'steered');
    await page.click('.trybar button:text-is("Leave")');
    await standsAt(-0.9, 'left');
    await state(() => window.limber.viewer.player.select(window.limber.viewer.character.value.clips[0]));
});

await test('who cannot be steered keeps his clip', async () => {
    const clip = () => state(() => window.limber.viewer.player.clip?.name);
    const before = await clip();
    assert.ok(before);
    await state(() => {
        const { engine } = window.limber.session;
        const { live } = engine;
        window.mend = () => (engine.live = live);
        engine.live = (call, ...given) => (call === 'steer' ? Promise.reject(new Error('no legs')) : live.call(engine, call, ...given));
    });
    await page.click('.panel button:text-is("Try your character")');
    await page.waitForSelector('.notice:visible');
    assert.equal(await clip(), before);
    await state(() => window.mend());
    await page.click('[aria-label="Close this message"]');
});

/** How much of the way to the camera is ahead of the body, by both its feet: 1 is from the front. */
const fromTheFront = () => state(() => {
    const { stage, character } = window.limber.viewer;
    const place = (name) => character.value.joints[character.value.jointIndex(name)].node.getWorldPosition(stage.camera.position.clone());
    const foot = (side) => place(`${side}Toes`).sub(place(`${side}Foot`));
    const ahead = foot('left').add(foot('right')).setY(0).normalize();
    return stage.camera.position.clone().sub(stage.controls.target).setY(0).normalize().dot(ahead);
});

await test('who looks along -Z is seen from the front, once his joints are known', async () => {
    const turned = lowered.replace(/^v (\S+) (\S+) (\S+)/gm, (_, x, y, z) => `v ${-x} ${y} ${-z}`);
    fs.writeFileSync(path.join(work, 'turned.obj'), turned);
    repeat('limber rig turned.obj -o turned.glb', work);
    const rigged = fs.readFileSync(path.join(work, 'turned.glb'));
    await openFile(page, 'turned.obj', turned);
    await page.click('.guide button:text-is("Rig and walk")');
    await idle(page);
    await drawn(page);
    const walks = await fromTheFront();
    assert.ok(walks > 0.8, `he walks: ${walks}`);
    await openTab(page, 'Rig');
    await drawn(page);
    const rests = await fromTheFront();
    assert.ok(rests > 0.8, `he rests: ${rests}`);
    await openTab(page, 'Animate');
    await page.click('.panel button:text-is("Try your character")');
    await page.waitForSelector('.trybar:visible');
    await page.waitForTimeout(300);
    const steered = await fromTheFront();
    assert.ok(steered > 0.8, `he is steered: ${steered}`);
    await page.click('.trybar button:text-is("Leave")');
    await openFile(page, 'lowered.obj', lowered);
    await openFile(page, 'turned.glb', rigged);
    await drawn(page);
    const opened = await fromTheFront();
    assert.ok(opened > 0.8, `he is opened: ${opened}`);
    await page.keyboard.press('1');
    await drawn(page);
    assert.ok((await fromTheFront()) > 0.99, 'the key for the front shows another side');
    // Whose names of sides are exchanged.
    const length = rigged.readUInt32LE(12);
    const json = JSON.parse(rigged.subarray(20, 20 + length));
    for (const node of json.nodes) node.name = node.name?.replace(/left|right/, (side) => (side === 'left' ? 'right' : 'left'));
    const bare = JSON.stringify(json), text = Buffer.from(bare.padEnd(4 * Math.ceil(bare.length / 4))), out = Buffer.concat([rigged.subarray(0, 20), text, rigged.subarray(20 + length)]);
    out.writeUInt32LE(text.length, 12);
    out.writeUInt32LE(out.length, 8);
    await openFile(page, 'lowered.obj', lowered);
    await openFile(page, 'exchanged.glb', out);
    await drawn(page);
    const exchanged = await fromTheFront();
    assert.ok(exchanged > 0.8, `sides are exchanged: ${exchanged}`);
});

await test('who was not looked at nearer is seen whole in a picture that becomes narrower', async () => {
    await page.setViewportSize({ width: 768, height: 620 });
    await openFile(page, 'lowered.obj', lowered);
    await page.keyboard.press('f');
    await drawn(page);
    const across = () => state(() => {
        const { stage, character } = window.limber.viewer, { min, max } = character.value.box;
        return Math.max(...[min, max].map(({ x }) => Math.abs(min.clone().set(x, (min.y + max.y) / 2, 0).project(stage.camera).x)));
    });
    await page.setViewportSize({ width: 768, height: 1024 });
    await drawn(page);
    assert.ok((await across()) < 1, `its hands are at ${await across()} of half the picture`);
    await state(() => window.limber.viewer.stage.zoom(0.5));
    await drawn(page);
    const near = await across();
    await page.setViewportSize({ width: 768, height: 1000 });
    await drawn(page);
    assert.ok(Math.abs((await across()) - near) < 0.2 * near, 'who came nearer is sent back');
});

await test('what is under way is told in full beside its button, however narrow the picture', async () => {
    for (const [width, height] of [[768, 1024], [390, 844], [1440, 900]]) {
        await page.setViewportSize({ width, height });
        await state(() => {
            window.limber.session.busy.value = { what: 'Rigging lowered', since: performance.now() };
            window.limber.session.progress.value = { stage: 'binding the skin', fraction: 0.6 };
        });
        await drawn(page);
        const [view, what, bar, cancel] = await Promise.all(['.view', '.busy .what', '.busy progress', '.busy button'].map((one) => page.locator(one).boundingBox()));
        const [has, needs] = await page.locator('.busy .what').evaluate((element) => [element.clientWidth, element.scrollWidth]);
        assert.ok(needs <= has && what.width > 100, `${width}: ${has} of ${needs} pixels of the text`);
        for (const box of [what, bar, cancel]) assert.ok(box.x >= view.x && box.x + box.width <= view.x + view.width, `${width}: ${JSON.stringify(box)} is not over the picture`);
        assert.ok(cancel.x >= what.x + what.width && (bar.y >= what.y + what.height || bar.x >= what.x + what.width), `${width}: they lie over each other`);
        await state(() => (window.limber.session.busy.value = null));
    }
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
