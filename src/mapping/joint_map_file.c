/// The bones of joint map files, and what bones and chains of such files have in common.
#include "base/error.h"
#include "base/text.h"
#include "limber/mapping.h"
#include "mapping/mapping.h"

#include <string.h>

#define MAP_KIND "joint map"

static lmb_result fail_at(const void *bytes, const lmbi_json *value, const char *expected,
                          const char *found, size_t found_size, lmb_error *error)
{
    unsigned line = 1, column = 1;
    lmbi_json_place(bytes, value->at, &line, &column);
    return lmbi_fail_text(error, LMB_ERROR_MALFORMED, line, column, expected, "%.*s",
                          found_size < 100 ? (int)found_size : 100, found);
}

lmb_result lmbi_map_file_fail(const void *bytes, const lmbi_json *value, const char *expected,
                              const char *found, lmb_error *error)
{
    if (found == NULL) {
        switch (value->type) {
        case LMBI_JSON_OBJECT:
            found = "an object";
            break;
        case LMBI_JSON_ARRAY:
            found = "a list";
            break;
        default:
            return fail_at(bytes, value, expected, value->at, value->size, error);
        }
    }
    return fail_at(bytes, value, expected, found, strlen(found), error);
}

lmb_result lmbi_map_file_fail_key(const void *bytes, const lmbi_json *member, const char *expected,
                                  lmb_error *error)
{
    return fail_at(bytes, member, expected, member->key, member->key_size, error);
}

lmb_result lmbi_map_file_read(const void *bytes, size_t size, const char *section,
                              lmbi_arena *arena, const lmbi_json **out, lmb_error *error)
{
    lmbi_json *root = NULL;
    const lmb_result result = lmbi_json_read(arena, bytes, size, &root, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_json *kind = lmbi_json_find(root, "limber");
    if (kind == NULL || !lmbi_json_string_is(kind, MAP_KIND)) {
        return lmbi_map_file_fail(bytes, root, "an object with \"limber\": \"" MAP_KIND "\"",
                                  root->type == LMBI_JSON_OBJECT ? "an object without it" : NULL,
                                  error);
    }
    *out = lmbi_json_find(root, section);
    return LMB_OK;
}

static lmb_human_bone bone_of_key(const lmbi_json *member)
{
    char name[32];
    if (member->key == NULL || member->key_size >= sizeof(name)) {
        return LMB_HUMAN_BONE_COUNT;
    }
    memcpy(name, member->key, member->key_size);
    name[member->key_size] = 0;
    return lmb_human_bone_find(name);
}

static lmb_result read_member(const void *bytes, const lmbi_json *member,
                              const lmb_skeleton *skeleton, lmbi_arena *arena, lmb_joint_map *map,
                              lmb_error *error)
{
    static const char chains[] = "chains"; // lmbi_chain_section_read reads these
    if (member->key != NULL && member->key_size == sizeof chains - 1 &&
        memcmp(member->key, chains, sizeof chains - 1) == 0) {
        return LMB_OK;
    }
    const lmb_human_bone bone = bone_of_key(member);
    if (bone == LMB_HUMAN_BONE_COUNT) {
        return lmbi_map_file_fail_key(bytes, member,
                                      "the name of a humanoid joint, such as leftUpperArm", error);
    }
    lmb_bone_match match = {LMB_NONE, LMB_MAP_MISSING, 0.0f};
    if (member->type == LMBI_JSON_STRING) {
        const char *name = lmbi_json_string(arena, member);
        if (name == NULL) {
            return lmbi_fail_memory(error);
        }
        match.joint = lmb_skeleton_find(skeleton, name);
        match.reason = LMB_MAP_GIVEN;
        match.confidence = 1.0f;
        if (match.joint < 0) {
            return lmbi_map_file_fail(bytes, member, "the name of a joint of the skeleton", name,
                                      error);
        }
    } else if (member->type != LMBI_JSON_NULL) {
        return lmbi_map_file_fail(bytes, member, "a joint's name or null", NULL, error);
    }
    map->bones[bone] = match;
    return LMB_OK;
}

lmb_result lmbi_bone_section_read(const void *bytes, size_t size, const char *section,
                                  const lmb_skeleton *skeleton, lmbi_arena *arena,
                                  lmb_joint_map *map, bool *found, lmb_error *error)
{
    const lmbi_json *object = NULL;
    const lmb_result result = lmbi_map_file_read(bytes, size, section, arena, &object, error);
    if (result != LMB_OK) {
        return result;
    }
    *found = object != NULL;
    if (object != NULL && object->type != LMBI_JSON_OBJECT) {
        return lmbi_map_file_fail(bytes, object, "an object of joint names by human bone", NULL,
                                  error);
    }
    for (const lmbi_json *member = object != NULL ? object->child : NULL; member != NULL;
         member = member->next) {
        const lmb_result read = read_member(bytes, member, skeleton, arena, map, error);
        if (read != LMB_OK) {
            return read;
        }
    }
    lmbi_joint_map_complete(map, skeleton);
    return LMB_OK;
}

void lmbi_bone_section_write(lmbi_text *text, const lmb_joint_map *map,
                             const lmb_skeleton *skeleton)
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int32_t joint = map->bones[bone].joint;
        lmbi_text_format(text, "%s\n    \"%s\": ", bone > 0 ? "," : "",
                         lmb_human_bone_name((lmb_human_bone)bone));
        if (joint >= 0) {
            lmbi_json_quote(text, skeleton->names[joint]);
        } else {
            lmbi_text_add(text, "null");
        }
    }
}
