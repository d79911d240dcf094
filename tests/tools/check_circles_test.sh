#!/bin/bash
# No two files of the library or the command call each other in a circle; the check names the files of a made-up one.
set -eu
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
"$source/tools/check-circles" "${LIMBER_BUILD:-$source/build/dev}"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/made.dir/src/room"
compile() { # FILE TEXT
    printf '%s\n' "$2" > "$tree/$1"
    "${CC:-cc}" -c "$tree/$1" -o "$tree/made.dir/src/room/$1.o"
}
compile above.c 'int below(int); int above(int x); int above(int x) { return x ? below(x - 1) : 0; }'
compile below.c 'int below(int x); int below(int x) { return x; }'
"$source/tools/check-circles" "$tree"

compile below.c 'int above(int); int below(int x); int below(int x) { return x ? above(x - 1) : 1; }'
if found=$("$source/tools/check-circles" "$tree"); then
    echo "a circle passed"
    exit 1
fi
expected=$(printf '    src/room/above.c\n    src/room/below.c')
[ "$(grep '^    ' <<< "$found" | sort)" = "$expected" ] || { echo "gives: $found"; exit 1; }
