/// A character in a page's hands, sixty times a second: posed, skinned, dragged, painted, swung.
///
/// A handle names a character that is open; handles are not used again. A handle, joint, clip or
/// mesh that is not there makes a call fail, never the module: it returns 0, NULL or what is said
/// below, and limber_error has the reason. Pointers that are returned hold until the next call with that
/// handle.
///
/// Joints are the nodes of the scene, parents before children, in an order of their own;
/// limber_joint_node gives a joint's index among the `nodes` of the glTF file that limber_character_
/// save writes, and of the one that was read if that was glTF. A mesh, here, is a node that shows
/// one: limber_mesh_node gives the node, limber_mesh_of_file the index among the file's `meshes`.
/// Its vertices are those of all its primitives in one array, each once: in the written file vertex k
/// of primitive p is vertex first_vertex + k here, and primitives may have some in common.
#ifndef LIMBER_STUDIO_LIVE_EXPORTS_H
#define LIMBER_STUDIO_LIVE_EXPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"

// ---- opening

/// Opens a file in memory of any format that can be read, whatever its name. Returns a handle; 0
/// when it cannot be read.
int limber_character_open(const char *path);
void limber_character_close(int handle);
/// Writes the character, with what was painted, in the format that the name's extension says, .glb
/// by default. The pose is not part of it: limber_clip_keep makes a clip of it. 1 done.
int limber_character_save(int handle, const char *path);
/// Why the last call that failed did.
const char *limber_error(void);

// ---- joints and clips

uint32_t limber_joint_count(int handle);
/// Names need not be unique.
const char *limber_joint_name(int handle, uint32_t joint);
/// -1 for a root.
int32_t limber_joint_parent(int handle, uint32_t joint);
/// -1 when there is no such joint.
int32_t limber_joint_node(int handle, uint32_t joint);
/// The first joint of that name, or that is this of a human, as VRM names it ("leftHand"); -1.
int32_t limber_joint_find(int handle, const char *name);

uint32_t limber_clip_count(int handle);
const char *limber_clip_name(int handle, uint32_t clip);
double limber_clip_duration(int handle, uint32_t clip);
/// Makes the pose a clip of one moment, the first of the character's. 1 done.
int limber_clip_keep(int handle, const char *name);

enum {
    LIMBER_KEYS_LINEAR = 0,
    LIMBER_KEYS_STEP,
    LIMBER_KEYS_SMOOTH, ///< cubic curves through the keys
};

/// Makes a clip of keys, the first of the character's, and drops the clip `replaced` (-1: none).
/// `times`, [count] seconds, rise by a tenth of a millisecond at least, from 0 on; `poses` are
/// [count][joint_count][10] as limber_pose. 1 done.
int limber_clip_of_keys(int handle, int32_t replaced, const char *name, uint32_t count,
                        const float *times, const float *poses, int interpolation);
/// How fast a joint passes through a key of a smooth clip: `velocities` [2][3], towards the key and
/// away from it, radians a second about its own axes; NULL: as smoothing has it. Keys that are set anew at the same time keep it. The clip becomes
/// the first. 0 when it has no smooth key at that time.
int limber_clip_slope(int handle, uint32_t clip, uint32_t joint, double time_s,
                      const float *velocities);
/// What the last of limber_clip_keep, limber_clip_of_keys and limber_clip_slope did, as a text by
/// which `limber animate` does the same. NULL before. Valid until the next of them.
const char *limber_keys_text(int handle);

// ---- the pose

/// [joint_count][10]: translation x y z, rotation x y z w, scale x y z; from the joint to its
/// parent, metres. To be read alone.
const float *limber_pose(int handle);
/// Sets `count` joints from `first` on, ten numbers each, as above. Rotations are made unit. 0 when
/// a number is not finite, a rotation is none, or there are not so many joints.
int limber_pose_set(int handle, uint32_t first, uint32_t count, const float *numbers);
int limber_pose_rest(int handle);
/// The clip at a time, its morph weights too; beyond its ends it holds them. Joints that the clip
/// does not move are at rest.
int limber_pose_sample(int handle, uint32_t clip, double time_s);
enum {
    LIMBER_MIRROR_BOTH = 0, ///< the sides are exchanged
    LIMBER_MIRROR_LEFT,     ///< the right side becomes the image of the left
    LIMBER_MIRROR_RIGHT,    ///< the reverse
};

/// Mirrors the pose at x = 0, by the names of joints: relative to the rest pose, which should be
/// symmetric. 1 done.
int limber_pose_mirror(int handle, int side);
/// [joint_count][16] from the joint to the scene, column-major, as springs leave it.
const float *limber_pose_model(int handle);

/// 1 where the pose turns correctives on, or moves helpers: whatever sets the pose sets these too,
/// but for what a sampled clip has keys of.
int limber_driven(int handle);

// ---- meshes

uint32_t limber_mesh_count(int handle);
const char *limber_mesh_name(int handle, uint32_t mesh);
/// -1 when there is no such mesh, here and in the next.
int32_t limber_mesh_node(int handle, uint32_t mesh);
int32_t limber_mesh_of_file(int handle, uint32_t mesh);
uint32_t limber_mesh_vertex_count(int handle, uint32_t mesh);
uint32_t limber_mesh_index_count(int handle, uint32_t mesh);
const uint32_t *limber_mesh_indices(int handle, uint32_t mesh);
uint32_t limber_mesh_primitive_count(int handle, uint32_t mesh);
/// Six numbers: first_index, index_count, first_vertex, vertex_count, material (-1: none), and what
/// it is made of (0 triangles, 1 lines, 2 points).
const int32_t *limber_mesh_primitive(int handle, uint32_t mesh, uint32_t primitive);
/// How many morph targets, and [target_count] how much of each there is in the pose.
uint32_t limber_mesh_target_count(int handle, uint32_t mesh);
const float *limber_mesh_weights(int handle, uint32_t mesh);
/// [vertex_count][3] in the scene at rest: where brushes go.
const float *limber_mesh_rest(int handle, uint32_t mesh);
/// [vertex_count][3] in the scene as the pose has it: morphs and skin applied.
const float *limber_skin(int handle, uint32_t mesh);
/// The same for normals, unit; NULL when the mesh has none.
const float *limber_skin_normals(int handle, uint32_t mesh);

enum {
    LIMBER_SKIN_LINEAR = 0,
    LIMBER_SKIN_DUAL,       ///< dual quaternions
    LIMBER_SKIN_CENTER,     ///< about centres of rotation
    LIMBER_SKIN_DELTA_MUSH, ///< over linear
    LIMBER_SKIN_MUSH,       ///< direct delta mush
    LIMBER_SKIN_RIGID,      ///< every vertex with one joint
};

/// All meshes at a pose that is handed in, [joint_count][10] as limber_pose, morphs as they are set,
/// by a method of the above: what `bake --skin` writes. limber_pose and limber_skin are as they
/// were. 1 done.
int limber_deform(int handle, int method, const float *pose);
/// What came of it, as limber_skin and limber_skin_normals.
const float *limber_deformed(int handle, uint32_t mesh);
const float *limber_deformed_normals(int handle, uint32_t mesh);

// ---- on a GPU

/// The text of docs/gpu.md for a vertex shader of WebGL 2: palettes in a texture of 1024 texels a
/// row, normals and tangents, morphs not. `dual` 0: linear blend; 1: dual quaternions. `influences`
/// a vertex, 1 to 8. NULL when that is not to be had. Valid until the next call of either.
const char *limber_gpu_text(int dual, uint32_t influences);

/// The same for WebGPU. Valid until the next call of either.
const char *limber_gpu_wgsl(int dual, uint32_t influences);

// ---- the body

enum {
    LIMBER_BODY_HUMAN = 1, ///< human motions fit it
    LIMBER_BODY_WALKS = 2, ///< it has legs in pairs
};

/// What the joints make of it: the flags above together; -1 when the call fails.
int limber_body(int handle);
/// Whose made motions it takes: an lmb_motion_body, LMB_MOTION_BODIES where none; -1 when the
/// call fails.
int limber_motion_body(int handle);

// ---- dragging

enum {
    LIMBER_DRAG_AUTO = 0, ///< the end of a limb moves the limb, anything else the whole body
    LIMBER_DRAG_LIMB,     ///< two bones; the joint is the end of a limb or has two above it
    LIMBER_DRAG_BODY,     ///< the whole body; pins are kept
    /// A limb swings about the line between its ends, which stay, so that the joint, its elbow or knee
    /// or any with one above and below, lies towards the point. Limits of joints are not looked at.
    LIMBER_DRAG_POLE,
};

/// Moves a joint to a point of the scene, as near as limbs and limits let it. Calls with the same
/// joint are one drag, until limber_drag_end or until the pose is set. Returns how far the joint is
/// from the point then, in metres; -1 when the call fails.
float limber_drag(int handle, uint32_t joint, float x, float y, float z, int mode);
int limber_drag_end(int handle);
/// A pinned joint keeps its position while others are dragged, and nearly its rotation. Feet are pinned at
/// first; at most 31 joints can be.
int limber_pin(int handle, uint32_t joint, int on);
/// 1 or 0.
int limber_pinned(int handle, uint32_t joint);

// ---- painting weights

enum {
    LIMBER_BRUSH_ADD = 0,
    LIMBER_BRUSH_REPLACE,
    LIMBER_BRUSH_SCALE,
    LIMBER_BRUSH_SMOOTH,
    LIMBER_BRUSH_MIRROR,
};
enum {
    LIMBER_BRUSH_BOTH_SIDES = 1, ///< and at the mirror image about x = 0, with the joint's partner
    LIMBER_BRUSH_STRAIGHT = 2,   ///< the radius is straight, not along the skin
};

enum {
    LIMBER_FALLOFF_SMOOTH = 0, ///< 1 - 3 t^2 + 2 t^3, t being the distance over the radius
    LIMBER_FALLOFF_LINEAR,     ///< 1 - t
    LIMBER_FALLOFF_CONSTANT,   ///< 1
    LIMBER_FALLOFF_GAUSSIAN,   ///< exp(-4.5 t^2)
};

/// Makes ready to paint. 1 done, also when it was before.
int limber_paint_begin(int handle);
/// Puts the brush down once; the first time begins a stroke. x y z is a point near the skin at rest;
/// `strength` up to 1; `value` a weight, or a factor for SCALE; SMOOTH and MIRROR paint all joints.
int limber_paint_stroke(int handle, int op, uint32_t joint, float x, float y, float z, float radius,
                        float strength, float value, int flags);
/// How the strength of the strokes that follow falls off towards the rim. 1 done.
int limber_paint_falloff(int handle, int falloff);
/// Also chooses the vertices of the loop of edges that runs nearest to a point of the skin at rest, as
/// lmb_painter_choose_loop. 1 done.
int limber_paint_loop(int handle, float x, float y, float z);
/// So many rings more, or, below 0, fewer; none at all.
int limber_paint_grow(int handle, int rings);
int limber_paint_none(int handle);
/// [vertex_count] 1 where a vertex of a mesh is chosen, else 0. Valid until the next call.
const float *limber_paint_chosen(int handle, uint32_t mesh);
/// As limber_paint_stroke, on all chosen vertices alike; of the flags LIMBER_BRUSH_BOTH_SIDES.
int limber_paint_fill(int handle, int op, uint32_t joint, float strength, float value, int flags);
/// Ends the stroke, as saving does: limber_skin then follows the new weights. Returns how many positions of the skin it
/// changed; -1 when the call fails.
int32_t limber_paint_end(int handle);
/// 1 done, 0 when there is nothing to take back or to do again.
int limber_paint_undo(int handle);
int limber_paint_redo(int handle);
/// Weights of locked joints do not change.
int limber_paint_lock(int handle, uint32_t joint, int on);
/// What one vertex of a mesh follows: how many joints, then a joint and its weight for each, all as
/// numbers. NULL when there is no such vertex.
const float *limber_vertex_row(int handle, uint32_t mesh, uint32_t vertex);
/// [vertex_count] how much the vertices of a mesh follow a joint, while a stroke lasts too.
const float *limber_joint_weights(int handle, uint32_t mesh, uint32_t joint);

// ---- steering

enum {
    LIMBER_PLAY_MOVES = 0, ///< stands, walks, runs, jumps
    LIMBER_PLAY_FALLS,     ///< limp
    LIMBER_PLAY_LIES,
    LIMBER_PLAY_RISES, ///< gets up
};

/// The character is steered from now on, from rest: by clips of its own, by their names, that loop:
/// one to stand ("" or NULL: the rest pose), one to walk, one to run ("": none), with the hips going
/// ahead; a clip "jump" and one "get-up" are used where there are any. Ahead of it (+Z) lies a
/// course of a ramp and stairs, level is the rest. 1 done.
int limber_play_begin(int handle, const char *stand, const char *walk, const char *run);
/// One frame of at most a second. `speed`: 0 stands, 1 walks, 2 runs, and between; `turn` to the
/// left, radians a second. Returns [joint_count][10] as limber_pose: in the scene, feet of humans on
/// the ground. limber_pose is as it was.
const float *limber_play_step(int handle, float seconds, float speed, float rotation);
int limber_play_jump(int handle);
/// Lets it fall limp, with the speed that it has; one that fell gets up.
int limber_play_fall(int handle);
/// A LIMBER_PLAY_…; -1 when the call fails.
int limber_play_phase(int handle);
/// Half the width of the course, 0 where there is none, and the height of the level; then ten points of its profile: z and
/// the height over the level.
const float *limber_play_course(int handle);
int limber_play_end(int handle);

// ---- springs

/// Hair, tails and cloth swing from now on: what the file names (VRM), and what limber_springs_add
/// added. Returns how many joints do; -1 when the call fails.
int32_t limber_springs_begin(int handle);
/// Makes a joint and what is below it swing, softly; what swings starts anew.
int32_t limber_springs_add(int handle, uint32_t joint);
/// One frame, after the pose was set. limber_pose stays as it was set; limber_pose_model and
/// limber_skin show what swings. Returns [joint_count][10] as limber_pose, as shown; NULL when
/// nothing swings.
const float *limber_springs_step(int handle, float seconds);
/// Nothing swings any more.
int limber_springs_end(int handle);

#endif
