#!/bin/bash
# limber fit as a user types it.
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --seed 3 -o "$WORK/person.obj"
expect 0 animate "$WORK/person.obj" walk -o "$WORK/walk.glb" -q
expect 0 retarget "$WORK/walk.glb" wave -o "$WORK/wave.bvh" -q

# The joints of a motion as points, onto the same body: its own motion comes back.
expect 0 fit "$WORK/walk.glb" "$WORK/wave.bvh" --json -o "$WORK/fitted.glb"
says "taken as positions"
prints '"kind": "positions"'
prints '"swaps": 0'
expect 0 check "$WORK/fitted.glb" --fail-on error
expect 0 fit "$WORK/walk.glb" "$WORK/wave.bvh" -q --threads 1 -o "$WORK/again.glb"
cmp -s "$WORK/fitted.glb" "$WORK/again.glb" || fail "other bytes the second time"

# A body of other proportions: the motion goes onto its own lengths, or it takes the subject's.
expect 0 sample humanoid --seed 9 -o "$WORK/other.obj"
expect 0 rig "$WORK/other.obj" -q -o "$WORK/other.glb"
expect 0 fit "$WORK/other.glb" "$WORK/wave.bvh" -o "$WORK/put.glb"
says "motion put on its own lengths"
expect 0 fit "$WORK/other.glb" "$WORK/wave.bvh" --subject --name mine -v -o "$WORK/subject.glb"
says "leftUpperArm"
expect 0 info "$WORK/subject.glb"
prints "mine"

expect 2 fit "$WORK/walk.glb" "$WORK/wave.bvh" --smooth -1 -o "$WORK/none.glb"
expect 2 fit "$WORK/walk.glb" "$WORK/wave.bvh" --clip nobody -o "$WORK/none.glb"
expect 3 fit "$WORK/walk.glb" "$WORK/person.obj" -o "$WORK/none.glb"
says "points over time"
expect 3 fit "$WORK/walk.glb" "$WORK/nothing.bvh" -o "$WORK/none.glb"
expect 4 fit "$DATA/arm.gltf" "$WORK/wave.bvh" -o "$WORK/none.glb"
says "three are needed"
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"
