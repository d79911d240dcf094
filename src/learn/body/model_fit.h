/// A body model in double precision, being fitted to scans.
#ifndef LEARN_BODY_MODEL_FIT_H
#define LEARN_BODY_MODEL_FIT_H

#include "learn/body/scan_body.h"
#include "limber/learn.h"

typedef struct lmbi_model_fit {
    const lmb_body_model *model;
    lmb_fit_body_opts opts;
    lmbi_arena arena;
    lmbi_scan_body body;
    uint32_t shape_count;
    double height;
    double *mean, *mean_joints;              ///< [vertex_count][3], [joint_count][3]
    double *directions, *joint_directions;   ///< [shape_count][…][3]
    lmbi_scan_shape shape;                   ///< as it is now
    lmbi_scan_fitter *fitter, *rigid_fitter; ///< with and without directions
    // joints as vertices that follow their parents, for a start from known joints
    lmbi_scan_body joint_body, rigid_body;
    lmbi_scan_fitter *joint_fitter;
    lmb_vec3 *joint_targets;
    double *joint_weights, *joint_rest;
    // nearest points
    lmb_vec3 *points, *normals, *moved, *moved_normals; ///< [vertex_count]
    double *weights;                                    ///< [vertex_count]
} lmbi_model_fit;

lmb_result lmbi_model_fit_prepare(lmbi_model_fit *f, lmb_error *error);
/// The mean shape.
void lmbi_model_fit_reset(lmbi_model_fit *f);
/// The shape of these coefficients.
void lmbi_model_fit_set_shape(lmbi_model_fit *f, const double *coefficients);
/// Costs of coefficients and bends, as the options or the kind of the scan have them.
void lmbi_model_fit_set_weights(lmbi_model_fit *f, bool registered);
/// Brings the joints near to where the scan knows them to be. False where it knows fewer than three.
bool lmbi_model_fit_joints(lmbi_model_fit *f, const lmb_body_scan *scan, lmbi_scan_pose *pose);
/// Positions of the vertices in a pose.
void lmbi_model_fit_vertices(const lmbi_model_fit *f, lmbi_scan_pose *pose, lmb_vec3 *out);

/// Pose, and shape where `with_shape`, of a scan whose vertices are the model's.
void lmbi_model_fit_registered(lmbi_model_fit *f, const lmb_body_scan *scan, bool with_shape,
                               lmbi_scan_pose *pose);
/// The same by nearest points. `starts`: from the scan's joints or the pose as it is, rotated about the vertical to where
/// it fits best.
lmb_result lmbi_model_fit_surface(lmbi_model_fit *f, const lmb_body_scan *scan, bool with_shape,
                                  bool starts, lmbi_scan_pose *pose, double *mean_square,
                                  double *worst, lmb_error *error);

#endif
