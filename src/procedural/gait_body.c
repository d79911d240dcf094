/// Creates a gait for a skeleton: measures its legs and chooses strides.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "asset/tree.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/format.h"
#include "procedural/gait.h"
#include "procedural/procedural.h"

static const char *const names[LMB_GAIT_COUNT] = {"walk", "trot", "run"};

const char *lmb_gait_name(lmb_gait_kind kind)
{
    return (unsigned)kind < LMB_GAIT_COUNT ? names[kind] : "";
}

lmb_gait_kind lmb_gait_find(const char *name)
{
    int kind = 0;
    while (kind < LMB_GAIT_COUNT && strcmp(names[kind], name) != 0) {
        ++kind;
    }
    return (lmb_gait_kind)kind;
}

// -------------------------------------------------------------------------------------------- body

/// model_from_joint by transforms: exact while scales are uniform.
static void to_model(const lmb_skeleton *skeleton, lmb_transform home, const lmb_transform *local,
                     lmb_transform *model)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] = lmb_transform_mul(parent < 0 ? home : model[parent], local[j]);
    }
}

static bool is_valid_body(const lmb_skeleton *skeleton, const lmb_gait_body *body)
{
    const uint32_t n = skeleton->joint_count;
    bool ok = body->hips < n && body->leg_count >= 2 && body->leg_count <= LMB_GAIT_LEGS &&
              body->leg_count % 2 == 0 && body->trunk_count <= LMB_GAIT_CHAIN &&
              body->neck_count <= LMB_GAIT_CHAIN;
    for (uint32_t k = 0; ok && k < body->leg_count; ++k) {
        const lmb_gait_leg *leg = &body->legs[k];
        ok = leg->hip < n && leg->knee < n && leg->ankle < n && leg->toes < (int32_t)n &&
             leg->blade < (int32_t)n && leg->hip < leg->knee && leg->knee < leg->ankle &&
             lmbi_is_under(skeleton, (int32_t)leg->knee, (int32_t)leg->hip) &&
             lmbi_is_under(skeleton, (int32_t)leg->ankle, (int32_t)leg->knee) &&
             lmbi_is_under(skeleton, (int32_t)leg->hip, (int32_t)body->hips);
    }
    for (uint32_t k = 0; ok && k < body->trunk_count; ++k) {
        ok = body->trunk[k] < n;
    }
    for (uint32_t k = 0; ok && k < body->neck_count; ++k) {
        ok = body->neck[k] < n;
    }
    for (int side = 0; ok && side < 2; ++side) {
        const lmb_gait_arm *arm = &body->arms[side];
        ok = arm->shoulder < (int32_t)n && arm->upper < (int32_t)n && arm->lower < (int32_t)n &&
             arm->hand < (int32_t)n;
    }
    return ok;
}

static void measure_foot(const lmb_gait *g, const lmb_gait_leg *leg, lmbi_gait_foot *foot)
{
    const lmb_vec3 ankle = g->rest[leg->ankle].translation;
    const lmb_vec3 ball = leg->toes >= 0 ? g->rest[leg->toes].translation : leg->tip;
    const lmb_vec3 offset = lmb_vec3_make(ball.x - ankle.x, 0, ball.z - ankle.z);
    foot->ankle_height = ankle.y - g->body.ground;
    foot->toe_height = fmaxf(ball.y - g->body.ground, 0.0f);
    foot->toe_forward = lmb_vec3_length(offset);
    // A foot much longer than its ankle is high stands on heel and toes.
    const float ahead = leg->tip.z - ankle.z;
    const float behind = ankle.z - leg->heel.z;
    foot->heel = ahead > 1.1f * foot->ankle_height;
    // A plantigrade hind paw, as a bear's: its rear contact may lie ahead of the ankle.
    const float heel = lmb_vec3_length(lmb_vec3_make(ankle.x - leg->heel.x, 0, behind));
    foot->heel_back = !foot->heel ? behind : behind < 0.0f ? -heel : heel;
    foot->rolls = foot->heel || leg->toes >= 0;
    foot->toe_extent = fmaxf(leg->beyond_m, 0.0f);
    foot->roll = leg->roll_rad * 180.0f / LMB_PI;
    foot->tip = fmaxf(leg->tip.z - ball.z, 0.0f);
    foot->yaw = foot->heel && offset.z > 0.0f ? lmb_atan2(offset.x, offset.z) : 0.0f;
    if (!foot->heel && offset.z < 0.0f) {
        foot->toe_forward = -foot->toe_forward;
    }
}

static void measure_leg(lmb_gait *g, uint32_t index)
{
    const lmb_gait_leg *leg = &g->body.legs[index];
    lmbi_gait_leg *out = &g->gait.legs[index];
    const lmb_vec3 hip = g->rest[leg->hip].translation, knee = g->rest[leg->knee].translation,
                   ankle = g->rest[leg->ankle].translation;
    const lmb_vec3 line = lmb_vec3_sub(ankle, hip), bend = lmb_vec3_sub(knee, hip);
    const float along = lmb_vec3_dot(bend, line) / fmaxf(lmb_vec3_dot(line, line), 1e-12f);
    const float forward = bend.z - along * line.z;
    measure_foot(g, leg, &out->foot);
    out->length = lmb_vec3_distance(hip, knee) + lmb_vec3_distance(knee, ankle);
    out->hip = lmb_vec3_sub(hip, g->hips_center);
    out->front = g->body.leg_count == 4 && index >= 2;
    out->raised = g->body.leg_count > 4;
    if (out->raised) { // stands on the end of its leg
        out->foot.heel = out->foot.rolls = false;
        out->foot.stiff = true;
        out->foot.yaw = 0;
    }
    out->forward = g->body.leg_count > 2 ? ankle.z - g->hips_center.z : 0.0f;
    out->lateral = g->body.leg_count > 2 ? ankle.x - g->hips_center.x : (index == 0 ? 1.0f : -1.0f);
    // A human's knee points forward, even when the leg is straight at rest.
    out->knee = g->body.leg_count == 2 || forward >= 0.0f ? 1.0f : -1.0f;
}

static void measure_body(lmb_gait *g)
{
    const float weight = 1.0f / (float)g->body.leg_count;
    float length = 0.0f;
    g->hips_center = lmb_vec3_make(0, 0, 0);
    g->facing_from_model = lmb_transform_identity();
    g->facing_from_model.rotation =
        lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -g->body.facing_rad);
    to_model(g->skeleton, g->facing_from_model, g->skeleton->rest, g->rest);
    for (uint32_t k = 0; k < g->body.leg_count; ++k) {
        g->hips_center =
            lmb_vec3_mad(g->hips_center, g->rest[g->body.legs[k].hip].translation, weight);
    }
    g->gait.leg_count = g->body.leg_count;
    for (uint32_t k = 0; k < g->body.leg_count; ++k) {
        measure_leg(g, k);
        length += weight * g->gait.legs[k].length;
    }
    // In a rest pose with one leg ahead, both legs of a pair use the mean position.
    for (uint32_t k = 0; g->body.leg_count > 2 && k < g->body.leg_count; k += 2) {
        lmbi_gait_leg *legs = &g->gait.legs[k];
        legs[0].forward = legs[1].forward = 0.5f * (legs[0].forward + legs[1].forward);
    }
    g->gait.leg_scale = length / FIGURE_LEG;
}

// ---------------------------------------------------------------------------------------- creating

static float value_or_one(float x)
{
    return x > 0.0f ? x : 1.0f;
}

static lmb_result check_opts(const lmb_gait_opts *o, lmb_error *error)
{
    const float rate = o->frame_rate > 0.0f ? o->frame_rate : 60.0f;
    if (!(rate >= 12.0f && rate <= 480.0f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "12 to 480 frames a second", "%g", (double)rate);
    }
    if (!(fabsf(o->slope_rad) <= 0.4364f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a slope of at most 25 degrees", "%g",
                         (double)(o->slope_rad * 180.0f / LMB_PI));
    }
    if (!(fabsf(o->turn_rad_s) <= 3.0f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a turn of at most 170 degrees a second", "%g",
                         (double)(o->turn_rad_s * 180.0f / LMB_PI));
    }
    const float factors[] = {o->bounce, o->arm_swing, o->lift, o->width, o->hips};
    for (int k = 0; k < 5; ++k) {
        if (!(factors[k] >= 0.0f && factors[k] <= 4.0f)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "factors of style up to 4", "%g",
                             (double)factors[k]);
        }
    }
    if (!(o->crouch >= 0.0f && o->crouch <= 0.4f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a crouch of 0 to 0.4", "%g", (double)o->crouch);
    }
    if (!(fabsf(o->lean_rad) <= 0.5237f && fabsf(o->nod_rad) <= 0.7855f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a lean within 30 degrees and a nod within 45",
                         "%g and %g", (double)(o->lean_rad * 180.0f / LMB_PI),
                         (double)(o->nod_rad * 180.0f / LMB_PI));
    }
    return LMB_OK;
}

/// Shortens strides until the hips stay above their least height: uphill, or fast.
static void fit_stride(lmb_gait *g, const lmbi_gait_style *style, float speed,
                       const lmb_gait_opts *o)
{
    const float rest = g->hips_center.y - g->body.ground;
    const float least = (style->height[0] - o->crouch) * rest;
    g->gait.max_height = (style->height[1] - o->crouch) * rest;
    g->gait.stride_factor = 1.0f;
    for (int round = 0; round < 16; ++round) {
        lmbi_gait_set_speed(&g->gait, style, speed, o->frame_rate > 0.0f ? o->frame_rate : 60.0f);
        lmbi_gait_lower_hips(g);
        if (g->gait.height >= least) {
            break;
        }
        g->gait.stride_factor *= 0.93f;
    }
}

static lmb_result setup_gait(lmb_gait *g, const lmb_gait_opts *o, lmb_error *error)
{
    const lmbi_gait_style *style = lmbi_gait_style_of(o->kind, g->body.leg_count);
    if (style == NULL) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "walk or run", "%s", lmb_gait_name(o->kind));
    }
    float range[2];
    const float leg = FIGURE_LEG * g->gait.leg_scale;
    lmbi_gait_speeds(style, leg, range);
    const float speed =
        o->speed_m_s > 0.0f ? o->speed_m_s : range[0] + 0.4f * (range[1] - range[0]);
    if (!(speed >= 0.99f * range[0] && speed <= 1.01f * range[1])) {
        char expected[100];
        lmbi_format(expected, sizeof expected, "a %s of %.2f to %.2f m/s with legs of %.2f m",
                    lmb_gait_name(o->kind), (double)range[0], (double)range[1], (double)leg);
        return lmbi_fail(error, LMB_ERROR_INVALID, expected, "%g m/s", (double)speed);
    }
    g->in_place = o->in_place;
    g->gait.turn = o->turn_rad_s;
    g->gait.slope = o->slope_rad;
    g->gait.bounce = value_or_one(o->bounce);
    g->gait.swing = value_or_one(o->arm_swing);
    g->gait.lift = value_or_one(o->lift);
    g->gait.hips = value_or_one(o->hips);
    // More than two legs carry a level trunk.
    g->gait.lean = g->body.leg_count == 2 ? o->lean_rad * 180.0f / LMB_PI : 0.0f;
    g->gait.nod = o->nod_rad * 180.0f / LMB_PI;
    for (uint32_t k = 0; k < g->body.leg_count; ++k) {
        const float size = g->body.leg_count == 2 ? g->gait.leg_scale : 1.0f;
        g->gait.legs[k].lateral *= value_or_one(o->width) * style->width * size;
    }
    fit_stride(g, style, speed, o);
    return LMB_OK;
}

static lmb_gait *allocate(const lmb_skeleton *skeleton, const lmb_allocator *alloc)
{
    const size_t n = skeleton->joint_count;
    const size_t each = 3 * sizeof(lmb_transform) + sizeof(lmb_quat) + 1;
    if (n > (SIZE_MAX - sizeof(lmb_gait)) / each) {
        return NULL;
    }
    lmb_gait *g = lmbi_alloc(alloc, sizeof *g + n * each);
    if (g != NULL) {
        g->skeleton = skeleton;
        g->rest = (lmb_transform *)(void *)(g + 1);
        g->model = g->rest + n;
        g->local = g->model + n;
        g->rotations = (lmb_quat *)(void *)(g->local + n);
        g->is_rotated = (uint8_t *)(g->rotations + n);
        g->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    }
    return g;
}

lmb_result lmb_gait_create(const lmb_skeleton *skeleton, const lmb_gait_body *body,
                           const lmb_gait_opts *opts, const lmb_allocator *alloc, lmb_gait **out,
                           lmb_error *error)
{
    lmb_result result = check_opts(opts, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!is_valid_body(skeleton, body)) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "legs of joints below each other, under the hips",
                         "%u legs under joint %u of %u", (unsigned)body->leg_count,
                         (unsigned)body->hips, (unsigned)skeleton->joint_count);
    }
    lmb_gait *g = allocate(skeleton, alloc);
    if (g == NULL) {
        return lmbi_fail_memory(error);
    }
    g->body = *body;
    measure_body(g);
    result =
        g->gait.leg_scale > 1e-4f && g->hips_center.y - body->ground > 0.0f
            ? setup_gait(g, opts, error)
            : lmbi_fail(error, LMB_ERROR_INVALID, "hips above the ground and legs of some length",
                        "legs of %g m", (double)(g->gait.leg_scale * FIGURE_LEG));
    if (result != LMB_OK) {
        lmb_gait_destroy(g);
        return result;
    }
    *out = g;
    return LMB_OK;
}

void lmb_gait_destroy(lmb_gait *gait)
{
    if (gait != NULL) {
        const lmb_allocator allocator = gait->allocator;
        lmbi_free(&allocator, gait);
    }
}

bool lmbi_gait_range(lmb_gait_kind kind, uint32_t leg_count, float leg_m, float range[2])
{
    const lmbi_gait_style *style = lmbi_gait_style_of(kind, leg_count);
    if (style != NULL) {
        lmbi_gait_speeds(style, leg_m, range);
    }
    return style != NULL;
}

lmb_gait_info lmb_gait_describe(const lmb_gait *gait)
{
    const lmbi_gait *g = &gait->gait;
    const lmb_gait_info info = {.speed_m_s = g->speed,
                                .leg_m = g->leg_scale * FIGURE_LEG,
                                .period_s = g->period_s,
                                .stride_m = g->stride,
                                .duty = g->duty,
                                .hip_height = g->height,
                                .frame_count = g->frame_count};
    return info;
}

bool lmbi_gait_is_on_ground(const lmb_gait *gait, uint32_t leg, double time_s)
{
    return lmbi_gait_stands(&gait->gait, leg, time_s / (double)gait->gait.period_s);
}
