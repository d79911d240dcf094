#!/bin/bash
# .limb: exact and compressed, there and back, and what info says of clips.
. "$(dirname "$0")/harness.sh"
arm=$DATA/arm.gltf

expect 0 convert "$arm" "$WORK/arm.limb"
says "Limber motion cannot hold these, they are left out: meshes, skins, morph targets"
expect 0 info "$WORK/arm.limb"
prints 'clip 0         "bend", 1 s, 1 channel, up to 2 keys'
expect 0 sample humanoid --triangles 2000 -o "$WORK/body.obj"
expect 0 animate "$WORK/body.obj" walk -o "$WORK/walker.glb"
expect 0 convert "$WORK/walker.glb" "$WORK/walk.limb" --compress --precision 0.0002
says "of its poses, within"
expect 0 info "$WORK/walk.limb" --clips
prints "compressed, within 0."
prints "joints moved, loop gap"
expect 0 info "$WORK/walk.limb" --clips --json
cp "$WORK/out" "$WORK/clips.json"
prints '"compressed": true'
expect 0 convert "$WORK/walk.limb" "$WORK/walk.glb"
expect 0 info "$WORK/walk.glb" --clips
prints "bytes, "
expect 0 convert "$WORK/walker.glb" "$WORK/again.limb" --compress --precision 0.0002 --threads 3
cmp -s "$WORK/walk.limb" "$WORK/again.limb" || fail "threads change the bytes"
if command -v node >/dev/null; then
    node -e 'const c = JSON.parse(require("fs").readFileSync(process.argv[1])).clips[0];
        process.exit(c.error_m <= 0.0002 && c.precision_m > 0.000199 && c.bytes < 60000 && c.joints_moved > 8 ? 0 : 1)' "$WORK/clips.json" || fail "the JSON does not say what the file is"
fi

expect 2 convert "$WORK/walker.glb" "$WORK/x.glb" --compress
says "only a .limb file holds compressed clips"
expect 2 convert "$WORK/walker.glb" "$WORK/x.limb" --precision 0.001
says "--precision goes with --compress"
expect 2 convert "$WORK/walker.glb" "$WORK/x.limb" --compress --precision 0
head -c 200 "$WORK/walk.limb" >"$WORK/cut.limb"
expect 3 info "$WORK/cut.limb"
says "cut.limb"
