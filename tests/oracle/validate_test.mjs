// The Khronos validator finds no error in what the command writes: characters of its own, and every rigged glTF file
// of the shared data read and written again. An error that the input had already is not the writer's.
import path from 'node:path';
import { fail, finish, hasCommands, ownCharacters, riggedFiles, run, shared, skip, work } from './harness.mjs';
import { findings } from './validator.mjs';

const own = hasCommands('sample', 'animate') ? await ownCharacters([3, 12]) : [];
for (const file of own) {
  for (const { severity, text } of await findings(file)) {
    if (severity === 'error') fail(`${path.basename(file)}: ${text}`);
  }
}

let written = 0;
if (hasCommands('convert')) {
  for (const file of riggedFiles()) {
    const name = path.relative(shared, file);
    const out = path.join(work, 'again.glb');
    const done = await run('convert', file, out);
    if (done.code === 4) {
      console.log(`refused ${name}: ${done.stderr.trim()}`);
      continue;
    }
    if (done.code !== 0) {
      fail(`${name}: limber convert exits ${done.code}: ${done.stderr.trim()}`);
      continue;
    }
    ++written;
    const before = new Set((await findings(file)).map((finding) => finding.code));
    for (const { severity, code, text } of await findings(out)) {
      if (severity === 'error' && !before.has(code)) fail(`${name}, written again: ${text}`);
    }
  }
}
if (own.length + written === 0) skip('nothing to validate: neither limber animate nor the shared data is there');
finish(`${own.length} characters made, ${written} files written again`);
