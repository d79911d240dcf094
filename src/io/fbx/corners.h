/// The polygons of a geometry and its layer elements (normals, colours, UVs, materials), which are
/// mapped to corners, points or polygons.
#ifndef IO_FBX_CORNERS_H
#define IO_FBX_CORNERS_H

#include "io/fbx/scene.h"

typedef enum lmbi_fbx_mapping {
    LMBI_FBX_BY_CORNER = 0,
    LMBI_FBX_BY_POINT,
    LMBI_FBX_BY_POLYGON,
    LMBI_FBX_ALL_SAME,
} lmbi_fbx_mapping;

/// Values of `width` numbers each, looked up through `indices` unless that is NULL.
typedef struct lmbi_fbx_element {
    lmbi_fbx_mapping mapping;
    int width;
    const double *values;
    size_t value_count; ///< whole values
    const int64_t *indices;
    size_t index_count;
} lmbi_fbx_element;

typedef struct lmbi_fbx_corners {
    const double *points;
    uint32_t point_count;
    uint32_t corner_count, polygon_count;
    uint32_t *corners;        ///< [corner_count] points
    uint32_t *corner_source;  ///< [corner_count] index in the file's list, which elements refer to
    uint32_t *polygon_first;  ///< [polygon_count + 1] in corners
    uint32_t *polygon_source; ///< [polygon_count] index among the file's polygons
    lmbi_fbx_element normals, colors, uvs[LMB_UV_SETS], materials;
} lmbi_fbx_corners;

/// Polygons of fewer than three corners are left out, with a note.
lmb_result lmbi_fbx_corners_read(lmbi_fbx *fbx, const lmbi_fbx_node *geometry, lmbi_fbx_corners *c);
/// The value at a corner of a polygon (both are indices in `c`); NULL where the element has none.
const double *lmbi_fbx_element_at(const lmbi_fbx_corners *c, const lmbi_fbx_element *element,
                                  uint32_t corner, uint32_t polygon);

#endif
