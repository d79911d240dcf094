#!/bin/bash
# limber convert from every format that is read to every format that is written, on small inputs. What works must be read again;
# what does not must say why and leave nothing; what the other format cannot hold must be named.
. "$(dirname "$0")/harness.sh"
IN=$WORK/in OUT=$WORK/converted
mkdir -p "$IN" "$OUT"
seeds=$SOURCE/fuzz/seeds

# A character with a skin, a material, a morph target and two clips; and what else is read, small.
python3 - "$IN/full.gltf" <<'EOF' 2>/dev/null || { echo "python3 is missing"; exit 77; }
import base64, json, struct, sys
data, views, accessors = b"", [], []
def add(values, kind, component="f", **extra):
    global data
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[kind]
    blob = struct.pack("<%d%s" % (len(values), component), *values)
    blob += b"\0" * (-len(blob) % 4)
    views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(blob)})
    accessors.append({"bufferView": len(views) - 1, "componentType": {"f": 5126, "B": 5121, "H": 5123}[component], "count": len(values) // width, "type": kind, **extra})
    data += blob
    return len(accessors) - 1
position = add([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], "VEC3", min=[0, 0, 0], max=[1, 1, 0])
bones = "hips spine chest neck head leftUpperArm leftLowerArm leftHand rightUpperArm rightLowerArm rightHand leftUpperLeg leftLowerLeg leftFoot rightUpperLeg rightLowerLeg rightFoot".split()
parents = [-1, 0, 1, 2, 3, 2, 5, 6, 2, 8, 9, 0, 11, 12, 0, 14, 15]
places = [(0, .9, 0), (0, .1, 0), (0, .2, 0), (0, .2, 0), (0, .1, 0), (.15, .15, 0), (.25, 0, 0), (.25, 0, 0), (-.15, .15, 0), (-.25, 0, 0), (-.25, 0, 0), (.1, -.05, 0), (0, -.4, 0), (0, -.4, 0), (-.1, -.05, 0), (0, -.4, 0), (0, -.4, 0)]
nodes = [{"name": n, "translation": p} for n, p in zip(bones, places)]
for k, p in enumerate(parents):
    if p >= 0: nodes[p].setdefault("children", []).append(k)
nodes.append({"name": "body", "mesh": 0, "skin": 0})
times = add([0, .5, 1], "SCALAR", min=[0], max=[1])
turn = add([0, 0, 0, 1, 0, 0, .38268343, .92387953, 0, 0, 0, 1], "VEC4")
grow = add([1, 1, 1, 1.1, 1.1, 1.1, 1, 1, 1], "VEC3")
weights = add([0, 1, 0], "SCALAR")
def clip(name, extra=()):
    items = [(6, "rotation", turn), *extra]
    return {"name": name, "samplers": [{"input": times, "output": o} for _, _, o in items], "channels": [{"sampler": k, "target": {"node": n, "path": p}} for k, (n, p, _) in enumerate(items)]}
out = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 17]}], "nodes": nodes,
  "meshes": [{"primitives": [{"attributes": {"POSITION": position, "TEXCOORD_0": add([0, 1, 1, 1, 1, 0, 0, 0], "VEC2"),
      "JOINTS_0": add([0, 0, 0, 0] * 4, "VEC4", "B"), "WEIGHTS_0": add([1, 0, 0, 0] * 4, "VEC4")},
    "indices": add([0, 1, 2, 0, 2, 3], "SCALAR", "H"), "material": 0, "targets": [{"POSITION": add([0, 0, .1] * 4, "VEC3", min=[0, 0, .1], max=[0, 0, .1])}]}], "extras": {"targetNames": ["smile"]}}],
  "skins": [{"joints": list(range(17))}], "materials": [{"name": "red"}],
  "animations": [clip("wave"), clip("grow", [(6, "scale", grow), (17, "weights", weights)])],
  "extensionsUsed": ["KHR_materials_unlit"], "bufferViews": views, "accessors": accessors}
out["materials"][0]["extensions"] = {"KHR_materials_unlit": {}}
out["buffers"] = [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]
json.dump(out, open(sys.argv[1], "w"))
EOF
for to in glb vrma bvh limb c3d trc csv npz; do expect 0 convert "$IN/full.gltf" "$IN/full.$to" -q; done
expect 0 convert "$IN/full.gltf" "$IN/mesh.obj" -q
expect 0 convert "$IN/full.gltf" "$IN/mesh.ply" -q
cp "$seeds/stl/text.stl" "$IN/text.stl"
cp "$seeds/fbx/strip_7500.fbx" "$IN/strip.fbx"
cp "$seeds/md5/arm.md5mesh" "$seeds/md5/arm.md5anim" "$IN/"
cp "$seeds/iqm/arm.iqm" "$IN/"
printf 'OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' >"$IN/mesh.off"
cat >"$IN/leg.asf" <<'EOF'
:version 1.10
:name leg
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name thigh
    direction 0 -1 0
    length 7
    axis 0 0 0 XYZ
    dof rx
    limits (-10 90)
  end
:hierarchy
  begin
    root thigh
  end
EOF
printf ':FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 17 0 0 0 0\nthigh 10\n2\nroot 0 17 1 0 0 0\nthigh 20\n' >"$IN/leg.amc"

worked=0 refused=0
for input in "$IN"/*; do
    [ -s "$input" ] || continue
    for to in glb gltf vrma obj ply bvh limb c3d trc csv npz; do
        output=$OUT/$(basename "$input" | tr . _).$to code=0
        "$LIMBER" convert "$input" "$output" >"$WORK/out" 2>"$WORK/err" </dev/null || code=$?
        said="limber convert $(basename "$input") x.$to"
        case $code in
        0)
            worked=$((worked + 1))
            "$LIMBER" info "$output" >"$WORK/again" 2>"$WORK/why" || fail "what it wrote is not read: $(head -1 "$WORK/why")"
            ;;
        1 | 3 | 4)
            refused=$((refused + 1))
            [ -s "$WORK/err" ] || fail "exit $code without a reason"
            [ ! -e "$output" ] || fail "exit $code and a file is there"
            ;;
        *) fail "exit $code: $(head -1 "$WORK/err")" ;;
        esac
    done
done
said="all pairs"
[ "$worked" -ge 130 ] || fail "only $worked pairs work, $refused are refused"
echo "$worked pairs work, $refused are refused with a reason"

# lost IN OUT WORD…: each word is among what the conversion says it leaves out; `nothing`: it says nothing.
lost() {
    expect 0 convert "$IN/$1" "$OUT/lost.$2"
    local word
    for word in "${@:3}"; do
        if [ "$word" = nothing ]; then
            ! grep -q "left out" "$WORK/err" || fail "something is lost: $(cat "$WORK/err")"
        else
            says "$word"
        fi
    done
}
lost full.glb gltf nothing
lost full.glb limb meshes materials skins
lost full.glb bvh meshes materials skins "morph targets" "clips after the first" extensions
lost full.glb obj skins "morph targets" skeleton clips extensions
lost full.glb ply materials skins skeleton clips
lost full.glb c3d meshes "joints' places"
lost full.glb npz meshes "lengths of the skeleton"
lost mesh.obj ply materials
lost leg.amc glb "limits of joints"
expect 0 convert "$IN/full.glb" "$OUT/grow.bvh" --clip grow
says "animated scale"
expect 0 convert "$IN/full.gltf" "$OUT/wave.limb" --clip wave
# An .amc's skeleton of another name is given as an option.
mkdir -p "$IN/apart"
cp "$IN/leg.amc" "$IN/apart/take.amc"
expect 3 convert "$IN/apart/take.amc" "$OUT/apart.glb"
says "take.asf, or \`limber convert --skeleton FILE.asf\`"
expect 0 convert "$IN/apart/take.amc" --skeleton "$IN/leg.asf" "$OUT/apart.glb"
cmp -s "$OUT/apart.glb" "$OUT/leg_amc.glb" || fail "the skeleton that is given makes another motion than the one beside"
expect 3 info "$IN/apart/take.amc" --skeleton "$IN/none.asf"
says "none.asf"
expect 4 convert "$IN/leg.amc" "$OUT/none.vrma"
says "not supported"
expect 3 convert "$IN/leg.amc" "$OUT/none.obj"
says "there is no mesh"
expect 3 convert "$IN/mesh.obj" "$OUT/none.c3d"
says "there is no clip"
