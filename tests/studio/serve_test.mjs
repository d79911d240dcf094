// The page's server hands out its folder and the file that it was told of, and nothing else of the machine.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = process.env.LIMBER_SOURCE ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { serve } = await import(path.join(source, 'studio/page/serve.mjs'));
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-serve-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));
fs.mkdirSync(path.join(work, 'site'));
fs.writeFileSync(path.join(work, 'site/index.html'), 'page');
fs.writeFileSync(path.join(work, 'secret'), 'secret');

const server = await serve(path.join(work, 'site'), 0, (name) => (name === 'a b.obj' ? 'mesh' : undefined));

// Not fetch: it would put the path straight before it asks.
function ask(target, host = `127.0.0.1:${server.address().port}`) {
    return new Promise((resolve) => http.get({ port: server.address().port, path: target, headers: { host } }, (answer) => {
        let body = '';
        answer.on('data', (part) => (body += part));
        answer.on('end', () => resolve([answer.statusCode, body]));
    }));
}

assert.deepEqual(await ask('/'), [200, 'page']);
assert.deepEqual(await ask('/file/a%20b.obj'), [200, 'mesh']);
assert.equal((await ask('/file/other.obj'))[0], 404);
for (const way of ['/../secret', '/..%2fsecret', '/%2e%2e%2fsecret', '/file/..%2f..%2fsecret', '/%', '//']) assert.ok(!(await ask(way))[1].includes('secret'), way);
assert.equal((await ask('/', 'elsewhere.example'))[0], 403);
server.close();
