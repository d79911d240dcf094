/// Names of chains, and chains in joint map files.
#include "mapping/chains.h"

#include "asset/tree.h"
#include "base/error.h"
#include "base/text.h"
#include "mapping/mapper.h"
#include "mapping/mapping.h"

#include <stdio.h>
#include <string.h>

const char *lmb_body_chain_name(const lmb_body_chain *chain, char text[24])
{
    static const char *const middle[] = {"spine", "neck", "tail"};
    if (chain->kind < LMB_CHAIN_LEG) {
        (void)snprintf(text, 24, "%s", middle[chain->kind]);
    } else {
        (void)snprintf(text, 24, "%s%s%u", chain->side > 0 ? "left" : "right",
                       chain->kind == LMB_CHAIN_LEG ? "Leg" : "Arm", (unsigned)chain->pair + 1);
    }
    return text;
}

/// The empty chain of a name; false if there is no such name.
static bool chain_of_name(const lmbi_json *member, lmb_body_chain *out)
{
    *out = (lmb_body_chain){.kind = LMB_CHAIN_SPINE};
    for (uint32_t pair = 0; pair < LMB_CHAIN_MAX; ++pair) {
        for (int kind = 0; kind <= LMB_CHAIN_ARM; ++kind) {
            for (int side = 1; side >= -1; side -= 2) {
                char text[24];
                const bool limb = kind >= LMB_CHAIN_LEG;
                const lmb_body_chain c = {.kind = (lmb_body_chain_kind)kind,
                                          .side = limb ? side : 0,
                                          .pair = limb ? pair : 0};
                (void)lmb_body_chain_name(&c, text);
                if (member->key_size == strlen(text) &&
                    memcmp(member->key, text, member->key_size) == 0) {
                    *out = c;
                    return true;
                }
            }
        }
    }
    return false;
}

static bool on_one_path(const lmb_skeleton *skeleton, int32_t a, int32_t b)
{
    return lmbi_is_under(skeleton, a, b) || lmbi_is_under(skeleton, b, a);
}

static lmb_result read_joints(const void *bytes, const lmbi_json *list,
                              const lmb_skeleton *skeleton, lmbi_arena *arena,
                              lmb_body_chain *chain, lmb_error *error)
{
    for (const lmbi_json *item = list->child; item != NULL; item = item->next) {
        const char *name = item->type == LMBI_JSON_STRING ? lmbi_json_string(arena, item) : NULL;
        if (item->type != LMBI_JSON_STRING) {
            return lmbi_map_file_fail(bytes, item, "the name of a joint", NULL, error);
        }
        if (name == NULL) {
            return lmbi_fail_memory(error);
        }
        const int32_t joint = lmb_skeleton_find(skeleton, name);
        if (joint < 0) {
            return lmbi_map_file_fail(bytes, item, "the name of a joint of the skeleton", name,
                                      error);
        }
        if (chain->count == LMB_CHAIN_JOINTS) {
            return lmbi_map_file_fail(bytes, item, "at most 96 joints in a chain", name, error);
        }
        if (chain->count > 0 && (joint == chain->joints[chain->count - 1] ||
                                 !on_one_path(skeleton, chain->joints[chain->count - 1], joint))) {
            return lmbi_map_file_fail(bytes, item, "a joint above or below the one before", name,
                                      error);
        }
        chain->joints[chain->count++] = joint;
    }
    return LMB_OK;
}

static void set_chain(lmb_chain_map *map, const lmb_body_chain *chain)
{
    uint32_t at = 0;
    while (at < map->count &&
           (map->chains[at].kind != chain->kind || map->chains[at].side != chain->side ||
            map->chains[at].pair != chain->pair)) {
        ++at;
    }
    if (chain->count > 0 && at < LMB_CHAIN_MAX) {
        map->count = at < map->count ? map->count : at + 1;
        map->chains[at] = *chain;
    } else if (chain->count == 0 && at < map->count) {
        memmove(&map->chains[at], &map->chains[at + 1],
                (map->count - at - 1) * sizeof *map->chains);
        --map->count;
    }
}

static lmb_result read_map(const void *bytes, size_t size, const char *section,
                           const lmb_skeleton *skeleton, lmbi_arena *arena, lmb_chain_map *map,
                           bool *found, lmb_error *error)
{
    const lmbi_json *object = NULL;
    const lmb_result result = lmbi_map_file_read(bytes, size, section, arena, &object, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_json *chains = object != NULL ? lmbi_json_find(object, "chains") : NULL;
    *found = chains != NULL;
    if (chains != NULL && chains->type != LMBI_JSON_OBJECT) {
        return lmbi_map_file_fail(bytes, chains, "an object of lists of joint names", NULL, error);
    }
    for (const lmbi_json *m = chains != NULL ? chains->child : NULL; m != NULL; m = m->next) {
        lmb_body_chain chain;
        if (!chain_of_name(m, &chain)) {
            return lmbi_map_file_fail_key(bytes, m, "a chain such as spine, tail or leftLeg1",
                                          error);
        }
        if (m->type != LMBI_JSON_ARRAY && m->type != LMBI_JSON_NULL) {
            return lmbi_map_file_fail(bytes, m, "a list of joint names, or null", NULL, error);
        }
        const lmb_result read = m->type == LMBI_JSON_NULL
                                    ? LMB_OK
                                    : read_joints(bytes, m, skeleton, arena, &chain, error);
        if (read != LMB_OK) {
            return read;
        }
        set_chain(map, &chain);
    }
    return LMB_OK;
}

/// Completes limbs and root from the rest positions.
static bool complete_chains(lmb_chain_map *map, const lmb_skeleton *skeleton, lmbi_arena *arena)
{
    lmb_transform *model = lmbi_arena_array(arena, skeleton->joint_count, sizeof *model);
    lmb_vec3 *at = lmbi_arena_array(arena, skeleton->joint_count, sizeof *at);
    if (model == NULL || at == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(model[parent], skeleton->rest[j]);
        at[j] = model[j].translation;
    }
    lmbi_chains_complete(map, skeleton, at);
    return true;
}

lmb_result lmbi_chain_section_read(const void *bytes, size_t size, const char *section,
                                   const lmb_skeleton *skeleton, lmbi_arena *arena,
                                   lmb_chain_map *map, bool *found, lmb_error *error)
{
    const lmb_result result = read_map(bytes, size, section, skeleton, arena, map, found, error);
    return result == LMB_OK && !complete_chains(map, skeleton, arena) ? lmbi_fail_memory(error)
                                                                      : result;
}

void lmbi_chain_section_write(lmbi_text *text, const lmb_chain_map *map,
                              const lmb_skeleton *skeleton)
{
    lmbi_text_add(text, "\n    \"chains\": {");
    for (uint32_t i = 0; i < map->count; ++i) {
        const lmb_body_chain *chain = &map->chains[i];
        char name[24];
        lmbi_text_format(text, "%s\n      \"%s\": [", i > 0 ? "," : "",
                         lmb_body_chain_name(chain, name));
        for (uint32_t k = 0; k < chain->count; ++k) {
            lmbi_text_add(text, k > 0 ? ", " : "");
            lmbi_json_quote(text, skeleton->names[chain->joints[k]]);
        }
        lmbi_text_add(text, "]");
    }
    lmbi_text_add(text, "\n    }");
}
