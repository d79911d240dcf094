// What the page says and offers: names that can be read, motions that the body can do, refusals in plain words.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drag, drawn, finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, work } from './studio.mjs';
import { zip } from './zip.mjs';

const studio = await openStudio();
const page = await studio.page({ width: 1200, height: 720, hash: '#sample=humanoid:3' });
const state = (read, given) => page.evaluate(read, given);
const file = () => state(() => window.limber.session.current?.file);

async function sample(kind) {
    await page.selectOption('select[aria-label="Try a sample"]', kind);
    await idle(page);
}

await test('joints that were put by hand are named in full', async () => {
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    const [x, y] = await screenPlace(page, 'leftLowerArm');
    await drag(page, [x, y], [x + 12, y]);
    await page.waitForFunction(() => window.limber.session.log.value.at(-1).line.includes('--marker'));
    await idle(page);
    const names = await page.locator('section:has(> h3:text-is("Joints put by hand")) .name').evaluateAll((all) => all.map((name) => [name.textContent, name.clientWidth, name.scrollWidth]));
    assert.deepEqual(names.map(([name]) => name), ['leftLowerArm', 'rightLowerArm']);
    for (const [name, seen, whole] of names) assert.ok(seen >= whole && seen > 40, `of ${name} ${seen} of ${whole} pixels are seen`);
});

await test('clips are named by what made them, each otherwise', async () => {
    const folder = fs.mkdtempSync(path.join(work, 'names-'));
    repeat('limber sample humanoid --rigged -o other.glb', folder);
    repeat('limber animate other.glb wave -o other.bvh', folder);
    const bvh = fs.readFileSync(path.join(folder, 'other.bvh'));
    for (const name of ['hello.bvh', 'hello.bvh']) await openFile(page, name, bvh);
    await openTab(page, 'Animate');
    for (const motion of ['Walk', 'Walk']) {
        await page.click(`.panel button:text-is("${motion}")`);
        await idle(page);
    }
    assert.deepEqual(await state(() => window.limber.viewer.character.value.clips.map(({ name }) => name)), ['walk 2', 'walk', 'hello 2', 'hello']);
});

await test('warnings lie beside the feet and go with the next thing that is done', async () => {
    await state(() => (window.limber.session.notice.value = { kind: 'info', title: 'Done, with warnings', text: 'limber animate: warning: leftFoot slides\n'.repeat(6) }));
    await drawn(page);
    const box = await page.locator('.notice').boundingBox();
    for (const foot of ['leftFoot', 'rightFoot']) {
        const [x, y] = await screenPlace(page, foot);
        assert.ok(x < box.x || x > box.x + box.width || y < box.y || y > box.y + box.height, `the warning covers ${foot}`);
    }
    await openTab(page, 'Pose');
    await drawn(page);
    const [x, y] = await screenPlace(page, 'leftHand');
    await drag(page, [x, y], [x + 10, y - 30]);
    assert.equal(await page.isVisible('.notice'), false, 'the warning stays over another pose');
});

await test('on a phone messages cover neither the head nor the buttons over the picture', async () => {
    const phone = await studio.page({ width: 390, height: 844, hash: '#sample=humanoid:3&do=[["rig"]]' });
    await idle(phone);
    for (const fold of [false, true]) {
        if (fold) await phone.click('.fold');
        await phone.evaluate(() => (window.limber.session.notice.value = { kind: 'error', title: 'It failed', text: 'limber animate: the body has no legs to walk on\n'.repeat(6) }));
        await drawn(phone);
        const box = await phone.locator('.notice').boundingBox(), tools = await phone.locator('.tools').boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, `the message is at ${JSON.stringify(box)}`);
        assert.ok(box.x + box.width <= tools.x || box.y >= tools.y + tools.height, 'the message covers buttons');
        const [x, y] = await screenPlace(phone, 'head');
        assert.ok(y < box.y - 8 || y > box.y + box.height + 40, `the message covers the head at ${x}, ${y}`);
        if (fold) continue;
        const title = await phone.locator('.panel h2').boundingBox();
        assert.ok(title.y >= box.y + box.height, 'the message covers the head of the tool');
    }
    await phone.context().close();
});

await test('no head lies under the buttons over the picture, in windows of any shape', async () => {
    const small = await studio.page({ width: 640, height: 420, hash: '#sample=humanoid:3&do=[["animate","walk"]]' });
    await idle(small);
    for (const [width, height] of [[640, 420], [625, 600], [640, 640], [700, 560], [755, 640], [740, 900], [780, 560], [820, 600], [900, 640]]) {
        await small.setViewportSize({ width, height });
        await drawn(small);
        // Its joint is at the lower end of the skull: hair reaches twice as far as the neck is long.
        const [x, y] = await screenPlace(small, 'head'), neck = await screenPlace(small, 'neck');
        const reach = 2.2 * Math.hypot(x - neck[0], y - neck[1]);
        const { x: left, y: top, height: tall } = await small.locator('.tools').boundingBox();
        assert.ok(x + reach < left || y - reach > top + tall, `${width} × ${height}: the head is at ${x}, ${y} ± ${reach}, the buttons from ${left}, ${top}`);
    }
    await small.context().close();
});

await test('on a phone nothing of a body lies behind the buttons, nor does the name of a joint', async () => {
    const phone = await studio.page({ width: 390, height: 844, hash: '#sample=humanoid:3&do=[["rig"]]' });
    await idle(phone);
    await openTab(phone, 'Weights');
    const tools = await phone.locator('.tools').boundingBox();
    for (const side of ['left', 'right']) {
        await phone.click(`.tree [role=treeitem]:has(.name:text-is("${side}Hand"))`);
        await drawn(phone);
        const [x] = await screenPlace(phone, `${side}Hand`);
        assert.ok(x > 0 && x < tools.x, `the ${side} hand is at ${x}, the buttons at ${tools.x}`);
        const name = await phone.locator('.label.strong:visible').boundingBox();
        assert.ok(name.x >= 0 && name.x + name.width <= tools.x, `the name is at ${name.x} to ${name.x + name.width}`);
    }
    // A point of the skin is found where it is seen, though the middle of the picture lies aside.
    const off = await phone.evaluate(() => {
        const { viewer } = window.limber, { bones, canvas, stage } = viewer;
        const { width, height } = canvas.getBoundingClientRect(), place = bones.position(viewer.character.value.jointIndex('leftHand'));
        const seen = place.clone().project(stage.camera);
        return [0, 1].map(() => viewer.picker.pick(viewer.character.value.root, ((seen.x + 1) / 2) * width, ((1 - seen.y) / 2) * height, width, height)?.distanceTo(place) ?? null);
    });
    assert.ok(off.every((one) => one !== null && one < 0.1), `the skin is ${off} m from the hand`);
    await phone.context().close();
});

await test('files with nothing in them leave the stage as it is', async () => {
    const before = await file();
    for (const [name, text] of [['empty.gltf', '{"asset":{"version":"2.0"}}'], ['node.gltf', '{"asset":{"version":"2.0"},"nodes":[{"name":"a"}]}'], ['empty.obj', ''], ['scene.gltf', '{"asset":{"version":"2.0"},"scenes":[{}]}']]) {
        await openFile(page, name, text);
        assert.equal(await page.isVisible('.notice.error'), true, `${name} is opened without a word`);
        assert.match(await page.textContent('.notice'), /empty|nothing/);
        assert.equal(await file(), before, `${name} cleared the stage`);
    }
});

await test('a texture without a picture does not keep a character off the stage', async () => {
    const points = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
    const gltf = (parts) => JSON.stringify({
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
        accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 3, min: [0, 0, 0], max: [1, 1, 0] }, { bufferView: 0, componentType: 5126, type: 'VEC2', count: 3 }],
        bufferViews: [{ buffer: 0, byteLength: 36 }], buffers: [{ byteLength: 36, uri: `data:application/octet-stream;base64,${points.toString('base64')}` }], ...parts,
    });
    const material = { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } };
    for (const [name, parts] of [['none', { textures: [{}] }], ['nowhere', { textures: [{ source: 0 }], images: [{}] }], ['basis', { textures: [{ extensions: { KHR_texture_basisu: { source: 0 } } }], images: [{ uri: 'data:image/ktx2;base64,AAAA' }], extensionsUsed: ['KHR_texture_basisu'] }]]) {
        await openFile(page, `${name}.gltf`, gltf({ materials: [material], ...parts }));
        assert.equal(await page.isVisible('.notice.error') && (await page.textContent('.notice')), false);
        assert.equal(await state(() => window.limber.session.current.title), name);
        assert.equal(await state(() => window.limber.viewer.character.value.meshes.length), 1);
    }
});

await test('an archive says from the begin that it is unpacked', async () => {
    await state(() => {
        window.said = [];
        window.limber.session.busy.watch((busy) => window.said.push(busy?.what ?? null));
    });
    await openFile(page, 'body.zip', zip({ 'body/mesh.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' }));
    assert.deepEqual(await state(() => window.said), [null, 'Unpacking body.zip', 'Opening body/mesh.obj', null]);
    assert.equal(await state(() => window.limber.session.current.title), 'mesh');
});

await test('bodies are offered what they can do', async () => {
    const offered = () => page.locator('.panel .grid3 button:visible').allTextContents();
    for (const [kind, motions] of [['spider', ['Walk', 'Run']], ['snake', []], ['humanoid', ['Walk', 'Run', 'Idle', 'Wave', 'Jump']]]) {
        await sample(kind);
        await openTab(page, 'Rig');
        await page.click('.panel button.primary');
        await idle(page);
        await openTab(page, 'Animate');
        await page.waitForFunction((most) => document.querySelectorAll('.panel .grid3 button:not([hidden])').length === most, motions.length, { timeout: 20000 });
        assert.deepEqual(await offered(), motions, kind);
    }
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
