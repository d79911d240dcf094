/// Idle layer: weight shifts over planted feet, breathing, gaze.
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/ik.h"
#include "limber/procedural.h"
#include "math/quat_inline.h"

#define DEGREE (LMB_PI / 180.0f)

struct lmb_idle {
    const lmb_skeleton *skeleton;
    lmb_gait_body body;
    lmb_idle_opts opts;
    lmb_random random;
    lmb_oscillator breath;
    lmb_follower lean;
    float side;   ///< the supporting leg: 1 left, -1 right
    float stay_s; ///< seconds until the support changes
    lmb_gaze gaze;
    lmb_vec3 look; ///< gaze direction while it wanders
    float look_s;  ///< seconds until the next gaze direction
    double time_s;
    lmb_mat4 *model, *before; ///< [joint_count]
    lmb_allocator allocator;
};

static float value_or(float x, float fallback)
{
    return fabsf(x) > 0 ? x : fallback;
}

lmb_result lmb_idle_create(const lmb_skeleton *skeleton, const lmb_gait_body *body,
                           const lmb_idle_opts *opts, const lmb_allocator *alloc, lmb_idle **out,
                           lmb_error *error)
{
    assert(skeleton && body && body->hips < skeleton->joint_count);
    static const lmb_idle_opts none = {.eyes = {LMB_NONE, LMB_NONE}};
    lmb_idle *idle = lmbi_alloc(alloc, sizeof *idle);
    if (!idle) {
        return lmbi_fail_memory(error);
    }
    *idle = (lmb_idle){.skeleton = skeleton,
                       .body = *body,
                       .opts = opts ? *opts : none,
                       .allocator = alloc ? *alloc : (lmb_allocator){0}};
    idle->opts.breath_hz = value_or(idle->opts.breath_hz, 0.25f);
    idle->random = lmb_random_seed(idle->opts.seed);
    idle->gaze.seed = idle->opts.seed + 1;
    idle->model = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *idle->model);
    idle->before = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *idle->before);
    if (!idle->model || !idle->before) {
        lmb_idle_destroy(idle);
        return lmbi_fail_memory(error);
    }
    *out = idle;
    return LMB_OK;
}

void lmb_idle_destroy(lmb_idle *idle)
{
    if (idle) {
        const lmb_allocator alloc = idle->allocator;
        lmbi_free(&alloc, idle->model);
        lmbi_free(&alloc, idle->before);
        lmbi_free(&alloc, idle);
    }
}

// ----------------------------------------------------------------------------------------- posing

static void update_model(const lmb_idle *idle, const lmb_transform *local, lmb_mat4 *model)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = idle->skeleton, .local = local, .model_from_joint = model});
}

/// Rotates a joint and its descendants by a rotation in model space.
static void rotate_joint(lmb_idle *idle, lmb_transform *local, uint32_t joint, lmb_quat by)
{
    const int32_t parent = idle->skeleton->parents[joint];
    const lmb_quat parent_rotation =
        parent == LMB_NONE ? lmb_quat_identity() : lmbi_mat4_rotation(idle->model[parent]);
    const lmb_quat in_parent =
        lmb_quat_mul(lmb_quat_conjugate(parent_rotation), lmb_quat_mul(by, parent_rotation));
    local[joint].rotation = lmb_quat_normalize(lmb_quat_mul(in_parent, local[joint].rotation));
    update_model(idle, local, idle->model);
}

static lmb_vec3 position_of(const lmb_mat4 *model, uint32_t joint)
{
    return lmb_mat4_translation(model[joint]);
}

/// Horizontal unit vector to the body's left.
static lmb_vec3 body_left(const lmb_idle *idle)
{
    const lmb_quat facing = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), idle->body.facing_rad);
    lmb_vec3 across = lmb_quat_rotate(facing, lmb_vec3_make(1, 0, 0));
    if (idle->body.leg_count > 0) {
        across = lmb_vec3_sub(position_of(idle->before, idle->body.legs[0].hip),
                              position_of(idle->before, idle->body.legs[1].hip));
    }
    across.y = 0;
    return lmb_vec3_normalize_or(across, lmb_vec3_make(1, 0, 0));
}

static lmb_vec3 body_forward(const lmb_idle *idle)
{
    return lmb_vec3_cross(body_left(idle), lmb_vec3_make(0, 1, 0));
}

// ----------------------------------------------------------------------------------------- weight

/// Lateral position of the hips between the feet, -1 (right) to 1 (left).
static float step_lean(lmb_idle *idle, float dt_s)
{
    idle->stay_s -= dt_s;
    if (idle->stay_s <= 0) {
        const bool first = !(fabsf(idle->side) > 0);
        idle->side = first ? (lmb_random_unit(&idle->random) < 0.5f ? 1.0f : -1.0f) : -idle->side;
        idle->stay_s = lmb_random_range(&idle->random, 2.5f, 7.0f);
    }
    const double goal = (double)(idle->opts.shift * idle->side);
    return (float)lmb_follow(&idle->lean, idle->lean.started ? goal : 0.0, 0.5, 1.0, (double)dt_s);
}

static void move_hips(lmb_idle *idle, lmb_transform *local, lmb_vec3 by)
{
    const uint32_t hips = idle->body.hips;
    const int32_t parent = idle->skeleton->parents[hips];
    lmb_mat4 parent_from_model = lmb_mat4_identity();
    if (parent != LMB_NONE) {
        lmb_mat4_inverse_affine(idle->model[parent], &parent_from_model);
    }
    const lmb_vec3 goal = lmb_vec3_add(position_of(idle->model, hips), by);
    local[hips].translation = lmb_mat4_point(parent_from_model, goal);
    update_model(idle, local, idle->model);
}

/// Moves the hips half way over the supporting foot and drops the other side; the trunk stays
/// upright.
static void shift_weight(lmb_idle *idle, lmb_transform *local, float dt_s)
{
    const lmb_gait_body *b = &idle->body;
    if (b->leg_count < 2 || !(fabsf(idle->opts.shift) > 0)) {
        return;
    }
    const float weight = step_lean(idle, dt_s);
    const lmb_vec3 left = body_left(idle), ahead = body_forward(idle);
    const lmb_vec3 foot_offset = lmb_vec3_sub(position_of(idle->before, b->legs[0].ankle),
                                              position_of(idle->before, b->legs[1].ankle));
    const float half = 0.5f * lmb_vec3_dot(foot_offset, left),
                leg = lmb_vec3_distance(position_of(idle->before, b->legs[0].hip),
                                        position_of(idle->before, b->legs[0].ankle));
    const float sway = 0.004f * leg * (float)lmb_noise(idle->time_s * 0.7, 1, 5) * idle->opts.shift;
    lmb_vec3 by = lmb_vec3_scale(left, 0.5f * half * weight + sway);
    by.y = -0.012f * leg * fabsf(weight) - 0.004f * leg * idle->opts.shift;
    const float roll = (b->leg_count == 2 ? 3.5f : 1.2f) * DEGREE * weight;
    move_hips(idle, local, by);
    rotate_joint(idle, local, b->hips, lmb_quat_axis_angle(ahead, roll));
    for (uint32_t k = 0; k < b->trunk_count && b->leg_count == 2; ++k) {
        rotate_joint(idle, local, b->trunk[k],
                     lmb_quat_axis_angle(ahead, -1.15f * roll / (float)b->trunk_count));
    }
}

/// Moves every foot back to its position in the pose.
static float plant_feet(lmb_idle *idle, lmb_transform *local)
{
    float largest_error = 0;
    for (uint32_t k = 0; k < idle->body.leg_count; ++k) {
        const lmb_gait_leg *leg = &idle->body.legs[k];
        lmb_ik_two_bone(&(lmb_ik_two_bone_job){.skeleton = idle->skeleton,
                                               .local = local,
                                               .model_from_joint = idle->model,
                                               .chain = {leg->hip, leg->knee, leg->ankle},
                                               .target = position_of(idle->before, leg->ankle),
                                               .weight = 1,
                                               .free = true});
        update_model(idle, local, idle->model);
        const lmb_quat target = lmbi_mat4_rotation(idle->before[leg->ankle]),
                       current = lmbi_mat4_rotation(idle->model[leg->ankle]);
        rotate_joint(idle, local, leg->ankle, lmb_quat_mul(target, lmb_quat_conjugate(current)));
        largest_error =
            fmaxf(largest_error, lmb_vec3_distance(position_of(idle->before, leg->ankle),
                                                   position_of(idle->model, leg->ankle)));
    }
    return largest_error;
}

// ----------------------------------------------------------------------------------- breath and gaze

/// Pitches the upper half of the trunk, counter-rotates the neck and lifts the shoulders.
static void breathe(lmb_idle *idle, lmb_transform *local, float dt_s)
{
    const lmb_gait_body *b = &idle->body;
    const double phase =
        lmb_oscillator_step(&idle->breath, (double)idle->opts.breath_hz, (double)dt_s);
    const float inhaled = idle->opts.breath * ((float)lmb_breath(phase) - 0.5f);
    if (!(fabsf(idle->opts.breath) > 0) || b->trunk_count == 0) {
        return;
    }
    const lmb_vec3 left = body_left(idle), ahead = body_forward(idle);
    const uint32_t from = b->trunk_count / 2, count = b->trunk_count - from;
    const float pitch = -2.2f * DEGREE * inhaled * (b->leg_count == 4 ? 0.4f : 1.0f);
    for (uint32_t k = from; k < b->trunk_count; ++k) {
        rotate_joint(idle, local, b->trunk[k], lmb_quat_axis_angle(left, pitch / (float)count));
    }
    if (b->neck_count > 0) {
        rotate_joint(idle, local, b->neck[0], lmb_quat_axis_angle(left, -pitch));
    }
    for (int side = 0; side < 2 && b->leg_count == 2; ++side) {
        if (b->arms[side].shoulder >= 0) {
            const float lift = (side == 0 ? 1.6f : -1.6f) * DEGREE * inhaled;
            rotate_joint(idle, local, (uint32_t)b->arms[side].shoulder,
                         lmb_quat_axis_angle(ahead, lift));
        }
    }
}

/// Direction from the eyes to the target, in model space.
static lmb_vec3 gaze_direction(lmb_idle *idle, lmb_vec3 eyes, float dt_s)
{
    if (idle->opts.look == LMB_IDLE_AT) {
        return lmb_vec3_sub(idle->opts.target, eyes);
    }
    idle->look_s -= dt_s;
    if (idle->look_s <= 0) {
        const float yaw = lmb_random_range(&idle->random, -35, 35) * DEGREE,
                    pitch = lmb_random_range(&idle->random, -12, 8) * DEGREE;
        idle->look = lmb_vec3_make(lmb_sin(yaw), lmb_tan(pitch), lmb_cos(yaw));
        idle->look_s = lmb_random_range(&idle->random, 0.7f, 4.0f);
    }
    const lmb_vec3 left = body_left(idle), ahead = body_forward(idle), l = idle->look;
    return lmb_vec3_add(lmb_vec3_scale(left, l.x),
                        lmb_vec3_add(lmb_vec3_make(0, l.y, 0), lmb_vec3_scale(ahead, l.z)));
}

static lmb_quat gaze_rotation(lmb_vec3 left, const float rad[2], float weight)
{
    return lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), weight * rad[0]),
                        lmb_quat_axis_angle(left, -weight * rad[1]));
}

/// Midpoint of the eyes, or the head's position without eye joints.
static lmb_vec3 eyes_of(const lmb_idle *idle)
{
    const int32_t *e = idle->opts.eyes;
    const lmb_gait_body *b = &idle->body;
    return e[0] >= 0 && e[1] >= 0
               ? lmb_vec3_scale(lmb_vec3_add(position_of(idle->model, (uint32_t)e[0]),
                                             position_of(idle->model, (uint32_t)e[1])),
                                0.5f)
               : position_of(idle->model, b->neck[b->neck_count - 1]);
}

static lmb_gaze_rotation apply_gaze(lmb_idle *idle, lmb_transform *local, float dt_s)
{
    const lmb_gait_body *b = &idle->body;
    if (idle->opts.look == LMB_IDLE_NOWHERE || b->neck_count == 0) {
        return (lmb_gaze_rotation){0};
    }
    const lmb_vec3 left = body_left(idle), ahead = body_forward(idle),
                   to = gaze_direction(idle, eyes_of(idle), dt_s);
    const lmb_gaze_rotation g = lmb_gaze_step(
        &idle->gaze, lmb_vec3_make(lmb_vec3_dot(to, left), to.y, lmb_vec3_dot(to, ahead)), dt_s);
    for (uint32_t k = 0; k < b->neck_count; ++k) {
        rotate_joint(idle, local, b->neck[k],
                     gaze_rotation(left, g.head_rad, 1.0f / (float)b->neck_count));
    }
    // The eyes rotate about the head's own axes.
    const lmb_quat head = gaze_rotation(left, g.head_rad, 1);
    const lmb_quat by = lmb_quat_mul(
        head, lmb_quat_mul(gaze_rotation(left, g.eye_rad, 1), lmb_quat_conjugate(head)));
    for (int k = 0; k < 2; ++k) {
        if (idle->opts.eyes[k] >= 0) {
            rotate_joint(idle, local, (uint32_t)idle->opts.eyes[k], by);
        }
    }
    return g;
}

lmb_idle_report lmb_idle_step(lmb_idle *idle, lmb_transform *local, float dt_s)
{
    assert(dt_s >= 0);
    lmb_idle_report out = {0};
    idle->time_s += (double)dt_s;
    update_model(idle, local, idle->before);
    update_model(idle, local, idle->model);
    shift_weight(idle, local, dt_s);
    breathe(idle, local, dt_s);
    if (idle->opts.shift > 0 || idle->opts.breath > 0) {
        out.missed_m = plant_feet(idle, local);
    }
    const lmb_gaze_rotation g = apply_gaze(idle, local, dt_s);
    out.blink = g.blink;
    out.lean = (float)idle->lean.value;
    for (int k = 0; k < 2; ++k) {
        out.head_rad[k] = g.head_rad[k];
        out.eye_rad[k] = g.eye_rad[k];
    }
    return out;
}
