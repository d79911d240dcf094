// A made figure that is rigged and walks in the page, and its vertices as the command makes them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { exported, idle, openTab, repeat, work } from './studio.mjs';

/** Vertices of what `limber bake` makes of `what`, three numbers each. */
export function bakedVertices(folder, what) {
    repeat(`limber bake ${what} -o baked.obj`, folder);
    return fs.readFileSync(path.join(folder, 'baked.obj'), 'utf8').split('\n').filter((line) => line.startsWith('v ')).map((line) => line.split(' ').slice(1, 4).map(Number));
}

/** Rigs with so many joints a vertex at most and stops the walk at a frame; gives what bakes that moment by a method. */
export async function walker(page, influences, frame) {
    await page.evaluate(() => window.limber.session.sample('humanoid', 3, ['--pose', 't', '--triangles', '3000']));
    await openTab(page, 'Rig');
    await page.getByLabel('Joints a vertex', { exact: true }).selectOption(`${influences}`);
    await page.click('.panel button.primary');
    await idle(page);
    await page.click('.guide button:text-is("Walk")');
    await idle(page);
    if (await page.isHidden('.look')) await page.click('[aria-label="Look"]');
    await page.evaluate((at) => window.limber.viewer.player.seekFrame(at), frame);
    const folder = fs.mkdtempSync(path.join(work, 'walker-'));
    fs.writeFileSync(path.join(folder, 'walker.glb'), await exported(page));
    const time = await page.evaluate(() => window.limber.viewer.player.time);
    return (method) => bakedVertices(folder, `walker.glb --clip walk --time ${time} --skin ${method}`);
}

/** Switches morph targets off in Look and on again: without them the picture is that of weights of 0, and the weights stay.
 * `shown` gives the picture's bytes, `settled` waits until it has what was asked for. */
export async function switchesMorphs(page, shown, settled) {
    const box = page.locator('.look').getByLabel('Morph targets');
    if (await page.isHidden('.look')) await page.click('[aria-label="Look"]');
    const weights = () => page.evaluate(() => window.limber.viewer.character.value.meshes.map((mesh) => [...(mesh.morphTargetInfluences ?? [])]));
    const before = await weights(), on = await shown();
    await page.evaluate(() => {
        window.pictures = 0;
        window.limber.viewer.stage.after.add(() => ++window.pictures);
    });
    await box.uncheck();
    await settled();
    assert.ok(await page.evaluate(() => window.pictures > 0), 'nothing is drawn anew');
    const off = await shown();
    assert.ok(off.some((value, k) => Math.abs(value - on[k]) > 8), 'the picture is as it was');
    assert.deepEqual(await weights(), before, 'the weights are others');
    await box.check();
    await settled();
    assert.deepEqual(await shown(), on, 'switched on again it is another picture');
    await page.evaluate(() => window.limber.viewer.character.value.meshes.forEach((mesh) => mesh.morphTargetInfluences?.fill(0)));
    assert.deepEqual(await shown(), off, 'switched off it is not the picture of weights of 0');
}
