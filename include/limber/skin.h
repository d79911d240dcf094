/// Meshes that follow a skeleton: morph targets, then skinning.
///
/// Jobs for one mesh, with the caller's arrays, for a runtime; and the deformer, which owns its
/// memory and does a whole character at once: what a viewer shows. Results have the same bits for
/// any number of workers.
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

/// A mesh's morph targets compiled: of each target only the vertices that it moves, laid out so
/// that a frame reads them in one stream.
typedef struct lmb_morph_set lmb_morph_set;

typedef struct lmb_morph_set_opts {
    /// displacements of positions up to this length are dropped; 0: only zeros are
    float tolerance;
    /// 16-bit integers, scaled by target: off by at most 1/65534 of its greatest component
    bool shorts;
    bool surface; ///< keep the triangles, for recompute_normals
} lmb_morph_set_opts;

/// `opts` and `alloc` may be NULL; the mesh may go. Errors: MEMORY.
LMB_API lmb_result lmb_morph_set_create(const lmb_mesh *mesh, const lmb_morph_set_opts *opts,
                                        const lmb_allocator *alloc, lmb_morph_set **out,
                                        lmb_error *error);
LMB_API void lmb_morph_set_destroy(lmb_morph_set *set);
/// Bytes that the displacements take, their places included; dense floats take 12 a vertex and
/// array.
LMB_API size_t lmb_morph_set_bytes(const lmb_morph_set *set);

/// p' = p + sum of weights[t] * target[t], for positions, normals (made unit again) and tangents.
typedef struct lmb_morph_job {
    const lmb_mesh *mesh;
    const float *weights;    ///< [mesh->target_count]; NULL: the mesh's own, or zeros
    lmb_vec3 *out_positions; ///< [vertex_count]
    lmb_vec3 *out_normals;   ///< or NULL; written when the mesh has normals
    lmb_vec4 *out_tangents;  ///< or NULL; written when the mesh has tangents
    const lmb_jobs *jobs;
    /// of that mesh; NULL: the targets as they lie in it, with the same bits
    const lmb_morph_set *set;
    /// Turn the mesh's normals and tangents as the triangles round the vertex turn, instead of
    /// adding the targets' own. Needs a set with `surface`. Vertices of one place and normal count
    /// as one, so that seams stay closed.
    bool recompute_normals;
    lmb_simd simd;
} lmb_morph_job;
LMB_API void lmb_morph(const lmb_morph_job *job);

/// The displacements that take a mesh to a shape of it: how shapes that are whole meshes become
/// targets. Normals and tangents that are NULL on either side, or have no output, are left out.
typedef struct lmb_morph_difference_job {
    const lmb_mesh *mesh;
    const lmb_vec3 *positions, *normals; ///< [vertex_count] of the shape
    const lmb_vec4 *tangents;
    lmb_vec3 *out_positions, *out_normals, *out_tangents;
} lmb_morph_difference_job;
LMB_API void lmb_morph_difference(const lmb_morph_difference_job *job);

/// Absolute weights, p' = sum of w_j p_j over whole shapes with sum w_j = 1, as weights of targets:
/// shares[0] is the mesh's own share, shares[1 + t] that of target t. Shares are divided by their
/// sum; where that is 0, the mesh alone is shown.
LMB_API void lmb_morph_absolute(const float *shares, uint32_t target_count, float *weights);

/// One slider. At 0 nothing is shown; at keys[k] target k of its list is shown in full; between two
/// keys both in parts. Past the last key on a side its target goes on growing as value / key. Keys
/// on the other side of 0 do not act; where there are none on the side of the value, the key
/// nearest to 0 acts, backwards.
typedef struct lmb_morph_control {
    uint32_t key_count;
    const uint32_t *targets; ///< [key_count]
    const float *keys;       ///< [key_count] rising, none of them 0; one key of 1: the plain target
} lmb_morph_control;

typedef enum lmb_morph_rule {
    LMB_MORPH_PRODUCT = 0, ///< of the controls' values, those below 0 counted as 0
    LMB_MORPH_LEAST,       ///< the least of them
} lmb_morph_rule;

/// A target that shows when several controls are on at once.
typedef struct lmb_morph_combination {
    uint32_t target;
    lmb_morph_rule rule;
    uint32_t control_count;
    const uint32_t *controls; ///< [control_count]
} lmb_morph_combination;

/// From values of controls to weights of targets. The arrays are the caller's.
typedef struct lmb_morph_rig {
    uint32_t target_count, control_count, combination_count;
    const lmb_morph_control *controls;
    const lmb_morph_combination *combinations;
} lmb_morph_rig;

/// INVALID, with the place, for indices out of range, keys that do not rise or are 0, and
/// combinations of nothing.
LMB_API lmb_result lmb_morph_rig_check(const lmb_morph_rig *rig, lmb_error *error);
/// weights[target_count] from values[control_count]; what several controls say of one target adds
/// up. The rig must pass lmb_morph_rig_check.
LMB_API void lmb_morph_rig_weights(const lmb_morph_rig *rig, const float *values, float *weights);

// --------------------------------------------------------------------------------------- skinning

/// A mesh's rows of influences, compiled into the layout that the skinning jobs read: vertices that
/// follow the same joints side by side. Results stand in the mesh's own order all the same.
typedef struct lmb_binding lmb_binding;

/// Copies mesh->influences, and the mesh's positions, normals and tangents. Any number of
/// influences a vertex; a row without any follows joint 0 of the skin; weights below 2^-60 count as
/// 0.
/// Meshes of 65536 vertices and more keep the weights of up to four joints in 16 bits: a vertex is
/// off by at most 3 * 2^-17 of the way between where two of its joints take it.
/// Errors: INVALID when the mesh has no influences, or one names a joint at or beyond
/// `joint_count`; UNSUPPORTED for more than 65536 joints; MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_binding_create(const lmb_mesh *mesh, uint32_t joint_count,
                                      const lmb_allocator *alloc, lmb_binding **out,
                                      lmb_error *error);
LMB_API void lmb_binding_destroy(lmb_binding *binding);
LMB_API uint32_t lmb_binding_vertex_count(const lmb_binding *binding);

/// The order for lmb_mesh_reorder in which a mesh is skinned fastest: vertices that follow the same
/// joints one after the other, as a binding takes them, so that whole blocks are stored at once. A
/// vertex of the mesh in this order has the same bits, by linear blending always, by the other
/// deformers of a binding in meshes of up to 16384 vertices. order[vertex_count]; vertices stay
/// among those of their primitives. Errors: INVALID for a mesh without influences; UNSUPPORTED for
/// more than 65536 joints; MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_skin_order(const lmb_mesh *mesh, const lmb_allocator *alloc, uint32_t *order,
                                  lmb_error *error);

/// One mesh at one pose. Outputs that are NULL, or that neither the job nor the mesh has an input
/// for, are not written.
typedef struct lmb_skin_job {
    const lmb_binding *binding;
    const lmb_mat4 *model_from_bind; ///< [joint_count] of lmb_skin_palette; affine
    /// What to skin, [vertex_count] in bind space: the morphed mesh, say. NULL: the mesh as it was
    /// compiled, which is faster. An input may be its own output when that is tight.
    const lmb_vec3 *positions;
    const lmb_vec3 *normals;
    const lmb_vec4 *tangents;
    lmb_vec3 *out_positions; ///< [vertex_count] in model space
    lmb_vec3 *out_normals;   ///< unit
    lmb_vec4 *out_tangents;  ///< unit and at right angles to the normal where there are normals
    const lmb_jobs *jobs;
    /// Bytes from one vertex of an output to the next, a multiple of 4; 0: tight. For a vertex
    /// buffer with other things in it.
    uint32_t position_stride, normal_stride, tangent_stride;
    lmb_simd simd; ///< zero: the fastest; all give the same bits
} lmb_skin_job;

/// Linear blend skinning: v' = (sum of w_j T_j) v. Normals go by the cofactors of the blended
/// matrix, which is right under uneven scale and mirroring; the gradient of the weights is left
/// out.
LMB_API void lmb_skin_linear(const lmb_skin_job *job);
/// Rigid skinning: every vertex follows the joint that pulls it most.
LMB_API void lmb_skin_rigid(const lmb_skin_job *job);

/// How the weights of a mesh change over its surface at rest.
typedef struct lmb_gradients lmb_gradients;

/// The mean over the triangles around each place, seams welded. `alloc` may be NULL. Errors: as
/// lmb_centers_create.
LMB_API lmb_result lmb_gradients_create(const lmb_mesh *mesh, const lmb_allocator *alloc,
                                        lmb_gradients **out, lmb_error *error);
LMB_API void lmb_gradients_destroy(lmb_gradients *gradients);

/// Linear blend skinning whose normals and tangents follow the surface that comes out.
typedef struct lmb_skin_gradient_job {
    lmb_skin_job skin;
    const lmb_gradients *gradients;
} lmb_skin_gradient_job;
/// Positions as lmb_skin_linear. Normals by the cofactors, tangents by F = sum of w_j M_j + (T_j v)
/// (grad w_j)^T, the whole deformation gradient (Tarini, Panozzo and Sorkine-Hornung 2014).
LMB_API void lmb_skin_gradient(const lmb_skin_gradient_job *job);

// ---------------------------------------------------------------------------- deformers that turn

/// A palette taken apart for deformers that take rigid motions: T_j = D_j S_j, first a stretch
/// about the joint's own place, then a rigid motion (the two phases of Kavan et al. 2008). With a
/// stretch, blend linearly by `stretch` first, normals and centres too, then give `rigid` to the
/// deformer, with the results in place.
typedef struct lmb_skin_split_job {
    uint32_t joint_count;
    const lmb_mat4 *model_from_bind; ///< [joint_count] affine, without a common scale: see below
    /// [joint_count] of lmb_skin_origins: what a stretch leaves in place; NULL: zeros
    const lmb_vec3 *origins;
    lmb_mat4 *rigid;     ///< [joint_count] D_j
    lmb_quat *rotations; ///< [joint_count] of D_j
    /// [joint_count] S_j; a mirror is part of it, and takes the origin to the opposite place
    lmb_mat4 *stretch;
} lmb_skin_split_job;
/// Returns whether any joint stretches.
LMB_API bool lmb_skin_split(const lmb_skin_split_job *job);
/// The scale that the joints have in common, such as 0.01 for a mesh bound in centimetres under
/// joints in metres: the median of theirs, so that some that stretch do not change it; 1 within
/// single precision. A palette is split right only without it: divide by it (lmb_skin_unscale),
/// split, deform, and multiply the positions that come out by it.
LMB_API float lmb_skin_scale(const lmb_mat4 *model_from_bind, uint32_t joint_count);
/// Divides the linear parts and the translations by `scale`.
LMB_API void lmb_skin_unscale(float scale, lmb_mat4 *model_from_bind, uint32_t joint_count);
/// Where the joints of a skin stand in bind space.
LMB_API void lmb_skin_origins(const lmb_skin *skin, lmb_vec3 *origins);

/// One mesh at one pose by dual quaternions (Kavan et al. 2008). With `shares` or `pivots` every
/// input of the job must be given.
typedef struct lmb_skin_dual_job {
    lmb_skin_job skin;         ///< model_from_bind: `rigid` of lmb_skin_split
    const lmb_quat *rotations; ///< [joint_count] of lmb_skin_split
    const float *shares; ///< [vertex_count] 1: by dual quaternions, 0: linear, or between; NULL: 1
    /// [vertex_count] of lmb_skin_pivots, or NULL. A vertex that dual quaternions push farther from
    /// its pivot than it is at rest comes back by `bulge_fix`, 0 to 1.
    const lmb_vec3 *pivots;
    float bulge_fix;
} lmb_skin_dual_job;
/// v' by the normalised sum of w_j q_j, each q_j on the side of the strongest joint's, so that q
/// and -q are one rotation.
/// Normals and tangents turn with it.
LMB_API void lmb_skin_dual(const lmb_skin_dual_job *job);
/// For each vertex the nearest point, at rest, on the bones of the joint that pulls it most: from
/// it to the joints of the skin below it. `alloc` may be NULL. Errors: INVALID for a mesh without
/// influences; MEMORY.
LMB_API lmb_result lmb_skin_pivots(const lmb_skin *skin, const lmb_skeleton *skeleton,
                                   const lmb_mesh *mesh, const lmb_allocator *alloc, lmb_vec3 *out,
                                   lmb_error *error);

/// Optimised centres of rotation (Le and Hodgins 2016), one for each vertex, found once for a mesh
/// at rest.
typedef struct lmb_centers {
    uint32_t vertex_count;
    /// in bind space; the vertex itself where no other part of the mesh has like weights
    lmb_vec3 *positions;
    uint32_t found_count; ///< vertices that have one
    lmb_allocator allocator;
} lmb_centers;

typedef struct lmb_centers_opts {
    float sigma; ///< how alike weights must be, the paper's sigma, at least 0.01; 0: 0.1
} lmb_centers_opts;

/// p_i = the mean of the surface, weighted by how like its weights are to the vertex' (eq. 1 and
/// 3). `opts`, `jobs` and `alloc` may be NULL. Errors: INVALID for a mesh without influences, or
/// with a joint of 65536 or more; UNSUPPORTED for one without triangles; MEMORY.
LMB_API lmb_result lmb_centers_create(const lmb_mesh *mesh, const lmb_centers_opts *opts,
                                      const lmb_jobs *jobs, const lmb_allocator *alloc,
                                      lmb_centers **out, lmb_error *error);
LMB_API void lmb_centers_destroy(lmb_centers *centers);

/// Copies the centres into the binding, in its layout: jobs read them faster there. Replaces those
/// kept before; no job may run meanwhile. `error` may be NULL. Errors: INVALID for another number
/// of vertices; MEMORY.
LMB_API lmb_result lmb_binding_keep_centers(lmb_binding *binding, const lmb_centers *centers,
                                            lmb_error *error);

/// One mesh at one pose, turned about centres.
typedef struct lmb_skin_center_job {
    lmb_skin_job skin;         ///< model_from_bind: `rigid` of lmb_skin_split
    const lmb_quat *rotations; ///< [joint_count] of lmb_skin_split
    const lmb_vec3 *centers;   ///< [vertex_count]; NULL: those of lmb_binding_keep_centers
} lmb_skin_center_job;
/// v' = R v + t, R the normalised blend of the rotations (each in the hemisphere of the strongest),
/// t such that the centre goes where linear blending takes it. Normals and tangents turn by R.
LMB_API void lmb_skin_center(const lmb_skin_center_job *job);

/// What direct delta mush (Le and Lewis 2019) knows of a mesh at rest.
typedef struct lmb_mush lmb_mush;

/// The paper's variants, from its section 4, that are worth their price. All keep rigid motions
/// exactly. v1 is left out, which divides by determinants that nearly vanish on flat skin and saves
/// a sixth; and v3, which costs more than v2 and turns less well.
typedef enum lmb_mush_variant {
    LMB_MUSH_V0 = 0, ///< 4x4 matrices a joint, the nearest rotation: closest to delta mush
    /// Rotations blended as quaternions, places as v0 has them: four numbers a joint instead of
    /// ten, less than half the time.
    LMB_MUSH_V2 = 2,
    /// One number a joint: centres of rotation (lmb_skin_center) at the smoothed places, by
    /// smoothed weights.
    LMB_MUSH_V4 = 4,
    LMB_MUSH_V5 = 5, ///< linear blending by smoothed weights
} lmb_mush_variant;

typedef struct lmb_mush_opts {
    lmb_mush_variant variant;
    uint32_t passes; ///< smoothing steps, the paper's p; 0: 20
    float lambda;    ///< strength of a step for the turning; 0: 3
    float kappa;     ///< and for the moving, at most lambda; 0: 1
    /// share of the moving that is smoothed by kappa alone, in [0, 1); 0: 0.8; negative: 0
    float alpha;
    float least_weight;  ///< joints that pull a vertex less are dropped; 0: 0.001
    uint32_t influences; ///< the most joints a vertex keeps; 0: no limit
} lmb_mush_opts;

/// Smooths positions and weights over the welded surface by (I + lambda L)^-p. `opts`, `jobs` and
/// `alloc` may be NULL.
/// Errors: INVALID for options out of range, a mesh without influences or with a joint of 65536 or
/// more; UNSUPPORTED for one without triangles; MEMORY.
LMB_API lmb_result lmb_mush_create(const lmb_mesh *mesh, const lmb_mush_opts *opts,
                                   const lmb_jobs *jobs, const lmb_allocator *alloc, lmb_mush **out,
                                   lmb_error *error);
LMB_API void lmb_mush_destroy(lmb_mush *mush);
/// Joints and matrices kept, over all vertices: the cost of a frame goes with it.
LMB_API size_t lmb_mush_influence_count(const lmb_mush *mush);

/// One mesh at one pose by direct delta mush, in the variant that `mush` was made for.
/// `skin.binding` is not read and may be NULL.
typedef struct lmb_skin_mush_job {
    lmb_skin_job skin; ///< model_from_bind: `rigid` of lmb_skin_split
    const lmb_mush *mush;
    const lmb_quat *rotations; ///< of lmb_skin_split; read by v2 and v4, may be NULL for the others
} lmb_skin_mush_job;
LMB_API void lmb_skin_mush(const lmb_skin_mush_job *job);

/// What delta mush (Mancewicz et al. 2014) knows of a mesh at rest: its smoothed places, and how
/// the mesh lies above them.
typedef struct lmb_delta_mush lmb_delta_mush;

typedef struct lmb_delta_mush_opts {
    uint32_t passes; ///< smoothing steps, up to 1000; 0: 20
    float share;     ///< of the way to the mean of its neighbours that a point goes; 0: 0.5
    /// Open borders are smoothed, and shrink, as the rest; else they stay where the skin puts them.
    bool loose_borders;
} lmb_delta_mush_opts;

/// Works on the welded surface. `opts` and `alloc` may be NULL. Errors: as lmb_mush_create.
LMB_API lmb_result lmb_delta_mush_create(const lmb_mesh *mesh, const lmb_delta_mush_opts *opts,
                                         const lmb_allocator *alloc, lmb_delta_mush **out,
                                         lmb_error *error);
LMB_API void lmb_delta_mush_destroy(lmb_delta_mush *mush);
LMB_API size_t lmb_delta_mush_scratch_size(const lmb_delta_mush *mush);

/// One mesh that any deformer has skinned, mushed: smoothed, with the details of the rest pose put
/// back on what comes out, v' = s' + F' F^T (v - s), F the frame of the smoothed surface.
typedef struct lmb_skin_delta_job {
    const lmb_delta_mush *mush;
    lmb_vec3 *positions;    ///< [vertex_count] skinned; in place
    lmb_vec3 *out_normals;  ///< [vertex_count] turned by F' F^T, or NULL
    lmb_vec4 *out_tangents; ///< the same
    /// [vertex_count] what was skinned where that is not the mesh as it was compiled: morphed or
    /// stretched. NULL: as compiled, which is twice as fast.
    const lmb_vec3 *rest, *rest_normals;
    const lmb_vec4 *rest_tangents;
    void *scratch; ///< of lmb_delta_mush_scratch_size bytes, aligned to 16
    const lmb_jobs *jobs;
} lmb_skin_delta_job;
LMB_API void lmb_skin_delta_mush(const lmb_skin_delta_job *job);

// ------------------------------------------------------------------------- correctives by example

/// How alike two poses are, by the distance r between them.
typedef enum lmb_kernel {
    LMB_KERNEL_GAUSSIAN = 0,         ///< exp(-r^2 / 2 s^2): fades to nothing away from the examples
    LMB_KERNEL_LINEAR,               ///< r: goes on as it was
    LMB_KERNEL_CUBIC,                ///< r^3
    LMB_KERNEL_THIN_PLATE,           ///< r^2 log r
    LMB_KERNEL_INVERSE_MULTIQUADRIC, ///< 1 / sqrt(1 + r^2 / s^2)
} lmb_kernel;

/// What of a joint's rotation counts.
typedef enum lmb_driver_part {
    LMB_DRIVER_ROTATION = 0,
    LMB_DRIVER_SWING, ///< without the twist about `axis`
    LMB_DRIVER_TWIST, ///< that twist alone
} lmb_driver_part;

typedef struct lmb_pose_driver {
    uint32_t joint; ///< in the skeleton
    lmb_driver_part part;
    lmb_vec3 axis; ///< unit; for swing and twist
    float weight;  ///< how much it counts among the drivers, above 0; 0: 1
} lmb_pose_driver;

/// Examples: at these rotations of the drivers, these values. Add the rest pose with values of 0.
typedef struct lmb_pose_space_def {
    uint32_t driver_count, example_count;
    const lmb_pose_driver *drivers;
    const lmb_quat *rotations; ///< [example_count][driver_count] parent_from_joint
    uint32_t width;            ///< values an example; with values == NULL: example_count
    /// [example_count][width]; NULL: 1 for the example itself, 0 for the others
    const float *values;
    lmb_kernel kernel;
    float radius_rad; ///< s of the kernel; 0: the mean distance of an example to its nearest
    /// added to the diagonal, in units of the kernel; 0: 1e-6; negative: none
    float regularization;
    /// kernels divided by their sum: values stay between those of the examples far away too
    bool normalized;
} lmb_pose_space_def;

/// Pose-space deformation (Lewis et al. 2000): values as a function of pose, by radial basis
/// functions through the examples. The distance of two poses is the root of the weighted mean of
/// the drivers' squared angles.
typedef struct lmb_pose_space lmb_pose_space;

/// Errors: INVALID for no driver or example, numbers out of range, two examples at one pose;
/// MEMORY. `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_pose_space_create(const lmb_pose_space_def *def, const lmb_allocator *alloc,
                                         lmb_pose_space **out, lmb_error *error);
LMB_API void lmb_pose_space_destroy(lmb_pose_space *space);

typedef struct lmb_pose_space_job {
    const lmb_pose_space *space;
    const lmb_transform *local; ///< [joint_count of the skeleton] parent_from_joint
    float *out_values;          ///< [width], such as weights of morph targets
} lmb_pose_space_job;
LMB_API void lmb_pose_space_evaluate(const lmb_pose_space_job *job);

/// A shape sculpted on a posed mesh, as displacements before skinning: what to add at rest so that
/// linear blending gives the sculpted shape at this pose. Where the blended matrix is nearly
/// singular the least displacement that comes close is taken.
typedef struct lmb_corrective_job {
    const lmb_mesh *mesh;            ///< with influences
    const lmb_mat4 *model_from_bind; ///< of the pose
    const lmb_vec3 *positions;       ///< [vertex_count] at rest, morphed already; NULL: the mesh's
    const lmb_vec3 *sculpted;        ///< [vertex_count] in model space
    lmb_vec3 *out_displacements;     ///< [vertex_count]
} lmb_corrective_job;
LMB_API void lmb_corrective(const lmb_corrective_job *job);

// ------------------------------------------------------------------------------------ body models

/// A body model ready to pose, at one shape. One pose is evaluated at a time; several bodies run
/// beside each other.
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
/// Sets the shape: coefficients from the first on, those that are not given 0, those beyond the
/// model's passed over.
LMB_API void lmb_body_skin_shape(lmb_body_skin *skin, const float *shape, uint32_t count);
/// The shaped body at rest, [vertex_count], and its joints, [joint_count].
LMB_API const lmb_vec3 *lmb_body_skin_vertices(const lmb_body_skin *skin);
LMB_API const lmb_vec3 *lmb_body_skin_joints(const lmb_body_skin *skin);

/// out[feature_count]: what the pose directions are multiplied with. `rotations` [joint_count] may
/// be NULL; `second_shape` is shape coefficient 1, which STAR takes for a feature.
LMB_API void lmb_body_features(const lmb_body_model *model, const lmb_quat *rotations,
                               float second_shape, float *out);

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
    /// turns the motion's axes to +Y up; all zero counts as identity
    lmb_quat model_from_motion;
    float frame_rate; ///< Hz; 0: the motion's, or 30
    /// The correctives of the motion become as few morph targets as keep every vertex within this
    /// distance, in metres; 0:
    /// 0.0001; negative: one target for every feature that occurs, without loss.
    float tolerance;
    const lmb_jobs *jobs;
} lmb_body_character_opts;

typedef struct lmb_body_character_report {
    uint32_t target_count;
    float error; ///< greatest distance of a vertex from the model's, at the keys, before skinning
    uint32_t joints_dropped; ///< of the motion, which the model does not have
} lmb_body_character_report;

/// The body at one shape as a character that every player knows: skeleton, skin, and the motion as
/// a clip whose morph weights bring the correctives. At the clip's keys it is the model; in
/// between, weights go linearly. `opts`, `report`, `alloc` may be NULL.
/// Errors: INVALID for a motion without frames; MEMORY.
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
    LMB_SKIN_MUSH_V2, ///< direct delta mush in its cheaper variants, after lmb_deformer_prepare
    LMB_SKIN_MUSH_V4,
    LMB_SKIN_MUSH_V5,
    /// lmb_skin_gradient: linear, its normals with the weights' slope; after lmb_deformer_prepare
    LMB_SKIN_LINEAR_GRADIENT,
    /// dual quaternions with what bulges taken back whole; after lmb_deformer_prepare
    LMB_SKIN_DUAL_FIXED,
} lmb_skin_method;

/// A character's meshes at a pose: bindings and output arrays, kept between frames.
typedef struct lmb_deformer lmb_deformer;

/// The character must outlive the deformer. Errors: UNSUPPORTED as lmb_binding_create; MEMORY.
LMB_API lmb_result lmb_deformer_create(const lmb_character *character, const lmb_allocator *alloc,
                                       lmb_deformer **out, lmb_error *error);
LMB_API void lmb_deformer_destroy(lmb_deformer *deformer);
/// Finds, once, what a method needs beyond the bindings: centres of rotation, the smoothed rest
/// pose of delta mush, slopes of weights, pivots on bones.
/// `jobs` may be NULL. Errors: UNSUPPORTED for a skinned mesh without triangles; MEMORY.
LMB_API lmb_result lmb_deformer_prepare(lmb_deformer *deformer, lmb_skin_method method,
                                        const lmb_jobs *jobs, lmb_error *error);

typedef struct lmb_deform_job {
    lmb_deformer *deformer;
    const lmb_mat4 *model_from_joint; ///< [joint_count of the skeleton] of lmb_pose_to_model
    /// Morph weights and their layout, of lmb_character_weights and lmb_sample. Both NULL: at rest.
    const uint32_t *weight_first;
    const float *weights;
    lmb_skin_method method;
    bool positions_only; ///< leave normals and tangents alone
    const lmb_jobs *jobs;
    lmb_simd simd; ///< of the morphs and the skin
} lmb_deform_job;
/// Deforms every instance: morphs first, then the skin, in the space that model_from_joint leads
/// to. A mesh without a skin moves with its joint; one with a skin does not (glTF 2.0, 3.7.3.3).
LMB_API void lmb_deform(const lmb_deform_job *job);

/// One instance as the last lmb_deform left it. Arrays are NULL where the mesh has none.
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
