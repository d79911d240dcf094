// How much of the picture is drawn: all of it, or a simple one where software draws or frames take long; by the user's choice.
import assert from 'node:assert/strict';
import { drawn, finish, idle, openStudio, openTab, test, until, violations } from './studio.mjs';

const studio = await openStudio();
const page = await studio.page({ picture: null });
const state = (read, given) => page.evaluate(read, given);
const choice = page.getByLabel('Picture', { exact: true });
const kinds = () => state(() => window.kinds);

async function begin() {
    await state(() => {
        const { stage } = window.limber.viewer;
        window.kinds = [];
        stage.after.add(() => window.kinds.push(stage.scene.environment ? 'full' : 'simple'));
    });
}

/** Turns the view a few times, by a picture each; gives what was drawn meanwhile. */
async function turn() {
    await drawn(page);
    return state(async () => {
        const { stage } = window.limber.viewer, { kinds } = window;
        kinds.length = 0;
        for (let k = 1; k <= 4; ++k) {
            stage.orbit(0.01, 0);
            while (kinds.length < k) await new Promise(requestAnimationFrame);
        }
        return [...new Set(kinds)];
    });
}

async function look() {
    if (await page.isHidden('.look')) await page.click('[aria-label="Look"]');
    await choice.waitFor();
}

/** The character alone as bytes red, green, blue, alpha, and how long it takes to draw everything. */
const shown = () => state(() => {
    const { stage, canvas } = window.limber.viewer;
    const gl = stage.renderer.getContext(), pixel = new Uint8Array(4);
    const draw = () => {
        stage.now();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    };
    draw();
    const start = performance.now();
    for (let k = 0; k < 10; ++k) draw();
    const milliseconds = (performance.now() - start) / 10;
    stage.floor.group.visible = false;
    stage.now();
    const flat = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height }).getContext('2d');
    flat.drawImage(canvas, 0, 0);
    stage.floor.group.visible = true;
    return { milliseconds, bytes: [...flat.getImageData(0, 0, canvas.width, canvas.height).data] };
});

await state(() => window.limber.session.sample('humanoid', 3, ['--pose', 't', '--triangles', '3000']));
await openTab(page, 'Rig');
await page.click('.panel button.primary');
await idle(page);
await begin();

await test('where software draws, the simple picture is drawn until nothing moves, and then all of it once', async () => {
    assert.deepEqual(await turn(), ['simple']);
    await until(async () => (await kinds()).at(-1) === 'full', 'it never comes to rest');
    const count = (await kinds()).length;
    await page.waitForTimeout(800);
    assert.equal((await kinds()).length, count, 'what rests is drawn again');
    assert.equal((await kinds()).filter((kind) => kind === 'full').length, 1);
});

await test('the simple picture shows the same figure in much the same colours, faster', async () => {
    await look();
    await choice.selectOption('full');
    const full = await shown();
    await choice.selectOption('simple');
    const simple = await shown();
    const counts = { either: 0, both: 0, off: 0 };
    for (let at = 0; at < full.bytes.length; at += 4) {
        const [a, b] = [full, simple].map(({ bytes }) => bytes[at + 3] > 127);
        counts.either += a || b;
        if (!a || !b) continue;
        counts.both++;
        counts.off += [0, 1, 2].reduce((sum, k) => sum + Math.abs(full.bytes[at + k] - simple.bytes[at + k]), 0) / 3;
    }
    const off = counts.off / counts.both;
    console.log(`      off by ${off.toFixed(1)} of 255; ${full.milliseconds.toFixed(0)} and ${simple.milliseconds.toFixed(0)} ms`);
    assert.ok(counts.both > 1000 && counts.both > 0.98 * counts.either, `${counts.both} of ${counts.either} pixels`);
    assert.ok(off > 0.5 && off < 25, `off by ${off}`);
    assert.ok(simple.milliseconds < 0.6 * full.milliseconds, `${simple.milliseconds} ms and ${full.milliseconds}`);
});

await test('it is the user\'s choice, over a reload too', async () => {
    await look();
    for (const kind of ['full', 'simple']) {
        await choice.selectOption(kind);
        assert.deepEqual(await turn(), [kind]);
    }
    await page.waitForTimeout(800);
    assert.ok(!(await kinds()).slice(-1).includes('full'), 'the simple picture is not left at that');
    assert.deepEqual(await violations(page), []);
    await until(() => state(() => window.limber.keeper.state.value === 'kept'), 'it is not kept');
    await page.reload();
    await page.waitForSelector('html.ready', { state: 'attached' });
    await look();
    assert.equal(await choice.inputValue(), 'simple');
    await begin();
    assert.deepEqual(await turn(), ['simple']);
});

await test('frames that take long have the simple picture drawn; one alone does not', async () => {
    const after = (slow) => state(async (slow) => {
        const { stage } = window.limber.viewer;
        stage.detail.choice.choose('automatic');
        stage.detail.slow = false;
        let left = 40;
        await new Promise((resolve) => {
            const step = () => {
                const end = performance.now() + (slow || left === 20 ? 90 : 0);
                while (performance.now() < end);
                if (--left > 0) return true;
                stage.before.delete(step);
                resolve();
                return false;
            };
            // Nothing but the step takes time.
            stage.scene.visible = false;
            stage.renderer.shadowMap.enabled = false;
            stage.floor.shadow = () => {};
            stage.before.add(step);
            stage.draw();
        });
        return stage.detail.simple;
    }, slow);
    assert.equal(await after(false), false);
    assert.equal(await after(true), true);
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
