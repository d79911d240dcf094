// Builds the page: node build.mjs OUT-FOLDER [LIMBER.WASM], beside which limber-threads.wasm lies. The folder is a static site:
// the files of site.json and sw.js, each also as NAME.br and NAME.gz for servers that hand those out, no network.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { makeHero, makeShaders, makeWgsl, openModule } from './module.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [out = join(here, '../../build/studio'), wasm = join(here, '../../build/wasm/limber.wasm')] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const module = await openModule(readFileSync(wasm));
const shaders = {
    name: 'shaders',
    setup(build) {
        const made = { 'limber-shaders': makeShaders, 'limber-wgsl': makeWgsl };
        build.onResolve({ filter: /^limber-(shaders|wgsl)$/ }, ({ path }) => ({ path, namespace: 'module' }));
        build.onLoad({ filter: /.*/, namespace: 'module' }, ({ path }) => ({ contents: JSON.stringify(made[path](module)), loader: 'json' }));
    },
};
// A script in a package of modules: it exports nothing where it is taken for one.
const draco = {
    name: 'draco',
    setup(build) {
        build.onLoad({ filter: /draco_wasm_wrapper\.js$/ }, ({ path }) => ({ contents: `${readFileSync(path, 'utf8')};export default DracoDecoderModule;` }));
    },
};
const bundle = (entryPoints, more = {}) => build({
    entryPoints: Object.fromEntries(Object.entries(entryPoints).map(([name, file]) => [name, join(here, 'src', file)])),
    outdir: out,
    bundle: true,
    plugins: [shaders, draco],
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    legalComments: 'eof',
    logLevel: 'warning',
    ...more,
});
// What a character without joints has no use for comes as tools.js, later; what both need is shared.js.
await bundle({ studio: 'main.ts', tools: 'tools.ts' }, { splitting: true, chunkNames: 'shared' });
// With a three.js of its own: that of the page would hold all that this one needs.
await bundle({ webgpu: 'webgpu/painter.ts' }, { banner: { js: 'let secondThree;' }, define: { 'window.__THREE__': 'secondThree' } });
await bundle({ worker: 'engine/worker.ts', helper: 'engine/helper.ts', lesson: 'lesson/lesson.ts', style: 'style.css' });
for (const name of ['index.html', 'icon.svg', 'site.webmanifest']) copyFileSync(join(here, 'src', name), join(out, name));
// The decoder asks for Node's files where it runs there.
await bundle({ draco: 'engine/draco.ts' }, { external: ['fs', 'path'] });
copyFileSync(join(here, 'node_modules/three/examples/jsm/libs/draco/gltf/draco_decoder.wasm'), join(out, 'draco.wasm'));
copyFileSync(wasm, join(out, 'limber.wasm'));
copyFileSync(join(dirname(wasm), 'limber-threads.wasm'), join(out, 'limber-threads.wasm'));
writeFileSync(join(out, 'hero.glb'), makeHero(module));
const names = JSON.parse(readFileSync(join(here, 'site.json')));
const bytesOf = (name) => readFileSync(join(out, name));
// What is kept for later is known by what is in it.
const version = createHash('sha256');
for (const name of names) version.update(bytesOf(name));
await bundle({ sw: 'service_worker.ts' }, { define: { files: JSON.stringify(names), version: JSON.stringify(version.digest('hex').slice(0, 16)) } });
for (const name of [...names, 'sw.js']) {
    const bytes = bytesOf(name);
    const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes, { params }));
}
