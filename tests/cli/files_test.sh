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

# Line and column of a mistake in a text, and the byte of one in a binary.
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
expect 0 bake "$DATA/arm.gltf" -o "$WORK/no/such/folder/out.obj"
[ -s "$WORK/no/such/folder/out.obj" ] || fail "the folders of an output were not made"
expect 5 bake "$DATA/arm.gltf" -o "$WORK/empty.glb/folder/out.obj"
says "cannot be written"
expect 3 bake "$WORK/cut.glb" -o "$WORK/never/made/out.obj"
[ -e "$WORK/never" ] && fail "folders were made for a failure"
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

# What is asked for and is not there is the input's fault: 3.
expect 0 sample humanoid -o "$WORK/still.obj"
for output in trc csv c3d npz vrma; do
    expect 3 convert "$WORK/still.obj" "$WORK/none.$output"
done
expect 0 animate "$WORK/still.obj" walk -o "$WORK/walk.glb"
expect 0 convert "$WORK/walk.glb" "$WORK/walk.bvh"
expect 3 convert "$WORK/walk.bvh" "$WORK/none.obj"
says "there is no mesh to write"

# A link to nothing yet is written through; a ring of links is refused.
ln -s far/away.obj "$WORK/link.obj"
mkdir "$WORK/far"
expect 0 bake "$DATA/arm.gltf" -o "$WORK/link.obj"
[ -L "$WORK/link.obj" ] && [ -s "$WORK/far/away.obj" ] || fail "the link was replaced"
ln -s ring.obj "$WORK/ring2.obj"
ln -s ring2.obj "$WORK/ring.obj"
expect 5 bake "$DATA/arm.gltf" -o "$WORK/ring.obj"
[ -L "$WORK/ring.obj" ] || fail "a ring of links was replaced"

# Help that cannot be written is a failure.
for words in --help --version "info --help" "help info"; do
    said="limber $words >/dev/full"
    # shellcheck disable=SC2086
    "$LIMBER" $words >/dev/full 2>"$WORK/err" && fail "exit 0"
    holds "$WORK/err" "stdout cannot be written"
done

# What a terminal would obey is shown and not sent: in names of files, in what is in them, on both streams.
evil=$'esc\033]0;title\007\033[2J'
cp "$WORK/cut.glb" "$WORK/$evil.glb"
expect 3 info "$WORK/$evil.glb"
says 'esc\x1b]0;title\x07\x1b[2J.glb'
expect 3 info "$WORK/none$evil.glb"
sed "s|\"asset\"|\"scenes\": [{\"nodes\": [0], \"name\": \"x\"}], \"asset\"|; s|\"bend\"|\"be\\\\u001b[31mnd\\\\u009b2J\"|" "$DATA/arm.gltf" >"$WORK/evil.gltf"
printf 'HIERARCHY\nROOT hi\033[31mps\377\n{\nOFFSET 0 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n\n' >"$WORK/evil.bvh"
for file in evil.gltf evil.bvh "$evil.glb" "none$evil"; do
    for words in "info -v" "info --clips" check "info --json" "check --json"; do
        # shellcheck disable=SC2086
        "$LIMBER" $words "$WORK/$file" >"$WORK/out" 2>"$WORK/err"
        said="limber $words $file"
        LC_ALL=C grep -qa $'[\001-\010\013-\037\177]' "$WORK/out" "$WORK/err" && fail "control characters came out: $(cat -v "$WORK/out" "$WORK/err" | head -3)"
    done
done

# JSON is UTF-8 whatever a name is in.
odd=$(printf 'odd\377\300\257name')
if cp "$DATA/arm.gltf" "$WORK/$odd.gltf" 2>/dev/null; then
    expect 0 info --json "$WORK/$odd.gltf"
    iconv -f UTF-8 -t UTF-8 "$WORK/out" >/dev/null 2>&1 || fail "JSON that is no UTF-8"
    prints '\ufffd'
fi

# Two markers of one label are two in a table too, and it reads back.
printf 'PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n100\t100\t2\t4\tmm\t100\t1\t2\n' >"$WORK/twice.trc"
printf 'Frame#\tTime\tA\t\t\tA\t\t\tA_2\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3\tY3\tZ3\tX4\tY4\tZ4\n\n1\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9\t1\t2\t3\n2\t0.01\t1\t2\t3\t4\t5\t6\t7\t8\t9\t1\t2\t3\n' >>"$WORK/twice.trc"
expect 0 convert "$WORK/twice.trc" "$WORK/twice.csv"
expect 0 info "$WORK/twice.csv"
prints "markers        4"
head -1 "$WORK/twice.csv" | grep -q 'A x,.*A_2 x,.*A_2_2 x,.*B x' || fail "labels: $(head -1 "$WORK/twice.csv")"
