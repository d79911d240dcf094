# What Blender reads of files: where joints and vertices are at some moments of their first animation.
# blender -b --factory-startup --python blender_pose.py -- LIST.json OUT.json    (Blender 3.4 or later)
# LIST is [path, …]. OUT is [{"fps", "times": [s], "joints": {name: [x, y, z, … a moment]}, "vertices": [base64 of floats, a moment],
# "bones": how many, "scales": x y z of each armature} or {"refused": why}, …], in Blender's units, +Y up.
import array
import base64
import builtins
import collections
import json
import os
import re
import sys

import bpy
import numpy
from mathutils import Matrix

# What the importers of 3.4 use, and Python 3.11 and newer numpy have no longer.
for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)
open_file = builtins.open
builtins.open = lambda file, mode="r", *rest, **named: open_file(file, mode.replace("U", ""), *rest, **named)

MOMENTS = 7
Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))


def read(path):
    """The frame at which the file's time is 0."""
    kind = os.path.splitext(path)[1].lower()
    if kind == ".bvh":
        bpy.ops.import_anim.bvh(filepath=path, frame_start=1, update_scene_fps=True)
        return 1
    if kind == ".fbx":
        bpy.ops.import_scene.fbx(filepath=path, anim_offset=0)
        return 0
    bpy.ops.import_scene.gltf(filepath=path, import_shading="NORMALS")
    return 0


def actions():
    owners = list(bpy.data.objects) + [m.shape_keys for m in bpy.data.meshes if m.shape_keys]
    return [o.animation_data.action for o in owners if o.animation_data and o.animation_data.action]


def moments():
    """Frames at which most curves have keys, since Blender and a file may differ on what is between."""
    curves = [[k.co[0] for k in c.keyframe_points] for a in actions() for c in a.fcurves]
    count = collections.Counter(k for c in curves if len(c) > 1 for k in c) or {0: 1}
    keys = sorted(k for k in count if count[k] == max(count.values()))
    picked = [keys[i * (len(keys) - 1) // (MOMENTS - 1)] for i in range(MOMENTS)]
    return sorted(set(picked))


def joints(armatures):
    for o in armatures:
        for bone in o.pose.bones:
            yield bone.name, Y_UP @ o.matrix_world @ bone.head
    for o in bpy.data.objects:
        # A skinned mesh stands where its skeleton is, whatever its node says. Cameras and lights are no part of a body.
        if o.type in ("EMPTY", "MESH") and not any(m.type == "ARMATURE" for m in o.modifiers):
            yield o.name, Y_UP @ o.matrix_world.translation


def vertices(meshes, graph):
    out = array.array("f")
    for o in meshes:
        seen = o.evaluated_get(graph)
        mesh = seen.to_mesh()
        world = Y_UP @ seen.matrix_world
        for v in mesh.vertices:
            out.extend(world @ v.co)
        seen.to_mesh_clear()
    return base64.b64encode(out.tobytes()).decode()


def look(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    try:
        zero = read(path)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines()]
        return {"refused": next((line for line in reversed(lines) if re.match(r"\w*Err", line)), lines[-1])}
    scene = bpy.context.scene
    fps = scene.render.fps / scene.render.fps_base
    armatures = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    shapes = {b.custom_shape for o in armatures for b in o.pose.bones}
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and o not in shapes and o.name in scene.objects]
    out = {"fps": fps, "times": [], "joints": {}, "vertices": []}
    out["bones"] = sum(len(o.data.bones) for o in armatures)
    out["scales"] = [x for o in armatures for x in o.matrix_world.to_scale()]
    for frame in moments():
        scene.frame_set(int(frame // 1), subframe=frame % 1)
        out["times"].append((frame - zero) / fps)
        for name, place in joints(armatures):
            out["joints"].setdefault(name, []).extend(round(x, 9) for x in place)
        out["vertices"].append(vertices(meshes, bpy.context.evaluated_depsgraph_get()))
    return out


listed, out = sys.argv[sys.argv.index("--") + 1:][:2]
with open(listed) as file:
    found = [look(path) for path in json.load(file)]
with open(out, "w") as file:
    json.dump(found, file)
