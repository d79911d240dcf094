// Serves a built page to this machine alone: node serve.mjs FOLDER [FILE]; FILE is opened, and may name those beside it.
// LIMBER_PORT is where, 8017 by default. `serve` is for tests.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** The folder lies flat, so the last part of a path is all of it. `file` gives the bytes of a name under /file/. */
export function serve(folder, port = 0, file = () => undefined) {
    const server = createServer(async (request, response) => {
        // Another site whose name leads here is not to read this machine's files.
        if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')) return response.writeHead(403).end();
        try {
            const { pathname } = new URL(request.url, 'http://localhost');
            // Decoded first: an encoded slash is a slash, and leads out of the folder.
            const name = basename(decodeURIComponent(pathname)) || 'index.html';
            const body = pathname.startsWith('/file/') ? await file(name) : await readFile(join(folder, name));
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
    const [folder, file] = process.argv.slice(2);
    const beside = file && ((name) => readFile(join(dirname(file), name)));
    const server = await serve(folder, Number(process.env.LIMBER_PORT ?? 8017), beside);
    const hash = file ? `#file=${encodeURIComponent(basename(file))}` : '';
    console.log(`the studio is at http://127.0.0.1:${server.address().port}/${hash} (Ctrl+C ends it)`);
}
