#!/bin/bash
# Every public header compiles alone, as C17 and as C++17, with every compiler that is here, and needs no other.
set -u
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
count=0
for header in "$source"/include/limber/*.h; do
    name=limber/$(basename "$header")
    # Twice: the include guard is part of what is tested.
    printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' "$name" "$name" | tee "$work/alone.c" > "$work/alone.cpp"
    for pair in "gcc c17 c" "clang c17 c" "g++ c++17 cpp" "clang++ c++17 cpp"; do
        set -- $pair
        command -v "$1" > /dev/null || continue
        count=$((count + 1))
        if ! "$1" -std="$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$source/include" "$work/alone.$3"; then
            echo "$name does not compile alone with $1 -std=$2"
            failed=1
        fi
    done
done
for header in "$source"/include/limber/*.h; do
    name=$(basename "$header")
    case $name in limber.h | all.h | os.h) continue ;; esac
    grep -q "\"limber/$name\"" "$source/include/limber/all.h" || {
        echo "limber/all.h does not include limber/$name"
        failed=1
    }
done
# What limber.h lists is there.
for call in $(grep -oE 'lmb_[a-z0-9_]+' "$source/include/limber/limber.h" | sort -u); do
    cat "$source"/include/limber/[!l]*.h "$source/include/limber/learn.h" | grep -qE "\b$call\(" || {
        echo "limber/limber.h lists $call, which no header declares"
        failed=1
    }
done
echo "$count compilations"
[ "$count" -gt 0 ] && exit $failed
