#!/bin/bash
# limber info: what it prints, and JSON that other programs can read.
. "$(dirname "$0")/harness.sh"

expect 0 info "$DATA/arm.gltf"
prints "20 vertices, 36 triangles, 1 primitive, 1 component, closed, 1 morph target, up to 2 influences a vertex (1.20 on average)"
prints "3 joints, 2 roots, 2 deep"
prints 'clip 0         "bend", 1 s, 1 channel, up to 2 keys'
expect 0 info -v "$DATA/arm.gltf"
prints "lower, on upper, at 0 1 0"

expect 0 info "$DATA/arm.gltf" --json
cp "$WORK/out" "$WORK/first"
prints '"vertices_without_weight": 0'
prints '"high": [0.1, 2, 0.1]'
expect 0 info "$DATA/arm.gltf" --json --threads 3
cmp -s "$WORK/out" "$WORK/first" || fail "JSON differs from run to run"
if command -v node >/dev/null; then
    node -e 'const i = JSON.parse(require("fs").readFileSync(process.argv[1]));
        const ok = i.meshes[0].triangles === 36 && i.clips.length === 2 && i.skins[0].joints === 2 && i.skeleton.joints[2].parent === 1;
        process.exit(ok ? 0 : 1)' "$WORK/first" || fail "the JSON does not say what is in the file"
fi

# Two separate triangles, one of them a quad's half: counts of open pieces.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 6 1 0\nv 5 1 0\nf 1 2 3\nf 4 5 6 7\n' >"$WORK/two.obj"
expect 0 info "$WORK/two.obj"
prints "7 vertices, 3 triangles, 1 primitive, 2 components, open"
expect 0 info "$WORK/two.obj" --unit cm
prints "x 0 to 0.06"
expect 0 info "$WORK/two.obj" --up z
prints "z -1 to 0"
expect 0 info "$DATA/arm.gltf" --up z
says "glTF is in metres and +Y up by definition"
