/// State shared by the parts of the weight editor.
#ifndef RIG_WEIGHTS_EDIT_H
#define RIG_WEIGHTS_EDIT_H

#include "rig/heat.h"
#include "rig/weights_rows.h"

typedef struct lmbi_editor {
    lmbi_table table;
    lmb_weights_edit edit; ///< zeros replaced
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmb_surface *surface; ///< in the rest pose
    lmb_vec3 *joints;     ///< [joint_count] in the space of the surface
    float size;
    uint8_t *selected; ///< [table.count] whether the edit is for the vertex
    lmb_weights_change change;
    double lost, moved;
} lmbi_editor;

static inline lmb_influence *lmbi_edit_row(const lmbi_editor *e, uint32_t v)
{
    return e->table.rows + (size_t)v * LMBI_ROW_WIDTH;
}

static inline lmb_vec3 lmbi_edit_place(const lmbi_editor *e, uint32_t v)
{
    return e->surface->positions[e->surface->vertex_of[v]];
}

/// Whether the edit is for a vertex, which has a row.
static inline bool lmbi_edit_is_for(const lmbi_editor *e, uint32_t v)
{
    return e->selected[v] && lmbi_edit_row(e, v)[0].weight > 0;
}

/// Fills `selected` and counts. Errors: as lmb_weights_apply.
lmb_result lmbi_edit_select(lmbi_editor *e, lmb_error *error);
/// Normalises a row; an empty one stays empty.
void lmbi_edit_scale(lmb_influence *row);
/// Keeps the influences marked in `keep`, at least one, and counts the others as lost.
void lmbi_edit_drop(lmbi_editor *e, uint32_t v, const bool keep[LMBI_ROW_WIDTH]);
/// Keeps the influences of a row with the largest weight times distance to the joint.
void lmbi_edit_shorten(lmbi_editor *e, uint32_t v);

/// The operations, on rows that are not empty. Errors: MEMORY.
lmb_result lmbi_edit_prune(lmbi_editor *e, lmb_error *error);
lmb_result lmbi_edit_limit(lmbi_editor *e, lmb_error *error);
lmb_result lmbi_edit_smooth(lmbi_editor *e, lmb_error *error);
lmb_result lmbi_edit_assign(lmbi_editor *e, lmb_error *error);

#endif
