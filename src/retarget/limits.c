/// A human's joint limits for the joints that a map names.
#include "base/alloc.h"
#include "base/error.h"
#include "limber/ik.h"
#include "limber/retarget.h"

static const struct {
    lmb_human_bone bone;
    lmb_body_part part;
} parts_of_bones[] = {
    {LMB_HUMAN_HIPS, LMB_PART_HIPS},
    {LMB_HUMAN_HEAD, LMB_PART_NECK},
    {LMB_HUMAN_LEFT_UPPER_LEG, LMB_PART_UPPER_LEG},
    {LMB_HUMAN_LEFT_LOWER_LEG, LMB_PART_LOWER_LEG},
    {LMB_HUMAN_LEFT_FOOT, LMB_PART_FOOT},
    {LMB_HUMAN_LEFT_TOES, LMB_PART_TOES},
    {LMB_HUMAN_RIGHT_UPPER_LEG, LMB_PART_UPPER_LEG},
    {LMB_HUMAN_RIGHT_LOWER_LEG, LMB_PART_LOWER_LEG},
    {LMB_HUMAN_RIGHT_FOOT, LMB_PART_FOOT},
    {LMB_HUMAN_RIGHT_TOES, LMB_PART_TOES},
    {LMB_HUMAN_LEFT_SHOULDER, LMB_PART_SHOULDER},
    {LMB_HUMAN_LEFT_UPPER_ARM, LMB_PART_UPPER_ARM},
    {LMB_HUMAN_LEFT_LOWER_ARM, LMB_PART_LOWER_ARM},
    {LMB_HUMAN_LEFT_HAND, LMB_PART_HAND},
    {LMB_HUMAN_RIGHT_SHOULDER, LMB_PART_SHOULDER},
    {LMB_HUMAN_RIGHT_UPPER_ARM, LMB_PART_UPPER_ARM},
    {LMB_HUMAN_RIGHT_LOWER_ARM, LMB_PART_LOWER_ARM},
    {LMB_HUMAN_RIGHT_HAND, LMB_PART_HAND},
};

static void set_part(lmb_body_part *parts, int32_t joint, lmb_body_part part)
{
    if (joint >= 0) {
        parts[joint] = part;
    }
}

lmb_result lmb_joint_map_limits(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                                const lmb_allocator *alloc, lmb_joint_limit *limits,
                                lmb_error *error)
{
    lmb_body_part *parts = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *parts);
    if (parts == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 1; k < map->spine_count; ++k) {
        set_part(parts, map->spine[k], LMB_PART_SPINE);
    }
    for (uint32_t k = 0; k < map->neck_count; ++k) {
        set_part(parts, map->neck[k], LMB_PART_NECK);
    }
    for (int bone = LMB_HUMAN_SPINE; bone <= LMB_HUMAN_NECK; ++bone) {
        set_part(parts, map->bones[bone].joint,
                 bone == LMB_HUMAN_NECK ? LMB_PART_NECK : LMB_PART_SPINE);
    }
    for (size_t k = 0; k < sizeof parts_of_bones / sizeof *parts_of_bones; ++k) {
        set_part(parts, map->bones[parts_of_bones[k].bone].joint, parts_of_bones[k].part);
    }
    for (int bone = LMB_HUMAN_LEFT_THUMB_METACARPAL; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const bool thumb = (bone - LMB_HUMAN_LEFT_THUMB_METACARPAL) % 15 < 3;
        set_part(parts, map->bones[bone].joint, thumb ? LMB_PART_THUMB : LMB_PART_FINGER);
    }
    lmb_human_limits(skeleton, parts, lmb_joint_map_facing(map, skeleton), limits);
    lmbi_free(alloc, parts);
    return LMB_OK;
}
