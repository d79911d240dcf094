/// Mesh deformation: morph targets and skinning.
///
/// Jobs deform one mesh into the caller's arrays, for a runtime. The deformer owns its memory and
/// deforms a whole character, for a viewer. Results are bit-identical for any number of workers.
#ifndef LIMBER_SKIN_H
#define LIMBER_SKIN_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------- morphs

/// A mesh's morph targets, compiled: each target stores only the vertices that it moves, laid out
/// so that a frame reads them sequentially.
typedef struct lmb_morph_set lmb_morph_set;

typedef struct lmb_morph_set_opts {
    /// position displacements up to this length are dropped; 0: only zeros are
    float tolerance;
    /// store displacements as 16-bit integers, scaled per target: error at most 1/65534 of its
    /// greatest component
    bool shorts;
    bool surface; ///< keep the triangles, required for recompute_normals
} lmb_morph_set_opts;

/// `opts` and `alloc` may be NULL; the mesh need not outlive the set. Errors: MEMORY.
LMB_API lmb_result lmb_morph_set_create(const lmb_mesh *mesh, const lmb_morph_set_opts *opts,
                                        const lmb_allocator *alloc, lmb_morph_set **out,
                                        lmb_error *error);
LMB_API void lmb_morph_set_destroy(lmb_morph_set *set);
/// Bytes of the displacements and their indices; dense floats take 12 per vertex and attribute.
LMB_API size_t lmb_morph_set_bytes(const lmb_morph_set *set);

/// p' = p + sum of weights[t] * target[t], for positions, normals (renormalised) and tangents.
typedef struct lmb_morph_job {
    const lmb_mesh *mesh;
    const float *weights;    ///< [mesh->target_count]; NULL: the mesh's own, or zeros
    lmb_vec3 *out_positions; ///< [vertex_count]
    lmb_vec3 *out_normals;   ///< or NULL; written if the mesh has normals
    lmb_vec4 *out_tangents;  ///< or NULL; written if the mesh has tangents
    const lmb_jobs *jobs;
    /// compiled from that mesh; NULL: uses the mesh's own targets, with bit-identical results
    const lmb_morph_set *set;
    /// Rotate the mesh's normals and tangents as the surface around the vertex rotates, instead of
    /// adding the targets' own. Requires a set with `surface`. Vertices of equal position and
    /// normal share their triangles, so that seams stay closed.
    bool recompute_normals;
    lmb_simd simd;
} lmb_morph_job;
LMB_API void lmb_morph(const lmb_morph_job *job);

/// Displacements from a mesh to another shape of it: converts shapes given as whole meshes to
/// targets. Normals and tangents that are NULL on either side, or have no output, are skipped.
typedef struct lmb_morph_difference_job {
    const lmb_mesh *mesh;
    const lmb_vec3 *positions, *normals; ///< [vertex_count] of the shape
    const lmb_vec4 *tangents;
    lmb_vec3 *out_positions, *out_normals, *out_tangents;
} lmb_morph_difference_job;
LMB_API void lmb_morph_difference(const lmb_morph_difference_job *job);

/// Converts absolute weights, p' = sum of w_j p_j over whole shapes with sum w_j = 1, to weights of
/// targets. absolute[0] is the mesh's own weight, absolute[1 + t] that of target t. They are divided by
/// their sum; if it is 0, the result is the mesh alone.
LMB_API void lmb_morph_absolute(const float *absolute, uint32_t target_count, float *weights);

/// A slider with in-between targets. At value 0 no target is active; at keys[k] target k of its
/// list has weight 1; between two keys both are blended linearly. Past the last key on a side its
/// target extrapolates as value / key. Keys on the other side of 0 are inactive; if the value's
/// side has none, the key nearest to 0 acts with a negative weight.
typedef struct lmb_morph_control {
    uint32_t key_count;
    const uint32_t *targets; ///< [key_count]
    const float *keys; ///< [key_count] ascending, none of them 0; one key of 1: a plain target
} lmb_morph_control;

typedef enum lmb_morph_rule {
    LMB_MORPH_PRODUCT = 0, ///< of the controls' values, negative ones counted as 0
    LMB_MORPH_LEAST,       ///< the minimum of them
} lmb_morph_rule;

/// A target that is active when several controls are on at once.
typedef struct lmb_morph_combination {
    uint32_t target;
    lmb_morph_rule rule;
    uint32_t control_count;
    const uint32_t *controls; ///< [control_count]
} lmb_morph_combination;

/// Maps control values to target weights. The arrays are the caller's.
typedef struct lmb_morph_rig {
    uint32_t target_count, control_count, combination_count;
    const lmb_morph_control *controls;
    const lmb_morph_combination *combinations;
} lmb_morph_rig;

/// INVALID, with the position, for indices out of range, keys that are not ascending or are 0, and
/// combinations without controls.
LMB_API lmb_result lmb_morph_rig_check(const lmb_morph_rig *rig, lmb_error *error);
/// Computes weights[target_count] from values[control_count]; contributions of several controls to
/// one target add up. The rig must pass lmb_morph_rig_check.
LMB_API void lmb_morph_rig_weights(const lmb_morph_rig *rig, const float *values, float *weights);

// --------------------------------------------------------------------------------------- skinning

/// A mesh's skin weights, compiled into the layout of the skinning jobs, in which vertices with the
/// same joints are stored together. Results are in the mesh's order.
typedef struct lmb_binding lmb_binding;

/// Copies mesh->influences, and the mesh's positions, normals and tangents. Any number of
/// influences per vertex; an empty row follows joint 0 of the skin; weights below 2^-60 count as 0.
///
/// Meshes of 65536 vertices and more store the weights of up to four joints in 16 bits: the error
/// of a vertex is at most 3 * 2^-17 of the distance between the positions that two of its joints
/// give it.
///
/// Errors: INVALID if the mesh has no influences, or one names a joint at or beyond `joint_count`;
/// UNSUPPORTED for more than 65536 joints; MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_binding_create(const lmb_mesh *mesh, uint32_t joint_count,
                                      const lmb_allocator *alloc, lmb_binding **out,
                                      lmb_error *error);
LMB_API void lmb_binding_destroy(lmb_binding *binding);

/// The vertex order, for lmb_mesh_reorder, in which a mesh is skinned fastest: vertices with the
/// same joints are consecutive, as in a binding, so that whole blocks are stored at once.
/// Reordering does not change a vertex's bits under linear blending, nor under the other deformers
/// of a binding in meshes of up to 16384 vertices. order[vertex_count]; vertices stay within their
/// primitives. Errors: INVALID for a mesh without influences; UNSUPPORTED for more than 65536
/// joints; MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_skin_order(const lmb_mesh *mesh, const lmb_allocator *alloc, uint32_t *order,
                                  lmb_error *error);

/// Skins one mesh at one pose. Outputs that are NULL, or for which neither the job nor the mesh has
/// an input, are not written.
typedef struct lmb_skin_job {
    const lmb_binding *binding;
    const lmb_mat4 *model_from_bind; ///< [joint_count] of lmb_skin_palette; affine
    /// Inputs, [vertex_count] in bind space, such as the morphed mesh. NULL: the mesh as it was
    /// compiled, which is faster. An input may be its own output if that is tightly packed.
    const lmb_vec3 *positions;
    const lmb_vec3 *normals;
    const lmb_vec4 *tangents;
    lmb_vec3 *out_positions; ///< [vertex_count] in model space
    lmb_vec3 *out_normals;   ///< unit
    lmb_vec4 *out_tangents;  ///< unit, and orthogonal to the normal if there are normals
    const lmb_jobs *jobs;
    /// Bytes from one vertex of an output to the next, a multiple of 4; 0: tightly packed. For
    /// interleaved vertex buffers.
    uint32_t position_stride, normal_stride, tangent_stride;
    lmb_simd simd; ///< zero: the fastest; all give bit-identical results
} lmb_skin_job;

/// Linear blend skinning: v' = (sum of w_j T_j) v. Normals are transformed by the cofactors of the
/// blended matrix, which is correct under non-uniform scale and reflection; the gradient of the
/// weights is neglected.
LMB_API void lmb_skin_linear(const lmb_skin_job *job);
/// Rigid skinning: every vertex follows the joint with its largest weight.
LMB_API void lmb_skin_rigid(const lmb_skin_job *job);

/// Gradients of a mesh's weights over its surface at rest.
typedef struct lmb_gradients lmb_gradients;

/// Means over the triangles around each point, with seams welded. `alloc` may be NULL. Errors: as
/// lmb_centers_create.
LMB_API lmb_result lmb_gradients_create(const lmb_mesh *mesh, const lmb_allocator *alloc,
                                        lmb_gradients **out, lmb_error *error);
LMB_API void lmb_gradients_destroy(lmb_gradients *gradients);

/// Linear blend skinning with normals and tangents of the deformed surface.
typedef struct lmb_skin_gradient_job {
    lmb_skin_job skin;
    const lmb_gradients *gradients;
} lmb_skin_gradient_job;
/// Positions as lmb_skin_linear. Normals by the cofactors, tangents by F = sum of w_j M_j + (T_j v)
/// (grad w_j)^T, the full deformation gradient (Tarini, Panozzo and Sorkine-Hornung 2014).
LMB_API void lmb_skin_gradient(const lmb_skin_gradient_job *job);

// ------------------------------------------------------------------ deformers that blend rotations

/// Splits a palette for deformers that take rigid transforms: T_j = D_j S_j, first a stretch about
/// the joint's own position, then a rigid transform (the two phases of Kavan et al. 2008). If
/// anything stretches, first blend linearly by `stretch`, including normals and centres, then run
/// the deformer in place on the results with `rigid`.
typedef struct lmb_skin_split_job {
    uint32_t joint_count;
    const lmb_mat4 *model_from_bind; ///< [joint_count] affine, without common scale: see below
    /// [joint_count] of lmb_skin_origins: fixed points of the stretches; NULL: zeros
    const lmb_vec3 *origins;
    lmb_mat4 *rigid;     ///< [joint_count] D_j
    lmb_quat *rotations; ///< [joint_count] of D_j
    /// [joint_count] S_j; includes a reflection, which takes the origin to its opposite
    lmb_mat4 *stretch;
} lmb_skin_split_job;
/// Returns whether any joint stretches.
LMB_API bool lmb_skin_split(const lmb_skin_split_job *job);
/// Positions of a skin's joints in bind space.
LMB_API void lmb_skin_origins(const lmb_skin *skin, lmb_vec3 *origins);

/// Skins one mesh at one pose by dual quaternions (Kavan et al. 2008). With `dual_weights` or `pivots`
/// all inputs of the job must be given.
typedef struct lmb_skin_dual_job {
    lmb_skin_job skin;         ///< model_from_bind: `rigid` of lmb_skin_split
    const lmb_quat *rotations; ///< [joint_count] of lmb_skin_split
    const float
        *dual_weights; ///< [vertex_count] 1: dual quaternions, 0: linear, or a blend; NULL: 1
    /// [vertex_count] of lmb_skin_pivots, or NULL. Bulge correction: a vertex that dual quaternions
    /// move farther from its pivot than at rest is pulled back by the factor `bulge_fix`, 0 to 1.
    const lmb_vec3 *pivots;
    float bulge_fix;
} lmb_skin_dual_job;
/// v' by the normalised sum of w_j q_j, each q_j in the hemisphere of the strongest joint's,
/// because q and -q are the same rotation. Normals and tangents are rotated by it.
LMB_API void lmb_skin_dual(const lmb_skin_dual_job *job);
/// For each vertex the nearest point, at rest, on the bones of its strongest joint: the segments
/// from it to its child joints in the skin. `alloc` may be NULL. Errors: INVALID for a mesh without
/// influences; MEMORY.
LMB_API lmb_result lmb_skin_pivots(const lmb_skin *skin, const lmb_skeleton *skeleton,
                                   const lmb_mesh *mesh, const lmb_allocator *alloc, lmb_vec3 *out,
                                   lmb_error *error);

/// Optimised centres of rotation (Le and Hodgins 2016), one per vertex, computed once for a mesh at
/// rest.
typedef struct lmb_centers {
    uint32_t vertex_count;
    /// in bind space; the vertex itself if no part of the mesh has similar weights
    lmb_vec3 *positions;
    uint32_t found_count; ///< number of vertices that have one
    lmb_allocator allocator;
} lmb_centers;

typedef struct lmb_centers_opts {
    float sigma; ///< similarity threshold of weights, the paper's sigma, at least 0.01; 0: 0.1
} lmb_centers_opts;

/// p_i = the mean of the surface, weighted by the similarity of its weights to the vertex's (eq. 1
/// and 3). `opts`, `jobs` and `alloc` may be NULL. Errors: INVALID for a mesh without influences,
/// or with a joint of 65536 or more; UNSUPPORTED for one without triangles; MEMORY.
LMB_API lmb_result lmb_centers_create(const lmb_mesh *mesh, const lmb_centers_opts *opts,
                                      const lmb_jobs *jobs, const lmb_allocator *alloc,
                                      lmb_centers **out, lmb_error *error);
LMB_API void lmb_centers_destroy(lmb_centers *centers);

/// Copies the centres into the binding's layout, where jobs read them faster. Replaces earlier
/// ones; no job may run meanwhile. `error` may be NULL. Errors: INVALID if the number of vertices
/// differs; MEMORY.
LMB_API lmb_result lmb_binding_keep_centers(lmb_binding *binding, const lmb_centers *centers,
                                            lmb_error *error);

/// Skins one mesh at one pose with centres of rotation.
typedef struct lmb_skin_center_job {
    lmb_skin_job skin;         ///< model_from_bind: `rigid` of lmb_skin_split
    const lmb_quat *rotations; ///< [joint_count] of lmb_skin_split
    const lmb_vec3 *centers;   ///< [vertex_count]; NULL: those of lmb_binding_keep_centers
} lmb_skin_center_job;
/// v' = R v + t, with R the normalised blend of the rotations (each in the hemisphere of the
/// strongest), and t such that the centre moves as under linear blending. Normals and tangents are
/// rotated by R.
LMB_API void lmb_skin_center(const lmb_skin_center_job *job);

/// Direct delta mush (Le and Lewis 2019): precomputed data of a mesh at rest.
typedef struct lmb_mush lmb_mush;

/// Variants of the paper's section 4 that are worth their cost. All preserve rigid motions exactly.
/// v1 is omitted: it divides by determinants that nearly vanish on flat skin, and saves only a
/// sixth. So is v3, which is slower than v2 and less accurate in rotation.
typedef enum lmb_mush_variant {
    LMB_MUSH_V0 = 0, ///< 4x4 matrices per joint, the nearest rotation: closest to delta mush
    /// Rotations blended as quaternions, positions as in v0: four numbers per joint instead of ten,
    /// less than half the time.
    LMB_MUSH_V2 = 2,
    /// One number per joint: centres of rotation (lmb_skin_center) at the smoothed positions, with
    /// smoothed weights.
    LMB_MUSH_V4 = 4,
    LMB_MUSH_V5 = 5, ///< linear blending with smoothed weights
} lmb_mush_variant;

typedef struct lmb_mush_opts {
    lmb_mush_variant variant;
    uint32_t passes; ///< smoothing steps, the paper's p; 0: 20
    float lambda;    ///< smoothing strength of a step for rotations; 0: 3
    float kappa;     ///< and for translations, at most lambda; 0: 1
    /// fraction of the translation that is smoothed by kappa alone, in [0, 1); 0: 0.8; negative: 0
    float alpha;
    float least_weight;  ///< influences with smaller weights are dropped; 0: 0.001
    uint32_t influences; ///< maximum joints per vertex; 0: no limit
} lmb_mush_opts;

/// Smooths positions and weights over the welded surface by (I + lambda L)^-p. `opts`, `jobs` and
/// `alloc` may be NULL. Errors: INVALID for options out of range, a mesh without influences or with
/// a joint of 65536 or more; UNSUPPORTED for one without triangles; MEMORY.
LMB_API lmb_result lmb_mush_create(const lmb_mesh *mesh, const lmb_mush_opts *opts,
                                   const lmb_jobs *jobs, const lmb_allocator *alloc, lmb_mush **out,
                                   lmb_error *error);
LMB_API void lmb_mush_destroy(lmb_mush *mush);

/// Skins one mesh at one pose by direct delta mush, in the variant of `mush`. `skin.binding` is
/// ignored and may be NULL.
typedef struct lmb_skin_mush_job {
    lmb_skin_job skin; ///< model_from_bind: `rigid` of lmb_skin_split
    const lmb_mush *mush;
    const lmb_quat *rotations; ///< of lmb_skin_split; used by v2 and v4, may be NULL for the others
} lmb_skin_mush_job;
LMB_API void lmb_skin_mush(const lmb_skin_mush_job *job);

/// Delta mush (Mancewicz et al. 2014): precomputed data of a mesh at rest, its smoothed positions
/// and the offsets of the mesh from them.
typedef struct lmb_delta_mush lmb_delta_mush;

typedef struct lmb_delta_mush_opts {
    uint32_t passes; ///< smoothing steps, up to 1000; 0: 20
    float fraction;  ///< step of a point to the mean of its neighbours, as a fraction; 0: 0.5
    /// Smooth open borders, which then shrink; otherwise they stay as skinned.
    bool loose_borders;
} lmb_delta_mush_opts;

/// Operates on the welded surface. `opts` and `alloc` may be NULL. Errors: as lmb_mush_create.
LMB_API lmb_result lmb_delta_mush_create(const lmb_mesh *mesh, const lmb_delta_mush_opts *opts,
                                         const lmb_allocator *alloc, lmb_delta_mush **out,
                                         lmb_error *error);
LMB_API void lmb_delta_mush_destroy(lmb_delta_mush *mush);
LMB_API size_t lmb_delta_mush_scratch_size(const lmb_delta_mush *mush);

/// Applies delta mush to one mesh skinned by any deformer: smooths it, then adds the details of the
/// rest pose, v' = s' + F' F^T (v - s), F the frame of the smoothed surface.
typedef struct lmb_skin_delta_job {
    const lmb_delta_mush *mush;
    lmb_vec3 *positions;    ///< [vertex_count] skinned; in place
    lmb_vec3 *out_normals;  ///< [vertex_count] rotated by F' F^T, or NULL
    lmb_vec4 *out_tangents; ///< the same
    /// [vertex_count] the input of the skinning, if it differs from the mesh as compiled: morphed
    /// or stretched. NULL: as compiled, which is twice as fast.
    const lmb_vec3 *rest, *rest_normals;
    const lmb_vec4 *rest_tangents;
    void *scratch; ///< of lmb_delta_mush_scratch_size bytes, aligned to 16
    const lmb_jobs *jobs;
} lmb_skin_delta_job;
LMB_API void lmb_skin_delta_mush(const lmb_skin_delta_job *job);

// ------------------------------------------------------------------------- correctives by example

/// Kernels: similarity of two poses as a function of their distance r.
typedef enum lmb_kernel {
    LMB_KERNEL_GAUSSIAN = 0,         ///< exp(-r^2 / 2 s^2): vanishes away from the examples
    LMB_KERNEL_LINEAR,               ///< r: extrapolates linearly
    LMB_KERNEL_CUBIC,                ///< r^3
    LMB_KERNEL_THIN_PLATE,           ///< r^2 log r
    LMB_KERNEL_INVERSE_MULTIQUADRIC, ///< 1 / sqrt(1 + r^2 / s^2)
} lmb_kernel;

/// The part of a joint's rotation that drives.
typedef enum lmb_driver_part {
    LMB_DRIVER_ROTATION = 0,
    LMB_DRIVER_SWING, ///< without the twist about `axis`
    LMB_DRIVER_TWIST, ///< that twist alone
} lmb_driver_part;

typedef struct lmb_pose_driver {
    uint32_t joint; ///< in the skeleton
    lmb_driver_part part;
    lmb_vec3 axis; ///< unit; for swing and twist
    float weight;  ///< relative to the other drivers; 0: 1
} lmb_pose_driver;

/// Examples: values at given rotations of the drivers. Include the rest pose with values of 0.
typedef struct lmb_pose_space_def {
    uint32_t driver_count, example_count;
    const lmb_pose_driver *drivers;
    const lmb_quat *rotations; ///< [example_count][driver_count] parent_from_joint
    uint32_t width;            ///< values per example; with values == NULL: example_count
    /// [example_count][width]; NULL: 1 for the example itself, 0 for the others
    const float *values;
    lmb_kernel kernel;
    float radius_rad; ///< s of the kernel; 0: the mean distance of an example to its nearest
    /// added to the diagonal, in units of the kernel; 0: 1e-6; negative: 0
    float regularization;
    /// divide kernels by their sum: values stay within those of the examples even far from them
    bool normalized;
} lmb_pose_space_def;

/// Pose-space deformation (Lewis et al. 2000): interpolates values as a function of pose, by radial
/// basis functions centred on the examples. The distance of two poses is the root of the weighted
/// mean of the drivers' squared angles.
typedef struct lmb_pose_space lmb_pose_space;

/// Errors: INVALID for no driver or example, numbers out of range, or two examples with equal
/// poses; MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_pose_space_create(const lmb_pose_space_def *def, const lmb_allocator *alloc,
                                         lmb_pose_space **out, lmb_error *error);
LMB_API void lmb_pose_space_destroy(lmb_pose_space *space);

typedef struct lmb_pose_space_job {
    const lmb_pose_space *space;
    const lmb_transform *local; ///< [joint_count of the skeleton] parent_from_joint
    float *out_values;          ///< [width], such as weights of morph targets
} lmb_pose_space_job;
LMB_API void lmb_pose_space_evaluate(const lmb_pose_space_job *job);

/// Converts a shape sculpted on a posed mesh to displacements before skinning: linear blending of
/// the displaced rest mesh gives the sculpted shape at this pose. Where the blended matrix is
/// nearly singular the smallest displacement that comes close is used.
typedef struct lmb_corrective_job {
    const lmb_mesh *mesh;            ///< with influences
    const lmb_mat4 *model_from_bind; ///< of the pose
    const lmb_vec3 *positions;       ///< [vertex_count] at rest, morphed already; NULL: the mesh's
    const lmb_vec3 *sculpted;        ///< [vertex_count] in model space
    lmb_vec3 *out_displacements;     ///< [vertex_count]
} lmb_corrective_job;
LMB_API void lmb_corrective(const lmb_corrective_job *job);

// ------------------------------------------------------------------------------------- enveloping

/// Multi-weight enveloping (Wang and Phillips 2002), of a mesh's `envelope` on a skin: with G_j =
/// model_from_joint and B_j = joint_from_bind of the skin's joints j, and f the first of the four
/// that a vertex follows, its position p is
///   x = (B_f p, 1),  y_r = sum over j and c of w_jrc (G_f^-1 G_j B_j B_f^-1)_rc x_c,  p' = G_f y.
/// With w_jrc = w_j that is linear blend skinning. One evaluates one pose at a time.
typedef struct lmb_envelope_skin lmb_envelope_skin;

/// The mesh and the skin must outlive it. Errors: INVALID for bind transforms that cannot be
/// inverted; MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_envelope_skin_create(const lmb_mesh *mesh, const lmb_skin *skin,
                                            const lmb_allocator *alloc, lmb_envelope_skin **out,
                                            lmb_error *error);
LMB_API void lmb_envelope_skin_destroy(lmb_envelope_skin *envelope);

typedef struct lmb_skin_envelope_job {
    lmb_envelope_skin *envelope;
    const lmb_mat4 *model_from_bind; ///< of lmb_skin_palette
    const lmb_vec3 *positions;       ///< [vertex_count] at rest, morphed already; NULL: the mesh's
    lmb_vec3 *out_positions;         ///< [vertex_count]; may be `positions`
    const lmb_jobs *jobs;
    /// At rest, as positions are; NULL: the mesh's, and where it has none nothing is written.
    const lmb_vec3 *normals;
    const lmb_vec4 *tangents;
    /// [vertex_count] or NULL, as of lmb_skin_linear: by the affine transform of the vertex, while how
    /// the weights change over the surface is neglected. May be the inputs.
    lmb_vec3 *out_normals;
    lmb_vec4 *out_tangents;
    lmb_simd simd;
} lmb_skin_envelope_job;
LMB_API void lmb_skin_envelope(const lmb_skin_envelope_job *job);

// ------------------------------------------------------------------------------------ body models

/// A body model at one shape, ready to pose. A body_skin evaluates one pose at a time; several may
/// run in parallel.
typedef struct lmb_body_skin lmb_body_skin;

typedef struct lmb_body_skin_opts {
    float tolerance; ///< pose directions up to this length are dropped; 0: only zeros
    bool shorts;     ///< pose directions as 16-bit integers
} lmb_body_skin_opts;

/// The model must outlive it. `opts` and `alloc` may be NULL. Errors: MEMORY; UNSUPPORTED as
/// lmb_binding_create.
LMB_API lmb_result lmb_body_skin_create(const lmb_body_model *model, const lmb_body_skin_opts *opts,
                                        const lmb_allocator *alloc, lmb_body_skin **out,
                                        lmb_error *error);
LMB_API void lmb_body_skin_destroy(lmb_body_skin *skin);
/// Sets the shape coefficients; missing ones are 0, those beyond the model's are ignored.
LMB_API void lmb_body_skin_shape(lmb_body_skin *skin, const float *shape, uint32_t count);

/// v = LBS(template + shape + pose directions * features, joints of the shaped body) + translation
/// (SMPL, eq. 2 to 10).
typedef struct lmb_body_job {
    lmb_body_skin *skin;
    const lmb_quat *rotations; ///< [joint_count] parent_from_joint, unit; NULL: rest
    lmb_vec3 translation;
    lmb_vec3 *out_positions;    ///< [vertex_count] or NULL
    lmb_mat4 *model_from_joint; ///< [joint_count] or NULL
    const lmb_jobs *jobs;
    lmb_simd simd;
} lmb_body_job;
LMB_API void lmb_body_evaluate(const lmb_body_job *job);

typedef struct lmb_body_character_opts {
    const float *shape; ///< NULL: the motion's, or the mean
    uint32_t shape_count;
    const lmb_body_motion *motion; ///< NULL: at rest, without correctives
    /// rotates the motion's axes to +Y up; all zero: identity
    lmb_quat model_from_motion;
    float frame_rate; ///< Hz; 0: the motion's, or 30
    /// The correctives of the motion are reduced to the fewest morph targets that keep every vertex
    /// within this distance, in metres; 0: 0.0001; negative: one target per feature in use,
    /// lossless.
    float tolerance;
    const lmb_jobs *jobs;
} lmb_body_character_opts;

typedef struct lmb_body_character_report {
    uint32_t target_count;
    float error; ///< greatest distance of a vertex from the model's, at the keys, before skinning
    uint32_t joints_dropped; ///< joints of the motion that the model does not have
} lmb_body_character_report;

/// The body at one shape as an ordinary character: skeleton, skin, and the motion as a clip whose
/// morph weights drive the correctives. At the clip's keys it matches the model; in between,
/// weights are interpolated linearly. `opts`, `report`, `alloc` may be NULL. Errors: INVALID for a
/// motion without frames; MEMORY.
LMB_API lmb_result lmb_body_character_create(const lmb_body_model *model,
                                             const lmb_body_character_opts *opts,
                                             const lmb_allocator *alloc, lmb_character **out,
                                             lmb_body_character_report *report, lmb_error *error);

// ------------------------------------------------------------------------------- whole characters

typedef enum lmb_skin_method {
    LMB_SKIN_LINEAR = 0,
    LMB_SKIN_RIGID,
    LMB_SKIN_CENTER,     ///< after lmb_deformer_prepare
    LMB_SKIN_MUSH,       ///< direct delta mush, after lmb_deformer_prepare
    LMB_SKIN_DELTA_MUSH, ///< over linear, after lmb_deformer_prepare
    LMB_SKIN_DUAL,
    LMB_SKIN_MUSH_V2, ///< cheaper variants of direct delta mush, after lmb_deformer_prepare
    LMB_SKIN_MUSH_V4,
    LMB_SKIN_MUSH_V5,
    /// lmb_skin_gradient: linear, with normals that account for weight gradients; after
    /// lmb_deformer_prepare
    LMB_SKIN_LINEAR_GRADIENT,
    /// dual quaternions with full bulge correction; after lmb_deformer_prepare
    LMB_SKIN_DUAL_FIXED,
    /// lmb_skin_envelope, of meshes that have one, without the morph targets named "envelope N" that
    /// show it elsewhere; linear for other meshes; after lmb_deformer_prepare
    LMB_SKIN_ENVELOPE,
} lmb_skin_method;

/// Deforms a character's meshes at a pose. Keeps bindings and output arrays between frames.
typedef struct lmb_deformer lmb_deformer;

/// The character must outlive the deformer. Errors: UNSUPPORTED as lmb_binding_create; MEMORY.
LMB_API lmb_result lmb_deformer_create(const lmb_character *character, const lmb_allocator *alloc,
                                       lmb_deformer **out, lmb_error *error);
LMB_API void lmb_deformer_destroy(lmb_deformer *deformer);
/// Computes, once, what a method needs beyond the bindings: centres of rotation, the smoothed rest
/// pose of delta mush, gradients of weights, pivots on bones. `jobs` may be NULL. Errors:
/// UNSUPPORTED for a skinned mesh without triangles; MEMORY.
LMB_API lmb_result lmb_deformer_prepare(lmb_deformer *deformer, lmb_skin_method method,
                                        const lmb_jobs *jobs, lmb_error *error);

typedef struct lmb_deform_job {
    lmb_deformer *deformer;
    const lmb_mat4 *model_from_joint; ///< [joint_count of the skeleton] of lmb_pose_to_model
    /// Morph weights and their layout, of lmb_character_weights and lmb_sample. Both NULL: at rest.
    const uint32_t *weight_first;
    const float *weights;
    lmb_skin_method method;
    bool positions_only; ///< skip normals and tangents
    const lmb_jobs *jobs;
    lmb_simd simd; ///< of the morphs and the skin
} lmb_deform_job;
/// Deforms every instance: morphs first, then the skin, into the space of model_from_joint. An
/// unskinned mesh moves with its joint; a skinned one does not (glTF 2.0, 3.7.3.3).
LMB_API void lmb_deform(const lmb_deform_job *job);

/// Result of the last lmb_deform for one instance. Arrays that the mesh does not have are NULL.
typedef struct lmb_deformed {
    uint32_t vertex_count;
    const lmb_vec3 *positions;
    const lmb_vec3 *normals;
    const lmb_vec4 *tangents;
} lmb_deformed;
LMB_API lmb_deformed lmb_deformer_instance(const lmb_deformer *deformer, uint32_t instance);
/// Bounds of all instances; empty when there are none.
LMB_API lmb_box lmb_deformer_box(const lmb_deformer *deformer);

#ifdef __cplusplus
}
#endif
#endif
