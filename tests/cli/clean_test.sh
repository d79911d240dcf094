#!/bin/bash
# limber clean as a user types it.
. "$(dirname "$0")/harness.sh"

expect 0 sample humanoid --seed 3 -o "$WORK/person.obj"
expect 0 animate "$WORK/person.obj" walk -o "$WORK/walk.glb" -q
expect 0 clean "$WORK/walk.glb" --json --plot "$WORK/feet.png" -o "$WORK/clean.glb"
says "contacts held"
prints '"spikes": 0'
prints '"slide_m_s"'
[ "$(head -c 4 "$WORK/feet.png" | tail -c 3)" = PNG ] || fail "the plot is no PNG"
expect 0 check "$WORK/clean.glb" --fail-on error
expect 0 clean "$WORK/walk.glb" -q --threads 1 -o "$WORK/again.glb"
cmp -s "$WORK/clean.glb" "$WORK/again.glb" || fail "other bytes the second time"
expect 0 clean "$WORK/walk.glb" --smooth 6 --trim --mirror --name mirrored --alone -o "$WORK/mirrored.glb"
expect 0 info "$WORK/mirrored.glb"
prints "mirrored"
expect 0 clean "$WORK/walk.glb" --loop --keep-feet --keep-spikes --keep-gaps -o "$WORK/loop.glb"
says "left as they are"
expect 2 clean "$WORK/walk.glb" --smooth -1 -o "$WORK/none.glb"
expect 2 clean "$WORK/walk.glb" --clip nobody -o "$WORK/none.glb"
expect 3 clean "$WORK/person.obj" -o "$WORK/none.glb"
[ ! -e "$WORK/none.glb" ] || fail "a failed run left a file"

# The raw clip of a pair comes out cleaner than the one that was put right by hand.
raw=${LIMBER_SHARED:-}/data/mocap/bvh/footskate_demo3d1_raw.bvh
fixed=${LIMBER_SHARED:-}/data/mocap/bvh/footskate_demo3d1_fixed.bvh
if [ -f "$raw" ]; then
    expect 0 clean "$raw" --smooth 5 --json -o "$WORK/pair.glb"
    ours=$(awk -F'[:,]' '/"after"/ { after = 1 } after && /slide_m_s/ { print $2; exit }' "$WORK/out")
    expect 0 clean "$fixed" --keep-feet --json -o "$WORK/fixed.glb"
    theirs=$(awk -F'[:,]' '/slide_m_s/ { print $2; exit }' "$WORK/out")
    awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a < b) }' || fail "slides by $ours, by hand $theirs"
fi
