// Every JavaScript program that a document shows runs in node, in a folder with the files that its console blocks make; what it
// writes can be read. Exits 77 where clang cannot compile for wasm32-wasi.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, buildModule, source, wasmBuild } from './module.mjs';

buildModule();
let failed = false, count = 0;

// Blocks of a document with their languages, in order.
function blocksOf(document) {
  const text = fs.readFileSync(path.join(source, 'docs', document), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, body]) => ({ language, body }));
}

function makeTop() {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
  for (const folder of ['build', 'out']) fs.mkdirSync(path.join(top, folder));
  fs.symlinkSync(path.join(build, 'limber'), path.join(top, 'build/limber'));
  fs.symlinkSync(wasmBuild, path.join(top, 'build/wasm'));
  return top;
}

function run(document, top, command, args) {
  const env = { ...process.env, PATH: `${build}:${process.env.PATH}` };
  const done = spawnSync(command, args, { cwd: top, encoding: 'utf8', env });
  if (done.status === 0) return done.stdout;
  console.log(`${document}: ${command} ${args.join(' ')} exits ${done.status}\n${done.stdout}${done.stderr}`);
  failed = true;
  return '';
}

for (const document of fs.readdirSync(path.join(source, 'docs')).filter((name) => name.endsWith('.md'))) {
  const blocks = blocksOf(document);
  if (!blocks.some(({ language }) => language === 'js')) continue;
  const top = makeTop();
  for (const { language, body } of blocks) {
    if (language === 'js') {
      fs.writeFileSync(path.join(top, 'program.mjs'), body);
      const said = run(document, top, process.execPath, ['program.mjs']);
      console.log(`${document}: ${said.trim()}`);
      ++count;
    } else if (language === 'console') {
      for (const [, line] of body.matchAll(/^\$ (limber .*)$/gm)) run(document, top, 'bash', ['-c', line]);
    }
  }
  for (const name of fs.readdirSync(path.join(top, 'out')).filter((n) => n.endsWith('.glb'))) run(document, top, 'build/limber', ['info', `out/${name}`]);
  fs.rmSync(top, { recursive: true });
}
if (count === 0) {
  console.log('no document has a program');
  failed = true;
}
process.exit(failed ? 1 : 0);
