#!/bin/bash
# Files that are not there, are something else, cannot be written; pipes; names that lie about the format.
. "$(dirname "$0")/harness.sh"

expect 3 info "$WORK/none.glb"
says "none.glb: cannot be read: No such file or directory"
expect 3 info "$WORK"
: >"$WORK/empty.glb"
expect 3 info "$WORK/empty.glb"
says "byte 0: expected"
says "an empty file"
echo "hello" >"$WORK/hello.txt"
expect 3 info "$WORK/hello.txt"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n' >"$WORK/pointer.glb"
expect 3 info "$WORK/pointer.glb"
says "a git-lfs pointer"
printf 'Kaydara FBX Binary  \0' >"$WORK/a.fbx"
"$LIMBER" info "$WORK/a.fbx" >/dev/null 2>"$WORK/err"
code=$?
[ $code = 3 ] || [ $code = 4 ] || fail "a cut FBX exits with $code"

# The place of a mistake in a text, and of one in a binary.
printf 'v 0 0 0\nv 1 0 zero\n' >"$WORK/bad.obj"
expect 3 info "$WORK/bad.obj"
says "bad.obj:2:"
says "expected "
printf 'glTF\2\0\0\0' >"$WORK/cut.glb"
expect 3 info "$WORK/cut.glb"
says "cut.glb: byte "

# The bytes decide, not the name.
cp "$DATA/arm.gltf" "$WORK/arm.glb"
expect 0 info "$WORK/arm.glb" --json
prints '"format": "glTF"'
cp "$DATA/arm.gltf" "$WORK/arm"
expect 0 info "$WORK/arm"

# Pipes.
said="limber bake - -o -"
"$LIMBER" bake - --clip bend --time 1 -o - <"$DATA/arm.gltf" >"$WORK/piped.obj" 2>"$WORK/err" || fail "exit $?"
expect 0 bake "$DATA/arm.gltf" --clip bend --time 1 -o "$WORK/named.obj"
cmp -s "$WORK/piped.obj" "$WORK/named.obj" || fail "a pipe gives another result than a file"

# Outputs that cannot be written leave nothing behind, and leave an old file alone.
expect 5 bake "$DATA/arm.gltf" -o "$WORK/no/such/folder/out.obj"
says "cannot be written"
[ -e "$WORK/no" ] && fail "folders were made on the way to a failure"
expect 0 bake "$DATA/arm.gltf" -o "$WORK/fresh/out.obj"
expect 5 bake "$DATA/arm.gltf" -o /dev/full
expect 2 bake "$DATA/arm.gltf" -o "$WORK/out.xyz"
says "the extension names no format"
expect 4 bake "$DATA/arm.gltf" -o "$WORK/out.fbx"
says "not supported: writing FBX"
echo old >"$WORK/old.obj"
expect 3 bake "$WORK/cut.glb" -o "$WORK/old.obj"
[ "$(cat "$WORK/old.obj")" = old ] || fail "a failure overwrote the output"
expect 0 bake "$DATA/arm.gltf" -o "$WORK/old.obj"
[ "$(ls "$WORK" | grep -c tmp)" = 0 ] || fail "a temporary file was left"

# A .gltf with its buffer beside it, under a name with a space; and the buffer missing.
mkdir "$WORK/beside"
sed -n 's/.*base64,\([^"]*\)".*/\1/p' "$DATA/arm.gltf" | base64 -d >"$WORK/beside/arm data.bin"
sed 's|"uri": "[^"]*"|"uri": "arm%20data.bin"|' "$DATA/arm.gltf" >"$WORK/beside/arm.gltf"
expect 0 bake "$WORK/beside/arm.gltf" --clip bend --time 1 -o "$WORK/beside.obj"
cmp -s "$WORK/beside.obj" "$WORK/named.obj" || fail "a buffer beside gives another result than one inside"
(cd "$WORK/beside" && "$LIMBER" info arm.gltf >/dev/null 2>&1) || fail "a buffer beside is not found from its own folder"
rm "$WORK/beside/arm data.bin"
expect 3 info "$WORK/beside/arm.gltf"
