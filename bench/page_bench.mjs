// Pictures a second of the page: a character of 10 000 vertices that walks, one with as many vertices as ten have, and ten
// with a skeleton each, drawn as fast as they come, by WebGL 2 and, on a GPU, by WebGPU; and how long the page's thread takes
// for one. `node bench/page_bench.mjs`, on software or on the GPU that LIMBER_BROWSER_GPU names by Chromium's arguments
// ("--use-angle=vulkan --enable-features=Vulkan"); one JSON object.
import path from 'node:path';
import { webgpu } from '../tests/render/chromium.mjs';
import { makeCrowd } from '../tests/studio/crowd.mjs';
import { drawn, idle, openFile, openStudio, openTab, repeat, until, work } from '../tests/studio/studio.mjs';

const software = process.env.LIMBER_BROWSER_GPU === undefined;
const studio = await openStudio(undefined, [...webgpu, '--disable-gpu-vsync', '--disable-frame-rate-limit']);

/** Milliseconds from picture to picture, each drawn to its end: the median and the 99th of 100. */
function measure(page, count) {
    return page.evaluate(async (pictures) => {
        const { stage } = window.limber.viewer, gl = stage.renderer.getContext(), pixel = new Uint8Array(4), times = [];
        const done = () => (stage.painter ? window.device.queue.onSubmittedWorkDone() : gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel));
        for (let last; times.length < pictures;) {
            await new Promise(requestAnimationFrame);
            await done();
            const now = performance.now();
            if (last !== undefined) times.push(now - last);
            last = now;
        }
        times.sort((a, b) => a - b);
        const at = (share) => Number(times[Math.floor(share * (times.length - 1))].toFixed(2));
        return { median_ms: at(0.5), p99_ms: at(0.99) };
    }, count);
}

/** Milliseconds of the page's thread to pose and ask for a picture, while nothing else waits to be drawn: the median. */
function measureThread(page, count) {
    return page.evaluate(async (pictures) => {
        const { stage, player } = window.limber.viewer, times = [];
        player.play(false);
        for (let k = 0; k <= pictures; ++k) {
            await stage.drawn();
            const start = performance.now();
            player.seek(0.03 * k);
            stage.now();
            // The first makes what stays.
            if (k > 0) times.push(performance.now() - start);
        }
        times.sort((a, b) => a - b);
        return { thread_ms: Number(times[pictures >> 1].toFixed(2)) };
    }, count);
}

/** Runs in the page before its script: the device that draws is kept, to be waited for. */
function keepDevice() {
    const { requestDevice } = globalThis.GPUAdapter?.prototype ?? {};
    if (!requestDevice) return;
    GPUAdapter.prototype.requestDevice = async function (...given) {
        window.adapter = this;
        return (window.device = await requestDevice.apply(this, given));
    };
}

/** Opens one figure, and has it walk. */
async function openOne(page, triangles) {
    const name = `walker-${triangles}.glb`;
    repeat(`limber sample humanoid --seed 3 --rigged --pose t --triangles ${triangles} -o ${name}`, work);
    await openFile(page, path.join(work, name));
    await openTab(page, 'Animate');
    await page.click('.panel button:text-is("Walk")');
    await idle(page);
}

async function run(figures, triangles, method, api) {
    const page = await studio.page({ width: 1280, height: 720, scale: 1, picture: 'full', query: `?gpu=${api}`, before: keepDevice });
    if (figures === 1) await openOne(page, triangles);
    else await openFile(page, path.join(work, makeCrowd(figures, triangles)));
    await drawn(page);
    if (await page.isHidden('.look')) await page.click('[aria-label="Look"]');
    await page.getByLabel('Skin follows', { exact: true }).selectOption(method);
    await until(() => page.evaluate((name) => window.limber.viewer.graphics.api.value === name, api), `${api} does not draw`);
    await page.evaluate(() => window.limber.viewer.player.play(true));
    await measure(page, 5);
    const times = { ...await measure(page, software ? 20 : 600), ...await measureThread(page, software ? 20 : 600) };
    const told = await page.evaluate(() => {
        const gl = window.limber.viewer.stage.renderer.getContext(), info = window.adapter?.info;
        const { UNMASKED_RENDERER_WEBGL } = gl.getExtension('WEBGL_debug_renderer_info');
        return { renderer: info ? `${info.vendor} ${info.architecture} ${info.description}` : gl.getParameter(UNMASKED_RENDERER_WEBGL) };
    });
    await page.context().close();
    return { ...told, api, figures, triangles, method, ...times };
}

const runs = [];
// Without a limit of frames Chromium ends where software draws by WebGPU.
for (const api of software ? ['webgl'] : ['webgl', 'webgpu']) {
    for (const [figures, triangles] of [[1, 20000], [1, 200000], [10, 20000]]) {
        for (const method of ['linear', 'dual']) runs.push(await run(figures, triangles, method, api).catch((error) => ({ api, figures, triangles, method, why: error.message.split('\n')[0] })));
    }
}
console.log(JSON.stringify({ bench: 'page', runs }, null, 2));
await studio.close();
