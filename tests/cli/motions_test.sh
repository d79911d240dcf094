#!/bin/bash
# limber motions, and animate with made motions, as a user types them.
. "$(dirname "$0")/harness.sh"

expect 0 motions
for file in "$SOURCE"/motions/*.motion; do
    name=$(basename "$file" .motion)
    grep -q "^$name " "$WORK/out" || { echo "FAILED $name is not listed"; failures=$((failures + 1)); }
    grep -q "^motion $name\$" "$file" || { echo "FAILED $file is not of $name"; failures=$((failures + 1)); }
done
[ "$(wc -l <"$WORK/out")" = "$(ls "$SOURCE"/motions/*.motion | wc -l)" ] || {
    echo "FAILED other motions listed than there are"
    failures=$((failures + 1))
}
expect 0 motions bow
cmp -s "$WORK/out" "$SOURCE/motions/bow.motion" || { echo "FAILED the text of bow"; failures=$((failures + 1)); }
expect 0 motions dance loop
prints "dance-twist"
! grep -q "^walk" "$WORK/out" || { echo "FAILED a walk is no dance"; failures=$((failures + 1)); }
expect 0 motions quadruped --json
prints '"name": "quadruped-sit"'
prints '"body": "quadruped"'
prints '"seconds": null'
expect 0 motions bow --json
prints '"text": "#'
expect 2 motions dnace
says "neither a file nor a made motion"
expect 2 motions dance swimming
says "no motion has all of these words"

# Several become clips in their order.
expect 0 sample humanoid --seed 5 --rigged --pose t --triangles 1500 -q -o "$WORK/person.glb"
expect 0 animate "$WORK/person.glb" walk run wave bow --json -o "$WORK/all.glb"
prints '"motions": ['
expect 0 info "$WORK/all.glb"
for clip in '0 *"walk"' '1 *"run"' '2 *"wave"' '3 *"bow"'; do
    grep -q "clip $clip" "$WORK/out" || { echo "FAILED clip $clip"; failures=$((failures + 1)); }
done
expect 2 animate "$WORK/person.glb" walk run --name x -o "$WORK/none.glb"
says "for a single motion"

# A file of one's own, and what is wrong in it.
printf 'motion mine\ntitle Mine\nbody human\nonce 1\n0.5 chest bend=30\n' > "$WORK/mine.motion"
expect 0 animate "$WORK/person.glb" "$WORK/mine.motion" -q -o "$WORK/mine.glb"
expect 0 info "$WORK/mine.glb"
prints '"mine"'
printf 'motion mine\ntitle Mine\nbody human\nonce 1\n0.5 chest bnd=30\n' > "$WORK/wrong.motion"
expect 3 animate "$WORK/person.glb" "$WORK/wrong.motion" -o "$WORK/none.glb"
says "wrong.motion:5:11: expected a field of that bone"
expect 3 animate "$WORK/person.glb" "$WORK/absent.motion" -o "$WORK/none.glb"

# Sliders.
expect 0 animate "$WORK/person.glb" bow --speed 2 --energy 0.5 --arm-space 10 --mirror -q -o "$WORK/slid.glb"
grep -q '1.5 s' <("$LIMBER" info "$WORK/slid.glb") || { echo "FAILED twice as fast"; failures=$((failures + 1)); }
expect 2 animate "$WORK/person.glb" bow --energy 9 -o "$WORK/none.glb"
says "--energy takes 0.01 to 2"
expect 2 animate "$WORK/person.glb" sprint --speed 30 -o "$WORK/none.glb"
says "sprint: expected a run of"

# Other bodies.
expect 2 animate "$WORK/person.glb" bwo -o "$WORK/none.glb"
says "did you mean bow?"
expect 4 animate "$WORK/person.glb" quadruped-sit -o "$WORK/none.glb"
says "which is a human"
expect 4 animate "$WORK/person.glb" sit -o "$WORK/none.glb"
says "made for a human are sit-down, sit-idle, sit-talk"
expect 4 retarget "$WORK/person.glb" fish-swim -o "$WORK/none.glb"
says "made on an animal's own skeleton"
expect 0 sample quadruped --seed 3 --triangles 3000 -q -o "$WORK/deer.obj"
expect 0 animate "$WORK/deer.obj" sit quadruped-bark --json -o "$WORK/deer.glb"
prints '"body": "quadruped"'
expect 4 animate "$WORK/deer.obj" quadruped-sit salute -o "$WORK/none.glb"
says "made for a quadruped are quadruped-bark"
for kind in bird:flap fish:swim spider:idle snake:slither; do
    expect 0 sample ${kind%:*} --seed 3 --triangles 2000 --rigged -q -o "$WORK/animal.glb"
    expect 0 animate "$WORK/animal.glb" ${kind%:*}-${kind#*:} -q -o "$WORK/moves.glb"
done
