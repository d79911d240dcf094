// Builds the page: node build.mjs OUT-FOLDER [LIMBER.WASM]. The folder is a static site: eight files, each once more as
// NAME.gz for servers that hand that out, no network.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { makeHero, makeShaders, openModule } from './module.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [out = join(here, '../../build/studio'), wasm = join(here, '../../build/wasm/limber.wasm')] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const module = await openModule(readFileSync(wasm));
const shaders = {
    name: 'shaders',
    setup(build) {
        build.onResolve({ filter: /^limber-shaders$/ }, ({ path }) => ({ path, namespace: 'module' }));
        build.onLoad({ filter: /.*/, namespace: 'module' }, () => ({ contents: JSON.stringify(makeShaders(module)), loader: 'json' }));
    },
};
await build({
    entryPoints: { studio: join(here, 'src/main.ts'), worker: join(here, 'src/engine/worker.ts'), lesson: join(here, 'src/lesson/lesson.ts'), style: join(here, 'src/style.css') },
    outdir: out,
    bundle: true,
    plugins: [shaders],
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    legalComments: 'eof',
    logLevel: 'warning',
});
copyFileSync(join(here, 'src/index.html'), join(out, 'index.html'));
copyFileSync(wasm, join(out, 'limber.wasm'));
writeFileSync(join(out, 'hero.glb'), makeHero(module));
for (const name of ['index.html', 'studio.js', 'worker.js', 'style.css', 'hero.glb', 'lesson.js', 'lesson.css', 'limber.wasm']) writeFileSync(join(out, `${name}.gz`), gzipSync(readFileSync(join(out, name)), { level: 9 }));
