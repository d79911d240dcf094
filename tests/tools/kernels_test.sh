#!/bin/bash
# Every kernel has its test of equal bits, and that test asks which instruction sets run.
set -u
source=${LIMBER_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$source" || exit 1
failed=0
for body in src/*/*_kernels.inl; do
    [ -e "$body" ] || continue
    name=$(basename "$body" .inl)
    room=$(basename "$(dirname "$body")")
    if ! grep -l "\\b$name\\b" tests/"$room"/*_test.c 2> /dev/null | xargs -r grep -q lmb_simd_runs; then
        echo "$body: no test of tests/$room names $name and goes through the sets of lmb_simd_runs"
        failed=1
    fi
    table=$(sed -nE 's/.*LMBI_TABLE\((lmbi_[a-z0-9_]+)\).*/\1/p' "$body")
    if [ -z "$table" ]; then
        echo "$body: has no LMBI_TABLE"
        failed=1
    fi
done
exit $failed
