#!/bin/bash
# What a file names is read from its folder or below, decoded once, behind no link: nothing that lies elsewhere gets into an output.
. "$(dirname "$0")/harness.sh"

LIMBER=$(realpath "$LIMBER")
MARK=CANARY-OF-ANOTHER-FOLDER
IN=$WORK/in
mkdir -p "$IN/sub"
png() { printf '\x89PNG\r\n\x1a\n%s' "$1"; }
png $MARK >"$WORK/secret.png"
printf 'newmtl skin\nmap_Kd inside.png\nKd 0.123 0.5 0.5\n' >"$WORK/secret.mtl"
png INSIDE-PICTURE >"$IN/inside.png"
cp "$IN/inside.png" "$IN/sub/below one.png"
ln -s ../secret.png "$IN/link.png"
ln -s ../secret.mtl "$IN/link.mtl"
ln -s .. "$IN/up"

# Names that lead out of the folder, once decoded as often as any program may decode them.
ways() { # EXTENSION
    echo "../secret.$1"
    echo "..\\secret.$1"
    echo "sub/../../secret.$1"
    echo "./../secret.$1"
    echo "sub\\..\\..\\secret.$1"
    echo "%2e%2e/secret.$1"
    echo "%252e%252e/secret.$1"
    echo "..%2fsecret.$1"
    echo "..%5csecret.$1"
    echo "%252e%252e%252fsecret.$1"
    echo "$WORK/secret.$1"
    echo "link.$1"
    echo "up/secret.$1"
}

# made FILE MARK: converts it and looks for the mark in what was made.
embeds() {
    "$LIMBER" convert "$1" "$WORK/out.glb" >"$WORK/out" 2>"$WORK/err" </dev/null
    said="limber convert $1"
    [ -e "$WORK/out.glb" ] && grep -qa -- "$2" "$WORK/out.glb"
}
json_text() { printf '%s' "${1//\\/\\\\}"; }

VERTICES='v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl skin\nf 1/1 2/2 3/3\n'
obj_picture() { # NAME
    printf 'newmtl skin\nmap_Kd %s\n' "$1" >"$IN/body.mtl"
    printf "mtllib body.mtl\n$VERTICES" >"$IN/case.obj"
}
obj_library() { printf 'mtllib %s\n%b' "$1" "$VERTICES" >"$IN/case.obj"; }
gltf_picture() {
    sed "s|\"asset\"|\"images\": [{\"uri\": \"@\"}], \"textures\": [{\"source\": 0}], \"asset\"|" "$DATA/arm.gltf" |
        awk -v name="$(json_text "$1")" '{ at = index($0, "\"@\""); if (at) { print substr($0, 1, at) name substr($0, at + 2) } else print }' >"$IN/case.gltf"
}
md5_picture() {
    printf 'MD5Version 10\ncommandline ""\nnumJoints 1\nnumMeshes 1\njoints {\n"root" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader "%s"\n' "$1"
    printf 'numverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 1 2\n'
    printf 'numweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 1 0 0 )\nweight 2 0 1 ( 0 1 0 )\n}\n'
}
fbx_picture() {
    sed "s|@|$(json_text "$(json_text "$1")")|" <<'FBX'
; FBX 7.4.0 project file
FBXHeaderExtension: { FBXVersion: 7400 }
Objects: {
 Model: 1, "Model::body", "Mesh" { Version: 232 }
 Geometry: 2, "Geometry::body", "Mesh" {
  Vertices: *9 { a: 0,0,0,1,0,0,0,1,0 }
  PolygonVertexIndex: *3 { a: 0,1,-3 }
 }
 Material: 3, "Material::skin", "" { ShadingModel: "phong" }
 Texture: 4, "Texture::skin", "" { RelativeFilename: "@" }
}
Connections: {
 C: "OO",1,0
 C: "OO",2,1
 C: "OO",3,1
 C: "OP",4,3, "DiffuseColor"
}
FBX
}

# What lies inside is found, by its plain name and, in glTF alone, by an encoded one.
obj_picture inside.png && embeds "$IN/case.obj" INSIDE-PICTURE || fail "no picture beside an OBJ"
obj_picture './sub\below one.png' && embeds "$IN/case.obj" INSIDE-PICTURE || fail "no picture below an OBJ"
gltf_picture sub/below%20one.png && embeds "$IN/case.gltf" INSIDE-PICTURE || fail "no picture below a glTF"
md5_picture inside.png >"$IN/case.md5mesh" && embeds "$IN/case.md5mesh" INSIDE-PICTURE || fail "no picture beside an MD5"
fbx_picture inside.png >"$IN/case.fbx" && embeds "$IN/case.fbx" INSIDE-PICTURE || fail "no picture beside an FBX"
obj_picture sub/below%20one.png && embeds "$IN/case.obj" INSIDE-PICTURE && fail "an OBJ's name was decoded"

# Blender names a folder for a picture without a file: there is no picture then, and nothing is missing.
fbx_picture . >"$IN/case.fbx"
expect 0 convert "$IN/case.fbx" "$WORK/none.gltf"
! grep -q "was not found" "$WORK/err" || fail "a folder was missed as a picture"
! grep -q '"images"' "$WORK/none.gltf" || fail "a folder is a picture"

# What lies outside is not, in any format, however it is spelt; from another folder, and from the file's own.
while IFS= read -r way; do
    obj_picture "$way"
    embeds "$IN/case.obj" $MARK && fail "map_Kd $way was read"
    (cd "$IN" && "$LIMBER" convert case.obj "$WORK/own.glb" >/dev/null 2>&1)
    grep -qa $MARK "$WORK/own.glb" && fail "map_Kd $way was read from its own folder"
    gltf_picture "$way"
    embeds "$IN/case.gltf" $MARK && fail "the image $way was read"
    md5_picture "$way" >"$IN/case.md5mesh"
    embeds "$IN/case.md5mesh" $MARK && fail "the shader $way was read"
    fbx_picture "$way" >"$IN/case.fbx"
    embeds "$IN/case.fbx" $MARK && fail "the texture $way of an FBX was read"
done < <(ways png)
while IFS= read -r way; do
    obj_library "$way"
    embeds "$IN/case.obj" 'baseColorFactor":\[0.123' && fail "mtllib $way was read"
done < <(ways mtl)
obj_library ../secret.mtl
expect 0 info "$IN/case.obj"
says "lies outside the file's folder and was not read"

# A buffer is refused with its name; the motion and the skeleton that belong to a file are no links either.
sed -n 's/.*base64,\([^"]*\)".*/\1/p' "$DATA/arm.gltf" | base64 -d >"$WORK/secret.bin"
ln -s ../secret.bin "$IN/link.bin"
while IFS= read -r way; do
    awk -v name="$(json_text "$(json_text "$way")")" '{ gsub(/"uri": "data:[^"]*"/, "\"uri\": \"" name "\""); print }' "$DATA/arm.gltf" >"$IN/case.gltf"
    expect 3 info "$IN/case.gltf"
done < <(ways bin)
cp "$WORK/secret.bin" "$IN/inside.bin"
sed 's|"uri": "data:[^"]*"|"uri": "inside.bin"|' "$DATA/arm.gltf" >"$IN/case.gltf"
expect 0 info "$IN/case.gltf"
printf ':version 1.10\n' >"$WORK/walk.asf"
ln -s ../walk.asf "$IN/walk.asf"
printf ':FULLY-SPECIFIED\n1\n' >"$IN/walk.amc"
expect 3 info "$IN/walk.amc"
says "no .asf file of that name"
