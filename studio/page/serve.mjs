// Serves a built page to this machine alone: node serve.mjs [FOLDER [PORT]]. `serve` is for tests.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** The folder lies flat, so the last part of a path is all of it. `files` are those under /file/. */
export function serve(folder, port = 0, files = new Map()) {
    const server = createServer(async (request, response) => {
        const { pathname } = new URL(request.url, 'http://localhost');
        const name = decodeURIComponent(basename(pathname)) || 'index.html';
        try {
            const body = pathname.startsWith('/file/') ? files.get(name) : await readFile(join(folder, name));
            if (body === undefined) throw new Error('not there');
            response.writeHead(200, { 'content-type': types[extname(name)] ?? 'application/octet-stream', 'cache-control': 'no-cache' });
            response.end(body);
        } catch {
            response.writeHead(404).end();
        }
    });
    return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const here = dirname(fileURLToPath(import.meta.url));
    const server = await serve(process.argv[2] ?? join(here, '../../build/studio'), Number(process.argv[3] ?? 8017));
    console.log(`the studio is at http://127.0.0.1:${server.address().port}/ (Ctrl+C ends it)`);
}
