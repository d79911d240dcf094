#!/bin/bash
# limber learn as a user types it.
. "$(dirname "$0")/harness.sh"

# A rigged arm that bends, as files of its frames, as its own clip, and on the frames of its clip.
arm=$DATA/arm.gltf
expect 0 bake "$arm" --clip bend -q -o "$WORK/rest.obj" --time 0
expect 0 bake "$arm" --clip bend -q --fps 10 -o "$WORK/f.obj"
expect 0 learn "$WORK/rest.obj" "$WORK"/f_*.obj --bones 2 --fps 10 --json -o "$WORK/files.glb"
says "bones          2"
prints '"bones": 2'
awk -F'[:,]' '/"rms_m"/ && $2 > 1e-3 { exit 1 }' "$WORK/out" || fail "far from the frames"
expect 0 check "$WORK/files.glb" --fail-on error
expect 0 info "$WORK/files.glb"
prints "skeleton"
prints '"frames"'
expect 0 learn "$arm" --clip bend --bones 2 --skeleton flat -v -o "$WORK/clip.glb"
says "frames of \"bend\""
expect 0 learn "$WORK/rest.obj" "$WORK"/f_*.obj --bones 2 --fps 10 -q --threads 1 -o "$WORK/again.glb"
cmp -s "$WORK/files.glb" "$WORK/again.glb" || fail "other bytes with one thread"

# Its vertices stay in the order of the file.
expect 0 bake "$WORK/files.glb" -q -o "$WORK/back.obj"
[ "$(grep -c '^v ' "$WORK/back.obj")" = "$(grep -c '^v ' "$WORK/rest.obj")" ] || fail "other vertices"

# What does not fit is named, with its file.
expect 2 learn "$WORK/rest.obj" "$WORK/f_0000.obj" -o "$WORK/none.glb"
says "--bones"
expect 2 learn "$WORK/rest.obj" "$WORK/f_0000.obj" --bones 0 -o "$WORK/none.glb"
expect 2 learn "$WORK/rest.obj" "$WORK/f_0000.obj" --bones 2 --influences 99 -o "$WORK/none.glb"
expect 3 learn "$WORK/rest.obj" --bones 2 -o "$WORK/none.glb"
says "expected a clip to learn from"
expect 0 sample humanoid -q -o "$WORK/person.obj"
expect 3 learn "$WORK/rest.obj" "$WORK/person.obj" --bones 2 -o "$WORK/none.glb"
says "person.obj: expected"
says "vertices as $WORK/rest.obj has"
expect 3 learn "$WORK/rest.obj" "$WORK/rest.obj" --bones 2 -o "$WORK/none.glb"
says "all the rest shape"
expect 3 learn "$WORK/rest.obj" "$WORK"/f_*.obj --bones 500 -o "$WORK/none.glb"
says "vertices for 500 bones"
expect 3 learn "$WORK/rest.obj" "$WORK/nothing.obj" --bones 2 -o "$WORK/none.glb"
awk '$1 == "f" && !done { done = 1; print $1, $3, $4, $2; next } { print }' "$WORK/f_0003.obj" >"$WORK/turned.obj"
expect 3 learn "$WORK/rest.obj" "$WORK/turned.obj" --bones 2 -o "$WORK/none.glb"
says "corner 0 of triangle 0"
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"
