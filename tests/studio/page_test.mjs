// The page in a browser, as a user takes it: a sample becomes a walking character, whose bytes are those of the command
// line; what is wrong is said and loses nothing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bytesOf, drawn, exported, finish, idle, openFile, openStudio, openTab, repeat, test, violations, work } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page();
const state = (read) => page.evaluate(read);
const log = () => state(() => window.limber.session.log.value.map(({ line, code }) => ({ line, code })));

await test('an empty page can be used by everyone', async () => {
    assert.deepEqual(await violations(page), []);
});

await test('a sample is made, rigged and walks', async () => {
    await page.selectOption('select[aria-label="Try a sample"]', 'humanoid');
    await idle(page);
    await openTab(page, 'Rig');
    await page.click('.panel button.primary');
    await idle(page);
    assert.match(await page.textContent('.panel'), /humanoid, \d+ joints/);
    await openTab(page, 'Animate');
    await page.click('.panel button:text-is("Walk")');
    await idle(page);
    assert.equal(await state(() => window.limber.viewer.player.clip?.name), 'walk');
});

await test('frames move', async () => {
    const look = async (frame) => {
        await page.evaluate((at) => window.limber.viewer.player.seekFrame(at), frame);
        await drawn(page);
        const joints = await state(() => window.limber.viewer.character.value.joints.map((joint) => [...joint.node.matrixWorld.elements]));
        return { joints, picture: await page.locator('.view canvas').screenshot() };
    };
    const [first, later, again] = [await look(0), await look(15), await look(0)];
    assert.notDeepEqual(first.joints, later.joints);
    assert.ok(!first.picture.equals(later.picture), 'the picture stands still');
    assert.deepEqual(first.joints, again.joints);
    const turned = first.joints.filter((matrix, k) => matrix.some((x, i) => i < 12 && Math.abs(x - later.joints[k][i]) > 0.02));
    assert.ok(turned.length > 8, `only ${turned.length} joints turn`);
});

await test('a shell that repeats the log makes the same bytes', async () => {
    const ours = await exported(page);
    const commands = (await log()).filter(({ code }) => code === 0).map(({ line }) => line);
    assert.equal(commands.length, 3);
    const folder = fs.mkdtempSync(path.join(work, 'shell-'));
    for (const line of commands) repeat(line, folder);
    const last = commands.at(-1).match(/-o (\S+)$/)[1];
    assert.ok(ours.equals(fs.readFileSync(path.join(folder, last))), `${last} has other bytes`);
});

await test('undo gives back the bytes that were, redo those that are', async () => {
    const held = () => state(() => ({ ...window.limber.viewer.stage.renderer.info.memory }));
    const now = await exported(page);
    const memory = await held();
    await page.keyboard.press('Control+z');
    await idle(page);
    const before = await exported(page);
    assert.ok(!before.equals(now));
    assert.equal(await state(() => window.limber.session.current.step), 'rig');
    await page.keyboard.press('Control+Shift+z');
    await idle(page);
    assert.ok((await exported(page)).equals(now));
    await drawn(page);
    assert.deepEqual(await held(), memory, 'the GPU holds more than before');
});

await test('weights are shown and smoothed', async () => {
    await openTab(page, 'Weights');
    await page.click('.panel [role=treeitem]:has-text("leftLowerArm")');
    const heat = await state(() => {
        const mesh = window.limber.viewer.character.value.meshes[0];
        return { colours: mesh.material.vertexColors, joint: window.limber.viewer.selected.value };
    });
    assert.equal(heat.colours, true);
    assert.ok(heat.joint >= 0);
    const before = await state(() => window.limber.session.current.file);
    await page.click('.panel button:text-is("Smooth")');
    await idle(page);
    assert.notEqual(await state(() => window.limber.session.current.file), before);
    assert.equal(await state(() => window.limber.viewer.character.value.joints[window.limber.viewer.selected.value].name), 'leftLowerArm');
});

await test('findings have codes, other formats are written', async () => {
    await openTab(page, 'Check');
    await page.waitForSelector('.panel .badge');
    await idle(page);
    const codes = await page.locator('.panel .finding code').allTextContents();
    for (const code of codes) assert.match(code, /^LMB-[A-Z]+-\d{3}$/);
    assert.match((await exported(page, 'BVH')).toString(), /^HIERARCHY/);
});

await test('a malformed file is told and loses nothing', async () => {
    const before = await state(() => window.limber.session.current.file);
    await openFile(page, 'broken.glb', 'glTF\x02\0\0\0\xff\xff\0\0garbage');
    assert.match(await page.textContent('.notice'), /broken\.glb/);
    assert.match(await page.textContent('.notice'), /expected|malformed|found/);
    assert.equal(await state(() => window.limber.session.current.file), before);
    await openFile(page, 'notes.txt', 'hello');
    assert.match(await page.textContent('.notice'), /notes\.txt/);
    assert.equal(await state(() => window.limber.session.current.file), before);
});

await test('a motion dropped on the page goes onto the character', async () => {
    const folder = fs.mkdtempSync(path.join(work, 'motion-'));
    repeat('limber sample humanoid --rigged -o other.glb', folder);
    repeat('limber animate other.glb wave -o other.bvh', folder);
    const text = fs.readFileSync(path.join(folder, 'other.bvh'), 'utf8');
    const clips = await state(() => window.limber.viewer.character.value.clips.length);
    await page.evaluate((bvh) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bvh], 'hello.bvh'));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    }, text);
    await page.waitForFunction(() => window.limber.session.log.value.at(-1).line.includes('hello.bvh'));
    await idle(page);
    assert.equal(await state(() => window.limber.viewer.character.value.clips.length), clips + 1);
    await openTab(page, 'Animate');
    await page.click('section:has(> h3:text-is("Clips")) button:has-text("walk")');
    await page.click('.panel button:text-is("Keep it alone")');
    await idle(page);
    assert.deepEqual(await state(() => window.limber.viewer.character.value.clips.map((clip) => clip.name)), ['walk']);
});

await test('a ribbon tells when feet stand, and how they slide', async () => {
    const rows = async () => (await page.locator('.feet canvas').evaluateAll((all) => all.map((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 1);
        let [blue, red] = [0, 0];
        for (let at = 0; at < data.length; at += 4) if (data[at + 3]) data[at + 2] > data[at] ? ++blue : ++red;
        return { label: canvas.getAttribute('aria-label'), blue, red };
    }))).map(({ label, blue, red }) => ({ stands: Number(label.match(/ in (\d+) of/)[1]), slides: Number(label.match(/slides ([\d.]+) cm/)?.[1]), blue, red }));
    for (const row of await rows()) assert.ok(row.slides < 3 && row.stands > 20 && row.blue > 4 * row.red, JSON.stringify(row));
    await state(() => window.limber.session.animate('walk', ['--in-place', '--speed', '0.3']));
    await idle(page);
    for (const row of await rows()) assert.ok(row.slides > 15 && row.red > row.blue, JSON.stringify(row));
    await page.keyboard.press('Control+z');
    await idle(page);
});

await test('a long command is cancelled, and the next one runs', async () => {
    void state(() => void window.limber.session.sample('humanoid', 5, ['--triangles', '2000000']));
    await page.click('.busy button:has-text("Cancel")');
    await idle(page);
    assert.equal(await page.isVisible('.notice.error'), false);
    await page.selectOption('select[aria-label="Try a sample"]', 'hand');
    await idle(page);
    assert.match(await state(() => window.limber.session.current.title), /^hand/);
});

const tools = await page.locator('[role=tab]:visible').allTextContents();

await test('every tool can be used by everyone, light and dark', async () => {
    for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        for (const tab of tools) {
            await openTab(page, tab);
            await idle(page);
            // Only contrast depends on the scheme.
            const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
            assert.deepEqual(await violations(page, rules), [], `${tab}, ${colorScheme}`);
        }
    }
});

await test('a narrow page cuts nothing off', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.click('.head button[aria-label="Commands that were run"]');
    for (const tab of tools) {
        await openTab(page, tab);
        await idle(page);
        const outside = await state(() => [...document.querySelectorAll('button, select, input, h2')].filter((element) => {
            const { left, right, width } = element.getBoundingClientRect();
            return width > 0 && (left < 0 || right > innerWidth);
        }).map((element) => element.outerHTML));
        assert.deepEqual(outside, [], tab);
        // A finger needs 44 pixels; the text beside a tick is part of it.
        const small = await state(() => [...document.querySelectorAll('button, select, input:not([type=checkbox]), summary, .choice, [role=treeitem]')].filter((element) => {
            const { width, height } = element.getBoundingClientRect();
            return width > 0 && (width < 43.5 || height < 43.5);
        }).map((element) => element.outerHTML.slice(0, 120)));
        assert.deepEqual(small, [], tab);
    }
    const height = () => page.evaluate(() => document.querySelector('.view').clientHeight);
    const before = await height();
    await page.click('[aria-label="Put the tool away"]');
    assert.ok((await height()) > before + 100, 'the picture gets no room');
    await openTab(page, 'Rig');
    assert.equal(await height(), before);
});

/** A character that walks, with meshes that Draco compressed. */
async function compressed(folder) {
    const oracle = createRequire(new URL('../oracle/package.json', import.meta.url));
    const [{ NodeIO }, { KHRDracoMeshCompression }] = await Promise.all(['core', 'extensions'].map((name) => import(oracle.resolve(`@gltf-transform/${name}`))));
    const io = new NodeIO().registerExtensions([KHRDracoMeshCompression]).registerDependencies({ 'draco3d.encoder': await oracle('draco3dgltf').createEncoderModule() });
    repeat('limber sample humanoid --rigged -o plain.glb', folder);
    const character = await io.read(path.join(folder, 'plain.glb'));
    character.createExtension(KHRDracoMeshCompression).setRequired(true);
    await io.write(path.join(folder, 'compressed.glb'), character);
    return fs.readFileSync(path.join(folder, 'compressed.glb'));
}

await test('a file with meshes that Draco compressed is opened as the command reads it', async () => {
    const folder = fs.mkdtempSync(path.join(work, 'draco-'));
    await openFile(page, 'compressed.glb', await compressed(folder));
    assert.match(await state(() => window.limber.session.current.file), /compressed/);
    assert.ok(await state(() => window.limber.session.isRigged));
    const { line } = (await log()).at(-1);
    repeat(line, folder);
    const mine = await bytesOf(page);
    assert.ok(mine.equals(fs.readFileSync(path.join(folder, await state(() => window.limber.session.current.file)))), line);
});

await test('nobody complained, and nobody else was asked', async () => {
    assert.deepEqual(studio.complaints, []);
    assert.deepEqual(studio.strangers, []);
});

await studio.close();
finish();
