/// Symbols of a driver program: slots, names, joints and morph targets; errors at a position.
#include "procedural/driver_source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"

lmb_result lmbi_driver_fail(const lmbi_driver_source *source, const char *at, lmb_error *error,
                            const char *expected, const char *found, ...)
{
    unsigned line = 0, column = 0;
    char text[160];
    va_list arguments;
    va_start(arguments, found);
    lmbi_format_list(text, sizeof text, found, arguments);
    va_end(arguments);
    lmbi_json_place(source->text, at, &line, &column);
    return lmbi_fail_text(error, LMB_ERROR_MALFORMED, line, column, expected, "%s", text);
}

void lmbi_driver_source_free(lmbi_driver_source *source)
{
    void *blocks[] = {source->code,   source->statements,     source->names, source->joints,
                      source->morphs, source->weight_indices, source->slots};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        lmbi_free(source->alloc, blocks[k]);
    }
}

bool lmbi_driver_add_slots(lmbi_driver_source *source, uint32_t count, uint32_t *first)
{
    void *items = source->slots;
    const bool grown = lmbi_grow(source->alloc, &items, &source->slot_room,
                                 source->slot_count + count, sizeof *source->slots);
    source->slots = items;
    *first = (uint32_t)source->slot_count;
    for (uint32_t k = 0; grown && k < count; ++k) {
        source->slots[source->slot_count++] = 0;
    }
    return grown;
}

bool lmbi_driver_add_statement(lmbi_driver_source *source, lmbi_driver_statement statement)
{
    void *items = source->statements;
    const bool grown = lmbi_grow(source->alloc, &items, &source->statement_room,
                                 source->statement_count + 1, sizeof *source->statements);
    source->statements = items;
    if (grown) {
        source->statements[source->statement_count++] = statement;
    }
    return grown;
}

bool lmbi_driver_add_name(lmbi_driver_source *source, lmbi_word word, bool parameter,
                          uint32_t *slot)
{
    void *items = source->names;
    const bool grown = lmbi_driver_add_slots(source, 1, slot) &&
                       lmbi_grow(source->alloc, &items, &source->name_room, source->name_count + 1,
                                 sizeof *source->names);
    source->names = items;
    if (grown) {
        source->names[source->name_count++] =
            (lmbi_driver_name){word.at, word.size, *slot, parameter};
        source->parameter_count += parameter ? 1 : 0;
    }
    return grown;
}

const lmbi_driver_name *lmbi_driver_find_name(const lmbi_driver_source *source, lmbi_word word)
{
    for (size_t k = 0; k < source->name_count; ++k) {
        const lmbi_driver_name *name = &source->names[k];
        if (name->size == word.size && memcmp(name->at, word.at, word.size) == 0) {
            return name;
        }
    }
    return NULL;
}

static bool is_named(const char *name, lmbi_word word)
{
    return strlen(name) == word.size && memcmp(name, word.at, word.size) == 0;
}

bool lmbi_driver_find_joint(lmbi_driver_source *source, lmbi_word word, lmbi_driver_joint **out)
{
    const lmb_skeleton *skeleton = source->character->skeleton;
    uint32_t joint = 0;
    *out = NULL;
    while (joint < skeleton->joint_count && !is_named(skeleton->names[joint], word)) {
        ++joint;
    }
    if (joint == skeleton->joint_count) {
        return true;
    }
    for (size_t k = 0; k < source->joint_count; ++k) {
        if (source->joints[k].joint == joint) {
            *out = &source->joints[k];
            return true;
        }
    }
    lmbi_driver_joint entry = {.joint = joint};
    void *items = source->joints;
    const bool grown = lmbi_driver_add_slots(source, LMBI_DRIVER_MEMBERS, &entry.first) &&
                       lmbi_grow(source->alloc, &items, &source->joint_room,
                                 source->joint_count + 1, sizeof *source->joints);
    source->joints = items;
    if (grown) {
        source->joints[source->joint_count] = entry;
        *out = &source->joints[source->joint_count++];
    }
    return grown;
}

/// Adds the indices of all weights of that name, instance after instance, as lmb_character_weights
/// lays them out.
static bool add_weight_indices(lmbi_driver_source *source, lmbi_word word, uint32_t *first)
{
    const lmb_character *c = source->character;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        for (uint32_t t = 0; t < mesh->target_count; ++t) {
            if (mesh->targets[t].name == NULL || !is_named(mesh->targets[t].name, word)) {
                continue;
            }
            void *items = source->weight_indices;
            const bool grown =
                lmbi_grow(source->alloc, &items, &source->weight_index_capacity,
                          source->weight_index_count + 1, sizeof *source->weight_indices);
            source->weight_indices = items;
            if (!grown) {
                return false;
            }
            source->weight_indices[source->weight_index_count++] = first[c->instances[i].joint] + t;
        }
    }
    return true;
}

bool lmbi_driver_find_morph(lmbi_driver_source *source, lmbi_word word, lmbi_driver_morph **out)
{
    lmbi_driver_morph entry = {.first = (uint32_t)source->weight_index_count};
    const uint32_t joints = source->character->skeleton->joint_count;
    uint32_t *first = lmbi_alloc_array(source->alloc, (size_t)joints + 1, sizeof *first);
    *out = NULL;
    if (first == NULL) {
        return false;
    }
    lmb_character_weights(source->character, first, NULL);
    const bool added = add_weight_indices(source, word, first);
    lmbi_free(source->alloc, first);
    entry.count = (uint32_t)source->weight_index_count - entry.first;
    if (!added || entry.count == 0) {
        return added;
    }
    for (size_t k = 0; k < source->morph_count; ++k) {
        if (source->weight_indices[source->morphs[k].first] ==
            source->weight_indices[entry.first]) {
            source->weight_index_count = entry.first;
            *out = &source->morphs[k];
            return true;
        }
    }
    void *items = source->morphs;
    const bool grown = lmbi_driver_add_slots(source, 1, &entry.slot) &&
                       lmbi_grow(source->alloc, &items, &source->morph_room,
                                 source->morph_count + 1, sizeof *source->morphs);
    source->morphs = items;
    if (grown) {
        source->morphs[source->morph_count] = entry;
        *out = &source->morphs[source->morph_count++];
    }
    return grown;
}
