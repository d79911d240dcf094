#!/bin/bash
# limber simulate --ground as typed: a mesh, a grid, a picture; what is refused.
set -u
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --rigged --pose t --triangles 2000 -q -o "$WORK/person.glb"
at_most() {
    awk -v key="\"$1\":" -v most="$2" '$1 == key { found = 1; if ($2 + 0 > most || $2 ~ /null/) { print key, $2; exit 1 } }
        END { if (!found) { print key, "is not there"; exit 1 } }' "$WORK/out" >"$WORK/most" || fail "$(cat "$WORK/most"), expected at most $2"
}

# A slab with its top at y = -1: what falls on it comes to rest a metre lower than on the floor.
printf 'v -9 -1 -9\nv -9 -1 9\nv 9 -1 9\nv 9 -1 -9\nf 1 2 3\nf 1 3 4\n' >"$WORK/slab.obj"
expect 0 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/slab.obj" --keep-ground --seconds 4 --json -q -o "$WORK/slab.glb"
at_most penetration 5e-3
at_most separation_share 1e-3
at_most lowest -0.99
at_most rest_s 4
expect 0 info "$WORK/slab.glb"
prints '"ground"'
expect 0 simulate "$WORK/person.glb" --ragdoll --ground -1 --seconds 4 --json -q -o "$WORK/plane.glb"
at_most lowest -0.99

printf 'ncols 5\nnrows 5\ncellsize 2\n103 102 102 102 103\n102 101 101 101 102\n102 101 101 101 102\n102 101 101 101 102\n103 102 102 102 103\n' >"$WORK/bowl.asc"
expect 0 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/bowl.asc" --keep-ground --seconds 2 --json -q -o "$WORK/bowl.glb"
at_most penetration 5e-3
expect 0 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/bowl.asc" --keep-ground --seconds 2 -q -o "$WORK/again.glb"
cmp -s "$WORK/bowl.glb" "$WORK/again.glb" || fail "the same command gives other bytes"
expect 0 render "$WORK/person.glb" --size 33x33 -q -o "$WORK/hills.png"
expect 0 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/hills.png" --ground-size 6,6,0.4 --seconds 1 -q -o "$WORK/hills.glb"

expect 2 simulate "$WORK/person.glb" --ragdoll --ground floor -o "$WORK/none.glb"
says "a height, none or a file"
expect 3 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/nothing.obj" -o "$WORK/none.glb"
says "nothing.obj"
printf 'ncols 2\nnrows 2\ncellsize 1\n1 2\n3 high\n' >"$WORK/bad.asc"
expect 3 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/bad.asc" -o "$WORK/none.glb"
says "bad.asc:5:3"
head -c 60 "$WORK/hills.png" >"$WORK/half.png"
expect 3 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/half.png" -o "$WORK/none.glb"
says "half.png"
expect 2 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/hills.png" --ground-size big -o "$WORK/none.glb"
says "WIDTH,DEPTH,HEIGHT"
expect 2 simulate "$WORK/person.glb" --ragdoll --ground "$WORK/bowl.asc" --ground-size 1,1,1 -o "$WORK/none.glb"
says "for pictures"
expect 0 simulate "$WORK/slab.obj" --ragdoll --drop 0.3 --seconds 1 -o "$WORK/slab.glb"
says "one piece"
expect 2 simulate "$WORK/slab.obj" --ragdoll --balance 3 -o "$WORK/none.glb"
says "limber rig"
expect 2 simulate "$WORK/person.glb" --springs --keep-ground -o "$WORK/none.glb"
says "for --ragdoll"
[ ! -e "$WORK/none.glb" ] || fail "something was written"
