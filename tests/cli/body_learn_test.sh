#!/bin/bash
# limber learn --body and fit --body: scans of people that a model made, and the model back from them.
. "$(dirname "$0")/harness.sh"
body=$DATA/body.npz

# Four people in four poses each: a folder is a person.
expect 0 convert "$body" -q "$WORK/rig.glb"
number() { awk -v k="$1" -v s="$2" 'BEGIN { srand(k); for (i = 0; i < 72; i++) printf "%s%.3f", i ? "," : "", (rand() - 0.5) * s }'; }
for person in 0 1 2 3; do
    mkdir "$WORK/p$person"
    for pose in 0 1 2 3; do
        expect 0 bake "$body" --betas "$((person - 1)).$pose,0.$person" --pose "$(number "$person$pose" 0.6)" --time 0 -q -o "$WORK/p$person/$pose.obj"
    done
done
expect 0 learn "$WORK/rig.glb" "$WORK"/p?/?.obj --body --features none --hold-out 4 --iterations 6 --json -o "$WORK/model.npz"
says "learned from   12 scans of 3 persons, 602 vertices"
prints '"persons": 3'
prints '"held_out": 4'
prints '"shapes": 2'
awk -F'[:,]' '/"rms_m"/ && $2 > 8e-3 { exit 1 }' "$WORK/out" || fail "far from the scans"
expect 0 learn "$WORK/rig.glb" "$WORK"/p?/?.obj --body --features none --hold-out 4 --iterations 6 --threads 1 -q -o "$WORK/again.npz"
cmp -s "$WORK/model.npz" "$WORK/again.npz" || fail "other bytes with one thread"

# Without a rig the first scan is rigged, and learned from as the others are.
expect 0 learn "$WORK"/p[01]/?.obj --body --features none --iterations 2 -o "$WORK/plain.npz"
says "not rigged: human found in it"
says "learned from   8 scans of 2 persons, 602 vertices"

# What reads body models reads it; its joints have the rig's names.
expect 0 bake "$WORK/model.npz" --betas 1 --pose 0,0.5,0 -o "$WORK/baked.obj"
says "body model (without pose correctives), 602 vertices"
expect 0 convert "$WORK/model.npz" "$WORK/model.glb"
expect 0 check "$WORK/model.glb" --fail-on error
expect 0 info "$WORK/model.glb" -v
prints "left_knee"

# A scan of the model's own vertices is met exactly; poses and shape come out as an archive too.
expect 0 fit --body "$body" "$WORK/p2/3.obj" --json -o "$WORK/fit.npz"
says "the model's own vertices"
awk -F'[:,]' '/"max_m"/ && $2 > 1e-4 { exit 1 }' "$WORK/out" || fail "not met"
expect 0 bake "$body" --pose "$WORK/fit.npz" --time 0 -q -o "$WORK/back.obj"
paste <(grep '^v ' "$WORK/p2/3.obj") <(grep '^v ' "$WORK/back.obj") |
    awk '{ d = ($2 - $6) ^ 2 + ($3 - $7) ^ 2 + ($4 - $8) ^ 2; if (d > 1e-7) exit 1 }' || fail "another body"
# Several are one person in motion.
expect 0 fit --body "$body" "$WORK"/p2/?.obj -o "$WORK/moving.glb"
expect 0 info "$WORK/moving.glb"
prints "0.1 s"

# A scan of other vertices, by its surface: a body that is rotated about its vertical.
expect 0 bake "$body" --betas 1 --pose 0,2,0 --time 0 -q -o "$WORK/stands.obj"
awk '/^v /{ v[++n] = $0 } /^f /{ f[++m] = $0 } END { for (k = n; k > 0; k--) print v[k]; for (k = 1; k <= m; k++) { $0 = f[k]; for (i = 2; i <= 4; i++) { split($i, p, "/"); $i = n + 1 - p[1] } print } }' "$WORK/stands.obj" > "$WORK/turned.obj"
expect 0 fit --body "$body" "$WORK/turned.obj" --json -o "$WORK/turned.glb"
says "602 vertices, 1200 triangles"
grep -Eq "(1[5-9]|2[0-4]) of 24 joints found" "$WORK/err" "$WORK/out" || fail "no joints found in the scan"
awk -F'[:,]' '/"rms_m"/ && $2 > 6e-3 { exit 1 }' "$WORK/out" || fail "far from the scan: $(cat "$WORK/out")"

# What does not go together is said.
expect 2 learn "$WORK/rig.glb" "$WORK"/p0/?.obj --body -o "$WORK/none.glb"
says "ends in .npz"
expect 2 learn "$WORK/rig.glb" "$WORK"/p0/?.obj --body --bones 4 -o "$WORK/none.npz"
says "--bones: a body model has no use for it"
expect 2 learn "$WORK/rig.glb" "$WORK"/p0/?.obj --bones 4 --shapes 3 -o "$WORK/none.npz"
says "--shapes: expected --body too"
expect 3 fit --body "$WORK/rig.glb" "$WORK/p0/0.obj" -o "$WORK/none.glb"
expect 2 fit "$WORK/rig.glb" -o "$WORK/none.glb"
says "expected CHARACTER and POINTS"
[ -e "$WORK/none.npz" ] && fail "a file was left"
exit 0
