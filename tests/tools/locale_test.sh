#!/bin/bash
# The library says the same in every locale: no call that asks the host's, and floats become text in base/format.c alone.
set -u
cd "${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}" || exit 1
failed=0
mapfile -t sources < <(find src -name '*.c' -o -name '*.h' -o -name '*.inl' | grep -v '^src/os/' | grep -v '^src/base/format\.c$' | sort)
asking='strto(d|f|ld|l|ul|ll|ull|imax|umax)|ato(f|i|l|ll)|v?s?n?f?scanf|setlocale|localeconv|nl_langinfo|strcoll|strxfrm|is(alpha|digit|alnum|space|upper|lower|punct|print|graph|cntrl|xdigit|blank)|to(upper|lower)|strcasecmp|strncasecmp|mbs?to?wcs?|wcs?to?mbs?|strftime'
if grep -nE "(^|[^a-zA-Z0-9_])($asking)[[:space:]]*\(" "${sources[@]}"; then
    echo "these ask the host's locale"
    failed=1
fi
if perl -0ne 'while (/\b(v?s?n?f?printf)\s*\([^;]*?%[-+ #0-9.*]*[efgEFGaA][^;]*?;/g) { print "$ARGV: $&\n"; $n = 1 } END { exit !$n }' "${sources[@]}" ||
    grep -nE '\bvs?n?f?printf[[:space:]]*\(' "${sources[@]}"; then
    echo "these write floats, or what a caller's format says, past lmbi_format"
    failed=1
fi
# The same of what was built: formats may hide behind macros.
library=${LIMBER_BUILD:-build/dev}/liblimber.a
if [ -e "$library" ] && nm "$library" 2>/dev/null | grep -wE "U ($asking|__ctype_b_loc|__ctype_tolower_loc|__ctype_toupper_loc|__isoc99_sscanf|vsnprintf)"; then
    echo "$library calls these"
    failed=1
fi
exit $failed
