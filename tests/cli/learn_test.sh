#!/bin/bash
# limber learn as a user types it.
. "$(dirname "$0")/harness.sh"

# A rigged arm that bends, as files of its frames, as its own clip, and on the frames of its clip.
arm=$DATA/arm.gltf
expect 0 bake "$arm" --clip bend -q -o "$WORK/rest.obj" --time 0
expect 0 bake "$arm" --clip bend -q --fps 10 -o "$WORK/f.obj"
expect 0 learn "$WORK/rest.obj" "$WORK"/f_*.obj --bones 2 --fps 10 --json -o "$WORK/files.glb"
says "bones          2"
prints '"bones": 2'
awk -F'[:,]' '/"rms_m"/ && $2 > 1e-3 { exit 1 }' "$WORK/out" || fail "far from the frames"
expect 0 check "$WORK/files.glb" --fail-on error
expect 0 info "$WORK/files.glb"
prints "skeleton"
prints '"frames"'
expect 0 learn "$arm" --clip bend --bones 2 --skeleton flat -v -o "$WORK/clip.glb"
says "frames of \"bend\""
expect 0 learn "$WORK/rest.obj" "$WORK"/f_*.obj --bones 2 --fps 10 -q --threads 1 -o "$WORK/again.glb"
cmp -s "$WORK/files.glb" "$WORK/again.glb" || fail "other bytes with one thread"

# Its vertices stay in the order of the file.
expect 0 bake "$WORK/files.glb" -q -o "$WORK/back.obj"
[ "$(grep -c '^v ' "$WORK/back.obj")" = "$(grep -c '^v ' "$WORK/rest.obj")" ] || fail "other vertices"

# A file with morph targets and no clip: each target is a frame.
node - "$WORK" <<'JS'
const fs = require('fs'), dir = process.argv[2];
const lines = (name, key) =>
    fs.readFileSync(`${dir}/${name}.obj`, 'utf8').split('\n').filter((l) => l.startsWith(key + ' '))
        .map((l) => l.split(' ').slice(1));
const rest = lines('rest', 'v').flat().map(Number), faces = lines('rest', 'f').flat();
const files = fs.readdirSync(dir).filter((f) => /^f_\d+\.obj$/.test(f)).sort();
const shapes = files.map((f) => lines(f.slice(0, -4), 'v').flat().map((x, k) => Number(x) - rest[k]));
const indices = Uint32Array.from(faces.map((f) => parseInt(f) - 1));
const parts = [Float32Array.from(rest), ...shapes.map((s) => Float32Array.from(s)), indices];
const bytes = Buffer.concat(parts.map((p) => Buffer.from(p.buffer)));
let at = 0;
const views = parts.map((p) => ({buffer: 0, byteOffset: (at += p.byteLength) - p.byteLength,
                                 byteLength: p.byteLength}));
const bounds = (v, of) => [0, 1, 2].map((c) => of(...v.filter((x, k) => k % 3 === c)));
const accessors = parts.map((p, k) => k === parts.length - 1
    ? {bufferView: k, componentType: 5125, count: p.length, type: 'SCALAR'}
    : {bufferView: k, componentType: 5126, count: p.length / 3, type: 'VEC3',
       min: bounds([...p], Math.min), max: bounds([...p], Math.max)});
fs.writeFileSync(`${dir}/face.gltf`, JSON.stringify({
    asset: {version: '2.0'}, scene: 0, scenes: [{nodes: [0]}], nodes: [{mesh: 0}],
    meshes: [{extras: {targetNames: shapes.map((s, k) => `shape ${k}`)},
              primitives: [{attributes: {POSITION: 0}, indices: parts.length - 1,
                            targets: shapes.map((s, k) => ({POSITION: k + 1}))}]}],
    buffers: [{byteLength: bytes.length,
               uri: 'data:application/octet-stream;base64,' + bytes.toString('base64')}],
    bufferViews: views, accessors}));
JS
expect 0 learn "$WORK/face.gltf" --bones 2 --json -v -o "$WORK/face.glb"
says "frames of morph targets"
prints "\"frames\": $(ls "$WORK"/f_*.obj | wc -l)"
awk -F'[:,]' '/"rms_m"/ && $2 > 1e-3 { exit 1 }' "$WORK/out" || fail "far from the targets"

# The free bones' error in a hierarchy that a clip can pose.
expect 0 learn "$arm" --clip bend --bones 2 --skeleton sliding --json -o "$WORK/slides.glb"
awk -F'[:,]' '/"rms_m"/ && $2 > 1e-3 { exit 1 }' "$WORK/out" || fail "far from the frames"
expect 0 check "$WORK/slides.glb" --fail-on error
expect 2 learn "$arm" --clip bend --bones 2 --skeleton sliding --norm 4 -o "$WORK/none.glb"
says "found sliding"

# A tube of three bones, of which the last also travels out of the middle one: that joint slides, is named, and the file
# shows it. Where all joints hold it is missed.
node - "$WORK" <<'JS'
const fs = require('fs'), dir = process.argv[2], around = 8, rings = 31;
const over = (y, at) => { const t = Math.min(1, Math.max(0, (y - at) / 0.4 + 0.5)); return t * t * (3 - 2 * t); };
const turn = ([x, y, z], at, a) => [x * Math.cos(a) - (y - at) * Math.sin(a), at + x * Math.sin(a) + (y - at) * Math.cos(a), z];
const rest = Array.from({length: around * rings}, (_, v) => {
  const a = 2 * Math.PI * (v % around) / around;
  return [0.2 * Math.cos(a), 3 * Math.floor(v / around) / (rings - 1), 0.2 * Math.sin(a)];
});
const frames = Array.from({length: 16}, (_, f) => rest.map((p) => {
  const middle = (q) => turn(q, 1, Math.sin(f)), top = turn(p, 2, 0.8 * Math.cos(2 * f));
  const out = middle([top[0], top[1] + 0.15 * (1 + Math.sin(1.7 * f)), top[2]]);
  const w = [1 - over(p[1], 1), over(p[1], 1) - over(p[1], 2), over(p[1], 2)], m = middle(p);
  return p.map((x, c) => w[0] * x + w[1] * m[c] + w[2] * out[c]);
}));
const faces = [];
for (let v = 0; v < around * (rings - 1); ++v) {
  const next = v % around === around - 1 ? v + 1 - around : v + 1;
  faces.push(`f ${v + 1} ${v + around + 1} ${next + around + 1}`, `f ${v + 1} ${next + around + 1} ${next + 1}`);
}
fs.writeFileSync(`${dir}/tube.obj`, rest.map((p) => `v ${p.join(' ')}`).concat(faces).join('\n') + '\n');
const head = Buffer.alloc(32);
head.write('POINTCACHE2', 0, 'latin1');
head.writeInt32LE(1, 12); head.writeInt32LE(rest.length, 16); head.writeFloatLE(1, 24); head.writeInt32LE(frames.length, 28);
fs.writeFileSync(`${dir}/tube.pc2`, Buffer.concat([head, Buffer.from(Float32Array.from(frames.flat(2)).buffer)]));
JS
expect 0 learn "$WORK/tube.obj" "$WORK/tube.pc2" --bones 3 --fps 10 --json -o "$WORK/tube.glb"
says "slides         bone_0"
[ "$(grep -c slide_percent "$WORK/out")" = 1 ] || fail "other than one joint slides"
awk -F'[:,]' '/"rmse_percent"/ && $2 > 0.02 { exit 1 }' "$WORK/out" || fail "far from the frames"
expect 0 check "$WORK/tube.glb" --fail-on error
expect 0 bake "$WORK/tube.glb" --fps 10 -q -o "$WORK/played.obj"
node - "$WORK" <<'JS' || fail "the file does not show the frames"
const fs = require('fs'), dir = process.argv[2], cache = fs.readFileSync(`${dir}/tube.pc2`);
const files = fs.readdirSync(dir).filter((f) => /^played_\d+\.obj$/.test(f)).sort();
let worst = files.length === 16 ? 0 : Infinity;
files.forEach((file, f) => fs.readFileSync(`${dir}/${file}`, 'utf8').split('\n').filter((l) => l.startsWith('v ')).flatMap((l) => l.split(/\s+/).slice(1, 4).map(Number))
  .forEach((x, k, all) => { worst = Math.max(worst, Math.abs(x - cache.readFloatLE(32 + 4 * (f * all.length + k)))); }));
process.exit(worst < 5e-3 ? 0 : 1);
JS
expect 0 learn "$WORK/tube.obj" "$WORK/tube.pc2" --bones 3 --fps 10 --joints hold --json -q -o "$WORK/held.glb"
prints '"joints_free": []'
awk -F'[:,]' '/"rmse_percent"/ && $2 < 0.2 { exit 1 }' "$WORK/out" || fail "held joints show what slides"
expect 0 learn "$WORK/tube.obj" "$WORK/tube.pc2" --bones 3 --fps 10 --joints-within 1e6 --json -q -o "$WORK/held.glb"
prints '"joints_free": []'
expect 2 learn "$WORK/tube.obj" "$WORK/tube.pc2" --bones 3 --joints-within 0.5 -o "$WORK/none.glb"
says "--joints-within: expected 1 or more"
expect 2 learn "$WORK/tube.obj" "$WORK/tube.pc2" --bones 3 --joints hold --skeleton flat -o "$WORK/none.glb"
says "--joints: expected a tree"

expect 0 sample humanoid -q -o "$WORK/person.obj"
# A point cache holds the same frames as the files.
node - "$WORK" <<'JS'
const fs = require('fs'), dir = process.argv[2];
const files = fs.readdirSync(dir).filter((f) => /^f_\d+\.obj$/.test(f)).sort();
const frames = files.map((f) => fs.readFileSync(`${dir}/${f}`, 'utf8').split('\n').filter((l) => l.startsWith('v ')).flatMap((l) => l.split(/\s+/).slice(1, 4).map(Number)));
const head = Buffer.alloc(32);
head.write('POINTCACHE2', 0, 'latin1');
head.writeInt32LE(1, 12); head.writeInt32LE(frames[0].length / 3, 16); head.writeFloatLE(1, 24); head.writeInt32LE(frames.length, 28);
fs.writeFileSync(`${dir}/f.pc2`, Buffer.concat([head, Buffer.from(Float32Array.from(frames.flat()).buffer)]));
JS
expect 0 learn "$WORK/rest.obj" "$WORK/f.pc2" --bones 2 --fps 10 -q -o "$WORK/cache.glb"
cmp -s "$WORK/files.glb" "$WORK/cache.glb" || fail "other bytes from a point cache"
head -c 100 "$WORK/f.pc2" >"$WORK/cut.pc2"
expect 3 learn "$WORK/rest.obj" "$WORK/cut.pc2" --bones 2 -o "$WORK/none.glb"
says "cut.pc2: byte 32: expected as many bytes as the header says"
expect 3 learn "$WORK/person.obj" "$WORK/f.pc2" --bones 2 -o "$WORK/none.glb"
says "f.pc2: expected"

# Bones that stretch come nearer to the frames; the file shows what the report says.
expect 0 learn "$WORK/rest.obj" "$WORK/f.pc2" --bones 2 --bones-move affine --fps 10 --json -o "$WORK/affine.glb"
prints '"rmse_percent"'
expect 0 check "$WORK/affine.glb" --fail-on error
expect 2 learn "$WORK/rest.obj" "$WORK/f.pc2" --bones 2 --bones-move affine --skeleton tree -o "$WORK/none.glb"
says "--skeleton: expected flat"

# As few bones as an error asks for.
expect 0 learn "$WORK/rest.obj" "$WORK/f.pc2" --error 0.05 --skeleton flat --smooth 0 --fps 10 --json -o "$WORK/few.glb"
prints '"bones": 2'
expect 2 learn "$WORK/rest.obj" "$WORK/f.pc2" --error 0 -o "$WORK/none.glb"

# New weights under the bones of a rig: those that made the frames come back from a rigid skin.
expect 0 weights limit "$arm" --influences 1 -q -o "$WORK/rigid.gltf"
expect 0 learn "$WORK/rigid.gltf" "$WORK"/f_*.obj --clip bend --fps 10 --fit weights --hold-out 3 --smooth 0 --json -o "$WORK/fitted.glb"
prints '"rmse_percent_held_out"'
awk -F'[:,]' '/"rmse_percent_held_out"/ && $2 > 0.01 { exit 1 } /"rmse_percent_before"/ && $2 < 0.1 { exit 1 }' "$WORK/out" || fail "the weights did not come back"
expect 0 check "$WORK/fitted.glb" --fail-on error
# What linear blending misses of another deformer, as morph targets that the pose drives.
rm -f "$WORK"/d_*.obj
expect 0 bake "$arm" --clip bend -q --fps 20 --skin dqs -o "$WORK/d.obj"
expect 0 learn "$arm" "$WORK"/d_*.obj --clip bend --fps 20 --fit correctives --hold-out 3 --json -o "$WORK/soft.glb"
prints '"rmse_percent_held_out_linear"'
awk -F'[:,]' '/"rmse_percent_held_out"/ { got = $2 } /"rmse_percent_held_out_linear"/ { linear = $2 } END { exit !(got < linear / 2) }' "$WORK/out" || fail "correctives gain less than half"
expect 0 check "$WORK/soft.glb" --fail-on error

# The same as helper joints with keys: other programs play them.
expect 0 learn "$arm" "$WORK"/d_*.obj --clip bend --fps 20 --fit helpers --bones 2 --hold-out 3 --json -o "$WORK/helped.glb"
prints '"helpers": 2'
awk -F'[:,]' '/"rmse_percent_held_out"/ { got = $2 } /"rmse_percent_held_out_linear"/ { linear = $2 } END { exit !(got < 0.75 * linear) }' "$WORK/out" || fail "helpers gain less than a quarter"
expect 0 check "$WORK/helped.glb" --fail-on error
expect 0 info "$WORK/helped.glb" --json
prints '"helper_001"'

# A weight for every entry: the file keeps them, and others see morph targets.
expect 0 learn "$arm" "$WORK"/d_*.obj --clip bend --fps 20 --fit mwe --hold-out 3 --json -o "$WORK/enveloped.glb"
awk -F'[:,]' '/"rmse_percent_held_out"/ { got = $2 } /"rmse_percent_held_out_linear"/ { linear = $2 } END { exit !(got < 0.5 * linear) }' "$WORK/out" || fail "enveloping gains less than half"
expect 0 check "$WORK/enveloped.glb" --fail-on error
expect 0 bake "$WORK/enveloped.glb" --clip bend --time 0.5 -q -o "$WORK/baked.obj"
expect 0 bake "$WORK/enveloped.glb" --clip bend --time 0.5 --skin mwe -q -o "$WORK/played.obj"
cmp -s "$WORK/baked.obj" "$WORK/played.obj" && fail "--skin mwe plays what others see"
expect 0 convert "$WORK/enveloped.glb" "$WORK/again.gltf" -q
grep -q _LIMBER_ENVELOPE_12 "$WORK/again.gltf" || fail "the envelope was not kept"

expect 0 learn "$arm" "$WORK"/d_*.obj --clip bend --fps 20 --fit bind --hold-out 3 --json -o "$WORK/bound.glb"
prints '"fit": "bind"'
expect 0 check "$WORK/bound.glb" --fail-on error

expect 2 learn "$WORK/rigid.gltf" "$WORK"/f_*.obj --fit weights --bones 2 -o "$WORK/none.glb"
says "--bones: the bones are given"
expect 2 learn "$WORK/rest.obj" "$WORK"/f_*.obj --bones 2 --hold-out 3 -o "$WORK/none.glb"
expect 3 learn "$WORK/rest.obj" "$WORK"/f_*.obj --fit weights -o "$WORK/none.glb"
says "expected a clip that says where the joints are"

# What does not fit is named, with its file.
expect 2 learn "$WORK/rest.obj" "$WORK/f_0000.obj" -o "$WORK/none.glb"
says "--bones"
expect 2 learn "$WORK/rest.obj" "$WORK/f_0000.obj" --bones 0 -o "$WORK/none.glb"
expect 2 learn "$WORK/rest.obj" "$WORK/f_0000.obj" --bones 2 --influences 99 -o "$WORK/none.glb"
expect 3 learn "$WORK/rest.obj" --bones 2 -o "$WORK/none.glb"
says "expected a clip or morph targets to learn from"
expect 3 learn "$WORK/rest.obj" "$WORK/person.obj" --bones 2 -o "$WORK/none.glb"
says "person.obj: expected"
says "vertices as $WORK/rest.obj has"
expect 3 learn "$WORK/rest.obj" "$WORK/rest.obj" --bones 2 -o "$WORK/none.glb"
says "all the rest shape"
expect 3 learn "$WORK/rest.obj" "$WORK"/f_*.obj --bones 500 -o "$WORK/none.glb"
says "vertices for 500 bones"
expect 3 learn "$WORK/rest.obj" "$WORK/nothing.obj" --bones 2 -o "$WORK/none.glb"
awk '$1 == "f" && !done { done = 1; print $1, $3, $4, $2; next } { print }' "$WORK/f_0003.obj" >"$WORK/turned.obj"
expect 3 learn "$WORK/rest.obj" "$WORK/turned.obj" --bones 2 -o "$WORK/none.glb"
says "corner 0 of triangle 0"
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"
