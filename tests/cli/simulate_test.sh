#!/bin/bash
# limber simulate as typed: chains that swing, what is refused by name.
set -u
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --rigged --pose t --triangles 2000 -q -o "$WORK/person.glb"
expect 0 retarget "$WORK/person.glb" walk -q -o "$WORK/walk.glb"
expect 0 simulate "$WORK/walk.glb" --springs --clip 0 --chain leftLowerArm --chain rightLowerArm --seconds 2 --fps 30 -o "$WORK/loose.glb" --json
prints '"frames": 61'
expect 0 info "$WORK/loose.glb"
prints '"simulated"'
expect 0 simulate "$WORK/walk.glb" --springs --clip 0 --chain leftLowerArm --chain rightLowerArm --seconds 2 --fps 30 -o "$WORK/again.glb"
cmp -s "$WORK/loose.glb" "$WORK/again.glb" || fail "the same command gives other bytes"

expect 3 simulate "$WORK/person.glb" --springs -o "$WORK/none.glb"
says "--chain JOINT"
expect 2 simulate "$WORK/person.glb" --springs --chain nobody -o "$WORK/none.glb"
says "nobody"
expect 2 simulate "$WORK/person.glb" -o "$WORK/none.glb"
expect 4 simulate "$WORK/person.glb" --ragdoll -o "$WORK/none.glb"
says "--ragdoll"
