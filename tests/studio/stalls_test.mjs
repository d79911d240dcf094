// Runs alone: the GPU is to be busy with what the page has it draw.
// What holds the page's thread up at a large character is not done: long copies, and questions to a GPU that draws.
import assert from 'node:assert/strict';
import path from 'node:path';
import { drawn, finish, idle, openFile, openStudio, openTab, repeat, test, until, work } from './studio.mjs';

// Of a copy that one task of the page may make, and of the triangles that keep a GPU busy.
const mostBytes = 1 << 20;
const manyIndices = 30000;

/** Runs in the page before its script: sums up what it hands to its worker and to blobs, and which task made which tool. */
function watchTasks() {
    Object.assign(window, { messages: [], blobs: [], headings: [] });
    const { port1, port2 } = new MessageChannel();
    let task = 0;
    port2.onmessage = () => {
        ++task;
        port1.postMessage(0);
    };
    port1.postMessage(0);
    const bytesIn = (value) => (ArrayBuffer.isView(value) ? value.byteLength : value instanceof Map ? [...value.values()].reduce((sum, one) => sum + bytesIn(one), 0)
        : value !== null && typeof value === 'object' ? Object.values(value).reduce((sum, one) => sum + bytesIn(one), 0) : 0);
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, lent = []) {
        window.messages.push({ bytes: bytesIn(message), lent: lent.length > 0, asks: 'id' in message });
        return postMessage.call(this, message, lent);
    };
    window.Blob = class extends Blob {
        constructor(parts = [], options = {}) {
            super(parts, options);
            window.blobs.push(parts.reduce((sum, part) => sum + (part.byteLength ?? 0), 0));
        }
    };
    const { createElement } = document;
    document.createElement = function (name, ...more) {
        const made = createElement.call(this, name, ...more);
        if (name === 'h2') window.headings.push({ made, task });
        return made;
    };
}

/** Runs in the page before its script: counts what waits for triangles that were to be drawn before. */
function watchGpu(many) {
    window.waits = [];
    const { prototype } = WebGL2RenderingContext, { drawElements, getProgramParameter, bufferData } = prototype;
    let context = null, fence = null;
    prototype.drawElements = function (mode, count, ...more) {
        drawElements.call(this, mode, count, ...more);
        if (count < many) return;
        context = this;
        this.deleteSync(fence);
        fence = this.fenceSync(this.SYNC_GPU_COMMANDS_COMPLETE, 0);
        this.flush();
    };
    const tell = (what) => {
        if (fence && context.clientWaitSync(fence, 0, 0) === context.TIMEOUT_EXPIRED) window.waits.push(`${what} ${new Error().stack}`);
    };
    prototype.getProgramParameter = function (program, name) {
        if (name !== 0x91b1) tell('a program'); // COMPLETION_STATUS_KHR waits for nothing
        return getProgramParameter.call(this, program, name);
    };
    prototype.bufferData = function (target, data, ...more) {
        if (data.byteLength > 1 << 20) tell('a large array');
        return bufferData.call(this, target, data, ...more);
    };
    const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width');
    Object.defineProperty(HTMLCanvasElement.prototype, 'width', {
        ...width,
        set(value) {
            if (context?.canvas === this) tell('another size');
            width.set.call(this, value);
        },
    });
}

const studio = await openStudio(undefined, []);
const page = await studio.page({ picture: null, before: `(${watchTasks})(); (${watchGpu})(${manyIndices});` });
const state = (read, given) => page.evaluate(read, given);
const heard = () => state(() => window.messages.splice(0));

/** Until the picture is whole and the browser has kept what was done. */
async function settled() {
    await idle(page);
    await until(() => state(() => window.limber.keeper.state.value !== 'writing'), 'it is not kept');
    await page.waitForTimeout(1000);
    await drawn(page);
}

repeat('limber sample humanoid --seed 3 --pose t --triangles 200000 -o still.glb', work);

await test('a large file goes to the worker once, a piece a task', async () => {
    await openFile(page, path.join(work, 'still.glb'));
    await settled();
    await heard();
    await openTab(page, 'Rig');
    await page.click('.panel button.primary:has-text("Rig")');
    await settled();
    const rigged = await heard();
    await openTab(page, 'Animate');
    await settled();
    const sizes = await state(() => window.limber.session.history.contents.moments.map(({ snapshot }) => snapshot.glb.length));
    assert.ok(sizes.length === 2 && sizes.every((size) => size > 4 * mostBytes), `characters of ${sizes} bytes`);
    for (const { bytes, lent } of rigged) assert.ok(bytes <= mostBytes && (lent || bytes < mostBytes / 4), `${bytes} bytes in one message, ${lent ? 'lent' : 'copied'}`);
    const sum = rigged.reduce((all, { bytes }) => all + bytes, 0);
    // The one that was opened went over as a file before, and as a character that is shown.
    assert.ok(sum >= sizes[1] && sum < sizes[1] + mostBytes, `${sum} bytes for a new character of ${sizes[1]}`);
    assert.ok(rigged.filter(({ asks }) => asks).length >= 3, 'the character was not asked for three times');
    const later = (await heard()).reduce((all, { bytes }) => all + bytes, 0);
    assert.ok(later < mostBytes, `${later} bytes once more`);
});

await test('tools are made in tasks of their own', async () => {
    const made = await state(() => window.headings.map(({ made, task }) => [made.textContent, task]));
    const names = ['Animate', 'Pose', 'Weights', 'Check', 'Export'];
    // The first of that name stands in its place until it comes.
    const tasks = names.map((name) => made.filter(([text]) => text === name).at(-1)[1]);
    assert.equal(new Set(tasks).size, names.length, `tasks ${tasks}`);
});

await test('nothing waits for a GPU that draws', async () => {
    await page.click('.panel button:text-is("Walk")');
    await settled();
    await openTab(page, 'Pose');
    await settled();
    await state(() => window.limber.viewer.select(4));
    await settled();
    await openTab(page, 'Weights');
    await settled();
    // One picture follows the other while it walks.
    await state(() => window.limber.viewer.player.play(true));
    for (const width of [720, 700, 760]) {
        await page.setViewportSize({ width, height: 540 });
        await page.waitForTimeout(700);
    }
    await state(() => window.limber.session.animate('run', []));
    await settled();
    // A program is asked two things. Without rehearsals two programs and more are waited for; one may be where the browser itself
    // keeps the GPU busy for longer than a rehearsal has patience.
    const waits = await state(() => window.waits), programs = waits.filter((what) => what.startsWith('a program')).length;
    assert.ok(programs <= 2 && programs === waits.length, waits.join('\n'));
});

await test('blobs are made a piece a task', async () => {
    await openTab(page, 'Export');
    for (const act of [() => page.click('.panel .target:has(b:text-is("GLB"))'), () => page.keyboard.press('Control+s')]) {
        await Promise.all([page.waitForEvent('download'), act()]);
    }
    const blobs = await state(() => window.blobs);
    assert.ok(blobs.length > 20, `${blobs.length} blobs`);
    assert.ok(Math.max(...blobs) <= mostBytes, `a blob of ${Math.max(...blobs)} bytes`);
});

await test('nobody complained', async () => assert.deepEqual(studio.complaints, []));

await studio.close();
finish();
