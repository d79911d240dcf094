/// Where the feet of a body meet the ground, from its skin.
#include <math.h>

#include "base/arena.h"
#include "base/error.h"
#include "limber/procedural.h"

typedef struct soles {
    const lmb_character *character;
    lmb_mat4 *model;   ///< [joint_count] at rest
    uint8_t *leg;      ///< [joint_count] one more than the leg whose foot carries the joint
    lmb_mat4 *palette; ///< of one skin
    lmb_gait_body *body;
    uint32_t vertex_count;
    bool *toes;                ///< [joint_count] at or below the toes of its leg
    float hips[LMB_GAIT_LEGS]; ///< heights over the ground
} soles;

/// A vertex of a foot: where it is at rest, and how much of it goes with the toes.
typedef struct sole_vertex {
    lmb_vec3 at;
    float toes;
} sole_vertex;

typedef void (*visit_fn)(soles *s, uint32_t leg, const sole_vertex *v);

/// As far under the ground as blended skin may dip, of a leg whose hip is a metre high.
#define DIP 0.004f

/// Where a vertex is at rest, and the leg whose foot it lies on; 0: none.
static uint32_t skinned(const soles *s, const lmb_mesh *mesh, const lmb_skin *skin, uint32_t vertex,
                        sole_vertex *out)
{
    float share[LMB_GAIT_LEGS + 1] = {0};
    lmb_vec3 sum = {0, 0, 0};
    out->toes = 0;
    for (uint32_t i = mesh->influences.first[vertex]; i < mesh->influences.first[vertex + 1]; ++i) {
        const lmb_influence in = mesh->influences.items[i];
        share[s->leg[skin->joints[in.joint]]] += in.weight;
        out->toes += s->toes[skin->joints[in.joint]] ? in.weight : 0;
        sum = lmb_vec3_mad(sum, lmb_mat4_point(s->palette[in.joint], mesh->positions[vertex]),
                           in.weight);
    }
    out->at = sum;
    for (uint32_t leg = 1; leg <= LMB_GAIT_LEGS; ++leg) {
        if (share[leg] > 0.5f) {
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
        const lmb_skin *skin = instance->skin >= 0 ? c->skins[instance->skin] : NULL;
        if (skin != NULL && mesh->influences.first == NULL) {
            continue;
        }
        if (skin != NULL) {
            lmb_skin_palette(skin, s->model, s->palette);
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            sole_vertex at = {.toes = s->toes[instance->joint]};
            uint32_t leg;
            if (skin != NULL) {
                leg = skinned(s, mesh, skin, v, &at);
            } else {
                at.at = lmb_mat4_point(s->model[instance->joint], mesh->positions[v]);
                leg = s->leg[instance->joint];
            }
            if (leg > 0) {
                visit(s, leg - 1, &at);
            }
        }
    }
}

static void find_ground(soles *s, uint32_t leg, const sole_vertex *v)
{
    (void)leg;
    s->body->ground = fminf(s->body->ground, v->at.y);
    ++s->vertex_count;
}

/// Where a foot points: to its ball, if that lies before it.
static lmb_vec3 direction(const soles *s, const lmb_gait_leg *leg)
{
    const lmb_vec3 ahead = {0, 0, 1};
    if (leg->toes < 0) {
        return ahead;
    }
    const lmb_vec3 way = lmb_vec3_sub(lmb_mat4_translation(s->model[leg->toes]),
                                      lmb_mat4_translation(s->model[leg->ankle]));
    return way.z > 0.0f ? lmb_vec3_normalize_or(lmb_vec3_make(way.x, 0, way.z), ahead) : ahead;
}

/// The ends of a sole on the ground, such that nothing of the foot is under it when the foot turns
/// about one of them by up to 40 degrees: what lies higher counts for less.
static void find_ends(soles *s, uint32_t index, const sole_vertex *v)
{
    const lmb_vec3 at = v->at;
    lmb_gait_leg *leg = &s->body->legs[index];
    const lmb_vec3 ankle = lmb_mat4_translation(s->model[leg->ankle]);
    const lmb_vec3 way = direction(s, leg);
    const lmb_vec3 under = lmb_vec3_make(ankle.x, s->body->ground, ankle.z);
    const float along = lmb_vec3_dot(lmb_vec3_sub(at, under), way);
    const float high = 1.19f * (at.y - s->body->ground);
    if (along + high < lmb_vec3_dot(lmb_vec3_sub(leg->heel, under), way)) {
        leg->heel = lmb_vec3_mad(under, way, along + high);
    }
    if (along - high > lmb_vec3_dot(lmb_vec3_sub(leg->tip, under), way)) {
        leg->tip = lmb_vec3_mad(under, way, along - high);
    }
}

/// The same as the tip of toes that point down by 65 degrees.
static void find_beyond(soles *s, uint32_t index, const sole_vertex *v)
{
    lmb_gait_leg *leg = &s->body->legs[index];
    const float along = lmb_vec3_dot(lmb_vec3_sub(v->at, leg->tip), direction(s, leg));
    leg->beyond_m = fmaxf(leg->beyond_m, along - 0.466f * (v->at.y - s->body->ground));
}

/// How far the foot turns over flat toes until a vertex, carried by both, is too deep.
static void find_roll(soles *s, uint32_t index, const sole_vertex *v)
{
    lmb_gait_leg *leg = &s->body->legs[index];
    if (leg->toes < 0 || v->toes <= 0.0f || v->toes >= 1.0f) {
        return;
    }
    const lmb_vec3 from = lmb_vec3_sub(v->at, lmb_mat4_translation(s->model[leg->toes]));
    const float along = lmb_vec3_dot(from, direction(s, leg)), step = LMB_PI / 60;
    const float over = v->at.y - s->body->ground, deepest = -DIP * s->hips[index];
    for (float turn = step; turn < leg->roll_rad; turn += step) {
        const float y = from.y * lmb_cos(turn) - along * lmb_sin(turn) - from.y;
        if (over + (1 - v->toes) * y < deepest) {
            leg->roll_rad = turn - step;
        }
    }
}

/// Without skin: the lowest joint is on the ground, the foot goes half as far again as its joints.
static void guess(soles *s)
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
        const float high = ankle.y - body->ground;
        leg->heel = lmb_vec3_make(ankle.x, body->ground, ankle.z - 0.5f * high);
        leg->tip = lmb_vec3_make(ankle.x, body->ground,
                                 leg->toes >= 0 ? ball.z + 0.5f * (ball.z - ankle.z)
                                                : ankle.z + 1.2f * high);
    }
}

static void settle(soles *s)
{
    lmb_gait_body *body = s->body;
    body->ground = INFINITY;
    visit_feet(s, find_ground);
    if (s->vertex_count == 0) {
        guess(s);
        return;
    }
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        lmb_gait_leg *leg = &body->legs[k];
        const uint32_t last = leg->toes >= 0 ? (uint32_t)leg->toes : leg->ankle;
        const lmb_vec3 at = lmb_mat4_translation(s->model[last]);
        leg->heel = leg->tip = lmb_vec3_make(at.x, body->ground, at.z);
    }
    visit_feet(s, find_ends);
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        s->hips[k] = lmb_mat4_translation(s->model[body->legs[k].hip]).y - body->ground;
        body->legs[k].roll_rad = 0.5f * LMB_PI;
        body->legs[k].beyond_m = 0;
    }
    visit_feet(s, find_roll);
    visit_feet(s, find_beyond);
}

lmb_result lmb_gait_body_fit(const lmb_character *character, const lmb_allocator *alloc,
                             lmb_gait_body *body, lmb_error *error)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const uint32_t n = skeleton->joint_count;
    uint32_t most = 1;
    lmbi_arena arena;
    for (uint32_t k = 0; k < character->skin_count; ++k) {
        most = character->skins[k]->joint_count > most ? character->skins[k]->joint_count : most;
    }
    lmbi_arena_init(&arena, alloc);
    soles s = {.character = character, .body = body};
    s.model = lmbi_arena_array(&arena, n, sizeof *s.model);
    s.leg = lmbi_arena_array(&arena, n, sizeof *s.leg);
    s.palette = lmbi_arena_array(&arena, most, sizeof *s.palette);
    s.toes = lmbi_arena_array(&arena, n, sizeof *s.toes);
    const bool room = s.toes != NULL && s.model != NULL && s.leg != NULL && s.palette != NULL;
    if (room) {
        lmb_transform home = lmb_transform_identity();
        home.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -body->facing_rad);
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton,
                                                   .root = lmb_mat4_from_transform(home),
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
        settle(&s);
    }
    lmbi_arena_free(&arena);
    return room ? LMB_OK : lmbi_fail_memory(error);
}
