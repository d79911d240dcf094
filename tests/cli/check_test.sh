#!/bin/bash
# limber check: each finding with its code, and the gate.
. "$(dirname "$0")/harness.sh"

expect 0 check "$DATA/arm.gltf"
prints "LMB-SKIN-009  note"
says "0 errors, 0 warnings, 1 notes"
expect 6 check "$DATA/arm.gltf" --fail-on note
expect 0 check "$DATA/arm.gltf" --fail-on warning

# A fan of three triangles on one edge, one without area, and a vertex of nothing.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 2 0 0\nv 9 9 9\nf 1 2 3\nf 1 2 4\nf 1 2 5\nf 1 2 6\n' >"$WORK/fan.obj"
expect 0 check "$WORK/fan.obj"
prints "LMB-MESH-001  warning  mesh 0: 1 triangles without area (first 3)"
prints "LMB-MESH-002  warning"
prints "LMB-MESH-003  note"
prints "LMB-MESH-004  note     mesh 0: 1 vertices that no element uses (first 6)"
expect 6 check "$WORK/fan.obj" --fail-on warning
expect 0 check "$WORK/fan.obj" --fail-on never

# Faults put into the arm: a scale of 0, a rotation of twice the length, a doubled name, keys that do not start at 0.
sed -e 's/"name": "lower",/"name": "upper", "scale": [1, 0, 1],/' "$DATA/arm.gltf" >"$WORK/flat.gltf"
expect 6 check "$WORK/flat.gltf"
prints "LMB-SKEL-002  error    skeleton: 1 joints of scale 0"
prints "LMB-SKEL-005  warning"
sed -e 's/"inverseBindMatrices": [0-9]*/"extras": {}/' "$DATA/arm.gltf" >"$WORK/nobind.gltf"
expect 0 check "$WORK/nobind.gltf"
prints "LMB-SKIN-005  warning"
sed -e 's/"scale"//; s/"name": "lower",/"name": "lower", "scale": [1, 2, 1],/; s/"name": "upper",/"name": "upper", "scale": [-1, 2, 1],/' "$DATA/arm.gltf" >"$WORK/uneven.gltf"
expect 0 check "$WORK/uneven.gltf"
prints "LMB-SKEL-003  warning"
prints "LMB-SKEL-004  warning"

expect 6 check "$WORK/flat.gltf" --json
prints '"code": "LMB-SKEL-002"'
prints '"errors": 1'
expect 3 check "$WORK/none.glb"
printf 'v 0 0 x\n' >"$WORK/bad.obj"
expect 3 check "$WORK/bad.obj"
says "bad.obj:1:"

# Nothing at all in it.
printf '{"asset": {"version": "2.0"}}' >"$WORK/nothing.gltf"
expect 0 check "$WORK/nothing.gltf" --fail-on error
