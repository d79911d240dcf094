# Common to the tests of the command: run it as typed, look at the exit code and at what it said.
# Sourced; sets LIMBER, SOURCE, DATA and WORK (a folder that goes away), and fails at the end when anything failed.

LIMBER=${LIMBER:-build/limber}
SOURCE=${LIMBER_SOURCE:-.}
DATA=$SOURCE/tests/cli
[ -x "$LIMBER" ] || { echo "the command is not built"; exit 77; }
WORK=$(mktemp -d)
failures=0
trap 'rm -rf "$WORK"; [ "$failures" = 0 ] || exit 1' EXIT

# expect CODE ARGUMENT…: runs the command; what it says is in $WORK/out and $WORK/err.
expect() {
    local wanted=$1 got=0
    shift
    "$LIMBER" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || got=$?
    said="limber $*"
    if [ "$got" != "$wanted" ]; then
        echo "FAILED $said: exit $got, expected $wanted"
        sed 's/^/    /' "$WORK/err"
        failures=$((failures + 1))
    fi
}

# says TEXT, prints TEXT: the last command's stderr, stdout holds the text.
says() { holds "$WORK/err" "$1"; }
prints() { holds "$WORK/out" "$1"; }
holds() {
    if ! grep -qF -- "$2" "$1"; then
        echo "FAILED ${said:-}: expected \"$2\" in:"
        head -20 "$1" | sed 's/^/    /'
        failures=$((failures + 1))
    fi
}

# fails_with TEXT: anything else that went wrong.
fail() {
    echo "FAILED ${said:-}: $*"
    failures=$((failures + 1))
}

# near FILE LINE X Y Z: vertex number LINE (from 1) of an OBJ file, to 1e-5.
near() {
    awk -v n="$2" -v x="$3" -v y="$4" -v z="$5" '
        function off(a, b) { return a - b > 1e-5 || b - a > 1e-5 }
        $1 == "v" && ++k == n { if (off($2, x) || off($3, y) || off($4, z)) { print "vertex " n " is at " $2, $3, $4; exit 1 } found = 1; exit }
        END { if (k < n) { print "there is no vertex " n; exit 1 } }' "$1" >"$WORK/near" || fail "$(cat "$WORK/near"), expected $3 $4 $5"
}

# some_normals_file BYTES FILE: two triangles, the first with normals, on the 72 bytes given in base64.
some_normals_file() {
    cat >"$2" <<JSON
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}}, {"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
               {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 36}],
 "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,$1"}]}
JSON
}
