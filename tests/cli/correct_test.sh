#!/bin/bash
# limber correct as a user types it.
. "$(dirname "$0")/harness.sh"

arm=$DATA/arm.gltf
# Sculpts by another deformer, between the frames of the clip: shown there, and nothing at rest.
expect 0 bake "$arm" --clip bend --time 0.52 --skin dqs -q -o "$WORK/half.obj"
expect 0 bake "$arm" --clip bend --time 1 --skin dqs -q -o "$WORK/full.obj"
expect 0 correct "$arm" --pose "$WORK/half.obj@bend:0.52" --pose "$WORK/full.obj@0:1" --json -o "$WORK/arm.glb"
prints '"name": "half"'
prints '"lower"'
says '"half"'
expect 0 check "$WORK/arm.glb" --fail-on error
expect 0 bake "$WORK/arm.glb" --clip bend --time 0.52 -q -o "$WORK/shown.obj"
expect 0 bake "$arm" --clip bend --time 0.52 -q -o "$WORK/plain.obj"
expect 0 bake "$WORK/arm.glb" --clip bend --time 0 -q -o "$WORK/shown_rest.obj"
expect 0 bake "$arm" --clip bend --time 0 -q -o "$WORK/rest.obj"
node - "$WORK" <<'JS' || fail "the sculpt is not shown"
const fs = require('fs'), dir = process.argv[2];
const read = (f) => fs.readFileSync(`${dir}/${f}.obj`, 'utf8').split('\n').filter((l) => l.startsWith('v ')).map((l) => l.split(/\s+/).slice(1, 4).map(Number));
const apart = (a, b) => Math.max(...read(a).map((p, i) => Math.hypot(...p.map((x, k) => x - read(b)[i][k]))));
const near = apart('half', 'shown'), far = apart('half', 'plain'), rest = apart('rest', 'shown_rest');
if (!(near < 2e-6 && far > 1e-3 && rest < 1e-6)) { console.error(near, far, rest); process.exit(1); }
JS

# The file keeps what drives them: clips that are made later get their weights.
expect 0 ik "$WORK/arm.glb" --target lower=0.3,1.2,0 -q -o "$WORK/posed.glb"
expect 0 info "$WORK/posed.glb"
prints 'clip 0         "ik", 0 s, 2 channels'
grep -aq '"drivers":\[{"targets":\["half","full"\]' "$WORK/posed.glb" || fail "the drivers were not kept"

# What makes no sense is named.
expect 2 correct "$arm" -o "$WORK/none.glb"
says "--pose: expected SCULPT@CLIP:TIME"
expect 2 correct "$arm" --pose "$WORK/half.obj@bend" -o "$WORK/none.glb"
expect 2 correct "$arm" --pose "$WORK/half.obj@bend:9" -o "$WORK/none.glb"
says "ends at 1 s, found 9"
expect 2 correct "$arm" --pose "$WORK/half.obj@swim:0.5" -o "$WORK/none.glb"
expect 3 correct "$arm" --pose "$WORK/nothing.obj@bend:0.5" -o "$WORK/none.glb"
expect 3 correct "$arm" --pose "$WORK/plain.obj@bend:0.52" -o "$WORK/none.glb"
says "which is that shape"
expect 3 correct "$arm" --pose "$WORK/half.obj@bend:0.52" --pose "$WORK/half.obj@bend:0.52" -o "$WORK/none.glb"
expect 0 sample humanoid -q -o "$WORK/person.obj"
expect 3 correct "$arm" --pose "$WORK/person.obj@bend:0.5" -o "$WORK/none.glb"
says "person.obj: expected"
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"
