/// Reader of VRM 0.x springs (secondaryAnimation).
#include "physics/spring_reader.h"

/// A collider group is a joint with spheres. Offsets are left-handed, as in Unity.
static bool read_spheres(lmbi_spring_reader *r, const lmbi_json *secondary,
                         lmbi_spring_range **groups, uint32_t *count)
{
    const lmbi_json *group, *item;
    if (!lmbi_springs_list(r, secondary, "colliderGroups", &group)) {
        return false;
    }
    *count = lmbi_springs_count(group);
    *groups = lmbi_arena_array(&r->arena, *count, sizeof **groups);
    if (*count && !*groups) {
        return lmbi_springs_fail_memory(r);
    }
    for (uint32_t k = 0; group; group = group->next, ++k) {
        lmb_spring_collider c = {.shape = LMB_SPRING_SPHERE};
        (*groups)[k].first = (uint32_t)r->collider_count;
        if (!lmbi_springs_list(r, group, "colliders", &item) ||
            (item && !lmbi_springs_node(r, lmbi_json_find(group, "node"), group, &c.joint))) {
            return false;
        }
        for (; item; item = item->next) {
            c.offset = lmb_vec3_make(0, 0, 0);
            c.radius = 0;
            if (!lmbi_springs_vec3(r, item, "offset", &c.offset) ||
                !lmbi_springs_size(r, item, "radius", &c.radius)) {
                return false;
            }
            c.offset.z = -c.offset.z;
            if (!lmbi_springs_add_collider(r, c)) {
                return false;
            }
        }
        (*groups)[k].count = (uint32_t)r->collider_count - (*groups)[k].first;
    }
    return true;
}

/// Adds a root joint and all joints below. A leaf's tail is 7 cm on in the direction from its
/// parent.
static bool add_tree(lmbi_spring_reader *r, uint32_t root, lmb_spring_joint spring)
{
    const lmb_skeleton *skeleton = r->skeleton;
    for (uint32_t j = root; j < skeleton->joint_count; ++j) {
        if (j != root && !lmbi_springs_is_below(skeleton, j, root)) {
            continue;
        }
        spring.joint = j;
        spring.tail = LMB_NONE;
        for (uint32_t k = j + 1; k < skeleton->joint_count && spring.tail == LMB_NONE; ++k) {
            spring.tail = skeleton->parents[k] == (int32_t)j ? (int32_t)k : LMB_NONE;
        }
        spring.tail_offset = lmb_vec3_scale(
            lmb_vec3_normalize_or(skeleton->rest[j].translation, lmb_vec3_make(0, 0, 0)), 0.07f);
        if (!lmbi_springs_add_joint(r, &spring)) {
            return false;
        }
    }
    return true;
}

bool lmbi_springs_read_vrm0(lmbi_spring_reader *r, const lmbi_json *secondary)
{
    lmbi_spring_range *groups;
    uint32_t group_count;
    const lmbi_json *item, *root;
    if (!read_spheres(r, secondary, &groups, &group_count) ||
        !lmbi_springs_list(r, secondary, "boneGroups", &item)) {
        return false;
    }
    uint32_t *all = lmbi_arena_array(&r->arena, r->collider_count, sizeof *all);
    if (r->collider_count && !all) {
        return lmbi_springs_fail_memory(r);
    }
    for (uint32_t k = 0; k < r->collider_count; ++k) {
        all[k] = k;
    }
    for (; item; item = item->next) {
        lmb_spring_joint common = {.tail = LMB_NONE};
        if (!lmbi_springs_numbers(r, item, "stiffiness", &common) || // the format's spelling
            !lmbi_springs_center(r, item, &common.center) ||
            !lmbi_springs_gather(r, item, groups, group_count, all, &common) ||
            !lmbi_springs_list(r, item, "bones", &root)) {
            return false;
        }
        for (; root; root = root->next) {
            uint32_t joint;
            if (!lmbi_springs_node(r, root, item, &joint)) {
                return false;
            }
            if (!r->taken[joint] && !add_tree(r, joint, common)) {
                return false;
            }
        }
    }
    return true;
}
