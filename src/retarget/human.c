/// Decides whether a body mapped as a human is one: animal rigs use human joint names too.
#include "asset/tree.h"
#include "retarget/chains.h"

#include <math.h>

#define LEVEL_COS 0.64f ///< greatest angle between trunk and legs of a human: 50 degrees
#define ALIKE 0.25f     ///< length tolerance of a further leg, as a fraction of the leg's length
#define ARM_LOW 0.25f   ///< most that a front leg ends above the foot, of the height of the hips
#define LEG_JOINTS 4    ///< least joints of a leg to compare with

static lmb_vec3 middle(const lmbi_humanoid *body, int left, int right)
{
    return lmb_vec3_lerp(lmbi_reference_at(body, left), lmbi_reference_at(body, right), 0.5f);
}

/// Whether the trunk is level: a human's continues the line of the legs.
static bool is_level(const lmbi_humanoid *body)
{
    const lmb_vec3 zero = {0, 0, 0};
    if (!lmbi_has_bone(body, LMB_HUMAN_LEFT_UPPER_ARM) ||
        !lmbi_has_bone(body, LMB_HUMAN_RIGHT_UPPER_ARM) ||
        !lmbi_has_bone(body, LMB_HUMAN_LEFT_FOOT) || !lmbi_has_bone(body, LMB_HUMAN_RIGHT_FOOT)) {
        return false;
    }
    const lmb_vec3 hips = middle(body, LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG),
                   chest = middle(body, LMB_HUMAN_LEFT_UPPER_ARM, LMB_HUMAN_RIGHT_UPPER_ARM),
                   feet = middle(body, LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT);
    const lmb_vec3 trunk = lmb_vec3_normalize_or(lmb_vec3_sub(chest, hips), zero),
                   legs = lmb_vec3_normalize_or(lmb_vec3_sub(hips, feet), zero);
    return lmb_vec3_dot(trunk, legs) < LEVEL_COS;
}

typedef struct chain {
    int32_t root; ///< child of the joint above the legs
    uint32_t joints;
    float length;
} chain;

/// The chain from a child of `above` to `end`; root LMB_NONE if `end` is not below it.
static chain chain_of(const lmbi_humanoid *body, int32_t above, int32_t end)
{
    const lmb_skeleton *skeleton = body->skeleton;
    chain c = {.root = LMB_NONE};
    for (int32_t j = end; j > above; j = skeleton->parents[j]) {
        const int32_t parent = skeleton->parents[j];
        ++c.joints;
        c.root = parent == above ? j : LMB_NONE;
        if (parent > above) {
            c.length += lmb_vec3_distance(body->reference[j].translation,
                                          body->reference[parent].translation);
        }
    }
    return c;
}

static bool is_end(const lmbi_humanoid *body, int32_t joint)
{
    for (uint32_t i = (uint32_t)joint + 1; i < body->count; ++i) {
        if (body->skeleton->parents[i] == joint) {
            return false;
        }
    }
    return true;
}

/// The end of the left leg: of what hangs from its foot, the farthest in joints. LMB_NONE without a foot.
static int32_t end_of_leg(const lmbi_humanoid *body, int32_t above)
{
    const int32_t foot = lmbi_joint(body, LMB_HUMAN_LEFT_FOOT);
    int32_t end = foot;
    for (int32_t j = foot + 1; foot >= 0 && j < (int32_t)body->count; ++j) {
        if (lmbi_is_under(body->skeleton, j, foot) &&
            chain_of(body, above, j).joints > chain_of(body, above, end).joints) {
            end = j;
        }
    }
    return end;
}

/// Whether two or more further chains have as many joints as a leg and about its length.
static bool has_more_legs(const lmbi_humanoid *body)
{
    const int32_t left = lmbi_joint(body, LMB_HUMAN_LEFT_UPPER_LEG),
                  right = lmbi_joint(body, LMB_HUMAN_RIGHT_UPPER_LEG),
                  above = body->skeleton->parents[left],
                  end = above < 0 ? LMB_NONE : end_of_leg(body, above);
    if (end < 0) {
        return false;
    }
    const chain leg = chain_of(body, above, end);
    uint32_t others = 0;
    for (int32_t j = above + 1; leg.root == left && j < (int32_t)body->count; ++j) {
        const chain c = is_end(body, j) ? chain_of(body, above, j) : (chain){.root = LMB_NONE};
        if (c.root >= 0 && c.root != left && c.root != right && c.joints == leg.joints &&
            fabsf(c.length - leg.length) < ALIKE * leg.length) {
            ++others;
        }
    }
    return leg.joints >= LEG_JOINTS && others >= 2;
}

static const lmb_body_chain *leg_with(const lmb_chain_map *map, int32_t joint)
{
    for (uint32_t i = 0; i < map->count; ++i) {
        const lmb_body_chain *c = &map->chains[i];
        for (uint32_t k = 0; k < c->count && c->kind == LMB_CHAIN_LEG; ++k) {
            if (c->joints[k] == joint) {
                return c;
            }
        }
    }
    return NULL;
}

/// Whether an arm stands on the ground: it is a leg, and reaches as low as a foot.
static bool is_leg(const lmbi_humanoid *body, const lmb_chain_map *map, int32_t arm)
{
    const lmb_body_chain *c = leg_with(map, arm);
    if (c == NULL || !lmbi_has_bone(body, LMB_HUMAN_LEFT_FOOT)) {
        return c != NULL;
    }
    const float low = lmbi_reference_at(body, LMB_HUMAN_LEFT_FOOT).y,
                hips = lmbi_reference_at(body, LMB_HUMAN_HIPS).y;
    return body->reference[c->joints[c->count - 1]].translation.y < low + ARM_LOW * (hips - low);
}

/// Whether the body has two pairs of legs or more, and its arms are missing or legs themselves.
static bool has_more_leg_pairs(const lmbi_humanoid *body, const lmb_chain_map *map)
{
    const int32_t hand = lmbi_joint(body, LMB_HUMAN_LEFT_HAND),
                  arm = lmbi_joint(body, LMB_HUMAN_LEFT_LOWER_ARM);
    return lmbi_chain_pairs(map, LMB_CHAIN_LEG) > 1 &&
           ((hand < 0 && arm < 0) || (arm >= 0 && is_leg(body, map, arm)));
}

const char *lmbi_body_doubt(const lmbi_humanoid *body, const lmb_chain_map *chains)
{
    if (is_level(body)) {
        return "its trunk lies level, as an animal's";
    }
    return has_more_legs(body) || (chains != NULL && has_more_leg_pairs(body, chains))
               ? "it has more legs than two"
               : NULL;
}
