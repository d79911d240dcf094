#!/bin/bash
# limber convert: there and back, and what a format cannot hold is named.
. "$(dirname "$0")/harness.sh"
arm=$DATA/arm.gltf

expect 0 convert "$arm" "$WORK/arm.glb"
[ -s "$WORK/err" ] && fail "a loss was named where there is none: $(cat "$WORK/err")"
expect 0 convert "$WORK/arm.glb" "$WORK/back.gltf"
expect 0 convert "$WORK/back.gltf" "$WORK/again.glb"
cmp -s "$WORK/arm.glb" "$WORK/again.glb" || fail "glb to gltf to glb is not the same"
expect 0 bake "$arm" --clip bend --time 0.3 -o "$WORK/a.obj"
expect 0 bake "$WORK/again.glb" --clip bend --time 0.3 -o "$WORK/b.obj"
cmp -s <(grep "^v " "$WORK/a.obj") <(grep "^v " "$WORK/b.obj") || fail "the converted character bends in another way"

expect 0 convert "$arm" -o "$WORK/arm.obj"
says "Wavefront OBJ cannot hold these, they are left out: skins, morph targets, the skeleton, clips"
# A skinned mesh is written where it is seen, not where it is stored: the end of an arm whose elbow rests bent by a right
# angle, (x, 2, z), lies at (-1, 1 + x, z).
sed 's/"name": "lower",/"name": "lower", "rotation": [0, 0, 0.70710678, 0.70710678],/' "$arm" >"$WORK/bent.gltf"
expect 0 convert "$WORK/bent.gltf" "$WORK/bent.obj"
paste -d ' ' <(grep '^v ' "$WORK/arm.obj" | tail -4) <(grep '^v ' "$WORK/bent.obj" | tail -4) |
    awk 'function off(a) { return a < -1e-5 || a > 1e-5 }
         off($3 - 2) || off($6 + 1) || off($7 - 1 - $2) || off($8 - $4) { exit 1 }' ||
    fail "the end of the bent arm is elsewhere: $(grep '^v ' "$WORK/bent.obj" | tail -4)"
expect 0 convert "$WORK/arm.obj" "$WORK/mesh.glb"
expect 0 convert "$WORK/arm.obj" "$WORK/mesh.ply"
expect 0 info "$WORK/mesh.ply"
prints "20 vertices, 36 triangles"
expect 0 convert "$WORK/mesh.ply" "$WORK/mesh.glb"
expect 0 info "$WORK/mesh.glb"
prints "20 vertices, 36 triangles"
printf 'OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' >"$WORK/one.off"
expect 0 convert "$WORK/one.off" "$WORK/one.obj"
expect 0 info "$WORK/one.obj"
prints "3 vertices, 1 triangle,"
printf 'solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n' >"$WORK/one.stl"
expect 0 convert "$WORK/one.stl" "$WORK/one.ply"
expect 0 info "$WORK/one.ply"
prints "3 vertices, 1 triangle,"

# Materials that use stretches of one array of vertices, one over the other: a vertex stays one vertex.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 2 0\nv 1 2 0\nusemtl a\nf 1 2 3\nf 4 6 5\nusemtl b\nf 2 4 3\nf 3 4 5\n' >"$WORK/strip.obj"
expect 0 convert "$WORK/strip.obj" "$WORK/strip.glb"
expect 0 info "$WORK/strip.glb"
prints "6 vertices, 4 triangles, 2 primitives, 1 component, open"
expect 0 convert "$WORK/strip.glb" "$WORK/strip2.glb"
cmp -s "$WORK/strip.glb" "$WORK/strip2.glb" || fail "glb to glb is not the same"

printf 'HIERARCHY\nROOT hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n JOINT knee\n {\n  OFFSET 0 -45 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 -45 0\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.05\n0 90 0 0 0 0 10 0 0\n0 91 0 0 5 0 20 0 0\n' >"$WORK/legs.bvh"
expect 0 convert "$WORK/legs.bvh" "$WORK/legs.glb"
expect 0 info "$WORK/legs.glb"
prints "2 joints"
prints "up to 2 keys"
expect 0 convert "$WORK/legs.glb" "$WORK/legs2.bvh"
expect 0 info "$WORK/legs2.bvh"
prints "2 joints"

expect 0 convert "$arm" "$WORK/one.glb" --clip reach
expect 0 info "$WORK/one.glb"
prints 'clip 0         "reach"'
grep -q "clip 1" "$WORK/out" && fail "the other clip is still there"
expect 0 convert "$arm" "$WORK/two.bvh"
says "clips after the first"
expect 2 convert "$arm" "$WORK/one.glb" --clip none

expect 0 convert "$arm" "$WORK/named.glb" --rename upper=humerus --rename lower=ulna
expect 0 info "$WORK/named.glb" --json
prints '"name": "humerus"'
grep -q '"name": "upper"' "$WORK/out" && fail "the old name is still there"
expect 0 convert "$WORK/named.glb" "$WORK/back.glb" --rename humerus=upper --rename ulna=lower
cmp -s "$WORK/arm.glb" "$WORK/back.glb" || fail "a name changed more than itself"
expect 1 convert "$arm" "$WORK/named.glb" --rename nobody=somebody
says 'has no joint "nobody"'
expect 1 convert "$arm" "$WORK/named.glb" --rename upper=lower
says 'has a joint "lower" already'
expect 2 convert "$arm" "$WORK/named.glb" --rename upper
says "expected OLD=NEW"

# A VRM of one that was none.
expect 4 convert "$arm" "$WORK/arm.vrm"
says "--author NAME"
expect 2 convert "$arm" "$WORK/arm.glb" --author Somebody
says "go with a .vrm"
expect 2 convert "$arm" "$WORK/arm.vrm" --title Arm
says "wants --author"
expect 2 convert "$arm" "$WORK/arm.vrm" --author Somebody --permit all
says 'found "all"'
expect 4 convert "$arm" "$WORK/arm.vrm" --author Somebody
says "none for"
[ ! -e "$WORK/arm.vrm" ] || fail "half a VRM was written"

expect 2 convert "$arm"
says "expected one output"
expect 2 convert "$arm" "$WORK/a.glb" -o "$WORK/b.glb"
expect 2 convert "$arm" "$WORK/arm.what"
expect 4 convert "$arm" "$WORK/arm.fbx"

# An .obj brings its .mtl, and both are read back with the same colours.
printf 'newmtl red\nKd 1 0 0\n' >"$WORK/paint.mtl"
printf 'mtllib paint.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n' >"$WORK/paint.obj"
expect 0 convert "$WORK/paint.obj" "$WORK/again.obj"
holds "$WORK/again.obj" "mtllib again.mtl"
holds "$WORK/again.mtl" "Kd 1 0 0"
expect 0 convert "$WORK/paint.obj" "$WORK/first.glb"
expect 0 convert "$WORK/again.obj" "$WORK/second.glb"
cmp -s "$WORK/first.glb" "$WORK/second.glb" || fail "the materials are not the same after a round trip"

# A picture beside an .obj goes into the .glb, so that it stands alone.
printf '\211PNG\r\n\032\n' >"$WORK/skin.png"
printf 'newmtl red\nmap_Kd skin.png\n' >"$WORK/paint.mtl"
expect 0 convert "$WORK/paint.obj" "$WORK/alone.glb"
grep -q '"mimeType":"image/png","bufferView"' "$WORK/alone.glb" || fail "the picture is not in the glb"
rm "$WORK/skin.png"
expect 0 convert "$WORK/paint.obj" "$WORK/poor.glb"
says "skin.png was not found"

# Markers: between C3D, TRC and tables without loss, from the joints of a clip, and to loose joints.
printf 'frame,time,LTOE x,LTOE y,LTOE z,HEAD x,HEAD y,HEAD z\n1,0,0.1,0.02,0.3,0.1,1.7,0.3\n2,0.5,0.2,0.02,0.3,,,\n' >"$WORK/m.csv"
expect 0 convert "$WORK/m.csv" "$WORK/m.c3d"
expect 0 convert "$WORK/m.c3d" "$WORK/m.trc"
expect 0 convert "$WORK/m.trc" "$WORK/back.csv"
expect 0 info -v "$WORK/m.c3d"
prints "Intel floats, 0.001 m a unit, +Z up"
prints "2, 2 frames from 1 on, 2 Hz, 0.5 s, 1 positions not seen"
prints "HEAD, seen in 1 frames, 1 gap, the longest of 1"
expect 0 info --json "$WORK/back.csv"
prints '"positions_not_seen": 1'
grep -q '^2,0.500000,0.2,0.02,0.3,,,$' "$WORK/back.csv" || fail "the table is not what it was"
expect 0 check "$WORK/m.trc"
prints "LMB-MARK-002"
expect 0 convert "$arm" "$WORK/arm.c3d"
says "the skeleton but for its joints' places"
expect 0 convert "$WORK/m.c3d" "$WORK/loose.glb"
expect 0 info "$WORK/loose.glb"
prints "2 joints, 2 roots"
expect 4 retarget "$arm" "$WORK/m.c3d" -o "$WORK/no.glb"
says "limber fit"

# VRM animations: made of a walk, and kept whole when they are one already.
expect 0 sample humanoid --seed 2 -o "$WORK/hero.obj"
expect 0 animate "$WORK/hero.obj" walk -o "$WORK/hero.glb"
expect 0 convert "$WORK/hero.glb" "$WORK/walk.vrma"
says "VRM animation cannot hold these"
expect 0 convert "$WORK/walk.vrma" "$WORK/same.vrma"
cmp -s "$WORK/walk.vrma" "$WORK/same.vrma" || fail "a VRMA does not come back as it was"
expect 0 retarget "$WORK/hero.glb" "$WORK/walk.vrma" -v -o "$WORK/again.glb"
says "leftUpperArm (by given, 1.00)"
expect 4 convert "$arm" "$WORK/arm.vrma"
says "without hips"

# SMPL's poses, without a model: read as a motion, and made of any clip.
expect 0 convert "$DATA/body_walk.npz" "$WORK/smpl.bvh"
says "below the ground"
expect 0 convert "$WORK/hero.glb" "$WORK/walk.npz"
says "the lengths of the skeleton"
expect 0 info "$WORK/walk.npz"
prints "52 joints, 1 root"
expect 0 retarget "$WORK/hero.glb" "$WORK/walk.npz" -o "$WORK/smpl.glb"
expect 3 convert "$DATA/../io/numpy/packed.npz" "$WORK/no.glb"
says "an array poses of numbers"

# Joint angles as a table: a bend of 90 degrees at the end of a second.
printf 'HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nJOINT Knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 -40 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.5\n0 90 0 0 0 0 0 0 0\n0 90 0 170 0 0 0 45 0\n0 90 0 190 0 0 10 90 0\n' >"$WORK/bend.bvh"
expect 0 convert "$WORK/bend.bvh" "$WORK/bend.csv" --angles --unit cm --up y
holds "$WORK/bend.csv" "frame,time,Hips px,Hips py,Hips pz,Hips rz,Hips rx,Hips ry,Knee rz,Knee rx,Knee ry"
awk -F, 'NR == 4 { ok = $6 > 189.99 && $6 < 190.01 && $4 == 0.9 && $10 > 89.9 && $10 < 90.1 } END { exit !ok }' "$WORK/bend.csv" ||
    fail "the angles are not those of the file: $(tail -1 "$WORK/bend.csv")"
expect 2 convert "$WORK/bend.bvh" "$WORK/bend.glb" --angles
says "only a .csv"

# Vertices in the order of the skin: other positions in the file, the same corners of the same triangles at every moment.
corners() { awk '$1 == "v" { at[++n] = $2 " " $3 " " $4 } $1 == "f" { for (i = 2; i <= NF; ++i) { split($i, k, "/"); print at[k[1]] } }' "$1"; }
expect 0 convert "$WORK/hero.glb" "$WORK/ordered.glb" --order skin
expect 0 bake "$WORK/hero.glb" --clip 0 --time 0.4 -o "$WORK/hero.obj"
expect 0 bake "$WORK/ordered.glb" --clip 0 --time 0.4 -o "$WORK/ordered.obj"
cmp -s "$WORK/hero.obj" "$WORK/ordered.obj" && fail "the vertices are where they were"
corners "$WORK/hero.obj" >"$WORK/corners"
corners "$WORK/ordered.obj" | cmp -s - "$WORK/corners" || fail "the ordered mesh is not the same"
expect 0 convert "$WORK/ordered.glb" "$WORK/again.glb" --order skin
cmp -s "$WORK/ordered.glb" "$WORK/again.glb" || fail "what is in order is put into another"
expect 2 convert "$WORK/hero.glb" "$WORK/no.glb" --order joints

# What a VRM says of its licence is kept, not made up.
expect 4 convert "$WORK/hero.glb" "$WORK/hero.vrm"
says "without a licence"
[ -e "$WORK/hero.vrm" ] && fail "a file that is no VRM is called one"
printf '{"asset": {"version": "2.0"}, "extensionsUsed": ["VRMC_vrm"], "extensions": {"VRMC_vrm": {"specVersion": "1.0"}}, "nodes": [{"name": "hips"}]}' >"$WORK/was.gltf"
expect 0 convert "$WORK/was.gltf" "$WORK/is.vrm"
holds "$WORK/is.vrm" '"VRMC_vrm":{"specVersion":"1.0"}'

# A mesh without normals gets them, and keeps its vertices; with --crease they are split at edges. One that has them keeps its
# bytes.
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n' >"$WORK/cube.obj"
expect 0 convert "$WORK/cube.obj" "$WORK/cube.gltf" --crease 60
prints_not() { ! grep -qF -- "$2" "$1" || fail "$1 holds $2"; }
holds "$WORK/cube.gltf" NORMAL
expect 0 info "$WORK/cube.gltf"
prints '24 vertices, 12 triangles'
expect 0 convert "$WORK/cube.obj" "$WORK/round.gltf"
holds "$WORK/round.gltf" NORMAL
expect 0 info "$WORK/round.gltf"
prints ' 8 vertices, 12 triangles'
expect 0 check "$WORK/cube.gltf"
expect 0 convert "$WORK/cube.obj" "$WORK/plain.obj"
prints_not "$WORK/plain.obj" 'vn '
expect 0 convert "$WORK/cube.obj" "$WORK/with.obj" --crease 60
holds "$WORK/with.obj" 'vn '
expect 2 convert "$WORK/cube.obj" "$WORK/none.glb" --crease 181
says '--crease takes 0 to 180 degrees'
expect 0 convert "$WORK/with.obj" "$WORK/one.glb"
expect 0 convert "$WORK/with.obj" "$WORK/two.glb" --crease 5
cmp -s "$WORK/one.glb" "$WORK/two.glb" || fail "--crease changes normals that are there"
# Where only some of a mesh's primitives have normals, the others get them, and those that have them keep theirs.
triangle=$(printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0' | base64 -w 0)
some_normals_file "$triangle" "$WORK/some.gltf"
expect 0 convert "$WORK/some.gltf" "$WORK/all.gltf"
[ "$(grep -o '"NORMAL"' "$WORK/all.gltf" | wc -l)" = 2 ] || fail "a primitive without normals gets none"
expect 0 convert "$WORK/all.gltf" "$WORK/all.obj"
holds "$WORK/all.obj" 'vn 1 0 0'
holds "$WORK/all.obj" 'vn 0 0 1'
expect 0 convert "$WORK/all.gltf" "$WORK/again.gltf"
cmp -s "$WORK/all.gltf" "$WORK/again.gltf" || fail "normals that are there change"
expect 0 sample humanoid --seed 3 --triangles 2000 -o "$WORK/body.obj"
grep -v '^vn' "$WORK/body.obj" | sed 's|/[^ ]*||g' >"$WORK/bare.obj"
for command in "rig $WORK/bare.obj" "animate $WORK/bare.obj walk"; do
    # shellcheck disable=SC2086
    expect 0 $command -o "$WORK/bare.gltf"
    holds "$WORK/bare.gltf" NORMAL
    expect 0 check "$WORK/bare.gltf" --fail-on warning
done
expect 0 sample quadruped --seed 3 --triangles 2000 -o "$WORK/deer.obj"
grep -v '^vn' "$WORK/deer.obj" | sed 's|/[^ ]*||g' >"$WORK/bare_deer.obj"
for gait in walk trot; do
    expect 0 animate "$WORK/bare_deer.obj" $gait -o "$WORK/bare_deer.gltf"
    holds "$WORK/bare_deer.gltf" NORMAL
done

# Clips are dropped and get other names; the rest stays as it is.
expect 0 animate "$WORK/bare.obj" walk run idle -q -o "$WORK/three.glb"
clip_names() { "$LIMBER" info --clips --json "$1" | sed -n '/"clips"/,$s/.*"name": "\(.*\)".*/\1/p' | tr '\n' ' '; }
was=$(clip_names "$WORK/three.glb")
[ "$was" = "walk run idle " ] || fail "the clips are $was"
expect 0 convert "$WORK/three.glb" --drop-clip 1 --drop-clip idle -o "$WORK/one.glb"
[ "$(clip_names "$WORK/one.glb")" = "walk " ] || fail "of the clips $(clip_names "$WORK/one.glb") are left"
expect 0 convert "$WORK/three.glb" --rename-clip 1=sprint --rename-clip walk=run --drop-clip idle -o "$WORK/named.glb"
[ "$(clip_names "$WORK/named.glb")" = "run sprint " ] || fail "the clips are called $(clip_names "$WORK/named.glb")"
expect 0 bake "$WORK/three.glb" --clip run --time 0.3 -o "$WORK/a.obj"
expect 0 bake "$WORK/named.glb" --clip sprint --time 0.3 -o "$WORK/b.obj"
cmp -s <(grep "^v " "$WORK/a.obj") <(grep "^v " "$WORK/b.obj") || fail "another name is another motion"
expect 1 convert "$WORK/three.glb" --rename-clip walk=run -o "$WORK/named.glb"
says 'has a clip "run" already'
expect 2 convert "$WORK/three.glb" --rename-clip walk -o "$WORK/named.glb"
expect 2 convert "$WORK/three.glb" --drop-clip nothing -o "$WORK/named.glb"
