#!/bin/bash
# limber rig as a user types it: a skeleton inside, what is said about it, refusals by name.
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --seed 4 --whole --triangles 5000 -o "$WORK/body.obj" -q
expect 0 rig "$WORK/body.obj" -o "$WORK/body.glb" --json
says "faces +Z"
prints '"name": "leftUpperArm"'
prints '"confidence"'
grep -q "limits of joints" "$WORK/err" && fail "warns that a file lacks limits which the rigger made"
expect 0 check "$WORK/body.glb" --fail-on error
expect 0 rig "$WORK/body.obj" -o "$WORK/again.glb" --threads 1 -q
cmp -s "$WORK/body.glb" "$WORK/again.glb" || fail "other bytes with another number of threads"

expect 0 rig "$WORK/body.obj" -o "$WORK/back.glb" --facing -z --weights nearest --json -q
prints '"facing": [0, 0, -1]'
expect 0 rig "$WORK/body.obj" -o "$WORK/tall.glb" --height 3.5 --turn --weights nearest -q

# the rest pose that is asked for
expect 0 sample humanoid --seed 4 --whole --pose 60 --triangles 5000 -o "$WORK/low.obj" -q
expect 0 rig "$WORK/low.obj" --rest t -o "$WORK/rest.glb" --json
says "T-pose: 6 bones rotated"
prints '"largest_turn_degrees"'
expect 0 check "$WORK/rest.glb" --fail-on error
expect 0 rig "$WORK/low.obj" --rest a --weights nearest -o "$WORK/rest.glb" --json -q
prints '"pose": "a"'
expect 0 sample humanoid --seed 1 --whole --pose down --triangles 5000 -o "$WORK/hangs.obj" -q
expect 0 rig "$WORK/hangs.obj" --weights nearest -o "$WORK/rest.glb" --json
prints "the arm is one with the body"
expect 4 rig "$WORK/hangs.obj" --rest t -o "$WORK/none.glb"
says "one with its body"

expect 0 sample humanoid --seed 4 --whole --bare --triangles 1200 -o "$WORK/small.obj" -q
for method in voxel bbw; do
    expect 0 rig "$WORK/small.obj" --weights $method --influences 3 -o "$WORK/$method.glb"
    expect 0 weights check "$WORK/$method.glb" --influences 3
    expect 0 rig "$WORK/small.obj" --weights $method --influences 3 -o "$WORK/again.glb" --threads 1 -q
    cmp -s "$WORK/$method.glb" "$WORK/again.glb" || fail "$method: other bytes with one thread"
done

expect 0 rig "$WORK/body.obj" -o "$WORK/named.glb" --names mixamo --weights nearest --soft --timings --json -q
prints '"findings": ['
prints '"rows": ['
prints '"stage": "skeleton"'
prints '"base_vertices": 0'
prints '"name": "mixamorig:LeftForeArm"'
expect 0 rig "$WORK/body.obj" -o "$WORK/named.glb" --names unreal --weights nearest --json -q
prints '"name": "thigh_r"'
expect 0 rig "$WORK/body.obj" -o "$WORK/named.glb" --names rigify --weights nearest --json -q
prints '"name": "upper_arm.L"'

expect 0 rig "$WORK/body.obj" --marker leftElbow=0.45,1.3,-0.02 --marker chin=0,1.5,0.08 \
    -o "$WORK/marked.glb" --weights nearest --json -q
prints '"position": [0.45, 1.3, -0.02]'
prints '"reason": "a marker"'
expect 2 rig "$WORK/body.obj" --marker leftElbow=0.45,1.3 -o "$WORK/none.glb"
says "leftElbow=0.45,1.3"
expect 3 rig "$WORK/body.obj" --marker thirdElbow=0,1,0 --skeleton human -o "$WORK/none.glb"
says "thirdElbow"

# the skeleton of another body: fitted, unless it stands in the mesh already
expect 0 rig "$WORK/body.obj" --skeleton "$WORK/body.glb" --weights nearest -o "$WORK/again.glb" --json
says "as it stands"
prints '"fitted": false'
expect 0 sample humanoid --seed 9 --whole --triangles 5000 --scale 100 --up z -o "$WORK/other.obj" -q
expect 0 rig "$WORK/other.obj" --skeleton "$WORK/named.glb" --weights nearest -o "$WORK/fitted.glb" --json
says "named.glb, fitted"
prints '"fitted": true'
prints '"name": "upper_arm.L"'
expect 0 check "$WORK/fitted.glb" --fail-on error
expect 2 rig "$WORK/body.obj" --skeleton "$WORK/body.glb" --height 2 -o "$WORK/none.glb"

# weights that stay while joints are edited
expect 0 rig "$WORK/body.obj" --drop leftToes --weights nearest -o "$WORK/fewer.glb" -q
expect 0 rig "$WORK/body.glb" --skeleton "$WORK/fewer.glb" --fit never --keep-weights --json -o "$WORK/kept.glb"
says "those of $(($(grep -c '"parent"' "$WORK/out"))) joints stay; 0 new ones"
prints '"gone_joints": 1'
expect 0 weights check "$WORK/kept.glb"
expect 0 rig "$WORK/kept.glb" --skeleton "$WORK/body.glb" --fit never --keep-weights --json -o "$WORK/back.glb"
prints '"new_joints": 1'
expect 0 weights check "$WORK/back.glb" --influences 4
expect 2 rig "$WORK/body.obj" --keep-weights -o "$WORK/none.glb"
says "--keep-weights goes with --skeleton FILE"

expect 0 rig "$WORK/body.obj" --strict --weights nearest -o "$WORK/again.glb" --json
prints '"doubtful": false'

# Most of this mesh is the head, and still its limbs bend.
expect 0 sample humanoid --seed 772 -o "$WORK/head.obj" -q
expect 0 rig "$WORK/head.obj" -o "$WORK/head.glb"
if grep -q "joints move nothing" "$WORK/err"; then fail "a body with a large head is stiff"; fi

expect 0 sample quadruped --triangles 3000 -o "$WORK/cow.obj" -q
expect 4 rig "$WORK/cow.obj" --skeleton human -o "$WORK/none.glb"
says "four legs"
expect 0 rig "$WORK/cow.obj" -o "$WORK/cow.glb" --json
says "quadruped, 24 joints"
prints '"name": "leftBackToes"'
expect 0 check "$WORK/cow.glb" --fail-on error
expect 0 rig "$WORK/cow.obj" -o "$WORK/cow_again.glb" --skeleton quadruped --threads 1 -q
cmp -s "$WORK/cow.glb" "$WORK/cow_again.glb" || fail "other bytes when the kind is told"
expect 4 rig "$WORK/body.obj" --skeleton quadruped -o "$WORK/none.glb"
says "two pairs of legs"
for kind in bird hand fish snake spider; do
    expect 0 sample $kind --seed 3 --triangles 4000 -o "$WORK/$kind.obj" -q
    expect 0 rig "$WORK/$kind.obj" -o "$WORK/$kind.glb" --json
    says "$kind, "
    expect 0 check "$WORK/$kind.glb" --fail-on error
done
expect 4 rig "$WORK/cow.obj" --skeleton "$WORK/body.glb" -o "$WORK/none.glb"
says "other limbs than this quadruped"
expect 0 rig "$WORK/cow.obj" --skeleton "$WORK/body.glb" --fit never --weights nearest -o "$WORK/never.glb"
expect 0 rig "$WORK/cow.obj" --skeleton "$WORK/cow.glb" --fit always --weights nearest -o "$WORK/again.glb"
says "fitted"
expect 0 rig "$WORK/cow.obj" --skeleton generic -o "$WORK/generic.glb" --json
says "the skeleton may be wrong"
prints '"doubtful": true'
expect 6 rig "$WORK/cow.obj" --skeleton generic --strict -o "$WORK/none.glb"
expect 4 rig "$WORK/body.obj" --skeleton unicorn -o "$WORK/none.glb"
expect 2 rig "$WORK/body.obj" --facing north -o "$WORK/none.glb"
printf 'v 0 0 0\nv 1 0 0\n' >"$WORK/points.obj"
expect 4 rig "$WORK/points.obj" -o "$WORK/none.glb"
[ ! -e "$WORK/none.glb" ] || fail "a refusal wrote a file"

# A box about the knees of a body is a shape of no kind: doubtful. With --strict nothing is written.
box() {
    for z in "$5" "$6"; do for y in "$3" "$4"; do for x in "$1" "$2"; do echo "v $x $y $z"; done; done; done
    for quad in "8 6 5 7" "4 3 1 2" "8 7 3 4" "6 2 1 5" "8 4 2 6" "7 5 1 3"; do
        set -- $quad
        echo "f -$1 -$2 -$3"
        echo "f -$1 -$3 -$4"
    done
}
expect 0 sample humanoid --seed 3 --triangles 3000 --bare -o "$WORK/one.obj"
{
    cat "$WORK/one.obj"
    box -0.4 0.4 -0.05 1.3 -0.4 0.4
} >"$WORK/boxed.obj"
expect 0 rig "$WORK/boxed.obj" --json -o "$WORK/two.glb"
prints '"doubtful": true'
says 'the skeleton may be wrong'
rm -f "$WORK/two.glb"
expect 6 rig "$WORK/boxed.obj" --strict -o "$WORK/two.glb"
[ ! -e "$WORK/two.glb" ] || fail "a doubtful skeleton was written"
expect 6 animate "$WORK/boxed.obj" walk --strict -o "$WORK/two.glb"
[ ! -e "$WORK/two.glb" ] || fail "a doubtful skeleton was animated"

# animate takes what rig takes: the same skeleton, weights, names and rest pose, then a motion.
for given in "--weights nearest" "--soft" "--names mixamo" "--rest t" "--influences 2" "--marker chin=0,1.5,0.1"; do
    # shellcheck disable=SC2086
    expect 0 rig "$WORK/one.obj" $given --turn --json -o "$WORK/rigged.glb"
    grep -A6 '"weights"' "$WORK/out" >"$WORK/want"
    # shellcheck disable=SC2086
    expect 0 animate "$WORK/one.obj" walk $given -o "$WORK/moving.glb"
    expect 0 bake "$WORK/rigged.glb" -o "$WORK/want.obj"
    expect 0 bake "$WORK/moving.glb" -o "$WORK/got.obj"
    cmp -s <(grep '^v ' "$WORK/want.obj") <(grep '^v ' "$WORK/got.obj") || fail "animate $given rests otherwise than rig $given"
    expect 0 convert "$WORK/rigged.glb" "$WORK/rigged.gltf"
    expect 0 convert "$WORK/moving.glb" "$WORK/moving.gltf"
    for part in WEIGHTS_0 '"name": "mixamorig:Hips"' '"name":"mixamorig:Hips"'; do
        [ "$(grep -c "$part" "$WORK/rigged.gltf")" = "$(grep -c "$part" "$WORK/moving.gltf")" ] || fail "animate $given names otherwise than rig $given"
    done
done
expect 0 rig "$WORK/one.obj" -o "$WORK/other.glb"
expect 0 animate "$WORK/one.obj" walk --skeleton "$WORK/other.glb" -o "$WORK/moving.glb"
expect 0 check "$WORK/moving.glb" --fail-on warning
expect 0 sample quadruped --seed 2 --triangles 3000 -o "$WORK/beast.obj"
expect 0 animate "$WORK/beast.obj" walk --skeleton quadruped -o "$WORK/beast.glb"
expect 4 animate "$WORK/beast.obj" walk --skeleton horse -o "$WORK/none.glb"
says 'there are auto, human, quadruped'

# Joints may be left out, and chains added where the mesh has a branch.
expect 0 rig "$WORK/one.obj" --drop leftToes --drop 'right*' --json -o "$WORK/few.glb"
prints '"name": "leftFoot"'
grep -q '"name": "leftToes"\|"name": "right' "$WORK/out" && fail "dropped joints are there"
expect 0 check "$WORK/few.glb" --fail-on error
expect 0 rig "$WORK/one.obj" --keep head --keep chest --json -o "$WORK/few.glb"
[ "$(grep -c '"confidence": ' "$WORK/out")" = 4 ] || fail "--keep leaves other joints than hips, chest and head"
expect 3 rig "$WORK/one.obj" --drop tail7 -o "$WORK/none.glb"
says '"tail7", which this human does not have'
expect 4 rig "$WORK/one.obj" --tail -o "$WORK/none.glb"
says 'a body without one'
expect 3 rig "$WORK/one.obj" --chain hair=9,9,9 -o "$WORK/none.glb"
says 'the point of chain hair'
expect 2 rig "$WORK/one.obj" --chain hair -o "$WORK/none.glb"
says '--chain: expected NAME=X,Y,Z'
expect 2 rig "$WORK/one.obj" --skeleton "$WORK/other.glb" --tail -o "$WORK/none.glb"
says 'do not go with a skeleton of a file'

# a kind of body of one's own
expect 0 sample spider --seed 3 --whole --triangles 4000 -o "$WORK/spider.obj" -q
expect 0 rig "$WORK/spider.obj" --weights nearest --save-template "$WORK/crab.template" -o "$WORK/spider.glb" -q
expect 0 rig "$WORK/spider.obj" --weights nearest --template "$WORK/crab.template" --json -o "$WORK/crab.glb" -q
prints '"name": "leftLeg1Lower"'
sed 's/Lower/Claw/g' "$WORK/crab.template" > "$WORK/claws.template"
expect 0 rig "$WORK/spider.obj" --weights nearest --template "$WORK/claws.template" --json -o "$WORK/claws.glb" -q
prints '"name": "leftLeg1Claw"'
expect 4 rig "$WORK/body.obj" --template "$WORK/crab.template" -o "$WORK/none.glb"
says "likely a human"
expect 4 rig "$WORK/body.obj" --save-template "$WORK/none.template" -o "$WORK/none.glb"
says "quadruped, bird, fish"
[ ! -e "$WORK/none.template" ] || fail "a template of a human was written"
printf 'limber-template 2\nchain legs pair\n  hight 1 1\n' > "$WORK/bad.template"
expect 3 rig "$WORK/body.obj" --template "$WORK/bad.template" -o "$WORK/none.glb"
says "bad.template:3:3: expected a measurement of a chain"
expect 2 rig "$WORK/body.obj" --template "$WORK/crab.template" --skeleton spider -o "$WORK/none.glb"
says "does not go with --skeleton"
expect 3 rig "$WORK/body.obj" --template "$WORK/absent.template" -o "$WORK/none.glb"

# Fingers of one whose wrists are seen halfway up the forearms.
girl=${LIMBER_SHARED:-}/data/characters/th_vroid.glb
if [ -f "$girl" ]; then
    expect 0 rig "$girl" --weights nearest -o "$WORK/girl.glb"
    says "humanoid, 52 joints"
fi
