// The picture is Limber's own: the vertices that the page's shaders make, read back by transform feedback, and those that
// its module makes, are what `limber bake --skin` writes; two methods stand beside each other with their volumes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawn, finish, idle, openFile, openStudio, openTab, repeat, test, until, violations, work } from './studio.mjs';
import { keepShaders, verticesByWebgl } from './gpu_vertices.mjs';
import { bakedVertices, switchesMorphs, walker } from './walker.mjs';

// Of the diagonal. Frames of delta mush rest on a smoothed surface, and where that is thin, as in fingers, they turn on a bit of a float.
const tolerance = 1e-5, mushTolerance = 5e-5;
const studio = await openStudio();
const page = await studio.page({ width: 900, height: 600 });
const state = (read, given) => page.evaluate(read, given);
const choose = (label, value) => page.getByLabel(label, { exact: true }).selectOption(value);
// A moment of the walk in which most joints turn.
const frame = 13;

await keepShaders(page);
await page.reload();
await page.waitForSelector('html.ready', { state: 'attached' });
const onTheGpu = () => verticesByWebgl(page);

/** What the module made of every vertex, of the character or of the one beside it. */
function ofTheModule() {
    return state(() => window.limber.viewer.character.value.skins.flatMap(({ mesh }) => {
        const { array, count } = mesh.geometry.attributes.lmb_position;
        return Array.from({ length: count }, (_, v) => [...array.subarray(3 * v, 3 * v + 3)]);
    }));
}

function compare(shown, baked, within = tolerance) {
    assert.equal(shown.length, baked.length);
    const [low, high] = [Math.min, Math.max].map((pick) => [0, 1, 2].map((axis) => baked.reduce((most, place) => pick(most, place[axis]), baked[0][axis])));
    const diagonal = Math.hypot(...high.map((value, axis) => value - low[axis]));
    const worst = shown.reduce((most, place, v) => Math.max(most, Math.hypot(...place.map((value, axis) => value - baked[v][axis]))), 0);
    assert.ok(worst <= within * diagonal, `off by ${(worst / diagonal).toExponential(2)} of the diagonal`);
    return worst / diagonal;
}

async function shows(method, mode) {
    await choose('Skin follows', method);
    await drawn(page);
    await state(() => window.limber.skinning.settled());
    await drawn(page);
    assert.deepEqual([...new Set(await state(() => window.limber.viewer.character.value.skins.map((skin) => skin.mode)))], [mode]);
}

/** The picture alone: what lies over it is put together a little differently from time to time. */
const picture = () => state(() => {
    const { stage, canvas } = window.limber.viewer;
    stage.now();
    return canvas.toDataURL();
});

for (const influences of [4, 8]) {
    await test(`the shaders make what bake writes, up to ${influences} joints a vertex`, async () => {
        const bake = await walker(page, influences, frame);
        assert.deepEqual([...new Set(await state(() => window.limber.viewer.character.value.skins.map((skin) => skin.influences)))].sort().at(-1), influences);
        const off = [];
        for (const [method, name] of [['linear', 'lbs'], ['dual', 'dqs']]) {
            await shows(method, method);
            off.push(compare(await onTheGpu(), bake(name)));
        }
        assert.ok(Math.abs((await onTheGpu())[0][1]) < 3);
        console.log(`      off by ${off.map((one) => one.toExponential(1)).join(' and ')} of the diagonal`);
        if (influences === 8) return;
        // The two are told apart by it.
        assert.throws(() => compare(bake('lbs'), bake('dqs')));
        for (const [method, name, within] of [['center', 'cor', tolerance], ['deltaMush', 'dm', mushTolerance]]) {
            await shows(method, 'lanes');
            compare(await ofTheModule(), bake(name), within);
        }
    });
}

await test('morph targets come before the skin', async () => {
    const tests = path.join(path.dirname(fileURLToPath(import.meta.url)), '../cli');
    repeat(`limber bake ${path.join(tests, 'body.npz')} --pose ${path.join(tests, 'body_walk.npz')} -o morphs.glb`, work);
    await openFile(page, 'morphs.glb', fs.readFileSync(path.join(work, 'morphs.glb')));
    await shows('linear', 'linear');
    await state(() => window.limber.viewer.player.seekFrame(11));
    await drawn(page);
    const time = await state(() => window.limber.viewer.player.time);
    assert.ok((await state(() => window.limber.viewer.character.value.skins[0].mesh.morphTargetInfluences)).some((weight) => Math.abs(weight) > 0.01), 'no target does anything');
    compare(await onTheGpu(), bakedVertices(work, `morphs.glb --clip 0 --time ${time}`));
    await switchesMorphs(page, () => state(() => {
        const { stage, canvas } = window.limber.viewer, { width, height } = canvas;
        stage.now();
        const flat = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
        flat.drawImage(canvas, 0, 0);
        return [...flat.getImageData(0, 0, width, height).data];
    }), () => drawn(page));
    // Whoever moves a slider wants to see what it does.
    await page.locator('.look').getByLabel('Morph targets').uncheck();
    await openTab(page, 'Body');
    await page.locator('.panel section:has(> h3:text-is("Morph targets")) input').first().press('ArrowRight');
    assert.ok(await page.locator('.look').getByLabel('Morph targets').isChecked(), 'what a slider does is not shown');
    await page.keyboard.press('Control+z');
    await idle(page);
});

await test('a palette goes to the GPU once a skeleton, though several meshes follow it', async () => {
    await shows('linear', 'linear');
    const [sent, skeletons, meshes] = await state(() => {
        const { stage, character } = window.limber.viewer, gl = stage.renderer.getContext(), { texSubImage2D } = gl;
        let sent = 0;
        gl.texSubImage2D = function (...given) {
            sent += given[4] === 1024 && given[7] === gl.FLOAT;
            return texSubImage2D.apply(this, given);
        };
        stage.now();
        delete gl.texSubImage2D;
        const { skins } = character.value;
        return [sent, new Set(skins.map(({ mesh }) => mesh.skeleton)).size, skins.length];
    });
    assert.ok(meshes > skeletons, `${meshes} meshes, ${skeletons} skeletons`);
    assert.equal(sent, skeletons);
});

await test('two methods stand beside each other, with what they keep of the volume', async () => {
    const held = () => state(() => ({ ...window.limber.viewer.stage.renderer.info.memory }));
    await shows('linear', 'linear');
    await drawn(page);
    const before = await held(), alone = await picture();
    await choose('Beside it', 'dual');
    const volumes = () => state(() => window.limber.skinning.volumes.value);
    await until(async () => (await volumes()).every((one) => one !== null), 'no volumes are told');
    // An elbow and two knees are bent: a blend loses volume there, dual quaternions lose less.
    const [linear, dual] = await volumes();
    assert.ok(linear > 0.9 && linear < 1 && dual > linear && dual < 1.1, `${linear} and ${dual}`);
    assert.match(await page.textContent('.methods'), /Linear blendvolume 9\d\.\d % of restDual quaternionsvolume \d+\.\d % of rest/);
    assert.ok((await picture()) !== alone, 'nobody stands beside it');
    // Where the view is wide enough, both stand beside the menu.
    const size = page.viewportSize();
    await page.setViewportSize({ width: 1440, height: 700 });
    await until(() => state(() => {
        const { stage } = window.limber.viewer, { min, max } = stage.box, { clientWidth } = stage.canvas.parentElement, point = stage.camera.position.clone();
        const across = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => point.set(k & 1 ? max.x + stage.beside : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).project(stage.camera).x);
        return (Math.max(...across) + 1) / 2 * clientWidth < document.querySelector('.look').offsetLeft;
    }), 'the second figure stands behind the menu');
    await page.setViewportSize(size);
    await drawn(page);
    await state(() => window.limber.viewer.player.seekFrame(0));
    await until(async () => (await volumes())[0] !== linear, 'the volume is still that of another frame');
    assert.deepEqual(await violations(page), []);
    await choose('Beside it', '');
    await drawn(page);
    assert.deepEqual(await held(), before, 'the GPU holds more than before');
});

await test('the surface shows normals, lines and clay, the skeleton its ends and axes', async () => {
    const pictures = [];
    const look = async () => {
        await drawn(page);
        pictures.push(await picture());
    };
    await look();
    for (const surface of ['clay', 'normals', 'wire']) {
        await choose('Surface', surface);
        await look();
    }
    await choose('Surface', 'own');
    await drawn(page);
    assert.ok((await picture()) === pictures[0], 'its own look does not come back');
    await page.getByLabel('Ends of the last bones').check();
    await look();
    await page.getByLabel('Axes of the joints').check();
    await look();
    assert.equal(new Set(pictures).size, pictures.length, 'two of the looks are the same');
    await page.keyboard.press('Escape');
    assert.equal(await page.isVisible('.look'), false);
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
