// Builds the page: node build.mjs OUT-FOLDER [LIMBER.WASM]. The folder is a static site: seven files, each once more as
// NAME.gz for servers that hand that out, no network.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const [out = join(here, '../../build/studio'), wasm = join(here, '../../build/wasm/limber.wasm')] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
await build({
    entryPoints: { studio: join(here, 'src/main.ts'), worker: join(here, 'src/engine/worker.ts'), lesson: join(here, 'src/lesson/lesson.ts'), style: join(here, 'src/style.css') },
    outdir: out,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    legalComments: 'eof',
    logLevel: 'warning',
});
copyFileSync(join(here, 'src/index.html'), join(out, 'index.html'));
copyFileSync(wasm, join(out, 'limber.wasm'));
for (const name of ['index.html', 'studio.js', 'worker.js', 'style.css', 'lesson.js', 'lesson.css', 'limber.wasm']) writeFileSync(join(out, `${name}.gz`), gzipSync(readFileSync(join(out, name)), { level: 9 }));
