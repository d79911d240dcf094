#include "embed/human/human.h"

#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>

/// Distance of a voxel from the nearest bone that counts as far, in heights.
static const float FAR = 0.16f;
/// Differences of scores beyond this say no more.
static const float MOST_SCORE = 12;

typedef struct bone {
    lmb_vec3 from, to;
} bone;

enum { BONES = 18 };

static void list_bones(const lmbi_human_joints *p, bone out[BONES])
{
    const lmb_vec3 *at = p->at;
    uint32_t n = 0;
    for (int side = 0; side < 2; ++side) {
        const int arm = LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS,
                  leg = LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
        for (int k = 0; k < 2; ++k) {
            out[n++] = (bone){at[arm + k], at[arm + k + 1]};
            out[n++] = (bone){at[leg + k], at[leg + k + 1]};
        }
        out[n++] = (bone){at[arm + 2], p->hand_tip[side]};
        out[n++] = (bone){at[leg + 2], p->toe_tip[side]};
        out[n++] = (bone){at[LMBI_UPPER_CHEST], at[arm]};
    }
    out[n++] = (bone){at[LMBI_HIPS], at[LMBI_CHEST]};
    out[n++] = (bone){at[LMBI_CHEST], at[LMBI_NECK]};
    out[n++] = (bone){at[LMBI_NECK], at[LMBI_HEAD]};
    out[n++] = (bone){at[LMBI_HEAD], p->head_top};
}

static float outside_fraction(const lmbi_voxel_body *body, const bone bones[BONES])
{
    enum { SAMPLES = 8 };
    float all = 0, outside = 0;
    for (uint32_t b = 0; b < BONES; ++b) {
        const float length = lmb_vec3_distance(bones[b].from, bones[b].to);
        for (int k = 0; k < SAMPLES; ++k) {
            const lmb_vec3 p =
                lmb_vec3_lerp(bones[b].from, bones[b].to, ((float)k + 0.5f) / SAMPLES);
            all += length;
            outside += lmbi_field_sample(&body->grid, body->depth, p) < 0.25f ? length : 0;
        }
    }
    return all > 0 ? outside / all : 1;
}

static float uncovered_fraction(const lmbi_voxel_body *body, const bone bones[BONES])
{
    enum { SAMPLES = 4000 };
    const uint32_t stride = 1 + body->solid_count / SAMPLES;
    uint32_t all = 0, beyond = 0;
    for (uint32_t k = 0; k < body->solid_count; k += stride) {
        bool near = false;
        for (uint32_t b = 0; b < BONES && !near; ++b) {
            near = lmbi_segment_distance(body->at[k], bones[b].from, bones[b].to) < FAR;
        }
        ++all;
        beyond += !near;
    }
    return all > 0 ? (float)beyond / (float)all : 1;
}

/// How far the roots and middles of limbs lie on the other side, and joints out of order upward.
static void measure_sides(const lmbi_human_joints *p, float out[LMBI_CLUES])
{
    float crossed = 0, uneven = 0, upright = 0;
    for (int side = 0; side < 2; ++side) {
        const float sign = side == 0 ? 1.0f : -1.0f;
        const lmb_vec3 *arm = p->at + LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS,
                       *leg = p->at + LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
        crossed = fmaxf(crossed, -fminf(sign * arm[0].x, sign * leg[0].x));
        upright = fmaxf(upright, fmaxf(leg[1].y - leg[0].y, leg[2].y - leg[0].y));
        upright = fmaxf(upright, leg[0].y - arm[0].y);
    }
    for (int k = 0; k < 2; ++k) {
        const int left = k == 0 ? LMBI_LEFT_UPPER_ARM : LMBI_LEFT_UPPER_LEG,
                  right = k == 0 ? LMBI_RIGHT_UPPER_ARM : LMBI_RIGHT_UPPER_LEG;
        uneven += 0.5f * lmb_vec3_distance(p->at[left], lmbi_mirrored(p->at[right]));
    }
    out[LMBI_CLUE_CROSSED] = crossed;
    out[LMBI_CLUE_UNEVEN] = uneven;
    out[LMBI_CLUE_UPRIGHT] = fmaxf(0, upright);
}

static float log_ratio(float a, float b)
{
    return lmb_log(fmaxf(a, 1e-3f) / fmaxf(b, 1e-3f));
}

/// Bones of both sides are equally long, whatever the pose.
static float length_difference(const lmbi_human_joints *p)
{
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
        const int left = k < 2 ? LMBI_LEFT_UPPER_ARM + k : LMBI_LEFT_UPPER_LEG + k - 2,
                  right = k < 2 ? LMBI_RIGHT_UPPER_ARM + k : LMBI_RIGHT_UPPER_LEG + k - 2;
        sum += 0.25f * fabsf(log_ratio(lmb_vec3_distance(p->at[left], p->at[left + 1]),
                                       lmb_vec3_distance(p->at[right], p->at[right + 1])));
    }
    return sum;
}

static void measure_proportions(const lmbi_human_joints *p, float out[LMBI_CLUES])
{
    const lmb_vec3 *at = p->at;
    const float trunk = lmb_vec3_distance(at[LMBI_HIPS], at[LMBI_NECK]);
    float upper = 0, fore = 0, thigh = 0, shank = 0, wide = 0, hips = 0, shoulder = 0;
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 *a = at + LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS,
                       *l = at + LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
        upper += 0.5f * lmb_vec3_distance(a[0], a[1]);
        fore += 0.5f * lmb_vec3_distance(a[1], a[2]);
        thigh += 0.5f * lmb_vec3_distance(l[0], l[1]);
        shank += 0.5f * lmb_vec3_distance(l[1], l[2]);
        wide += 0.5f * fabsf(a[0].x);
        hips += 0.5f * fabsf(l[0].x);
        shoulder += 0.5f * a[0].y;
    }
    out[LMBI_CLUE_ARM] = log_ratio(upper + fore, trunk);
    out[LMBI_CLUE_LEG] = log_ratio(thigh + shank, trunk);
    out[LMBI_CLUE_SHOULDER] = log_ratio(wide, trunk);
    out[LMBI_CLUE_HIP] = log_ratio(hips, wide);
    out[LMBI_CLUE_FOREARM] = log_ratio(fore, upper);
    out[LMBI_CLUE_SHANK] = log_ratio(shank, thigh);
    out[LMBI_CLUE_NECK] = (at[LMBI_NECK].y - shoulder) / fmaxf(trunk, 1e-3f);
    out[LMBI_CLUE_HEAD] = log_ratio(p->head_top.y - at[LMBI_NECK].y, trunk);
    out[LMBI_CLUE_LEAN] = fabsf(at[LMBI_NECK].z - at[LMBI_HIPS].z);
}

/// Compares the readings of humans with those of other bodies and other axes.
static void measure_readings(const lmbi_figure *f, const lmbi_reading *r, uint32_t count, float own,
                             float out[LMBI_CLUES])
{
    const float none = count > 0 ? r[count - 1].score : 0;
    float human = none, other = none, alike = none;
    for (uint32_t k = count; k-- > 0;) {
        const bool same = lmb_vec3_dot(r[k].up, f->frame.axes[1]) > 0.9f &&
                          lmb_vec3_dot(r[k].left, f->frame.axes[0]) > 0.9f;
        if (r[k].plan != LMBI_PLAN_HUMAN) {
            other = r[k].score;
        } else {
            human = r[k].score;
            alike = same ? r[k].score : alike;
        }
    }
    human = fmaxf(human, own);
    alike = fmaxf(alike, own);
    out[LMBI_CLUE_PLAN] = fminf(fmaxf(human - other, -MOST_SCORE), MOST_SCORE);
    out[LMBI_CLUE_SCORE] = fminf(fmaxf(human, -20), 40);
    out[LMBI_CLUE_AXES] = fmaxf(alike - human, -MOST_SCORE);
    out[LMBI_CLUE_OWN] = fmaxf(own - human, -MOST_SCORE);
}

void lmbi_human_clues(const lmbi_figure *figure, const lmbi_human_joints *joints,
                      const lmbi_reading *readings, uint32_t reading_count, float own,
                      float out[LMBI_CLUES])
{
    bone bones[BONES];
    list_bones(joints, bones);
    measure_readings(figure, readings, reading_count, own, out);
    out[LMBI_CLUE_OUTSIDE] = outside_fraction(&figure->body, bones);
    out[LMBI_CLUE_UNCOVERED] = uncovered_fraction(&figure->body, bones);
    measure_sides(joints, out);
    measure_proportions(joints, out);
    out[LMBI_CLUE_NO_CROTCH] = joints->crotch_clear ? 0.0f : 1.0f;
    out[LMBI_CLUE_NO_NECK] = joints->neck_clear ? 0.0f : 1.0f;
    out[LMBI_CLUE_NO_ARMPIT] =
        (joints->arm_clear[0] ? 0.0f : 1.0f) + (joints->arm_clear[1] ? 0.0f : 1.0f);
    out[LMBI_CLUE_BACKWARD] = fmaxf(0, -joints->facing);
    out[LMBI_CLUE_FACING] = fmaxf(0, joints->facing);
    out[LMBI_CLUE_LENGTHS] = length_difference(joints);
    out[LMBI_CLUE_MOVED] = joints->moved;
}

/// Weights of the clues in the odds, and the usual proportions. Fitted by tools/fit-embed.mjs.
static const struct {
    float offset, weights[LMBI_CLUES];
    lmbi_spread usual[LMBI_CLUES - LMBI_CLUE_PROPORTIONS];
} MODEL = {
#include "embed/human/plausibility_rows.inl"
};

/// How unlikely a proportion is: the logarithm of a Student's t density, negated.
static float unlikeliness(const lmbi_spread *usual, float x)
{
    const float d = (x - usual->mean) / usual->spread;
    return lmb_log(1 + 0.25f * d * d);
}

float lmbi_human_odds(const float clues[LMBI_CLUES])
{
    float sum = MODEL.offset;
    for (int c = 0; c < LMBI_CLUES; ++c) {
        sum += MODEL.weights[c] *
               (c < LMBI_CLUE_PROPORTIONS
                    ? clues[c]
                    : unlikeliness(&MODEL.usual[c - LMBI_CLUE_PROPORTIONS], clues[c]));
    }
    return fminf(fmaxf(sum, -20), 20);
}
