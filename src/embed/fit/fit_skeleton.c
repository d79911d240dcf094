/// Moves a skeleton: placed joints to their new positions, the others along with them.
#include "asset/tree.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "embed/fit/fit.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>

// ---- moving

/// Rotation and scale of the children of a joint.
typedef struct joint_motion {
    lmb_quat rotation;
    float scale;
} joint_motion;

/// A skeleton on its way: where the placed joints around each joint are, and how each moves.
typedef struct moving {
    lmbi_fit f;
    int32_t *above; ///< [count] the nearest placed joint at or above it, or LMB_NONE
    int32_t *below; ///< [count] a placed joint below it if it is not placed, or LMB_NONE
    joint_motion whole, *motions;
} moving;

static joint_motion motion_of_bone(const moving *m, lmb_vec3 from, lmb_vec3 from_end, lmb_vec3 to,
                                   lmb_vec3 to_end)
{
    const lmb_vec3 before = lmb_quat_rotate(m->whole.rotation, lmb_vec3_sub(from_end, from)),
                   after = lmb_vec3_sub(to_end, to);
    const float a = lmb_vec3_length(before), b = lmb_vec3_length(after);
    if (!(a > 0) || !(b > 0)) {
        return m->whole;
    }
    const lmb_quat least =
        lmb_quat_between(lmb_vec3_scale(before, 1 / a), lmb_vec3_scale(after, 1 / b));
    return (joint_motion){lmb_quat_normalize(lmb_quat_mul(least, m->whole.rotation)), b / a};
}

static void find_placed_neighbours(moving *m)
{
    const lmbi_fit *f = &m->f;
    for (uint32_t j = 0; j < f->count; ++j) {
        const int32_t p = f->from->parents[j];
        m->above[j] = f->placed[j] ? (int32_t)j : p == LMB_NONE ? LMB_NONE : m->above[p];
        m->below[j] = LMB_NONE;
    }
    for (uint32_t j = f->count; j-- > 0;) {
        const int32_t p = f->from->parents[j];
        if (p != LMB_NONE && m->below[p] == LMB_NONE) {
            m->below[p] = f->placed[j] ? (int32_t)j : m->below[j];
        }
    }
}

/// Rotation and scale of a joint: of its own bone, of the bone between the placed joints around it,
/// or of the joint above. Several limbs hang from the root, so no single bone determines it.
static joint_motion motion_of(const moving *m, int32_t joint)
{
    const lmbi_fit *f = &m->f;
    const int32_t above = m->above[joint], below = m->below[joint], p = f->from->parents[joint];
    if (above == LMB_NONE || joint == f->root) {
        return m->whole;
    }
    if (!f->placed[joint]) {
        return below == LMB_NONE ? m->motions[above]
                                 : motion_of_bone(m, lmbi_fit_at(f, above), lmbi_fit_at(f, below),
                                                  f->to[above], f->to[below]);
    }
    const lmbi_fit_bone *bone = &f->bones[joint];
    if (bone->known) {
        return motion_of_bone(m, lmbi_fit_at(f, joint), bone->from_end, f->to[joint], bone->to_end);
    }
    return p == LMB_NONE || m->above[p] == LMB_NONE ? m->whole : m->motions[p];
}

/// The scale of the whole: by the distances of placed joints from the root.
static float scale_of(const lmbi_fit *f)
{
    float before = 0, after = 0;
    for (uint32_t j = 0; j < f->count; ++j) {
        if (f->placed[j]) {
            before += lmb_vec3_distance(lmbi_fit_at(f, (int32_t)j), lmbi_fit_at(f, f->root));
            after += lmb_vec3_distance(f->to[j], f->to[f->root]);
        }
    }
    return before > 0 ? after / before : 1;
}

/// From the root to a point of the skeleton, as the whole is rotated.
static lmb_vec3 from_root(const lmbi_fit *f, lmb_vec3 at)
{
    return lmb_quat_rotate(f->rotation, lmb_vec3_sub(at, lmbi_fit_at(f, f->root)));
}

/// The position of a joint above the root or beside the body: scaled with the whole, vertically so
/// that the ground stays the ground.
static lmb_vec3 place_above_root(const moving *m, int32_t joint, float ground)
{
    const lmbi_fit *f = &m->f;
    const lmb_vec3 up = f->into->up, root = f->to[f->root], d = from_root(f, lmbi_fit_at(f, joint));
    const float high = lmb_vec3_dot(d, up), stands = lmb_vec3_dot(root, up),
                floor = lmb_vec3_dot(f->into->ground, up);
    const lmb_vec3 flat = lmb_vec3_scale(lmb_vec3_mad(d, up, -high), m->whole.scale);
    const float per_height = ground < 0 ? (floor - stands) / ground : m->whole.scale;
    return lmb_vec3_mad(lmb_vec3_add(root, flat), up, high * per_height);
}

/// How far the ground is below the root: its lowest joint, or the scene's origin if that is within
/// a tenth of the same height.
static float ground_of(const lmbi_fit *f)
{
    const lmb_vec3 origin = {0, 0, 0};
    float low = 0;
    for (uint32_t j = 0; j < f->count; ++j) {
        const float h = lmb_vec3_dot(from_root(f, lmbi_fit_at(f, (int32_t)j)), f->into->up);
        low = f->placed[j] ? fminf(low, h) : low;
    }
    const float scene = lmb_vec3_dot(from_root(f, origin), f->into->up);
    return fabsf(scene - low) < -0.1f * low ? scene : low;
}

/// Moves the joints that are not placed. Returns the number of those that are.
static uint32_t move_all(moving *m)
{
    lmbi_fit *f = &m->f;
    uint32_t placed = 0;
    m->whole = (joint_motion){f->rotation, scale_of(f)};
    find_placed_neighbours(m);
    const float ground = ground_of(f);
    for (int32_t j = 0; j < (int32_t)f->count; ++j) {
        const int32_t above = m->above[j];
        const joint_motion own = m->motions[j] = motion_of(m, j);
        placed += f->placed[j];
        if (above == LMB_NONE) {
            f->to[j] = place_above_root(m, j, ground);
        } else if (!f->placed[j]) {
            const lmb_vec3 d = lmb_vec3_sub(lmbi_fit_at(f, j), lmbi_fit_at(f, above));
            f->to[j] = lmb_vec3_mad(f->to[above], lmb_quat_rotate(own.rotation, d), own.scale);
        }
    }
    return placed;
}

// ---- building

/// Creates the skeleton with rest transforms that put every joint in its new position; scales are
/// kept.
static lmb_result create_skeleton(const moving *m, lmbi_arena *arena, const lmb_allocator *alloc,
                                  lmb_skeleton **out, lmb_error *error)
{
    const lmbi_fit *f = &m->f;
    const lmb_vec3 one = {1, 1, 1};
    lmb_skeleton def = *f->from;
    lmb_transform *model = lmbi_arena_array(arena, f->count, sizeof *model);
    def.rest = lmbi_arena_array(arena, f->count, sizeof *def.rest);
    def.tips = lmbi_arena_array(arena, f->count, sizeof *def.tips);
    if (arena->failed) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < f->count; ++j) {
        const int32_t p = def.parents[j];
        const lmb_vec3 scale = f->from->rest[j].scale;
        model[j] =
            (lmb_transform){.translation = f->to[j],
                            .rotation = lmb_quat_normalize(
                                lmb_quat_mul(m->motions[j].rotation, f->model[j].rotation)),
                            .scale = p == LMB_NONE ? scale : lmb_vec3_mul(model[p].scale, scale)};
        def.rest[j] = p == LMB_NONE ? model[j] : lmbi_local_of(&model[p], &model[j], scale);
        if (f->placed[j] && f->bones[j].known && (int32_t)j != f->root) {
            const lmb_transform end = {f->bones[j].to_end, lmb_quat_identity(), one};
            def.tips[j] = lmbi_local_of(&model[j], &end, one).translation;
        } else if (f->from->tips) {
            def.tips[j] = lmb_vec3_scale(f->from->tips[j], m->motions[j].scale);
        }
    }
    return lmb_skeleton_create(&def, alloc, out, error);
}

static lmb_result allocate(moving *m, lmbi_arena *arena, lmb_error *error)
{
    lmbi_fit *f = &m->f;
    f->model = lmbi_arena_array(arena, f->count, sizeof *f->model);
    f->placed = lmbi_arena_array(arena, f->count, sizeof *f->placed);
    f->to = lmbi_arena_array(arena, f->count, sizeof *f->to);
    f->bones = lmbi_arena_array(arena, f->count, sizeof *f->bones);
    m->above = lmbi_arena_array(arena, f->count, sizeof *m->above);
    m->below = lmbi_arena_array(arena, f->count, sizeof *m->below);
    m->motions = lmbi_arena_array(arena, f->count, sizeof *m->motions);
    return arena->failed ? lmbi_fail_memory(error) : LMB_OK;
}

static lmb_result place_joints(lmbi_fit *f, const lmb_joint_map *map, const lmb_allocator *alloc,
                               lmb_error *error)
{
    bool found = map && lmbi_fit_human(f, map);
    const lmb_result result = map ? LMB_OK : lmbi_fit_chains(f, alloc, &found, error);
    return result == LMB_OK && !found
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a skeleton with limbs like the mesh's",
                           "a skeleton with other limbs than this %s",
                           lmb_skeleton_kind_name(f->into->kind))
               : result;
}

lmb_result lmb_skeleton_fit(const lmb_skeleton *skeleton, const lmb_skeleton_fit_opts *opts,
                            const lmb_embedding *into, const lmb_allocator *alloc,
                            lmb_skeleton **out, lmb_skeleton_fit_report *report, lmb_error *error)
{
    static const lmb_skeleton_fit_opts defaults;
    opts = opts ? opts : &defaults;
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    moving m = {
        .f = {.from = skeleton, .into = into, .count = skeleton->joint_count, .root = LMB_NONE}};
    lmb_result result = allocate(&m, &arena, error);
    if (result == LMB_OK) {
        lmbi_rest_model(skeleton, m.f.model);
        result = place_joints(&m.f, opts->map, alloc, error);
    }
    if (result == LMB_OK) {
        const uint32_t placed = move_all(&m);
        result = create_skeleton(&m, &arena, alloc, out, error);
        if (result == LMB_OK && report) {
            *report = (lmb_skeleton_fit_report){placed, m.f.count - placed};
        }
    }
    lmbi_arena_free(&arena);
    return result;
}

// ---- whether a skeleton already stands in a mesh, as one that was made for it does

/// The least fraction of the bones that is inside; the least diagonal of the box of the joints, and
/// the largest distance of its middle from the mesh's, both in diagonals of the mesh.
static const float INSIDE = 0.97f, LARGE = 0.42f, APART = 0.25f;

static float fraction_inside(const lmbi_voxel_body *body, const lmb_skeleton *s,
                             const uint8_t *deforms, const lmb_transform *model)
{
    enum { STEPS = 6 };
    uint32_t count = 0, inside = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        int32_t p = s->parents[j];
        while (p != LMB_NONE && deforms && !deforms[p]) {
            p = s->parents[p];
        }
        const lmb_vec3 to = model[j].translation, from = p == LMB_NONE ? to : model[p].translation;
        const int first = p == LMB_NONE ? STEPS : 1;
        for (int k = first; k <= STEPS && (!deforms || deforms[j]); ++k) {
            ++count;
            inside += lmbi_body_is_near(body, lmb_vec3_lerp(from, to, (float)k / STEPS), 2);
        }
    }
    return count ? (float)inside / (float)count : 0;
}

/// Whether the joints are about as large as the mesh and in the same place.
static bool has_size_of_mesh(const lmb_box *mesh, const lmb_skeleton *s, const uint8_t *deforms,
                             const lmb_transform *model)
{
    lmb_box joints = lmb_box_empty();
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        joints = deforms && !deforms[j] ? joints : lmb_box_add(joints, model[j].translation);
    }
    const float all = lmb_vec3_distance(mesh->low, mesh->high);
    const lmb_vec3 middle = lmb_vec3_lerp(mesh->low, mesh->high, 0.5f);
    return lmb_vec3_distance(joints.low, joints.high) >= LARGE * all &&
           lmb_vec3_distance(lmb_vec3_lerp(joints.low, joints.high, 0.5f), middle) <= APART * all;
}

lmb_result lmb_skeleton_fits_mesh(const lmb_skeleton *skeleton, const uint8_t *deforms,
                                  const lmb_surface *surface, const lmb_allocator *alloc, bool *out,
                                  lmb_error *error)
{
    const lmbi_triangle_soup soup = {surface->positions, surface->vertex_count, surface->triangles,
                                     surface->triangle_count};
    const lmb_box box = lmb_box_of(surface->positions, surface->vertex_count);
    const float cell = lmbi_longest_side(lmb_vec3_sub(box.high, box.low)) / 100;
    lmb_transform *model = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *model);
    if (!model) {
        return lmbi_fail_memory(error);
    }
    lmbi_rest_model(skeleton, model);
    lmbi_voxel_body body;
    const lmb_result result = lmbi_body_create_in(&soup, box, cell, 0, alloc, &body, error);
    if (result == LMB_OK) {
        *out = has_size_of_mesh(&box, skeleton, deforms, model) &&
               fraction_inside(&body, skeleton, deforms, model) >= INSIDE;
        lmbi_body_destroy(&body);
    }
    lmbi_free(alloc, model);
    return result;
}
