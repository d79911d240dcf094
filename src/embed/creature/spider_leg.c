#include "embed/creature/spider_leg.h"

#include <math.h>

const lmbi_tip *lmbi_spider_leg_tip(const lmbi_body_shape *v, lmb_vec3 foot)
{
    const lmbi_tip *best = &v->tips[0];
    for (uint32_t t = 1; t < v->tip_count; ++t) {
        best =
            lmb_vec3_distance(v->tips[t].position, foot) < lmb_vec3_distance(best->position, foot)
                ? &v->tips[t]
                : best;
    }
    return best;
}

/// A straight through the middle of a piece of a line, away from its ends, where the line cuts
/// corners.
typedef struct straight {
    lmb_vec3 at, along; ///< unit, toward the body
} straight;

static straight straight_of(const lmbi_limb_profile *line, float low, float high)
{
    const lmb_vec3 a = lmbi_limb_point(line, low + 0.2f * (high - low)),
                   b = lmbi_limb_point(line, low + 0.8f * (high - low));
    return (straight){lmb_vec3_lerp(a, b, 0.5f),
                      lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0))};
}

/// Where two bones meet: halfway between the nearest points of their straights, unless that is
/// farther than `most` from where the line bends.
static lmb_vec3 meeting(straight p, straight q, lmb_vec3 bend, float most)
{
    const lmb_vec3 d = lmb_vec3_sub(p.at, q.at);
    const float c = lmb_vec3_dot(p.along, q.along), below = 1 - c * c;
    if (below < 0.06f) { // 14 degrees: too straight to tell
        return bend;
    }
    const float pd = lmb_vec3_dot(p.along, d), qd = lmb_vec3_dot(q.along, d);
    const lmb_vec3 a = lmb_vec3_mad(p.at, p.along, (c * qd - pd) / below),
                   b = lmb_vec3_mad(q.at, q.along, (qd - c * pd) / below);
    const lmb_vec3 met = lmb_vec3_lerp(a, b, 0.5f);
    return lmb_vec3_distance(met, bend) < most ? met : bend;
}

/// How far p is outside the ball round the trunk's middle line.
static float outside(const lmbi_slice_profile *trunk, lmb_vec3 p)
{
    const float k = (p.z - trunk->low) / trunk->step;
    const uint32_t slice = k > 0 ? (uint32_t)k : 0;
    if (slice >= trunk->count || !(trunk->deep[slice] > 0)) {
        return 1e30f;
    }
    const lmb_vec3 middle = lmb_vec3_make(0, trunk->middle[slice].y, p.z);
    return lmb_vec3_distance(p, middle) - trunk->deep[slice];
}

/// The arc where the line enters the trunk; `usual` where it does not.
static float entry_of(const lmbi_slice_profile *trunk, const lmbi_limb_profile *line, float usual)
{
    for (uint32_t k = 1; k < line->count; ++k) {
        if (outside(trunk, line->at[k]) < 0) {
            return (float)k * line->step;
        }
    }
    return usual;
}

/// Into the trunk along the straight of the upper leg: as near to its middle as the ball reaches.
static lmb_vec3 root_of(const lmbi_slice_profile *trunk, straight upper, lmb_vec3 knee,
                        lmb_vec3 entry)
{
    const float far = lmb_vec3_distance(knee, entry);
    lmb_vec3 best = entry;
    float nearest = 1e30f;
    for (float t = 0.6f * far; t < 1.5f * far + 0.05f && nearest > 0; t += 0.5f * trunk->step) {
        const lmb_vec3 p = lmb_vec3_mad(knee, upper.along, t);
        const float off = outside(trunk, p);
        if (off < nearest) {
            nearest = off;
            best = p;
        }
    }
    return best;
}

void lmbi_spider_leg_trace(const lmbi_body_shape *shape, const lmbi_slice_profile *trunk,
                           lmb_vec3 foot, lmbi_spider_leg *out)
{
    const lmbi_tip *tip = lmbi_spider_leg_tip(shape, foot);
    lmbi_limb_profile line;
    lmbi_body_shape_trace_limb(shape, tip->voxel, &line);
    const float root = entry_of(trunk, &line, lmbi_limb_root(shape, &line, tip));
    float knee, ankle;
    if (lmbi_limb_bend(&line, 0, root, &knee) < 0.05f * root) {
        knee = 0.62f * root;
    }
    if (lmbi_limb_bend(&line, 0, knee, &ankle) < 0.03f * knee) {
        ankle = 0.4f * knee;
    }
    const straight upper = straight_of(&line, knee, root), middle = straight_of(&line, ankle, knee),
                   lower = straight_of(&line, 0, ankle);
    const float most = 0.35f * root;
    out->at[1] = meeting(middle, upper, lmbi_limb_point(&line, knee), most);
    out->at[2] = meeting(lower, middle, lmbi_limb_point(&line, ankle), 0.5f * most);
    out->at[0] = root_of(trunk, upper, out->at[1], lmbi_limb_point(&line, root));
    out->tip = line.at[0];
}
