/// What every solver knows of a surface and its bones before it starts.
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/tree.h"
#include "rig/heat_near.h"

/// Numbers the joints that have bones as slots. Bones may be in any order.
static bool number_slots(lmbi_heat *heat)
{
    uint32_t count = heat->bones->count, most = 0;
    for (uint32_t b = 0; b < count; ++b) {
        most = heat->bones->items[b].joint > most ? heat->bones->items[b].joint : most;
    }
    heat->slot_of_bone = lmbi_arena_array(&heat->arena, count, sizeof *heat->slot_of_bone);
    heat->joint_of_slot = lmbi_arena_array(&heat->arena, count, sizeof *heat->joint_of_slot);
    uint32_t *slot_of_joint =
        lmbi_arena_array(&heat->arena, (size_t)most + 1, sizeof *slot_of_joint);
    if (!heat->slot_of_bone || !heat->joint_of_slot || !slot_of_joint) {
        return false;
    }
    for (uint32_t b = 0; b < count; ++b) {
        uint32_t joint = heat->bones->items[b].joint;
        if (!slot_of_joint[joint]) {
            heat->joint_of_slot[heat->slot_count++] = joint;
            slot_of_joint[joint] = heat->slot_count;
        }
        heat->slot_of_bone[b] = slot_of_joint[joint] - 1;
    }
    return true;
}

static float longest_side(const lmb_surface *surface)
{
    if (surface->vertex_count == 0) {
        return 0;
    }
    const lmb_box box = lmb_box_of(surface->positions, surface->vertex_count);
    const lmb_vec3 d = lmb_vec3_sub(box.high, box.low);
    const float most = d.x > d.y ? d.x : d.y;
    return most > d.z ? most : d.z;
}

lmb_result lmbi_heat_prepare(lmbi_heat *heat, lmb_error *error)
{
    heat->size = longest_side(heat->surface);
    heat->row_width = 2 * heat->opts.influences > 8 ? 2 * heat->opts.influences : 8;
    heat->row_width = heat->row_width < LMBI_WIDEST ? heat->row_width : LMBI_WIDEST;
    if (!number_slots(heat)) {
        return lmbi_fail_memory(error);
    }
    if (heat->slot_count > UINT16_MAX) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 65535 joints that deform", "%u",
                         heat->slot_count);
    }
    lmb_result result = lmbi_adjacency_create(heat->surface, heat->alloc, &heat->around, error);
    if (result == LMB_OK) {
        result = lmbi_tree_create(heat->surface, heat->alloc, &heat->tree, error);
    }
    if (result == LMB_OK) {
        result = lmbi_heat_pieces(heat, error);
    }
    if (result == LMB_OK) {
        result = lmbi_heat_middles(heat, heat->around, error);
    }
    return result == LMB_OK ? lmbi_heat_reach(heat, error) : result;
}

void lmbi_heat_end(lmbi_heat *heat)
{
    lmbi_adjacency_destroy(heat->around);
    lmbi_tree_destroy(heat->tree);
    lmbi_arena_free(&heat->arena);
}
