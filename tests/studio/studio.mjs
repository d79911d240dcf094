// What the tests of the page share: building it, a browser on it, and counting what failed. Exits 77 where something that
// is needed is not on this machine.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawing, findChromium } from '../render/chromium.mjs';

const source = process.env.LIMBER_SOURCE ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const page = path.join(source, 'studio/page');
export const limber = process.env.LIMBER ?? path.join(source, 'build/limber');
export const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-studio-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

function skip(reason) {
    console.log(`skipped: ${reason}`);
    process.exit(77);
}

function run(command, ...args) {
    const done = spawnSync(command, args, { cwd: source, encoding: 'utf8' });
    if (done.status === 0) return;
    console.log(done.stdout + done.stderr);
    process.exit(1);
}

function compilesToWasm() {
    fs.writeFileSync(path.join(work, 'probe.c'), '#include <stdlib.h>\n');
    return spawnSync('clang', ['--target=wasm32-wasi', '-c', 'probe.c', '-o', 'probe.o'], { cwd: work }).status === 0;
}

// What the page is made of, so that one that is built can be told from what stands in the tree.
function sourcesHash(modules) {
    const hash = createHash('sha256');
    for (const module of modules) hash.update(fs.readFileSync(module));
    const add = (folder) => {
        for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
            if (entry.name === 'node_modules') continue;
            const file = path.join(folder, entry.name);
            if (entry.isDirectory()) add(file);
            else hash.update(`${entry.name}\n`).update(fs.readFileSync(file));
        }
    };
    add(page);
    return hash.digest('hex').slice(0, 16);
}

/** Builds the module and the page as they stand in the tree, once for all tests; gives the folder of the page. LIMBER_PAGE is one that is built. */
function build() {
    if (process.env.LIMBER_PAGE) return process.env.LIMBER_PAGE;
    const wasm = path.join(source, 'build/wasm');
    if (!fs.existsSync(path.join(wasm, 'build.ninja'))) run('cmake', '--preset', 'wasm');
    // Tests run side by side, and two builds of one folder would spoil each other.
    run('flock', `${wasm}.lock`, 'cmake', '--build', wasm, '--target', 'limber_wasm');
    const module = path.join(wasm, 'limber.wasm');
    const site = path.join(source, 'build/pages', sourcesHash([module, path.join(wasm, 'limber-threads.wasm')]));
    const make = '[ -d "$0" ] || { rm -rf "$0.part" && "$1" "$2" "$0.part" "$3" && mv "$0.part" "$0"; }';
    run('flock', `${wasm}.lock`, 'sh', '-c', make, site, process.execPath, path.join(page, 'build.mjs'), module);
    return site;
}

// Where a program lies that is found by its name.
const located = (name) => spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();

const chromium = findChromium();
if (!chromium) skip('there is no chromium');
if (!fs.existsSync(path.join(page, 'node_modules/playwright-core'))) skip('studio/page/node_modules is not there; ./dev test installs it');
if (!process.env.LIMBER_PAGE && !compilesToWasm()) skip('clang does not compile for wasm32-wasi here');

const require = createRequire(path.join(page, 'package.json'));
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const { served } = await import(path.join(page, 'served.mjs'));

/** A browser on the page as the command serves it. `file` is what the address can name; `flags` are the browser's. The page is
 * put together without WebGL, which software does slowly: there the page's thread waits for each picture. */
export async function openStudio(file, flags = process.env.LIMBER_BROWSER_GPU ? [] : ['--disable-gpu-compositing']) {
    const folder = build();
    const server = await served(limber, folder, file);
    const browser = await require('playwright-core').chromium.launch({
        executablePath: located(chromium),
        args: ['--no-sandbox', '--disable-dev-shm-usage', ...drawing, '--ignore-gpu-blocklist', ...flags],
    });
    return new Studio(server, browser, folder);
}

class Studio {
    complaints = [];
    strangers = [];

    constructor(server, browser, folder) {
        Object.assign(this, { server, browser, folder, url: new URL('/', server.address).href });
    }

    /** A new page of that size, at the address that the command told, or at `query` and `hash` there. Software draws it: small,
     * coarse and simple is fast; `picture` null leaves that to the page. `before` is run in it before its own script. */
    async page({ width = 800, height = 540, scale = 0.5, colorScheme = 'dark', hash = '', query = '', picture = 'simple', before = null } = {}) {
        const context = await this.browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale, colorScheme, reducedMotion: 'reduce', acceptDownloads: true });
        // Samples that are made at a click are the same in every run.
        await context.addInitScript(() => {
            let state = 1;
            Math.random = () => (state = (16807 * state) % 2147483647) / 2147483647;
        });
        // A frame without an origin has no storage.
        if (picture) await context.addInitScript((choice) => origin !== 'null' && localStorage.setItem('limber picture', choice), picture);
        if (before) await context.addInitScript(before);
        const page = await context.newPage();
        // A machine with other work draws in software slowly.
        page.setDefaultTimeout(120000);
        // Drivers tell about their own speed; that is nobody's mistake.
        page.on('console', (message) => {
            if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text())) this.complaints.push(message.text());
        });
        page.on('pageerror', (error) => this.complaints.push(error.stack));
        page.on('request', (request) => {
            if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(this.url)) this.strangers.push(request.url());
        });
        await page.goto(query ? `${this.url}${query}${hash}` : this.server.address + hash);
        await page.waitForSelector('html.ready', { state: 'attached', timeout: 120000 });
        return page;
    }

    async close() {
        await this.browser.close();
        assert.equal(await this.server.stop(), 0, 'the server did not end well');
    }
}

/** Waits until no command runs. */
export async function idle(page) {
    await page.waitForFunction(() => !window.limber.session.busy.value, null, { timeout: 120000 });
}

export async function openTab(page, name) {
    await page.click(`[role=tab]:has-text("${name}")`);
    await page.waitForFunction(() => !document.querySelector('.panel')?.textContent.includes('Coming …'));
}

/** Hands the page a file through its Open button: bytes by a name, or a large one by its path alone. */
export async function openFile(page, name, bytes) {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('.head button:has-text("Open")')]);
    await chooser.setFiles(bytes === undefined ? name : { name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });
    await idle(page);
}

/** Waits until what was asked for is in the picture, which may have to be made ready for it: what was made ready between two
 * looks is drawn after them. */
export function drawn(page) {
    return page.evaluate(async () => {
        const { stage } = window.limber.viewer;
        for (let calm = 0; calm < 2; ) {
            const waited = stage.isPreparing;
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            calm = waited || stage.isPreparing ? 0 : calm + 1;
        }
    });
}

/** Asks again until it holds; what does not hold in a minute never will. */
export async function until(holds, complaint) {
    const end = performance.now() + 60000;
    while (!(await holds())) {
        if (performance.now() > end) throw new Error(complaint);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/** Where on the page a joint is seen. */
export function screenPlace(page, name) {
    return page.evaluate((joint) => {
        const { viewer } = window.limber;
        const { left, top, width, height } = viewer.canvas.getBoundingClientRect();
        const seen = viewer.bones.position(viewer.character.value.jointIndex(joint)).clone().project(viewer.stage.camera);
        return [left + ((seen.x + 1) / 2) * width, top + ((1 - seen.y) / 2) * height];
    }, name);
}

/** From one place of the page to another with the left button down; done when what it moves has come to rest. */
export async function drag(page, [x, y], [toX, toY], steps = 10) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(toX, toY, { steps });
    await page.mouse.up();
    await page.evaluate(() => window.limber.hand.settled());
    await drawn(page);
}

/** The bytes of the character; not as a list of numbers, which takes a minute to come over. */
export async function bytesOf(page) {
    return Buffer.from(await page.evaluate(async () => {
        const reader = new FileReader();
        const read = new Promise((resolve) => reader.addEventListener('load', resolve));
        reader.readAsDataURL(new Blob([window.limber.session.current.glb]));
        await read;
        return reader.result.slice(reader.result.indexOf(',') + 1);
    }), 'base64');
}

/** The bytes of the character as the user gets them: a download. */
export async function exported(page, label = 'GLB') {
    await openTab(page, 'Export');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.panel .target:has(b:text-is("${label}"))`)]);
    return fs.readFileSync(await download.path());
}

/** What axe finds wrong, a line each; by one of its rules or by all. */
export async function violations(page, rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']) {
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
    const result = await page.evaluate((runOnly) => window.axe.run(document, { runOnly }), rules);
    return result.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ''}`).join('; ')}`);
}

/** Runs a line of the log as a shell would. */
export function repeat(line, folder) {
    const done = spawnSync('sh', ['-c', line.replace(/^limber/, '"$LIMBER_COMMAND"')], { cwd: folder, env: { ...process.env, LIMBER_COMMAND: limber } });
    if (done.status !== 0) throw new Error(`${line}: exit ${done.status}: ${done.stderr}`);
}

let failed = 0;

/** One thing that is to hold; the others run on when it does not. */
export async function test(name, act) {
    const start = performance.now();
    try {
        await act();
        console.log(`ok    ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failed++;
        console.log(`FAIL  ${name}: ${error.stack}`);
    }
}

export function finish() {
    process.exit(failed ? 1 : 0);
}
