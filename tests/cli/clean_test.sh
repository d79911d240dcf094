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
# Cut, joined, reversed, resampled: half a second and then the walk, backwards, at 24 keys a second.
expect 0 clean "$WORK/walk.glb" --keep-feet --name part --cut 0.25,0.75 -o "$WORK/part.glb"
expect 0 info --clips "$WORK/part.glb" --json
clip_s() { awk -v want="\"$1\"" -F'[:,]' '/"name"/ { found = index($0, want) > 0 } found && /"duration_s"/ { print $2; exit }' "$WORK/out"; }
awk -v s="$(clip_s part)" 'BEGIN { exit !(s > 0.499 && s < 0.501) }' || fail "the part lasts $(clip_s part) s"
expect 0 clean "$WORK/part.glb" --clip part --keep-feet --name whole --then 1 --reverse --rate 24 -o "$WORK/whole.glb"
expect 0 info --clips "$WORK/whole.glb" --json
awk -v s="$(clip_s whole)" -v w="$(clip_s walk)" 'BEGIN { exit !(w > 0.5 && s - w > 0.49 && s - w < 0.56) }' || fail "the whole lasts $(clip_s whole) s, the walk $(clip_s walk) s"
expect 0 bake "$WORK/whole.glb" --clip whole --time 0 -o "$WORK/first.obj"
expect 0 bake "$WORK/whole.glb" --clip walk --time 99 -o "$WORK/last.obj"
paste <(grep '^v ' "$WORK/first.obj") <(grep '^v ' "$WORK/last.obj") |
    awk '{ d = ($2-$6)^2 + ($3-$7)^2 + ($4-$8)^2; if (d > m) m = d } END { exit !(NR > 100 && m < 1e-8) }' || fail "backwards does not begin with the end"
# Twice as fast: half as long, through the same poses.
expect 0 clean "$WORK/walk.glb" --keep-feet --keep-gaps --keep-spikes --name fast --tempo 2 -o "$WORK/fast.glb"
expect 0 info --clips "$WORK/fast.glb" --json
awk -v f="$(clip_s fast)" -v w="$(clip_s walk)" 'BEGIN { exit !(f > 0.499 * w && f < 0.501 * w) }' || fail "twice as fast lasts $(clip_s fast) s, the walk $(clip_s walk) s"
expect 0 bake "$WORK/fast.glb" --clip fast --time 0.2 -o "$WORK/fast.obj"
expect 0 bake "$WORK/fast.glb" --clip walk --time 0.4 -o "$WORK/slow.obj"
paste <(grep '^v ' "$WORK/fast.obj") <(grep '^v ' "$WORK/slow.obj") |
    awk '{ d = ($2-$6)^2 + ($3-$7)^2 + ($4-$8)^2; if (d > m) m = d } END { exit !(NR > 100 && m < 1e-8) }' || fail "twice as fast has other poses"
expect 0 clean "$WORK/fast.glb" --clip walk --keep-feet --tempo 0.5 --name slow --instead -o "$WORK/slow.glb"
names=$("$LIMBER" info --clips --json "$WORK/slow.glb" | sed -n '/"clips"/,$s/.*"name": "\(.*\)".*/\1/p' | tr '\n' ' ')
[ "$names" = "slow fast " ] || fail "--instead leaves $names"
expect 2 clean "$WORK/walk.glb" --tempo 0 -o "$WORK/fast.glb"
# Fewer keys within a centimetre; then curves through what is left.
expect 0 clean "$WORK/walk.glb" --keep-feet --name thin --reduce 0.01 --alone -o "$WORK/thin.glb"
expect 0 clean "$WORK/walk.glb" --keep-feet --name full --alone -o "$WORK/full.glb"
clip_bytes() { "$LIMBER" info --clips --json "$1" | sed -n 's/.*"bytes": \([0-9]*\).*/\1/p' | head -1; }
thin=$(clip_bytes "$WORK/thin.glb") full=$(clip_bytes "$WORK/full.glb")
[ "$((2 * thin))" -lt "$full" ] || fail "--reduce left $thin of $full bytes"
expect 0 clean "$WORK/walk.glb" --keep-feet --rate 8 --curves 0,0,0 --alone -o "$WORK/curves.glb"
expect 0 clean "$WORK/walk.glb" --keep-feet --rate 8 --curves monotone --alone -o "$WORK/monotone.glb"
grep -qa CUBICSPLINE "$WORK/curves.glb" || fail "--curves made no cubic keys"
# Tangents stay through files of motions.
expect 0 convert "$WORK/curves.glb" "$WORK/curves.limb"
expect 0 convert "$WORK/curves.limb" "$WORK/again.glb"
[ "$(clip_bytes "$WORK/curves.glb")" = "$(clip_bytes "$WORK/again.glb")" ] || fail "tangents got lost on the way"
cmp -s "$WORK/curves.glb" "$WORK/monotone.glb" && fail "both curves are the same"
expect 2 clean "$WORK/walk.glb" --curves 0,0 -o "$WORK/none.glb"
expect 2 clean "$WORK/walk.glb" --reduce -1 -o "$WORK/none.glb"
expect 2 clean "$WORK/walk.glb" --cut 1 -o "$WORK/none.glb"
says "BEGIN,END"
expect 2 clean "$WORK/walk.glb" --then nobody -o "$WORK/none.glb"
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
