#!/usr/bin/env python3
"""MakeHuman's base mesh with its CC0 rigs as glTF, for tools/fit-ownership and weights_bench:
makehuman-rigs.py DATA OUT, where DATA holds meshes/makehuman_base.obj and skinning/makehuman/.
Writes OUT/mh_default.gltf (163 bones, facial muscles among them) and OUT/mh_mixamo.gltf."""
import base64
import json
import struct
import sys

GROUPS = {"body", "helper-l-eye", "helper-r-eye", "helper-upper-teeth", "helper-lower-teeth", "helper-tongue"}


def read_obj(path):
    points, triangles, group, cubes = [], [], "", {}
    for line in open(path):
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            points.append([float(w) for w in words[1:4]])
        elif words[0] == "g":
            group = words[1]
        elif words[0] == "f":
            at = [int(w.split("/")[0]) - 1 for w in words[1:]]
            if group in GROUPS:
                triangles += [(at[0], at[k], at[k + 1]) for k in range(1, len(at) - 1)]
            elif group.startswith("joint-"):
                cubes.setdefault(group, set()).update(at)
    return points, triangles, cubes


def mean(points, which):
    return [sum(points[k][a] for k in which) / len(which) for a in range(3)]


def default_rig(data, points):
    rig = json.load(open(data + "/skinning/makehuman/default.mhskel"))
    weights = json.load(open(data + "/skinning/makehuman/default_weights.mhw"))["weights"]
    heads = {n: mean(points, rig["joints"][b["head"]]) for n, b in rig["bones"].items()}
    return {n: b["parent"] for n, b in rig["bones"].items()}, heads, weights


def mixamo_rig(data, points, cubes):
    bones = json.load(open(data + "/skinning/makehuman/rig.mixamo.json"))["bones"]
    weights = json.load(open(data + "/skinning/makehuman/weights.mixamo.json"))["weights"]

    def head(b):
        h = b["head"]
        if h["strategy"] == "VERTEX":
            return points[h["vertex_index"]]
        if h["strategy"] == "MEAN":
            return mean(points, h["vertex_indices"])
        if h["strategy"] == "CUBE":
            return mean(points, sorted(cubes[h["cube_name"]]))
        raise SystemExit("makehuman-rigs: expected a bone by vertices, found " + h["strategy"])

    return {n: b["parent"] or None for n, b in bones.items()}, {n: head(b) for n, b in bones.items()}, weights


def ordered(parents):
    """Names, parents before children."""
    out = []
    while len(out) < len(parents):
        out += [n for n, p in parents.items() if n not in out and (p is None or p in out)]
    return out


def write(path, points, triangles, parents, heads, weights):
    used = sorted({k for t in triangles for k in t})
    new = {old: k for k, old in enumerate(used)}
    names = ordered(parents)
    rows = {k: [] for k in used}
    for j, name in enumerate(names):
        for v, w in weights.get(name, []):
            if v in rows and w > 0:
                rows[v].append((w, j))
    blob, views, accessors = b"", [], []

    def add(data, component, kind, count, **more):
        nonlocal blob
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "type": kind, "count": count, **more})
        blob += data + bytes(-len(data) % 4)
        return len(accessors) - 1

    at = [points[k] for k in used]
    low, high = [min(p[a] for p in at) for a in range(3)], [max(p[a] for p in at) for a in range(3)]
    attributes = {"POSITION": add(b"".join(struct.pack("<3f", *p) for p in at), 5126, "VEC3", len(at), min=low, max=high)}
    for part in range(2):
        joints, values = b"", b""
        for k in used:
            row = sorted(rows[k], reverse=True)[:8]
            total = sum(w for w, _ in row) or 1
            row = [(w / total, j) for w, j in row][4 * part : 4 * part + 4]
            row += [(0, 0)] * (4 - len(row))
            joints += struct.pack("<4H", *(j for _, j in row))
            values += struct.pack("<4f", *(w for w, _ in row))
        attributes["JOINTS_%d" % part] = add(joints, 5123, "VEC4", len(used))
        attributes["WEIGHTS_%d" % part] = add(values, 5126, "VEC4", len(used))
    index = b"".join(struct.pack("<3I", *(new[k] for k in t)) for t in triangles)
    indices = add(index, 5125, "SCALAR", 3 * len(triangles))
    inverse = b"".join(struct.pack("<16f", 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *(-x for x in heads[n]), 1) for n in names)
    matrices = add(inverse, 5126, "MAT4", len(names))
    nodes = []
    for name in names:
        up = parents[name]
        at = [a - b for a, b in zip(heads[name], heads[up])] if up else heads[name]
        nodes.append({"name": name, "translation": at})
        children = [names.index(c) for c in names if parents[c] == name]
        if children:
            nodes[-1]["children"] = children
    nodes.append({"name": "human", "mesh": 0, "skin": 0})
    gltf = {
        "asset": {"version": "2.0", "copyright": "MakeHuman, CC0"},
        "scene": 0,
        "scenes": [{"nodes": [k for k, n in enumerate(names) if parents[n] is None] + [len(names)]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices}]}],
        "skins": [{"joints": list(range(len(names))), "inverseBindMatrices": matrices}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(blob), "uri": "data:application/octet-stream;base64," + base64.b64encode(blob).decode()}],
    }
    json.dump(gltf, open(path, "w"))


def main():
    data, out = sys.argv[1:3]
    points, triangles, cubes = read_obj(data + "/meshes/makehuman_base.obj")
    write(out + "/mh_default.gltf", points, triangles, *default_rig(data, points))
    write(out + "/mh_mixamo.gltf", points, triangles, *mixamo_rig(data, points, cubes))


if __name__ == "__main__":
    main()
