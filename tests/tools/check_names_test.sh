#!/bin/bash
# No type has one name in two places of this tree; a made-up tree with each kind of double is refused.
set -eu
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
"$source/tools/check-names" "$source"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/rig" "$tree/src/ik" "$tree/include"
printf 'typedef struct lmb_a lmb_a;\n' > "$tree/include/a.h"
printf 'struct lmb_a {\n    int x;\n};\nstruct local {\n    int x;\n};\n' > "$tree/src/rig/a.c"
printf 'struct local {\n    int y;\n};\n' > "$tree/src/ik/a.c"
"$source/tools/check-names" "$tree"

expect() { # FILE TEXT MESSAGE
    printf "$2" > "$tree/$1"
    if found=$("$source/tools/check-names" "$tree"); then
        echo "$1 passed"
        exit 1
    fi
    [ "$found" = "$3" ] || { echo "$1 gives: $found"; echo "expected: $3"; exit 1; }
    rm "$tree/$1"
}
expect src/ik/b.c 'struct lmb_a {\n    int z;\n};\n' 'lmb_a: src/ik/b.c, src/rig/a.c'
expect src/ik/b.h 'typedef struct local {\n    int z;\n} local;\n' 'local: src/ik/a.c, src/ik/b.h, src/rig/a.c'
expect src/ik/b.h 'typedef enum lmb_a {\n    Z\n} lmb_a;\n' 'lmb_a: src/ik/b.h, src/rig/a.c'
