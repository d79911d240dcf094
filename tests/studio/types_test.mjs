// The page's TypeScript is sound.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const page = path.join(process.env.LIMBER_SOURCE ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../..'), 'studio/page');
const compiler = path.join(page, 'node_modules/typescript/bin/tsc');
if (!fs.existsSync(compiler)) {
    console.log('skipped: studio/page/node_modules is not there; ./dev test installs it');
    process.exit(77);
}
const done = spawnSync(process.execPath, [compiler, '--noEmit', '-p', page], { encoding: 'utf8' });
console.log(done.stdout + done.stderr);
process.exit(done.status);
