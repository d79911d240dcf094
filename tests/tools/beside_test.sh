#!/bin/bash
# Readers ask the caller's loader through io/external.c alone, which judges the name.
set -u
cd "${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}" || exit 1
if grep -rnE --include='*.c' --include='*.h' --include='*.inl' -e '(->|\.)load\(' src | grep -v '^src/io/external.c:'; then
    echo "these call a loader past lmbi_external_load"
    exit 1
fi
