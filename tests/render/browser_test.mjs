// The shaders in a browser against the CPU: WebGL 2 runs the GLSL, WebGPU the WGSL, both on a software renderer where there
// is no GPU. Skipped where there is no Chromium (apt-get install chromium).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium, withChromium } from './chromium.mjs';

const chromium = findChromium();
if (!chromium) {
    console.log('there is no chromium');
    process.exit(77);
}
const here = dirname(fileURLToPath(import.meta.url));
const build = process.env.LIMBER_BUILD ?? join(here, '../../build/dev');
const cases = execFileSync(join(build, 'tests/render/gpu_cases'), { maxBuffer: 1 << 28, encoding: 'utf8' })
    .trim().split('\n').map((line) => JSON.parse(line));

function floats(hex) {
    const bytes = Buffer.from(hex, 'hex');
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

// The largest departure, in shares of what is allowed: 1e-5 of the diagonal for positions, 1e-3 for directions.
function worst(c, got) {
    const want = floats(c.want);
    let most = got.length === want.length ? 0 : Infinity;
    for (let i = 0; i < want.length; i++) {
        const share = Math.abs(got[i] - want[i]) / (i % 10 < 3 ? 1e-5 * c.diagonal : 1e-3);
        most = share <= most ? most : share;
        if (Number.isNaN(share)) return Infinity;
    }
    return most;
}

let failed = 0;
const ran = { essl: 0, wgsl: 0 }, most = { essl: 0, wgsl: 0 };
await withChromium(chromium, readFileSync(join(here, 'browser_page.js'), 'utf8'), async (evaluate) => {
    for (const c of cases) {
        const name = `${c.language} ${c.stage} method ${c.method} palettes ${c.palettes}`;
        try {
            const got = await evaluate(`${c.language === 'wgsl' ? 'runWebGPU' : 'runWebGL'}(${JSON.stringify(c)})`);
            if (got === null) continue;
            ran[c.language]++;
            const share = worst(c, got);
            most[c.language] = Math.max(most[c.language], share);
            if (!(share <= 1)) throw new Error(`off by ${share} times what is allowed`);
        } catch (error) {
            console.log(`${name}: ${error.message}`);
            failed++;
        }
    }
});
for (const [language, api] of [['essl', 'WebGL 2'], ['wgsl', 'WebGPU']]) {
    console.log(ran[language] > 0 ? `${api}: ${ran[language]} cases, worst at ${most[language].toFixed(4)} of what is allowed`
        : `this chromium has no ${api}`);
}
if (failed > 0) process.exit(1);
if (ran.essl + ran.wgsl === 0) process.exit(77);
