/// A mesh's skin weights, compiled by lmb_binding_create into the layout of the kernels.
///
/// Vertices are grouped in chunks of LMBI_SKIN_CHUNK in the mesh's order, so that a chunk's output
/// stays in cache. Within a chunk, vertices with the same set of joints form a run. A run is stored
/// in blocks of 16 lanes, or one block of 8 if that suffices: one vertex per lane, all with the
/// same matrices. Padding lanes of the last block repeat its last vertex and write the same values.
/// Runs are sorted by width (joint count), within one width those with blocks of 16 first. Vertices
/// that share their joints with too few others are loose: their matrices are blended one vertex at
/// a time, with bit-identical results.
#ifndef SKIN_BINDING_H
#define SKIN_BINDING_H

#include "limber/skin.h"
#include "math/normal_matrix.h"

enum {
    /// Vertices per chunk; indices within a chunk have 16 bits.
    LMBI_SKIN_CHUNK = 16384,
    /// Vertices per parallel task where the mesh is not clustered.
    LMBI_SKIN_GRAIN = 1024,
    LMBI_SKIN_BLOCK = 16,
    /// Smaller groups are loose: a run of so few vertices is slower than blending each alone.
    LMBI_SKIN_LEAST_RUN = 4,
    /// Vertices with more joints are loose.
    LMBI_SKIN_WIDEST_RUN = 64,
    /// Up to this width a blend is M_last + sum of w_k (M_k - M_last), which saves a product.
    LMBI_SKIN_FEW = 4,
    /// Runs up to this width may store weights as 16-bit fixed point, in steps of 2^-16. The
    /// rounding error, at most (width - 1) 2^-17, is relative to the distance between the positions
    /// that two of the vertex's joints give it: at most 3 * 2^-17 of it, a tenth of a pixel if it
    /// spans 4096 pixels.
    LMBI_SKIN_SHORT_WIDTH = 4,
    /// Meshes with fewer vertices store weights as floats: while they fit in cache, floats load
    /// faster than 16-bit integers convert.
    LMBI_SKIN_LARGE = 65536,
};

/// Stored rest normals are scaled by this power of two, so that their squared lengths stay normal
/// floats under the smallest matrices.
#define LMBI_NORMAL_SCALE 16777216.0f

/// Lanes taken by `count` vertices of a run, with padding.
static inline uint32_t lmbi_run_lanes(uint32_t count)
{
    return count <= LMBI_SKIN_BLOCK / 2
               ? LMBI_SKIN_BLOCK / 2
               : (count + LMBI_SKIN_BLOCK - 1) / LMBI_SKIN_BLOCK * LMBI_SKIN_BLOCK;
}

typedef struct lmbi_skin_run {
    uint32_t lane_first;  ///< a multiple of 8
    uint32_t count;       ///< vertices, without padding
    uint32_t joint_first; ///< [width] in `joints`, ascending
    uint32_t width;
    /// [block][width - 1][lanes of the block] in `shorts` or `weights`; the last weight is 1 minus
    /// the others
    size_t weight_first;
} lmbi_skin_run;

/// Lanes per block.
static inline uint32_t lmbi_run_block(const lmbi_skin_run *run)
{
    return run->count <= LMBI_SKIN_BLOCK / 2 ? LMBI_SKIN_BLOCK / 2 : LMBI_SKIN_BLOCK;
}

/// Number of leading runs of `runs` that one kernel call can process: same width, same block size.
static inline uint32_t lmbi_runs_alike(const lmbi_skin_run *runs, uint32_t count)
{
    uint32_t alike = 1;
    while (alike < count && runs[alike].width == runs[0].width &&
           lmbi_run_block(&runs[alike]) == lmbi_run_block(&runs[0])) {
        ++alike;
    }
    return alike;
}

/// Loose vertices of one width.
typedef struct lmbi_loose_run {
    uint32_t first, count; ///< in loose_index
    uint32_t width;
    bool is_whole;          ///< weights sum to 1, and are rounded as in a run
    size_t influence_first; ///< [count][width] in loose_joints and loose_weights
} lmbi_loose_run;

typedef struct lmbi_skin_chunk {
    uint32_t run_first, run_count;
    uint32_t loose_first, loose_count; ///< loose runs
} lmbi_skin_chunk;

struct lmb_binding {
    uint32_t vertex_count, joint_count, influences;
    uint32_t chunk_count, run_count, lane_count, loose_run_count, loose_count;
    lmbi_skin_chunk *chunks;
    lmbi_skin_run *runs;
    uint16_t *joints;
    uint16_t *index;    ///< [lane_count] vertex index within its chunk
    uint8_t *strongest; ///< [lane_count] joint of the run with the largest weight
    uint16_t *shorts;   ///< weights of runs up to LMBI_SKIN_SHORT_WIDTH wide; NULL: all are floats
    float *weights;
    // The mesh at rest, by blocks: x of all lanes, y of all lanes, … NULL if the mesh has none.
    float *positions, *normals, *tangents;
    float *centers; ///< layout of `positions`; NULL: none stored
    lmbi_loose_run *loose_runs;
    uint16_t *loose_index;     ///< [loose_count]
    uint16_t *loose_joints;    ///< ascending in each row
    uint16_t *loose_strongest; ///< [loose_count] index of the joint with the largest weight
    float *loose_weights;
    lmb_vec3 *loose_positions, *loose_normals; ///< [loose_count], unscaled
    lmb_vec3 *loose_centers;
    lmb_vec4 *loose_tangents;
    bool has_normals, has_tangents;
    lmb_allocator allocator;
};

static inline bool lmbi_run_has_shorts(const lmb_binding *binding, const lmbi_skin_run *run)
{
    return binding->shorts != NULL && run->width <= LMBI_SKIN_SHORT_WIDTH;
}

/// lmb_binding_create; if `keep_rest` is false, without a copy of the rest mesh, so that every job
/// must pass its inputs, and with all weights as floats.
lmb_result lmbi_binding_create(const lmb_mesh *mesh, uint32_t joint_count, bool keep_rest,
                               const lmb_allocator *alloc, lmb_binding **out, lmb_error *error);

#endif
