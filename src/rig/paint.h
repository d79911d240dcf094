/// State shared by the parts of the painter.
#ifndef RIG_PAINT_H
#define RIG_PAINT_H

#include "geometry/faces.h"
#include "geometry/tree.h"
#include "rig/rings.h"
#include "rig/row_sum.h"
#include "rig/symmetry.h"

/// A vertex under the brush, and the brush's weight there.
typedef struct lmbi_dab_vertex {
    uint32_t vertex;
    float fraction;
} lmbi_dab_vertex;

typedef struct lmbi_paint_record {
    uint32_t vertex;
    lmb_influence row[LMBI_ROW_WIDTH]; ///< before the stroke; after it, if the stroke is undone
} lmbi_paint_record;

struct lmb_painter {
    lmb_allocator allocator;
    lmbi_arena arena;
    lmbi_table table;
    lmb_surface *surface;
    lmbi_tree *tree;
    lmb_vec3 *normals;
    lmbi_rings rings;
    lmb_influence *rows; ///< [vertex_count][LMBI_ROW_WIDTH], descending, joint in the skeleton
    int32_t *parents;    ///< [joint_count]
    int32_t *partner;    ///< [joint_count] or NULL without a mirror plane
    lmbi_mirror_plane plane;
    uint8_t *locked; ///< [joint_count]
    uint32_t joint_count, influences;
    // the brush
    float *distance;      ///< [vertex_count] negative where not reached
    uint32_t *heap;       ///< [vertex_count * 1] by distance
    uint32_t *heap_index; ///< [vertex_count] index in the heap
    lmbi_dab_vertex *dab;
    uint32_t dab_count;
    lmb_influence
        *fresh; ///< [vertex_count][LMBI_ROW_WIDTH] new rows of a dab, stored once all are computed
    lmbi_row_sum sum;
    // chosen vertices
    lmbi_faces *faces; ///< NULL before something is chosen
    uint8_t *chosen;   ///< [vertex_count] or NULL
    // strokes
    lmbi_paint_record *records;
    size_t record_count, record_capacity;
    size_t *stroke_first;
    size_t stroke_count, stroke_capacity; ///< strokes that can be undone
    size_t redo_count;                    ///< undone strokes after them
    uint32_t *stamp;                      ///< [vertex_count] last stroke that recorded the vertex
    uint32_t stroke_stamp;
    bool open;
};

/// Fills painter->dab: the vertices within the radius of a point of the surface.
void lmbi_paint_reach(lmb_painter *painter, const lmb_brush *brush, lmb_vec3 at);
/// Fills it with the chosen vertices, or those whose mirror images are chosen.
void lmbi_paint_reach_chosen(lmb_painter *painter, const lmb_brush *brush, bool mirrored);
/// Computes the brushed row of one vertex of the dab.
void lmbi_paint_row(lmb_painter *painter, const lmb_brush *brush, uint32_t joint,
                    const lmbi_dab_vertex *v, lmb_influence out[LMBI_ROW_WIDTH]);
/// Limits a row to `influences` weights, keeping locked ones first, and normalises it.
void lmbi_paint_limit(const lmb_painter *painter, lmb_influence row[LMBI_ROW_WIDTH]);

static inline lmb_influence *lmbi_paint_row_of(const lmb_painter *p, uint32_t v)
{
    return p->rows + (size_t)v * LMBI_ROW_WIDTH;
}

#endif
