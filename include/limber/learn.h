/// Learning a rig from examples: the skeleton, the weights and the motion that show a sequence of
/// shapes of one mesh.
#ifndef LIMBER_LEARN_H
#define LIMBER_LEARN_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LMB_LEARN_INFLUENCES = 16, ///< the most joints that a vertex can follow
    LMB_LEARN_BONES = 512,     ///< the most bones
};

/// One mesh in many shapes. In metres, or in any one unit: nothing depends on it but the report.
typedef struct lmb_learn_def {
    uint32_t vertex_count;
    const lmb_vec3 *rest; ///< [vertex_count] the shape that the skin is bound in
    uint32_t frame_count;
    const lmb_vec3 *const *frames; ///< [frame_count][vertex_count]
    const uint32_t *indices;       ///< triangles, in threes
    uint32_t index_count;
} lmb_learn_def;

typedef enum lmb_learn_skeleton {
    LMB_LEARN_TREE = 0, ///< bones that hang on each other at joints; only the root travels
    LMB_LEARN_FLAT,     ///< every bone moves freely: nearer to the frames, and nothing to pose by
} lmb_learn_skeleton;

typedef struct lmb_learn_opts {
    uint32_t bone_count; ///< at least 1; fewer are made where fewer show the frames
    uint32_t influences; ///< most bones a vertex follows, up to LMB_LEARN_INFLUENCES; 0: 4
    uint32_t iterations; ///< at most, of weights and bones in turn; 0: 100
    /// How strongly weights are drawn to those of their neighbours along the surface, less where it
    /// stretches (Le & Deng 2014 as in Dem Bones): the square of a change of weight counts as this
    /// share of the square of the size of the mesh. 0: not at all; 1e-4 takes the noise away.
    float smooth;
    lmb_learn_skeleton skeleton;
    const lmb_jobs *jobs;         ///< or NULL
    const lmb_progress *progress; ///< or NULL
} lmb_learn_opts;

/// What was learned. Bone j is bound at `joints[j]` with its axes along the model's; parents
/// precede children.
typedef struct lmb_learned {
    uint32_t bone_count, frame_count, vertex_count;
    int32_t *parents;      ///< [bone_count] LMB_NONE for the root, or for all of a flat skeleton
    lmb_vec3 *joints;      ///< [bone_count] where a bone turns, in the rest shape
    lmb_transform *motion; ///< [frame_count][bone_count] model_from_joint, without scale
    lmb_influences influences;
    lmb_allocator allocator; ///< set by create
} lmb_learned;

typedef struct lmb_learn_report {
    uint32_t bone_count, iterations;
    float rms, max; ///< distance of a vertex from its frame, in the unit of the mesh
    /// 1000 * |A - A'| / sqrt(3 n m), times 2 over the diagonal of the rest shape's bounds: Kavan,
    /// Sloan, O'Sullivan 2010, in radii
    float e_rms;
    float e_rms_flat;  ///< before the bones were hung on each other; e_rms where they were not
    float e_rms_start; ///< of rigid pieces, before the first iteration
    /// the mean square error of the first 64 iterations, in squared units of the mesh: weights, then
    /// bones. It does not rise where `smooth` is 0.
    double history[64];
} lmb_learn_report;

/// Skinning decomposition with rigid bones (Le & Deng 2012, "Smooth skinning decomposition with
/// rigid bones", with the clusters of Dem Bones): clusters grown over the surface, then weights
/// (a convex quadratic programme a vertex) and bones (the nearest rotations, one bone after another)
/// in turn. For a tree, joints are where two bones agree best in all frames, the hierarchy is the
/// minimum spanning tree (Le & Deng 2014), and rotations, joints and weights are solved for again in
/// turn with the bones held together.
/// Vertices that are at one place in all shapes get equal rows. The same bits for any number of
/// workers. `alloc`, `report` and `error` may be NULL.
/// Errors: INVALID for no frames, no triangles or an index out of range, a position that is not
/// finite, fewer vertices than bones, a rest shape without extent, frames that are all the rest
/// shape, options out of range; MEMORY; CANCELLED.
LMB_API lmb_result lmb_learn_skin(const lmb_learn_def *def, const lmb_learn_opts *opts,
                                  const lmb_allocator *alloc, lmb_learned **out,
                                  lmb_learn_report *report, lmb_error *error);
LMB_API void lmb_learned_destroy(lmb_learned *learned);

typedef struct lmb_learn_character_opts {
    const char *clip_name; ///< NULL: "frames"
    float frame_rate;      ///< Hz; 0: 30
    /// For each vertex of each instance, one after another, its vertex in `learned`; NULL: in order
    const uint32_t *vertex_of;
} lmb_learn_character_opts;

/// Meshes that stand in the rest shape, bound to what was learned: its skeleton, a skin, one clip of
/// the frames. `still` has no skins and its instances stand where their vertices are (the joints
/// that carry them have no transform); its look is taken along. `opts` and `alloc` may be NULL.
/// Errors: INVALID where the vertices are not those of `learned`; MEMORY.
LMB_API lmb_result lmb_learn_character(const lmb_learned *learned, const lmb_character *still,
                                       const lmb_learn_character_opts *opts,
                                       const lmb_allocator *alloc, lmb_character **out,
                                       lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
