#!/bin/bash
# Every page is linked from docs/README.md or README.md, and every link between pages leads to a file.
set -eu
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$source"
failed=0
for page in docs/*.md; do
    [ "$page" = docs/README.md ] && continue
    name=${page#docs/}
    grep -qF "($name" docs/README.md || grep -qF "(docs/$name" README.md || { echo "$page is linked from no index"; failed=1; }
done
for page in README.md CONTRIBUTING.md docs/*.md docs/decisions/*.md; do
    while IFS= read -r link; do
        case $link in *://* | '#'* | mailto:*) continue ;; esac
        [ -e "$(dirname "$page")/${link%%#*}" ] || { echo "$page links $link, which is not there"; failed=1; }
    done < <(sed -e '/^```/,/^```/d' "$page" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
done
exit $failed
