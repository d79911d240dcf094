// Correctives follow poses by hand: what the module turns on is what the picture shows, and goes when the pose does.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { drag, drawn, finish, idle, openFile, openStudio, openTab, repeat, screenPlace, test, until, work } from './studio.mjs';

repeat('limber sample humanoid --seed 5 --triangles 1500 -q -o small.obj', work);
repeat('limber animate small.obj run -q -o small.glb', work);
repeat('limber bake small.glb --fps 8 --skin dqs -q -o round.obj', work);
repeat('limber learn small.glb round_*.obj --fps 8 --fit correctives -q -o corrected.glb', work);

const studio = await openStudio();
const page = await studio.page();
const state = (read, given) => page.evaluate(read, given);
const shown = () => state(() => window.limber.viewer.character.value.meshes.map((mesh) => [...(mesh.morphTargetInfluences ?? [])]));
const most = (values) => Math.max(...values.map(Math.abs));
/** The weights of the one mesh, whose parts the picture has as meshes: the module's and theirs. */
async function settled() {
    let weights;
    await until(async () => {
        [weights] = await state(() => window.limber.session.engine.live('morphs').then((all) => all.map((mesh) => [...mesh])));
        return weights.length > 0 && (await shown()).every((part) => most(part.map((x, k) => x - weights[k])) < 1e-6);
    }, 'the picture has other morph weights than the module');
    return weights;
}

await openFile(page, 'corrected.glb', fs.readFileSync(path.join(work, 'corrected.glb')));

await test('a limb that is dragged turns correctives on, and undo turns them off', async () => {
    await openTab(page, 'Pose');
    await idle(page);
    await drawn(page);
    const [x, y] = await screenPlace(page, 'leftHand');
    await drag(page, [x, y], [x - 20, y - 40]);
    const bent = await settled();
    assert.ok(most(bent) > 0.02, `nothing is on: ${bent}`);
    await idle(page);
    await drawn(page);
    const [u, v] = await screenPlace(page, 'leftFoot');
    await drag(page, [u, v], [u + 50, v - 160]);
    const other = await settled();
    assert.ok(most(other.map((value, k) => value - bent[k])) > 0.002, 'another pose has the same correctives');
    await page.keyboard.press('Control+z');
    await idle(page);
    await drawn(page);
    const again = await settled();
    assert.ok(most(again.map((value, k) => value - bent[k])) < 1e-4, 'undo did not bring them back');
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
