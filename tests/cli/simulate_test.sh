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

expect 0 simulate "$WORK/walk.glb" --springs --spring-length three-vrm --clip 0 --chain leftLowerArm --seconds 1 -o "$WORK/again.glb" --json --plot "$WORK/swing.png"
prints '"kinetic": ['
[ -s "$WORK/swing.png" ] || fail "no plot"
expect 2 simulate "$WORK/walk.glb" --springs --spring-length other --chain leftLowerArm -o "$WORK/none.glb"
says "three-vrm-updated"
expect 3 simulate "$WORK/person.glb" --springs -o "$WORK/none.glb"
says "--chain JOINT"
expect 2 simulate "$WORK/person.glb" --springs --chain nobody -o "$WORK/none.glb"
says "nobody"
expect 2 simulate "$WORK/person.glb" -o "$WORK/none.glb"

expect 0 simulate "$WORK/person.glb" --ragdoll --seconds 5 --json -q -o "$WORK/fallen.glb" --plot "$WORK/fall.png"
prints '"human": true'
# at_most KEY VALUE: a number of the last report.
at_most() {
    awk -v key="\"$1\":" -v most="$2" '$1 == key { found = 1; if ($2 + 0 > most || $2 ~ /null/) { print key, $2; exit 1 } }
        END { if (!found) { print key, "is not there"; exit 1 } }' "$WORK/out" >"$WORK/most" || fail "$(cat "$WORK/most"), expected at most $2"
}
prints '"frames": 301'
at_most separation_share 1e-3
at_most penetration 5e-3
at_most excess_rad 0.1
at_most rest_s 5
[ "$(grep -c '"joint"' "$WORK/out")" = 16 ] || fail "not 16 bodies"
[ "$(head -c 4 "$WORK/fall.png" | tail -c 3)" = PNG ] || fail "no plot"
expect 0 simulate "$WORK/person.glb" --ragdoll --seconds 5 -q -o "$WORK/again.glb"
cmp -s "$WORK/fallen.glb" "$WORK/again.glb" || fail "the same command gives other bytes"
expect 0 simulate "$WORK/walk.glb" --ragdoll --clip 0 --release 0.5 --strength 4 --strength leftUpperArm=0 --balance 2 --push chest=0,0,-40@0.8 --seconds 1.5 -q -o "$WORK/hit.glb"
expect 0 simulate "$WORK/walk.glb" --ragdoll --clip 0 --only leftUpperArm --ground none --mass 60 --seconds 1 -q -o "$WORK/arm.glb"
expect 0 simulate "$WORK/walk.glb" --ragdoll --clip 0 --release 0.4 --push chest=20,0,-30 --recover 1.5 --seconds 3 -q -o "$WORK/back.glb"
expect 0 simulate "$WORK/walk.glb" --ragdoll --recover 1.5 --get-up walk --seconds 3 -q -o "$WORK/up.glb"

# Two falls played backwards get up from the front and from the back; the one that fits is taken.
for way in 60 -60; do
    expect 0 simulate "$WORK/person.glb" --ragdoll --push chest=0,0,$way --seconds 1.6 --fps 30 -q -o "$WORK/fall.glb"
    expect 0 convert "$WORK/fall.glb" "$WORK/fall.bvh" -q
    { sed '/^Frame Time/q' "$WORK/fall.bvh"; sed '1,/^Frame Time/d' "$WORK/fall.bvh" | tac; } >"$WORK/up$way.bvh"
done
expect 0 simulate "$WORK/walk.glb" --ragdoll --push chest=0,0,55 --recover 1.5 --get-up "$WORK/up-60.bvh,$WORK/up60.bvh" --motion-up y --seconds 3 --json -q -o "$WORK/up.glb"
prints '"lying": "prone"'
prints '"chosen": 1'
expect 0 simulate "$WORK/walk.glb" --ragdoll --push chest=0,0,-55 --recover 1.5 --get-up "$WORK/up-60.bvh,$WORK/up60.bvh" --motion-up y --seconds 3 --json -q -o "$WORK/up.glb"
prints '"lying": "supine"'
prints '"chosen": 0'

expect 0 simulate "$WORK/walk.glb" --ragdoll --clip 0 --hit chest=0,0,-50@0.6 --seconds 2.5 --json -q -o "$WORK/struck.glb"
prints '"get_up"'
prints '"lying": "upright"'
expect 2 simulate "$WORK/walk.glb" --ragdoll --clip 0 --hit chest=0,0,-50 -o "$WORK/none.glb"
says "JOINT=X,Y,Z@S"
expect 2 simulate "$WORK/person.glb" --ragdoll --recover 1 -o "$WORK/none.glb"
says "--get-up"
expect 2 simulate "$WORK/walk.glb" --ragdoll --clip 0 --release 1 --recover 0.5 -o "$WORK/none.glb"
says "later than --release"
expect 2 simulate "$WORK/walk.glb" --ragdoll --clip 0 --get-up walk -o "$WORK/none.glb"
says "for --recover"
expect 2 simulate "$WORK/walk.glb" --ragdoll --recover 1 --get-up walk,nothing --seconds 2 -o "$WORK/none.glb"
says "nothing"
expect 3 simulate "$WORK/walk.glb" --ragdoll --recover 1 --get-up nothing.bvh --seconds 2 -o "$WORK/none.glb"
says "nothing.bvh"
# One piece falls as a rigid body: a brick from a metre up comes to rest on its side as it left.
printf '%s\n' 'v -1 0 -0.5' 'v 1 0 -0.5' 'v 1 0 0.5' 'v -1 0 0.5' 'v -1 0.5 -0.5' 'v 1 0.5 -0.5' 'v 1 0.5 0.5' 'v -1 0.5 0.5' \
    'f 1 2 3 4' 'f 5 8 7 6' 'f 1 5 6 2' 'f 3 7 8 4' 'f 1 4 8 5' 'f 2 6 7 3' > "$WORK/brick.obj"
expect 0 simulate "$WORK/brick.obj" --ragdoll --drop 1 --mass 20 --seconds 3 --json -o "$WORK/brick.glb"
prints '"kind": "box"'
prints '"closed": true'
prints '"mass": 20'
prints '"volume": 1'
grep -q '"rest_s": [12]' "$WORK/out" || fail "does not come to rest"
expect 2 simulate "$WORK/brick.obj" --ragdoll --recover 1 -o "$WORK/none.glb"
says "body with joints"

expect 2 simulate "$WORK/person.glb" --ragdoll --springs -o "$WORK/none.glb"
says "one of"
expect 2 simulate "$WORK/person.glb" --ragdoll --chain hips -o "$WORK/none.glb"
says "--chain is for --springs"
expect 2 simulate "$WORK/person.glb" --ragdoll --only nobody -o "$WORK/none.glb"
says "nobody"
expect 2 simulate "$WORK/person.glb" --ragdoll --push chest=1,2 -o "$WORK/none.glb"
says "JOINT=X,Y,Z"
expect 2 simulate "$WORK/person.glb" --ragdoll --strength head=strong -o "$WORK/none.glb"
says "HZ"
[ ! -e "$WORK/none.glb" ] || fail "something was written"
