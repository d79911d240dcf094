/// Bodies on six legs or more: spiders, insects, crabs.
#include "rig/chain.h"

#include <math.h>
#include <stdio.h>

enum { LEAST_PAIRS = 3, LEG_JOINTS = 3 };

static float over(float x, float limit)
{
    return x > limit ? x - limit : 0;
}

/// Pairs of feet on the ground with long legs stay, the others go.
static void keep_legs(lmbi_stand *s)
{
    float longest = 0;
    for (uint32_t k = 0; k < s->pair_count; ++k) {
        longest = fmaxf(longest, s->pairs[k].length);
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < s->pair_count; ++k) {
        const lmbi_leg_pair *p = &s->pairs[k];
        if (p->length > 0.3f * longest && p->height < 0.3f * (s->high - s->low)) {
            s->pairs[kept++] = *p;
        }
    }
    s->pair_count = kept;
}

/// The smaller end is the head's, and the legs are nearer to it.
static float head_hint(const lmbi_survey *v, const lmbi_stand *s)
{
    float legs = 0, low = 1e30f, high = -1e30f;
    for (uint32_t k = 0; k < s->pair_count; ++k) {
        // where the legs are rooted, feet being spread to both sides
        legs += s->pairs[k].along / (float)s->pair_count;
    }
    float ahead = 0, behind = 0;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 p = lmb_grid_center(&v->body.grid, v->body.solid[k]);
        if (fabsf(lmb_vec3_dot(p, s->left) - s->offset) > 0.03f ||
            v->body.depth[v->body.solid[k]] < 2) {
            continue;
        }
        const float z = lmb_vec3_dot(p, s->forward) - legs;
        low = fminf(low, z);
        high = fmaxf(high, z);
        ahead += z > 0;
        behind += z < 0;
    }
    return (-low - high) / fmaxf(high - low, 1e-3f) +
           0.3f * (behind - ahead) / fmaxf(ahead + behind, 1);
}

float lmbi_spider_cost(const lmbi_survey *survey, lmb_vec3 told, lmbi_stand *stand)
{
    keep_legs(stand);
    if (stand->pair_count < LEAST_PAIRS) {
        return 3;
    }
    float cost = 0, shortest = 1e30f, longest = 0;
    for (uint32_t k = 0; k < stand->pair_count; ++k) {
        const lmbi_leg_pair *p = &stand->pairs[k];
        cost += 2 * over(p->miss, 0.05f) + 2 * over(p->height / (stand->high - stand->low), 0.1f);
        shortest = fminf(shortest, p->length);
        longest = fmaxf(longest, p->length);
    }
    cost += over(0.5f, shortest / longest) + 4 * over(0.1f, shortest);
    const bool turn = lmb_vec3_dot(told, told) > 0 ? lmb_vec3_dot(told, stand->forward) < 0
                                                   : head_hint(survey, stand) < 0;
    if (turn) {
        lmbi_stand_reverse(stand);
    }
    return cost;
}

/// The geodesic end of a leg: the tip nearest to its foot.
static const lmbi_tip *tip_at(const lmbi_survey *v, lmb_vec3 foot)
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

typedef struct bug_leg {
    lmb_vec3 at[LEG_JOINTS], tip;
} bug_leg;

static void trace_leg(const lmbi_survey *v, lmb_vec3 foot, bug_leg *out)
{
    const lmbi_tip *tip = tip_at(v, foot);
    lmbi_limb line;
    lmbi_survey_trace(v, tip->voxel, &line);
    const float root = lmbi_limb_root(v, &line, tip);
    float knee, ankle;
    if (lmbi_limb_bend(&line, 0, root, &knee) < 0.05f * root) {
        knee = 0.62f * root;
    }
    if (lmbi_limb_bend(&line, 0, knee, &ankle) < 0.03f * knee) {
        ankle = 0.4f * knee;
    }
    out->at[0] = lmbi_limb_point(&line, root);
    out->at[1] = lmbi_limb_point(&line, knee);
    out->at[2] = lmbi_limb_point(&line, ankle);
    out->tip = line.at[0];
}

static void even_out(bug_leg pair[2])
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

/// Trunk: the middle between the leg roots; head and abdomen where the body narrows before and
/// behind, found as shares of what there is.
static int32_t write_trunk(const lmbi_survey *v, const bug_leg (*legs)[2], uint32_t pairs,
                           lmbi_creature *c)
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
    float low = 1e30f, high = -1e30f;
    double rear_y = 0;
    uint32_t rear_count = 0;
    for (uint32_t s = 0; s < v->body.solid_count; ++s) {
        const lmb_vec3 p = lmb_grid_center(&v->body.grid, v->body.solid[s]);
        if (fabsf(p.x) < 0.02f) {
            low = fminf(low, p.z);
            high = fmaxf(high, p.z);
            if (p.z < back - 0.05f) {
                rear_y += (double)p.y;
                ++rear_count;
            }
        }
    }
    const int32_t body =
        lmbi_creature_joint(c, "body", LMB_NONE, middle, 0.85f, "between the roots of the legs");
    if (low < back - 0.06f) {
        const lmb_vec3 tip =
            lmb_vec3_make(0, rear_count ? (float)(rear_y / rear_count) : middle.y, low);
        const int32_t abdomen = lmbi_creature_joint(
            c, "abdomen", body, lmb_vec3_make(0, middle.y, 0.6f * back + 0.4f * middle.z - 0.02f),
            0.7f, "behind the last legs");
        lmbi_creature_tip(c, abdomen, tip);
    }
    if (high > front + 0.02f) {
        const int32_t head = lmbi_creature_joint(
            c, "head", body, lmb_vec3_make(0, middle.y, front + 0.15f * (high - front)), 0.7f,
            "before the first legs");
        lmbi_creature_tip(c, head, lmb_vec3_make(0, middle.y, high));
    }
    return body;
}

lmb_result lmbi_spider_place(const lmbi_survey *survey, const lmbi_stand *stand, lmb_embedding *out)
{
    static const char *const parts[LEG_JOINTS] = {"Upper", "Middle", "Lower"};
    bug_leg legs[LMBI_MAX_PAIRS][2];
    const uint32_t pairs = stand->pair_count;
    for (uint32_t k = 0; k < pairs; ++k) {
        for (int side = 0; side < 2; ++side) {
            trace_leg(survey, stand->pairs[k].foot[side], &legs[k][side]);
        }
        even_out(legs[k]);
    }
    lmbi_creature c;
    lmbi_creature_begin(&c, LMB_SKELETON_SPIDER, &survey->frame, stand->high - stand->low, out);
    const int32_t body = write_trunk(survey, (const bug_leg(*)[2])legs, pairs, &c);
    for (int side = 0; side < 2; ++side) {
        for (uint32_t k = 0; k < pairs; ++k) {
            int32_t parent = body;
            for (int j = 0; j < LEG_JOINTS; ++j) {
                char name[LMB_EMBEDDING_NAME];
                // the first leg is the foremost
                snprintf(name, sizeof name, "%sLeg%u%s", side == 0 ? "left" : "right", k + 1,
                         parts[j]);
                parent = lmbi_creature_joint(
                    &c, name, parent, legs[pairs - 1 - k][side].at[j], 0.8f,
                    j == 0 ? "where the leg leaves the body" : "where the leg bends");
            }
            lmbi_creature_tip(&c, parent, legs[pairs - 1 - k][side].tip);
        }
    }
    return LMB_OK;
}
