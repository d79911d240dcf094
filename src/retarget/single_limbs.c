/// Arms and legs of one joint, as toys of blocks have them: they end where their skin does.
#include "mapping/mapper.h"
#include "mapping/mapping.h"
#include "retarget/hands_figure.h"
#include "retarget/sole.h"

#include <math.h>

const lmbi_single_limb *lmbi_single_limb_of(const lmbi_humanoid *body, int bone)
{
    for (int k = 0; k < LMBI_UPPER_BONES; ++k) {
        if (lmbi_upper_bones[k] == bone && body->single[k].exists) {
            return &body->single[k];
        }
    }
    return NULL;
}

static bool is_leg(int bone)
{
    return bone == LMB_HUMAN_LEFT_UPPER_LEG || bone == LMB_HUMAN_RIGHT_UPPER_LEG;
}

/// The end of a limb: below the joint, as low as its skin, for a leg that stands; for an arm as far
/// out as the skin reaches toward its middle. The joint itself without skin.
static lmb_vec3 end_of(const lmbi_humanoid *body, int bone, const lmb_vec3 *points,
                       const int32_t *joints, uint32_t count)
{
    const int32_t joint = lmbi_joint(body, bone);
    const lmb_vec3 from = body->reference[joint].translation, zero = {0, 0, 0};
    lmb_vec3 sum = zero;
    for (uint32_t v = 0; v < count; ++v) {
        if (lmbi_is_under(body->skeleton, joints[v], joint)) {
            sum = lmb_vec3_add(sum, lmb_vec3_sub(points[v], from));
        }
    }
    const lmb_vec3 along =
        is_leg(bone) ? lmb_vec3_make(0, -1, 0) : lmb_vec3_normalize_or(sum, zero);
    float far = 0;
    for (uint32_t v = 0; v < count; ++v) {
        if (lmbi_is_under(body->skeleton, joints[v], joint)) {
            far = fmaxf(far, lmb_vec3_dot(lmb_vec3_sub(points[v], from), along));
        }
    }
    return lmb_vec3_mad(from, along, far);
}

bool lmbi_single_limbs_find(lmbi_humanoid *body, lmbi_arena *arena)
{
    lmb_vec3 *points = NULL;
    int32_t *joints = NULL;
    uint32_t count = 0;
    bool any = false;
    for (int k = 0; k < LMBI_UPPER_BONES; ++k) {
        body->single[k].exists =
            lmbi_limb_is_single(&body->map, (lmb_human_bone)lmbi_upper_bones[k]);
        any = any || body->single[k].exists;
    }
    lmbi_sole *soles = lmbi_arena_array(arena, 2, sizeof *soles);
    if (soles == NULL || (any && !lmbi_girth_skin(body, arena, &points, &joints, &count))) {
        return false;
    }
    for (int k = 0; k < LMBI_UPPER_BONES; ++k) {
        const int bone = lmbi_upper_bones[k];
        if (body->single[k].exists) {
            body->single[k].end = end_of(body, bone, points, joints, count);
        }
        if (body->single[k].exists && is_leg(bone)) {
            lmbi_sole_find(body, points, joints, count, lmbi_joint(body, bone), LMB_NONE,
                           &soles[k]);
            body->single[k].sole = &soles[k];
        }
    }
    return true;
}
