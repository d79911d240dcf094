/// Steep feet. Rolling over the toe moves the ankle horizontally in proportion to the foot's slope:
/// a foot about as high as long, as toys have, slides where a flat one lifts its heel. Such a foot
/// stays flat while its ankle is in contact, and lands and lifts vertically.
#include "math/math.h"
#include "retarget/feet_state.h"

#include <math.h>

#include "math/scalar.h"

#define STEEP 0.9f      ///< least height of the ankle over the toe per distance ahead
#define TIPTOE_S 0.35f  ///< longest time on the toe alone that counts as a roll
#define RISE_S 0.06f    ///< time of the vertical lift
#define LAND_S 0.03f    ///< time of the vertical landing
#define FADE_S 0.1f     ///< time after a stance over which raising fades out
#define HEIGHT_M 0.033f ///< height of lift and landing, metres on a body of common size

bool lmbi_foot_is_steep(const lmbi_humanoid *body, int bone, lmb_vec3 toe)
{
    const lmb_transform ankle = body->reference[lmbi_joint(body, bone)];
    const lmb_vec3 ahead = lmbi_joint(body, bone + 1) >= 0
                               ? lmb_vec3_sub(lmbi_reference_at(body, bone + 1), ankle.translation)
                               : lmb_quat_rotate(ankle.rotation, toe);
    return -ahead.y > STEEP * lmb_sqrt(ahead.x * ahead.x + ahead.z * ahead.z);
}

/// A toe's contact, cut to the ankle's where it exceeds that briefly.
static lmbi_foot_contact trim_to_ankle(lmbi_foot_contact toe, const lmbi_foot_contacts *ankles,
                                       uint32_t tiptoe)
{
    const lmbi_foot_contact original = toe;
    bool any = false;
    for (uint32_t i = 0; i < ankles->count; ++i) {
        const lmbi_foot_contact a = ankles->items[i];
        if (a.begin >= original.end || original.begin >= a.end) {
            continue;
        }
        if (!any && (a.begin < original.begin || a.begin - original.begin < tiptoe)) {
            toe.begin = a.begin;
        }
        toe.end = a.end >= original.end || original.end - a.end < tiptoe ? a.end : original.end;
        any = true;
    }
    return toe;
}

void lmbi_feet_trim_toes(const lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const lmbi_foot_contacts *ankles = &leg->points[ANKLE].contacts;
    lmbi_foot_contacts *toes = &leg->points[TOE].contacts;
    const uint32_t tiptoe = (uint32_t)(TIPTOE_S * feet->t->motion->rate + 1.0f);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < toes->count; ++i) {
        const lmbi_foot_contact c = trim_to_ankle(toes->items[i], ankles, tiptoe);
        lmbi_foot_contact *before = kept > 0 ? &toes->items[kept - 1] : NULL;
        if (before != NULL && before->end >= c.begin) {
            before->end = before->end > c.end ? before->end : c.end;
        } else {
            toes->items[kept++] = c;
        }
    }
    toes->count = kept;
}

/// Keeps the foot of frame `f` as it stands in frame `stance_frame`, raised by `fraction` of the
/// way.
static void raise_pose(const lmbi_feet_state *feet, lmbi_foot_limb *leg, uint32_t stance_frame,
                       uint32_t f, float fraction)
{
    const lmbi_transfer *t = feet->t;
    const size_t foot = (size_t)leg->foot;
    const lmb_quat stance =
        lmb_quat_mul(lmbi_rotation_vector(leg->rotation[stance_frame]),
                     t->rotations[(size_t)stance_frame * t->driven_count + foot]);
    const lmb_quat now = t->rotations[(size_t)f * t->driven_count + foot];
    lmb_vec3 ankle = lmbi_foot_ankle_goal(leg, stance_frame);
    ankle.y = fmaxf(ankle.y + fraction * fraction * HEIGHT_M * feet->body_m,
                    leg->points[ANKLE].path[f].y + leg->offset[stance_frame].y);
    leg->offset[f] = lmb_vec3_sub(ankle, leg->points[ANKLE].path[f]);
    leg->rotation[f] = lmbi_rotation_vector_of(lmb_quat_mul(stance, lmb_quat_conjugate(now)));
}

/// Weight of raising an out-of-reach foot instead of dragging it: 1 over its stance, then fading.
static void find_raise_weights(const lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const uint32_t n = feet->frame_count;
    const float step = 1.0f / (FADE_S * feet->t->motion->rate),
                back = 1.0f / (LAND_S * feet->t->motion->rate);
    for (uint32_t f = 0; f < n; ++f) {
        const float before = f > 0 ? leg->raise[f - 1] - step : 0.0f;
        leg->raise[f] = feet->known[f] ? 1.0f : fmaxf(0.0f, before);
    }
    for (uint32_t f = n - 1; f-- > 0;) {
        leg->raise[f] = fmaxf(leg->raise[f], leg->raise[f + 1] - back);
    }
}

void lmbi_feet_add_vertical_steps(lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    const uint32_t n = feet->frame_count;
    const uint32_t rise = (uint32_t)(RISE_S * feet->t->motion->rate + 0.5f),
                   land = (uint32_t)(LAND_S * feet->t->motion->rate + 0.5f);
    for (uint32_t end = 0, f = 0; f < n; f = end) {
        end = f + 1;
        while (end < n && feet->known[end] == feet->known[f]) {
            ++end;
        }
        if (feet->known[f]) {
            continue;
        }
        const uint32_t third = (end - f) / 3, up = f > 0 ? lmbi_min_count(third, rise) : 0,
                       down = end < n ? lmbi_min_count(third, land) : 0;
        for (uint32_t k = 1; k <= up; ++k) {
            raise_pose(feet, leg, f - 1, f + k - 1, (float)k / (float)up);
            feet->known[f + k - 1] = true;
        }
        for (uint32_t k = 1; k <= down; ++k) {
            raise_pose(feet, leg, end, end - k, (float)k / (float)down);
            feet->known[end - k] = true;
        }
    }
    find_raise_weights(feet, leg);
}
