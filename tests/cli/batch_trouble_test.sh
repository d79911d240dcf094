#!/bin/bash
# What goes wrong in one item hurts no other: hangs, crashes, too much memory; interrupts, kills, torn results.
. "$(dirname "$0")/harness.sh"

# An item that hangs: it listens to a port without a sender.
hang() { printf '{"id": "%s", "command": ["listen", "%s", "--vmc", "0", "-o", "{output}"], "output": "{id}.glb"}\n' "$1" "$DATA/arm.gltf"; }
good() { printf '{"id": "%s", "command": ["convert", "{input}", "{output}"], "input": "%s", "output": "{id}.glb"}\n' "$1" "$DATA/arm.gltf"; }
status() { sed -n "s/^{\"id\":\"$2\",\"status\":\"\([a-z]*\)\".*/\1/p" "$WORK/$1/results.jsonl" | tail -n 1; }
is() { [ "$1" = "$2" ] || fail "$3: found $1, expected $2"; }
# waits COMMAND…: until it succeeds, half a minute at most.
waits() {
    local k
    for k in $(seq 300); do
        "$@" 2>/dev/null >&2 && return
        sleep 0.1
    done
    fail "waited in vain for: $*"
}
child_of() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '$4 == parent { print $1; found = 1; exit } END { exit !found }'; }

# A hang is ended; what stands around it is done.
{ good a && hang b && good c; } >"$WORK/m.jsonl"
expect 7 batch "$WORK/m.jsonl" --out "$WORK/hung" --timeout 2 -j 2
says "3 items: 2 done, 0 failed, 1 timeout, 0 crashed"
is "$(status hung b)" timeout "a hang"
holds "$WORK/hung/results.jsonl" "took longer than 2 s"

# A crash: the child is killed as a fault would.
{ good a && hang b && good c; } >"$WORK/m.jsonl"
said="limber batch with a crash"
ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0 "$LIMBER" batch "$WORK/m.jsonl" --out "$WORK/crashed" -j 1 2>"$WORK/err" &
batch=$!
waits grep -q '"id":"a"' "$WORK/crashed/results.jsonl"
waits child_of $batch
sleep 0.3
kill -SEGV "$(child_of $batch)"
code=0
wait $batch || code=$?
is $code 7 "exit code"
is "$(status crashed a) $(status crashed b) $(status crashed c)" "done crashed done" "a crash"
holds "$WORK/crashed/results.jsonl" '"id":"b","status":"crashed","exit_code":null,"signal":11'

# Too much memory: refused to that one. (A sanitizer maps more address space than any cap.)
if [ -z "${LIMBER_SANITIZE:-}" ]; then
expect 0 sample humanoid --seed 3 --triangles 100000 -o "$WORK/big.obj"
printf '{"id": "big", "command": ["rig", "{input}", "-o", "{output}"], "input": "%s", "output": "big.glb"}\n' "$WORK/big.obj" >"$WORK/m.jsonl"
good small >>"$WORK/m.jsonl"
expect 7 batch "$WORK/m.jsonl" --out "$WORK/capped" --memory 24
is "$(status capped big) $(status capped small)" "failed done" "a cap on memory"
holds "$WORK/capped/results.jsonl" "out of memory"
# Wherever the cap cuts: the stack, which grows on its own, is not counted.
for megabytes in 1 4 7 11 15 19 20.5 20.56 20.62 23.1; do
    expect 7 batch "$WORK/m.jsonl" --out "$WORK/capped$megabytes" --memory $megabytes
    is "$(status "capped$megabytes" big)" failed "a cap of $megabytes MB"
done
# So is a file that does not even fit: the item failed, its input is not to blame.
dd if=/dev/zero of="$WORK/vast.obj" bs=1M seek=64 count=0 2>/dev/null
printf '{"id": "vast", "command": ["info", "{input}"], "input": "%s"}\n' "$WORK/vast.obj" >"$WORK/vast.jsonl"
expect 7 batch "$WORK/vast.jsonl" --out "$WORK/vast" --memory 40
holds "$WORK/vast/results.jsonl" '"status":"failed","exit_code":1'
holds "$WORK/vast/results.jsonl" "vast.obj: out of memory"
expect 0 batch "$WORK/m.jsonl" --out "$WORK/capped" --memory 4000 --retry-failed
says "1 done, 0 failed, 0 timeout, 0 crashed, 1 skipped"
fi

# So many failures and no more.
for k in 1 2 3 4 5 6; do
    printf '{"command": ["info", "{input}"], "input": "%s"}\n' "$WORK/none$k.obj"
done >"$WORK/m.jsonl"
expect 7 batch "$WORK/m.jsonl" --out "$WORK/stopped" --max-failures 2 -j 1 --json
prints '"failed": 2'
prints '"left": 4'
says "stopped by --max-failures"

# An interrupt: what runs ends, the rest is left; 143 for SIGTERM, 130 for SIGINT.
for signal in TERM:143 INT:130; do
    { good a && hang b && good c; } >"$WORK/m.jsonl"
    said="limber batch, then ${signal%:*}"
    rm -rf "$WORK/cut"
    "$LIMBER" batch "$WORK/m.jsonl" --out "$WORK/cut" --json -j 1 --timeout 3 >"$WORK/json" 2>"$WORK/err" &
    batch=$!
    waits grep -q '"id":"a"' "$WORK/cut/results.jsonl"
    kill -${signal%:*} $batch
    code=0
    wait $batch || code=$?
    is $code ${signal#*:} "exit code"
    is "$(status cut a) $(status cut b) $(status cut c)" "done timeout " "an interrupt"
    holds "$WORK/json" '"left": 1'
done

# A second one kills what runs and leaves no line of it.
rm -rf "$WORK/cut"
said="limber batch, then SIGTERM twice"
"$LIMBER" batch "$WORK/m.jsonl" --out "$WORK/cut" -j 1 2>"$WORK/err" &
batch=$!
waits grep -q '"id":"a"' "$WORK/cut/results.jsonl"
waits child_of $batch
child=$(child_of $batch)
kill -TERM $batch
sleep 0.3
kill -TERM $batch
code=0
wait $batch || code=$?
is $code 143 "exit code"
is "$(wc -l <"$WORK/cut/results.jsonl")" 1 "lines"
kill -0 "$child" 2>/dev/null && fail "a process was left behind"

# Nobody else may run the same part at the same time.
"$LIMBER" batch "$WORK/m.jsonl" --out "$WORK/locked" -j 1 2>"$WORK/err" &
batch=$!
waits grep -q '"id":"a"' "$WORK/locked/results.jsonl"
expect 5 batch "$WORK/m.jsonl" --out "$WORK/locked"
says "another program"
# Killed without warning in the middle: its processes end too, no output is half there, and the rest is done afterwards.
waits child_of $batch
child=$(child_of $batch)
kill -KILL $batch
wait $batch 2>/dev/null >&2
gone() { ! kill -0 "$1"; }
waits gone "$child"
printf '{"id":"torn","status":"do' >>"$WORK/locked/results.jsonl"
echo half >"$WORK/locked/b.glb.$child-0.tmp"
echo mine >"$WORK/locked/other.glb.12-0.tmp"
good b >"$WORK/b.jsonl"
sed -i '2d' "$WORK/m.jsonl"
cat "$WORK/b.jsonl" >>"$WORK/m.jsonl"
expect 0 batch "$WORK/m.jsonl" --out "$WORK/locked"
says "3 items: 2 done, 0 failed, 0 timeout, 0 crashed, 1 skipped"
says "1 file"
[ -e "$WORK/locked/b.glb.$child-0.tmp" ] && fail "what was half written is still there"
[ -e "$WORK/locked/other.glb.12-0.tmp" ] || fail "a file of somebody else's was removed"
is "$(wc -l <"$WORK/locked/results.jsonl") $(grep -c '"status":"done"' "$WORK/locked/results.jsonl") $(grep -c torn "$WORK/locked/results.jsonl")" \
    "3 3 0" "lines"

# A thousand items, killed in the middle: the second run does what the first did not, and every output is as alone.
mkdir "$WORK/in"
for k in $(seq 1000); do
    printf 'v 0 0 0\nv 1 0 %d\nv 0 1 0\nf 1 2 3\n' "$k" >"$WORK/in/$k.obj"
done
said="a thousand items"
"$LIMBER" batch --over "$WORK/in" --out "$WORK/many" -- convert '{input}' '{output}' 2>"$WORK/err" &
batch=$!
enough() { [ "$(wc -l <"$WORK/many/results.jsonl")" -ge 100 ]; }
waits enough
kill -KILL $batch
wait $batch 2>/dev/null >&2
had=$(wc -l <"$WORK/many/results.jsonl")
expect 0 batch --over "$WORK/in" --out "$WORK/many" --json -- convert '{input}' '{output}'
prints "\"skipped\": $had"
prints "\"done\": $((1000 - had))"
is "$(find "$WORK/many" -name '*.glb' | wc -l)" 1000 "outputs"
is "$(find "$WORK/many" -name '*.tmp' | wc -l)" 0 "temporaries"
is "$(cut -d, -f1 "$WORK/many/results.jsonl" | sort -u | wc -l)" 1000 "ids"
for k in 1 500 1000; do
    expect 0 convert "$WORK/in/$k.obj" "$WORK/alone.glb"
    cmp -s "$WORK/alone.glb" "$WORK/many/$k.glb" || fail "$k.glb differs from what the command alone makes"
done

# A folder that cannot be made.
expect 5 batch --over "$WORK/in/1.obj" --out "$WORK/in/1.obj" -- convert '{input}' '{output}'
says "the folder cannot be made"
exit 0
