/// A human's limits for joints that a map names, and where it faces.
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/ik.h"
#include "limber/retarget.h"

static const struct {
    lmb_slot slot;
    lmb_body_part part;
} parts_of_slots[] = {
    {LMB_SLOT_HIPS, LMB_PART_HIPS},
    {LMB_SLOT_HEAD, LMB_PART_NECK},
    {LMB_SLOT_LEFT_UPPER_LEG, LMB_PART_UPPER_LEG},
    {LMB_SLOT_LEFT_LOWER_LEG, LMB_PART_LOWER_LEG},
    {LMB_SLOT_LEFT_FOOT, LMB_PART_FOOT},
    {LMB_SLOT_LEFT_TOES, LMB_PART_TOES},
    {LMB_SLOT_RIGHT_UPPER_LEG, LMB_PART_UPPER_LEG},
    {LMB_SLOT_RIGHT_LOWER_LEG, LMB_PART_LOWER_LEG},
    {LMB_SLOT_RIGHT_FOOT, LMB_PART_FOOT},
    {LMB_SLOT_RIGHT_TOES, LMB_PART_TOES},
    {LMB_SLOT_LEFT_SHOULDER, LMB_PART_SHOULDER},
    {LMB_SLOT_LEFT_UPPER_ARM, LMB_PART_UPPER_ARM},
    {LMB_SLOT_LEFT_LOWER_ARM, LMB_PART_LOWER_ARM},
    {LMB_SLOT_LEFT_HAND, LMB_PART_HAND},
    {LMB_SLOT_RIGHT_SHOULDER, LMB_PART_SHOULDER},
    {LMB_SLOT_RIGHT_UPPER_ARM, LMB_PART_UPPER_ARM},
    {LMB_SLOT_RIGHT_LOWER_ARM, LMB_PART_LOWER_ARM},
    {LMB_SLOT_RIGHT_HAND, LMB_PART_HAND},
};

/// Facings this near to an axis, in radians, are the axis: hips and shoulders are seldom exactly
/// level and square.
#define NEAR_AXIS 0.3f

static lmb_vec3 rest_place(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_transform t = skeleton->rest[joint];
    for (int32_t j = skeleton->parents[joint]; j >= 0; j = skeleton->parents[j]) {
        t = lmb_transform_mul(skeleton->rest[j], t);
    }
    return t.translation;
}

/// Level, unit, from the right joint of a pair to the left one; zero where one is missing.
static lmb_vec3 leftward(const lmb_joint_map *map, const lmb_skeleton *skeleton, lmb_slot left)
{
    const int32_t a = map->slots[left].joint, b = map->slots[lmb_slot_mirror(left)].joint;
    const lmb_vec3 zero = {0, 0, 0};
    if (a < 0 || b < 0) {
        return zero;
    }
    lmb_vec3 way = lmb_vec3_sub(rest_place(skeleton, a), rest_place(skeleton, b));
    way.y = 0;
    return lmb_vec3_normalize_or(way, zero);
}

lmb_vec3 lmb_joint_map_facing(const lmb_joint_map *map, const lmb_skeleton *skeleton)
{
    const lmb_vec3 left = lmb_vec3_add(leftward(map, skeleton, LMB_SLOT_LEFT_UPPER_LEG),
                                       leftward(map, skeleton, LMB_SLOT_LEFT_UPPER_ARM));
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
    for (int slot = LMB_SLOT_SPINE; slot <= LMB_SLOT_NECK; ++slot) {
        set_part(parts, map->slots[slot].joint,
                 slot == LMB_SLOT_NECK ? LMB_PART_NECK : LMB_PART_SPINE);
    }
    for (size_t k = 0; k < sizeof parts_of_slots / sizeof *parts_of_slots; ++k) {
        set_part(parts, map->slots[parts_of_slots[k].slot].joint, parts_of_slots[k].part);
    }
    for (int slot = LMB_SLOT_LEFT_THUMB_METACARPAL; slot < LMB_SLOT_COUNT; ++slot) {
        const bool thumb = (slot - LMB_SLOT_LEFT_THUMB_METACARPAL) % 15 < 3;
        set_part(parts, map->slots[slot].joint, thumb ? LMB_PART_THUMB : LMB_PART_FINGER);
    }
    lmb_human_limits(skeleton, parts, lmb_joint_map_facing(map, skeleton), limits);
    lmbi_free(alloc, parts);
    return LMB_OK;
}
