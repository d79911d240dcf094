#!/bin/bash
# The shard of a process: given, or found in the variables of schedulers. Every item is in one part, and stays there when others come.
. "$(dirname "$0")/harness.sh"

is() { [ "$1" = "$2" ] || fail "$3: found $1, expected $2"; }
items() {
    local k
    for k in $(seq "$1"); do
        printf '{"id": "item %d", "command": ["sample", "humanoid", "--seed", "%d", "-o", "{output}"], "output": "%d.obj"}\n' "$k" "$k" "$k"
    done
}
items 200 >"$WORK/m.jsonl"
items 300 >"$WORK/more.jsonl"
# part SHARD [MANIFEST]: the seeds that it would run.
part() { "$LIMBER" batch "$WORK/${2:-m.jsonl}" --out "$WORK/none" --dry-run --shard "$1" 2>"$WORK/err" | sed 's/.*--seed \([0-9]*\).*/\1/'; }

# Disjoint, together everything, about as many each.
for n in 1 2 7 16; do
    for i in $(seq $n); do
        part $i/$n >"$WORK/part"
        count=$(wc -l <"$WORK/part")
        [ "$count" -gt $((200 / n / 3)) ] && [ "$count" -lt $((200 / n * 3)) ] || fail "$i/$n has $count items of 200"
        cat "$WORK/part"
    done | sort -n >"$WORK/all"
    is "$(sort -un "$WORK/all" | wc -l) $(wc -l <"$WORK/all")" "200 200" "items of $n parts"
done
# A list that grew moves none of what was there.
for i in 1 2 3 4 5; do
    is "$(part $i/5 more.jsonl | awk '$1 <= 200' | sort -n | tr '\n' ' ')" "$(part $i/5 | sort -n | tr '\n' ' ')" "part $i/5"
done
# As the document says: SHA-256 of the id, its first eight bytes modulo N.
for k in 1 2 3 17 200; do
    first=$(printf 'item %d' $k | sha256sum | cut -c1-16)
    # Shells count in 64 bits with a sign: the number in two halves, modulo 7.
    of=$(((((16#${first:0:8} % 7) * (4294967296 % 7)) + 16#${first:8:8}) % 7 + 1))
    part $of/7 | grep -qx $k || fail "item $k is not in part $of/7"
done

for bad in 0/4 5/4 1/0 x/4 1 1/4x /4 1/ -1/4 auto/0 auto/x; do
    expect 2 batch "$WORK/m.jsonl" --out "$WORK/none" --dry-run "--shard=$bad"
    says "expected I/N with I from 1 to N, auto or auto/N"
done
env -i "$LIMBER" batch "$WORK/m.jsonl" --out "$WORK/none" --dry-run --shard auto 2>"$WORK/err" && fail "nothing in the environment was taken for a part"
says "found none in the environment"

# same SHARD VARIABLE=VALUE…: with those set, auto is that part. SHARD - is refused.
same() {
    local wanted=$1 how=auto
    shift
    case $1 in auto/*) how=$1 && shift ;; esac
    said="--shard $how with $*"
    env -i "$@" "$LIMBER" batch "$WORK/m.jsonl" --out "$WORK/none" --dry-run --shard $how 2>"$WORK/err" >"$WORK/auto"
    local code=$?
    if [ "$wanted" = - ]; then
        is $code 2 "exit code"
    else
        is $code 0 "exit code"
        "$LIMBER" batch "$WORK/m.jsonl" --out "$WORK/none" --dry-run --shard $wanted >"$WORK/told"
        cmp -s "$WORK/auto" "$WORK/told" || fail "it is not part $wanted"
    fi
}
slurm() { echo "SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=$2 SLURM_ARRAY_TASK_MAX=$3 SLURM_ARRAY_TASK_COUNT=$4 SLURM_ARRAY_TASK_STEP=${5:-1}"; }
same 1/4 $(slurm 0 0 3 4)
same 4/4 $(slurm 3 0 3 4)
same 4/4 $(slurm 4 1 4 4)
same 3/3 $(slurm 9 1 9 3 4)
same - $(slurm 5 1 9 3)                # 1,5,9: gaps
same - $(slurm 7 0 3 4)                # beyond its own range
same - SLURM_ARRAY_TASK_ID=3           # of how many?
same 3/8 auto/8 SLURM_ARRAY_TASK_ID=3
same 2/4 $(slurm 1 0 3 4) SLURM_NTASKS=2 SLURM_PROCID=0              # a script of two tasks is alone
same 4/8 $(slurm 1 0 3 4) SLURM_NTASKS=2 SLURM_PROCID=1 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 # srun in an array
same 3/4 SLURM_PROCID=2 SLURM_NTASKS=4
same 3/4 SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=4
same - SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_NTASKS=4
same 5/6 auto/6 PBS_ARRAY_INDEX=5
same - PBS_ARRAY_INDEX=5
same - auto/6 PBS_ARRAY_INDEX=0
same 2/3 SGE_TASK_ID=12 SGE_TASK_FIRST=10 SGE_TASK_LAST=14 SGE_TASK_STEPSIZE=2
same - SGE_TASK_ID=undefined SGE_TASK_FIRST=undefined
same 4/9 LSB_JOBINDEX=4 LSB_JOBINDEX_END=9
same - LSB_JOBINDEX=0
same 1/2 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_NTASKS=8
same 2/2 PMI_RANK=1 PMI_SIZE=2
same - PMI_RANK=2 PMI_SIZE=2
same - auto/3 PMI_RANK=1 PMI_SIZE=2
exit 0
