/// A body of vertices on a skeleton in double precision, and the pose in which it meets a scan: common to learning a body
/// model and to fitting one to a scan.
#ifndef LEARN_BODY_SCAN_BODY_H
#define LEARN_BODY_SCAN_BODY_H

#include "base/arena.h"
#include "limber/asset.h"
#include "limber/jobs.h"

/// Common to all persons and poses of a body.
typedef struct lmbi_scan_body {
    uint32_t vertex_count, joint_count, feature_count;
    const int32_t *parents;    ///< [joint_count] parents precede children, LMB_NONE for joint 0
    const uint32_t *row_first; ///< [vertex_count + 1]
    const uint32_t *row_joints;
    const double *row_weights; ///< those of a vertex sum to 1
    lmb_pose_features features;
    /// [vertex_count][3][feature_count] displacements at rest for a feature of 1; NULL: none
    const double *correctives;
} lmbi_scan_body;

/// Joint j of a pose: model point = global[j] * (rest point - joint at rest) + origins[j].
typedef struct lmbi_scan_pose {
    double *rotations; ///< [joint_count][9] parent_from_joint, by rows
    double *global;    ///< [joint_count][9] model_from_joint
    double *origins;   ///< [joint_count][3]
    double *features;  ///< [feature_count]
    double translation[3];
} lmbi_scan_pose;

/// At rest. False if there is no memory.
bool lmbi_scan_pose_init(const lmbi_scan_body *body, lmbi_arena *arena, lmbi_scan_pose *pose);
/// Fills global, origins and features from rotations and translation, for joints[joint_count][3] at rest.
void lmbi_scan_pose_update(const lmbi_scan_body *body, const double *joints, lmbi_scan_pose *pose);

/// A vertex as the pose moves it: point = blend * rest point + offset.
typedef struct lmbi_scan_blend {
    double blend[9], offset[3];
} lmbi_scan_blend;
lmbi_scan_blend lmbi_scan_vertex_blend(const lmbi_scan_body *body, const double *joints,
                                       const lmbi_scan_pose *pose, uint32_t vertex);
/// Rest position of a vertex plus the correctives of the pose.
void lmbi_scan_vertex_rest(const lmbi_scan_body *body, const double *rest,
                           const lmbi_scan_pose *pose, uint32_t vertex, double out[3]);

/// Where the vertices of a body should come to lie.
typedef struct lmbi_scan_target {
    const lmb_vec3 *positions; ///< [vertex_count]
    const double *weights;     ///< [vertex_count] how much each counts; NULL: 1
    /// [vertex_count] unit normals of a scan along whose surface a vertex may slide; NULL: it may not
    const lmb_vec3 *normals;
} lmbi_scan_target;

/// How much of a distance along the surface counts where vertices may slide: enough that they do not drift.
static const double LMBI_SCAN_ALONG = 0.1;
/// Distances along the surface with this normal are scaled down.
static inline void lmbi_scan_slide(lmb_vec3 normal, double v[3])
{
    const double n[3] = {(double)normal.x, (double)normal.y, (double)normal.z};
    const double out = (1 - LMBI_SCAN_ALONG) * (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]);
    for (int c = 0; c < 3; ++c) {
        v[c] = LMBI_SCAN_ALONG * v[c] + out * n[c];
    }
}

/// A body of one shape, and the directions in which the fit may change it.
typedef struct lmbi_scan_shape {
    double *rest;   ///< [vertex_count][3]
    double *joints; ///< [joint_count][3]
    uint32_t direction_count;
    const double *vertex_directions; ///< [direction_count][vertex_count][3]
    const double *joint_directions;  ///< [direction_count][joint_count][3]
    double *coefficients;            ///< [direction_count]
    double coefficient_weight;       ///< cost of a squared coefficient
    double pose_weight;              ///< cost of the squared sine of half a joint's angle
} lmbi_scan_shape;

/// Mean over the vertices of the squared distance from the target, weighted; `worst` receives the greatest.
double lmbi_scan_error(const lmbi_scan_body *body, const lmbi_scan_shape *shape,
                       const lmbi_scan_pose *pose, const lmbi_scan_target *target, double *worst);
/// Rotations of the joints, from the root down, that bring the skin of each nearest to the target (Procrustes; Horn
/// 1987), where its skin has extent: a start for the fit from any pose.
void lmbi_scan_pose_start(const lmbi_scan_body *body, const lmbi_scan_shape *shape,
                          const lmbi_scan_target *target, lmbi_scan_pose *pose);
/// The joints of a model, as sums of vertices[vertex_count][3]; only the regressor of `model` is read.
void lmbi_scan_regress_joints(const lmb_body_model *model, uint32_t joint_count,
                              const double *vertices, double *joints);

/// Working memory of a fit.
typedef struct lmbi_scan_fitter lmbi_scan_fitter;
/// In the arena, for shapes with so many directions. NULL if there is no memory.
lmbi_scan_fitter *lmbi_scan_fitter_create(const lmbi_scan_body *body, uint32_t directions,
                                          lmbi_arena *arena);
/// Levenberg and Marquardt's steps on rotations, translation and coefficients, `most` at most, until a step gains less
/// than a thousandth of the cost. The cost does not rise.
void lmbi_scan_fit(lmbi_scan_fitter *fitter, lmbi_scan_shape *shape, const lmbi_scan_target *target,
                   uint32_t most, lmbi_scan_pose *pose);
/// Normal equations of a pose, mean over the vertices: square[size][size] receives their lower triangle, of 3 unknowns a
/// joint and the translation.
void lmbi_scan_square(lmbi_scan_fitter *fitter, lmbi_scan_shape *shape,
                      const lmbi_scan_target *target, lmbi_scan_pose *pose, double *square);
/// Half of a joint's rotation vector, where it is small: the vector part of its quaternion.
void lmbi_scan_half_angle(const double *rotation, double out[3]);
/// Rotates every joint by step[joint_count][3] about axes of the model as it stands before.
void lmbi_scan_pose_rotate(const lmbi_scan_body *body, const double *step, lmbi_scan_pose *pose);

#endif
