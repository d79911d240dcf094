// The tools of the page that work by hand: joints that are dragged, archives, the address.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drawn, exported, finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, until, work } from './studio.mjs';
import { zip } from './zip.mjs';

repeat('limber sample humanoid --seed 3 --pose t -o person.obj', work);
const obj = fs.readFileSync(path.join(work, 'person.obj'));
fs.writeFileSync(path.join(work, 'person.obj'), obj.toString().replace('mtllib person.mtl', 'mtllib .\\person.mtl'));
const studio = await openStudio(path.join(work, 'person.obj'));
const page = await studio.page();
const state = (read) => page.evaluate(read);

function jointPlaces() {
    return state(() => Object.fromEntries(window.limber.viewer.character.value.joints.map(({ name, node }) => [name, node.matrixWorld.elements.slice(12, 15)])));
}

/** How many vertices within 12 cm of one joint follow another for more than a third. */
function heavy(joint, near) {
    return page.evaluate(([follows, beside]) => {
        const { character } = window.limber.viewer;
        const { meshes, joints } = character.value;
        const node = (name) => joints.find((one) => one.name === name).node;
        const centre = node(beside).matrixWorld.elements.slice(12, 15);
        let count = 0;
        for (const mesh of meshes) {
            const { skinIndex, skinWeight, position } = mesh.geometry.attributes;
            const bone = mesh.skeleton.bones.indexOf(node(follows));
            for (let v = 0; v < position.count; v++) {
                if (Math.hypot(position.getX(v) - centre[0], position.getY(v) - centre[1]) > 0.12) continue;
                for (let k = 0; k < 4; k++) if (skinIndex.getComponent(v, k) === bone && skinWeight.getComponent(v, k) > 1 / 3) count++;
            }
        }
        return count;
    }, [joint, near]);
}

await test('the address that the command tells opens its file, and what that names', async () => {
    await idle(page);
    assert.equal(await state(() => window.limber.session.current?.title), 'person');
    assert.ok((await state(() => window.limber.session.current.info.materials)) > 3, 'the materials did not come along');
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

await test('a hand that is dragged is reached, and the pose kept as a clip', async () => {
    await openTab(page, 'Pose');
    await page.waitForFunction(() => window.limber.viewer.onDragging);
    const [x, y] = await screenPlace(page, 'leftHand');
    const [footX, footY] = await screenPlace(page, 'leftFoot');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 25, y - 35, { steps: 5 });
    await page.mouse.up();
    await until(async () => {
        const [nowX, nowY] = await screenPlace(page, 'leftHand');
        return Math.hypot(nowX - (x - 25), nowY - (y - 35)) < 4;
    }, 'the hand did not come to where it was dragged');
    const [stillX, stillY] = await screenPlace(page, 'leftFoot');
    assert.ok(Math.hypot(stillX - footX, stillY - footY) < 3, 'the foot slid');
    const shown = await jointPlaces();
    await page.fill('.panel input[type=text]', 'reach');
    await page.click('.panel button:has-text("Keep as a clip")');
    await page.waitForFunction(() => window.limber.session.current.step === 'pose: reach');
    await idle(page);
    assert.equal(await state(() => window.limber.viewer.player.clip.name), 'reach');
    await drawn(page);
    const kept = await jointPlaces();
    for (const [name, place] of Object.entries(shown)) {
        const off = Math.hypot(...place.map((value, axis) => value - kept[name][axis]));
        assert.ok(off < 1e-3, `${name} is ${off} off in the clip`);
    }
});

await test('paint goes where the brush went', async () => {
    await openTab(page, 'Weights');
    await page.click('.panel [role=treeitem]:has-text("leftUpperArm")');
    await page.click('.panel label:has-text("Paint the chosen joint")');
    await drawn(page);
    const before = await heavy('leftUpperArm', 'spine');
    const [x, y] = await screenPlace(page, 'spine');
    await page.mouse.move(x - 6, y);
    await page.mouse.down();
    await page.mouse.move(x + 6, y, { steps: 6 });
    await page.mouse.up();
    await page.waitForFunction(() => window.limber.session.current.step === 'paint leftUpperArm');
    await idle(page);
    const after = await heavy('leftUpperArm', 'spine');
    assert.ok(after > before + 5, `${before} places followed the arm near the spine, now ${after}`);
    fs.writeFileSync(path.join(work, 'painted.glb'), await exported(page));
    repeat('limber weights check painted.glb', work);
});

/** A strip whose first vertex follows five joints; for each of them there is one that follows it as much, and else one other. */
function fiveJoints() {
    const shares = [0.5, 0.2, 0.15, 0.1, 0.05];
    const rows = [shares, ...shares.map((share, j) => shares.map((_, k) => (k === j ? share : k === (j + 1) % 5 ? 1 - share : 0)))];
    const places = rows.flatMap((_, v) => [v % 2, v / 4, 0]);
    const set = (from) => rows.flatMap((row) => [0, 1, 2, 3].map((k) => row[from + k] ?? 0));
    const joints = (from) => rows.flatMap(() => [0, 1, 2, 3].map((k) => (from + k < 5 ? from + k : 0)));
    const parts = [new Float32Array(places), new Float32Array(set(0)), new Float32Array(set(4)), new Uint16Array(joints(0)), new Uint16Array(joints(4)), new Uint16Array([0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4])];
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part.buffer)));
    let at = 0;
    const bufferViews = parts.map((part) => ({ buffer: 0, byteOffset: (at += part.byteLength) - part.byteLength, byteLength: part.byteLength }));
    const kinds = ['VEC3', 'VEC4', 'VEC4', 'VEC4', 'VEC4', 'SCALAR'];
    const accessors = kinds.map((type, k) => ({ bufferView: k, type, componentType: k < 3 ? 5126 : 5123, count: k < 5 ? 6 : 12 }));
    Object.assign(accessors[0], { min: [0, 0, 0], max: [1, 1.25, 0] });
    const attributes = { POSITION: 0, WEIGHTS_0: 1, WEIGHTS_1: 2, JOINTS_0: 3, JOINTS_1: 4 };
    return JSON.stringify({
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 5] }],
        nodes: [...shares.map((_, j) => ({ name: `joint ${j}`, translation: [0, 0.2, 0], ...(j < 4 ? { children: [j + 1] } : {}) })), { mesh: 0, skin: 0 }],
        skins: [{ joints: [0, 1, 2, 3, 4] }], meshes: [{ primitives: [{ attributes, indices: 5 }] }],
        accessors, bufferViews, buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
    });
}

await test('the heat map knows a fifth joint', async () => {
    await openFile(page, 'five.gltf', fiveJoints());
    assert.equal(await page.isVisible('.notice.error'), false);
    await openTab(page, 'Weights');
    for (let joint = 0; joint < 5; ++joint) {
        await page.click(`.panel [role=treeitem]:has-text("joint ${joint}")`);
        const [first, alike] = await page.evaluate((j) => {
            const { color, position } = window.limber.viewer.character.value.meshes[0].geometry.attributes;
            const at = (v) => [0, 1, 2].map((k) => color.getComponent(v, k));
            // The vertices may come in another order: they are told by where they lie.
            const find = (wanted) => [...Array(position.count).keys()].find((v) => Math.abs(position.getY(v) - wanted / 4) < 1e-6);
            return [at(find(0)), at(find(j + 1))];
        }, joint);
        const off = Math.max(...first.map((x, k) => Math.abs(x - alike[k])));
        assert.ok(off < 0.01, `joint ${joint}: ${first} beside ${alike}`);
    }
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
