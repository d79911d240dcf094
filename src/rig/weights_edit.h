/// What the parts of the weight editor share.
#ifndef RIG_WEIGHTS_EDIT_H
#define RIG_WEIGHTS_EDIT_H

#include "rig/heat.h"
#include "rig/weights_rows.h"

typedef struct lmbi_editor {
    lmbi_table table;
    lmb_weights_edit edit; ///< zeros replaced
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmb_surface *surface; ///< where everything stands at rest
    lmb_vec3 *joints;     ///< [joint_count] in the space of the surface
    float size;
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

/// Makes a row sum to 1; an empty one stays so.
void lmbi_edit_scale(lmb_influence *row);
/// Keeps the influences whose marks are set, of which there is one, and counts the rest as lost.
void lmbi_edit_drop(lmbi_editor *e, uint32_t v, const bool keep[LMBI_ROW_WIDTH]);
/// Of one row stays what pulls hardest: weight times the distance to the joint.
void lmbi_edit_shorten(lmbi_editor *e, uint32_t v);

/// The operations, on rows none of which is empty. Errors: MEMORY.
lmb_result lmbi_edit_prune(lmbi_editor *e, lmb_error *error);
lmb_result lmbi_edit_limit(lmbi_editor *e, lmb_error *error);
lmb_result lmbi_edit_smooth(lmbi_editor *e, lmb_error *error);

#endif
