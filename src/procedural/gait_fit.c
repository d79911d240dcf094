/// Finds where the feet of a body meet the ground, from its skin.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "limber/procedural.h"
#include "procedural/gait.h"
#include "procedural/procedural.h"

typedef struct soles {
    const lmb_character *character;
    lmb_mat4 *model;   ///< [joint_count] at rest
    uint8_t *leg;      ///< [joint_count] 1 + the leg whose foot carries the joint, or 0
    lmb_mat4 *palette; ///< of the current skin
    lmb_gait_body *body;
    uint32_t vertex_count;
    bool *toes;                ///< [joint_count] at or below the toes of its leg
    float hips[LMB_GAIT_LEGS]; ///< heights above the ground
} soles;

/// A vertex of a foot: its rest position, and its total weight on toe joints.
typedef struct sole_vertex {
    lmb_vec3 position;
    float toes;
} sole_vertex;

typedef void (*visit_fn)(soles *s, uint32_t leg, const sole_vertex *v);

/// Depth that blended skin may dip below the ground, per metre of hip height.
#define MAX_DIP 0.004f

/// Rest position of a vertex, and 1 + the leg whose foot it lies on; 0: none.
static uint32_t skin_vertex(const soles *s, const lmb_mesh *mesh, const lmb_skin *skin,
                            uint32_t vertex, sole_vertex *out)
{
    float leg_weight[LMB_GAIT_LEGS + 1] = {0};
    lmb_vec3 sum = {0, 0, 0};
    out->toes = 0;
    for (uint32_t i = mesh->influences.first[vertex]; i < mesh->influences.first[vertex + 1]; ++i) {
        const lmb_influence in = mesh->influences.items[i];
        leg_weight[s->leg[skin->joints[in.joint]]] += in.weight;
        out->toes += s->toes[skin->joints[in.joint]] ? in.weight : 0;
        sum = lmb_vec3_mad(sum, lmb_mat4_point(s->palette[in.joint], mesh->positions[vertex]),
                           in.weight);
    }
    out->position = sum;
    for (uint32_t leg = 1; leg <= LMB_GAIT_LEGS; ++leg) {
        if (leg_weight[leg] > 0.5f) {
            return leg;
        }
    }
    return 0;
}

static void visit_feet(soles *s, visit_fn visit)
{
    const lmb_character *c = s->character;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_instance *instance = &c->instances[i];
        const lmb_mesh *mesh = c->meshes[instance->mesh];
        const lmb_skin *skin;
        if (!lmbi_gait_bind(c, instance, s->model, s->palette, &skin)) {
            continue;
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            sole_vertex at = {.toes = s->toes[instance->joint]};
            uint32_t leg;
            if (skin != NULL) {
                leg = skin_vertex(s, mesh, skin, v, &at);
            } else {
                at.position = lmb_mat4_point(s->model[instance->joint], mesh->positions[v]);
                leg = s->leg[instance->joint];
            }
            if (leg > 0) {
                visit(s, leg - 1, &at);
            }
        }
    }
}

static void lower_ground(soles *s, uint32_t leg, const sole_vertex *v)
{
    (void)leg;
    s->body->ground = fminf(s->body->ground, v->position.y);
    ++s->vertex_count;
}

/// Direction of a foot: towards its ball, if that is ahead of the ankle.
static lmb_vec3 foot_direction(const soles *s, const lmb_gait_leg *leg)
{
    const lmb_vec3 ahead = {0, 0, 1};
    if (leg->toes < 0) {
        return ahead;
    }
    const lmb_vec3 forward = lmb_vec3_sub(lmb_mat4_translation(s->model[leg->toes]),
                                          lmb_mat4_translation(s->model[leg->ankle]));
    return forward.z > 0.0f ? lmb_vec3_normalize_or(lmb_vec3_make(forward.x, 0, forward.z), ahead)
                            : ahead;
}

/// Extends heel and tip. Higher vertices count for less, so that no vertex goes below the ground
/// when the foot rotates about either end by up to 40 degrees.
static void extend_sole(soles *s, uint32_t index, const sole_vertex *v)
{
    const lmb_vec3 at = v->position;
    lmb_gait_leg *leg = &s->body->legs[index];
    const lmb_vec3 ankle = lmb_mat4_translation(s->model[leg->ankle]);
    const lmb_vec3 forward = foot_direction(s, leg);
    const lmb_vec3 under = lmb_vec3_make(ankle.x, s->body->ground, ankle.z);
    const float along = lmb_vec3_dot(lmb_vec3_sub(at, under), forward);
    const float allowance = 1.19f * (at.y - s->body->ground);
    if (along + allowance < lmb_vec3_dot(lmb_vec3_sub(leg->heel, under), forward)) {
        leg->heel = lmb_vec3_mad(under, forward, along + allowance);
    }
    if (along - allowance > lmb_vec3_dot(lmb_vec3_sub(leg->tip, under), forward)) {
        leg->tip = lmb_vec3_mad(under, forward, along - allowance);
    }
}

/// Extends the tip for toes that point down by 65 degrees.
static void extend_toes(soles *s, uint32_t index, const sole_vertex *v)
{
    lmb_gait_leg *leg = &s->body->legs[index];
    const float along = lmb_vec3_dot(lmb_vec3_sub(v->position, leg->tip), foot_direction(s, leg));
    leg->beyond_m = fmaxf(leg->beyond_m, along - 0.466f * (v->position.y - s->body->ground));
}

/// Limits the rotation of the foot over flat toes, so that a vertex blended between the two dips by
/// at most MAX_DIP.
static void limit_roll(soles *s, uint32_t index, const sole_vertex *v)
{
    lmb_gait_leg *leg = &s->body->legs[index];
    if (leg->toes < 0 || v->toes <= 0.0f || v->toes >= 1.0f) {
        return;
    }
    const lmb_vec3 from = lmb_vec3_sub(v->position, lmb_mat4_translation(s->model[leg->toes]));
    const float along = lmb_vec3_dot(from, foot_direction(s, leg)), step = LMB_PI / 60;
    const float above_ground = v->position.y - s->body->ground, deepest = -MAX_DIP * s->hips[index];
    for (float angle = step; angle < leg->roll_rad; angle += step) {
        const float y = from.y * lmb_cos(angle) - along * lmb_sin(angle) - from.y;
        if (above_ground + (1 - v->toes) * y < deepest) {
            leg->roll_rad = angle - step;
        }
    }
}

/// Guess without a skin: the lowest joint is on the ground, and the foot extends half as far again
/// as its joints.
static void guess_soles(soles *s)
{
    lmb_gait_body *body = s->body;
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        const lmb_gait_leg *leg = &body->legs[k];
        const lmb_skeleton *skeleton = s->character->skeleton;
        const uint32_t last = leg->toes >= 0 ? (uint32_t)leg->toes : leg->ankle;
        const lmb_vec3 end = lmb_mat4_point(
            s->model[last], skeleton->tips != NULL ? skeleton->tips[last] : lmb_vec3_make(0, 0, 0));
        body->ground = fminf(body->ground, fminf(end.y, lmb_mat4_translation(s->model[last]).y));
    }
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        lmb_gait_leg *leg = &body->legs[k];
        const lmb_vec3 ankle = lmb_mat4_translation(s->model[leg->ankle]);
        const lmb_vec3 ball = leg->toes >= 0 ? lmb_mat4_translation(s->model[leg->toes]) : ankle;
        const float height = ankle.y - body->ground;
        leg->heel = lmb_vec3_make(ankle.x, body->ground, ankle.z - 0.5f * height);
        leg->tip = lmb_vec3_make(ankle.x, body->ground,
                                 leg->toes >= 0 ? ball.z + 0.5f * (ball.z - ankle.z)
                                                : ankle.z + 1.2f * height);
    }
}

static void fit_soles(soles *s)
{
    lmb_gait_body *body = s->body;
    body->ground = INFINITY;
    visit_feet(s, lower_ground);
    if (s->vertex_count == 0) {
        guess_soles(s);
        return;
    }
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        lmb_gait_leg *leg = &body->legs[k];
        const uint32_t last = leg->toes >= 0 ? (uint32_t)leg->toes : leg->ankle;
        const lmb_vec3 at = lmb_mat4_translation(s->model[last]);
        leg->heel = leg->tip = lmb_vec3_make(at.x, body->ground, at.z);
    }
    visit_feet(s, extend_sole);
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        s->hips[k] = lmb_mat4_translation(s->model[body->legs[k].hip]).y - body->ground;
        body->legs[k].roll_rad = 0.5f * LMB_PI;
        body->legs[k].beyond_m = 0;
    }
    visit_feet(s, limit_roll);
    visit_feet(s, extend_toes);
}

lmb_result lmbi_gait_body_fit(const lmb_character *character, const lmb_allocator *alloc,
                              lmb_gait_body *body, lmb_error *error)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const uint32_t n = skeleton->joint_count;
    uint32_t max_joints = 1;
    lmbi_arena arena;
    for (uint32_t k = 0; k < character->skin_count; ++k) {
        max_joints = character->skins[k]->joint_count > max_joints
                         ? character->skins[k]->joint_count
                         : max_joints;
    }
    lmbi_arena_init(&arena, alloc);
    soles s = {.character = character, .body = body};
    s.model = lmbi_arena_array(&arena, n, sizeof *s.model);
    s.leg = lmbi_arena_array(&arena, n, sizeof *s.leg);
    s.palette = lmbi_arena_array(&arena, max_joints, sizeof *s.palette);
    s.toes = lmbi_arena_array(&arena, n, sizeof *s.toes);
    const bool allocated = s.toes != NULL && s.model != NULL && s.leg != NULL && s.palette != NULL;
    if (allocated) {
        lmb_transform facing = lmb_transform_identity();
        facing.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -body->facing_rad);
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton,
                                                   .root = lmb_mat4_from_transform(facing),
                                                   .model_from_joint = s.model});
        for (uint32_t j = 0; j < n; ++j) {
            for (uint32_t k = 0; k < body->leg_count; ++k) {
                s.leg[j] = body->legs[k].ankle == j ? (uint8_t)(k + 1) : s.leg[j];
                s.toes[j] = s.toes[j] || body->legs[k].toes == (int32_t)j;
            }
            if (s.leg[j] == 0 && skeleton->parents[j] >= 0) {
                s.leg[j] = s.leg[skeleton->parents[j]];
            }
            s.toes[j] = s.toes[j] || (skeleton->parents[j] >= 0 && s.toes[skeleton->parents[j]]);
        }
        fit_soles(&s);
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}
