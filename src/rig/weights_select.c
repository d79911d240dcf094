/// Which vertices an edit of weights is for.
#include "base/error.h"
#include "rig/weights_edit.h"

/// Clears `selected` where the number of a vertex is none of the wanted ones.
static lmb_result keep_numbers(lmbi_editor *e, const uint32_t *number_of, const uint32_t *wanted,
                               uint32_t wanted_count, uint32_t count, const char *expected,
                               lmb_error *error)
{
    if (wanted_count == 0) {
        return LMB_OK;
    }
    uint8_t *is_wanted = lmbi_arena_array(&e->arena, count, 1);
    if (!is_wanted) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < wanted_count; ++k) {
        if (wanted[k] >= count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, expected, "%u of %u", wanted[k], count);
        }
        is_wanted[wanted[k]] = 1;
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        e->selected[v] = e->selected[v] && is_wanted[number_of[v]];
    }
    return LMB_OK;
}

static lmb_result keep_pieces(lmbi_editor *e, uint32_t *numbers, lmb_error *error)
{
    const lmb_weights_selection *where = &e->edit.where;
    uint32_t *piece_of = lmbi_arena_array(&e->arena, e->surface->vertex_count, sizeof *piece_of);
    uint32_t count = 0;
    lmb_result result = piece_of ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = lmb_surface_components(e->surface, e->alloc, piece_of, &count, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        numbers[v] = piece_of[e->surface->vertex_of[v]];
    }
    return keep_numbers(e, numbers, where->pieces, where->piece_count, count,
                        "a connected piece of the surface", error);
}

static lmb_result keep_instances(lmbi_editor *e, uint32_t *numbers, lmb_error *error)
{
    const lmb_weights_selection *where = &e->edit.where;
    const uint32_t count = e->table.character->instance_count;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t v = e->table.first_vertex[i]; v < e->table.first_vertex[i + 1]; ++v) {
            numbers[v] = i;
        }
    }
    return keep_numbers(e, numbers, where->instances, where->instance_count, count,
                        "an instance of a mesh", error);
}

static bool follows(const lmb_influence *row, const uint8_t *is_wanted, float above)
{
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        if (is_wanted[row[k].joint] && row[k].weight > above) {
            return true;
        }
    }
    return false;
}

static lmb_result keep_joints(lmbi_editor *e, lmb_error *error)
{
    const lmb_weights_selection *where = &e->edit.where;
    const uint32_t count = e->table.character->skeleton->joint_count;
    if (where->joint_count == 0) {
        return LMB_OK;
    }
    uint8_t *is_wanted = lmbi_arena_array(&e->arena, count, 1);
    if (!is_wanted) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < where->joint_count; ++k) {
        if (where->joints[k] >= count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a joint of the skeleton", "%u of %u",
                             where->joints[k], count);
        }
        is_wanted[where->joints[k]] = 1;
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        e->selected[v] = e->selected[v] && follows(lmbi_edit_row(e, v), is_wanted, where->above);
    }
    return LMB_OK;
}

static void keep_near(lmbi_editor *e)
{
    const lmb_weights_selection *where = &e->edit.where;
    for (uint32_t v = 0; v < e->table.count; ++v) {
        const lmb_vec3 at = lmbi_edit_place(e, v);
        if (where->radius > 0 && !(lmb_vec3_distance(at, where->center) <= where->radius)) {
            e->selected[v] = 0;
        }
        if (where->box && !(at.x >= where->box->low.x && at.y >= where->box->low.y &&
                            at.z >= where->box->low.z && at.x <= where->box->high.x &&
                            at.y <= where->box->high.y && at.z <= where->box->high.z)) {
            e->selected[v] = 0;
        }
    }
}

static lmb_result count_selected(lmbi_editor *e, lmb_error *error)
{
    const lmb_character *c = e->table.character;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        for (uint32_t v = e->table.first_vertex[i]; v < e->table.first_vertex[i + 1]; ++v) {
            e->selected[v] = e->selected[v] && lmbi_is_skinned(c, i);
            e->change.selected_count += e->selected[v];
        }
    }
    return e->change.selected_count > 0
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "a selection of some vertices",
                           "none of %u that it holds for", e->table.count);
}

lmb_result lmbi_edit_select(lmbi_editor *e, lmb_error *error)
{
    const lmb_weights_selection *where = &e->edit.where;
    uint32_t *numbers = lmbi_arena_array(&e->arena, e->table.count, sizeof *numbers);
    e->selected = lmbi_arena_array(&e->arena, e->table.count, sizeof *e->selected);
    if (!numbers || !e->selected) {
        return lmbi_fail_memory(error);
    }
    if (!(where->above >= 0 && where->above < 1)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a weight of 0 to less than 1", "%g",
                         (double)where->above);
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        e->selected[v] = 1;
    }
    lmb_result result = keep_instances(e, numbers, error);
    if (result == LMB_OK && where->piece_count > 0) {
        result = keep_pieces(e, numbers, error);
    }
    if (result == LMB_OK) {
        result = keep_joints(e, error);
    }
    if (result == LMB_OK) {
        keep_near(e);
        result = count_selected(e, error);
    }
    return result;
}
