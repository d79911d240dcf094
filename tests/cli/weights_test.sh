#!/bin/bash
# limber weights, and limber rig --skeleton FILE.
. "$(dirname "$0")/harness.sh"

expect 0 weights check "$DATA/arm.gltf"
says "0 without weight"
expect 0 weights check "$DATA/arm.gltf" --json
prints '"good": true'
for op in normalize prune limit smooth; do
    expect 0 weights $op "$DATA/arm.gltf" -o "$WORK/$op.glb" --json
    prints "\"operation\": \"$op\""
    expect 0 weights check "$WORK/$op.glb" --influences 4
done
expect 0 weights prune "$DATA/arm.gltf" -o "$WORK/few.glb" --share 0.5 --hops 2
expect 0 weights smooth "$DATA/arm.gltf" -o "$WORK/far.glb" --spread 4 --rounds 1
expect 0 weights check "$WORK/far.glb" --influences 4
expect 0 weights limit "$DATA/arm.gltf" -o "$WORK/posed.glb" --influences 1 --clip all --moments 5 --json
prints '"moved_max"'
says "in 10 poses"
expect 2 weights limit "$DATA/arm.gltf" -o "$WORK/no.glb" --clip nonsense
expect 2 weights prune "$DATA/arm.gltf" -o "$WORK/no.glb" --share 1
expect 0 weights limit "$DATA/arm.gltf" -o "$WORK/one.glb" --influences 1
expect 0 weights check "$WORK/one.glb" --influences 1
expect 0 weights mirror "$DATA/arm.gltf" -o "$WORK/mirror.glb" --side right --json
prints '"operation": "mirror"'
expect 0 weights check "$WORK/mirror.glb"
expect 2 weights mirror "$DATA/arm.gltf" --side top -o "$WORK/no.glb"
expect 0 weights transfer "$DATA/arm.gltf" --from "$DATA/arm.gltf" -o "$WORK/same.glb" --json
prints '"operation": "transfer"'
expect 0 weights check "$WORK/same.glb"
expect 0 weights transfer "$DATA/arm.gltf" --from "$DATA/arm.gltf" -o "$WORK/same.glb" --two-sided --rounds 3 --distance 0.1 --angle 45
expect 2 weights transfer "$DATA/arm.gltf" --from "$DATA/arm.gltf" -o "$WORK/no.glb" --angle 200
expect 2 weights transfer "$DATA/arm.gltf" -o "$WORK/no.glb"
expect 3 weights transfer "$DATA/arm.gltf" --from "$WORK/missing.glb" -o "$WORK/no.glb"
expect 0 weights compare "$DATA/arm.gltf" "$DATA/arm.gltf" --json
prints '"l1_mean"'
prints '"l1_median"'
prints '"first_joint_share"'
prints '"painted"'
says "of 2 files"
expect 0 weights compare "$DATA/arm.gltf" --weights nearest -o "$WORK/map.glb" --json
prints '"weights": "nearest"'
expect 0 info "$WORK/map.glb"
expect 2 weights compare "$DATA/arm.gltf" "$DATA/arm.gltf" -o "$WORK/no.glb"
expect 2 weights check "$DATA/arm.gltf" "$DATA/arm.gltf"
expect 3 weights compare "$WORK/missing.glb"
expect 2 weights blur "$DATA/arm.gltf" -o "$WORK/no.glb"
expect 2 weights smooth "$DATA/arm.gltf"
expect 2 weights prune "$DATA/arm.gltf" --least 1.5 -o "$WORK/no.glb"

# Edits of a part: by joint, mesh, piece and region; the list of pieces.
expect 0 weights pieces "$DATA/arm.gltf"
prints "  0  "
expect 0 weights pieces "$DATA/arm.gltf" --json
prints '"piece": 0'
expect 0 weights assign "$DATA/arm.gltf" --to lower --value 0.25 --piece 0 -o "$WORK/quarter.glb" --json
prints '"operation": "assign"'
expect 0 weights check "$WORK/quarter.glb" --influences 4
expect 0 weights smooth "$DATA/arm.gltf" --joint lower --above 0.5 -o "$WORK/part.glb"
printf 'limber-strokes 1\njoint lower\nbrush replace\nradius 9\nfalloff constant\nvalue 0.75\nat 0 0 0\n' >"$WORK/all.strokes"
expect 0 weights paint "$DATA/arm.gltf" --strokes "$WORK/all.strokes" -o "$WORK/painted.glb" --json
prints '"operation": "paint"'
prints '"strokes": 1'
expect 0 weights check "$WORK/painted.glb" --influences 4
expect 0 weights assign "$DATA/arm.gltf" --to lower --value 0.75 -o "$WORK/assigned.glb"
cmp -s "$WORK/painted.glb" "$WORK/assigned.glb" || fail "one dab over all is not the weight assigned to all"
sed -i 's/replace/spray/' "$WORK/all.strokes"
expect 3 weights paint "$DATA/arm.gltf" --strokes "$WORK/all.strokes" -o "$WORK/no.glb"
says "all.strokes:3:7: expected add, replace"
expect 3 weights paint "$DATA/arm.gltf" --strokes "$WORK/absent.strokes" -o "$WORK/no.glb"
expect 2 weights paint "$DATA/arm.gltf" -o "$WORK/no.glb"
says "wants --strokes"
expect 2 weights assign "$DATA/arm.gltf" -o "$WORK/no.glb"
says "wants --to"
expect 0 weights move "$DATA/arm.gltf" --from lower --to upper --value 0.5 -o "$WORK/moved.glb" --json
prints '"operation": "move"'
expect 0 weights check "$WORK/moved.glb" --influences 4
expect 2 weights move "$DATA/arm.gltf" --to upper -o "$WORK/no.glb"
says "wants --from"
expect 2 weights move "$DATA/arm.gltf" --from nobody --to upper -o "$WORK/no.glb"
says "nobody"
expect 3 weights move "$DATA/arm.gltf" --from lower --to lower -o "$WORK/no.glb"
says "twice lower"
expect 3 weights move "$DATA/arm.gltf" --from lower --to upper --value 2 -o "$WORK/no.glb"
expect 2 weights assign "$DATA/arm.gltf" --to nobody -o "$WORK/no.glb"
says "nobody"
expect 2 weights smooth "$DATA/arm.gltf" --mesh nothing -o "$WORK/no.glb"
expect 2 weights smooth "$DATA/arm.gltf" --box 1,2,3 -o "$WORK/no.glb"
expect 2 weights smooth "$DATA/arm.gltf" --sphere 0,0,0,-1 -o "$WORK/no.glb"
expect 2 weights smooth "$DATA/arm.gltf" --piece first -o "$WORK/no.glb"
expect 3 weights smooth "$DATA/arm.gltf" --piece 99 -o "$WORK/no.glb"
expect 3 weights smooth "$DATA/arm.gltf" --sphere 900,0,0,1 -o "$WORK/no.glb"

# A mesh without weights, bound to the skeleton of another file.
cat >"$WORK/tube.obj" <<'OBJ'
v 0 -0.1 -0.1
v 0 -0.1 0.1
v 0 0.1 0.1
v 0 0.1 -0.1
v 2 -0.1 -0.1
v 2 -0.1 0.1
v 2 0.1 0.1
v 2 0.1 -0.1
f 1 2 3 4
f 8 7 6 5
f 1 5 6 2
f 2 6 7 3
f 3 7 8 4
f 4 8 5 1
OBJ
expect 6 weights check "$WORK/tube.obj"
for weights in heat nearest; do
    expect 0 rig "$WORK/tube.obj" --skeleton "$DATA/arm.gltf" --fit never --weights $weights -o "$WORK/$weights.glb" --json
    prints '"idle_joints"'
    expect 0 weights check "$WORK/$weights.glb" --influences 4
    says "0 without weight"
done
expect 0 rig "$WORK/tube.obj" --skeleton "$DATA/arm.gltf" --fit never -o "$WORK/again.glb"
cmp -s "$WORK/heat.glb" "$WORK/again.glb" || fail "the same input gave other bytes"
expect 0 weights transfer "$WORK/tube.obj" --from "$WORK/heat.glb" -o "$WORK/clad.glb" --json
prints '"bound": true'
expect 0 weights check "$WORK/clad.glb" --influences 4
expect 3 rig "$WORK/tube.obj" --skeleton "$WORK/missing.glb" -o "$WORK/no.glb"
expect 4 rig "$WORK/tube.obj" --skeleton biped -o "$WORK/no.glb"
