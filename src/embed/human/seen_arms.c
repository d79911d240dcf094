/// Arms that a network sees in a body that lacks them, or in which they are one with its sides.
#include "embed/human/human.h"
#include "mapping/body_joint.h"

#include <math.h>

const char lmbi_arm_hidden[] = "the arm is one with the body; where a network sees it";
const char lmbi_arm_missing[] = "this arm is missing; in its stump";

/// The coarse voxels of a mesh, and their frame in its space.
typedef struct solid {
    const lmbi_voxel_body *body;
    const lmbi_frame *frame;
} solid;

static float depth_at(const solid *s, lmb_vec3 at)
{
    return s->body->depth[lmbi_grid_voxel_at(&s->body->grid, lmbi_frame_to(s->frame, at))];
}

/// The share of a segment that is solid.
static float inside_share(const solid *s, lmb_vec3 from, lmb_vec3 to)
{
    enum { STEPS = 24 };
    int count = 0;
    for (int k = 0; k < STEPS; ++k) {
        const lmb_vec3 at = lmb_vec3_lerp(from, to, ((float)k + 0.5f) / STEPS);
        count +=
            s->body->cells[lmbi_grid_voxel_at(&s->body->grid, lmbi_frame_to(s->frame, at))] != 0;
    }
    return (float)count / STEPS;
}

/// The point of the line from hips to neck at the height of another.
static lmb_vec3 trunk_beside(const lmb_embedding *e, lmb_vec3 at)
{
    const lmb_vec3 low = e->joints[LMBI_HIPS], line = lmb_vec3_sub(e->joints[LMBI_NECK], low);
    const float along =
        lmb_vec3_dot(lmb_vec3_sub(at, low), line) / fmaxf(lmb_vec3_dot(line, line), 1e-12f);
    return lmb_vec3_mad(low, line, lmbi_saturatef(along));
}

/// Puts the joints beyond the shoulder into the stump, close together.
static void fill_stump(lmb_embedding *e, uint32_t shoulder)
{
    const float step = 0.012f * e->height;
    const lmb_vec3 zero = {0, 0, 0}, from = e->joints[shoulder],
                   along = lmb_vec3_normalize_or(lmb_vec3_sub(e->joints[shoulder + 1], from), zero);
    for (uint32_t k = 0; k < 3; ++k) {
        e->joints[shoulder + k] = lmb_vec3_mad(from, along, step * (float)k);
        e->tips[shoulder + k] = e->joints[shoulder + k];
        e->confidence[shoulder + k] = 0.3f;
        e->reason[shoulder + k] = lmbi_arm_missing;
    }
    e->tips[shoulder + 2] = lmb_vec3_mad(from, along, 3 * step);
}

/// Whether all is solid between an arm that hangs and the trunk.
static bool is_one_with_trunk(const solid *s, const lmb_embedding *e, const lmb_vec3 at[3])
{
    return inside_share(s, at[1], trunk_beside(e, at[1])) >= 1 &&
           inside_share(s, at[2], trunk_beside(e, at[2])) >= 1;
}

static bool hangs(const lmb_embedding *e, const lmb_vec3 at[3])
{
    const float steep = 0.6f;
    const lmb_vec3 fore = lmb_vec3_sub(at[1], at[2]);
    return lmb_vec3_dot(fore, e->up) > steep * lmb_vec3_length(fore);
}

/// Whether an arm is seen for want of one: hanging, in the trunk or in the air, with a wrist that is much less sure than the
/// other.
static bool is_missing(const solid *s, const lmb_embedding *e, uint32_t shoulder, uint32_t other)
{
    const float in_arm = 0.95f, unsure = 0.64f, less = 0.1f;
    const lmb_vec3 *at = &e->joints[shoulder];
    const float wrist = e->confidence[shoulder + 2], other_wrist = e->confidence[other + 2];
    return wrist < unsure && wrist < other_wrist - less && hangs(e, at) &&
           (inside_share(s, at[1], at[2]) < in_arm || is_one_with_trunk(s, e, at));
}

void lmbi_rate_seen_arms(const lmbi_voxel_cache *cache, lmb_embedding *e)
{
    const solid s = {&cache->variant[LMBI_VOXELS_COARSE].body, &cache->frame};
    const uint32_t arms[2] = {LMBI_LEFT_UPPER_ARM, LMBI_RIGHT_UPPER_ARM};
    const bool missing[2] = {is_missing(&s, e, arms[0], arms[1]),
                             is_missing(&s, e, arms[1], arms[0])};
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 *at = &e->joints[arms[side]];
        if (missing[side]) {
            fill_stump(e, arms[side]);
            continue;
        }
        if (hangs(e, at) && is_one_with_trunk(&s, e, at)) {
            for (int k = 0; k < 3; ++k) {
                e->reason[arms[side] + (uint32_t)k] = lmbi_arm_hidden;
            }
        }
    }
}

/// Ends a hand where it would run into the trunk, which is thicker than the forearm.
static void end_hand(const solid *s, lmb_embedding *e, uint32_t hand)
{
    const float least = 0.3f, step = 0.1f, deeper = 1.3f;
    const lmb_vec3 wrist = e->joints[hand], elbow = e->joints[hand - 1], end = e->tips[hand];
    float thick = 0, reach = least;
    for (int k = 3; k <= 7; k += 2) {
        thick = fmaxf(thick, depth_at(s, lmb_vec3_lerp(elbow, wrist, 0.1f * (float)k)));
    }
    while (reach < 1 && depth_at(s, lmb_vec3_lerp(wrist, end, reach + step)) <= deeper * thick) {
        reach += step;
    }
    e->tips[hand] = lmb_vec3_lerp(wrist, end, fminf(reach, 1));
}

void lmbi_end_hands(const lmbi_voxel_cache *cache, lmb_embedding *e)
{
    const solid s = {&cache->variant[LMBI_VOXELS_COARSE].body, &cache->frame};
    end_hand(&s, e, LMBI_LEFT_HAND);
    end_hand(&s, e, LMBI_RIGHT_HAND);
}
