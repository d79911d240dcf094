#!/bin/bash
# The headers declare what symbols.txt lists, no more and no less, and the library defines it; `symbols_test.sh --update` writes the list anew.
set -u
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${LIMBER_BUILD:-$source/build/dev}
list=$source/tests/headers/symbols.txt
declared=$(mktemp)
defined=$(mktemp)
trap 'rm -f "$declared" "$defined"' EXIT
# A declaration may take several lines: the name is the word before the first parenthesis.
cat "$source"/include/limber/*.h | sed -n '/^LMB_API/,/;/p' | tr '\n' ' ' | sed 's/LMB_API/\n/g' |
    sed -nE 's/^[^(]*\b(lmb_[a-z0-9_]+)\(.*/\1/p' | LC_ALL=C sort -u > "$declared"
if [ "${1:-}" = --update ]; then
    cp "$declared" "$list"
    exit 0
fi
diff "$list" "$declared" || { echo "the headers declare other functions than tests/headers/symbols.txt lists"; exit 1; }
nm --defined-only -g "$build"/liblimber.a "$build"/liblimber_os.a 2> /dev/null | awk '$2 == "T" && $3 ~ /^lmb_/ { print $3 }' | LC_ALL=C sort -u > "$defined"
missing=$(LC_ALL=C comm -23 "$declared" "$defined")
[ -z "$missing" ] || { echo "declared and not defined:"; echo "$missing"; exit 1; }
undeclared=$(LC_ALL=C comm -13 "$declared" "$defined")
[ -z "$undeclared" ] || { echo "defined and in no public header, so they should begin with lmbi_:"; echo "$undeclared"; exit 1; }
