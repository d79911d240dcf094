#!/usr/bin/env bash
# limber render as a user types it: pictures of the right size, refusals that name what is wrong.
set -u
limber=${LIMBER:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() { # check NAME EXPECTED_EXIT COMMAND...
    local name=$1 expected=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    local code=$?
    if [ $code -ne "$expected" ]; then
        echo "not ok: $name: exit $code, expected $expected"
        cat "$work/err"
        failed=1
    fi
}
# Width and height stand at bytes 16 and 20 of a PNG, big-endian.
png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{print $1*16777216+$2*65536+$3*256+$4 "x" $5*16777216+$6*65536+$7*256+$8}'; }
same() { [ "$2" = "$3" ] || { echo "not ok: $1: $2, expected $3"; failed=1; }; }

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >"$work/solid.obj"
check "one view" 0 "$limber" render "$work/solid.obj" -o "$work/a.png" --size 120x90
same "size of one view" "$(png_size "$work/a.png")" 120x90
check "two views" 0 "$limber" render "$work/solid.obj" -o "$work/b.png" --size 64x64 --view front,side --skeleton
same "size of two views" "$(png_size "$work/b.png")" 128x64
check "one thread" 0 "$limber" render "$work/solid.obj" -o "$work/c.png" --size 120x90 --threads 1
cmp -s "$work/a.png" "$work/c.png" || { echo "not ok: the number of threads changes the picture"; failed=1; }
check "no clip to show" 2 "$limber" render "$work/solid.obj" -o "$work/d.png" --sheet 2x2
check "an unknown view" 2 "$limber" render "$work/solid.obj" -o "$work/d.png" --view beside
check "an unknown joint" 2 "$limber" render "$work/solid.obj" -o "$work/d.png" --weights nose
check "weights of nothing" 2 "$limber" render "$work/solid.obj" -o "$work/d.png" --weights all
check "a bad size" 2 "$limber" render "$work/solid.obj" -o "$work/d.png" --size big
check "no such file" 3 "$limber" render "$work/none.obj" -o "$work/d.png"
check "a folder that cannot be" 5 "$limber" render "$work/solid.obj" -o "$work/solid.obj/at/all.png"
[ ! -e "$work/d.png" ] || { echo "not ok: a refused command left a file"; failed=1; }
exit $failed
