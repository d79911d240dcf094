/// A hand alone, with or without a piece of its forearm.
#include "rig/fingers.h"
#include "rig/kinds.h"

#include <math.h>
#include <stdio.h>

enum { FINGERS = 5 };

static float over(float x, float limit)
{
    return x > limit ? x - limit : 0;
}

typedef struct hand {
    const lmbi_survey *v;
    lmbi_tip fingers[FINGERS];
    lmb_vec3 along; ///< unit, from the wrist to the finger tips
    float end;      ///< of the arm: least place along `along`
    lmb_vec3 wrist;
    float wrist_narrow; ///< how much narrower than the palm
    lmbi_hand joints;
    float palm_side; ///< how clear it is which side is the palm's
    int side;        ///< 0: a left hand
} hand;

/// The two longest steps of the shortest tree that joins the tips: fingers end side by side, a
/// thumb somewhat apart.
static void tip_steps(const lmbi_tip tips[FINGERS], float out[2])
{
    bool in[FINGERS] = {true};
    out[0] = out[1] = 0;
    for (int n = 1; n < FINGERS; ++n) {
        float least = 1e30f;
        int next = 0;
        for (int a = 0; a < FINGERS; ++a) {
            for (int b = 0; b < FINGERS && in[a]; ++b) {
                const float d = lmb_vec3_distance(tips[a].position, tips[b].position);
                if (!in[b] && d < least) {
                    least = d;
                    next = b;
                }
            }
        }
        in[next] = true;
        out[1] = fmaxf(out[1], fminf(least, out[0]));
        out[0] = fmaxf(out[0], least);
    }
}

/// How unlike fingers five tips are: they point one way, and are alike.
static float set_cost(const lmbi_survey *v, const lmbi_tip tips[FINGERS], lmb_vec3 *out_along)
{
    const lmb_vec3 middle = lmb_grid_center(&v->body.grid, v->body.center);
    lmb_vec3 sum = {0, 0, 0};
    float least = 1e30f, most = 0, thin = 1e30f, thick = 0;
    for (int f = 0; f < FINGERS; ++f) {
        const lmb_vec3 d = lmb_vec3_sub(tips[f].position, middle);
        sum = lmb_vec3_add(sum, lmb_vec3_normalize_or(d, lmb_vec3_make(0, 1, 0)));
        // the one that reaches farthest has no branch of its own
        const bool own = tips[f].length < 0.95f * tips[f].reach;
        least = fminf(least, tips[f].length);
        most = own ? fmaxf(most, tips[f].length) : most;
        thin = fminf(thin, tips[f].radius);
        thick = fmaxf(thick, tips[f].radius);
    }
    const float one_way = lmb_vec3_length(sum) / FINGERS;
    *out_along = lmb_vec3_normalize_or(sum, lmb_vec3_make(0, 1, 0));
    float steps[2];
    tip_steps(tips, steps);
    return 3 * over(0.75f, one_way) + over(0.3f, least / fmaxf(most, 1e-4f)) +
           2 * over(steps[1] / fmaxf(most, 1e-4f), 0.9f) +
           2 * over(steps[0] / fmaxf(most, 1e-4f), 1.6f) +
           0.15f * over(thick / fmaxf(thin, 0.5f * v->body.grid.cell), 2.5f);
}

/// The best five of the longest tips. Other tips that point the same way, and
/// more than one that does not, are too many.
static float choose_fingers(const lmbi_survey *v, hand *h)
{
    enum { MOST = 9 };
    const uint32_t count = v->tip_count < MOST ? v->tip_count : MOST;
    float best = 3;
    uint32_t chosen = 0;
    for (uint32_t set = 0; set < 1u << count; ++set) {
        lmbi_tip tips[FINGERS];
        uint32_t n = 0;
        bool five = true;
        for (uint32_t t = 0; t < count && five; ++t) {
            if (set >> t & 1) {
                five = n < FINGERS && v->tips[t].length > 0.05f;
                tips[n < FINGERS ? n : 0] = v->tips[t];
                ++n;
            }
        }
        lmb_vec3 along;
        const float cost = five && n == FINGERS ? set_cost(v, tips, &along) : 3;
        if (cost < best) {
            best = cost;
            chosen = set;
            h->along = along;
            for (int f = 0; f < FINGERS; ++f) {
                h->fingers[f] = tips[f];
            }
        }
    }
    if (chosen == 0) {
        return 3;
    }
    const lmb_vec3 middle = lmb_grid_center(&v->body.grid, v->body.center);
    uint32_t arms = 0;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        const float far = lmb_vec3_dot(lmb_vec3_sub(v->tips[t].position, middle), h->along);
        const float longer = over(v->tips[t].length / h->fingers[FINGERS - 1].length, 0.5f);
        if ((t < count && chosen >> t & 1) || !(longer > 0)) {
            continue;
        }
        arms += far <= 0;
        best += far > 0 ? 3 * longer : arms > 1 ? 0.3f : 0;
    }
    return best;
}

/// How far the arm goes; fingers end in the far half, but for a thumb.
static float find_arm(hand *h)
{
    h->end = 1e30f;
    float far = -1e30f;
    for (uint32_t k = 0; k < h->v->body.solid_count; ++k) {
        const float a = lmb_vec3_dot(h->v->body.at[k], h->along);
        h->end = fminf(h->end, a);
        far = fmaxf(far, a);
    }
    uint32_t near = 0;
    for (int f = 0; f < FINGERS; ++f) {
        near += lmb_vec3_dot(h->fingers[f].position, h->along) < h->end + 0.55f * (far - h->end);
    }
    return near > 1 ? 0.6f * (float)(near - 1) : 0;
}

float lmbi_hand_cost(const lmbi_survey *survey)
{
    hand h = {.v = survey};
    const float cost = choose_fingers(survey, &h);
    return cost > 2 ? cost : cost + find_arm(&h);
}

static lmb_vec3 recentred(const hand *h, lmb_vec3 p, float reach, float *out_area)
{
    uint8_t scratch[LMBI_SECTION * LMBI_SECTION];
    lmb_vec3 center = p;
    // the plane's middle voxel has to be solid
    p = lmb_grid_center(&h->v->body.grid, lmbi_survey_voxel(h->v, p));
    *out_area = lmbi_section_area(&h->v->body, p, h->along, reach, scratch, &center);
    return center;
}

/// The narrowest place about one finger length behind the knuckles.
static void find_wrist(hand *h)
{
    lmb_vec3 knuckles = {0, 0, 0};
    for (int f = 1; f < FINGERS; ++f) {
        knuckles = lmb_vec3_mad(knuckles, h->joints.joint[f][0], 0.25f);
    }
    const float finger = lmb_vec3_distance(h->joints.joint[2][0], h->joints.tip[2]);
    const float room = lmb_vec3_dot(knuckles, h->along) - h->end;
    float least = 1e30f, palm = 0;
    h->wrist = lmb_vec3_mad(knuckles, h->along, -0.9f * fminf(finger, room));
    for (float far = 0.45f; far < 1.3f && far * finger < 0.97f * room; far += 0.05f) {
        float area;
        const lmb_vec3 p =
            recentred(h, lmb_vec3_mad(knuckles, h->along, -far * finger), 0.8f * finger, &area);
        palm = fmaxf(palm, area);
        // a narrow place counts for more where a wrist usually is
        const float off = far - 1.02f, weighed = area * (1 + 8 * off * off);
        if (far > 0.7f && weighed < least) {
            least = weighed;
            h->wrist = p;
        }
    }
    h->wrist_narrow = palm > 0 ? 1 - least / palm : 0;
}

/// Fingers curl toward the palm, and the thumb lies before it.
static void find_side(hand *h)
{
    lmb_vec3 thumbward = lmb_vec3_sub(h->joints.joint[1][0], h->joints.joint[4][0]);
    thumbward = lmb_vec3_mad(thumbward, h->along, -lmb_vec3_dot(thumbward, h->along));
    thumbward = lmb_vec3_normalize_or(thumbward, lmb_vec3_any_perpendicular(h->along));
    const lmb_vec3 normal = lmb_vec3_cross(thumbward, h->along);
    float curl = 0;
    for (int f = 1; f < FINGERS; ++f) {
        const lmb_vec3 knuckle = h->joints.joint[f][0], base = lmb_vec3_sub(knuckle, h->wrist);
        const lmb_vec3 straight = lmb_vec3_normalize_or(base, h->along);
        const lmb_vec3 out = lmb_vec3_sub(h->joints.tip[f], knuckle);
        curl += lmb_vec3_dot(lmb_vec3_mad(out, straight, -lmb_vec3_dot(out, straight)), normal) /
                fmaxf(lmb_vec3_length(out), 1e-5f) / 4;
    }
    lmb_vec3 plane = lmb_vec3_sub(h->joints.joint[0][2], h->wrist);
    const float thumb = lmb_vec3_dot(plane, normal) / fmaxf(lmb_vec3_length(plane), 1e-5f);
    const float to_palm = curl + 0.6f * thumb; // above 0: the palm looks along normal
    // Seen on the palm, fingers up, a left hand has its thumb on the left.
    h->side = to_palm > 0 ? 1 : 0;
    h->palm_side = fabsf(to_palm);
}

static int32_t write_arm(hand *h, lmbi_creature *c)
{
    const char *const arm[2] = {"leftLowerArm", "rightLowerArm"}, *const name[2] = {"leftHand",
                                                                                    "rightHand"};
    const float finger = lmb_vec3_distance(h->joints.joint[2][0], h->joints.tip[2]);
    const float behind = lmb_vec3_dot(h->wrist, h->along) - h->end;
    const float sure = h->wrist_narrow > 0.15f ? 0.8f : 0.55f;
    int32_t root = LMB_NONE;
    if (behind > 0.5f * finger) {
        float area;
        const lmb_vec3 p =
            recentred(h, lmb_vec3_mad(h->wrist, h->along, -0.88f * behind), 0.8f * finger, &area);
        root = lmbi_creature_joint(c, arm[h->side], LMB_NONE, p, 0.7f, "where the forearm is cut");
    }
    return lmbi_creature_joint(c, name[h->side], root, h->wrist, sure,
                               sure > 0.7f ? "the narrowest place behind the palm"
                                           : "a finger's length behind the knuckles");
}

lmb_result lmbi_hand_place(const lmbi_survey *survey, float height, lmb_embedding *out)
{
    hand h = {.v = survey};
    choose_fingers(survey, &h);
    find_arm(&h);
    const lmbi_palm palm = {.wrist = lmb_vec3_scale(h.along, h.end), .along = h.along, .length = 1};
    lmbi_fingers_order(&palm, h.fingers);
    lmbi_fingers_place(&survey->body, survey->ways, h.fingers, &h.joints);
    find_wrist(&h);
    h.joints.joint[0][0] = lmb_vec3_lerp(h.joints.joint[0][1], h.wrist, 0.58f);
    find_side(&h);
    lmbi_creature c;
    lmbi_creature_begin(&c, LMB_SKELETON_HAND, &survey->frame, height, out);
    const int32_t wrist = write_arm(&h, &c);
    const float sure = h.palm_side > 0.05f ? 0.8f : 0.5f;
    for (uint32_t k = 0; k < LMB_FINGER_JOINTS / 2; ++k) {
        const uint32_t named = LMB_BODY_JOINTS + (uint32_t)h.side * (LMB_FINGER_JOINTS / 2) + k;
        const int32_t parent = k % 3 == 0 ? wrist : (int32_t)c.out->joint_count - 1;
        const int32_t j = lmbi_creature_joint(
            &c, lmb_humanoid_name(named), parent, h.joints.joint[k / 3][k % 3], sure,
            sure > 0.7f ? "a share of a finger that stands apart"
                        : "a flat hand: left and right are a guess");
        if (k % 3 == 2) {
            lmbi_creature_tip(&c, j, h.joints.tip[k / 3]);
        }
    }
    return LMB_OK;
}
