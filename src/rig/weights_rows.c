#include "rig/weights_rows.h"

#include <string.h>

#include "base/error.h"
#include "rig/heat.h"

static void load(const lmb_mesh *mesh, const lmb_skin *skin, lmb_influence *rows)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        for (uint32_t k = mesh->influences.first[v]; k < mesh->influences.first[v + 1]; ++k) {
            const lmb_influence *item = &mesh->influences.items[k];
            lmbi_row_insert(rows + (size_t)v * LMBI_ROW_WIDTH, LMBI_ROW_WIDTH,
                            skin->joints[item->joint], item->weight);
        }
    }
}

lmb_result lmbi_table_create(const lmb_character *c, lmbi_arena *arena, lmbi_table *out,
                             lmb_error *error)
{
    lmbi_table table = {.character = c};
    bool any = false;
    size_t total = 0;
    table.first_vertex =
        lmbi_arena_array(arena, (size_t)c->instance_count + 1, sizeof *table.first_vertex);
    if (!table.first_vertex) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        table.first_vertex[i] = (uint32_t)total;
        total += c->meshes[c->instances[i].mesh]->vertex_count;
        any = any || lmbi_is_skinned(c, i);
    }
    if (!any || total > UINT32_MAX) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a skinned mesh", "none");
    }
    table.count = table.first_vertex[c->instance_count] = (uint32_t)total;
    table.rows = lmbi_arena_array(arena, total, LMBI_ROW_WIDTH * sizeof *table.rows);
    if (!table.rows) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (lmbi_is_skinned(c, i)) {
            load(c->meshes[c->instances[i].mesh], c->skins[c->instances[i].skin],
                 table.rows + (size_t)table.first_vertex[i] * LMBI_ROW_WIDTH);
        }
    }
    *out = table;
    return LMB_OK;
}

// ---- back

typedef struct store {
    const lmbi_table *table;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmb_mesh **made;   ///< [mesh_count] NULL for unchanged meshes
    uint32_t *slot_of; ///< [joint_count] index in a skin plus 1, 0: not in it
} store;

static lmb_result rebuild(store *s, uint32_t instance, lmb_error *error)
{
    const lmb_character *c = s->table->character;
    const lmb_skin *skin = c->skins[c->instances[instance].skin];
    lmb_mesh def = *c->meshes[c->instances[instance].mesh];
    const lmb_influence *rows =
        s->table->rows + (size_t)s->table->first_vertex[instance] * LMBI_ROW_WIDTH;
    uint32_t *first = lmbi_arena_array(&s->arena, (size_t)def.vertex_count + 1, sizeof *first);
    lmb_influence *items =
        lmbi_arena_array(&s->arena, def.vertex_count, LMBI_ROW_WIDTH * sizeof *items);
    if (!first || !items) {
        return lmbi_fail_memory(error);
    }
    memset(s->slot_of, 0, c->skeleton->joint_count * sizeof *s->slot_of);
    for (uint32_t k = skin->joint_count; k-- > 0;) {
        s->slot_of[skin->joints[k]] = k + 1;
    }
    uint32_t at = 0;
    for (uint32_t v = 0; v < def.vertex_count; ++v, rows += LMBI_ROW_WIDTH) {
        first[v] = at;
        for (uint32_t k = 0; k < LMBI_ROW_WIDTH && rows[k].weight > 0; ++k) {
            if (s->slot_of[rows[k]
                               // smoothing across two skins may bring joints that one of them lacks
                               .joint]) {
                items[at++] = (lmb_influence){s->slot_of[rows[k].joint] - 1, rows[k].weight};
            }
        }
        if (at > first[v]) {
            lmbi_row_normalize(items + first[v], at - first[v]);
        }
    }
    first[def.vertex_count] = at;
    def.influences = (lmb_influences){first, items};
    return lmb_mesh_create(&def, s->alloc, &s->made[c->instances[instance].mesh], error);
}

static lmb_result exchange(store *s, lmb_character **character, lmb_error *error)
{
    lmb_character *old = *character, *made = NULL;
    lmb_character def = *old;
    def.meshes = lmbi_arena_array(&s->arena, old->mesh_count, sizeof *def.meshes);
    if (!def.meshes) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t m = 0; m < old->mesh_count; ++m) {
        def.meshes[m] = s->made[m] ? s->made[m] : old->meshes[m];
    }
    lmb_result result = lmb_character_create(&def, s->alloc, &made, error);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t m = 0; m < old->mesh_count; ++m) {
        if (s->made[m]) {
            lmb_mesh_destroy(old->meshes[m]);
        }
    }
    lmb_character_release(old);
    *character = made;
    return LMB_OK;
}

lmb_result lmbi_table_store(const lmbi_table *table, lmb_character **character,
                            const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_character *c = table->character;
    store s = {.table = table, .alloc = alloc};
    lmbi_arena_init(&s.arena, alloc);
    s.made = lmbi_arena_array(&s.arena, c->mesh_count, sizeof *s.made);
    s.slot_of = lmbi_arena_array(&s.arena, c->skeleton->joint_count, sizeof *s.slot_of);
    lmb_result result = s.made && s.slot_of ? LMB_OK : lmbi_fail_memory(error);
    for (uint32_t i = 0; i < c->instance_count && result == LMB_OK; ++i) {
        if (lmbi_is_skinned(c, i) &&
            !s.made[c->instances[i].mesh]) { // a shared mesh takes its first instance's rows
            result = rebuild(&s, i, error);
        }
    }
    if (result == LMB_OK) {
        result = exchange(&s, character, error);
    }
    for (uint32_t m = 0; result != LMB_OK && s.made && m < c->mesh_count; ++m) {
        lmb_mesh_destroy(s.made[m]);
    }
    lmbi_arena_free(&s.arena);
    return result;
}

lmb_result lmbi_rows_unweld(const lmb_weights *weights, const uint32_t *vertex_of, uint32_t count,
                            lmbi_arena *arena, lmb_influences *out, lmb_error *error)
{
    const uint32_t *from = weights->influences.first;
    size_t total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        total += from[vertex_of[i] + 1] - from[vertex_of[i]];
    }
    uint32_t *first = lmbi_arena_array(arena, (size_t)count + 1, sizeof *first);
    lmb_influence *items = lmbi_arena_array(arena, total, sizeof *items);
    if (total > UINT32_MAX || !first || !items) {
        return lmbi_fail_memory(error);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t begin = from[vertex_of[i]], size = from[vertex_of[i] + 1] - begin;
        first[i] = at;
        memcpy(items + at, weights->influences.items + begin, size * sizeof *items);
        at += size;
    }
    first[count] = at;
    *out = (lmb_influences){first, items};
    return LMB_OK;
}
