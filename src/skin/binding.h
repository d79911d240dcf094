/// What lmb_binding_create compiles a mesh's rows of influences into, and one vertex through one
/// matrix.
///
/// Vertices are taken in chunks of LMBI_SKIN_CHUNK in the caller's order, so that what a chunk
/// writes stays in cache. In a chunk, those that follow the same joints make a run: blocks of 16,
/// or one of 8 when that is enough, in which every lane is a vertex and all share the matrices. The
/// lanes that a last block has too many repeat its last vertex: they write what it writes. In a
/// chunk runs stand by rising width, those of one width with blocks of 16 before those of 8.
/// Vertices whose joints hardly any other has stay loose: their matrices are blended one at a time,
/// to the same bits.
#ifndef SKIN_BINDING_H
#define SKIN_BINDING_H

#include <math.h>

#include "limber/skin.h"

enum {
    /// Vertices of a piece of work; indices inside it have 16 bits.
    LMBI_SKIN_CHUNK = 16384,
    /// Vertices a piece of work where nothing is clustered.
    LMBI_SKIN_GRAIN = 1024,
    LMBI_SKIN_BLOCK = 16,
    /// A run of fewer vertices costs more than they do one by one.
    LMBI_SKIN_LEAST_RUN = 4,
    /// Vertices with more joints than that are loose.
    LMBI_SKIN_WIDEST_RUN = 64,
    /// Of up to so many joints, what matrices differ from the last one's is blended.
    LMBI_SKIN_FEW = 4,
    /// Runs of up to so many joints may keep their weights in 16 bits, in steps of 2^-16. What is
    /// rounded, (width - 1) 2^-17 at most, is a share of the way between where two of a vertex'
    /// joints take it: of 3 * 2^-17 of that way, a picture of 4096 points across the whole of it
    /// shows a tenth of a point.
    LMBI_SKIN_SHORT_WIDTH = 4,
    /// Meshes of fewer vertices keep floats: out of a cache they are read faster than shorts are
    /// unpacked.
    LMBI_SKIN_LARGE = 65536,
};

/// Normals at rest are stored times this, a power of two: the squares of what the smallest matrices
/// make of them stay normal numbers.
#define LMBI_NORMAL_SCALE 16777216.0f

/// Lanes that `count` vertices of a run take.
static inline uint32_t lmbi_run_lanes(uint32_t count)
{
    return count <= LMBI_SKIN_BLOCK / 2
               ? LMBI_SKIN_BLOCK / 2
               : (count + LMBI_SKIN_BLOCK - 1) / LMBI_SKIN_BLOCK * LMBI_SKIN_BLOCK;
}

typedef struct lmbi_skin_run {
    uint32_t lane_first;  ///< a multiple of 8
    uint32_t count;       ///< vertices, without the padding
    uint32_t joint_first; ///< [width], rising
    uint32_t width;
    /// [block][width - 1][lanes of the block] in `shorts` or `weights`: the last weight is what is
    /// missing to 1
    size_t weight_first;
} lmbi_skin_run;

/// Lanes of each of its blocks.
static inline uint32_t lmbi_run_block(const lmbi_skin_run *run)
{
    return run->count <= LMBI_SKIN_BLOCK / 2 ? LMBI_SKIN_BLOCK / 2 : LMBI_SKIN_BLOCK;
}

/// How many of `count` runs, from the first on, a kernel takes in one call: as wide, with blocks as
/// large.
static inline uint32_t lmbi_runs_alike(const lmbi_skin_run *runs, uint32_t count)
{
    uint32_t alike = 1;
    while (alike < count && runs[alike].width == runs[0].width &&
           lmbi_run_block(&runs[alike]) == lmbi_run_block(&runs[0])) {
        ++alike;
    }
    return alike;
}

/// Loose vertices of equal width.
typedef struct lmbi_loose_run {
    uint32_t first, count; ///< in loose_index
    uint32_t width;
    bool is_whole;          ///< the weights sum to 1, and are those that a run would have
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
    uint16_t *index;    ///< [lane_count] vertex in its chunk
    uint8_t *strongest; ///< [lane_count] which joint of the run pulls most
    uint16_t *shorts;   ///< of runs of up to LMBI_SKIN_SHORT_WIDTH joints; NULL: all are floats
    float *weights;
    // The mesh at rest, by blocks: x of all lanes, y of all lanes, … NULL where the mesh has none.
    float *positions, *normals, *tangents;
    float *centers; ///< as the positions; NULL: none kept
    lmbi_loose_run *loose_runs;
    uint16_t *loose_index;     ///< [loose_count]
    uint16_t *loose_joints;    ///< rising in each row
    uint16_t *loose_strongest; ///< [loose_count] the joint itself
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

/// As lmb_binding_create; when `keep_rest` is false, without a copy of the mesh at rest, so that
/// every job brings its own inputs, and with all weights as they are.
lmb_result lmbi_binding_create(const lmb_mesh *mesh, uint32_t joint_count, bool keep_rest,
                               const lmb_allocator *alloc, lmb_binding **out, lmb_error *error);

/// A matrix ready for directions: the linear part's cofactors, which take normals, and the sign of
/// its determinant.
typedef struct lmbi_normal_matrix {
    lmb_vec3 x, y, z; ///< columns
    float sign;
} lmbi_normal_matrix;

static inline lmb_vec3 lmbi_column(const lmb_mat4 *a, int c)
{
    return lmb_vec3_make(a->m[4 * c], a->m[4 * c + 1], a->m[4 * c + 2]);
}

/// cof(F) = det(F) F^-T; its columns are the cross products of the columns of F. Times the sign of
/// the determinant it points where F^-T does.
static inline lmbi_normal_matrix lmbi_normal_matrix_of(const lmb_mat4 *a)
{
    const lmb_vec3 x = lmbi_column(a, 0), y = lmbi_column(a, 1), z = lmbi_column(a, 2);
    lmbi_normal_matrix n = {lmb_vec3_cross(y, z), lmb_vec3_cross(z, x), lmb_vec3_cross(x, y), 1.0f};
    n.sign = lmb_vec3_dot(x, n.x) < 0 ? -1.0f : 1.0f;
    return n;
}

static inline lmb_vec3 lmbi_unit(lmb_vec3 v)
{
    const float square = lmb_vec3_dot(v, v);
    return square > 0 ? lmb_vec3_scale(v, 1.0f / sqrtf(square)) : v;
}

static inline lmb_vec3 lmbi_normal(const lmbi_normal_matrix *n, lmb_vec3 v)
{
    const lmb_vec3 sum = lmb_vec3_make(n->x.x * v.x + n->y.x * v.y + n->z.x * v.z,
                                       n->x.y * v.x + n->y.y * v.y + n->z.y * v.z,
                                       n->x.z * v.x + n->y.z * v.y + n->z.z * v.z);
    return lmbi_unit(lmb_vec3_scale(sum, n->sign));
}

static inline lmb_vec3 lmbi_point(const lmb_mat4 *a, lmb_vec3 p)
{
    return lmb_vec3_make(a->m[0] * p.x + a->m[4] * p.y + a->m[8] * p.z + a->m[12],
                         a->m[1] * p.x + a->m[5] * p.y + a->m[9] * p.z + a->m[13],
                         a->m[2] * p.x + a->m[6] * p.y + a->m[10] * p.z + a->m[14]);
}

/// The tangent through the matrix, then Gram-Schmidt against the new normal, which may be zero.
static inline lmb_vec4 lmbi_tangent(const lmb_mat4 *a, float sign, lmb_vec3 normal, lmb_vec4 t)
{
    const lmb_vec3 moved = lmb_vec3_make(a->m[0] * t.x + a->m[4] * t.y + a->m[8] * t.z,
                                         a->m[1] * t.x + a->m[5] * t.y + a->m[9] * t.z,
                                         a->m[2] * t.x + a->m[6] * t.y + a->m[10] * t.z);
    const lmb_vec3 flat = lmbi_unit(lmb_vec3_mad(moved, normal, -lmb_vec3_dot(moved, normal)));
    const lmb_vec4 out = {flat.x, flat.y, flat.z, t.w * sign};
    return out;
}

#endif
