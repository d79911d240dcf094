// What the oracle tests share: where the command and the data are, running it, counting what failed.
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
export const limber = process.env.LIMBER ?? path.join(here, '../../build/limber');
export const shared = process.env.LIMBER_SHARED ?? null;
export const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-oracle-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

/** Ends the test as skipped. */
export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

if (!fs.existsSync(path.join(here, 'node_modules/three'))) skip('tests/oracle/node_modules is not there; ./dev test installs it');
if (!fs.existsSync(limber)) skip('the command is not built');

/** Whether this version of the command has all of these. */
export function hasCommands(...names) {
  return names.every((name) => spawnSync(limber, [name, '--help']).status === 0);
}

/** Runs the command: { code, stderr, stdout }. */
export function run(...args) {
  return new Promise((resolve) => {
    execFile(limber, args, { maxBuffer: 1 << 28, timeout: 60000 }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr });
    });
  });
}

/** Every file below a folder with one of the extensions, in order. */
export function filesBelow(folder, extensions) {
  const out = [];
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) out.push(...filesBelow(full, extensions));
    else if (extensions.includes(path.extname(entry.name).toLowerCase())) out.push(full);
  }
  return out;
}

/** The rigged glTF files of the shared data; none where there is no shared data. */
export function riggedFiles() {
  return shared ? filesBelow(path.join(shared, 'data/rigged'), ['.glb', '.gltf', '.vrm']) : [];
}

/** Sample characters, rigged and animated by the command itself: paths of GLB files. */
export async function ownCharacters(seeds) {
  const out = [];
  for (const seed of seeds) {
    const mesh = path.join(work, `sample${seed}.obj`);
    const character = path.join(work, `sample${seed}.glb`);
    for (const args of [['sample', 'humanoid', '--seed', `${seed}`, '-o', mesh], ['animate', mesh, seed % 2 ? 'walk' : 'run', '-o', character]]) {
      const done = await run(...args);
      if (done.code !== 0) {
        fail(`limber ${args.join(' ')} exits ${done.code}: ${done.stderr.trim()}`);
        break;
      }
    }
    if (fs.existsSync(character)) out.push(character);
  }
  return out;
}

let failures = 0;
export function fail(text) {
  console.log(`FAILED ${text}`);
  ++failures;
}

export function finish(summary) {
  console.log(summary);
  process.exit(failures ? 1 : 0);
}
