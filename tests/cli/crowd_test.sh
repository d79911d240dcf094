#!/bin/bash
# The sample that opens a window draws a crowd that moves. It needs GLFW to be built and xvfb-run to have a screen.
. "$(dirname "$0")/harness.sh"
crowd=${LIMBER_BUILD:-build}/samples/08_crowd
[ -x "$crowd" ] || { echo "samples/08_crowd is not built: GLFW was not found"; exit 77; }
command -v xvfb-run > /dev/null || { echo "there is no xvfb-run"; exit 77; }

said="08_crowd"
expect 0 sample humanoid --seed 7 --triangles 600 -o "$WORK/person.glb"
expect 0 animate "$WORK/person.glb" walk --in-place -o "$WORK/walking.glb"
# Graphics drivers leak.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
draw() { # NAME OPTIONS…
    local name=$1
    shift
    GALLIVM_PERF=nopt xvfb-run -a "$crowd" "$WORK/walking.glb" --count 9 --out "$WORK/$name.png" "$@" > "$WORK/out" 2> "$WORK/err" ||
        fail "$name: exit $?: $(cat "$WORK/err")"
}
draw first --frames 1
draw again --frames 1
draw later --frames 12
draw dual --frames 1 --dual
cmp -s "$WORK/first.png" "$WORK/again.png" || fail "the same frame is another picture"
cmp -s "$WORK/first.png" "$WORK/later.png" && fail "nobody moves"
cmp -s "$WORK/first.png" "$WORK/dual.png" && fail "dual quaternions bend as matrices do"
# An empty sky compresses to a few kilobytes.
[ "$(stat -c %s "$WORK/first.png")" -gt 20000 ] || fail "nobody is there"
