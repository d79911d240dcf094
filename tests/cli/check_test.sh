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

# A tetrahedron inside out, one with a face reversed, one with a face twice.
tetrahedron='v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n'
printf "${tetrahedron}f 1 4 3\n" >"$WORK/solid.obj"
expect 0 check "$WORK/solid.obj" --fail-on note
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n' >"$WORK/inverted.obj"
expect 0 check "$WORK/inverted.obj"
prints "LMB-MESH-009  warning  mesh 0: 1 closed pieces"
printf "${tetrahedron}f 1 3 4\n" >"$WORK/turned.obj"
expect 0 check "$WORK/turned.obj"
prints "LMB-MESH-007  warning  mesh 0: 3 edges"
printf "${tetrahedron}f 1 4 3\nf 4 3 1\n" >"$WORK/twice.obj"
expect 0 check "$WORK/twice.obj"
prints "LMB-MESH-008  note     mesh 0: 1 triangles"
printf "${tetrahedron}f 1 4 3\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 5 6 7\n" >"$WORK/crumbs.obj"
expect 0 check "$WORK/crumbs.obj"
prints "LMB-MESH-010  note     mesh 0: 2 pieces"

printf "${tetrahedron}f 1 4 3\nv 0.1 0.1 -1\nv 0.2 0.1 -1\nv 0.1 0.1 1\nf 5 6 7\n" >"$WORK/pierced.obj"
expect 0 check "$WORK/pierced.obj"
prints "LMB-MESH-011  note"
prints "rig: the volume is filled"

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

# A mesh with normals in one primitive and none in the other: what is not there is not bad.
triangle=$(printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0\0\0\200\77' | base64 -w 0)
some_normals_file "$triangle" "$WORK/some_normals.gltf"
expect 0 check "$WORK/some_normals.gltf"
if grep -q LMB-MESH-005 "$WORK/out"; then fail "finds normals bad that a primitive does not have"; fi

# A hundred thousand triangles with one edge in common: of the edges that meet at a vertex a part is looked at.
awk 'BEGIN {
    count = 100000
    print "v 0 0 0\nv 0 1 0"
    for (k = 0; k < count; ++k) printf "v %.7f 0.5 %.7f\n", cos(6.2831853 * k / count), sin(6.2831853 * k / count)
    for (k = 0; k < count; ++k) print "f 1 2 " k + 3
}' >"$WORK/fan.obj"
expect 0 check "$WORK/fan.obj"
prints "1 edges with more than two triangles"
