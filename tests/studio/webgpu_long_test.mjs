// The page drawn by WebGPU: vertices are what `limber bake --skin` writes, and each view looks as it does by WebGL 2, which
// draws where WebGPU does not start.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { webgpu } from '../render/chromium.mjs';
import { drawn, finish, idle, openFile, openStudio, repeat, test, until, violations, work } from './studio.mjs';
import { bakedVertices, switchesMorphs, walker } from './walker.mjs';

const tolerance = 1e-5; // of the diagonal
const studio = await openStudio(undefined, webgpu);
const page = await studio.page({ width: 900, height: 600, query: '?gpu=webgpu', picture: 'full' });
const state = (read, given) => page.evaluate(read, given);
const choose = (label, value) => page.getByLabel(label, { exact: true }).selectOption(value);
const api = () => state(() => window.limber.viewer.graphics.api.value);

if (!(await state(async () => Boolean(await navigator.gpu?.requestAdapter())))) {
    console.log('skipped: this chromium has no WebGPU');
    await studio.close();
    process.exit(77);
}
await until(async () => (await api()) === 'webgpu', 'WebGPU does not start');

const frame = 13;
const onTheGpu = () => state(async () => {
    const { viewer } = window.limber, all = [];
    for (const { mesh } of viewer.character.value.skins) all.push(...(await viewer.stage.painter.vertices(mesh)));
    return all;
});

function off(shown, places) {
    const want = places.flat();
    assert.equal(shown.length, want.length);
    const extent = (axis) => {
        const values = want.filter((_, k) => k % 3 === axis);
        return Math.max(...values) - Math.min(...values);
    };
    return Math.max(...shown.map((value, k) => Math.abs(value - want[k]))) / Math.hypot(extent(0), extent(1), extent(2));
}

async function settle() {
    await drawn(page);
    await state(() => window.limber.skinning.settled());
    await drawn(page);
}

/** The picture as rows of bytes, and which canvas has it. */
const picture = () => state(() => {
    const { stage, canvas } = window.limber.viewer;
    stage.now();
    const { width, height } = stage.shown;
    const flat = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
    flat.fillStyle = '#20242c';
    flat.fillRect(0, 0, width, height);
    flat.drawImage(stage.shown, 0, 0);
    return { bytes: [...flat.getImageData(0, 0, width, height).data], webgl: stage.shown === canvas };
});

for (const influences of [4, 8]) {
    await test(`the shaders make what bake writes, up to ${influences} joints a vertex`, async () => {
        const bake = await walker(page, influences, frame), worst = [];
        for (const [method, name] of [['linear', 'lbs'], ['dual', 'dqs'], ['center', 'cor']]) {
            await choose('Skin follows', method);
            await settle();
            worst.push(off(await onTheGpu(), bake(name)));
        }
        console.log(`      off by ${worst.map((one) => one.toExponential(1)).join(', ')} of the diagonal`);
        assert.ok(Math.max(...worst) <= tolerance, `${worst}`);
        assert.ok(off(await onTheGpu(), bake('dqs')) > 10 * tolerance, 'two methods are not told apart');
        await choose('Skin follows', 'linear');
    });
}

await test('morph targets come before the skin', async () => {
    const tests = path.join(path.dirname(fileURLToPath(import.meta.url)), '../cli');
    repeat(`limber bake ${path.join(tests, 'body.npz')} --pose ${path.join(tests, 'body_walk.npz')} -o morphs.glb`, work);
    await openFile(page, 'morphs.glb', fs.readFileSync(path.join(work, 'morphs.glb')));
    await state(() => window.limber.viewer.player.seekFrame(11));
    await settle();
    const time = await state(() => window.limber.viewer.player.time);
    const worst = off(await onTheGpu(), bakedVertices(work, `morphs.glb --clip 0 --time ${time}`));
    assert.ok(worst <= tolerance, `off by ${worst} of the diagonal`);
    await switchesMorphs(page, async () => (await picture()).bytes, settle);
    await page.keyboard.press('Control+z');
    await idle(page);
});

await test('each view looks as it does by WebGL 2', async () => {
    await state((at) => window.limber.viewer.player.seekFrame(at), frame);
    const views = {
        own: () => undefined,
        'with its skeleton': () => state(() => (window.limber.viewer.skeleton.value = true)),
        'ends and axes': () => state(() => window.limber.viewer.showBones({ leaves: true, axes: true })),
        clay: () => choose('Surface', 'clay'),
        normals: () => choose('Surface', 'normals'),
        wire: () => choose('Surface', 'wire'),
        weights: () => state(() => {
            const { viewer } = window.limber;
            viewer.wear('own');
            viewer.select(viewer.character.value.jointIndex('leftUpperLeg'));
            viewer.showHeat(true);
        }),
        'chosen vertices': () => state(() => {
            window.limber.viewer.showHeat(false);
            window.limber.viewer.showChosen(new Float32Array([0, 1, 0.2, 0.1, 1.2, 0.2, -0.1, 1.2, 0.2]));
        }),
        'more of them': () => state(() => window.limber.viewer.showChosen(new Float32Array(Array.from({ length: 30 }, (_, k) => [-0.3 + 0.02 * k, 0.9, 0.3]).flat()))),
        'dual quaternions beside it': async () => {
            await state(() => window.limber.viewer.showChosen(null));
            await choose('Beside it', 'dual');
        },
    };
    const seen = [];
    for (const [name, show] of Object.entries(views)) {
        await show();
        await settle();
        seen.push([name, await picture()]);
    }
    await state(() => window.limber.viewer.wear('own'));
    await choose('Beside it', '');
    await state(() => {
        window.limber.viewer.showBones({ leaves: false, axes: false });
        window.limber.viewer.skeleton.value = false;
        window.limber.viewer.select(-1);
    });
    await choose('Drawn by', 'webgl');
    await until(async () => (await api()) === 'webgl', 'WebGPU stays');
    let at = 0;
    for (const show of Object.values(views)) {
        await show();
        await settle();
        const [name, gpu] = seen[at++], gl = await picture();
        assert.ok(!gpu.webgl && gl.webgl, `${name}: both are drawn by the same`);
        assert.equal(gpu.bytes.length, gl.bytes.length);
        const far = gpu.bytes.map((value, k) => Math.abs(value - gl.bytes[k]));
        const mean = far.reduce((sum, value) => sum + value, 0) / far.length, many = far.filter((value) => value > 40).length / far.length;
        console.log(`      ${name}: off by ${mean.toFixed(2)} of 255, ${(100 * many).toFixed(2)} % by more than 40`);
        // Drivers step along slanted lines in their own ways.
        const lines = name === 'wire' ? 4 : 1;
        assert.ok(mean < lines && many < 0.005 * lines, name);
    }
    for (let k = 1; k < seen.length; ++k) assert.notDeepEqual(seen[k][1].bytes, seen[k - 1][1].bytes, `${seen[k][0]} is not seen`);
});

await test('WebGPU comes back where it is chosen', async () => {
    await choose('Drawn by', 'webgpu');
    await until(async () => (await api()) === 'webgpu', 'WebGPU does not come back');
    assert.equal((await picture()).webgl, false);
    assert.deepEqual(await violations(page), []);
});

await test('large arrays are sent to the GPU one a task', async () => {
    repeat('limber sample humanoid --seed 3 --rigged --pose t --triangles 200000 -o large.glb', work);
    await state(() => {
        // Messages to itself tell one task of the page from the one after it.
        const { port1, port2 } = new MessageChannel(), { createBuffer } = GPUDevice.prototype;
        window.sent = [];
        let task = 0;
        port2.onmessage = () => {
            ++task;
            port1.postMessage(0);
        };
        port1.postMessage(0);
        window.stopSending = () => Object.assign(GPUDevice.prototype, { createBuffer }) && port1.close();
        GPUDevice.prototype.createBuffer = function (given) {
            if (given.size > 1 << 20) window.sent.push([task, given.size]);
            return createBuffer.call(this, given);
        };
    });
    await openFile(page, path.join(work, 'large.glb'));
    await settle();
    const sent = await state(() => window.stopSending() || window.sent);
    const tasks = new Set(sent.map(([task]) => task));
    console.log(`      ${sent.length} of ${(sent.reduce((sum, [, size]) => sum + size, 0) / 1e6).toFixed(0)} MB in ${tasks.size} tasks`);
    assert.ok(sent.length >= 4, 'nothing large was sent');
    assert.equal(tasks.size, sent.length);
    assert.equal((await picture()).webgl, false);
    await page.keyboard.press('Control+z');
    await idle(page);
    await settle();
});

await test('what shares a program that is being made waits for it', async () => {
    const [drew, made] = await state(async () => {
        const { stage, character } = window.limber.viewer, { painter } = stage, [{ mesh }] = character.value.skins;
        const { createRenderPipelineAsync } = GPUDevice.prototype, { submit } = GPUQueue.prototype;
        let made = 0, drew = 0;
        GPUQueue.prototype.submit = function (buffers) {
            ++drew;
            return submit.call(this, buffers);
        };
        GPUDevice.prototype.createRenderPipelineAsync = async function (given) {
            ++made;
            await new Promise((resolve) => setTimeout(resolve, 300));
            return createRenderPipelineAsync.call(this, given);
        };
        const pair = [mesh.clone(), mesh.clone()];
        // By a material that nothing has yet, which both have.
        for (const one of pair) one.material = pair[0].material === mesh.material ? Object.assign(mesh.material.clone(), { flatShading: true, side: 1 }) : pair[0].material;
        stage.scene.add(pair[1]);
        const ready = painter.ready(pair[0]);
        for (const until = performance.now() + 5000; made === 0 && performance.now() < until; ) await new Promise((resolve) => setTimeout(resolve));
        drew = 0;
        painter.draw();
        const meanwhile = drew;
        await painter.settled();
        painter.draw();
        await ready;
        stage.scene.remove(pair[1]);
        Object.assign(GPUDevice.prototype, { createRenderPipelineAsync });
        GPUQueue.prototype.submit = submit;
        stage.draw();
        return [[meanwhile, drew], made];
    });
    assert.ok(made > 0, 'no program was made');
    assert.equal(drew[0], 0, 'it is drawn by a program that is not there');
    assert.ok(drew[1] > 0, 'nothing is drawn in the end');
    await settle();
    assert.equal(await api(), 'webgpu', await state(() => window.limber.viewer.graphics.said.value));
});

await test('what is handed out has the picture, and a point of the skin is found', async () => {
    const [size, hit] = await state(async () => {
        const { viewer } = window.limber, { bones, stage, canvas } = viewer;
        const picture = await createImageBitmap(await viewer.picture());
        const flat = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height }).getContext('2d');
        flat.drawImage(picture, 0, 0);
        const hips = bones.position(0).clone().project(stage.camera), { width, height } = canvas.getBoundingClientRect();
        const found = viewer.picker.pick(viewer.character.value.root, ((hips.x + 1) / 2) * width, ((1 - hips.y) / 2) * height, width, height);
        const drawn = flat.getImageData(0, 0, picture.width, picture.height).data.filter((value, k) => k % 4 === 3 && value === 255).length;
        return [drawn, found && found.distanceTo(bones.position(0))];
    });
    assert.ok(size > 1000, `${size} pixels are drawn`);
    assert.ok(hit !== null && hit < 0.3, `the point is ${hit} m from the hips`);
});

await test('a second figure, and a character that goes, leave nothing behind', async () => {
    const held = () => state(() => ({ ...window.limber.viewer.stage.painter.renderer.info.memory }));
    await state(() => window.limber.viewer.showHeat(false));
    await choose('Beside it', '');
    await settle();
    const alone = await picture(), before = await held();
    await choose('Beside it', 'dual');
    await settle();
    assert.notDeepEqual((await picture()).bytes, alone.bytes);
    await choose('Beside it', '');
    await settle();
    assert.deepEqual((await picture()).bytes, alone.bytes);
    assert.deepEqual(await held(), before, 'of the second figure');
    for (let k = 0; k < 2; ++k) {
        await page.keyboard.press('Control+z');
        await idle(page);
        await page.keyboard.press('Control+Shift+z');
        await idle(page);
        await settle();
    }
    const after = await held();
    assert.ok(after.geometries <= before.geometries && after.textures <= before.textures, `${JSON.stringify(after)} of a character, and ${JSON.stringify(before)} before`);
});

await test('WebGL 2 draws where the adapter is a program, unless WebGPU is chosen by name', async () => {
    const other = await studio.page({ picture: 'full' });
    const drawsBy = (choice, info) => other.evaluate(async ([choice, info]) => {
        const { requestAdapter } = GPU.prototype, { graphics } = window.limber.viewer;
        // Software's adapter as it is, or one that tells about itself what is in `info`.
        const adapter = await navigator.gpu.requestAdapter();
        if (info) Object.defineProperty(adapter, 'info', { value: info });
        GPU.prototype.requestAdapter = async () => adapter;
        await graphics.choose(choice);
        GPU.prototype.requestAdapter = requestAdapter;
        return [graphics.api.value, graphics.said.value, adapter.info.isFallbackAdapter];
    }, [choice, info]);
    assert.deepEqual(await drawsBy('automatic', null), ['webgl', '', true]);
    assert.deepEqual(await drawsBy('automatic', { isFallbackAdapter: false, vendor: 'mesa', device: '', description: 'llvmpipe (LLVM 15.0.6, 256 bits)' }), ['webgl', '', false]);
    assert.deepEqual(await drawsBy('webgpu', null), ['webgpu', '', true]);
    assert.deepEqual(await drawsBy('automatic', { isFallbackAdapter: false, vendor: 'nvidia', device: '', description: '' }), ['webgpu', '', false]);
    await other.close();
});

await test('WebGL 2 draws where WebGPU does not start', async () => {
    const other = await studio.page({ query: '?gpu=webgpu', picture: 'full', before: () => (GPU.prototype.requestAdapter = async () => null) });
    await until(() => other.evaluate(() => window.limber.viewer.graphics.said.value !== ''), 'nothing is said');
    assert.match(await other.evaluate(() => window.limber.viewer.graphics.said.value), /^There is no GPU for WebGPU here\. WebGL 2 draws\.$/);
    assert.equal(await other.evaluate(() => window.limber.viewer.graphics.api.value), 'webgl');
    await other.close();
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
