// Pictures a second of the page: a character of 10 000 vertices that walks, and one with as many vertices as ten have, drawn
// as fast as they come. `node bench/page_bench.mjs`, on software or on the GPU that LIMBER_BROWSER_GPU names by Chromium's
// arguments ("--use-angle=vulkan --enable-features=Vulkan"); one JSON object.
import path from 'node:path';
import { idle, openFile, openStudio, openTab, repeat, work } from '../tests/studio/studio.mjs';

const software = process.env.LIMBER_BROWSER_GPU === undefined;
const studio = await openStudio(undefined, ['--disable-gpu-vsync', '--disable-frame-rate-limit']);

/** Milliseconds from picture to picture: the median and the 99th of 100. */
function measure(page, count) {
    return page.evaluate((pictures) => new Promise((resolve) => {
        const gl = window.limber.viewer.stage.renderer.getContext(), pixel = new Uint8Array(4), times = [];
        let last;
        const beat = () => {
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until all is drawn
            const now = performance.now();
            if (last !== undefined) times.push(now - last);
            last = now;
            if (times.length < pictures) return requestAnimationFrame(beat);
            times.sort((a, b) => a - b);
            const at = (share) => Number(times[Math.floor(share * (times.length - 1))].toFixed(2));
            resolve({ median_ms: at(0.5), p99_ms: at(0.99) });
        };
        requestAnimationFrame(beat);
    }), count);
}

async function run(triangles, method) {
    const page = await studio.page({ width: 1280, height: 720, scale: 1 });
    const name = `walker-${triangles}.glb`;
    repeat(`limber sample humanoid --seed 3 --rigged --pose t --triangles ${triangles} -o ${name}`, work);
    await openFile(page, path.join(work, name));
    await openTab(page, 'Animate');
    await page.click('.panel button:text-is("Walk")');
    await idle(page);
    if (await page.isHidden('.look')) await page.click('[aria-label="Look"]');
    await page.getByLabel('Skin follows', { exact: true }).selectOption(method);
    await page.evaluate(() => window.limber.viewer.player.play(true));
    await measure(page, 5);
    const times = await measure(page, software ? 20 : 600);
    const told = await page.evaluate(() => {
        const gl = window.limber.viewer.stage.renderer.getContext();
        const names = gl.getExtension('WEBGL_debug_renderer_info');
        return { renderer: gl.getParameter(names.UNMASKED_RENDERER_WEBGL), vertices: window.limber.session.current.info.meshes?.reduce((sum, mesh) => sum + mesh.vertices, 0) };
    });
    await page.context().close();
    return { ...told, triangles, method, ...times };
}

const runs = [];
for (const triangles of [20000, 200000]) {
    for (const method of ['linear', 'dual']) runs.push(await run(triangles, method));
}
console.log(JSON.stringify({ bench: 'page', runs }, null, 2));
await studio.close();
