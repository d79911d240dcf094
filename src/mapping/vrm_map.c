/// The humanoid that a file itself defines: VRM 1.0 and 0.x characters, VRM animations.
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "mapping/mapping.h"
#include "mapping/vrm.h"

/// VRM 0.x names the thumb's bones one segment farther out.
static const struct {
    const char *old, *now;
} thumbs[] = {
    {"leftThumbProximal", "leftThumbMetacarpal"},
    {"leftThumbIntermediate", "leftThumbProximal"},
    {"rightThumbProximal", "rightThumbMetacarpal"},
    {"rightThumbIntermediate", "rightThumbProximal"},
};

int32_t lmbi_joint_of_node(const lmb_skeleton *skeleton, uint32_t node)
{
    for (uint32_t j = 0; skeleton->source_index != NULL && j < skeleton->joint_count; ++j) {
        if (skeleton->source_index[j] == node) {
            return (int32_t)j;
        }
    }
    return skeleton->source_index == NULL && node < skeleton->joint_count ? (int32_t)node
                                                                          : LMB_NONE;
}

static void set_bone(lmb_joint_map *map, const lmb_skeleton *skeleton, const char *name,
                     const lmbi_json *node, uint32_t *count)
{
    uint32_t index = 0;
    const lmb_human_bone bone = lmb_human_bone_find(name);
    const int32_t joint =
        lmbi_json_u32(node, &index) ? lmbi_joint_of_node(skeleton, index) : LMB_NONE;
    if (bone < LMB_HUMAN_BONE_COUNT && joint >= 0) {
        map->bones[bone] = (lmb_bone_match){joint, LMB_MAP_GIVEN, 1};
        ++*count;
    }
}

/// {"hips": {"node": 3}, …}
static void read_vrm1(lmb_joint_map *map, const lmb_skeleton *skeleton, const lmbi_json *bones,
                      uint32_t *count)
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const char *name = lmb_human_bone_name((lmb_human_bone)bone);
        const lmbi_json *entry = lmbi_json_find(bones, name);
        if (entry != NULL) {
            set_bone(map, skeleton, name, lmbi_json_find(entry, "node"), count);
        }
    }
}

/// [{"bone": "hips", "node": 3}, …]
static bool read_vrm0(lmb_joint_map *map, const lmb_skeleton *skeleton, const lmbi_json *bones,
                      lmbi_arena *arena, uint32_t *count)
{
    const lmbi_json *entry = bones->type == LMBI_JSON_ARRAY ? bones->child : NULL;
    for (; entry != NULL; entry = entry->next) {
        const lmbi_json *value = lmbi_json_find(entry, "bone");
        if (value == NULL || value->type != LMBI_JSON_STRING) {
            continue;
        }
        const char *name = lmbi_json_string(arena, value);
        if (name == NULL) {
            return false;
        }
        for (size_t k = 0; k < sizeof thumbs / sizeof *thumbs; ++k) {
            if (strcmp(name, thumbs[k].old) == 0) {
                name = thumbs[k].now;
                break;
            }
        }
        set_bone(map, skeleton, name, lmbi_json_find(entry, "node"), count);
    }
    return true;
}

static const lmbi_json *bones_of(const lmbi_json *extension)
{
    return lmbi_json_find(lmbi_json_find(extension, "humanoid"), "humanBones");
}

static bool read_bones(const lmbi_json *root, const lmb_skeleton *skeleton, lmbi_arena *arena,
                       lmb_joint_map *map, uint32_t *count)
{
    const lmbi_json *extensions = lmbi_json_find(root, "extensions");
    const lmbi_json *bones = bones_of(lmbi_json_find(extensions, "VRMC_vrm"));
    bones = bones != NULL ? bones : bones_of(lmbi_json_find(extensions, "VRMC_vrm_animation"));
    if (bones != NULL) {
        read_vrm1(map, skeleton, bones, count);
        return true;
    }
    bones = bones_of(lmbi_json_find(extensions, "VRM"));
    return bones == NULL || read_vrm0(map, skeleton, bones, arena, count);
}

bool lmbi_vrm_names_nodes(const char *name, size_t size)
{
    const bool vrm0 = size == 3 && memcmp(name, "VRM", 3) == 0;
    const bool vrm1 = size >= 5 && memcmp(name, "VRMC_", 5) == 0;
    return vrm0 || (vrm1 && !(size >= 14 && memcmp(name, "VRMC_materials", 14) == 0));
}

bool lmbi_carried_read(const lmb_character *character, lmbi_arena *arena, lmbi_json **root)
{
    const char *text = character->appearance != NULL ? character->appearance->carried : NULL;
    *root = NULL;
    // Carried text comes from a reader; text that is no JSON counts as none.
    return text == NULL ||
           lmbi_json_read(arena, text, strlen(text), root, NULL) != LMB_ERROR_MEMORY;
}

lmb_result lmb_joint_map_of_character(const lmb_character *character, const lmb_allocator *alloc,
                                      lmb_joint_map *out, lmb_error *error)
{
    assert(character && out);
    const char *text = character->appearance != NULL ? character->appearance->carried : NULL;
    const lmb_result made = lmb_joint_map_make(character->skeleton, alloc, out, error);
    if (made != LMB_OK || text == NULL) {
        return made;
    }
    lmbi_arena arena;
    lmbi_json *root = NULL;
    lmb_joint_map map = {0};
    uint32_t count = 0;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        map.bones[bone].joint = LMB_NONE;
    }
    lmbi_arena_init(&arena, alloc);
    // Carried text comes from a reader; text that is no JSON defines no humanoid.
    lmb_result result = lmbi_json_read(&arena, text, strlen(text), &root, NULL);
    if (result == LMB_OK && !read_bones(root, character->skeleton, &arena, &map, &count)) {
        result = LMB_ERROR_MEMORY;
    }
    lmbi_arena_free(&arena);
    if (result == LMB_ERROR_MEMORY) {
        return lmbi_fail_memory(error);
    }
    if (count > 0) {
        lmbi_joint_map_complete(&map, character->skeleton);
        *out = map;
    }
    return LMB_OK;
}
