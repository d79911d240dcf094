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
grep -q '"farthest_m": 0,$' "$WORK/out" || fail "flesh moves at rest"

# Painted: a number a vertex. All firm moves less than all soft.
farthest() { grep -o '"farthest_m": [0-9.e-]*' "$WORK/out" | cut -d' ' -f2; }
echo 1 > "$WORK/one.txt"
expect 3 simulate "$WORK/run.glb" --flesh --clip 0 --soft-file "$WORK/one.txt" -o "$WORK/none.glb"
says "one a vertex, found 1"
count=$(grep -o 'expected [0-9]* numbers' "$WORK/err" | cut -d' ' -f2)
yes 0 | head -n "$count" > "$WORK/firm.txt"
{ echo '# soft all over'; yes 1 | head -n "$count"; } > "$WORK/soft.txt"
expect 0 simulate "$WORK/run.glb" --flesh --clip 0 --seconds 0.6 --soft-file "$WORK/firm.txt" -o "$WORK/again.glb" --json --plot "$WORK/plot.png"
firm=$(farthest)
prints '"volume": ['
[ -s "$WORK/plot.png" ] || fail "no plot"
expect 0 simulate "$WORK/run.glb" --flesh --clip 0 --seconds 0.6 --soft-file "$WORK/soft.txt" -o "$WORK/again.glb" --json
awk -v a="$firm" -v b="$(farthest)" 'BEGIN { exit !(4 * a < b) }' || fail "firm $firm, soft $(farthest)"
expect 0 simulate "$WORK/run.glb" --flesh --clip 0 --seconds 0.6 --soft-file "$WORK/soft.txt" --soft hips=0 --soft spine=0 -o "$WORK/again.glb" --json
echo 'seven' > "$WORK/one.txt"
expect 3 simulate "$WORK/run.glb" --flesh --clip 0 --soft-file "$WORK/one.txt" -o "$WORK/none.glb"
says "one.txt:1: expected a number of 0 to 1"
# Painted red, a body is as soft as with ones; its blue is as firm as with zeros.
expect 0 sample humanoid --whole --triangles 1000 -q -o "$WORK/bare.obj"
awk '$1 == "v" { print $1, $2, $3, $4, 1, 0, 0; next } { print }' "$WORK/bare.obj" > "$WORK/red.obj"
expect 0 rig "$WORK/red.obj" --weights nearest -q -o "$WORK/red.glb"
expect 0 simulate "$WORK/red.glb" --gait run --in-place -q -o "$WORK/run_red.glb"
expect 0 simulate "$WORK/run_red.glb" --flesh --clip 0 --seconds 0.4 --soft-paint red -o "$WORK/again.glb" --json
soft=$(farthest)
expect 0 simulate "$WORK/run_red.glb" --flesh --clip 0 --seconds 0.4 --soft-paint blue -o "$WORK/again.glb" --json
awk -v a="$(farthest)" -v b="$soft" 'BEGIN { exit !(4 * a < b) }' || fail "blue $(farthest), red $soft"

expect 3 simulate "$WORK/run.glb" --flesh --clip 0 --soft-paint red -o "$WORK/none.glb"
says "vertex colours"
expect 2 simulate "$WORK/run.glb" --flesh --clip 0 --soft-paint pink -o "$WORK/none.glb"
expect 2 simulate "$WORK/run.glb" --flesh --clip 0 --soft-paint red --soft-file "$WORK/soft.txt" -o "$WORK/none.glb"

expect 2 simulate "$WORK/run.glb" --flesh --soft nobody=1 -o "$WORK/none.glb"
says "nobody"
expect 2 simulate "$WORK/run.glb" --flesh --soft spine=7 -o "$WORK/none.glb"
expect 2 simulate "$WORK/run.glb" --springs --soft spine=1 -o "$WORK/none.glb"
expect 4 simulate "$WORK/run.glb" --flesh --seconds 100000 -o "$WORK/none.glb"
expect 3 simulate "$DATA/../retarget/none.glb" --flesh -o "$WORK/none.glb"
[ ! -e "$WORK/none.glb" ] || fail "something was written"
