// Ten figures of one file, each with a skeleton of its own: copies of a made one, side by side.
import fs from 'node:fs';
import path from 'node:path';
import { repeat, work } from './studio.mjs';

function read(file) {
    const bytes = fs.readFileSync(file), size = bytes.readUInt32LE(12);
    return { json: JSON.parse(bytes.toString('utf8', 20, 20 + size)), binary: bytes.subarray(20 + size + 8) };
}

function chunk(type, bytes, filler) {
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4, filler), head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length + padding.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, bytes, padding]);
}

function glb(json, binary) {
    const body = Buffer.concat([chunk('JSON', Buffer.from(JSON.stringify(json)), ' '), chunk('BIN\0', binary, 0)]), head = Buffer.alloc(12);
    head.write('glTF');
    head.writeUInt32LE(2, 4);
    head.writeUInt32LE(12 + body.length, 8);
    return Buffer.concat([head, body]);
}

/** Writes a file of so many figures, of about so many triangles each; those with even numbers walk, the others run: in its one
 * clip, or each in a clip of its own. Gives its name. */
export function makeCrowd(figures, triangles, { clipEach = false } = {}) {
    repeat(`limber sample humanoid --seed 3 --rigged --pose t --triangles ${triangles} -o figure.glb && "$LIMBER_COMMAND" animate figure.glb walk run --in-place -o moves.glb`, work);
    const { json, binary } = read(path.join(work, 'moves.glb'));
    const { nodes, skins, scenes: [{ nodes: roots }], animations } = json, count = nodes.length, skinCount = skins.length;
    const all = { ...json, nodes: [], skins: [], scenes: [{ nodes: [] }], animations: [] };
    for (let figure = 0; figure < figures; ++figure) {
        const moved = (node) => node + figure * count;
        for (const { name, children, skin, ...node } of nodes) {
            all.nodes.push({ ...node, name: `${name} ${figure}`, ...(children && { children: children.map(moved) }), ...(skin !== undefined && { skin: skin + figure * skinCount }) });
        }
        for (const skin of skins) all.skins.push({ ...skin, joints: skin.joints.map(moved), ...(skin.skeleton !== undefined && { skeleton: moved(skin.skeleton) }) });
        const { name: move, channels, samplers } = animations[figure % 2];
        if (clipEach || figure === 0) all.animations.push({ name: clipEach ? `${move} ${figure}` : 'crowd', channels: [], samplers: [] });
        const clip = all.animations.at(-1);
        for (const { sampler, target } of channels) clip.channels.push({ sampler: sampler + clip.samplers.length, target: { ...target, node: moved(target.node) } });
        clip.samplers.push(...samplers);
    }
    for (let figure = 0; figure < figures; ++figure) {
        all.scenes[0].nodes.push(all.nodes.length);
        all.nodes.push({ name: `figure ${figure}`, translation: [1.2 * ((figure % 5) - 2), 0, -1.2 * Math.floor(figure / 5)], children: roots.map((root) => root + figure * count) });
    }
    fs.writeFileSync(path.join(work, 'crowd.glb'), glb(all, binary));
    return 'crowd.glb';
}
