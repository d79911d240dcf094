/// Compiles a driver program into one block of memory.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "math/double.h"
#include "procedural/driver_source.h"
#include "procedural/procedural.h"

// --------------------------------------------------------------------------------------- compiling

/// Concatenates the instructions of all statements in evaluation order.
static void concatenate_code(const lmbi_driver_source *source, const uint32_t *order,
                             lmbi_driver_instruction *code)
{
    uint32_t used = 0;
    for (size_t k = 0; k < source->statement_count; ++k) {
        const lmbi_driver_statement *s = &source->statements[order[k]];
        memcpy(code + used, source->code + s->first, s->count * sizeof *code);
        used += s->count;
    }
}

/// Lists parameters: names as terminated strings, and slots.
static bool list_parameters(const lmbi_driver_source *source, lmbi_arena *arena,
                            lmb_drivers *drivers)
{
    drivers->parameters = lmbi_arena_array(arena, source->parameter_count + 1, sizeof(uint32_t));
    drivers->names = lmbi_arena_array(arena, source->parameter_count + 1, sizeof(char *));
    if (drivers->parameters == NULL || drivers->names == NULL) {
        return false;
    }
    for (size_t k = 0; k < source->name_count; ++k) {
        const lmbi_driver_name *name = &source->names[k];
        if (name->parameter) {
            const uint32_t at = drivers->parameter_count++;
            drivers->parameters[at] = name->slot;
            drivers->names[at] = lmbi_arena_string(arena, name->at, name->size);
            if (drivers->names[at] == NULL) {
                return false;
            }
        }
    }
    return true;
}

static bool make_definition(const lmbi_driver_source *source, const uint32_t *order,
                            lmbi_arena *arena, lmb_drivers *out)
{
    lmb_drivers def = {.character = source->character,
                       .code_count = (uint32_t)source->code_count,
                       .slot_count = (uint32_t)source->slot_count,
                       .joint_count = (uint32_t)source->joint_count,
                       .morph_count = (uint32_t)source->morph_count,
                       .weight_index_count = (uint32_t)source->weight_index_count,
                       .memory_count = source->memory_count,
                       .channel_count = source->channel_count,
                       .slots = source->slots,
                       .joints = source->joints,
                       .morphs = source->morphs,
                       .weight_indices = source->weight_indices};
    def.code = lmbi_arena_array(arena, source->code_count + 1, sizeof *def.code);
    def.last_finite = lmbi_arena_array(arena, source->slot_count, sizeof *def.last_finite);
    def.memory = lmbi_arena_array(arena, (size_t)source->memory_count * LMBI_DRIVER_MEMORY + 1,
                                  sizeof *def.memory);
    if (def.code == NULL || def.last_finite == NULL || def.memory == NULL ||
        !list_parameters(source, arena, &def)) {
        return false;
    }
    concatenate_code(source, order, def.code);
    *out = def;
    return true;
}

static void *copy_drivers(lmbi_block *block, const void *definition)
{
    const lmb_drivers *def = definition;
    lmb_drivers copy = *def;
    lmb_drivers *out = lmbi_block_array(block, def, 1, sizeof *def);
    copy.code = lmbi_block_array(block, def->code, def->code_count, sizeof *def->code);
    copy.slots = lmbi_block_array(block, def->slots, def->slot_count, sizeof *def->slots);
    copy.last_finite =
        lmbi_block_array(block, def->last_finite, def->slot_count, sizeof *def->last_finite);
    copy.memory = lmbi_block_array(
        block, def->memory, (size_t)def->memory_count * LMBI_DRIVER_MEMORY, sizeof *def->memory);
    copy.joints = lmbi_block_array(block, def->joints, def->joint_count, sizeof *def->joints);
    copy.morphs = lmbi_block_array(block, def->morphs, def->morph_count, sizeof *def->morphs);
    copy.weight_indices = lmbi_block_array(block, def->weight_indices, def->weight_index_count,
                                           sizeof *def->weight_indices);
    copy.parameters =
        lmbi_block_array(block, def->parameters, def->parameter_count, sizeof *def->parameters);
    copy.names = lmbi_block_array(block, def->names, def->parameter_count, sizeof *def->names);
    for (uint32_t k = 0; k < def->parameter_count; ++k) {
        const char *name = lmbi_block_string(block, def->names[k]);
        if (copy.names != NULL) {
            copy.names[k] = name;
        }
    }
    if (out != NULL) {
        *out = copy;
    }
    return out;
}

static lmb_result compile(lmbi_driver_source *source, lmbi_arena *arena, lmb_drivers **out,
                          lmb_error *error)
{
    uint32_t built_in = 0;
    if (!lmbi_driver_add_slots(source, LMBI_DRIVER_FIRST_SLOT, &built_in)) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = lmbi_driver_parse(source, error);
    uint32_t *order = lmbi_arena_array(arena, source->statement_count + 1, sizeof *order);
    if (result == LMB_OK) {
        result = order == NULL ? lmbi_fail_memory(error)
                               : lmbi_driver_order(source, arena, order, error);
    }
    lmb_drivers def;
    if (result != LMB_OK) {
        return result;
    }
    lmb_drivers *drivers = make_definition(source, order, arena, &def)
                               ? lmbi_block_build(copy_drivers, &def, source->alloc)
                               : NULL;
    if (drivers == NULL) {
        return lmbi_fail_memory(error);
    }
    lmbi_drivers_restart(drivers);
    *out = drivers;
    return LMB_OK;
}

lmb_result lmb_drivers_create(const void *text, size_t size, const lmb_character *character,
                              const lmb_allocator *alloc, lmb_drivers **out, lmb_error *error)
{
    const char *at = size > 0 ? text : "";
    lmbi_driver_source source = {
        .character = character, .alloc = alloc, .text = at, .end = at + size};
    if (size >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
        source.text += 3;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_drivers *drivers = NULL;
    const lmb_result result = compile(&source, &arena, &drivers, error);
    if (result == LMB_OK) {
        drivers->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
        *out = drivers;
    }
    lmbi_driver_source_free(&source);
    lmbi_arena_free(&arena);
    return result;
}

void lmb_drivers_destroy(lmb_drivers *drivers)
{
    if (drivers != NULL) {
        const lmb_allocator allocator = drivers->allocator;
        lmbi_free(&allocator, drivers);
    }
}

lmb_drivers_info lmb_drivers_describe(const lmb_drivers *drivers)
{
    return (lmb_drivers_info){.parameter_count = drivers->parameter_count,
                              .parameter_names = (const char *const *)drivers->names,
                              .channel_count = drivers->channel_count,
                              .instruction_count = drivers->code_count};
}

void lmb_drivers_set(lmb_drivers *drivers, uint32_t index, double value)
{
    drivers->slots[drivers->parameters[index]] = value;
}

bool lmbi_drivers_has_weights(const lmb_drivers *drivers)
{
    bool any = false;
    for (uint32_t k = 0; k < drivers->morph_count; ++k) {
        any = any || drivers->morphs[k].driven;
    }
    return any;
}

void lmbi_drivers_restart(lmb_drivers *drivers)
{
    for (size_t k = 0; k < (size_t)drivers->memory_count * LMBI_DRIVER_MEMORY; ++k) {
        drivers->memory[k] = 0;
    }
    for (uint32_t k = 0; k < drivers->slot_count; ++k) {
        drivers->last_finite[k] = (double)NAN;
    }
}
