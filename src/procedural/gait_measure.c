/// Measures foot sliding and ground penetration of a gait.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "procedural/gait.h"
#include "procedural/procedural.h"

typedef struct measuring {
    lmb_gait *gait;
    const lmb_character *character;
    lmb_transform *local;
    lmb_mat4 *model, *before; ///< [joint_count] rotated so that the body faces +Z
    lmb_mat4 *rest_inverse;   ///< of the rest pose, rotated likewise
    lmb_mat4 *palette;
} measuring;

static void advance_pose(measuring *m, double time_s)
{
    lmb_mat4 *previous = m->before;
    m->before = m->model;
    m->model = previous;
    lmb_gait_pose(m->gait, time_s, m->local);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = m->gait->skeleton,
                                 .local = m->local,
                                 .root = lmb_mat4_from_transform(m->gait->facing_from_model),
                                 .model_from_joint = m->model});
}

/// Movement since the previous pose of a rest-pose point carried by a joint.
static float point_movement(const measuring *m, uint32_t joint, lmb_vec3 at_rest)
{
    const lmb_vec3 in_joint = lmb_mat4_point(m->rest_inverse[joint], at_rest);
    return lmb_vec3_distance(lmb_mat4_point(m->model[joint], in_joint),
                             lmb_mat4_point(m->before[joint], in_joint));
}

/// The smaller movement of heel and toe joint (or sole): a foot rolls about one of them.
static float foot_slide(const measuring *m, const lmb_gait_leg *leg)
{
    const uint32_t ball = leg->toes >= 0 ? (uint32_t)leg->toes : leg->ankle;
    const lmb_vec3 tip = leg->toes >= 0 ? m->gait->rest[ball].translation : leg->tip;
    return fminf(point_movement(m, leg->ankle, leg->heel), point_movement(m, ball, tip));
}

static float fastest_slide(const measuring *m, double time_s, double dt_s)
{
    const lmb_gait *g = m->gait;
    float fastest = 0;
    for (uint32_t k = 0; k < g->body.leg_count && !g->in_place; ++k) {
        if (lmbi_gait_is_on_ground(g, k, time_s - dt_s) && lmbi_gait_is_on_ground(g, k, time_s) &&
            lmbi_gait_is_on_ground(g, k, time_s - 0.5 * dt_s)) {
            fastest = fmaxf(fastest, foot_slide(m, &g->body.legs[k]) / (float)dt_s);
        }
    }
    return fastest;
}

static float depth_of(const measuring *m, lmb_vec3 at)
{
    const lmb_gait *g = m->gait;
    const float ground = g->body.ground + (at.z - g->hips_center.z) * lmb_tan(g->gait.slope);
    return (ground - at.y) * lmb_cos(g->gait.slope);
}

static lmb_vec3 skin_vertex(const measuring *m, const lmb_mesh *mesh, uint32_t v)
{
    lmb_vec3 at = {0, 0, 0};
    for (uint32_t i = mesh->influences.first[v]; i < mesh->influences.first[v + 1]; ++i) {
        const lmb_influence in = mesh->influences.items[i];
        at = lmb_vec3_mad(at, lmb_mat4_point(m->palette[in.joint], mesh->positions[v]), in.weight);
    }
    return at;
}

static float deepest_vertex(const measuring *m)
{
    const lmb_character *c = m->character;
    float depth = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_instance *instance = &c->instances[i];
        const lmb_mesh *mesh = c->meshes[instance->mesh];
        const lmb_skin *skin;
        if (!lmbi_gait_bind(c, instance, m->model, m->palette, &skin)) {
            continue;
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            const lmb_vec3 at = skin != NULL
                                    ? skin_vertex(m, mesh, v)
                                    : lmb_mat4_point(m->model[instance->joint], mesh->positions[v]);
            depth = fmaxf(depth, depth_of(m, at));
        }
    }
    return depth;
}

static bool allocate_arrays(measuring *m, lmbi_arena *arena)
{
    const uint32_t n = m->gait->skeleton->joint_count;
    uint32_t max_joints = n;
    for (uint32_t k = 0; k < m->character->skin_count; ++k) {
        const uint32_t count = m->character->skins[k]->joint_count;
        max_joints = count > max_joints ? count : max_joints;
    }
    m->local = lmbi_arena_array(arena, n, sizeof *m->local);
    m->model = lmbi_arena_array(arena, n, sizeof *m->model);
    m->before = lmbi_arena_array(arena, n, sizeof *m->before);
    m->rest_inverse = lmbi_arena_array(arena, n, sizeof *m->rest_inverse);
    m->palette = lmbi_arena_array(arena, max_joints, sizeof *m->palette);
    if (!m->local || !m->model || !m->before || !m->rest_inverse || !m->palette) {
        return false;
    }
    for (uint32_t j = 0; j < n; ++j) {
        const lmb_mat4 rest = lmb_mat4_from_transform(m->gait->rest[j]);
        if (!lmb_mat4_inverse_affine(rest, &m->rest_inverse[j])) {
            m->rest_inverse[j] = lmb_mat4_identity();
        }
    }
    return true;
}

lmb_result lmb_gait_measure(lmb_gait *gait, const lmb_character *character, double dt_s,
                            uint32_t count, const lmb_allocator *alloc, lmb_gait_moment *out,
                            lmb_error *error)
{
    measuring m = {.gait = gait, .character = character};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    if (!allocate_arrays(&m, &arena)) {
        lmbi_arena_free(&arena);
        return lmbi_fail_memory(error);
    }
    const uint32_t hips = gait->body.hips;
    advance_pose(&m, -dt_s);
    for (uint32_t k = 0; k < count; ++k) {
        advance_pose(&m, k * dt_s);
        out[k].slide_m_s = fastest_slide(&m, k * dt_s, dt_s);
        out[k].depth_m = deepest_vertex(&m);
        out[k].speed_m_s = lmb_vec3_distance(lmb_mat4_translation(m.model[hips]),
                                             lmb_mat4_translation(m.before[hips])) /
                           (float)dt_s;
    }
    lmbi_arena_free(&arena);
    return LMB_OK;
}
