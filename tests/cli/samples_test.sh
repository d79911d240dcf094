#!/bin/bash
# The samples run, and what they write is sound.
. "$(dirname "$0")/harness.sh"
samples=${LIMBER_BUILD:-build}/samples
[ -x "$samples/01_read_and_pose" ] || { echo "the samples are not built"; exit 77; }

said="01_read_and_pose"
"$samples/01_read_and_pose" "$DATA/arm.gltf" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "0.000 s: y from 0.0000 to 2.0000"
[ "$(wc -l <"$WORK/out")" = 30 ] || fail "not 30 frames"
"$samples/01_read_and_pose" "$WORK/none.glb" 2>"$WORK/err" && fail "a missing file is no failure"
says "No such file"

said="02_build_a_character"
"$samples/02_build_a_character" "$WORK/wave.glb" 2>"$WORK/err" || fail "exit $?"
expect 0 check "$WORK/wave.glb" --fail-on warning
expect 0 bake "$WORK/wave.glb" --time 0.5 -o "$WORK/wave.obj"
# The tip (0.2, 2) rotated by 0.8 about (0, 1): x = 0.2 cos 0.8 - sin 0.8, y = 1 + 0.2 sin 0.8 + cos 0.8.
near "$WORK/wave.obj" 18 -0.5780148 1.8401779 0

said="03_retarget"
expect 0 sample humanoid --seed 3 -o "$WORK/person.obj"
expect 0 rig "$WORK/person.obj" -o "$WORK/rigged.glb"
"$samples/03_retarget" "$WORK/rigged.glb" "$WORK/walking.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "leftUpperArm     leftUpperArm             by name"
prints "foot contacts held"
expect 0 check "$WORK/walking.glb" --fail-on error

if [ -x "$samples/04_window" ] && command -v xvfb-run >/dev/null; then
    said="04_window"
    expect 0 animate "$WORK/person.obj" walk --in-place -o "$WORK/in_place.glb"
    # Graphics drivers leak.
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 GALLIVM_PERF=nopt xvfb-run -a "$samples/04_window" "$WORK/in_place.glb" --frames 3 >"$WORK/out" 2>"$WORK/err" ||
        fail "exit $?: $(cat "$WORK/err")"
    prints "middle pixel"
    grep -q "middle pixel 230 235 242" "$WORK/out" && fail "nobody stands in the middle"
fi

said="05_interleaved"
"$samples/05_interleaved" "$WORK/walking.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
[ "$(grep -c "vertices of 36 bytes" "$WORK/out")" = 10 ] || fail "not 10 frames"
[ "$(cut -d, -f2 "$WORK/out" | sort -u | wc -l)" = 10 ] || fail "nothing moves"

said="07_correctives"
"$samples/07_correctives" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints " 90 degrees: the elbow is 0.860 as thick, with correctives 1.000"
[ "$(wc -l <"$WORK/out")" = 10 ] || fail "not 10 lines"

said="09_compressed_clip"
"$samples/09_compressed_clip" "$DATA/arm.gltf" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "bend: "
prints "mm at the skin, joints within 0.0"

said="10_blend"
"$samples/10_blend" "$WORK/rigged.glb" "$WORK/played.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints " 6 s: go    speed 3"
prints "12 s: greet speed 0.00"
expect 0 check "$WORK/played.glb" --fail-on warning

said="20_feet"
"$samples/20_feet" "$WORK/rigged.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints " 1 s: ground/stand"
prints " 6 s: jump"
prints "10 s: ground/stand"
prints "2 feet held"

said="25_legs"
"$samples/25_legs" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "1 s: 1.12 m on, 2.6 of 4 feet held"
prints "6 s: 10.43 m on"

said="06_deformers"
"$samples/06_deformers" "$WORK/deformers.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "linear   twisted  keeps 0.8330 of the volume"
prints "centers  twisted  keeps 0.9967 of the volume"
prints "fixed    bent     keeps 0.9612 of the volume"
prints "mush2    twisted  keeps 0.8120 of the volume"
[ "$(wc -l <"$WORK/out")" = 20 ] || fail "not 20 lines"
expect 0 check "$WORK/deformers.glb" --fail-on error
# The picture in the documents is what comes out.
expect 0 render "$WORK/deformers.glb" --view front --size 1400x440 --clear -o "$WORK/deformers.png" -q
cmp -s "$WORK/deformers.png" "$(dirname "$0")/../../docs/deformers.png" || fail "docs/deformers.png is another picture"

said="15_drivers"
"$samples/15_drivers" "$WORK/clock.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints " 5.97 s: hour  -90.050, minute 359.403, second  -30.000 degrees"
expect 0 check "$WORK/clock.glb" --fail-on error

said="26_few_weights"
"$samples/26_few_weights" "$WORK/walking.glb" "$WORK/few.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "joints a vertex before, 2 now"
expect 0 weights check "$WORK/few.glb" --influences 2
"$samples/26_few_weights" "$WORK/none.glb" "$WORK/few.glb" 2>"$WORK/err" && fail "a missing file is no failure"

said="19_paint"
"$samples/19_paint" "$WORK/rigged.glb" leftLowerArm "$WORK/painted.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "taken back: yes, done again: yes"
expect 0 weights check "$WORK/painted.glb"
"$samples/19_paint" "$WORK/rigged.glb" tail "$WORK/none.glb" 2>"$WORK/err" && fail "a missing joint is no failure"
says "there is no joint tail"

said="18_own_skeleton"
expect 0 sample humanoid --seed 9 --whole --triangles 4000 -o "$WORK/other.obj" --truth "$WORK/other.json" -q
wrist=$(grep -A2 '"name": "leftHand"' "$WORK/other.json" | sed -nE '/position/{s/.*\[(.*)\].*/\1/; s/,/ /g; p}')
# shellcheck disable=SC2086 # three numbers
"$samples/18_own_skeleton" "$WORK/other.obj" "$WORK/rigged.glb" "$WORK/bound.glb" $wrist >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "confidence"
expect 0 weights check "$WORK/bound.glb"
"$samples/18_own_skeleton" "$WORK/other.obj" "$WORK/none.glb" "$WORK/bound.glb" 0 0 0 2>"$WORK/err" && fail "a missing file is no failure"

said="16_markers"
"$samples/16_markers" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "2 markers, 50 frames at 50 Hz"
prints "LTOE         lost in 6 frames, 0.05 to 0.05 m high"
"$samples/16_markers" "$DATA/arm.gltf" 2>"$WORK/err" && fail "a file of another kind is no failure"
says "a C3D file"

said="30_beasts"
"$samples/30_beasts" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "dog: leftLeg2"
prints "7 chains in common"

said="28_bvh_stream"
expect 0 sample humanoid --seed 4 --rigged --triangles 4000 -o "$WORK/hero.glb" -q
expect 0 animate "$WORK/hero.glb" wave -o "$WORK/waving.glb" -q
expect 0 convert "$WORK/waving.glb" "$WORK/wave.bvh" -q
{ cat "$WORK/wave.bvh" && echo "no frame at all"; } | "$samples/28_bvh_stream" "$WORK/hero.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "$(sed -n 's/^Frames: *\([0-9]*\).*/\1/p' "$WORK/wave.bvh") frames of"
prints "1 pieces were no frames"

said="29_face"
cat >"$WORK/face.gltf" <<'EOF'
{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"head","mesh":0}],
"buffers":[{"byteLength":72,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":36}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[0,0,0.5]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":1}]}],"extras":{"targetNames":["smile"]}}],
"extensionsUsed":["VRMC_vrm"],"extensions":{"VRMC_vrm":{"specVersion":"1.0","humanoid":{"humanBones":{}},
"expressions":{"preset":{"happy":{"morphTargetBinds":[{"node":0,"index":0,"weight":0.5}]}}}}}}
EOF
"$samples/29_face" "$WORK/face.gltf" Joy "$WORK/joy.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "happy            preset, pulls 1 morph targets"
prints "smile            morph target"
expect 0 bake "$WORK/joy.glb" --time 0.5 -o "$WORK/joy.obj"
near "$WORK/joy.obj" 3 0 1 0.25
"$samples/29_face" "$WORK/face.gltf" nothing "$WORK/joy.glb" >"$WORK/out" 2>"$WORK/err" && fail "a face that is not there is no failure"
says "the face has no nothing"

said="21_proportions"
"$samples/21_proportions" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "child    legs 0.48 times as long"
[ "$(awk '/stands still/ && $(NF - 3) + 0 > 0.45 { n++ } END { print n + 0 }' "$WORK/out")" = 3 ] || fail "feet do not stand still"

said="33_animate"
"$samples/33_animate" "$WORK/person.obj" "$WORK/animated.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "foot contacts locked"
expect 0 check "$WORK/animated.glb" --fail-on error
expect 0 animate "$WORK/person.obj" walk -o "$WORK/by_command.glb"
for file in animated by_command; do
    expect 0 bake "$WORK/$file.glb" --time 0.5 -o "$WORK/$file.obj"
done
grep '^v ' "$WORK/animated.obj" | cmp -s - <(grep '^v ' "$WORK/by_command.obj") || fail "the call and the command differ"

said="35_style"
for seed in 1 2 3; do
    expect 0 sample humanoid --seed $seed --triangles 1500 -q -o "$WORK/maker.obj"
    expect 0 rig "$WORK/maker.obj" -q -o "$WORK/maker.glb"
    expect 0 weights smooth "$WORK/maker.glb" -q --spread 10 --rounds 2 -o "$WORK/maker_$seed.glb"
done
said="35_style"
"$samples/35_style" "$WORK/maker_3.glb" "$WORK/maker_1.glb" "$WORK/maker_2.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
awk '{ exit !($NF < 0.7 * substr($7, 1, length($7) - 1)) }' "$WORK/out" || fail "the style is not nearer: $(cat "$WORK/out")"
"$samples/35_style" >"$WORK/out" 2>"$WORK/err" && fail "no characters are no failure"

expect 0 sample spider --seed 3 --triangles 3000 -o "$WORK/spider.obj" -q
expect 0 rig "$WORK/spider.obj" --weights nearest --save-template "$WORK/crab.template" -o "$WORK/spider.glb" -q
said="36_own_kind"
"$samples/36_own_kind" "$WORK/spider.obj" "$WORK/crab.template" "$WORK/crab.glb" >"$WORK/out" 2>"$WORK/err" || fail "exit $?"
prints "joints, confidence 0."
"$samples/36_own_kind" "$WORK/other.obj" "$WORK/crab.template" "$WORK/none.glb" 2>"$WORK/err" && fail "another kind is no failure"
says "likely a human"

if [ -x "$samples/34_cpp" ]; then
    said="34_cpp"
    "$samples/34_cpp" "$WORK/person.obj" >"$WORK/out" 2>"$WORK/err" || fail "exit $?: $(cat "$WORK/err")"
    prints "a walk of 1."
    # Rigging brings the arms to a T; a walk lets them hang.
    [ "$(awk '$2 == "rest:" { rest = $3 } $1 == "walking:" { print ($2 < rest / 2) }' "$WORK/out")" = 1 ] || fail "the arms do not hang"
    "$samples/34_cpp" "$WORK/none.obj" 2>"$WORK/err" && fail "a missing file is no failure"
    says "No such file"
fi

exit 0
