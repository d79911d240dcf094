/// The rows of all skinned meshes of a character in one table of fixed width.
#ifndef RIG_WEIGHTS_ROWS_H
#define RIG_WEIGHTS_ROWS_H

#include "base/arena.h"
#include "limber/rig.h"

/// Influences kept during an edit, more than engines support.
enum { LMBI_ROW_WIDTH = 16 };

typedef struct lmbi_table {
    const lmb_character *character;
    /// vertices of all instances, skinned or not; those of instance i start at first_vertex[i]
    uint32_t count;
    uint32_t *first_vertex; ///< [instance_count + 1]
    lmb_influence
        *rows; ///< [count][LMBI_ROW_WIDTH], descending, joint in the skeleton; weight 0 ends a row
    const lmb_surface *surface; ///< set if an edit needs it
} lmbi_table;

/// Errors: INVALID when nothing is skinned; MEMORY.
lmb_result lmbi_table_create(const lmb_character *character, lmbi_arena *arena, lmbi_table *out,
                             lmb_error *error);
/// A character with the table's rows instead of its own. Errors: MEMORY, INVALID for a joint that a
/// skin lacks.
lmb_result lmbi_table_store(const lmbi_table *table, lmb_character **character,
                            const lmb_allocator *alloc, lmb_error *error);

static inline uint32_t lmbi_row_count(const lmb_influence *row)
{
    uint32_t count = 0;
    while (count < LMBI_ROW_WIDTH && row[count].weight > 0) {
        ++count;
    }
    return count;
}

/// Whether an instance's vertices have rows.
static inline bool lmbi_is_skinned(const lmb_character *c, uint32_t instance)
{
    return c->instances[instance].skin != LMB_NONE &&
           c->meshes[c->instances[instance].mesh]->influences.first;
}

/// Copies rows from welded vertices: vertex i gets the row of vertex_of[i]. Errors: MEMORY.
lmb_result lmbi_rows_unweld(const lmb_weights *weights, const uint32_t *vertex_of, uint32_t count,
                            lmbi_arena *arena, lmb_influences *out, lmb_error *error);

#endif
