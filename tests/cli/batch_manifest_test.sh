#!/bin/bash
# Manifests of a batch: those that are refused, with line and column, before anything runs; gaps that are filled in.
. "$(dirname "$0")/harness.sh"

# refused LINE:COLUMN EXPECTED FOUND LINE…: a manifest of those lines is refused, and nothing runs.
refused() {
    local place=$1 expected=$2 found=$3
    shift 3
    printf '%s\n' "$@" >"$WORK/m.jsonl"
    expect 3 batch "$WORK/m.jsonl" --out "$WORK/none"
    says "m.jsonl:$place: expected $expected, found $found"
    [ ! -e "$WORK/none" ] || fail "something ran"
}

info='"command": ["info", "{input}"]'
convert='"command": ["convert", "{input}", "{output}"], "input": "a.obj"'
a='"input": "a.obj"'

# Texts that are no JSON Lines of objects.
refused 1:1 "a JSON value" "'w'" 'what'
refused 2:16 "a member name in quotes" "'}'" "{$info, $a}" '{"input": "b", }'
refused 1:60 "a closing quote" "the end of the text" "{$info, $a, \"id\": \"a"
refused 3:1 "an object" "[1]" "{$info, $a}" '' '[1]'

# Members of the wrong kind, unknown ones, and ones that are there twice.
refused 1:13 "an array of texts that is not empty" '"info"' "{\"command\": \"info\", $a}"
refused 1:13 "an array of texts that is not empty" "[]" "{\"command\": [], $a}"
refused 1:22 "a text" "3" "{\"command\": [\"info\", 3], $a}"
refused 1:43 "a text that is not empty" "7" "{$info, \"input\": 7}"
refused 1:43 "a text that is not empty" '""' "{$info, \"input\": \"\"}"
refused 1:53 "id, command, base, input, inputs, output or stdout" '"comand"' "{$info, $a, \"comand\": []}"
refused 1:53 "each member once, and either input or inputs" '"input"' "{$info, $a, $a}"
refused 1:53 "each member once, and either input or inputs" '"inputs"' "{$info, $a, \"inputs\": [\"b\"]}"
refused 1:16 "command, base, output or stdout" '"input"' '{"defaults": {"input": "a"}}'
refused 2:1 "defaults in the first line only" '{"defaults": {}}' "{$info, $a}" '{"defaults": {}}'

# Items that cannot be run.
refused 1:1 '"command", here or in the defaults' "none" "{$a}"
refused 1:1 '"id", or an input or output to be called by' "neither" '{"command": ["info"]}'
refused 1:1 "an input for each that the command names" "0 for {input}" "{$info, \"id\": \"x\"}"
refused 1:1 "an input for each that the command names" "1 for {input2}" "{\"command\": [\"info\", \"{input2}\"], $a}"
refused 1:1 '"output", which the command writes' "none" "{$convert}"
refused 1:1 '{output} in the command ("stdout" keeps what a command prints)' "an output that it does not name" \
    "{$info, $a, \"output\": \"x.glb\"}"
refused 1:1 "a command of limber's that an item can run" '"rigg"' "{\"command\": [\"rigg\", \"{input}\"], $a}"
refused 1:1 "a command of limber's that an item can run" '"batch"' "{\"command\": [\"batch\", \"{input}\"], $a}"
printf '{"command": ["info", "{ouput}"], %s}\n' "$a" >"$WORK/m.jsonl"
expect 3 batch "$WORK/m.jsonl" --out "$WORK/none"
says "found {ouput} in the command"

# Outputs that lie elsewhere, are the batch's own, or another item's.
for path in ../x.glb /x.glb a/../../x.glb ./ ..; do
    refused 1:1 "an output below the folder of the batch" "\"$path\"" "{$convert, \"output\": \"$path\"}"
done
refused 1:1 "an output that is not one of the batch's own files" '"./results-1-of-2.jsonl"' \
    "{$convert, \"output\": \"./results-1-of-2.jsonl\"}"
refused 1:1 "{id}, {dir}, {name}, {stem} or {ext} in the name of an output" "{input}" "{$convert, \"output\": \"{input}\"}"
refused 1:1 "an output below the folder of the batch" '"../x"' \
    '{"command": ["convert", "{input}", "{output}"], "input": "../x.obj", "output": "{dir}{stem}"}'
refused 2:1 "an id of its own for each item" '"a.obj", as in line 1' "{$convert, \"output\": \"x.glb\"}" \
    "{$convert, \"output\": \"y.glb\"}"
refused 3:1 "a file of its own for each output" '"x.glb", as in line 1' "{$convert, \"id\": \"1\", \"output\": \"x.glb\"}" '' \
    "{$convert, \"id\": \"2\", \"output\": \".//x.glb\"}"
refused 2:1 "a file of its own for each output" '"a.txt", as in line 1' "{$info, $a, \"stdout\": \"a.txt\"}" \
    "{$info, $a, \"id\": \"2\", \"stdout\": \"a.txt\"}"

# The command line.
expect 2 batch "$WORK/m.jsonl"
says "no folder: add --out DIR"
expect 2 batch --out "$WORK/none"
says "expected MANIFEST"
expect 2 batch --over "$DATA" --out "$WORK/none"
says "expected a command after --"
expect 3 batch "$WORK/missing.jsonl" --out "$WORK/none"
says "missing.jsonl: cannot be read: No such file or directory"
expect 3 batch --over "$WORK/*.nothing" --out "$WORK/none" -- info '{input}'
says "no file has such a name"
expect 2 batch --over "$DATA" --out "$WORK/none" --jobs 0 -- info '{input}'
expect 2 batch --over "$DATA" --out "$WORK/none" --timeout -1 -- info '{input}'
expect 2 batch --over "$DATA" --out "$WORK/none" --csv x -- info '{input}'
says "--csv and --html go with --report"
expect 2 batch --over "$DATA" --out "$WORK/none" -- infoo '{input}'
says "a command of limber's that an item can run"
[ ! -e "$WORK/none" ] || fail "something ran"

# Gaps: each kind, from the defaults, the item and the command line; what the shell would take apart is quoted.
mkdir -p "$WORK/in/a b/c"
cp "$DATA/arm.gltf" "$WORK/in/one.gltf"
cp "$DATA/arm.gltf" "$WORK/in/a b/c/it's.two.gltf"
cat >"$WORK/m.jsonl" <<TEXT
{"defaults": {"command": ["bake", "{input}", "--clip", "bend", "--fps", "5", "-o", "{output}/{stem}-{frame}.obj"], "base": "$WORK/in", "output": "{dir}{id}/"}}

{"input": "one.gltf", "id": "1"}
{"input": "a b/c/it's.two.gltf", "id": "2", "command": ["convert", "{inputs}", "{output}", "--name={name}:{ext}"], "output": "{dir}/x/./{stem}.glb"}
{"inputs": ["one.gltf", "/abs/second.bvh"], "id": "3", "command": ["animate", "{input1}", "{input2}", "-o", "{output}", "{}", "{1}", "{A}"], "output": "3.glb"}
{"inputs": ["one.gltf"], "id": "4", "command": ["info", "{input}", "--threads", "3", "-v"], "stdout": "{stem}.txt"}
TEXT
expect 3 batch "$WORK/m.jsonl" --out "$WORK/made" --dry-run
says "m.jsonl:6:1: expected {output} in the command"
sed -i 's/"output": "{dir}{id}\/"}}/"stdout": "{id}.said"}}/; s/"id": "1"}/"id": "1", "output": "{dir}{id}\/"}/' "$WORK/m.jsonl"
expect 0 batch "$WORK/m.jsonl" --out "$WORK/made" --dry-run
program=$(readlink -f "$LIMBER")
said="limber batch --dry-run"
cat >"$WORK/wanted" <<TEXT
mkdir -p $WORK/made/1 && mkdir -p $WORK/made/ && $program bake --threads 1 -q $WORK/in/one.gltf --clip bend --fps 5 -o '$WORK/made/1/one-{frame}.obj' > $WORK/made/1.said
mkdir -p '$WORK/made/a b/c/x' && mkdir -p $WORK/made/ && $program convert --threads 1 -q '$WORK/in/a b/c/it'\''s.two.gltf' '$WORK/made/a b/c/x/it'\''s.two.glb' '--name=it'\''s.two.gltf:gltf' > $WORK/made/2.said
mkdir -p $WORK/made/ && mkdir -p $WORK/made/ && $program animate --threads 1 -q $WORK/in/one.gltf /abs/second.bvh -o $WORK/made/3.glb '{}' '{1}' '{A}' > $WORK/made/3.said
mkdir -p $WORK/made/ && $program info $WORK/in/one.gltf --threads 3 -v > $WORK/made/one.txt
TEXT
cmp -s "$WORK/out" "$WORK/wanted" || fail "$(diff "$WORK/out" "$WORK/wanted")"
