/// The facing direction of a humanoid at rest.
#include <math.h>

#include "limber/mapping.h"

/// Facings within this angle of an axis, in radians, snap to it: hips and shoulders are rarely
/// exactly level and square.
#define NEAR_AXIS 0.3f

static lmb_vec3 rest_position(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_transform t = skeleton->rest[joint];
    for (int32_t j = skeleton->parents[joint]; j >= 0; j = skeleton->parents[j]) {
        t = lmb_transform_mul(skeleton->rest[j], t);
    }
    return t.translation;
}

/// Horizontal unit vector from the right joint of a pair to the left one; zero if one is missing.
static lmb_vec3 leftward(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                         lmb_human_bone left)
{
    const int32_t a = map->bones[left].joint, b = map->bones[lmb_human_bone_mirror(left)].joint;
    const lmb_vec3 zero = {0, 0, 0};
    if (a < 0 || b < 0) {
        return zero;
    }
    lmb_vec3 direction = lmb_vec3_sub(rest_position(skeleton, a), rest_position(skeleton, b));
    direction.y = 0;
    return lmb_vec3_normalize_or(direction, zero);
}

lmb_vec3 lmb_joint_map_facing(const lmb_joint_map *map, const lmb_skeleton *skeleton)
{
    const lmb_vec3 left = lmb_vec3_add(leftward(map, skeleton, LMB_HUMAN_LEFT_UPPER_LEG),
                                       leftward(map, skeleton, LMB_HUMAN_LEFT_UPPER_ARM));
    if (!(lmb_vec3_length(left) > 0.5f)) { // none, or legs and shoulders disagree
        return lmb_vec3_make(0, 0, 1);
    }
    const lmb_vec3 facing =
        lmb_vec3_normalize_or(lmb_vec3_make(-left.z, 0, left.x), lmb_vec3_make(0, 0, 1));
    const float near = lmb_cos(NEAR_AXIS);
    if (fabsf(facing.x) > near) {
        return lmb_vec3_make(facing.x > 0 ? 1.0f : -1.0f, 0, 0);
    }
    return fabsf(facing.z) > near ? lmb_vec3_make(0, 0, facing.z > 0 ? 1.0f : -1.0f) : facing;
}
