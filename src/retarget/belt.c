/// Walking on the spot: the feet that stand all go backward alike, as on a belt. The motion is put
/// on the ground that goes by, so that what stands is seen to stand, and taken back when feet are
/// placed.
#include "retarget/feet.h"

#include <math.h>

#define LOW_M 0.03f      ///< a foot that stands is no higher over its floor
#define FLAT_M_S 0.25f   ///< nor does it rise or fall faster
#define TRAVEL_M_S 0.15f ///< hips that go farther do not walk on the spot
#define BELT_M_S 0.35f   ///< slower is no walk
#define ALIKE 0.35f      ///< of the belt's speed: feet that stand go that much faster or slower
#define ALIKE_SHARE 0.6f ///< of the frames with a foot that stands
#define LOW_SHARE 0.08f  ///< of all frames have one, each

typedef struct stander {
    lmb_vec3 *velocity; ///< [count] of low feet, along the ground
    uint32_t count;
} stander;

static lmb_vec3 toe_at(const lmbi_body *body, const lmbi_motion *motion, int foot, lmb_vec3 toe,
                       uint32_t f)
{
    const lmb_transform joint =
        motion->model[(size_t)f * body->count + (size_t)lmbi_joint(body, foot)];
    return lmb_vec3_add(joint.translation, lmb_quat_rotate(joint.rotation, toe));
}

/// Velocities of one foot in the frames in which it is low and goes level.
static void add_low(const lmbi_body *body, const lmbi_motion *motion, int foot, float body_m,
                    float *heights, stander *out)
{
    const lmb_vec3 toe = lmbi_toe_of(body, foot);
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        heights[f] = toe_at(body, motion, foot, toe, f).y;
    }
    const float ground = lmbi_quantile(heights, motion->frame_count, 0.04f);
    for (uint32_t f = 1; f < motion->frame_count; ++f) {
        const lmb_vec3 now = toe_at(body, motion, foot, toe, f);
        lmb_vec3 v = lmb_vec3_scale(lmb_vec3_sub(now, toe_at(body, motion, foot, toe, f - 1)),
                                    motion->rate / body_m);
        if (now.y - ground < LOW_M * body_m && fabsf(v.y) < FLAT_M_S) {
            v.y = 0.0f;
            out->velocity[out->count++] = v;
        }
    }
}

/// The mean of those near the mean of all: a swing that scuffs does not count.
static lmb_vec3 belt_of(const stander *s, float *share)
{
    lmb_vec3 mean = {0, 0, 0};
    for (int round = 0; round < 3; ++round) {
        lmb_vec3 sum = {0, 0, 0};
        float count = 0.0f;
        for (uint32_t i = 0; i < s->count; ++i) {
            const bool near_it = lmb_vec3_distance(s->velocity[i], mean) <
                                 fmaxf(ALIKE * lmb_vec3_length(mean), 0.1f);
            if (round == 0 || near_it) {
                sum = lmb_vec3_add(sum, s->velocity[i]);
                count += 1.0f;
            }
        }
        mean = lmb_vec3_scale(sum, count > 0.0f ? 1.0f / count : 0.0f);
        *share = s->count > 0 ? count / (float)s->count : 0.0f;
    }
    return mean;
}

static bool stays(const lmbi_body *body, const lmbi_motion *motion, float body_m)
{
    const size_t hips = (size_t)lmbi_joint(body, LMB_SLOT_HIPS);
    const uint32_t last = motion->frame_count - 1;
    const lmb_vec3 a = motion->model[hips].translation,
                   b = motion->model[(size_t)last * body->count + hips].translation;
    const float x = b.x - a.x, z = b.z - a.z;
    return lmb_sqrt(x * x + z * z) * motion->rate < TRAVEL_M_S * body_m * (float)last;
}

bool lmbi_belt_find(const lmbi_body *body, const lmbi_motion *motion, lmbi_arena *arena,
                    lmb_vec3 *velocity)
{
    static const int feet[2] = {LMB_SLOT_LEFT_FOOT, LMB_SLOT_RIGHT_FOOT};
    const float body_m = body->leg_length / 0.85f;
    *velocity = lmb_vec3_make(0, 0, 0);
    if (motion->frame_count < 8 || !(body_m > 0.0f) || lmbi_joint(body, feet[0]) < 0 ||
        lmbi_joint(body, feet[1]) < 0 || !stays(body, motion, body_m)) {
        return true;
    }
    stander s = {.velocity =
                     lmbi_arena_array(arena, 2 * (size_t)motion->frame_count, sizeof(lmb_vec3))};
    float *heights = lmbi_arena_array(arena, motion->frame_count, sizeof(*heights));
    if (s.velocity == NULL || heights == NULL) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        const uint32_t before = s.count;
        add_low(body, motion, feet[k], body_m, heights, &s);
        if ((float)(s.count - before) < LOW_SHARE * (float)motion->frame_count) {
            return true;
        }
    }
    float share = 0.0f;
    const lmb_vec3 belt = belt_of(&s, &share);
    if (share >= ALIKE_SHARE && lmb_vec3_length(belt) >= BELT_M_S) {
        *velocity = lmb_vec3_scale(belt, body_m);
    }
    return true;
}

static lmb_vec3 way_at(const lmbi_motion *motion, lmb_vec3 velocity, uint32_t f)
{
    return lmb_vec3_scale(velocity, ((float)f - (float)motion->lead) / motion->rate);
}

void lmbi_belt_stop(lmbi_motion *motion, lmb_vec3 velocity)
{
    const uint32_t n = motion->skeleton->joint_count;
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        const lmb_vec3 way = way_at(motion, velocity, f);
        for (uint32_t j = 0; j < n; ++j) {
            lmb_vec3 *p = &motion->model[(size_t)f * n + j].translation;
            *p = lmb_vec3_sub(*p, way);
        }
    }
}

void lmbi_belt_start(const lmbi_transfer *t, lmb_vec3 velocity)
{
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        t->hips[f] = lmb_vec3_mad(t->hips[f], way_at(t->motion, velocity, f), t->scale);
    }
}
