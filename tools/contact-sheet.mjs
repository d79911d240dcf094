#!/usr/bin/env node
// A contact sheet of characters: node tools/contact-sheet.mjs LIMBER OUT.png FILE...
// A row a file: as it is, its skeleton, the weights of the joint that shares most with others, and bent: every
// joint that moves skin turned by 12 degrees about a side axis. Files without a skin are rigged first. What is refused
// gets a grey row. --size WxH (a panel, 180x220) and --keep DIR (where the rigged files stay) come before LIMBER.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readPng, writePng } from './png.mjs';

const args = process.argv.slice(2);
const option = (name, value) => {
    const at = args.indexOf(name);
    return at < 0 ? value : args.splice(at, 2)[1];
};
const [width, height] = option('--size', '180x220').split('x').map(Number);
const keep = option('--keep', null);
const [limber, out, ...files] = args;
if (!files.length) {
    console.error('usage: node tools/contact-sheet.mjs [--size WxH] [--keep DIR] LIMBER OUT.png FILE...');
    process.exit(2);
}
const folder = keep ?? mkdtempSync(join(tmpdir(), 'sheet-'));

// ------------------------------------------------------------------------------------------- GLB

function readGlb(path) {
    const bytes = readFileSync(path), length = bytes.readUInt32LE(12);
    return { json: JSON.parse(bytes.toString('utf8', 20, 20 + length)), rest: bytes.subarray(20 + length) };
}

function writeGlb(path, { json, rest }) {
    let text = Buffer.from(JSON.stringify(json));
    text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
    const head = Buffer.alloc(20);
    [0x46546c67, 2, 20 + text.length + rest.length, text.length, 0x4e4f534a].forEach((n, k) => head.writeUInt32LE(n, 4 * k));
    writeFileSync(path, Buffer.concat([head, text, rest]));
}

/** Numbers of an accessor, row by row, normalised ones as 0 to 1. */
function values({ json, rest }, index) {
    const a = json.accessors[index], view = json.bufferViews[a.bufferView];
    const [size, get, most] = { 5121: [1, 'readUInt8', 255], 5123: [2, 'readUInt16LE', 65535], 5126: [4, 'readFloatLE', 1] }[a.componentType];
    const stride = view.byteStride ?? 4 * size, from = 8 + (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
    return Array.from({ length: a.count }, (_, v) =>
        [0, 1, 2, 3].map((k) => rest[get](from + v * stride + k * size) / (a.normalized ? most : 1)));
}

/** For every node: how much of the skin it has, and how much of that it shares. */
function pulls(glb) {
    const mine = new Map();
    for (const node of glb.json.nodes.filter((n) => n.skin !== undefined && n.mesh !== undefined)) {
        for (const { attributes } of glb.json.meshes[node.mesh].primitives) {
            if (attributes.JOINTS_0 === undefined) continue;
            const joints = values(glb, attributes.JOINTS_0), weights = values(glb, attributes.WEIGHTS_0);
            joints.forEach((row, v) => row.forEach((j, k) => {
                const to = glb.json.skins[node.skin].joints[j], w = weights[v][k];
                const sum = mine.get(to) ?? { all: 0, shared: 0 };
                mine.set(to, { all: sum.all + w, shared: sum.shared + w * (1 - w) });
            }));
        }
    }
    return mine;
}

/** Turns every joint that moves skin, but the top ones, by 12 degrees about the world's x, or z where it runs along x. */
function bend(glb, joints) {
    const { nodes } = glb.json, parent = new Map();
    nodes.forEach((n, i) => (n.children ?? []).forEach((c) => parent.set(c, i)));
    const product = ([ax, ay, az, aw], [bx, by, bz, bw]) => [aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz];
    const world = (i) => {
        const own = nodes[i].rotation ?? [0, 0, 0, 1];
        return parent.has(i) ? product(world(parent.get(i)), own) : own;
    };
    const frames = new Map(joints.filter((i) => joints.includes(parent.get(i))).map((i) => [i, [world(i), world(parent.get(i))]]));
    for (const [i, [own, above]] of frames) {
        const along = (nodes[i].children ?? []).map((c) => nodes[c].translation ?? [0, 0, 0])[0] ?? [0, 1, 0];
        const q = own, inverse = (r) => [-r[0], -r[1], -r[2], r[3]];
        const way = product(product(q, [...along, 0]), inverse(q)), side = Math.abs(way[0]) > Math.abs(way[1]);
        const turn = side ? [0, 0, 0.1045, 0.9945] : [0.1045, 0, 0, 0.9945];
        nodes[i].rotation = product(product(inverse(above), turn), own); // all turn in the world's axes
    }
}

// ----------------------------------------------------------------------------------------- panels

const run = (...words) => execFileSync(limber, [...words, '-q'], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 120000 });

function panels(file, index) {
    const at = (name) => join(folder, `${index}-${name}`), shots = [];
    const shoot = (source, name, ...more) => {
        run('render', source, '-o', at(name), '--size', `${width}x${height}`, '--view', 'corner', ...more);
        shots.push(readPng(readFileSync(at(name))));
    };
    let what = 'rigged before';
    run('convert', file, at('source.glb'));
    let glb = readGlb(at('source.glb')), mine = pulls(glb), source = at('source.glb');
    if (!mine.size) {
        run('rig', file, '-o', at('rigged.glb'));
        source = at('rigged.glb');
        [glb, what] = [readGlb(source), 'rigged here'];
        mine = pulls(glb);
    }
    shoot(source, 'rest.png');
    shoot(source, 'skeleton.png', '--skeleton');
    const joints = [...mine.keys()].filter((i) => mine.get(i).all > 0);
    const busiest = joints.reduce((a, b) => (mine.get(b).shared > mine.get(a).shared ? b : a));
    shoot(source, 'weights.png', '--weights', glb.json.nodes[busiest].name);
    bend(glb, joints);
    delete glb.json.animations;
    writeGlb(at('bent.glb'), glb);
    shoot(at('bent.glb'), 'bent.png');
    return { shots, what: `${what}, ${joints.length} joints, weights of ${glb.json.nodes[busiest].name}` };
}

const sheet = { w: 4 * width, h: files.length * height };
const rgb = Buffer.alloc(3 * sheet.w * sheet.h, 128);
files.forEach((file, row) => {
    let made;
    try {
        made = panels(file, row);
    } catch (error) {
        const said = String(error.stderr ?? error.message).trim().split('\n').pop();
        console.log(`${row + 1} ${basename(file)}: refused: ${said}`);
        return;
    }
    console.log(`${row + 1} ${basename(file)}: ${made.what}`);
    made.shots.forEach((shot, column) => {
        for (let y = 0; y < Math.min(shot.h, height); ++y) {
            shot.rgb.copy(rgb, 3 * ((row * height + y) * sheet.w + column * width), 3 * y * shot.w, 3 * (y + 1) * shot.w);
        }
    });
});
writePng(out, sheet.w, sheet.h, rgb);
if (!keep) rmSync(folder, { recursive: true });
