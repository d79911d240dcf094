#!/bin/bash
# limber simulate --drivers as typed: a program on a character, its parameters, its errors with line and column.
set -u
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --rigged --pose t --triangles 1000 -q -o "$WORK/person.glb"
printf 'param rate = 0.5\njoint("head").ry = 30deg * sin(tau * rate * t)\nhips.ty = pose + 0.02 * noise(2 * t)\n' >"$WORK/nod.txt"
expect 0 simulate "$WORK/person.glb" --drivers "$WORK/nod.txt" --seconds 2 --fps 30 -o "$WORK/nod.glb" --json
prints '"channels": 2'
prints '"frames": 61'
expect 0 check "$WORK/nod.glb" --fail-on warning
expect 0 simulate "$WORK/person.glb" --drivers "$WORK/nod.txt" --seconds 2 --fps 30 -o "$WORK/again.glb"
cmp -s "$WORK/nod.glb" "$WORK/again.glb" || fail "the same command gives other bytes"
expect 0 simulate "$WORK/person.glb" --drivers "$WORK/nod.txt" --set rate=0 --seconds 2 --fps 30 -o "$WORK/again.glb"
cmp -s "$WORK/nod.glb" "$WORK/again.glb" && fail "a parameter changes nothing"

# A program of comments alone moves nothing.
printf '# to be written\n' >"$WORK/empty.txt"
expect 0 simulate "$WORK/person.glb" --drivers "$WORK/empty.txt" --seconds 0.2 -o "$WORK/still.glb" --json
prints '"channels": 0'
prints '"instructions": 0'

expect 2 simulate "$WORK/person.glb" --drivers "$WORK/nod.txt" --set speed=1 -o "$WORK/none.glb"
says "no parameter speed"
expect 2 simulate "$WORK/person.glb" --drivers "$WORK/nod.txt" --set rate=fast -o "$WORK/none.glb"
says "NAME=VALUE"
expect 2 simulate "$WORK/person.glb" --drivers "$WORK/nod.txt" --springs -o "$WORK/none.glb"
expect 2 simulate "$WORK/person.glb" --springs --set rate=1 -o "$WORK/none.glb"
printf 'hips.ty = 1\nhead.rx = 3 * nobody\n' >"$WORK/bad.txt"
expect 3 simulate "$WORK/person.glb" --drivers "$WORK/bad.txt" -o "$WORK/none.glb"
says "bad.txt:2:15: expected a function, a name or a joint that there is, found \"nobody\""
[ ! -e "$WORK/none.glb" ] || fail "something was written"
