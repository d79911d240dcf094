#include "author/bound.h"

#include <math.h>

#include "base/error.h"
#include "rig/bind.h"
#include "rig/bind_pose.h"

/// The signed axis that is nearest to v, of those that are not `taken`.
static lmb_vec3 nearest_axis(lmb_vec3 v, lmb_vec3 taken)
{
    const float part[3] = {fabsf(taken.x) > 0.5f ? 0 : v.x, fabsf(taken.y) > 0.5f ? 0 : v.y,
                           fabsf(taken.z) > 0.5f ? 0 : v.z};
    int most = fabsf(part[1]) > fabsf(part[0]) ? 1 : 0;
    most = fabsf(part[2]) > fabsf(part[most]) ? 2 : most;
    const float sign = part[most] < 0 ? -1.0f : 1.0f;
    return lmb_vec3_make(most == 0 ? sign : 0, most == 1 ? sign : 0, most == 2 ? sign : 0);
}

/// A rotation by quarter turns: where it brings the axes of the model.
typedef struct turn {
    lmb_vec3 x, y, z;
} turn;

/// The turn nearest to the rotation that brings x and y to these directions.
static turn nearest_turn(lmb_vec3 x, lmb_vec3 y)
{
    const lmb_vec3 none = {0, 0, 0}, up = nearest_axis(y, none), left = nearest_axis(x, up);
    return (turn){left, up, lmb_vec3_cross(left, up)};
}

static lmb_vec3 turned(const turn *t, lmb_vec3 v)
{
    return lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(t->x, v.x), t->y, v.y), t->z, v.z);
}

/// The rotation about `at` that brings the axes of a mesh to the nearest axes of the model.
static lmb_mat4 upright(lmb_mat4 model_from_mesh, lmb_vec3 at)
{
    const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    const lmb_vec3 up = lmb_vec3_normalize_or(lmb_mat4_vector(model_from_mesh, y), y);
    const lmb_vec3 across = lmb_mat4_vector(model_from_mesh, x);
    const lmb_vec3 left =
        lmb_vec3_normalize_or(lmb_vec3_mad(across, up, -lmb_vec3_dot(across, up)), x);
    const turn near = nearest_turn(left, up);
    const lmb_quat from = lmb_quat_from_axes(left, up, lmb_vec3_cross(left, up)),
                   to = lmb_quat_from_axes(near.x, near.y, near.z);
    const lmb_quat q = lmb_quat_mul(to, lmb_quat_conjugate(from));
    return lmb_mat4_from_transform((lmb_transform){
        .rotation = q,
        .translation = lmb_vec3_sub(at, lmb_quat_rotate(q, at)),
        .scale = {1, 1, 1},
    });
}

static bool is_skinned(const lmb_character *in, uint32_t instance)
{
    const lmb_instance *i = &in->instances[instance];
    return i->skin != LMB_NONE && in->meshes[i->mesh]->influences.first;
}

/// Rotates what was found upright, and finds the matrices to the rest pose.
static void rotate_upright(const lmb_character *in, lmbi_bind_pose *pose, lmb_mat4 *rest)
{
    uint32_t first = 0;
    while (first + 1 < in->instance_count && !is_skinned(in, first)) {
        ++first;
    }
    const lmb_mat4 rotation = upright(pose->model_from_mesh[first],
                                      lmb_mat4_point(pose->model_from_mesh[first], (lmb_vec3){0}));
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        pose->model_from_mesh[i] = lmb_mat4_mul(rotation, pose->model_from_mesh[i]);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = in->skeleton, .model_from_joint = rest});
    for (uint32_t j = 0; j < in->skeleton->joint_count; ++j) {
        lmb_mat4 inverse;
        const bool can = lmb_mat4_inverse_affine(lmb_mat4_mul(rotation, pose->model[j]), &inverse);
        rest[j] = can ? lmb_mat4_mul(rest[j], inverse) : lmb_mat4_identity();
    }
}

lmb_result lmbi_bound_find(const lmb_character *in, const lmbi_gathered *gathered,
                           lmbi_arena *arena, lmbi_bound_mesh *out, lmb_error *error)
{
    lmbi_bind_pose pose = {0};
    bool found = false;
    *out = (lmbi_bound_mesh){0};
    const lmb_result result = lmbi_is_posed(in, gathered->rest)
                                  ? lmbi_find_bind_pose(in, arena, &pose, &found, error)
                                  : LMB_OK;
    if (result != LMB_OK || !found) {
        return result;
    }
    lmb_vec3 *positions = lmbi_arena_array(arena, gathered->position_count, sizeof *positions);
    lmb_mat4 *rest = lmbi_arena_array(arena, in->skeleton->joint_count, sizeof *rest);
    if (!positions || !rest) {
        return lmbi_fail_memory(error);
    }
    rotate_upright(in, &pose, rest);
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        const lmb_mesh *mesh = in->meshes[in->instances[i].mesh];
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            positions[gathered->first_position[i] + v] =
                lmb_mat4_point(pose.model_from_mesh[i], mesh->positions[v]);
        }
    }
    *out = (lmbi_bound_mesh){positions, pose.model_from_mesh, rest};
    return LMB_OK;
}

/// Adds to `shares` how much each joint moves what lies around a point: vertices count by the
/// inverse fourth power of their distance. `least` is a distance below which they count no more.
static void add_shares(const lmbi_bound_mesh *bound, const lmb_character *in,
                       const lmbi_gathered *gathered, lmb_vec3 at, float least, float *shares)
{
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        const lmb_instance *instance = &in->instances[i];
        const lmb_influences *rows = &in->meshes[instance->mesh]->influences;
        const uint32_t first = gathered->first_position[i],
                       count = gathered->first_position[i + 1] - first;
        const bool skinned = is_skinned(in, i);
        for (uint32_t v = 0; v < count; ++v) {
            const lmb_vec3 d = lmb_vec3_sub(bound->positions[first + v], at);
            const float square = lmb_vec3_dot(d, d) + least * least, w = 1 / (square * square);
            if (!skinned) {
                shares[instance->joint] += w;
            }
            for (uint32_t k = skinned ? rows->first[v] : 0; skinned && k < rows->first[v + 1];
                 ++k) {
                shares[in->skins[instance->skin]->joints[rows->items[k].joint]] +=
                    w * rows->items[k].weight;
            }
        }
    }
}

/// How what lies around a point moves to the rest pose.
static lmb_mat4 motion_at(const lmbi_bound_mesh *bound, const lmb_character *in,
                          const lmbi_gathered *gathered, lmb_vec3 at, float size, float *shares)
{
    const uint32_t n = in->skeleton->joint_count;
    for (uint32_t j = 0; j < n; ++j) {
        shares[j] = 0;
    }
    add_shares(bound, in, gathered, at, 1e-3f * size, shares);
    lmb_mat4 sum = {{0}};
    float all = 0;
    for (uint32_t j = 0; j < n; ++j) {
        all += shares[j];
    }
    for (uint32_t j = 0; j < n && all > 0; ++j) {
        for (int k = 0; k < 16; ++k) {
            sum.m[k] += shares[j] / all * bound->rest_from_bound[j].m[k];
        }
    }
    return all > 0 ? sum : lmb_mat4_identity();
}

/// The ground and the height of the figure at rest.
static void measure(const lmbi_gathered *gathered, lmb_embedding *e)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < 3 * gathered->triangle_count; ++k) {
        const float y = lmb_vec3_dot(gathered->positions[gathered->triangles[k]], e->up);
        low = fminf(low, y);
        high = fmaxf(high, y);
    }
    e->ground = lmb_vec3_mad(e->ground, e->up, low - lmb_vec3_dot(e->ground, e->up));
    e->height = high - low;
}

lmb_result lmbi_bound_to_rest(const lmbi_bound_mesh *bound, const lmb_character *in,
                              const lmbi_gathered *gathered, lmbi_arena *arena, lmb_embedding *e,
                              lmb_error *error)
{
    float *shares = lmbi_arena_array(arena, in->skeleton->joint_count, sizeof *shares);
    if (!shares) {
        return lmbi_fail_memory(error);
    }
    // The whole may lie where it was bound and stand at rest; a trunk that leans is upright.
    const lmb_mat4 hips = motion_at(bound, in, gathered, e->joints[0], e->height, shares);
    const turn trunk = nearest_turn(lmb_mat4_vector(hips, lmb_vec3_make(1, 0, 0)),
                                    lmb_mat4_vector(hips, lmb_vec3_make(0, 1, 0)));
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const lmb_mat4 own = motion_at(bound, in, gathered, e->joints[j], e->height, shares);
        const bool leaf = lmb_vec3_distance(e->tips[j], e->joints[j]) > 0;
        e->joints[j] = lmb_mat4_point(own, e->joints[j]);
        e->tips[j] =
            leaf ? lmb_mat4_point(motion_at(bound, in, gathered, e->tips[j], e->height, shares),
                                  e->tips[j])
                 : e->joints[j];
        e->hinges[j] =
            lmb_vec3_normalize_or(lmb_mat4_vector(own, e->hinges[j]), (lmb_vec3){0, 0, 0});
    }
    const lmb_mat4 feet = motion_at(bound, in, gathered, e->ground, e->height, shares);
    e->ground = lmb_mat4_point(feet, e->ground);
    e->left = turned(&trunk, e->left);
    e->up = turned(&trunk, e->up);
    e->forward = turned(&trunk, e->forward);
    measure(gathered, e);
    return LMB_OK;
}
