#!/bin/bash
# limber train, rig --style, weights compare --style.
. "$(dirname "$0")/harness.sh"

# Three bodies of one maker: rigged, then their weights drawn wide.
for seed in 1 2 3 4; do
    expect 0 sample humanoid --seed $seed --triangles 1500 -q -o "$WORK/$seed.obj"
    expect 0 rig "$WORK/$seed.obj" -q -o "$WORK/$seed.glb"
    expect 0 weights smooth "$WORK/$seed.glb" -q --spread 10 --rounds 2 -o "$WORK/wide_$seed.glb"
done
expect 0 train "$WORK/wide_1.glb" "$WORK/wide_2.glb" "$WORK/wide_3.glb" --epochs 10 --samples 300 --json -o "$WORK/wide.lmbs"
prints '"characters": 3'
prints '"trusts_heat": false'
prints '"trust": 1'
prints '"joints_after"'
says "on characters left out"
awk -F'[:,]' '/"l1_before"/ { b = $2 } /"l1_after"/ { exit !($2 < 0.8 * b) } ' "$WORK/out" || fail "learned nothing"
[ "$(wc -c <"$WORK/wide.lmbs")" -le 65536 ] || fail "more than 64 KiB"
expect 0 train "$WORK/wide_1.glb" "$WORK/wide_2.glb" "$WORK/wide_3.glb" --epochs 10 --samples 300 -q --threads 1 --simd scalar -o "$WORK/again.lmbs"
cmp -s "$WORK/wide.lmbs" "$WORK/again.lmbs" || fail "other bytes with one thread or another instruction set"

# The fourth comes nearer to how they are painted.
expect 0 weights compare "$WORK/wide_4.glb" -q --json
by_heat=$(awk -F'[:,]' '/"l1_mean"/ { print $2; exit }' "$WORK/out")
expect 0 weights compare "$WORK/wide_4.glb" --style "$WORK/wide.lmbs" -q --json
prints '"weights": "learned"'
awk -F'[:,]' -v heat="$by_heat" '/"l1_mean"/ { exit !($2 < 0.8 * heat) }' "$WORK/out" || fail "not nearer than heat ($by_heat)"

# A bare mesh gets the maker's skeleton and weights.
expect 0 rig "$WORK/4.obj" --style "$WORK/wide.lmbs" -o "$WORK/styled.glb" --json
says "learned"
prints '"fitted": true'
prints '"leftUpperArm"'
expect 0 weights check "$WORK/styled.glb" --influences 4
expect 0 rig "$WORK/4.obj" --style "$WORK/wide.lmbs" --weights heat -o "$WORK/heat.glb"
says "bone heat"
expect 0 rig "$WORK/4.obj" --style "$WORK/wide.lmbs" --skeleton "$WORK/wide_4.glb" -o "$WORK/own.glb"
says "as it stands in the mesh"

expect 2 rig "$WORK/4.obj" --weights learned -o "$WORK/no.glb"
says "--style"
expect 2 weights compare "$WORK/4.glb" --weights learned
says "--style"
expect 2 rig "$WORK/4.obj" --style "$WORK/wide.lmbs" --skeleton human -o "$WORK/no.glb"
expect 2 train "$WORK/wide_1.glb" -o "$WORK/no.lmbs"
expect 2 train "$WORK/wide_1.glb" "$WORK/wide_2.glb" --epochs -1 -o "$WORK/no.lmbs"
expect 2 train "$WORK/wide_1.glb" "$WORK/wide_2.glb" -o "$WORK/no.glb"
expect 3 rig "$WORK/4.obj" --style "$WORK/missing.lmbs" -o "$WORK/no.glb"
head -c 5000 "$WORK/wide.lmbs" >"$WORK/cut.lmbs"
expect 3 rig "$WORK/4.obj" --style "$WORK/cut.lmbs" -o "$WORK/no.glb"
says "cut.lmbs"
expect 3 rig "$WORK/4.obj" --style "$WORK/4.obj" -o "$WORK/no.glb"

exit 0
