/// Arms longer than the legs: where a hand that hangs would be in the ground, the arm swings out until
/// it is not. Hands that the motion has near its floor stay as they are.
#include <math.h>

#include "asset/tree.h"
#include "mapping/contact.h"
#include "math/scalar.h"
#include "retarget/feet.h"
#include "retarget/hands_figure.h"
#include "retarget/sole.h"

#define NEAR_M \
    0.05f ///< height over the source's floor of a hand that belongs there, on a body of common size
#define FREE_M 0.2f    ///< and of one that does not
#define SPREAD_S 0.15f ///< time over which an arm swings out and back
#define MOST_RAD 1.2f  ///< most that it swings out

typedef struct arm {
    int32_t upper;  ///< driven
    int32_t end;    ///< driven: the hand, else the forearm
    int source_end; ///< joint of the source that the end follows
    lmbi_sole skin; ///< of the end and what hangs on it
    float *depth;   ///< [frame_count] in the ground
} arm;

typedef struct clearing {
    lmbi_transfer *t;
    lmb_transform *model; ///< [target count]
    float ground;
    arm arms[2];
} clearing;

static int32_t end_of(const lmbi_transfer *t, int upper, int *source_end)
{
    for (int bone = upper + 2; bone > upper; --bone) {
        if (lmbi_driven_slot(t, bone) != LMB_NONE && lmbi_has_bone(t->source, bone)) {
            *source_end = lmbi_joint(t->source, bone);
            return lmbi_driven_slot(t, bone);
        }
    }
    return LMB_NONE;
}

/// Height of the lowest skin of both legs in the reference pose; INFINITY without any.
static float find_ground(const lmbi_humanoid *body, const lmb_vec3 *points, const int32_t *joints,
                         uint32_t count)
{
    static const int bones[] = {LMB_HUMAN_LEFT_LOWER_LEG, LMB_HUMAN_LEFT_FOOT,
                                LMB_HUMAN_RIGHT_LOWER_LEG, LMB_HUMAN_RIGHT_FOOT};
    float low = INFINITY;
    for (size_t k = 0; k < sizeof bones / sizeof *bones; ++k) {
        if (lmbi_has_bone(body, bones[k])) {
            lmbi_sole sole;
            const lmb_transform at = body->reference[lmbi_joint(body, bones[k])];
            lmbi_sole_find(body, points, joints, count, lmbi_joint(body, bones[k]), LMB_NONE,
                           &sole);
            low = fminf(low, at.translation.y + lmbi_sole_lowest(&sole, at.rotation));
        }
    }
    return low;
}

/// False when out of memory; the ground is INFINITY where there is nothing to do.
static bool begin(clearing *c, lmbi_arena *arena)
{
    const lmbi_transfer *t = c->t;
    lmb_vec3 *points = NULL;
    int32_t *joints = NULL;
    uint32_t count = 0;
    if (!lmbi_girth_skin(t->target, arena, &points, &joints, &count)) {
        return false;
    }
    c->ground = t->target->lifted ? INFINITY : find_ground(t->target, points, joints, count);
    c->model = lmbi_arena_array(arena, t->target->count, sizeof *c->model);
    for (int k = 0; k < 2; ++k) {
        arm *a = &c->arms[k];
        const int upper = k == 0 ? LMB_HUMAN_LEFT_UPPER_ARM : LMB_HUMAN_RIGHT_UPPER_ARM;
        a->upper = lmbi_driven_slot(t, upper);
        a->end = end_of(t, upper, &a->source_end);
        a->depth = lmbi_arena_array(arena, t->motion->frame_count, sizeof *a->depth);
        if (a->end != LMB_NONE) {
            lmbi_sole_find(t->target, points, joints, count, (int32_t)t->driven[a->end].joint,
                           LMB_NONE, &a->skin);
        }
    }
    return !arena->failed;
}

/// How deep the hand of a frame is in the ground; 0 where the motion's is near its floor too.
static float depth_of(const clearing *c, const arm *a, uint32_t f)
{
    const lmbi_transfer *t = c->t;
    const lmb_transform end = c->model[t->driven[a->end].joint];
    const float low = end.translation.y + lmbi_sole_lowest(&a->skin, end.rotation),
                source = t->motion->model[(size_t)f * t->source->count + (size_t)a->source_end]
                             .translation.y -
                         t->source_floor,
                body_m = lmbi_metre_on(t->source->leg_length);
    const float free = lmbi_smoothstepf((source / body_m - NEAR_M) / (FREE_M - NEAR_M));
    return free * fmaxf(0.0f, c->ground - low);
}

/// Rotation about the shoulder, away from the other one, that raises the lowest skin by `rise`.
static lmb_quat swing_out(const clearing *c, const arm *a, const arm *other, float rise)
{
    const lmbi_transfer *t = c->t;
    const lmb_vec3 shoulder = c->model[t->driven[a->upper].joint].translation,
                   across =
                       lmb_vec3_sub(shoulder, c->model[t->driven[other->upper].joint].translation),
                   none = {0, 0, 0};
    const lmb_transform end = c->model[t->driven[a->end].joint];
    const lmb_vec3 out = lmb_vec3_normalize_or(lmb_vec3_make(across.x, 0, across.z), none);
    const float down = shoulder.y - end.translation.y - lmbi_sole_lowest(&a->skin, end.rotation),
                aside = lmb_vec3_dot(lmb_vec3_sub(end.translation, shoulder), out);
    const float radius = lmb_sqrt(aside * aside + down * down);
    const lmb_vec3 up = {0, 1, 0}, axis = lmb_vec3_cross(out, up);
    if (!(radius > 0.0f) || !(lmb_vec3_dot(out, out) > 0.0f)) {
        return lmb_quat_identity();
    }
    const float cosine = fminf(fmaxf((down - rise) / radius, -1.0f), 1.0f);
    const float by = lmb_atan2(lmb_sqrt(1.0f - cosine * cosine), cosine) - lmb_atan2(aside, down);
    return lmb_quat_axis_angle(axis, fminf(fmaxf(by, 0.0f), MOST_RAD));
}

static void rotate_arm(const clearing *c, const arm *a, uint32_t f, lmb_quat by)
{
    const lmbi_transfer *t = c->t;
    lmb_quat *rotations = t->rotations + (size_t)f * t->driven_count;
    const int32_t upper = (int32_t)t->driven[a->upper].joint;
    for (uint32_t i = 0; i < t->driven_count; ++i) {
        if (lmbi_is_under(t->target->skeleton, (int32_t)t->driven[i].joint, upper)) {
            rotations[i] = lmb_quat_normalize(lmb_quat_mul(by, rotations[i]));
        }
    }
}

static bool spread_depths(const clearing *c, lmbi_arena *arena)
{
    const uint32_t n = c->t->motion->frame_count;
    float *scratch = lmbi_arena_array(arena, n, sizeof *scratch);
    for (int k = 0; k < 2 && scratch != NULL; ++k) {
        lmbi_feet_spread(c->arms[k].depth, scratch, n,
                         (uint32_t)(SPREAD_S * c->t->motion->rate + 1.0f));
    }
    return scratch != NULL;
}

bool lmbi_arms_clear_ground(lmbi_transfer *t, lmbi_arena *arena)
{
    clearing c = {.t = t};
    float most = 0.0f;
    if (!begin(&c, arena)) {
        return false;
    }
    if (!(c.ground < INFINITY) || c.arms[0].end == LMB_NONE || c.arms[1].end == LMB_NONE ||
        c.arms[0].upper == LMB_NONE || c.arms[1].upper == LMB_NONE) {
        return true;
    }
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        lmbi_transfer_pose(t, f, c.model);
        for (int k = 0; k < 2; ++k) {
            c.arms[k].depth[f] = depth_of(&c, &c.arms[k], f);
            most = fmaxf(most, c.arms[k].depth[f]);
        }
    }
    if (!(most > 0.0f)) {
        return true;
    }
    if (!spread_depths(&c, arena)) {
        return false;
    }
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        lmbi_transfer_pose(t, f, c.model);
        for (int k = 0; k < 2; ++k) {
            if (c.arms[k].depth[f] > 0.0f) {
                rotate_arm(&c, &c.arms[k], f,
                           swing_out(&c, &c.arms[k], &c.arms[1 - k], c.arms[k].depth[f]));
            }
        }
    }
    return true;
}
