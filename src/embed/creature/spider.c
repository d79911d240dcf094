/// Bodies on six legs or more: spiders, insects, crabs.
#include "embed/creature/chain.h"
#include "embed/creature/slice_profile.h"

#include <math.h>
#include <stdio.h>

enum { LEG_JOINTS = 3 };

typedef struct spider_leg {
    lmb_vec3 at[LEG_JOINTS], tip; ///< root, knee, ankle
} spider_leg;

/// The limb tip of the leg that stands at `foot`: the nearest one.
static const lmbi_tip *spider_leg_tip(const lmbi_body_shape *v, lmb_vec3 foot)
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

/// The straight line through the middle part of a piece of a medial line. Its ends are left out,
/// because medial lines cut corners.
typedef struct straight_line {
    lmb_vec3 at, along; ///< unit, toward the body
} straight_line;

static straight_line line_through(const lmbi_limb_profile *line, float low, float high)
{
    const lmb_vec3 a = lmbi_limb_point(line, low + 0.2f * (high - low)),
                   b = lmbi_limb_point(line, low + 0.8f * (high - low));
    return (straight_line){lmb_vec3_lerp(a, b, 0.5f),
                           lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0))};
}

/// The joint between two bones: halfway between the closest points of their straight lines, unless
/// that is farther than `most` from the bend of the medial line.
static lmb_vec3 joint_between(straight_line p, straight_line q, lmb_vec3 bend, float most)
{
    const lmb_vec3 d = lmb_vec3_sub(p.at, q.at);
    const float c = lmb_vec3_dot(p.along, q.along), below = 1 - c * c;
    if (below < 0.06f) { // 14 degrees: nearly parallel lines have no stable closest points
        return bend;
    }
    const float pd = lmb_vec3_dot(p.along, d), qd = lmb_vec3_dot(q.along, d);
    const lmb_vec3 a = lmb_vec3_mad(p.at, p.along, (c * qd - pd) / below),
                   b = lmb_vec3_mad(q.at, q.along, (qd - c * pd) / below);
    const lmb_vec3 met = lmb_vec3_lerp(a, b, 0.5f);
    return lmb_vec3_distance(met, bend) < most ? met : bend;
}

/// Distance of p from the surface of the ball around the trunk's middle line; negative inside.
static float distance_outside(const lmbi_slice_profile *trunk, lmb_vec3 p)
{
    const float k = (p.z - trunk->low) / trunk->step;
    const uint32_t slice = k > 0 ? (uint32_t)k : 0;
    if (slice >= trunk->count || !(trunk->deep[slice] > 0)) {
        return 1e30f;
    }
    const lmb_vec3 middle = lmb_vec3_make(0, trunk->middle[slice].y, p.z);
    return lmb_vec3_distance(p, middle) - trunk->deep[slice];
}

/// The arc where the line enters the trunk; `usual` if it does not.
static float entry_of(const lmbi_slice_profile *trunk, const lmbi_limb_profile *line, float usual)
{
    for (uint32_t k = 1; k < line->count; ++k) {
        if (distance_outside(trunk, line->at[k]) < 0) {
            return (float)k * line->step;
        }
    }
    return usual;
}

/// Extends the upper leg's straight line into the trunk, to the point nearest to its middle.
static lmb_vec3 root_of(const lmbi_slice_profile *trunk, straight_line upper, lmb_vec3 knee,
                        lmb_vec3 entry)
{
    const float far = lmb_vec3_distance(knee, entry);
    lmb_vec3 best = entry;
    float nearest = 1e30f;
    for (float t = 0.6f * far; t < 1.5f * far + 0.05f && nearest > 0; t += 0.5f * trunk->step) {
        const lmb_vec3 p = lmb_vec3_mad(knee, upper.along, t);
        const float off = distance_outside(trunk, p);
        if (off < nearest) {
            nearest = off;
            best = p;
        }
    }
    return best;
}

/// The leg that stands at `foot`; `trunk` is the solid near the plane x = 0.
static void trace_leg(const lmbi_body_shape *shape, const lmbi_slice_profile *trunk, lmb_vec3 foot,
                      spider_leg *out)
{
    const lmbi_tip *tip = spider_leg_tip(shape, foot);
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
    const straight_line upper = line_through(&line, knee, root),
                        middle = line_through(&line, ankle, knee),
                        lower = line_through(&line, 0, ankle);
    const float most = 0.35f * root;
    out->at[1] = joint_between(middle, upper, lmbi_limb_point(&line, knee), most);
    out->at[2] = joint_between(lower, middle, lmbi_limb_point(&line, ankle), 0.5f * most);
    out->at[0] = root_of(trunk, upper, out->at[1], lmbi_limb_point(&line, root));
    out->tip = line.at[0];
}

static void symmetrise_pair(spider_leg pair[2])
{
    for (int k = 0; k <= LEG_JOINTS; ++k) {
        lmb_vec3 *a = k < LEG_JOINTS ? &pair[0].at[k] : &pair[0].tip,
                 *b = k < LEG_JOINTS ? &pair[1].at[k] : &pair[1].tip;
        const lmb_vec3 image = lmb_vec3_make(-b->x, b->y, b->z);
        if (lmb_vec3_distance(*a, image) < 0.04f) {
            *a = lmb_vec3_lerp(*a, image, 0.5f);
            *b = lmb_vec3_make(-a->x, a->y, a->z);
        }
    }
}

/// The first slice from `from` on, in steps of 1 or -1, that is narrower than slices before and
/// behind it: a waist or a neck. False if the trunk does not narrow.
static bool find_waist(const lmbi_slice_profile *p, uint32_t from, int step, uint32_t *out)
{
    float thick = 0, least = 1e30f, beyond = 0;
    for (uint32_t k = from; k < p->count && p->deep[k] > 0; k += (uint32_t)step) {
        const float d = p->deep[k];
        thick = least > 1e29f ? fmaxf(thick, d) : thick;
        if (d < least && d < 0.9f * thick && beyond < 1.15f * least) {
            least = d;
            beyond = d;
            *out = k;
        }
        beyond = fmaxf(beyond, least < 1e29f ? d : 0);
    }
    return least < 1e29f && beyond > 1.15f * least;
}

static uint32_t slice_of(const lmbi_slice_profile *p, float z)
{
    const float k = (z - p->low) / p->step;
    return k < 0 ? 0 : (uint32_t)k < p->count ? (uint32_t)k : p->count - 1;
}

/// Adds a joint at the waist or neck beyond the legs in one direction (-1 or 1), with its tip at
/// the end of the body.
static void add_end_joint(const lmbi_slice_profile *p, lmbi_embedding_writer *c, int32_t body,
                          lmb_vec3 middle, float last, int direction)
{
    uint32_t at = slice_of(p, middle.z);
    const bool clear = find_waist(p, at, direction, &at);
    uint32_t end = slice_of(p, middle.z);
    while (end + 1 < p->count && end > 0 && p->deep[end + (uint32_t)direction] > 0) {
        end += (uint32_t)direction;
    }
    const float tip = p->low + p->step * ((float)end + 0.5f);
    if ((tip - last) * (float)direction < 0.02f) {
        return;
    }
    const float z = clear ? p->low + p->step * ((float)at + 0.5f) : last + 0.15f * (tip - last);
    const lmb_vec3 place = lmb_vec3_make(0, lmbi_slice_profile_at(p, z).y, z);
    const int32_t joint = lmbi_embedding_add_joint(c, direction < 0 ? "abdomen" : "head", body,
                                                   place, clear ? 0.8f : 0.65f,
                                                   clear           ? "where the body narrows"
                                                   : direction < 0 ? "behind the last legs"
                                                                   : "before the first legs");
    lmbi_embedding_set_tip(c, joint, lmb_vec3_make(0, lmbi_slice_profile_at(p, tip).y, tip));
}

/// The median z of the leg roots.
static float median_root(const spider_leg (*legs)[2], uint32_t pairs)
{
    float z[LMBI_MAX_PAIRS];
    for (uint32_t k = 0; k < pairs; ++k) {
        const float mine = 0.5f * (legs[k][0].at[0].z + legs[k][1].at[0].z);
        uint32_t at = k;
        while (at > 0 && z[at - 1] > mine) {
            z[at] = z[at - 1];
            --at;
        }
        z[at] = mine;
    }
    return pairs & 1 ? z[pairs / 2] : 0.5f * (z[pairs / 2 - 1] + z[pairs / 2]);
}

/// Moves roots before the waist: a leg that lies against the abdomen seems to grow from it.
static void move_roots_before_waist(const lmbi_slice_profile *p, spider_leg (*legs)[2],
                                    uint32_t pairs)
{
    uint32_t waist = slice_of(p, median_root((const spider_leg(*)[2])legs, pairs));
    if (!find_waist(p, waist, -1, &waist)) {
        return;
    }
    const float low = p->low + p->step * ((float)waist + 1);
    for (uint32_t k = 0; k < 2 * pairs; ++k) {
        lmb_vec3 *root = &legs[k / 2][k & 1].at[0];
        if (root->z < low) {
            const uint32_t at = slice_of(p, low + 0.03f);
            const float x = root->x < 0 ? -p->deep[at] : p->deep[at];
            *root = lmb_vec3_make(x, p->middle[at].y, low + 0.03f);
        }
    }
}

/// Adds the trunk at the middle of the leg roots, and abdomen and head behind and before it.
static int32_t write_trunk(const lmbi_slice_profile *p, const spider_leg (*legs)[2], uint32_t pairs,
                           lmbi_embedding_writer *c)
{
    lmb_vec3 middle = {0, 0, 0};
    float front = -1e30f, back = 1e30f;
    for (uint32_t k = 0; k < pairs; ++k) {
        const lmb_vec3 root = lmb_vec3_lerp(legs[k][0].at[0], legs[k][1].at[0], 0.5f);
        middle = lmb_vec3_mad(middle, root, 1 / (float)pairs);
        front = fmaxf(front, root.z);
        back = fminf(back, root.z);
    }
    middle.x = 0;
    const int32_t body = lmbi_embedding_add_joint(c, "body", LMB_NONE, middle, 0.85f,
                                                  "between the roots of the legs");
    add_end_joint(p, c, body, middle, back, -1);
    add_end_joint(p, c, body, middle, front, 1);
    return body;
}

/// The pairs that belong to different legs. A torn leg can have two lowest points; the longer pair
/// stays.
static uint32_t drop_torn_legs(const lmbi_body_shape *v, const lmbi_stand *stand,
                               lmbi_leg_pair out[LMBI_MAX_PAIRS])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < stand->pair_count; ++k) {
        const lmbi_leg_pair *p = &stand->pairs[k];
        uint32_t same = 0;
        while (same < count &&
               spider_leg_tip(v, out[same].foot[0]) != spider_leg_tip(v, p->foot[0]) &&
               spider_leg_tip(v, out[same].foot[1]) != spider_leg_tip(v, p->foot[1])) {
            ++same;
        }
        if (same == count) {
            out[count++] = *p;
        } else if (p->length > out[same].length) {
            out[same] = *p;
        }
    }
    return count;
}

lmb_result lmbi_spider_place(const lmbi_body_shape *shape, const lmbi_stand *stand,
                             lmb_embedding *out)
{
    static const char *const parts[LEG_JOINTS] = {"Upper", "Middle", "Lower"};
    spider_leg legs[LMBI_MAX_PAIRS][2];
    lmbi_leg_pair feet[LMBI_MAX_PAIRS];
    const uint32_t pairs = drop_torn_legs(shape, stand, feet);
    lmbi_slice_profile trunk;
    lmbi_slice_profile_measure(shape, 0.04f, &trunk);
    for (uint32_t k = 0; k < pairs; ++k) {
        for (int side = 0; side < 2; ++side) {
            trace_leg(shape, &trunk, feet[k].foot[side], &legs[k][side]);
        }
        symmetrise_pair(legs[k]);
    }
    move_roots_before_waist(&trunk, legs, pairs);
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_SPIDER, &shape->frame, shape->box.high.y, out);
    const int32_t body = write_trunk(&trunk, (const spider_leg(*)[2])legs, pairs, &c);
    for (int side = 0; side < 2; ++side) {
        for (uint32_t k = 0; k < pairs; ++k) {
            int32_t parent = body;
            for (int j = 0; j < LEG_JOINTS; ++j) {
                char name[LMB_EMBEDDING_NAME];
                // legs are numbered from the front
                snprintf(name, sizeof name, "%sLeg%u%s", side == 0 ? "left" : "right", k + 1,
                         parts[j]);
                parent = lmbi_embedding_add_joint(
                    &c, name, parent, legs[pairs - 1 - k][side].at[j], 0.8f,
                    j == 0 ? "where the leg leaves the body" : "where the leg bends");
            }
            lmbi_embedding_set_tip(&c, parent, legs[pairs - 1 - k][side].tip);
        }
    }
    return LMB_OK;
}
