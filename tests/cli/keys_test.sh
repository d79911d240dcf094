#!/bin/bash
# limber animate with texts of keys, as a user types them.
. "$(dirname "$0")/harness.sh"

# Half a turn of the forearm about X in two seconds; the text holds for the joints of arm.gltf.
printf 'limber-keys 1\nclip curl linear\nkey 0\nkey 1\n  lower turned 90 0 0\nkey 2\n  lower turned 180 0 0\n' >"$WORK/curl.keys"
expect 0 animate "$DATA/arm.gltf" "$WORK/curl.keys" -o "$WORK/curl.glb"
says "3 keys of 1 joint, 2.00 s"
expect 0 info "$WORK/curl.glb"
prints '"curl", 2 s, 2 channels, up to 3 keys'
# At 1 s the forearm has a quarter of a turn: its end, 1 above the elbow, points along Z.
expect 0 bake "$WORK/curl.glb" --clip curl --time 0 -o "$WORK/straight.obj"
near "$WORK/straight.obj" 18 0.1 2 -0.1
expect 0 bake "$WORK/curl.glb" --clip curl --time 1 -o "$WORK/bent.obj"
near "$WORK/bent.obj" 18 0.1 1.1 1
expect 0 animate "$DATA/arm.gltf" "$WORK/curl.keys" --json -q -o "$WORK/again.glb"
prints '"keys": 3'
prints '"replaced": false'
cmp -s "$WORK/curl.glb" "$WORK/again.glb" || fail "another file the second time"

# Several stand in their order, and what a text replaces goes.
sed 's/clip curl/clip "curl 2"/' "$WORK/curl.keys" >"$WORK/two.keys"
expect 0 animate "$DATA/arm.gltf" "$WORK/curl.keys" "$WORK/two.keys" -q -o "$WORK/both.glb"
expect 0 info "$WORK/both.glb"
for clip in '0 *"curl"' '1 *"curl 2"'; do
    grep -q "clip $clip" "$WORK/out" || fail "clip $clip"
done
printf 'limber-keys 1\nclip calm step\nreplaces curl\nkey 0\n  upper turned 0 0 90\n' >"$WORK/calm.keys"
expect 0 animate "$WORK/both.glb" "$WORK/calm.keys" -o "$WORK/calm.glb"
says "in place of another clip"
expect 0 info "$WORK/calm.glb"
for clip in '0 *"calm"' '1 *"curl 2"'; do
    grep -q "clip $clip" "$WORK/out" || fail "clip $clip"
done
! grep -q '"curl"' "$WORK/out" || fail "what was replaced is still there"

# Joints by the names of a human's bones.
expect 0 sample humanoid --rigged --triangles 1500 -q -o "$WORK/person.glb"
expect 0 animate "$WORK/person.glb" "$SOURCE/docs/nod.keys" -o "$WORK/nod.glb"
says "4 keys of 2 joints"

# What is wrong, and where.
sed 's/lower turned 90/nobody turned 90/' "$WORK/curl.keys" >"$WORK/wrong.keys"
expect 3 animate "$DATA/arm.gltf" "$WORK/wrong.keys" -o "$WORK/none.glb"
says 'wrong.keys:5:3: expected a joint, or a human bone, of this character, found "nobody"'
expect 3 animate "$DATA/arm.gltf" "$WORK/calm.keys" -o "$WORK/none.glb"
says "calm.keys:3:10: expected a clip of this character"
expect 3 animate "$DATA/arm.gltf" "$WORK/absent.keys" -o "$WORK/none.glb"
expect 2 animate "$WORK/person.glb" "$WORK/curl.keys" walk -o "$WORK/none.glb"
says "walk is no NAME.keys"
expect 2 animate "$DATA/arm.gltf" "$WORK/curl.keys" --rate 30 -o "$WORK/none.glb"
says "--rate is not for a text of keys"
expect 2 animate "$DATA/arm.gltf" "$WORK/curl.keys" --weights heat -o "$WORK/none.glb"
says "--weights is not for"
expect 5 animate "$DATA/arm.gltf" "$WORK/curl.keys" -o "$WORK/curl.keys/none.glb"
[ ! -e "$WORK/none.glb" ] || fail "a file in spite of what is wrong"
