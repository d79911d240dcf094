#!/bin/bash
# Files and folders that docs/map.md names exist; a name without a folder may be anywhere.
set -u
cd "${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}" || exit 1
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find batch bodies cli fuzz include motions samples src studio tests tools docs -name node_modules -prune -o -print |
    sed 's|^|/|; s|$|/|' > "$files"
missing=$(grep -n '`' docs/map.md | while IFS= read -r row; do
    line=${row%%:*}
    while IFS= read -r name; do
        case $name in *'<'* | ./* | *' '*) continue ;; esac
        pattern=$(printf '%s' "${name%/}" | sed 's/[.]/[.]/g; s/[*]/[^\/]*/g')
        grep -q "/$pattern/\$" "$files" || ls -d $name > /dev/null 2>&1 || echo "docs/map.md:$line: $name"
    done < <(printf '%s\n' "$row" | grep -oE '`[^`]+`' | tr -d '`' | grep -E '/|\.(c|h|ts|inl|mjs|sh)$')
done)
[ -z "$missing" ] || { echo "expected files, found none:"; echo "$missing"; exit 1; }
