/// The joint map: the order of the search, and its derived fields.
#include "base/error.h"
#include "limber/mapping.h"
#include "mapping/mapper.h"

#include <string.h>

static int32_t joint_of(const lmb_joint_map *map, int bone)
{
    return map->bones[bone].joint;
}

static void chain_between(const lmb_skeleton *skeleton, int32_t above, int32_t last, int32_t *chain,
                          uint32_t *count)
{
    *count = 0;
    if (last < 0 || above < 0) {
        return;
    }
    const lmbi_path path =
        lmbi_path_down(skeleton, lmbi_common_ancestor(skeleton, above, last), last);
    for (int i = 0; i < path.count && *count < LMB_SPINE_MAX; ++i) {
        chain[(*count)++] = path.joints[i];
    }
}

void lmb_joint_map_complete(lmb_joint_map *map, const lmb_skeleton *skeleton)
{
    int32_t top = LMB_NONE;
    for (int bone = LMB_HUMAN_SPINE; bone <= LMB_HUMAN_UPPER_CHEST; ++bone) {
        top = joint_of(map, bone) >= 0 ? joint_of(map, bone) : top;
    }
    chain_between(skeleton, joint_of(map, LMB_HUMAN_HIPS), top, map->spine, &map->spine_count);
    const int32_t base = top >= 0 ? top : joint_of(map, LMB_HUMAN_HIPS);
    const int32_t head = joint_of(map, LMB_HUMAN_HEAD);
    chain_between(skeleton, base, head >= 0 ? head : joint_of(map, LMB_HUMAN_NECK), map->neck,
                  &map->neck_count);
    if (head >= 0 && map->neck_count > 0) {
        --map->neck_count; // the head itself
    }
    float sum = 0.0f;
    for (size_t i = 0; i < LMBI_REQUIRED_COUNT; ++i) {
        sum += map->bones[lmbi_required_bones[i]].confidence;
    }
    map->confidence = sum / LMBI_REQUIRED_COUNT;
}

/// Lowers the confidence of joints without a mirror image.
static void discount_one_sided(lmb_joint_map *map)
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int other = (int)lmb_human_bone_mirror((lmb_human_bone)bone);
        if (map->bones[bone].joint >= 0 && map->bones[other].joint < 0) {
            map->bones[bone].confidence *= 0.75f;
        }
    }
}

static bool begin_mapper(lmbi_mapper *m, lmbi_arena *arena)
{
    const lmb_skeleton *skeleton = m->skeleton;
    m->count = skeleton->joint_count;
    m->names = lmbi_arena_array(arena, m->count, sizeof(*m->names));
    m->positions = lmbi_arena_array(arena, m->count, sizeof(*m->positions));
    m->depth = lmbi_arena_array(arena, m->count, sizeof(*m->depth));
    m->child_count = lmbi_arena_array(arena, m->count, sizeof(*m->child_count));
    lmb_transform *model = lmbi_arena_array(arena, m->count, sizeof(*model));
    m->tips = skeleton->tips != NULL ? lmbi_arena_array(arena, m->count, sizeof(*m->tips)) : NULL;
    if ((skeleton->tips != NULL && m->tips == NULL) || m->names == NULL || m->positions == NULL ||
        m->depth == NULL || m->child_count == NULL || model == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < m->count; ++j) {
        const int32_t parent = skeleton->parents[j];
        m->names[j] = lmbi_name_read(skeleton->names[j]);
        model[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(model[parent], skeleton->rest[j]);
        m->positions[j] = model[j].translation;
        if (m->tips != NULL) {
            m->tips[j] = lmb_transform_point(model[j], skeleton->tips[j]);
        }
        m->depth[j] = parent < 0 ? 0 : m->depth[parent] + 1;
        if (parent >= 0) {
            ++m->child_count[parent];
        }
    }
    return true;
}

lmb_result lmb_joint_map_make(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                              lmb_joint_map *out, lmb_error *error)
{
    lmb_joint_map map;
    memset(&map, 0, sizeof(map));
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        map.bones[bone].joint = LMB_NONE;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmbi_mapper m = {.skeleton = skeleton, .map = &map};
    if (!begin_mapper(&m, &arena)) {
        lmbi_arena_free(&arena);
        return lmbi_fail_memory(error);
    }
    lmbi_map_limbs_by_name(&m);
    if (joint_of(&map, LMB_HUMAN_LEFT_UPPER_LEG) < 0 &&
        joint_of(&map, LMB_HUMAN_LEFT_UPPER_ARM) < 0) {
        lmbi_map_limbs_by_topology(&m);
    }
    lmbi_map_trunk(&m);
    lmbi_map_fingers(&m);
    lmbi_map_sides(&m);
    lmbi_arena_free(&arena);
    discount_one_sided(&map);
    lmb_joint_map_complete(&map, skeleton);
    *out = map;
    return LMB_OK;
}
