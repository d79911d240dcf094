#!/bin/bash
# limber retarget and limber animate as a user types them.
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --seed 3 --triangles 4000 -o "$WORK/person.obj"
expect 0 animate "$WORK/person.obj" walk -o "$WORK/walk.glb"
says "humanoid, 52 joints"
says "52 joints matched"
says "contacts locked"
expect 0 check "$WORK/walk.glb" --fail-on error
expect 0 animate "$WORK/person.obj" walk -o "$WORK/again.glb" -q --threads 1
cmp -s "$WORK/walk.glb" "$WORK/again.glb" || fail "other bytes the second time, with one thread"

# A motion without fingers (of a body with mittens) leaves no hand spread; one that has them keeps its own.
expect 0 sample humanoid --seed 20 -o "$WORK/mittens.obj" -q
expect 0 animate "$WORK/mittens.obj" walk -o "$WORK/mittens.glb" -q
expect 0 convert "$WORK/mittens.glb" "$WORK/mittens.bvh" -q
expect 0 animate "$WORK/person.obj" "$WORK/mittens.bvh" -v -o "$WORK/eased.glb"
says "30 joints hang half open"
expect 0 animate "$WORK/person.obj" walk -v -o "$WORK/own.glb"
! grep -q "half open" "$WORK/err" || fail "the fingers of the motion were replaced"

# A character that has a humanoid skeleton keeps it; its clips come after the new one.
expect 0 animate "$WORK/walk.glb" run -o "$WORK/two.glb"
says "which is kept"
says "2 clips"

# So does a skinned animal for the motions that its like have; a rig that no motion fits is replaced, and that is said.
expect 0 sample quadruped --seed 4 --rigged -q -o "$WORK/dog.glb"
expect 0 animate "$WORK/dog.glb" walk -o "$WORK/dog_walk.glb"
says "has a quadruped skeleton"
expect 0 animate "$WORK/dog_walk.glb" walk idle -o "$WORK/dog_both.glb"
says "has a quadruped skeleton"
says "3 clips"
expect 0 animate "$WORK/dog.glb" walk run -o "$WORK/dog_gaits.glb"
says "2 clips"
expect 4 animate "$WORK/dog.glb" run wave -o "$WORK/dog_waves.glb"
says "wave on"
expect 0 animate "$WORK/dog_walk.glb" walk --rig-anew -o "$WORK/dog_anew.glb"
! grep -q "which is kept" "$WORK/err" || fail "--rig-anew kept the rig"
expect 0 rig "$WORK/person.obj" --drop "left*" -q -o "$WORK/half.glb"
expect 0 animate "$WORK/half.glb" walk -o "$WORK/half_walk.glb"
says "another replaces it"

# A clip has the name of --name, from a file, made, or of an animal's own legs; without it that of the motion.
expect 0 animate "$WORK/walk.glb" "$WORK/mittens.bvh" --name "my dance" -q -o "$WORK/named.glb"
expect 0 info "$WORK/named.glb" --json
prints '"name": "my dance"'
expect 0 retarget "$WORK/walk.glb" run --name dash -q -o "$WORK/named.glb"
expect 0 info "$WORK/named.glb" --json
prints '"name": "dash"'
prints '"name": "walk"'
expect 0 sample spider --seed 3 --rigged -q -o "$WORK/spider.glb"
expect 0 animate "$WORK/spider.glb" walk --name crawl -q -o "$WORK/named.glb"
expect 0 info "$WORK/named.glb" --json
prints '"name": "crawl"'

# From file to file, and the map there and back.
expect 0 retarget "$WORK/walk.glb" "$WORK/walk.glb" --clip walk --save-map "$WORK/map.json" -o "$WORK/self.glb"
grep -q '"leftUpperArm": "leftUpperArm"' "$WORK/map.json" || fail "the map lacks leftUpperArm"
expect 0 retarget "$WORK/walk.glb" idle --map "$WORK/map.json" --json -o "$WORK/idle.glb"
prints '"reason": "given"'
prints '"rate_hz": 60'
sed 's/"leftUpperArm": "leftUpperArm"/"leftUpperArm": "nobody"/' "$WORK/map.json" >"$WORK/bad.json"
expect 3 retarget "$WORK/walk.glb" idle --map "$WORK/bad.json" -o "$WORK/none.glb"
says "bad.json:"
says "nobody"
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"
expect 0 retarget "$WORK/walk.glb" walk --in-place --no-lock-feet --rate 30 -o "$WORK/walk.bvh"

# Feet and hips before and after, in numbers and as a picture; a walk on the spot; hands left alone.
expect 0 retarget "$WORK/walk.glb" walk --in-place --plot "$WORK/feet.png" --json -o "$WORK/plot.glb"
says "feet stand on ground that goes by"
prints '"belt_speed"'
prints '"slide_m_s"'
[ "$(head -c 4 "$WORK/feet.png" | tail -c 3)" = PNG ] || fail "the plot is no PNG"
expect 0 retarget "$WORK/walk.glb" wave --free-hands --json -o "$WORK/free.glb"
prints '"touching_frames": 0'

# What makes no sense, and what is no motion.
expect 2 retarget "$WORK/walk.glb" "$WORK/walk.glb" --speed 2 -o "$WORK/none.glb"
says "--speed is for made motions"
expect 2 retarget "$WORK/walk.glb" walk --speed 5 -o "$WORK/none.glb"
says "walk: expected"
expect 2 retarget "$WORK/walk.glb" "$WORK/walk.glb" --motion-unit mile -o "$WORK/none.glb"
says "--motion-unit: expected"
expect 3 retarget "$WORK/walk.glb" "$WORK/person.obj" -o "$WORK/none.glb"
says "without clips"
expect 4 retarget "$DATA/arm.gltf" walk -o "$WORK/none.glb"
says "without hips"
expect 3 retarget "$WORK/walk.glb" "$WORK/nothing.bvh" -o "$WORK/none.glb"

# Where front and back cannot be found, the user gives them: back to front is the reverse.
expect 0 animate "$WORK/person.obj" idle --facing z -q -o "$WORK/facing.glb"
expect 0 animate "$WORK/person.obj" idle -q -o "$WORK/found.glb"
# Given directions may move the mirror plane by a hair.
expect 0 bake "$WORK/facing.glb" --time 0 -q -o "$WORK/facing.obj"
expect 0 bake "$WORK/found.glb" --time 0 -q -o "$WORK/found.obj"
node - "$WORK" <<'JS' || fail "--facing z differs from what was found"
const fs = require('fs'), dir = process.argv[2];
const read = (f) => fs.readFileSync(`${dir}/${f}.obj`, 'utf8').split('\n').filter((l) => l.startsWith('v ')).map((l) => l.split(/\s+/).slice(1, 4).map(Number));
const other = read('found');
process.exit(Math.max(...read('facing').map((p, i) => Math.hypot(...p.map((x, k) => x - other[i][k])))) < 0.004 ? 0 : 1);
JS
expect 0 animate "$WORK/person.obj" idle --facing -z -q -o "$WORK/back.glb"
cmp -s "$WORK/facing.glb" "$WORK/back.glb" && fail "--facing -z changes nothing"
expect 2 animate "$WORK/person.obj" idle --facing up -o "$WORK/none.glb"
says "--facing takes"

# A robot of rigid parts on a humanoid's joints moves by those.
robot=${LIMBER_SHARED:-}/data/rigged/vrm/debug_robot.vrm
if [ -f "$robot" ]; then
    expect 0 animate "$robot" walk -o "$WORK/robot.glb"
    says "has a humanoid skeleton"
fi

# A beast whose joints have a human's names, and a crab with two of its legs called so.
for beast in elephant_idle1 crab_dance; do
    motion=${LIMBER_SHARED:-}/data/mocap/bvh/$beast.bvh
    if [ -f "$motion" ]; then
        expect 0 retarget "$WORK/walk.glb" "$motion" --json -o "$WORK/beast.glb"
        says "may be no human"
        prints '"doubt"'
    fi
done

expect 2 animate "$WORK/person.obj" wlak -o "$WORK/none.glb"
says "did you mean walk?"
expect 0 sample quadruped --seed 1 --triangles 3000 -o "$WORK/beast.obj"
# Animals walk, trot and run on their own legs; other motions are for humanoids.
expect 0 animate "$WORK/beast.obj" trot -o "$WORK/trot.glb"
says "quadruped"
"$LIMBER" info "$WORK/trot.glb" | grep -q 'clip 0 *"trot"' || fail "no clip of a trot"
expect 0 animate "$WORK/walk.glb" run -o "$WORK/runs.glb"
expect 4 animate "$WORK/person.obj" trot -o "$WORK/none.glb"
expect 4 animate "$WORK/beast.obj" walk --skeleton human -o "$WORK/none.glb"
expect 4 animate "$WORK/beast.obj" wave -o "$WORK/none.glb"

# One animal's motion on another, by chains; the map of chains there and back; edited.
expect 0 sample quadruped --seed 7 --triangles 3000 -o "$WORK/other.obj" -q
expect 0 rig "$WORK/other.obj" -o "$WORK/other.glb" -q
expect 0 retarget "$WORK/other.glb" "$WORK/trot.glb" -v --save-map "$WORK/chains.json" --plot "$WORK/paws.png" --json -o "$WORK/paws.glb"
says "by chains"
says "leftLeg2: "
prints '"way": "chains"'
prints '"planted_slide"'
grep -q '"tail": \[' "$WORK/chains.json" || fail "the map lacks the tail"
[ "$(head -c 4 "$WORK/paws.png" | tail -c 3)" = PNG ] || fail "the plot is no PNG"
sed 's/"tail": \[[^]]*\]/"tail": null/' "$WORK/chains.json" >"$WORK/tailless.json"
expect 0 retarget "$WORK/other.glb" "$WORK/trot.glb" --map "$WORK/tailless.json" --json -o "$WORK/tailless.glb"
! grep -q '"tail"' "$WORK/out" || fail "the tail is there although the map leaves it out"
sed 's/"tail": \[/"trunk": [/' "$WORK/chains.json" >"$WORK/bad.json"
expect 3 retarget "$WORK/other.glb" "$WORK/trot.glb" --map "$WORK/bad.json" -o "$WORK/none.glb"
says "bad.json:"
expect 2 retarget "$WORK/other.glb" "$WORK/trot.glb" --as dogs -o "$WORK/none.glb"
expect 0 clean "$WORK/trot.glb" --json -o "$WORK/cleaned.glb"
prints '"way": "chains"'
prints '"feet_held": true'

# A mesh takes the motion of its like; a human's it does not, unless an option says so.
expect 0 animate "$WORK/other.obj" "$WORK/trot.glb" -o "$WORK/rigged_by.glb"
says "by chains"
expect 4 animate "$WORK/other.obj" "$WORK/walk.glb" -o "$WORK/none.glb"
says "humanoid"
expect 0 retarget "$WORK/other.glb" "$WORK/walk.glb" --as chains -o "$WORK/pantomime.glb"

# The fox that everybody has, and a creature of another make.
fox=${LIMBER_SHARED:-}/data/rigged/gltf/Fox.glb
creature=${LIMBER_SHARED:-}/data/rigged/mesh2motion/quad-creature-animations.glb
if [ -f "$fox" ]; then
    expect 0 retarget "$fox" "$creature" --clip Idle --json -o "$WORK/fox.glb"
    prints '"way": "chains"'
    prints '"b_Tail03_014"'
    expect 0 retarget "$creature" "$fox" --clip Walk -o "$WORK/creature.glb"
    says "ground that goes by"
fi

# How far the lowest skin is from the ground: a walk stands on it, a jump leaves it.
ground() { awk -F'[:,]' -v key="\"$1\"" '$1 ~ key { print $2 }' "$WORK/out"; }
between() { awk -v x="$(ground "$1")" -v low="$2" -v high="$3" 'BEGIN { exit !(x != "" && x >= low && x <= high) }' || fail "$1 is $(ground "$1"), not $2 to $3"; }
expect 0 animate "$WORK/person.obj" walk --json -o "$WORK/ground.glb"
says "the lowest skin is at"
between least_m -0.02 0.01
between most_m 0 0.06
expect 0 animate "$WORK/person.obj" jump --json -o "$WORK/ground.glb"
between least_m -0.02 0.01
between most_m 0.2 0.6
