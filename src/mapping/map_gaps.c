/// Required human bones that a joint map lacks.
#include "mapping/mapper.h"

const uint8_t lmbi_required_bones[LMBI_REQUIRED_COUNT] = {
    LMB_HUMAN_HIPS,
    LMB_HUMAN_SPINE,
    LMB_HUMAN_HEAD,
    LMB_HUMAN_LEFT_UPPER_LEG,
    LMB_HUMAN_LEFT_LOWER_LEG,
    LMB_HUMAN_LEFT_FOOT,
    LMB_HUMAN_RIGHT_UPPER_LEG,
    LMB_HUMAN_RIGHT_LOWER_LEG,
    LMB_HUMAN_RIGHT_FOOT,
    LMB_HUMAN_LEFT_UPPER_ARM,
    LMB_HUMAN_LEFT_LOWER_ARM,
    LMB_HUMAN_LEFT_HAND,
    LMB_HUMAN_RIGHT_UPPER_ARM,
    LMB_HUMAN_RIGHT_LOWER_ARM,
    LMB_HUMAN_RIGHT_HAND,
};

static bool is_required(lmb_human_bone bone)
{
    for (size_t k = 0; k < LMBI_REQUIRED_COUNT; ++k) {
        if (lmbi_required_bones[k] == bone) {
            return true;
        }
    }
    return false;
}

/// The nearest required ancestor that the map has; LMB_HUMAN_BONE_COUNT for the hips.
static lmb_human_bone found_above(const lmb_joint_map *map, lmb_human_bone bone)
{
    do {
        bone = lmb_human_bone_parent(bone);
    } while (bone < LMB_HUMAN_BONE_COUNT && (!is_required(bone) || map->bones[bone].joint < 0));
    return bone;
}

uint32_t lmb_joint_map_gaps(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                            lmb_map_gap *out)
{
    uint32_t count = 0;
    for (size_t k = 0; k < LMBI_REQUIRED_COUNT; ++k) {
        const lmb_human_bone bone = (lmb_human_bone)lmbi_required_bones[k];
        const int32_t joint = map->bones[bone].joint;
        const lmb_human_bone above = joint >= 0 ? found_above(map, bone) : LMB_HUMAN_BONE_COUNT;
        if (joint < 0 || (above < LMB_HUMAN_BONE_COUNT &&
                          !lmbi_is_under(skeleton, joint, map->bones[above].joint))) {
            out[count++] = (lmb_map_gap){bone, above};
        }
    }
    return count;
}

bool lmb_joint_map_is_guess(const lmb_joint_map *map)
{
    uint32_t found = 0;
    for (size_t k = 0; k < LMBI_REQUIRED_COUNT; ++k) {
        const lmb_bone_match *match = &map->bones[lmbi_required_bones[k]];
        if (match->joint >= 0 && match->reason != LMB_MAP_TOPOLOGY) {
            return false;
        }
        found += match->joint >= 0;
    }
    return 2 * found < LMBI_REQUIRED_COUNT;
}
