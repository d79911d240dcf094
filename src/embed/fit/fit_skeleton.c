/// Moves a skeleton: placed joints to their new positions, the others along with them.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/body_joint.h"
#include "embed/fit/fit.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"
#include "limber/embed.h"

#include <math.h>

// ---- moving

/// Rotation and scale of the children of a joint.
typedef struct joint_motion {
    lmb_quat rotation;
    float scale;
} joint_motion;

static joint_motion motion_of_bone(const lmbi_fit *f, lmb_vec3 from, lmb_vec3 from_end, lmb_vec3 to,
                                   lmb_vec3 to_end)
{
    const lmb_vec3 before = lmb_quat_rotate(f->rotation, lmb_vec3_sub(from_end, from)),
                   after = lmb_vec3_sub(to_end, to);
    const float a = lmb_vec3_length(before), b = lmb_vec3_length(after);
    if (!(a > 0) || !(b > 0)) {
        return (joint_motion){f->rotation, f->scale};
    }
    const lmb_quat least =
        lmb_quat_between(lmb_vec3_scale(before, 1 / a), lmb_vec3_scale(after, 1 / b));
    return (joint_motion){lmb_quat_normalize(lmb_quat_mul(least, f->rotation)), b / a};
}

/// The placed joints between which a joint lies that is not placed.
typedef struct placed_neighbours {
    int32_t *above; ///< [count] the nearest placed joint at or above it, or LMB_NONE
    int32_t *below; ///< [count] a placed joint below it if it is not placed, or LMB_NONE
} placed_neighbours;

static bool find_placed_neighbours(const lmbi_fit *f, lmbi_arena *arena, placed_neighbours *out)
{
    out->above = lmbi_arena_array(arena, f->count, sizeof(int32_t));
    out->below = lmbi_arena_array(arena, f->count, sizeof(int32_t));
    if (!out->above || !out->below) {
        return false;
    }
    for (uint32_t j = 0; j < f->count; ++j) {
        const int32_t p = f->from->parents[j];
        out->above[j] = f->placed[j] ? (int32_t)j : p == LMB_NONE ? LMB_NONE : out->above[p];
        out->below[j] = LMB_NONE;
    }
    for (uint32_t j = f->count; j-- > 0;) {
        const int32_t p = f->from->parents[j];
        if (p != LMB_NONE && out->below[p] == LMB_NONE) {
            out->below[p] = f->placed[j] ? (int32_t)j : out->below[j];
        }
    }
    return true;
}

/// Rotation and scale of a joint: of its own bone, of the bone between the placed joints around it,
/// or of the joint above.
static joint_motion motion_of(const lmbi_fit *f, const placed_neighbours *k,
                              const joint_motion *motions, uint32_t joint)
{
    const int32_t above = k->above[joint], below = k->below[joint];
    if (above == LMB_NONE) {
        return (joint_motion){f->rotation, f->scale};
    }
    if (!f->placed[joint] && below != LMB_NONE) {
        return motion_of_bone(f, f->at[above], f->at[below], f->to[above], f->to[below]);
    }
    if (!f->placed[joint]) {
        return motions[above];
    }
    if (f->bones[joint].known) {
        return motion_of_bone(f, f->at[joint], f->bones[joint].from_end, f->to[joint],
                              f->bones[joint].to_end);
    }
    const int32_t p = f->from->parents[joint];
    return p == LMB_NONE || k->above[p] == LMB_NONE || above == f->root
               ? (joint_motion){f->rotation, f->scale}
               : motions[p];
}

/// The position of a joint above the root or beside the body: scaled with the whole, vertically so
/// that the ground stays the ground.
static lmb_vec3 place_above_root(const lmbi_fit *f, lmb_vec3 at, float ground)
{
    const lmb_vec3 up = f->into->up, root = f->to[f->root];
    const lmb_vec3 d = lmb_quat_rotate(f->rotation, lmb_vec3_sub(at, f->at[f->root]));
    const float high = lmb_vec3_dot(d, up), stands = lmb_vec3_dot(root, up),
                floor = lmb_vec3_dot(f->into->ground, up);
    const lmb_vec3 flat = lmb_vec3_scale(lmb_vec3_mad(d, up, -high), f->scale);
    const float per_height = ground < 0 ? (floor - stands) / ground : f->scale;
    return lmb_vec3_mad(lmb_vec3_add(root, flat), up, high * per_height);
}

/// How far the ground is below the root: its lowest joint, or the scene's origin if that is within
/// a tenth of the same height.
static float ground_of(const lmbi_fit *f)
{
    float low = 0;
    for (uint32_t j = 0; j < f->count; ++j) {
        if (f->placed[j]) {
            const lmb_vec3 d = lmb_quat_rotate(f->rotation, lmb_vec3_sub(f->at[j], f->at[f->root]));
            low = fminf(low, lmb_vec3_dot(d, f->into->up));
        }
    }
    const lmb_vec3 origin = lmb_quat_rotate(f->rotation, lmb_vec3_neg(f->at[f->root]));
    const float scene = lmb_vec3_dot(origin, f->into->up);
    return fabsf(scene - low) < -0.1f * low ? scene : low;
}

typedef struct moved {
    lmb_vec3 *to;
    joint_motion *motions;
} moved;

static bool move_all(const lmbi_fit *f, lmbi_arena *arena, moved *out, uint32_t *placed)
{
    placed_neighbours k;
    out->to = lmbi_arena_array(arena, f->count, sizeof(lmb_vec3));
    out->motions = lmbi_arena_array(arena, f->count, sizeof(joint_motion));
    if (!out->to || !out->motions || !find_placed_neighbours(f, arena, &k)) {
        return false;
    }
    const float ground = ground_of(f);
    *placed = 0;
    for (uint32_t j = 0; j < f->count; ++j) {
        const int32_t above = k.above[j];
        const joint_motion p = out->motions[j] = motion_of(f, &k, out->motions, j);
        *placed += f->placed[j];
        if (f->placed[j]) {
            out->to[j] = f->to[j];
        } else if (above == LMB_NONE) {
            out->to[j] = place_above_root(f, f->at[j], ground);
        } else {
            const lmb_vec3 d = lmb_vec3_sub(f->at[j], f->at[above]);
            out->to[j] = lmb_vec3_mad(f->to[above], lmb_quat_rotate(p.rotation, d), p.scale);
        }
    }
    return true;
}

// ---- building

/// Creates the skeleton with rest transforms that put every joint in its new position; scales are
/// kept.
static lmb_result create_skeleton(const lmbi_fit *f, const moved *m, lmbi_arena *arena,
                                  const lmb_allocator *alloc, lmb_skeleton **out, lmb_error *error)
{
    lmb_skeleton def = *f->from;
    lmb_mat4 *model = lmbi_arena_array(arena, f->count, sizeof *model);
    lmb_quat *rotations = lmbi_arena_array(arena, f->count, sizeof *rotations);
    def.rest = lmbi_arena_array(arena, f->count, sizeof *def.rest);
    def.tips = lmbi_arena_array(arena, f->count, sizeof *def.tips);
    if (!model || !rotations || !def.rest || !def.tips) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < f->count; ++j) {
        const int32_t p = def.parents[j];
        lmb_mat4 back = lmb_mat4_identity();
        if (p != LMB_NONE && !lmb_mat4_inverse_affine(model[p], &back)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "joints with a size at rest",
                             "%s is scaled to nothing", def.names[p]);
        }
        rotations[j] = lmb_quat_normalize(lmb_quat_mul(m->motions[j].rotation, f->rotations[j]));
        def.rest[j] = (lmb_transform){
            lmb_mat4_point(back, m->to[j]),
            p == LMB_NONE
                ? rotations[j]
                : lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(rotations[p]), rotations[j])),
            f->from->rest[j].scale};
        const lmb_mat4 local = lmb_mat4_from_transform(def.rest[j]);
        model[j] = p == LMB_NONE ? local : lmb_mat4_mul(model[p], local);
        if (f->placed[j] && f->bones[j].known && lmb_mat4_inverse_affine(model[j], &back)) {
            def.tips[j] = lmb_mat4_point(back, f->bones[j].to_end);
        } else if (f->from->tips) {
            def.tips[j] = lmb_vec3_scale(f->from->tips[j], m->motions[j].scale);
        }
    }
    return lmb_skeleton_create(&def, alloc, out, error);
}

static lmb_result measure_rest_pose(lmbi_fit *f, lmbi_arena *arena, lmb_error *error)
{
    f->model = lmbi_arena_array(arena, f->count, sizeof *f->model);
    f->at = lmbi_arena_array(arena, f->count, sizeof *f->at);
    f->rotations = lmbi_arena_array(arena, f->count, sizeof *f->rotations);
    f->placed = lmbi_arena_array(arena, f->count, sizeof *f->placed);
    f->to = lmbi_arena_array(arena, f->count, sizeof *f->to);
    f->bones = lmbi_arena_array(arena, f->count, sizeof *f->bones);
    if (!f->model || !f->at || !f->rotations || !f->placed || !f->to || !f->bones) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = f->from, .model_from_joint = f->model});
    for (uint32_t j = 0; j < f->count; ++j) {
        const int32_t p = f->from->parents[j];
        f->at[j] = lmb_mat4_translation(f->model[j]);
        f->rotations[j] = p == LMB_NONE ? f->from->rest[j].rotation
                                        : lmb_quat_mul(f->rotations[p], f->from->rest[j].rotation);
    }
    return LMB_OK;
}

static lmb_result place_joints(lmbi_fit *f, const lmb_joint_map *map, lmbi_arena *arena,
                               lmb_error *error)
{
    lmb_result result = measure_rest_pose(f, arena, error);
    bool found = false;
    if (result == LMB_OK && map) {
        int32_t humanoid[LMBI_HUMANOID_JOINTS];
        for (uint32_t j = 0; j < LMBI_HUMANOID_JOINTS; ++j) {
            humanoid[j] = map->bones[lmb_human_bone_find(lmbi_body_joint_name(j))].joint;
        }
        found = lmbi_fit_human(f, humanoid);
    } else if (result == LMB_OK) {
        result = lmbi_fit_limbs(f, arena, &found, error);
    }
    if (result == LMB_OK && !found) {
        uint32_t placed = 0;
        for (uint32_t j = 0; j < f->count; ++j) {
            placed += f->placed[j];
        }
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a skeleton with limbs like the mesh's",
                           "%u of %u joints with a position in this %s", placed, f->count,
                           lmb_skeleton_kind_name(f->into->kind));
    }
    return result;
}

lmb_result lmb_skeleton_fit(const lmb_skeleton *skeleton, const lmb_skeleton_fit_opts *opts,
                            const lmb_embedding *into, const lmb_allocator *alloc,
                            lmb_skeleton **out, lmb_skeleton_fit_report *report, lmb_error *error)
{
    static const lmb_skeleton_fit_opts defaults;
    opts = opts ? opts : &defaults;
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_fit f = {.from = skeleton,
                  .deforms = opts->deforms,
                  .into = into,
                  .count = skeleton->joint_count,
                  .scale = 1,
                  .rotation = lmb_quat_identity()};
    moved m;
    uint32_t placed = 0;
    lmb_result result = place_joints(&f, opts->map, &arena, error);
    if (result == LMB_OK && !move_all(&f, &arena, &m, &placed)) {
        result = lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        result = create_skeleton(&f, &m, &arena, alloc, out, error);
    }
    if (result == LMB_OK && report) {
        *report = (lmb_skeleton_fit_report){placed, f.count - placed};
    }
    lmbi_arena_free(&arena);
    return result;
}

// ---- whether a skeleton already stands in a mesh, as one that was made for it does

/// The least fraction of the bones that is inside; the least diagonal of the box of the joints, and
/// the largest distance of its middle from the mesh's, both in diagonals of the mesh.
static const float INSIDE = 0.97f, LARGE = 0.42f, APART = 0.25f;

static bool deforms_at(const uint8_t *deforms, uint32_t joint)
{
    return !deforms || deforms[joint];
}

/// Whether a voxel within two of p is solid.
static bool near_solid(const lmbi_voxel_body *body, lmb_vec3 p)
{
    const lmbi_grid *g = &body->grid;
    const int32_t i = (int32_t)floorf((p.x - g->low.x) / g->cell),
                  j = (int32_t)floorf((p.y - g->low.y) / g->cell),
                  k = (int32_t)floorf((p.z - g->low.z) / g->cell);
    for (int n = 0; n < 125; ++n) {
        const int32_t a = i + n % 5 - 2, b = j + n / 5 % 5 - 2, c = k + n / 25 - 2;
        if (a >= 0 && b >= 0 && c >= 0 && a < g->nx && b < g->ny && c < g->nz &&
            body->cells[lmbi_grid_index(g, a, b, c)]) {
            return true;
        }
    }
    return false;
}

static float fraction_inside(const lmbi_voxel_body *body, const lmb_skeleton *s,
                             const uint8_t *deforms, const lmb_mat4 *model)
{
    enum { STEPS = 6 };
    uint32_t count = 0, inside = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        int32_t p = s->parents[j];
        while (p != LMB_NONE && !deforms_at(deforms, (uint32_t)p)) {
            p = s->parents[p];
        }
        if (!deforms_at(deforms, j)) {
            continue;
        }
        const lmb_vec3 to = lmb_mat4_translation(model[j]),
                       from = p == LMB_NONE ? to : lmb_mat4_translation(model[p]);
        for (int k = p == LMB_NONE ? STEPS : 1; k <= STEPS; ++k) {
            ++count;
            inside += near_solid(body, lmb_vec3_lerp(from, to, (float)k / STEPS));
        }
    }
    return count ? (float)inside / (float)count : 0;
}

/// Whether the joints are about as large as the mesh and in the same place.
static bool has_size_of_mesh(const lmb_box *mesh, const lmb_skeleton *s, const uint8_t *deforms,
                             const lmb_mat4 *model)
{
    lmb_box joints = lmb_box_empty();
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (deforms_at(deforms, j)) {
            joints = lmb_box_add(joints, lmb_mat4_translation(model[j]));
        }
    }
    const float all = lmb_vec3_distance(mesh->low, mesh->high);
    const lmb_vec3 middle = lmb_vec3_lerp(mesh->low, mesh->high, 0.5f);
    return lmb_vec3_distance(joints.low, joints.high) >= LARGE * all &&
           lmb_vec3_distance(lmb_vec3_lerp(joints.low, joints.high, 0.5f), middle) <= APART * all;
}

static lmb_result stands_in(const lmb_skeleton *s, const uint8_t *deforms,
                            const lmb_surface *surface, const lmb_mat4 *model,
                            const lmb_allocator *alloc, bool *out, lmb_error *error)
{
    const lmbi_triangle_soup soup = {surface->positions, surface->vertex_count, surface->triangles,
                                     surface->triangle_count};
    const lmb_box box = lmb_box_of(surface->positions, surface->vertex_count);
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    const float longest = lmbi_longest_side(size);
    if (surface->triangle_count == 0 || !(longest > 0) || !isfinite(longest)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with an extent",
                         "%u triangles of extent %g", surface->triangle_count, (double)longest);
    }
    if (!has_size_of_mesh(&box, s, deforms, model)) {
        *out = false;
        return LMB_OK;
    }
    lmbi_voxel_body body;
    const lmb_result result =
        lmbi_body_create_in(&soup, box, longest / 100, 0, alloc, &body, error);
    if (result == LMB_OK) {
        *out = fraction_inside(&body, s, deforms, model) >= INSIDE;
        lmbi_body_destroy(&body);
    }
    return result;
}

lmb_result lmb_skeleton_fits_mesh(const lmb_skeleton *skeleton, const uint8_t *deforms,
                                  const lmb_surface *surface, const lmb_allocator *alloc, bool *out,
                                  lmb_error *error)
{
    lmb_mat4 *model = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *model);
    if (!model) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    const lmb_result result = stands_in(skeleton, deforms, surface, model, alloc, out, error);
    lmbi_free(alloc, model);
    return result;
}
