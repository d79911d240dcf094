#!/bin/bash
# limber simulate --flesh as typed: targets that play with the clip, nothing at rest, what is refused.
set -u
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --rigged --pose t --triangles 2000 -q -o "$WORK/person.glb"
expect 0 simulate "$WORK/person.glb" --gait run --in-place -q -o "$WORK/run.glb"
expect 0 simulate "$WORK/run.glb" --flesh --clip 0 --seconds 0.6 -o "$WORK/flesh.glb" --json
prints '"frames": 13'
expect 0 check "$WORK/flesh.glb" --fail-on warning
expect 0 simulate "$WORK/run.glb" --flesh --clip 0 --seconds 0.6 -o "$WORK/again.glb"
cmp -s "$WORK/flesh.glb" "$WORK/again.glb" || fail "the same command gives other bytes"
expect 0 simulate "$WORK/run.glb" --flesh --clip 0 --seconds 0.6 --soft spine=0 --frequency 9 --fps 30 -o "$WORK/again.glb" --json
prints '"frames": 19'

# At rest nothing moves, not by a bit.
expect 0 simulate "$WORK/person.glb" --flesh --seconds 0.3 -o "$WORK/rest.glb" --json
grep -q '"farthest_m": 0$' "$WORK/out" || fail "flesh moves at rest"

expect 2 simulate "$WORK/run.glb" --flesh --soft nobody=1 -o "$WORK/none.glb"
says "nobody"
expect 2 simulate "$WORK/run.glb" --flesh --soft spine=7 -o "$WORK/none.glb"
expect 2 simulate "$WORK/run.glb" --springs --soft spine=1 -o "$WORK/none.glb"
expect 4 simulate "$WORK/run.glb" --flesh --seconds 100000 -o "$WORK/none.glb"
expect 3 simulate "$DATA/../retarget/none.glb" --flesh -o "$WORK/none.glb"
[ ! -e "$WORK/none.glb" ] || fail "something was written"
