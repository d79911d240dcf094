/// Meshes of files: OBJ, PLY, OFF, STL.
#ifndef IO_SURFACE_SURFACE_H
#define IO_SURFACE_SURFACE_H

#include "limber/io.h"

typedef struct lmbi_obj_read_opts {
    const lmb_loader *loader; ///< for mtllib; NULL: materials have names only
    float unit_m;             ///< metres a unit of the file; 0 counts as 1
    lmb_axis up;              ///< of the file; AUTO is +Y, since nothing in the file says
    lmb_notes *notes;         ///< filled when not NULL
} lmbi_obj_read_opts;

/// Reads a Wavefront OBJ into a character of one joint, one instance and one mesh.
///
/// Vertices: for k < number of `v` lines, vertex k is the first corner of position k (or the bare
/// position when no face uses it); every further combination of v/vt/vn is appended in order of
/// appearance, and mesh->source_position maps back. It is NULL when nothing was split. Corners that
/// lack a UV or a normal where others have one get (0,0) and (0,1,0), and their primitive's
/// attribute bits say so. Vertex colours after xyz become colors[0], taken from sRGB to linear.
/// Polygons of more than 3 corners are kept in mesh->polygons and triangulated: fans for convex
/// ones, ear clipping else.
/// A run of faces with one usemtl, one g or o, and one set of attributes is a primitive; l and p
/// lines are lines and points.
/// Errors: MALFORMED with line and column; MEMORY. `opts`, `alloc` and `error` may be NULL.
lmb_result lmbi_obj_read(const void *bytes, size_t size, const lmbi_obj_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

typedef struct lmbi_obj_write_opts {
    /// name for the mtllib line; NULL: none is written, usemtl lines stay
    const char *material_library;
    float unit_m; ///< metres a unit of the file; 0 counts as 1
    lmb_axis up;  ///< of the file; AUTO is +Y
} lmbi_obj_write_opts;

/// Writes every instance's mesh at its rest position in the scene, unskinned, polygons as they were
/// read. What lmbi_obj_read gives for the result is equal to what was written, when it came from
/// lmbi_obj_read.
lmb_result lmbi_obj_write(const lmb_character *character, const lmbi_obj_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

/// The .mtl that belongs to it: base colours, opacity and the picture of the base colour, where
/// that is a file.
lmb_result lmbi_mtl_write(const lmb_appearance *look, const lmb_allocator *alloc, lmb_buffer *out,
                          lmb_error *error);

typedef struct lmbi_mesh_read_opts {
    float unit_m;     ///< metres a unit of the file; 0 counts as 1
    lmb_axis up;      ///< of the file; AUTO is +Y
    lmb_notes *notes; ///< filled when not NULL
} lmbi_mesh_read_opts;

typedef struct lmbi_mesh_write_opts {
    float unit_m; ///< metres a unit of the file; 0 counts as 1
    lmb_axis up;  ///< of the file; AUTO is +Y
    bool ascii;   ///< text instead of little-endian binary
} lmbi_mesh_write_opts;

/// Reads a PLY, ascii or binary of either byte order, with any properties in any order: x y z, nx
/// ny nz, s t / u v / texture_u texture_v, red green blue alpha, and face lists vertex_indices or
/// vertex_index. Others are passed over.
/// A file without faces gives points. Vertices stay in file order. Errors: MALFORMED with line and
/// column in the header and in ascii data, with a byte offset in binary data.
lmb_result lmbi_ply_read(const void *bytes, size_t size, const lmbi_mesh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

/// Writes all instances at rest as one PLY: positions, and normals, UVs and colours where every
/// mesh has them.
lmb_result lmbi_ply_write(const lmb_character *character, const lmbi_mesh_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

/// Reads OFF, COFF, NOFF and STOFF text; the binary form is refused as UNSUPPORTED. Face colours
/// are skipped.
lmb_result lmbi_off_read(const void *bytes, size_t size, const lmbi_mesh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

/// Reads binary and ascii STL. Corners at equal positions (bit for bit) are one vertex, in order of
/// appearance.
lmb_result lmbi_stl_read(const void *bytes, size_t size, const lmbi_mesh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

#endif
