/// Meshes, skins and blend shapes of an FBX scene as Limber's.
#ifndef IO_FBX_MESH_H
#define IO_FBX_MESH_H

#include "io/fbx/models.h"
#include "io/fbx/scene.h"

/// One geometry with the materials and transform of a model. Models that agree in these share it.
typedef struct lmbi_fbx_mesh {
    uint32_t geometry, model; ///< object, and index in models
    int32_t skin;             ///< object, or LMB_NONE
    int32_t skin_index;       ///< among the character's skins
    uint32_t position_count;  ///< control points of the file
    lmb_mesh def;
    lmb_skin skin_def; ///< when skin is not LMB_NONE
    /// Blend shapes: which channel drives each target, and between which percentages of it.
    int32_t *target_channels; ///< [def.target_count] objects
    struct lmbi_fbx_ramp *ramps;
} lmbi_fbx_mesh;

/// A target's weight as a function of its channel's percentage: 0 at `from`, 1 at `full`, 0 again at
/// `to`. The first ramp of a channel extrapolates below, the last one above.
typedef struct lmbi_fbx_ramp {
    double from, full, to;
    bool first, last;
} lmbi_fbx_ramp;

double lmbi_fbx_ramp_at(const lmbi_fbx_ramp *ramp, double percent);

typedef struct lmbi_fbx_use {
    uint32_t mesh;  ///< in lmbi_fbx_meshes
    uint32_t model; ///< that shows it
} lmbi_fbx_use;

typedef struct lmbi_fbx_meshes {
    lmbi_fbx_mesh *items;
    uint32_t count;
    lmbi_fbx_use *uses;
    uint32_t use_count;
} lmbi_fbx_meshes;

/// Fills items and uses, in the arena. Skins refer to the joints of `models`, which must be
/// numbered. look_of[object] is the index of a material in the look.
lmb_result lmbi_fbx_meshes_make(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                                const int32_t *look_of, lmbi_fbx_meshes *meshes);

/// The steps: vertices from corners, skin, blend shapes.
lmb_result lmbi_fbx_mesh_build(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                               const int32_t *look_of, lmbi_fbx_mesh *mesh);
lmb_result lmbi_fbx_skin_build(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                               lmbi_fbx_mesh *mesh);
lmb_result lmbi_fbx_shapes_build(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                                 lmbi_fbx_mesh *mesh);

/// The control point of a vertex.
uint32_t lmbi_fbx_mesh_point(const lmbi_fbx_mesh *mesh, uint32_t vertex);

// ---- The polygons of a geometry and its layer elements (normals, colours, UVs, materials),
// which are mapped to corners, points or polygons.

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
