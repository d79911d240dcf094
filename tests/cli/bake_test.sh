#!/bin/bash
# limber bake against answers worked out by hand: an arm of two bones, radius 0.1, its elbow at (0, 1, 0).
. "$(dirname "$0")/harness.sh"
arm=$DATA/arm.gltf
out=$WORK/out.obj

# At rest; the skinned mesh does not follow its own node, which stands at x = 5.
expect 0 bake "$arm" -o "$out"
[ "$(grep -c '^v ' "$out")" = 20 ] || fail "not 20 vertices"
near "$out" 1 -0.1 0 -0.1
near "$out" 18 0.1 2 -0.1

# The forearm rotated by 90 degrees about z: (0.1, 2) goes to (-1, 1.1).
expect 0 bake "$arm" --clip bend --time 1 -o "$out"
near "$out" 2 0.1 0 -0.1
near "$out" 18 -1 1.1 -0.1
# Between the bones, at (0.1, 1), half the weight each: half of (0.1, 1) and half of (0, 1.1).
near "$out" 10 0.05 1.05 -0.1

# 45 degrees at half the time: slerp has constant speed.
expect 0 bake "$arm" --clip 0 --time 0.5 -o "$out"
near "$out" 18 -0.6363961 1.7778175 -0.1
# Beyond the end the end holds, before the start the start.
expect 0 bake "$arm" --clip bend --time 99 -o "$out"
near "$out" 18 -1 1.1 -0.1
expect 0 bake "$arm" --clip bend --time -5 -o "$out"
near "$out" 18 0.1 2 -0.1
# Frames are 30 a second here.
expect 0 bake "$arm" --clip bend --frame 15 -o "$out"
near "$out" 18 -0.6363961 1.7778175 -0.1
# The first clip when none is named.
expect 0 bake "$arm" --time 1 -o "$out"
near "$out" 18 -1 1.1 -0.1

# Morphs, before the skin.
expect 0 bake "$arm" --clip reach --time 0.5 -o "$out"
near "$out" 18 0.1 2 0.025

# Rigid: the vertex between the bones follows one of them.
expect 0 bake "$arm" --clip bend --time 1 --skin rigid -o "$out"
near "$out" 10 0.1 1 -0.1
near "$out" 18 -1 1.1 -0.1

# A series.
expect 0 bake "$arm" --clip bend --fps 4 -o "$WORK/step.obj"
[ "$(ls "$WORK"/step_*.obj | wc -l)" = 5 ] || fail "not 5 files"
near "$WORK/step_0004.obj" 18 -1 1.1 -0.1
expect 0 bake "$arm" --clip bend --fps 2 -o "$WORK/at-{frame}-.obj"
near "$WORK/at-0001-.obj" 18 -0.6363961 1.7778175 -0.1

# The same bytes whatever the threads, and the same numbers as JSON says.
expect 0 bake "$arm" --clip bend --time 0.7 --threads 1 -o "$WORK/one.obj"
expect 0 bake "$arm" --clip bend --time 0.7 --threads 4 -o "$WORK/four.obj"
cmp -s "$WORK/one.obj" "$WORK/four.obj" || fail "threads change the result"
expect 0 bake "$arm" --json --clip bend --time 1 -o "$out"
prints '"clip": "bend"'
prints '"vertices": 20'

# Other formats hold the same shape.
for format in ply glb; do
    expect 0 bake "$arm" --clip bend --time 1 -o "$WORK/out.$format"
    expect 0 bake "$WORK/out.$format" -o "$WORK/again.obj"
    near "$WORK/again.obj" 18 -1 1.1 -0.1
done

expect 2 bake "$arm" --clip nosuch -o "$out"
says '0 "bend", 1 "reach"'
expect 2 bake "$arm" --time 1 --frame 3 -o "$out"
says "expected one of --time, --frame and --fps"
expect 2 bake "$arm" --frame -3 -o "$out"
expect 2 bake "$arm" --fps 0 -o "$out"
expect 2 bake "$arm" --fps 5 -o -
# Every deformer leaves the rest pose as it is, and agrees where one joint rules alone.
expect 0 bake "$arm" -o "$WORK/rest.obj"
for skin in rigid cor ddm ddm2 ddm4 ddm5 dm dqs dqs-fixed lbs-gradient; do
    expect 0 bake "$arm" --skin $skin -o "$WORK/$skin.obj"
    "$LIMBER" bake "$arm" --clip bend --time 1 --skin $skin -o "$WORK/bent.obj" || fail "--skin $skin does not bend"
    cmp -s "$WORK/bent.obj" "$WORK/rest.obj" && fail "--skin $skin leaves a clip out"
    for v in 1 5 9 13 18; do
        # shellcheck disable=SC2046 # three numbers
        near "$WORK/$skin.obj" $v $(grep '^v ' "$WORK/rest.obj" | sed -n "${v}p" | cut -d' ' -f2-4)
    done
done
printf 'HIERARCHY\nROOT hips\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 1\nFrame Time: 0.04\n0 0 0\n' >"$WORK/bones.bvh"
expect 3 bake "$WORK/bones.bvh" -o "$out"
says "expected a mesh to bake"
expect 0 bake "$arm" --fps 4 -o "$WORK/many.ply" --threads 2
[ "$(grep -c 'cannot hold' "$WORK/err")" -le 1 ] || fail "a loss is named for every file of a series"
