#!/bin/bash
# Readers ask the caller's loader through io/beside.c alone, which judges the name.
set -u
cd "${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}" || exit 1
if grep -rnE --include='*.c' --include='*.h' --include='*.inl' -e '(->|\.)load\(' src | grep -v '^src/io/beside.c:'; then
    echo "these call a loader past lmbi_beside_load"
    exit 1
fi
