// A headless Chromium that evaluates JavaScript: the DevTools protocol over a pipe, so that nothing but node is needed.
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export function findChromium() {
    const names = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean);
    return names.find((name) => spawnSync(name, ['--version']).status === 0);
}

/** What draws: software, the same on every machine, or what the arguments in LIMBER_BROWSER_GPU choose ("--use-angle=vulkan"). */
export const drawing = process.env.LIMBER_BROWSER_GPU?.split(' ') ??
    ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--use-webgpu-adapter=swiftshader'];

/** What a page needs besides to be drawn by WebGPU: software shows it where Vulkan puts the page together. */
export const webgpu = ['--enable-unsafe-webgpu', ...(process.env.LIMBER_BROWSER_GPU ? [] : ['--enable-features=Vulkan', '--use-vulkan=swiftshader'])];

// WebGPU is for secure pages only, which about:blank is not and localhost is.
async function servePage(script) {
    const server = createServer((request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(`<!doctype html><title>ready</title><script>${script}</script>`);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
}

class Pipe {
    constructor(browser) {
        this.write = browser.stdio[3];
        this.waiting = new Map();
        this.last = 0;
        let rest = Buffer.alloc(0);
        browser.stdio[4].on('data', (bytes) => {
            rest = Buffer.concat([rest, bytes]);
            for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
                this.receive(JSON.parse(rest.subarray(0, end).toString()));
                rest = rest.subarray(end + 1);
            }
        });
        browser.on('exit', () => this.waiting.forEach(({ reject }) => reject(new Error('the browser went away'))));
    }

    receive(message) {
        const { resolve, reject } = this.waiting.get(message.id) ?? {};
        this.waiting.delete(message.id);
        if (message.error) reject?.(new Error(message.error.message));
        else resolve?.(message.result);
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this.last;
        this.write.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
        return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    }
}

// The browser's helper processes end after it does, and write into the profile until then: what is listed anew each time goes in the end.
async function removeProfile(profile) {
    for (let tries = 0; ; ++tries) {
        try {
            return rmSync(profile, { recursive: true, force: true });
        } catch (error) {
            if (error.code !== 'ENOTEMPTY' || tries === 50) throw error;
            await sleep(100);
        }
    }
}

// Runs use(evaluate) with a page at hand that has run the script; evaluate(text) gives what the (async) expression gives.
export async function withChromium(name, script, use) {
    const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
    const server = await servePage(script);
    const browser = spawn(name, [
        '--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--remote-debugging-pipe', `--user-data-dir=${profile}`,
        ...drawing, '--ignore-gpu-blocklist', '--enable-unsafe-webgpu', '--no-first-run', 'about:blank',
    ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    try {
        const pipe = new Pipe(browser);
        const { targetId } = await pipe.send('Target.createTarget', { url: `http://127.0.0.1:${server.address().port}/` });
        const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
        const evaluate = async (expression) => {
            const { result, exceptionDetails } =
                await pipe.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, sessionId);
            if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
            return result.value;
        };
        while (!(await evaluate("document.title === 'ready' && document.readyState === 'complete'"))) await sleep(20);
        await use(evaluate);
    } finally {
        browser.kill();
        await new Promise((resolve) => (browser.exitCode !== null || browser.signalCode !== null ? resolve() : browser.on('exit', resolve)));
        server.close();
        await removeProfile(profile);
    }
}
