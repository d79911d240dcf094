# Blender's automatic weights beside painted ones, for weights_bench's table:
#   blender -b --python bench/peers/blender_heat.py -- FILE... > report
# For each .fbx, .glb, .gltf, .vrm or .dae a line of JSON: the mean over the skinned vertices of the sum of the
# differences to the painted row (0 to 2) with the meshes as imported and with vertices in one place welded
# over all meshes first, how many vertices were left without weight (they count 1 each), and seconds.
# Needs numpy for Blender's Python (Debian: python3-numpy).
import json
import os
import sys
import time

import numpy

for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
    if name not in numpy.__dict__:  # Blender 3.4's importers use aliases that newer numpy dropped
        setattr(numpy, name, kind)
import bpy


def read(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    kind = os.path.splitext(path)[1].lower()
    if kind == ".fbx":
        bpy.ops.import_scene.fbx(filepath=path, use_anim=False)
    elif kind == ".dae":
        bpy.ops.wm.collada_import(filepath=path)
    else:
        if kind == ".vrm":  # a GLB by another name
            copy = os.path.join(bpy.app.tempdir, "vrm.glb")
            with open(path, "rb") as source, open(copy, "wb") as target:
                target.write(source.read())
            path = copy
        bpy.ops.import_scene.gltf(filepath=path)


def armature_of(o):
    for m in o.modifiers:
        if m.type == "ARMATURE" and m.object:
            return m.object
    return o.parent if o.parent and o.parent.type == "ARMATURE" else None


def rows_of(o, names):
    """For every vertex its weights by bone, summing to 1 where there are any."""
    groups = {g.index: g.name for g in o.vertex_groups}
    rows = []
    for v in o.data.vertices:
        row = {groups[g.group]: g.weight for g in v.groups if groups.get(g.group) in names and g.weight > 0}
        total = sum(row.values())
        rows.append({n: w / total for n, w in row.items()} if total > 0 else {})
    return rows


def select_only(objects):
    for o in bpy.data.objects:
        o.select_set(o in objects)


def bind(o, armature):
    """Automatic weights; the vertex groups that it makes replace the painted ones."""
    o.vertex_groups.clear()
    for m in [m for m in o.modifiers if m.type == "ARMATURE"]:
        o.modifiers.remove(m)
    world = o.matrix_world.copy()
    o.parent = None
    o.matrix_world = world
    select_only([o, armature])
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")


def point_bones(armature):
    """Importers guess where bones end; a bone with one child ends where that begins."""
    select_only([armature])
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        ends = [c.head for c in bone.children if (c.head - bone.head).length > 1e-4]
        if len(ends) == 1:
            bone.tail = ends[0]
    bpy.ops.object.mode_set(mode="OBJECT")


def difference(painted, given):
    return sum(abs(painted.get(n, 0) - given.get(n, 0)) for n in set(painted) | set(given))


def measure(path, weld):
    read(path)
    meshes = [(o, armature_of(o)) for o in bpy.data.objects if o.type == "MESH" and armature_of(o)]
    if not meshes:
        sys.exit("blender_heat: no skinned mesh in " + path)
    armature = max({a for _, a in meshes}, key=lambda a: sum(len(o.data.vertices) for o, b in meshes if a == b))
    bodies = [o for o, a in meshes if a == armature]
    armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    names = {b.name for b in armature.data.bones}
    painted = [(o.matrix_world @ v.co, row) for o in bodies for v, row in zip(o.data.vertices, rows_of(o, names))]
    painting = set().union(*(row for _, row in painted))
    for bone in armature.data.bones:  # those that carry weight in the file deform
        bone.use_deform = bone.name in painting
    point_bones(armature)
    for o in bodies:
        for m in [m for m in o.modifiers if m.type != "ARMATURE"]:
            o.modifiers.remove(m)
        if o.data.users > 1:
            o.data = o.data.copy()
        if o.data.shape_keys:
            o.shape_key_clear()
    if weld:
        select_only(bodies)
        bpy.context.view_layer.objects.active = bodies[0]
        if len(bodies) > 1:
            bpy.ops.object.join()
        bodies = [bodies[0]]
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.remove_doubles(threshold=1e-6)
        bpy.ops.object.mode_set(mode="OBJECT")
    begin = time.process_time()
    for o in bodies:
        bind(o, armature)
    took = time.process_time() - begin
    given = {}
    for o in bodies:
        for v, row in zip(o.data.vertices, rows_of(o, names)):
            given.setdefault(tuple(round(c, 5) for c in o.matrix_world @ v.co), []).append(row)
    total = bare = 0
    at = 0
    for o in bodies if not weld else []:
        for row in rows_of(o, names):
            total += difference(painted[at][1], row)
            bare += not row
            at += 1
    for place, row in painted if weld else []:
        mine = given.get(tuple(round(c, 5) for c in place), [{}])[0]
        total += difference(row, mine)
        bare += not mine
    return total / len(painted), bare, len(painted), took


for path in sys.argv[sys.argv.index("--") + 1:]:
    line = {"file": os.path.basename(path)}
    for key, weld in (("imported", False), ("welded", True)):
        off, bare, count, took = measure(path, weld)
        line.update({key: round(off, 3), key + "_bare": bare, "vertices": count, key + "_s": round(took, 3)})
    print("blender_heat " + json.dumps(line), flush=True)
