#!/bin/bash
# Every kernel has its test of equal bits, and that test asks which instruction sets run.
set -u
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$source" || exit 1
failed=0
for body in src/*/*_kernels.inl; do
    [ -e "$body" ] || continue
    test=tests/${body#src/}
    test=${test%.inl}_test.c
    if ! grep -q lmb_simd_runs "$test" 2> /dev/null; then
        echo "$body: $test is missing, or does not go through the sets of lmb_simd_runs"
        failed=1
    fi
    table=$(sed -nE 's/.*LMBI_TABLE\((lmbi_[a-z0-9_]+)\).*/\1/p' "$body")
    if [ -z "$table" ]; then
        echo "$body: has no LMBI_TABLE"
        failed=1
    fi
done
exit $failed
