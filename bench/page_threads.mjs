// How long the page's module takes for one command on one thread and on all that the page has: the least of ROUNDS runs, in
// milliseconds. Needs build/studio and the command; node bench/page_threads.mjs [ROUNDS [VERTICES …]]
import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
process.env.LIMBER_PAGE ??= path.join(root, 'build/studio');
const { openStudio } = await import('../tests/studio/studio.mjs');

const [rounds = 5, ...sizes] = process.argv.slice(2).map(Number);
const lines = ['rig body.obj -q -o body.glb', 'rig body.obj --weights voxel -q -o voxel.glb', 'animate body.glb walk -q -o walk.glb'];
const studio = await openStudio();
const page = await studio.page();
console.log(`${await page.evaluate(() => Math.min(navigator.hardwareConcurrency, 8))} threads, isolated: ${await page.evaluate(() => self.crossOriginIsolated)}`);

// Each command by turns on one thread and on all: what else the machine does meets both.
const measure = (vertices) => page.evaluate(async ([vertices, rounds, lines]) => {
    const files = new Map();
    const run = async (line) => {
        const start = performance.now(), done = await window.limber.run(line.split(' '), files), took = performance.now() - start;
        if (done.code !== 0) throw new Error(done.messages);
        return [took, done.files];
    };
    for (const [name, bytes] of (await run(`sample humanoid --seed 7 --pose t --triangles ${2 * vertices} -o body.obj`))[1]) files.set(name, bytes);
    const least = [];
    for (const line of lines) {
        const best = [Infinity, Infinity];
        let made;
        for (let k = 0; k < rounds; ++k) {
            for (const [side, threads] of [' --threads 1', ''].entries()) {
                const [took, written] = await run(line + threads);
                best[side] = Math.min(best[side], took);
                made = written;
            }
        }
        for (const [name, bytes] of made) if (name === 'body.glb') files.set(name, bytes);
        least.push(best);
    }
    return least;
}, [vertices, rounds, lines]);

for (const vertices of sizes.length ? sizes : [43000, 200000]) {
    (await measure(vertices)).forEach(([one, all], k) => console.log(`${vertices} vertices: ${lines[k]}: ${one.toFixed(0)} ms on one thread, ${all.toFixed(0)} on all (${(one / all).toFixed(2)})`));
}
assert.deepEqual(studio.complaints, []);
await studio.close();
