/// Displacements of many morph targets, stored only for the vertices that they move.
#ifndef SKIN_MORPH_STREAM_H
#define SKIN_MORPH_STREAM_H

#include "limber/skin.h"
#include "skin/morph_kernels.h"

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

#endif
