#!/bin/bash
# limber simulate --idle as typed: two legs, four legs, where it looks, what is refused.
set -u
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --rigged --pose a --triangles 2000 -q -o "$WORK/person.glb"
expect 0 simulate "$WORK/person.glb" --idle --seconds 12 --fps 30 --json -q -o "$WORK/idle.glb"
prints '"frames": 361'
awk '$1 == "\"feet_off\":" { exit !($2 + 0 < 2e-3) }' "$WORK/out" || fail "feet slide"
awk '$1 == "\"shifts\":" { exit !($2 + 0 >= 1) }' "$WORK/out" || fail "no weight was shifted"
expect 0 simulate "$WORK/person.glb" --idle --seconds 12 --fps 30 -q -o "$WORK/again.glb"
cmp -s "$WORK/idle.glb" "$WORK/again.glb" || fail "the same command gives other bytes"
expect 0 simulate "$WORK/person.glb" --idle --seconds 12 --fps 30 --seed 5 -q -o "$WORK/again.glb"
cmp -s "$WORK/idle.glb" "$WORK/again.glb" && fail "the seed changes nothing"
expect 0 simulate "$WORK/person.glb" --idle --gaze 2,1.5,2 --breath 0 --shift 0 --seconds 2 --json -q -o "$WORK/look.glb"
awk '$1 == "\"head_rad\":" { exit !($2 + 0 > 0.4 && $2 + 0 < 0.8) }' "$WORK/out" || fail "the head does not turn"
expect 0 simulate "$WORK/person.glb" --idle --gaze camera --seconds 1 -q -o "$WORK/look.glb"
expect 0 sample quadruped --rigged --triangles 2000 -q -o "$WORK/dog.glb"
expect 0 simulate "$WORK/dog.glb" --idle --seconds 3 -q -o "$WORK/dogs.glb"

expect 2 simulate "$WORK/person.glb" --idle --gaze there -o "$WORK/none.glb"
says "about, camera"
expect 2 simulate "$WORK/person.glb" --idle --shift 9 -o "$WORK/none.glb"
says "--shift"
expect 2 simulate "$WORK/person.glb" --ragdoll --gaze about -o "$WORK/none.glb"
says "for --idle"
expect 0 sample fish --rigged --triangles 2000 -q -o "$WORK/fish.glb"
expect 4 simulate "$WORK/fish.glb" --idle -o "$WORK/none.glb"
[ ! -e "$WORK/none.glb" ] || fail "something was written"
