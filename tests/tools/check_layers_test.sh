#!/bin/bash
# The layer check accepts this tree, and names each kind of violation in a made-up one.
set -eu
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
"$source/tools/check-layers" "$source"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tools" "$tree/src/asset" "$tree/src/rig" "$tree/src/io" "$tree/include/limber" "$tree/samples" "$tree/bodies"
cp "$source/tools/layers.txt" "$tree/tools/"
printf '#include "limber/base.h"\n#include "base/arena.h"\n' > "$tree/src/asset/good.c"
"$source/tools/check-layers" "$tree"

expect() { # FILE INCLUDE MESSAGE
    printf '#include "%s"\n' "$2" > "$tree/$1"
    if found=$("$source/tools/check-layers" "$tree"); then
        echo "$1 with #include \"$2\" passed"
        exit 1
    fi
    case $found in
        "$1:1: $3") ;;
        *) echo "$1 with #include \"$2\" gives: $found"; echo "expected: $1:1: $3"; exit 1 ;;
    esac
    rm "$tree/$1"
}
expect src/asset/up.c limber/rig.h "asset (level 3) includes rig (level 5)"
expect src/rig/sideways.c io/gltf.h "rig (level 5) includes io (level 5)"
expect src/rig/threads.c limber/os.h "rig (level 5) includes os (level 7)"
expect src/rig/all.c limber/limber.h "rig includes limber.h: name the rooms it uses"
expect src/rig/stray.c nowhere/x.h '"nowhere/x.h" is of no room of tools/layers.txt'
expect src/rig/bare.c local.h '"local.h" should name its room: "rig/local.h"'
expect src/rig/made.c bodies/bodies.h "rig (level 5) includes bodies (level 8)"
expect include/limber/asset.h base/arena.h 'a public header includes the private "base/arena.h"'
expect samples/01_peek.c asset/pool.h 'samples includes the private "asset/pool.h"'
