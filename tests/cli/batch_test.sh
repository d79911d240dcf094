#!/bin/bash
# A batch from beginning to end: results, skipping, retrying, reports, and the same bytes however it is cut up.
. "$(dirname "$0")/harness.sh"

# field NAME: what the last line of the results with that id says, as JSON.
field() {
    grep -h "\"id\":\"$2\"" "$WORK/$1"/results*.jsonl | tail -n 1 | sed -n "s/.*\"$3\":\(\"[^\"]*\"\|\[[^]]*\]\|[^,}]*\).*/\1/p"
}
is() { [ "$1" = "$2" ] || fail "$3: found $1, expected $2"; }
lines() { cat "$WORK/$1"/results*.jsonl | wc -l; }
digest() { sha256sum "$1" | cut -d' ' -f1; }

mkdir -p "$WORK/in/a/b"
cp "$DATA/arm.gltf" "$WORK/in/one.gltf"
cp "$DATA/arm.gltf" "$WORK/in/a/two.gltf"
cp "$DATA/arm.gltf" "$WORK/in/a/b/three three.gltf"
echo junk >"$WORK/in/a/bad.obj"
echo notes >"$WORK/in/notes.text"
over=(--over "$WORK/in" -- convert '{input}' '{output}')

# Results of a first run: three done, one failed, each with its own line.
expect 7 batch --out "$WORK/made" --json "${over[@]}"
prints '"done": 3'
prints '"failed": 1'
prints '"id": "a/bad.obj"'
says "4 items: 3 done, 1 failed"
is "$(lines made)" 4 "lines"
is "$(field made one.gltf status)" '"done"' "status"
is "$(field made one.gltf exit_code)" 0 "exit code"
is "$(field made one.gltf input_sha256)" "\"$(digest "$DATA/arm.gltf")\"" "input"
is "$(field made one.gltf output_sha256)" "\"$(digest "$WORK/made/one.glb")\"" "output"
is "$(field made one.gltf output_bytes)" "$(stat -c %s "$WORK/made/one.glb")" "size"
is "$(field made a/bad.obj status)" '"failed"' "status"
is "$(field made a/bad.obj exit_code)" 3 "exit code"
is "$(field made a/bad.obj output_sha256)" null "output"
[ -f "$WORK/made/a/b/three three.glb" ] || fail "the folders of inputs are not kept"
expect 0 convert "$DATA/arm.gltf" "$WORK/alone.glb"
cmp -s "$WORK/alone.glb" "$WORK/made/one.glb" || fail "a batch gives other bytes than the command"
python=$(command -v python3 || true)
if [ -n "$python" ]; then
    "$python" -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' "$WORK/made/results.jsonl" || fail "the results are no JSON Lines"
fi

# Again: nothing runs, nothing is written, and the failure still counts.
cp "$WORK/made/results.jsonl" "$WORK/before"
touch -d '2001-01-01' "$WORK/made/one.glb"
expect 7 batch --out "$WORK/made" "${over[@]}"
says "0 done, 1 failed, 0 timeout, 0 crashed, 3 skipped"
says "1 failed before and were not run again"
cmp -s "$WORK/before" "$WORK/made/results.jsonl" || fail "a run that did nothing wrote results"
is "$(date -r "$WORK/made/one.glb" +%Y)" 2001 "the year of an output that was skipped"

# What changed is run again, and only that: an output, an input, the command.
echo spoilt >"$WORK/made/a/two.glb"
expect 7 batch --out "$WORK/made" "${over[@]}"
says "1 done, 1 failed, 0 timeout, 0 crashed, 2 skipped"
cmp -s "$WORK/alone.glb" "$WORK/made/a/two.glb" || fail "a spoilt output was not made anew"
rm "$WORK/made/a/two.glb"
sed 's/"bend"/"turn"/' "$DATA/arm.gltf" >"$WORK/in/one.gltf"
expect 7 batch --out "$WORK/made" "${over[@]}"
says "2 done, 1 failed, 0 timeout, 0 crashed, 1 skipped"
expect 7 batch --out "$WORK/made" "${over[@]}" --order skin
says "3 done, 1 failed"
expect 7 batch --out "$WORK/made" "${over[@]}"
says "3 done, 1 failed"

# A failure is tried again when it is asked for, or when its input is another.
expect 7 batch --out "$WORK/made" --retry-failed "${over[@]}"
says "0 done, 1 failed, 0 timeout, 0 crashed, 3 skipped"
grep -q "failed before" "$WORK/err" && fail "it was not tried again"
cp "$DATA/arm.gltf" "$WORK/in/a/bad.obj"
expect 0 batch --out "$WORK/made" "${over[@]}"
says "1 done, 0 failed, 0 timeout, 0 crashed, 3 skipped"
expect 0 batch --out "$WORK/made" --force "${over[@]}"
says "4 done"

# Elsewhere: inputs and results in other folders are the same work.
mv "$WORK/in" "$WORK/moved"
mv "$WORK/made" "$WORK/there"
expect 0 batch --over "$WORK/moved" --out "$WORK/there" -- convert '{input}' '{output}'
says "0 done, 0 failed, 0 timeout, 0 crashed, 4 skipped"
mv "$WORK/moved" "$WORK/in"

# What commands print is kept, with the codes of what they found; a failed gate is a failure with its findings.
expect 7 batch --out "$WORK/checked" --stdout '{dir}{stem}.txt' --over "$WORK/in/**/*.gltf" -- check '{input}' --fail-on note
"$LIMBER" check "$DATA/arm.gltf" -q --fail-on never >"$WORK/check.txt"
cmp -s "$WORK/check.txt" "$WORK/checked/a/two.txt" || fail "the findings were not kept"
is "$(field checked a/two.gltf codes)" '["LMB-SKIN-009"]' "codes"
is "$(field checked a/two.gltf exit_code)" 6 "exit code"
is "$(field checked a/two.gltf stdout_sha256)" "\"$(digest "$WORK/check.txt")\"" "stdout"
[ ! -e "$WORK/checked/notes.txt" ] || fail "the pattern took another name"

# A folder of files as an output is named as sha256sum lists it.
expect 0 batch --out "$WORK/baked" --name '{stem}/' --over "$WORK/in/a/two.gltf" -- bake '{input}' --clip bend --fps 2 -o '{output}/{frame}.obj'
is "$(ls "$WORK/baked/two" | wc -l)" 3 "frames"
is "$(field baked two.gltf output_sha256)" "\"$(cd "$WORK/baked/two" && sha256sum * | digest /dev/stdin)\"" "folder"
expect 0 batch --out "$WORK/baked" --name '{stem}/' --over "$WORK/in/a/two.gltf" -- bake '{input}' --clip bend --fps 2 -o '{output}/{frame}.obj'
says "1 skipped"

# A command that does not write what was promised has failed.
echo '{"command": ["sample", "humanoid", "-o", "{output}.obj"], "output": "x"}' >"$WORK/m.jsonl"
expect 7 batch "$WORK/m.jsonl" --out "$WORK/lost"
says "the command did not write x"

# Shards and jobs: the same bytes, each item once.
for k in $(seq 20); do
    sed "s/\"bend\"/\"bend $k\"/" "$DATA/arm.gltf" >"$WORK/in/a/$k.gltf"
done
expect 0 batch --out "$WORK/whole" -j 1 "${over[@]}"
for k in 1 2 3; do
    expect 0 batch --out "$WORK/parts" -j 4 --shard $k/3 "${over[@]}"
    [ -f "$WORK/parts/results-$k-of-3.jsonl" ] || fail "a shard has no file of its own"
done
is "$(lines parts)" "$(lines whole)" "items of all shards"
is "$(cd "$WORK/parts" && find . -name '*.glb' | sort | xargs -d '\n' sha256sum | digest /dev/stdin)" \
    "$(cd "$WORK/whole" && find . -name '*.glb' | sort | xargs -d '\n' sha256sum | digest /dev/stdin)" "bytes of all shards"
expect 0 batch --out "$WORK/parts" --shard 2/2 "${over[@]}"
says "0 done"
grep -q '"status":"done"' "$WORK/parts/results-2-of-2.jsonl" && fail "other shards' work was done again"
is "$(wc -l <"$WORK/parts/results-2-of-2.jsonl")" "$(sed -n 's/.* \([0-9]*\) skipped.*/\1/p' "$WORK/err")" "lines of what was skipped"

# The report: what all files say together; with a list of items, what is left.
expect 0 batch --report --out "$WORK/parts" --json
prints '"items": 24'
prints '"done": 24'
echo junk >"$WORK/in/bad1.obj"
echo 'v 1 2' >"$WORK/in/bad2.obj"
echo 'v 1 2 x' >"$WORK/in/bad33.obj"
echo junk >"$WORK/in/bad4.obj"
expect 7 batch --out "$WORK/parts" --shard 1/2 "${over[@]}"
expect 0 batch --report --out "$WORK/parts" "${over[@]}"
prints "28 items"
prints "left "
expect 7 batch --out "$WORK/parts" "${over[@]}"
expect 0 batch --report --out "$WORK/parts" --csv "$WORK/r.csv" --html "$WORK/parts/index.html"
prints "failed     4"
prints "     2  failed 3  bad1.obj: "
is "$(wc -l <"$WORK/r.csv")" 29 "rows"
is "$(grep -c '^bad1.obj,failed,3,bad1.glb,,0,"' "$WORK/r.csv")" 1 "rows of a failure"
holds "$WORK/parts/index.html" 'href="a/b/three%20three.glb"'
expect 0 batch --report --out "$WORK/checked" --json
prints '"code": "LMB-SKIN-009"'
expect 3 batch --report --out "$WORK/nowhere"
says "no results lie here"

# A manifest from stdin, and progress for logs.
said="limber batch -"
printf '{"id": "%s", "command": ["sample", "humanoid", "--seed", "1", "-o", "{output}"], "output": "{id}.glb"}\n' p q |
    "$LIMBER" batch - --out "$WORK/piped" --progress plain 2>"$WORK/err" || fail "exit $?"
says "progress 2/2 items, 0 failed, 0 skipped"
cmp -s "$WORK/piped/p.glb" "$WORK/piped/q.glb" || fail "two samples differ"
