// The tools of the page that work by hand: joints that are dragged, archives, the address.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, work } from './studio.mjs';
import { zip } from './zip.mjs';

repeat('limber sample humanoid --seed 3 --pose t -o person.obj', work);
const obj = fs.readFileSync(path.join(work, 'person.obj'));
const studio = await openStudio(new Map([['person.obj', obj]]));
const page = await studio.page('#file=person.obj');
const state = (read) => page.evaluate(read);

await test('the address opens a file of the server', async () => {
    await idle(page);
    assert.equal(await state(() => window.limber.session.current?.title), 'person');
});

await test('a joint that is dragged stays where it was put, the other side too', async () => {
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    const [x, y] = await screenPlace(page, 'leftLowerArm');
    const before = await state(() => window.limber.session.current.rig.joints.find(({ name }) => name === 'leftLowerArm').position);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 12, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => window.limber.session.log.value.at(-1).line.includes('--marker'));
    await idle(page);
    const line = await state(() => window.limber.session.log.value.at(-1).line);
    const marker = (name) => line.match(new RegExp(`--marker ${name}=([-\\d.,e]+)`))[1].split(',').map(Number);
    const joints = await state(() => Object.fromEntries(window.limber.session.current.rig.joints.map(({ name, position }) => [name, position])));
    for (const name of ['leftLowerArm', 'rightLowerArm']) {
        const off = Math.hypot(...marker(name).map((value, axis) => value - joints[name][axis]));
        assert.ok(off < 1e-4, `${name} is ${off} off`);
    }
    assert.ok(joints.leftLowerArm[0] > before[0] + 0.01, 'the joint did not move outwards');
    assert.ok(Math.abs(joints.leftLowerArm[0] + joints.rightLowerArm[0]) < 0.02, 'the sides are not mirrored');
});

await test('a zip archive is opened with what lies in it', async () => {
    const material = 'newmtl red\nKd 1 0 0\n';
    const mesh = `mtllib looks/red.mtl\nusemtl red\n${obj.toString().replace(/^(mtllib|usemtl).*$/gm, '')}`;
    await openFile(page, 'body.zip', zip({ 'body/mesh.obj': mesh, 'body/looks/red.mtl': material }));
    assert.equal(await state(() => window.limber.session.current.title), 'mesh');
    const colour = await state(() => window.limber.viewer.character.value.meshes[0].material.color.getHex());
    assert.equal(colour, 0xff0000);
    await openFile(page, 'cut.zip', zip({ 'mesh.obj': mesh }).subarray(0, 4000));
    assert.match(await page.textContent('.notice'), /zip/);
    assert.equal(await state(() => window.limber.session.current.title), 'mesh');
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
