/// Learning a rig from examples: skeleton, weights and motion that reproduce a sequence of shapes
/// of one mesh.
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
    LMB_LEARN_INFLUENCES = 16, ///< most joints per vertex
    LMB_LEARN_BONES = 512,     ///< the most bones
};

/// One mesh in many shapes, in metres or any one unit. Only the report depends on the unit.
typedef struct lmb_learn_def {
    uint32_t vertex_count;
    const lmb_vec3 *rest; ///< [vertex_count] the bind shape
    uint32_t frame_count;
    const lmb_vec3 *const *frames; ///< [frame_count][vertex_count]
    const uint32_t *indices;       ///< triangles, in threes
    uint32_t index_count;
} lmb_learn_def;

typedef enum lmb_learn_skeleton {
    /// bones in a hierarchy with joints; the root translates, and joints may slide
    LMB_LEARN_TREE = 0,
    LMB_LEARN_FLAT, ///< every bone moves freely: a smaller error, but no skeleton to pose
    /// a hierarchy whose bones also move in their joints: the error of free bones, and a skeleton whose
    /// joints may part where it is posed
    LMB_LEARN_SLIDING,
} lmb_learn_skeleton;

typedef enum lmb_learn_joints {
    /// Joints of a tree hold but for those, at most two thirds, whose holding costs most: as few slide in
    /// their parents as bring the error to joints_within times that of free bones. None where the error is
    /// below 0.02 % of the diagonal
    LMB_LEARN_JOINTS_AUTO = 0,
    LMB_LEARN_JOINTS_HOLD, ///< only the root translates
} lmb_learn_joints;

typedef enum lmb_learn_motion {
    LMB_LEARN_RIGID = 0, ///< bones rotate and translate
    /// bones also stretch and shear (Kavan, Sloan, O'Sullivan 2010): a smaller error. Flat only
    LMB_LEARN_AFFINE,
} lmb_learn_motion;

typedef struct lmb_learn_opts {
    uint32_t bone_count; ///< at least 1; fewer are made where fewer reproduce the frames
    /// Above 0: as few bones as bring the root mean square error, in percent of the diagonal of the
    /// rest shape's bounds, down to this, found by doubling and halving to within an eighth;
    /// bone_count is the most, and is what comes out where it does not suffice.
    float error_percent;
    uint32_t influences; ///< most bones per vertex, up to LMB_LEARN_INFLUENCES; 0: 4
    /// most alternations of weights and bones, fewer where they gain less than 0.05 % of the mean
    /// square error each; 0: 100, and 0.5 %
    uint32_t iterations;
    /// Strength of the pull of weights toward those of neighbours along the surface, weaker where
    /// it stretches (Le & Deng 2014 as in Dem Bones): a squared weight change costs this factor
    /// times the squared size of the mesh. 0: none; 1e-4 removes noise.
    float smooth;
    /// Norm of a vertex' error that is minimised over the mesh when bones are fitted: 0 and 2 least
    /// squares, an even number up to 16 to spare the worst vertices. Flat only
    uint32_t norm;
    lmb_learn_skeleton skeleton;
    lmb_learn_joints joints; ///< of a tree
    float joints_within;     ///< at least 1; 0: 1.15
    lmb_learn_motion motion;
    /// Solve for the rest shape too: each vertex where the bones bring it nearest to its frames
    /// (Kavan, Sloan, O'Sullivan 2010, section 4.3). Otherwise vertices stay at `rest`. Flat only.
    bool move_rest;
    const lmb_jobs *jobs;         ///< or NULL
    const lmb_progress *progress; ///< or NULL
} lmb_learn_opts;

/// The learned rig. Bone j is bound at `joints[j]` with axes parallel to the model's; parents
/// precede children.
typedef struct lmb_learned {
    uint32_t bone_count, frame_count, vertex_count;
    int32_t *parents;      ///< [bone_count] LMB_NONE for the root, or for all of a flat skeleton
    bool *slides;          ///< [bone_count] joints that also move in their parents; not the root
    lmb_vec3 *joints;      ///< [bone_count] centre of a bone's rotation, in the rest shape
    lmb_transform *motion; ///< [frame_count][bone_count] model_from_joint, without scale
    /// [frame_count][bone_count] model_from_joint of affine bones, of which `motion` is the nearest
    /// rigid motion; NULL for rigid bones
    lmb_mat4 *affine;
    lmb_vec3 *rest; ///< [vertex_count] the rest shape that was solved for, or NULL: as given
    lmb_influences influences;
    lmb_allocator allocator; ///< set by create
} lmb_learned;

typedef struct lmb_learn_report {
    uint32_t bone_count, iterations;
    uint32_t sliding_count; ///< joints that slide
    float rms, max;         ///< distance of vertices from the frames, in the unit of the mesh
    float rms_percent;      ///< `rms` in percent of the diagonal of the rest shape's bounds
    /// 1000 * |A - A'| / sqrt(3 n m), times 2 over the diagonal of the rest shape's bounds: Kavan,
    /// Sloan, O'Sullivan 2010, in radii
    float e_rms;
    /// before the hierarchy was imposed, for a tree on twice the bones; e_rms for a flat skeleton
    float e_rms_flat;
    float e_rms_start; ///< of twice as many rigid clusters, before the first iteration
    /// Mean square error of 64 iterations on free bones since the last one was removed, in squared units of
    /// the mesh: weights, then bones. It does not rise where `smooth` is 0.
    double history[64];
} lmb_learn_report;

/// Skinning decomposition with rigid bones (Le & Deng 2012, "Smooth skinning decomposition with
/// rigid bones", with the clusters of Dem Bones): clusters grown over the surface, then alternately
/// weights (a convex quadratic programme per vertex) and bones (the nearest rotations, one bone
/// after another). It begins with twice the bones, of which those that are missed least go. For a
/// tree joints of all are where two bones agree best over all frames and the hierarchy is the
/// minimum spanning tree; bones are merged in it (Le & Deng 2014), some exchanged, and rotations,
/// joints and weights solved again with the bones connected; then joints slide as `joints` says, which
/// takes about twice the time of joints that hold where any do.
/// Vertices that coincide in all shapes get equal rows. The result is bit-identical for any number
/// of workers. `alloc`, `report` and `error` may be NULL.
/// Errors: INVALID for no frames, no triangles or an index out of range, a position that is not
/// finite, fewer vertices than bones, a rest shape without extent, frames that all equal the rest
/// shape, options out of range; MEMORY; CANCELLED.
LMB_API lmb_result lmb_learn_skin(const lmb_learn_def *def, const lmb_learn_opts *opts,
                                  const lmb_allocator *alloc, lmb_learned **out,
                                  lmb_learn_report *report, lmb_error *error);
LMB_API void lmb_learned_destroy(lmb_learned *learned);
/// Root mean square distance over the frames between the bone's joint and where its parent carries it, in the
/// unit of the mesh; 0 without a parent.
LMB_API float lmb_learned_slide(const lmb_learned *learned, uint32_t bone);

// ------------------------------------------------------------------------------ bones that are given

/// Shapes of a rigged character's vertices, and where its joints are in each.
typedef struct lmb_learn_frames {
    uint32_t vertex_count;
    /// For each vertex of each instance, in order, its vertex in `frames`; NULL: the same order
    const uint32_t *vertex_of;
    uint32_t frame_count;
    const lmb_vec3 *const *frames; ///< [frame_count][vertex_count] in scene space
    /// [frame_count][joint_count of the skeleton], of lmb_pose_to_model
    const lmb_mat4 *const *model_from_joint;
} lmb_learn_frames;

typedef struct lmb_learn_weights_opts {
    uint32_t influences; ///< most joints per vertex, up to LMB_LEARN_INFLUENCES; 0: 4
    float smooth;        ///< as in lmb_learn_opts
    /// After the first solve `smooth` is never above the mean square error in squared sizes of the
    /// mesh, so that weights that show the frames exactly are found
    bool smooth_to_error;
    /// Every frame whose number is hold_out - 1, 2 hold_out - 1, … is measured and not learned
    /// from; 0 and 1: none
    uint32_t hold_out;
    /// Also move each vertex where its joints bring it nearest to its frames: the bind shape
    bool move_rest;
    const lmb_jobs *jobs;         ///< or NULL
    const lmb_progress *progress; ///< or NULL
} lmb_learn_weights_opts;

/// Distances of vertices from the frames in percent of the diagonal of the bind shape's bounds, as
/// root mean squares: with the weights that were there, and with those that were learned.
typedef struct lmb_learn_weights_report {
    uint32_t joint_count, iterations, frame_count, held_out_count;
    float before_percent, rms_percent;               ///< over the frames that were learned from
    float before_held_out_percent, held_out_percent; ///< over the others; 0 where there are none
    float rms, max;                                  ///< in the unit of the scene, learned frames
} lmb_learn_weights_report;

/// Replaces the weights of a skinned character by those with which its own joints show the frames
/// best: per vertex a convex quadratic programme over the joints that its neighbourhood follows (Le
/// & Deng 2012, eq. 4 to 6), alternated with smoothing along the surface. Skeleton, bind transforms,
/// clips and looks stay; so do positions unless move_rest asks otherwise. Meshes without a skin stay
/// as they are. `character` is unchanged on failure.
/// `report`, `alloc` and `error` may be NULL.
/// Errors: INVALID for no skinned triangles, for skins that bind one joint in ways that no common
/// transform explains, and as lmb_learn_skin; MEMORY; CANCELLED.
LMB_API lmb_result lmb_learn_weights(lmb_character **character, const lmb_learn_frames *frames,
                                     const lmb_learn_weights_opts *opts, const lmb_allocator *alloc,
                                     lmb_learn_weights_report *report, lmb_error *error);

typedef struct lmb_learn_envelope_opts {
    uint32_t hold_out; ///< as in lmb_learn_weights_opts
    const lmb_jobs *jobs;
} lmb_learn_envelope_opts;

typedef struct lmb_learn_envelope_report {
    uint32_t frame_count, held_out_count;
    float ridge; ///< that was chosen
    /// Errors as in lmb_learn_weights_report: with the linear weights, and enveloped
    float before_percent, rms_percent, before_held_out_percent, held_out_percent;
} lmb_learn_envelope_report;

/// Multi-weight enveloping (Wang and Phillips 2002): every entry of the matrices of a vertex' joints
/// gets a coefficient of its own, by least squares over the frames with a ridge toward the linear
/// weights that are there. The ridge is the one, for all vertices, with which frames that are left
/// out are missed least. Skinned meshes get an `envelope` of the four joints that their vertices and
/// these' neighbours follow most; linear weights stay. `character` is unchanged on failure.
/// Errors: those of lmb_learn_weights.
LMB_API lmb_result lmb_learn_envelope(lmb_character **character, const lmb_learn_frames *frames,
                                      const lmb_learn_envelope_opts *opts,
                                      const lmb_allocator *alloc, lmb_learn_envelope_report *report,
                                      lmb_error *error);

typedef struct lmb_learn_character_opts {
    const char *clip_name; ///< NULL: "frames"
    float frame_rate;      ///< Hz; 0: 30
    /// For each vertex of each instance, in order, its vertex in `learned`; NULL: the same order
    const uint32_t *vertex_of;
} lmb_learn_character_opts;

/// Binds static meshes in the rest shape to the learned rig: its skeleton, a skin, and one clip of
/// the frames. An affine bone is two joints, rotated and stretched by one and rotated back by the
/// other, since a file's joint has no shear (a singular value decomposition in each frame). `still`
/// has no skins, and its instances are where their vertices are (the joints that carry them have no
/// transform); its look is copied. `opts` and `alloc` may be NULL.
/// Errors: INVALID where the vertices do not match `learned`; MEMORY.
LMB_API lmb_result lmb_learn_character(const lmb_learned *learned, const lmb_character *still,
                                       const lmb_learn_character_opts *opts,
                                       const lmb_allocator *alloc, lmb_character **out,
                                       lmb_error *error);

// ------------------------------------------------------------------------------------ body models

/// Scans of people that were registered: every scan has the vertices of `rest`, in its order. Metres,
/// +Y up. Nothing of it is changed.
typedef struct lmb_learn_body_def {
    uint32_t vertex_count, index_count, joint_count, scan_count;
    const lmb_vec3 *rest;         ///< [vertex_count] the pose in which rotations are 0
    const uint32_t *indices;      ///< [index_count] triangles
    lmb_vec3 *joints;             ///< [joint_count] at rest
    int32_t *parents;             ///< [joint_count] < own index, LMB_NONE for joint 0 alone
    const char **names;           ///< [joint_count]
    lmb_influences influences;    ///< of the vertices: where learning starts
    const lmb_vec3 *const *scans; ///< [scan_count][vertex_count]
    /// [scan_count] who was scanned: equal numbers are one person in several poses; NULL: everybody once
    const uint32_t *person_of;
} lmb_learn_body_def;

typedef struct lmb_learn_body_opts {
    uint32_t shape_count; ///< most directions of shape; 0: 10. Never more than persons less one
    /// Of the correctives; NONE: none are learned
    lmb_pose_features features;
    bool keep_weights; ///< the weights of the definition stay
    /// Every person whose number is hold_out - 1, 2 hold_out - 1, … is measured and not learned from;
    /// where there are fewer persons, every such scan. 0 and 1: none
    uint32_t hold_out;
    uint32_t iterations;          ///< most rounds, the first eight alternate; 0: 24
    const lmb_jobs *jobs;         ///< or NULL
    const lmb_progress *progress; ///< or NULL
} lmb_learn_body_opts;

typedef struct lmb_learn_body_report {
    uint32_t person_count, scan_count; ///< that were learned from
    uint32_t held_out_count;           ///< scans
    uint32_t iterations, shape_count;
    /// Root mean square distance of vertices from the learned scans, with the shape that a person has
    /// in the model's space, and of the worst vertex; metres
    float rms_m, max_m;
    /// The same for scans that were held out, whose pose and shape are fitted to them; 0 without any
    float held_out_rms_m, held_out_max_m;
    float height_m; ///< greatest extent of the rest shape
} lmb_learn_body_report;

/// A body model from registered scans, as SMPL is one (Loper et al. 2015, section 4): alternately
/// the pose of each scan, the rest shape and joints of each person, weights, correctives by ridge
/// regression on the features of the pose, and principal components of the shapes; then all of them
/// at once (Gauss-Newton); at the end joints as weighted sums of vertices. `alloc`, `report` and
/// `error` may be NULL; bit-identical for any number of workers.
/// Errors: INVALID for no scans, indices out of range, a tree that is none, positions that are not
/// finite; MEMORY; CANCELLED.
LMB_API lmb_result lmb_learn_body(const lmb_learn_body_def *def, const lmb_learn_body_opts *opts,
                                  const lmb_allocator *alloc, lmb_body_model **out,
                                  lmb_learn_body_report *report, lmb_error *error);

/// The same from a rigged character, whose skin is where learning starts: its vertices are those of
/// `frames` by vertex_of, which are the scans (model_from_joint is not used); joints are those that
/// bind vertices and what connects them. Of `def` rest [frames->vertex_count], indices and person_of
/// are used: the character at rest. Errors: those of lmb_learn_body; UNSUPPORTED for joints that have
/// no common ancestor.
LMB_API lmb_result lmb_learn_body_character(const lmb_character *rig,
                                            const lmb_learn_frames *frames,
                                            const lmb_learn_body_def *def,
                                            const lmb_learn_body_opts *opts,
                                            const lmb_allocator *alloc, lmb_body_model **out,
                                            lmb_learn_body_report *report, lmb_error *error);

/// A scan of a person, in metres, +Y up.
typedef struct lmb_body_scan {
    uint32_t vertex_count, index_count;
    const lmb_vec3 *positions;
    const uint32_t *indices; ///< triangles; unused where the scan is registered
    /// The scan has the model's vertices, in its order: otherwise each vertex of the model goes to the
    /// nearest of the scan's surface
    bool registered;
    /// [joint_count of the model] where the joints are known to be about, and which are; both or
    /// neither. A fit to a scan that is not registered starts from them, else from the rest pose
    const lmb_vec3 *joints;
    const uint8_t *has_joint;
} lmb_body_scan;

typedef struct lmb_fit_body_opts {
    uint32_t shape_count; ///< most coefficients; 0: all of the model's
    /// Cost of a coefficient of 1 and of a joint bent by a right angle, in millimetres of root mean
    /// square distance; 0: 0.1 for scans that are registered, 0.5 for others
    float shape_weight_mm, pose_weight_mm;
    float frame_rate; ///< Hz of the motion that the scans become; 0: 30
    const lmb_jobs *jobs;
    const lmb_progress *progress;
} lmb_fit_body_opts;

typedef struct lmb_fit_body_report {
    /// Distance of the model's vertices from the scans: from the same vertices, or the surface
    float rms_m, max_m;
    float worst_scan_rms_m;
    uint32_t worst_scan;
} lmb_fit_body_report;

/// The shape and the poses in which a body model meets scans of one person: Levenberg and Marquardt's
/// method on registered vertices, or on the nearest points of the surface, found again after every
/// step, those that are far or face another way left out (Besl and McKay 1992; Chen and Medioni 1992),
/// drawn toward rest and the mean shape. Each scan is a frame of the motion. `alloc`, `report` and
/// `error` may be NULL.
/// Errors: INVALID for no scans, another number of vertices in one that is registered, a surface
/// without triangles; MEMORY; CANCELLED.
LMB_API lmb_result lmb_fit_body(const lmb_body_model *model, const lmb_body_scan *scans,
                                uint32_t scan_count, const lmb_fit_body_opts *opts,
                                const lmb_allocator *alloc, lmb_body_motion **out,
                                lmb_fit_body_report *report, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
