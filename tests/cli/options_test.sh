#!/bin/bash
# The command line itself: help, unknown words, values that are no values, and exit 2 or 4 for each.
. "$(dirname "$0")/harness.sh"

expect 2
says "usage: limber COMMAND"
expect 0 --help
prints "exit codes: 0 done"
prints "bake"
expect 0 --version
prints "limber "
expect 0 help bake
prints "usage: limber bake"
expect 0 bake --help
prints "--clip NAME|INDEX"
prints "--threads N"

expect 2 bkae x.obj
says 'unknown command "bkae"; did you mean bake?'
expect 2 frobnicate
says '`limber --help` lists them'

expect 2 bake x.glb --clpi walk -o y.obj
says "unknown option --clpi; did you mean --clip?"
expect 2 bake x.glb -Z
says "unknown option -Z"
expect 2 bake
says "expected CHARACTER"
expect 2 bake a.glb b.glb -o c.obj
says 'and no more, found "b.glb"'
expect 2 bake a.glb
says "no output: add -o OUT.obj"
expect 2 bake a.glb -o
says "--output needs a value"
expect 2 bake a.glb --time soon -o b.obj
says '--time: expected a number, found "soon"'
expect 2 bake a.glb --time=nan -o b.obj
expect 2 bake a.glb --frame 1.5 -o b.obj
says "expected a whole number"
expect 2 bake a.glb --skin wobbly -o b.obj
says 'expected lbs|rigid|dqs|cor|ddm|dm|ddm2|ddm4|ddm5|lbs-gradient|dqs-fixed|mwe, found "wobbly"'
expect 2 bake a.glb --json=yes -o b.obj
says "--json takes no value"
expect 2 bake a.glb --threads -1 -o b.obj
expect 2 bake a.glb --unit furlong -o b.obj
says 'expected m, cm, mm, dm, inch, foot or metres a unit, found "furlong"'
expect 2 bake a.glb --up sideways -o b.obj
expect 2 bake "$DATA/arm.gltf" --json -o -
says "both write to stdout"

# Both spellings of a value, and names that begin with a dash.
cp "$DATA/arm.gltf" "$WORK/-dash.gltf"
(cd "$WORK" && "$LIMBER" info -q -- -dash.gltf >/dev/null) || fail "-- does not end the options"
expect 0 bake --time=0.5 "$DATA/arm.gltf" --clip=bend -o"$WORK/a.obj"
expect 0 bake --clip bend --time 0.5 -o "$WORK/b.obj" "$DATA/arm.gltf"
cmp -s "$WORK/a.obj" "$WORK/b.obj" || fail "the spelling of an option changed the result"
