#!/bin/bash
# limber bake on body models: body.npz has the layout of SMPL, body_walk.npz that of AMASS. The formulas are judged by oracle/body_test.
. "$(dirname "$0")/harness.sh"
body=$DATA/body.npz
walk=$DATA/body_walk.npz
out=$WORK/out.obj

# At rest it is v_template, whose first vertex the file has.
expect 0 bake "$body" -o "$out"
[ "$(grep -c '^v ' "$out")" = 602 ] || fail "not 602 vertices"
first=$(grep -m1 '^v ' "$out")
# Coefficient 0 makes it taller by 6% of the height.
expect 0 bake "$body" --betas 2 -o "$out"
says "body model (SMPL), 602 vertices, 24 joints, 3 shape coefficients"
second=$(grep -m1 '^v ' "$out")
echo "$first $second" | awk '{ d = $7 - $3 * 1.12; exit $6 != $2 || d * d > 1e-8 || $8 != $4 }' || fail "$first became $second"

# The root rotated by 180 degrees about y, around the pelvis; the rest of the pose is at rest.
expect 0 bake "$body" --pose 0,3.14159265,0 -o "$out"
[ "$(grep -c '^v ' "$out")" = 602 ] || fail "not 602 vertices"

# A recorded motion: +Z up, made upright; a moment of it, and all of it.
expect 0 bake "$body" --pose "$walk" --frame 10 -o "$out"
says "31 frames of 24 joints, +Z up"
expect 0 bake "$body" --pose "$walk" --fps 2 -o "$WORK/{frame}.obj"
[ "$(ls "$WORK"/000?.obj | wc -l)" = 3 ] || fail "not 3 files"
expect 0 bake "$body" --pose "$walk" --time 0.5 -o "$WORK/still.glb"
expect 0 info "$WORK/still.glb"
grep -q "^clip" "$WORK/out" && fail "a still has a clip"
expect 0 bake -v "$body" --pose "$walk" -o "$WORK/walk.glb"
says "correctives    4 morph targets"
expect 0 info "$WORK/walk.glb"
prints "4 morph targets"
prints 'clip 0         "motion", 1 s'
expect 0 check "$WORK/walk.glb" --fail-on warning
# The clip at that frame is what the model gives there.
expect 0 bake "$WORK/walk.glb" --time 0.3333333 -o "$WORK/from_clip.obj"
expect 0 bake "$body" --pose "$walk" --frame 10 -o "$out"
paste <(grep '^v ' "$out") <(grep '^v ' "$WORK/from_clip.obj") |
    awk '{ d = sqrt(($2-$6)^2 + ($3-$7)^2 + ($4-$8)^2); if (d > 2e-4) bad = 1 } END { exit bad }' || fail "the clip is not the model"
# --up overrides: taken as upright already, it lies.
expect 0 bake "$body" --pose "$walk" --up y --frame 0 -o "$WORK/lying.obj"
awk '/^v / { if ($4 > most) most = $4; if ($4 < least) least = $4 } END { exit most - least < 1.5 }' "$WORK/lying.obj" || fail "it does not lie"

# Anything that reads characters reads the body.
expect 0 info "$body"
prints "602 vertices"
expect 0 convert "$body" "$WORK/body.glb"

# What does not fit.
expect 2 bake "$body" --betas 1,2,3,4 -o "$out"
says "4 coefficients for a model of 3"
expect 2 bake "$body" --betas 1,x -o "$out"
says "expected numbers with commas"
expect 2 bake "$body" --pose 1,2 -o "$out"
says "three numbers a joint"
expect 3 bake "$body" --pose "$WORK/none.npz" -o "$out"
expect 3 bake "$walk" --betas 1 -o "$out"
says "expected an array v_template"
expect 3 bake "$body" --pose "$body" -o "$out"
says "expected an array poses of numbers"
expect 4 bake "$DATA/body_pickled.npz" --betas 1 -o "$out"
says "pickled Python objects in J_regressor"
head -c 20000 "$body" > "$WORK/cut.npz"
expect 3 bake "$WORK/cut.npz" --betas 1 -o "$out"
says "end of a ZIP archive's directory"
