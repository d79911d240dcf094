/// Compiled morph targets: one stream for each vertex attribute.
#ifndef SKIN_MORPH_SET_H
#define SKIN_MORPH_SET_H

#include "limber/skin.h"
#include "skin/morph_kernels.h"

// ---- Displacements of many morph targets, stored only for the vertices that they move.

enum {
    /// Vertices per chunk: their sums stay in the L1 cache while the targets stream by.
    LMBI_MORPH_CHUNK = 1024,
};

/// The runs of one target in one chunk.
typedef struct lmbi_morph_piece {
    size_t delta; ///< in floats or shorts
    uint32_t run, run_count;
} lmbi_morph_piece;

/// Sorted by chunk, then by target: the order in which a frame reads.
typedef struct lmbi_morph_stream {
    uint32_t vertex_count, target_count;
    lmbi_morph_piece *pieces; ///< [chunk][target]; NULL: no target has displacements
    lmbi_morph_run *runs;
    size_t run_count, delta_count;
    float *floats; ///< NULL when they are shorts
    int16_t *shorts;
    float *scales; ///< [target_count] displacement of a short of 1
} lmbi_morph_stream;

/// deltas[target_count], each [vertex_count] or NULL. Free with lmbi_morph_stream_free, also after
/// a failure (MEMORY).
lmb_result lmbi_morph_stream_build(lmbi_morph_stream *stream, uint32_t vertex_count,
                                   uint32_t target_count, const lmb_vec3 *const *deltas,
                                   float tolerance, bool shorts, const lmb_allocator *alloc);
void lmbi_morph_stream_free(lmbi_morph_stream *stream, const lmb_allocator *alloc);
size_t lmbi_morph_stream_bytes(const lmbi_morph_stream *stream);
/// Adds all targets, in order, to the vertices of a chunk; out[0] is the chunk's first vertex.
void lmbi_morph_stream_add(const lmbi_morph_stream *stream, uint32_t chunk, const float *weights,
                           lmb_simd simd, lmb_vec3 *out);

// ---- the set

// Vertex normals from the adjacent triangles, at rest and morphed.

/// A triangle seen from one of its corners: the other two corners, counter-clockwise.
typedef struct lmbi_fan_corner {
    uint32_t next, last;
} lmbi_fan_corner;

typedef struct lmbi_morph_surface {
    uint32_t *fan_of; ///< [vertex_count] vertices with equal position and normal share a fan
    uint32_t *first;  ///< [fan_count + 1] in corners
    lmbi_fan_corner *corners;
    lmb_vec3 *normals; ///< [vertex_count] at rest: unit, or zero
} lmbi_morph_surface;

/// Free with lmbi_morph_surface_free, also after a failure (MEMORY).
lmb_result lmbi_morph_surface_build(lmbi_morph_surface *surface, const lmb_mesh *mesh,
                                    const lmb_allocator *alloc, lmb_error *error);
void lmbi_morph_surface_free(lmbi_morph_surface *surface, const lmb_allocator *alloc);
/// Area-weighted mean of the normals of the triangles at vertex v; unit, or zero.
lmb_vec3 lmbi_morph_surface_normal(const lmbi_morph_surface *surface, const lmb_vec3 *positions,
                                   uint32_t v);

struct lmb_morph_set {
    uint32_t vertex_count, target_count;
    lmbi_morph_stream positions, normals, tangents;
    bool has_surface;
    lmbi_morph_surface surface;
    lmb_allocator allocator;
};

#endif
