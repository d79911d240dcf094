#!/bin/bash
# No shell test ends before its last line: what stands below an exit in the first column never runs.
set -eu
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}

unread() { # FOLDER
    find "$1" -name '*_test.sh' -exec awk 'ended { print FILENAME ":" FNR ": never runs"; exit } /^exit( [0-9]+)?$/ { ended = 1 }' {} \;
}

found=$(unread "$source/tests")
[ -z "$found" ] || { echo "$found"; exit 1; }

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
printf 'true\nexit 0\nfalse\n' > "$tree/half_test.sh"
[ -n "$(unread "$tree")" ] || { echo "half a test passed"; exit 1; }
