#!/bin/bash
# limber ik as typed: ends that come to their targets, limits, clips, refusals by name.
set -u
. "$(dirname "$0")/harness.sh"

# within LIMIT: every goal that was asked for is met so nearly, by the JSON of the last command.
within() {
    awk -v most="$1" '/"kept": / { kept = /true/ } /"left(_rad)?":/ && !kept { gsub(/[",]/, ""); ++n; if (!($2 <= most)) { print "left " $2; exit 1 } }
        END { if (n == 0) { print "no goals"; exit 1 } }' "$WORK/out" >"$WORK/within" || fail "$(cat "$WORK/within"), expected at most $1"
}

expect 0 sample humanoid --rigged --pose t --triangles 4000 -q -o "$WORK/person.glb"
expect 0 ik "$WORK/person.glb" --target leftHand=0.3,1.3,0.45 --target rightHand=-0.2,0.6,0.4 --look head=1,1.2,1.5 -o "$WORK/reach.glb" --json
within 0.001
prints '"root": "hips"'
prints '"kind": "balance"'
expect 0 info "$WORK/reach.glb"
prints '"ik"'

# One arm alone, every solver that is there; an arm cannot reach the ceiling.
expect 0 ik "$WORK/person.glb" --target leftHand=0.4,1.2,0.3 --solver two-bone --no-limits -o "$WORK/arm.glb" --json
within 0.001
for solver in ccd fabrik jacobian; do
    expect 0 ik "$WORK/person.glb" --target leftHand=0.4,1.2,0.3 --solver $solver --no-limits -o "$WORK/arm.glb" --json
    within 0.005
done
expect 0 ik "$WORK/person.glb" --target leftHand=0.4,1.2,0.3 --root leftUpperArm --pinned -o "$WORK/arm.glb" --json
within 0.001
expect 0 ik "$WORK/person.glb" --target leftHand=0,9,0 --root leftUpperArm -o "$WORK/arm.glb"
says "mm off"

# A chain of three thousand bones: memory is for those between root and goal, and what is too much is said.
awk 'BEGIN {
    print "HIERARCHY\nROOT base\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation"
    for (j = 1; j < 3000; ++j) print "JOINT b" j "\n{\nOFFSET 0 0.01 0\nCHANNELS 3 Zrotation Xrotation Yrotation"
    print "End Site\n{\nOFFSET 0 0.01 0\n}"
    for (j = 0; j < 3000; ++j) print "}"
    printf "MOTION\nFrames: 1\nFrame Time: 0.04\n"
    for (j = 0; j < 9000; ++j) printf "%d ", j % 7
    print ""
}' >"$WORK/chain.bvh"
expect 0 ik "$WORK/chain.bvh" --target b2999=0,1,0 -o "$WORK/chain.glb" --max-memory 300M
expect 0 ik "$WORK/chain.bvh" --target b2999=0,1,0 --target b1500=0,1,1 --root base --solver ccd -o "$WORK/chain.glb" --max-memory 300M
# (Under a sanitizer memory has no cap, and the solver would go on for hours.)
if [ -z "${LIMBER_SANITIZE:-}" ]; then
    expect 1 ik "$WORK/chain.bvh" --target b2999=0,1,0 --root base -o "$WORK/chain.glb" --max-memory 300M
    says '--solver full-body: 0.327 GB for all joints between "base" and the goals, more than there is (--max-memory is 300M); give a --root nearer'
fi

# Every frame of a clip.
expect 0 retarget "$WORK/person.glb" walk -q -o "$WORK/walk.glb"
expect 0 ik "$WORK/walk.glb" --clip 0 --look head=1,1.4,8 --name look -o "$WORK/look.glb" --json
within 0.001
if [ "$(awk '/"frames"/ { gsub(/[",]/, ""); print $2 }' "$WORK/out")" -lt 20 ]; then fail "few frames"; fi
expect 0 ik "$WORK/walk.glb" --clip 0 --time 0.3 --target rightHand=-0.3,1.2,0.4 -o "$WORK/once.glb" --json
within 0.001
prints '"frames": 1'

# Feet on a ramp: the hips of the last frame are higher than those of the first.
expect 0 ik "$WORK/walk.glb" --clip 0 --ground slope:12 --name ramp -o "$WORK/ramp.glb"
expect 0 ik "$WORK/walk.glb" --clip 0 --ground stairs:0.15,0.3 --look head=0,1.5,9 -o "$WORK/stairs.glb" --json
within 0.001
expect 2 ik "$WORK/walk.glb" --clip 0 --ground cliff:9 -o "$WORK/none.glb"
says "expected slope:DEGREES"
expect 2 ik "$WORK/walk.glb" --ground slope:9 -o "$WORK/none.glb"
says "is for the feet"
# The ramp lies along the direction walked: half of 3.4 m of it at 12 degrees, in any direction. (BVH: the hips are the second joint, in cm.)
for yaw in 0 90 180; do
    expect 0 sample humanoid --rigged --pose t --triangles 2000 --yaw $yaw -q -o "$WORK/turned.glb"
    expect 0 simulate "$WORK/turned.glb" --gait walk --seconds 3 -q -o "$WORK/turned_walk.glb"
    expect 0 ik "$WORK/turned_walk.glb" --clip 0 --ground slope:12 -q -o "$WORK/turned_ramp.glb"
    expect 0 convert "$WORK/turned_ramp.glb" "$WORK/turned_ramp.bvh" --clip ik -q
    awk '/^Frame Time/ { n = 1; next } n { last = $8 } n == 1 { first = $8; n = 2 } END { exit !(last - first > 40 && last - first < 70) }' "$WORK/turned_ramp.bvh" ||
        fail "turned by $yaw it does not rise"
done
expect 0 ik "$WORK/turned_walk.glb" --clip 0 --ground slope:12@-z -o "$WORK/ramp.glb"
grep -q "no foot comes" "$WORK/err" && fail "a warning without cause"
for way in +z x 90; do
    expect 0 ik "$WORK/turned_walk.glb" --clip 0 --ground slope:12@$way -o "$WORK/ramp.glb"
    says "no foot comes to where it begins"
done
expect 2 ik "$WORK/turned_walk.glb" --clip 0 --ground slope:12@north -o "$WORK/none.glb"
says "@DIR"
expect 2 ik "$WORK/turned_walk.glb" --clip 0 --ground stairs:0.1,0.3,@x -o "$WORK/none.glb"
says "expected slope:DEGREES"
expect 4 ik "$DATA/arm.gltf" --clip 0 --ground slope:9 -o "$WORK/none.glb"
says "no hips and legs"

# The comparison: a table, a picture, JSON.
expect 0 ik "$WORK/person.glb" --compare --target leftHand=0.3,1.2,0.35 -o "$WORK/compare.png"
prints "full-body"
prints "two-bone"
[ "$(head -c 4 "$WORK/compare.png" | tail -c 3)" = PNG ] || fail "no PNG"
expect 0 ik "$WORK/person.glb" --compare --target leftHand=0.3,1.2,0.35 --json
prints '"solver": "two-bone"'

# The same bytes again.
expect 0 ik "$WORK/person.glb" --target leftHand=0.3,1.3,0.45 -q -o "$WORK/a.glb"
expect 0 ik "$WORK/person.glb" --target leftHand=0.3,1.3,0.45 -q -o "$WORK/b.glb"
cmp -s "$WORK/a.glb" "$WORK/b.glb" || fail "two runs differ"

expect 2 ik "$WORK/person.glb" -o "$WORK/none.glb"
says "expected a goal"
expect 2 ik "$WORK/person.glb" --target leftHnd=1,1,1 -o "$WORK/none.glb"
says "did you mean leftHand"
expect 2 ik "$WORK/person.glb" --target leftHand=1,1 -o "$WORK/none.glb"
says "expected JOINT=X,Y,Z"
expect 2 ik "$WORK/person.glb" --target leftHand=1,1,1
says "expected an output"
expect 2 ik "$WORK/person.glb" --target head=1,1,1 --root leftUpperArm -o "$WORK/none.glb"
says "is not under"
expect 4 ik "$WORK/person.glb" --turn leftHand=0,0,90 --solver two-bone -o "$WORK/none.glb"
says "takes --target alone"
expect 2 ik "$WORK/person.glb" --target leftHand=1,1,1 --time 1 -o "$WORK/none.glb"
says "no clip"
