// Ten figures of one file, with a skeleton each: all of them move, are skinned as `limber bake` skins them, whatever bends
// them, and are coloured each by its own joints.
import assert from 'node:assert/strict';
import path from 'node:path';
import { webgpu } from '../render/chromium.mjs';
import { makeCrowd } from './crowd.mjs';
import { keepShaders, verticesByWebgl } from './gpu_vertices.mjs';
import { drawn, finish, openFile, openStudio, openTab, test, until, work } from './studio.mjs';
import { bakedVertices } from './walker.mjs';

const tolerance = 1e-5; // of the diagonal
const figures = 10, time = 0.4;
const file = makeCrowd(figures, 20000);
const baked = new Map();
const bake = (method) => baked.get(method) ?? baked.set(method, bakedVertices(work, `${file} --clip crowd --time ${time} --skin ${method}`)).get(method);

function compare(shown, want) {
    assert.equal(shown.length, want.length);
    const [low, high] = [Math.min, Math.max].map((pick) => [0, 1, 2].map((axis) => want.reduce((most, place) => pick(most, place[axis]), want[0][axis])));
    const diagonal = Math.hypot(...high.map((value, axis) => value - low[axis]));
    const worst = shown.reduce((most, place, v) => Math.max(most, Math.hypot(...place.map((value, axis) => value - want[v][axis]))), 0);
    console.log(`      off by ${(worst / diagonal).toExponential(1)} of the diagonal`);
    assert.ok(worst <= tolerance * diagonal, `off by ${(worst / diagonal).toExponential(2)} of the diagonal`);
}

async function open(studio, api, picture) {
    const page = await studio.page({ picture, query: `?gpu=${api}` });
    await keepShaders(page);
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    await openFile(page, path.join(work, file));
    await page.evaluate((time) => window.limber.viewer.player.seek(time), time);
    await page.click('[aria-label="Look"]');
    return page;
}

async function follow(page, method) {
    await page.getByLabel('Skin follows', { exact: true }).selectOption(method);
    await drawn(page);
    await page.evaluate(() => window.limber.skinning.settled());
    await drawn(page);
}

const methods = [['linear', 'lbs'], ['dual', 'dqs'], ['center', 'cor']];
const byWebgl = await openStudio();
const page = await open(byWebgl, 'webgl', 'simple');
const state = (read, given) => page.evaluate(read, given);

await test('ten figures of 10 000 vertices are there, with all their joints', async () => {
    const [skeletons, joints, meshes] = await state(() => {
        const { skins, joints } = window.limber.viewer.character.value;
        return [new Set(skins.map(({ mesh }) => mesh.skeleton)).size, joints.length, window.limber.session.current.info.meshes];
    });
    assert.equal(skeletons, figures);
    assert.ok(joints >= 20 * figures && meshes.every(({ vertices }) => vertices > 1e4), `${joints} joints`);
});

await test('the module\'s figures are in ten places and two moves', async () => {
    const want = bake('lbs'), each = want.length / figures;
    const move = (figure) => want.slice(figure * each, (figure + 1) * each).map(([x, y, z]) => [x - 1.2 * ((figure % 5) - 2), y, z + 1.2 * Math.floor(figure / 5)]);
    const far = (a, b) => a.reduce((most, place, v) => Math.max(most, Math.hypot(...place.map((value, axis) => value - b[v][axis]))), 0);
    assert.ok(far(move(0), move(2)) < 1e-4 && far(move(1), move(9)) < 1e-4, 'figures that do the same differ');
    assert.ok(far(move(0), move(1)) > 0.05, 'all do the same');
});

for (const [method, name] of methods) {
    await test(`WebGL 2 draws what bake writes: ${name}`, async () => {
        await follow(page, method);
        compare(await (method === 'center' ? ofTheModule() : verticesByWebgl(page)), bake(name));
    });
}

/** What the module made of every vertex. */
function ofTheModule() {
    return state(() => window.limber.viewer.character.value.skins.flatMap(({ mesh }) => {
        const { array, count } = mesh.geometry.attributes.lmb_position;
        return Array.from({ length: count }, (_, v) => [...array.subarray(3 * v, 3 * v + 3)]);
    }));
}

await test('a picture of the ten is a draw a mesh and a palette a skeleton, and nothing else goes to the GPU', async () => {
    const pictures = 12;
    await follow(page, 'linear');
    const { times, most, skeletons, meshes, triangles } = await state(async (count) => {
        const { stage, player, character } = window.limber.viewer, gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
        const { meshes, skins } = character.value;
        const names = ['texSubImage2D', 'bufferData', 'bufferSubData'], own = Object.fromEntries(names.map((name) => [name, gl[name]]));
        const sent = { texSubImage2D: 0, bufferData: 0, bufferSubData: 0 }, most = { calls: 0, triangles: 0, palettes: 0, arrays: 0 }, times = [];
        for (const name of names) {
            gl[name] = function (...given) {
                ++sent[name];
                return own[name].apply(this, given);
            };
        }
        for (let k = 0; k <= count; ++k) {
            player.seek(0.03 * k);
            for (const name of names) sent[name] = 0;
            stage.renderer.info.reset();
            const start = performance.now();
            stage.now();
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            // The first makes what stays.
            if (k === 0) continue;
            times.push(performance.now() - start);
            const { calls, triangles } = stage.renderer.info.render;
            for (const [name, value] of Object.entries({ calls, triangles, palettes: sent.texSubImage2D, arrays: sent.bufferData + sent.bufferSubData })) most[name] = Math.max(most[name], value);
        }
        for (const name of names) delete gl[name];
        return { times, most, skeletons: new Set(skins.map(({ mesh }) => mesh.skeleton)).size, meshes: meshes.length, triangles: meshes.reduce((sum, { geometry }) => sum + geometry.index.count / 3, 0) };
    }, pictures);
    times.sort((a, b) => a - b);
    console.log(`      ${times[pictures >> 1].toFixed(0)} ms a picture (the median of ${pictures}), ${triangles} triangles, ${JSON.stringify(most)}`);
    assert.equal(most.palettes, skeletons, 'palettes');
    assert.equal(most.arrays, 0, 'arrays that are sent');
    // The floor is a draw or two.
    assert.ok(most.calls <= meshes + 4, `${most.calls} draws of ${meshes} meshes`);
    assert.ok(most.triangles <= triangles + 1000, `${most.triangles} triangles drawn of ${triangles}`);
});

await test('a chosen joint colours its own figure', async () => {
    await follow(page, 'linear');
    await openTab(page, 'Weights');
    const coloured = await state(async () => {
        const { viewer } = window.limber, { character } = viewer;
        const joint = character.value.joints.find(({ name }) => name === 'leftUpperLeg 3');
        viewer.select(character.value.joints.indexOf(joint));
        await new Promise((resolve) => setTimeout(resolve, 500));
        // Red is for all of the weight.
        const red = ({ array }) => array.some((value, k) => k % 4 === 0 && value > 200);
        return character.value.skins.map(({ mesh }) => [mesh.skeleton.bones.includes(joint.node), red(mesh.geometry.getAttribute('color'))]);
    });
    assert.ok(coloured.some(([own, red]) => own && red), 'its own figure is not coloured');
    assert.ok(!coloured.some(([own, red]) => !own && red), 'another figure is coloured');
});

await test('by WebGL 2 nobody complained', async () => assert.deepEqual(byWebgl.complaints, []));
await byWebgl.close();

const byWebgpu = await openStudio(undefined, webgpu);
const other = await open(byWebgpu, 'webgpu', 'full');
if (await other.evaluate(async () => Boolean(await navigator.gpu?.requestAdapter()))) {
    await until(() => other.evaluate(() => window.limber.viewer.graphics.api.value === 'webgpu'), 'WebGPU does not start');
    for (const [method, name] of methods) {
        await test(`WebGPU draws what bake writes: ${name}`, async () => {
            await follow(other, method);
            const flat = await other.evaluate(async () => {
                const { viewer } = window.limber, all = [];
                for (const { mesh } of viewer.character.value.skins) all.push(...(await viewer.stage.painter.vertices(mesh)));
                return all;
            });
            compare(Array.from({ length: flat.length / 3 }, (_, v) => flat.slice(3 * v, 3 * v + 3)), bake(name));
        });
    }
    await test('by WebGPU nobody complained', async () => {
        assert.deepEqual(byWebgpu.complaints, []);
        assert.equal(await other.evaluate(() => window.limber.viewer.graphics.said.value), '');
    });
}
await byWebgpu.close();
finish();
