#!/bin/bash
# limber sample: files, the truth beside them, variants, refusals.
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --seed 7 --triangles 4000 -o "$WORK/a.obj" --truth "$WORK/a.json"
says "4000 triangles"
expect 0 sample humanoid --seed 7 --triangles 4000 -o "$WORK/b.obj" --truth "$WORK/b.json" --threads 1
cmp -s <(grep -v ^mtllib "$WORK/a.obj") <(grep -v ^mtllib "$WORK/b.obj") || fail "other bytes with another number of threads"
cmp -s "$WORK/a.json" "$WORK/b.json" || fail "another truth with another number of threads"
vertices=$(grep -c '^v ' "$WORK/a.obj")
rows=$(sed -n '/"weights"/,$p' "$WORK/a.json" | grep -c '{')
[ "$vertices" = "$rows" ] || fail "$vertices vertices, $rows rows of weights"
holds "$WORK/a.json" '"name": "leftUpperArm"'
holds "$WORK/a.json" '"facing": [0, 0, 1]'

expect 0 sample humanoid --seed 7 --triangles 4000 --up z --yaw 90 --scale 100 -o "$WORK/z.obj" --truth "$WORK/z.json" -q
holds "$WORK/z.json" '"up": [0, 0, 1]'
holds "$WORK/z.json" '"unit_m": 0.01'

for kind in quadruped bird hand fish snake spider biped; do
    expect 0 sample $kind --triangles 3000 -o "$WORK/$kind.glb" --rigged
    expect 0 info "$WORK/$kind.glb"
    expect 0 check "$WORK/$kind.glb" --fail-on error
done
expect 0 sample humanoid --pose 30 --whole --bare --triangles 3000 -o "$WORK/c.obj" --json -q
prints '"pose": "a"'

expect 2 sample dog -o "$WORK/none.obj"
says "expected humanoid, quadruped, bird, hand, fish, snake, spider or biped"
expect 2 sample humanoid --triangles 10 -o "$WORK/none.obj"
expect 2 sample humanoid --pose sitting -o "$WORK/none.obj"
expect 2 sample humanoid --scale 0 -o "$WORK/none.obj"
echo file >"$WORK/file"
expect 5 sample hand --triangles 2000 -o "$WORK/file/no/folder.obj"
[ -e "$WORK/none.obj" ] && fail "a refusal wrote a file"
exit 0
