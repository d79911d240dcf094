#!/usr/bin/env node
// A contact sheet of made motions: node tools/motion-sheet.mjs LIMBER OUT.png [WORD...]
// A panel a motion, in the order of `limber motions WORD...`: a generated body of its kind, part of the way through.
// --size WxH (a panel, 72x84), --columns N (12) and --at SHARE (0.42 of the motion) come before LIMBER.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPng, writePng } from './png.mjs';

const args = process.argv.slice(2);
const option = (name, value) => {
    const at = args.indexOf(name);
    return at < 0 ? value : args.splice(at, 2)[1];
};
const [width, height] = option('--size', '72x84').split('x').map(Number);
const columns = Number(option('--columns', '12')), share = Number(option('--at', '0.42'));
const [limber, out, ...words] = args;
if (!out) {
    console.error('usage: node tools/motion-sheet.mjs [--size WxH] [--columns N] [--at SHARE] LIMBER OUT.png [WORD...]');
    process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'motions-'));
const run = (...command) => execFileSync(limber, command, { stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });

/** Of each kind of body one, rigged, with all of its motions. */
const motions = JSON.parse(run('motions', ...words, '--json')).motions;
for (const kind of new Set(motions.map((m) => m.body))) {
    const body = join(folder, `${kind}.glb`), names = motions.filter((m) => m.body === kind).map((m) => m.name);
    const sample = kind === 'human' ? ['humanoid', '--seed', '5', '--pose', 't'] : [kind, '--seed', '3'];
    run('sample', ...sample, '--rigged', '--triangles', '6000', '-q', '-o', body);
    run('animate', body, ...names, '-q', '-o', join(folder, `${kind}-all.glb`));
}
const rows = Math.ceil(motions.length / columns), sheet = Buffer.alloc(3 * columns * width * rows * height, 255);
motions.forEach(({ name, body }, index) => {
    const all = join(folder, `${body}-all.glb`), picture = join(folder, 'panel.png');
    const clips = JSON.parse(run('info', all, '--json')).clips;
    const clip = clips.find((c) => c.name === name);
    run('render', all, '--clip', name, '--time', String(share * clip.duration_s), '--view', 'corner', '--size', `${width}x${height}`,
        '-q', '-o', picture);
    const { w, h, rgb } = readPng(readFileSync(picture));
    const left = (index % columns) * width, top = Math.floor(index / columns) * height;
    for (let k = 0; k < rgb.length; ++k) rgb[k] &= 0xf8; // a page's picture: five bits a colour, a third of the bytes
    for (let y = 0; y < h; ++y) rgb.copy(sheet, 3 * ((top + y) * columns * width + left), 3 * y * w, 3 * (y + 1) * w);
});
writePng(out, columns * width, rows * height, sheet);
rmSync(folder, { recursive: true });
console.log(`${out}: ${motions.length} motions, ${columns} a row`);
