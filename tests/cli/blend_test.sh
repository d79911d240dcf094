#!/bin/bash
# limber blend: layers, sequences, machines; what it makes is sound, and wrong command lines are refused.
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --seed 5 --triangles 3000 -o "$WORK/person.obj"
expect 0 rig "$WORK/person.obj" -o "$WORK/hero.glb"

# One clip after another, with root motion blended as well.
expect 0 blend "$WORK/hero.glb" --sequence idle:1,walk:2,run:2,idle:1 -o "$WORK/classic.glb" --json
says "1.00 s: 2 walk"
says "3.00 s: 3 run"
prints '"frames": 361'
expect 0 check "$WORK/classic.glb" --fail-on warning
expect 0 blend "$WORK/hero.glb" --sequence idle:1,walk:2,run:2,idle:1 -o "$WORK/again.glb"
cmp -s "$WORK/classic.glb" "$WORK/again.glb" || fail "two runs differ"
expect 0 blend "$WORK/hero.glb" --sequence wave,walk:1 --how spring --in-place --name greet -o "$WORK/greet.glb"
expect 0 info "$WORK/greet.glb"
prints '"greet"'

# One layer alone is that clip, at every frame; twice itself as well.
cp "$DATA/arm.gltf" "$WORK/arm.gltf"
expect 0 blend "$WORK/arm.gltf" --layer bend --rate 30 -o "$WORK/bend.glb"
expect 0 blend "$WORK/arm.gltf" --layer bend:0.3 --layer 0:0.7 --rate 30 -o "$WORK/both.glb"
expect 0 bake "$WORK/arm.gltf" --clip bend --time 0.5 -o "$WORK/want.obj"
for file in bend both; do
    expect 0 bake "$WORK/$file.glb" --clip blend --time 0.5 -o "$WORK/got.obj"
    grep '^v ' "$WORK/want.obj" | nl -ba | while read -r n _ x y z _; do near "$WORK/got.obj" "$n" "$x" "$y" "$z"; [ "$failures" = 0 ] || exit 1; done || fail "$file is not the clip"
done

# farthest A.obj B.obj: how far the vertex is apart that is farthest.
farthest() {
    paste <(grep '^v ' "$1") <(grep '^v ' "$2") | awk 'function off(a, b) { return a > b ? a - b : b - a }
        { for (k = 2; k <= 4; ++k) { if (off($k, $(k + 4)) > most) most = off($k, $(k + 4)) } } END { printf "%.9f\n", (NR > 0 ? most : 1e9) }'
}
# within A.obj B.obj MOST WHAT
within() {
    local apart
    apart=$(farthest "$1" "$2")
    awk -v a="$apart" -v b="$3" 'BEGIN { exit !(a <= b) }' || fail "$4: $apart apart, $3 is allowed"
}

# Also where feet would be locked and the root moves: the clip, its last frame too, and to the last bit where a
# frame is not between two. With a layer over it, which takes the root out and puts it on again, to what single precision holds.
expect 0 retarget "$WORK/hero.glb" walk -o "$WORK/walker.glb"
for weights in 1 0.25; do
    expect 0 blend "$WORK/walker.glb" --layer walk:$weights --layer 0:0.75 --over run:0:spine --no-lock --replace -o "$WORK/mixed.glb"
    expect 0 blend "$WORK/walker.glb" --layer walk:$weights --layer 0:0.75 --replace -o "$WORK/self.glb"
    for frame in 0 7 30 61; do
        expect 0 bake "$WORK/walker.glb" --clip walk --frame $frame -o "$WORK/want.obj"
        expect 0 bake "$WORK/self.glb" --clip blend --frame $frame -o "$WORK/got.obj"
        within "$WORK/want.obj" "$WORK/got.obj" "$([ $frame = 0 ] && echo 0 || echo 1e-6)" "frame $frame of a walk with itself is not the walk"
        expect 0 bake "$WORK/mixed.glb" --clip blend --frame $frame -o "$WORK/got.obj"
        [ "$frame" = 61 ] || within "$WORK/want.obj" "$WORK/got.obj" 2e-6 "frame $frame of a walk with itself, under a layer"
    done
done
# A second round goes on from the first.
expect 0 blend "$WORK/walker.glb" --layer walk --layer 0 --seconds 2 --replace -o "$WORK/rounds.glb"
expect 0 blend "$WORK/walker.glb" --layer walk --layer 0 --no-lock --over run:0:spine --seconds 2 --replace -o "$WORK/mixed.glb"
expect 0 bake "$WORK/mixed.glb" --frame 100 -o "$WORK/want.obj"
expect 0 bake "$WORK/rounds.glb" --frame 100 -o "$WORK/got.obj"
within "$WORK/want.obj" "$WORK/got.obj" 1e-5 "the second round"

# Morph weights as well, of layers and of machines.
printf '{"limber": "state machine", "states": {"r": {"clip": "reach"}}}' >"$WORK/reach.json"
expect 0 bake "$WORK/arm.gltf" --clip reach --time 0.4 -o "$WORK/want.obj"
expect 0 blend "$WORK/arm.gltf" --layer reach --rate 30 --seconds 0.5 -o "$WORK/reach.glb"
expect 0 blend "$WORK/arm.gltf" --machine "$WORK/reach.json" --rate 30 --seconds 0.5 -o "$WORK/played.glb"
expect 0 blend "$WORK/arm.gltf" --layer bend --over reach:0 --rate 30 --seconds 0.5 -o "$WORK/none.glb"
expect 0 bake "$WORK/none.glb" --time 0 -o "$WORK/none.obj"
cmp -s "$WORK/want.obj" "$WORK/none.obj" && fail "the morph moves nothing"
for file in reach played; do
    expect 0 bake "$WORK/$file.glb" --clip blend --time 0.4 -o "$WORK/got.obj"
    grep '^v ' "$WORK/want.obj" | nl -ba | while read -r n _ x y z _; do near "$WORK/got.obj" "$n" "$x" "$y" "$z"; [ "$failures" = 0 ] || exit 1; done || fail "$file is not the face of the clip"
done

# Weights over time, masks by name and by part, additive layers.
expect 0 blend "$WORK/hero.glb" --layer walk:1@0,0@1.5 --layer run:0@0,1@1.5 --over wave:1:rightUpperArm --add idle:0.5:spine --feather 1 --seconds 3 -o "$WORK/layers.glb"
expect 0 check "$WORK/layers.glb" --fail-on warning
expect 0 blend "$WORK/hero.glb" --layer walk --over wave:1:spine --model-space -o "$WORK/model.glb"

# Joints with colons in their names, as Mixamo's.
expect 0 convert "$WORK/hero.glb" "$WORK/colons.bvh"
spine=$(sed -nE 's/^[[:space:]]*JOINT (.*[Ss]pine.*)$/\1/p' "$WORK/colons.bvh" | head -n 1)
sed -i -E "s/^([[:space:]]*(ROOT|JOINT)) /\1 mixamorig:/" "$WORK/colons.bvh"
expect 0 blend "$WORK/colons.bvh" --layer 0 --over "0:0.5:mixamorig:$spine" -o "$WORK/colons_out.bvh"
expect 2 blend "$WORK/colons.bvh" --layer 0 --over "0:0.5:mixamorig:nothing" -o "$WORK/colons_out.bvh"
says "mixamorig:nothing: no joint of that name"
expect 2 blend "$WORK/colons.bvh" --layer 0 --over "0:half:mixamorig:$spine" -o "$WORK/colons_out.bvh"
says "expected CLIP, CLIP:WEIGHT or CLIP:WEIGHT:MASK"

# A machine, driven.
cat >"$WORK/machine.json" <<'END'
{"limber": "state machine", "parameters": {"speed": 0, "hop": "trigger"},
 "events": {"walk": {"left": 0.1}},
 "states": {"move": {"along": "speed", "clips": {"idle": 0, "walk": 1.35, "run": 3.2}}, "hop": {"clip": "jump", "play": "once"}},
 "transitions": [{"from": "move", "to": "hop", "when": "hop", "how": "spring"}, {"from": "hop", "to": "move", "at": 0.8, "seconds": 0.4, "sync": true}]}
END
expect 0 blend "$WORK/hero.glb" --machine "$WORK/machine.json" --set speed=1.35@1 --set hop@3 --set speed=3@4 --seconds 7 -v -o "$WORK/machine.glb"
says "3.00 s: hop"
says "left, of walk"
expect 0 check "$WORK/machine.glb" --fail-on warning

# A linear crossfade has come as far as time has, no frame early: from x = 0 to x = 10 m within half a second from 1 s on.
bvh() {
    printf 'HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n'
    printf 'MOTION\nFrames: 3\nFrame Time: 0.1\n%s 0 0 0 0 0\n%s 0 0 0 0 0\n%s 0 0 0 0 0\n' "$1" "$1" "$1"
}
bvh 0 >"$WORK/here.bvh"
bvh 10 >"$WORK/there.bvh"
cat >"$WORK/linear.json" <<END
{"limber": "state machine", "parameters": {"go": "trigger"},
 "states": {"here": {"clip": "$WORK/here.bvh"}, "there": {"clip": "$WORK/there.bvh"}},
 "transitions": [{"from": "here", "to": "there", "when": "go", "seconds": 0.5, "curve": "linear"}]}
END
expect 0 blend "$WORK/here.bvh" --unit m --machine "$WORK/linear.json" --set go@1 --no-root --no-lock --rate 10 --seconds 2 --replace -o "$WORK/linear.bvh"
says "1.00 s: there"
awk '/^Frame Time/ { in_motion = 1; next }
    in_motion { t = 0.1 * n++; want = t < 1.001 ? 0 : (t > 1.499 ? 1000 : 2000 * (t - 1)); off = $1 - want
        if (off > 1e-2 || off < -1e-2) { print t " s: x is " $1 ", not " want; bad = 1 } }
    END { exit bad || n != 21 }' "$WORK/linear.bvh" >"$WORK/linear.txt" || fail "$(cat "$WORK/linear.txt")"

# Machines in machines; clips of a .limb file are played compressed, and show the same.
nested() {
    cat <<END
{"limber": "state machine", "parameters": {"speed": 0, "hit": "trigger"},
 "states": {
  "ground": {"states": {"stand": {"clip": "$1idle"}, "go": {"clip": "$1walk"}}, "entry": [{"to": "go", "when": "speed > 0"}],
   "transitions": [{"from": "stand", "to": "go", "when": "speed > 0"}]},
  "combo": {"states": {"one": {"clip": "$1wave", "play": "once"}}, "transitions": [{"from": "one", "to": "exit", "at": 0.3}]}},
 "transitions": [{"from": "ground", "to": "combo", "when": "hit", "how": "spring"}, {"from": "combo", "to": "ground", "at": "exit"}]}
END
}
expect 0 animate "$WORK/hero.glb" walk -o "$WORK/walk.glb"
expect 0 convert "$WORK/walk.glb" "$WORK/packed.limb" --compress
nested "" >"$WORK/nested.json"
expect 0 blend "$WORK/hero.glb" --machine "$WORK/nested.json" --set hit@1 --set speed=1@1.1 --seconds 5 -v -o "$WORK/nested.glb"
says "0.00 s: ground/stand"
says "1.00 s: combo/one"
says "ground/go"
says "held in"
expect 0 check "$WORK/nested.glb" --fail-on warning
printf '{"limber": "state machine", "states": {"w": {"clip": "%s"}}}' "$WORK/packed.limb#walk" >"$WORK/packed.json"
printf '{"limber": "state machine", "states": {"w": {"clip": "walk"}}}' >"$WORK/keys.json"
expect 0 blend "$WORK/walk.glb" --machine "$WORK/packed.json" --seconds 1 --replace -o "$WORK/from_packed.glb"
expect 0 blend "$WORK/walk.glb" --machine "$WORK/keys.json" --seconds 1 --replace -o "$WORK/from_keys.glb"
for file in from_packed from_keys; do
    expect 0 bake "$WORK/$file.glb" --time 0.7 -o "$WORK/$file.obj"
done
paste <(grep '^v ' "$WORK/from_packed.obj") <(grep '^v ' "$WORK/from_keys.obj") |
    awk '{d = ($2-$6)^2 + ($3-$7)^2 + ($4-$8)^2; if (d > m) m = d} END {exit !(m > 0 && m < 4e-7)}' || fail "a compressed walk is not the walk"

# A machine begins where its clips do, with their heading, whichever direction the character faces at rest.
for yaw in 90 180; do
    expect 0 sample humanoid --rigged --pose t --triangles 2000 --seed 3 --yaw $yaw -q -o "$WORK/turned.glb"
    expect 0 retarget "$WORK/turned.glb" walk -q -o "$WORK/turned_walk.glb"
    expect 0 blend "$WORK/turned_walk.glb" --machine "$WORK/keys.json" --seconds 1 --no-lock --replace -q -o "$WORK/turned_played.glb"
    for frame in 0 30; do
        expect 0 bake "$WORK/turned_walk.glb" --clip walk --frame $frame -q -o "$WORK/want.obj"
        expect 0 bake "$WORK/turned_played.glb" --frame $frame -q -o "$WORK/got.obj"
        within "$WORK/want.obj" "$WORK/got.obj" 1e-5 "turned by $yaw, frame $frame of a machine"
    done
done

# What is wrong is named.
expect 2 blend "$WORK/hero.glb" -o "$WORK/x.glb"
says "--layer"
expect 2 blend "$WORK/hero.glb" --layer swim -o "$WORK/x.glb"
says "swim: neither a clip"
expect 2 blend "$WORK/hero.glb" --layer walk:1:tail -o "$WORK/x.glb"
says "tail"
expect 2 blend "$WORK/hero.glb" --layer walk:-1 -o "$WORK/x.glb"
expect 2 blend "$WORK/hero.glb" --machine "$WORK/machine.json" --set sped=1 -o "$WORK/x.glb"
says "no parameter"
expect 3 blend "$WORK/hero.glb" --layer none.bvh -o "$WORK/x.glb"
printf '{"limber": "state machine",\n "states": {"a": {"clop": 1}}}' >"$WORK/bad.json"
expect 3 blend "$WORK/hero.glb" --machine "$WORK/bad.json" -o "$WORK/x.glb"
says "bad.json:2:"
