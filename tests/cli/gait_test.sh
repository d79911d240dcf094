#!/bin/bash
# limber simulate --gait as typed: two legs and four, styles, what is refused by name.
set -u
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --rigged --pose t --triangles 1000 -q -o "$WORK/person.glb"
expect 0 simulate "$WORK/person.glb" --gait walk --speed 1.3 --slope 5 --turn 20 --fps 30 -o "$WORK/walk.glb" --json --plot "$WORK/walk.png"
prints '"slide_m_s": ['
[ -s "$WORK/walk.png" ] || fail "no plot"
prints '"gait": "walk"'
prints '"speed_m_s": 1.3'
expect 0 check "$WORK/walk.glb" --fail-on warning
expect 0 info "$WORK/walk.glb"
prints '"walk"'
expect 0 simulate "$WORK/person.glb" --gait walk --speed 1.3 --slope 5 --turn 20 --fps 30 -o "$WORK/again.glb"
cmp -s "$WORK/walk.glb" "$WORK/again.glb" || fail "the same command gives other bytes"
expect 0 simulate "$WORK/person.glb" --gait run --seconds 2 --style crouch=0.1 --style arms=0 --in-place --name jog -o "$WORK/jog.glb" --json
prints '"frames": 121'

expect 0 simulate "$WORK/person.glb" --gait walk --style sneak --style nod=-10 -o "$WORK/sneak.glb"
expect 2 simulate "$WORK/person.glb" --gait walk --style waltz -o "$WORK/none.glb"
says "sneak, march"
expect 0 sample quadruped --rigged --triangles 1000 -q -o "$WORK/deer.glb"
# A body that faces another direction walks there just as well. (BVH: the hips are the second joint, centimetres.)
for yaw in 90 180; do
    expect 0 sample quadruped --rigged --pose t --triangles 3000 --seed 3 --yaw $yaw -q -o "$WORK/turned.glb"
    expect 0 simulate "$WORK/turned.glb" --gait walk --fps 30 -o "$WORK/turned_walk.glb" --json
    awk '/"penetration": [0-9]/ { gsub(/[",]/, ""); ok = $2 < 1e-4 } END { exit !ok }' "$WORK/out" || fail "skin is in the ground"
    expect 0 convert "$WORK/turned_walk.glb" "$WORK/turned_walk.bvh" --clip 0 -q
    awk -v yaw=$yaw '/^Frame Time/ { n = 1; next } n == 1 { x = $7; z = $9; n = 2 } n == 2 { dx = $7 - x; dz = $9 - z }
        END { exit yaw == 90 ? !(dx > 30 && dz * dz < 9) : !(dz < -30 && dx * dx < 9) }' "$WORK/turned_walk.bvh" || fail "turned by $yaw it walks elsewhere"
done

for gait in walk trot run; do
    expect 0 simulate "$WORK/deer.glb" --gait $gait -o "$WORK/$gait.glb" --json
    prints "\"gait\": \"$gait\""
done
expect 0 sample bird --rigged --triangles 1000 -q -o "$WORK/bird.glb"
expect 0 simulate "$WORK/bird.glb" --gait walk -o "$WORK/bird_walk.glb"
# It stands in a long stride, and so do the joints that are found in it.
expect 0 sample quadruped --triangles 3000 -q -o "$WORK/deer.obj"
expect 0 animate "$WORK/deer.obj" walk -q -o "$WORK/found.glb"

# A mesh that follows no joint would stand still while its skeleton walks.
expect 0 convert "$WORK/person.glb" "$WORK/person.gltf" -q
sed 's/"skin": *[0-9]*,//; s/, *"skin": *[0-9]*//' "$WORK/person.gltf" >"$WORK/apart.gltf"
expect 4 simulate "$WORK/apart.gltf" --gait walk -o "$WORK/none.glb"
says "mesh \"humanoid\" follows none of them"

expect 4 simulate "$WORK/person.glb" --gait trot -o "$WORK/none.glb"
says "walk or run"
expect 2 simulate "$WORK/person.glb" --gait skip -o "$WORK/none.glb"
expect 2 simulate "$WORK/person.glb" --gait walk --speed 9 -o "$WORK/none.glb"
says "m/s with legs of"
expect 2 simulate "$WORK/person.glb" --gait walk --slope 80 -o "$WORK/none.glb"
says "a slope of at most 25 degrees"
expect 2 simulate "$WORK/person.glb" --gait walk --style jazzy=1 -o "$WORK/none.glb"
expect 2 simulate "$WORK/person.glb" --gait walk --clip 0 -o "$WORK/none.glb"
expect 2 simulate "$WORK/person.glb" --springs --slope 5 -o "$WORK/none.glb"
expect 0 sample hand --rigged --triangles 1000 -q -o "$WORK/hand.glb"
expect 4 simulate "$WORK/hand.glb" --gait walk -o "$WORK/none.glb"
says "two to eight legs"
[ ! -e "$WORK/none.glb" ] || fail "something was written"
