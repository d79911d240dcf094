/// A parsed OBJ file as lists, before vertices are made from it.
#ifndef IO_SURFACE_OBJ_H
#define IO_SURFACE_OBJ_H

#include "io/common.h"
#include "io/surface/surface.h"

/// Indices from 0; -1 where the corner names none.
typedef struct lmbi_obj_corner {
    int32_t v, vt, vn;
} lmbi_obj_corner;

/// A face, polyline or list of points: corners [first_corner, the next element's first_corner).
typedef struct lmbi_obj_element {
    uint32_t first_corner;
    uint32_t run;
    const char *at; ///< where its line begins, for errors that are found later
} lmbi_obj_element;

/// Consecutive elements of the same kind, group, material and attributes: one primitive.
typedef struct lmbi_obj_run {
    lmb_topology topology;
    int32_t group, material; ///< indices of the names, or -1
    bool has_uv, has_normal;
} lmbi_obj_run;

/// Growing lists of one allocator, each with a count and a capacity.
typedef struct lmbi_obj {
    const lmb_allocator *alloc;
    lmb_vec3 *positions;
    size_t position_count, position_capacity;
    lmb_vec4 *colors; ///< [position_count] when any position has one
    size_t color_capacity;
    lmb_vec2 *uvs;
    size_t uv_count, uv_capacity;
    lmb_vec3 *normals;
    size_t normal_count, normal_capacity;
    lmbi_obj_corner *corners;
    size_t corner_count, corner_capacity;
    lmbi_obj_element *elements;
    size_t element_count, element_capacity;
    lmbi_obj_run *runs;
    size_t run_count, run_capacity;
    lmbi_names groups, materials, libraries;
    lmb_notes *notes;
} lmbi_obj;

/// Reads every line. Resolves relative indices and checks that all indices are in range. Free on
/// any result.
lmb_result lmbi_obj_parse(lmbi_obj *obj, const void *bytes, size_t size, lmb_error *error);
void lmbi_obj_free(lmbi_obj *obj);

/// Filling the lists, also from PLY, OFF and STL. Add an element's corners first, then choose its
/// run (a new one when anything differs from the last), then add the element. False: out of memory.
bool lmbi_obj_add_corner(lmbi_obj *obj, lmbi_obj_corner corner);
bool lmbi_obj_choose_run(lmbi_obj *obj, lmbi_obj_run run);
bool lmbi_obj_add_element(lmbi_obj *obj, size_t first_corner, const char *at);
/// Allocates positions, and the other attributes that are wanted, of a file that has as many of each.
bool lmbi_obj_reserve(lmbi_obj *obj, size_t count, bool normals, bool uvs, bool colors);
/// Makes every position a point, for files without faces.
bool lmbi_obj_add_points(lmbi_obj *obj);
/// Appends an item to a list (`list` points to its pointer) and returns it, or NULL.
void *lmbi_obj_append(lmbi_obj *obj, void *list, size_t *count, size_t *capacity, size_t size);

/// Makes the character. Indices must be in range.
lmb_result lmbi_obj_build(const lmbi_obj *obj, const lmbi_obj_read_opts *opts,
                          const lmb_allocator *alloc, lmb_character **out, lmb_error *error);
/// Ends a reader of another format: builds the character when `result` is LMB_OK, and frees `obj`.
/// `opts` may be NULL.
lmb_result lmbi_obj_finish(lmbi_obj *obj, lmb_result result, const lmbi_mesh_read_opts *opts,
                           const lmb_allocator *alloc, lmb_character **out, lmb_error *error);
/// Initialises an empty file.
void lmbi_obj_init(lmbi_obj *obj, const lmb_allocator *alloc, lmb_notes *notes);

/// Reads the materials named in obj->materials, in that order, from the libraries that the loader
/// finds. The strings lie in the arena.
lmb_result lmbi_mtl_read(const lmbi_obj *obj, const lmb_loader *loader, lmbi_arena *arena,
                         lmb_appearance *appearance, lmb_error *error);

#endif
