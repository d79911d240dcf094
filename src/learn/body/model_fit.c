/// A body model as the unknowns of a fit: shapes and poses, for registered scans and from known joints.
#include "learn/body/model_fit.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/body/matrix.h"

enum { STEPS = 200, JOINT_STEPS = 60, LEAST_JOINTS = 3 };
/// Default costs of coefficients and bends, in metres of root mean square distance.
static const double REGISTERED_WEIGHT = 1e-4, SURFACE_WEIGHT = 5e-4, JOINT_WEIGHT = 2e-2;

// ---- the model

static double *widen(lmbi_arena *arena, const float *from, size_t count)
{
    double *out = lmbi_arena_array(arena, count, sizeof *out);
    for (size_t k = 0; out != NULL && k < count; ++k) {
        out[k] = (double)from[k];
    }
    return out;
}

static bool copy_shapes(lmbi_model_fit *f)
{
    const lmb_body_model *m = f->model;
    const size_t n = 3 * (size_t)m->vertex_count, joints = 3 * (size_t)m->joint_count;
    f->mean = widen(&f->arena, &m->positions->x, n);
    f->directions = widen(&f->arena, &m->shape_directions->x, lmbi_size_mul(n, f->shape_count));
    f->mean_joints = lmbi_arena_array(&f->arena, joints, sizeof(double));
    f->joint_directions = lmbi_arena_array(&f->arena, joints * f->shape_count, sizeof(double));
    f->shape.rest = lmbi_arena_array(&f->arena, n, sizeof(double));
    f->shape.joints = lmbi_arena_array(&f->arena, joints, sizeof(double));
    f->shape.coefficients = lmbi_arena_array(&f->arena, f->shape_count, sizeof(double));
    if (!f->mean || !f->directions || !f->mean_joints || !f->joint_directions || !f->shape.rest ||
        !f->shape.joints || !f->shape.coefficients) {
        return false;
    }
    lmbi_scan_regress_joints(m, m->joint_count, f->mean, f->mean_joints);
    for (uint32_t k = 0; k < f->shape_count; ++k) {
        lmbi_scan_regress_joints(m, m->joint_count, f->directions + k * n,
                                 f->joint_directions + k * joints);
    }
    f->shape.vertex_directions = f->directions;
    f->shape.joint_directions = f->joint_directions;
    return true;
}

static bool copy_rows(lmbi_model_fit *f)
{
    const lmb_influences *in = &f->model->influences;
    const uint32_t n = f->model->vertex_count;
    uint32_t *joints = lmbi_arena_array(&f->arena, in->first[n], sizeof *joints);
    double *weights = lmbi_arena_array(&f->arena, in->first[n], sizeof *weights);
    for (uint32_t v = 0; joints && weights && v < n; ++v) {
        double sum = 0;
        for (uint32_t k = in->first[v]; k < in->first[v + 1]; ++k) {
            sum += (double)in->items[k].weight;
        }
        for (uint32_t k = in->first[v]; k < in->first[v + 1]; ++k) {
            joints[k] = in->items[k].joint;
            weights[k] = sum > 0 ? (double)in->items[k].weight / sum : 0;
        }
    }
    f->body.row_first = in->first;
    f->body.row_joints = joints;
    f->body.row_weights = weights;
    return joints && weights;
}

/// Correctives vertex by vertex. Those that follow the shape are left out: they are small, and STAR's alone.
static bool copy_correctives(lmbi_model_fit *f)
{
    const lmb_body_model *m = f->model;
    const size_t n = 3 * (size_t)m->vertex_count;
    const size_t count = m->feature_count - (m->feature_of_shape ? 1u : 0u);
    double *out = lmbi_arena_array(&f->arena, lmbi_size_mul(n, count), sizeof *out);
    for (size_t k = 0; out != NULL && k < count; ++k) {
        const float *from = &m->pose_directions[k * m->vertex_count].x;
        for (size_t i = 0; i < n; ++i) {
            out[i * count + k] = (double)from[i];
        }
    }
    f->body.feature_count = (uint32_t)count;
    f->body.features = m->features;
    f->body.correctives = count > 0 ? out : NULL;
    return out != NULL;
}

/// Joints as vertices: each follows its parent alone, joint 0 itself.
static bool make_joint_body(lmbi_model_fit *f)
{
    const uint32_t joints = f->model->joint_count;
    uint32_t *first = lmbi_arena_array(&f->arena, (size_t)joints + 1, sizeof *first);
    uint32_t *rows = lmbi_arena_array(&f->arena, joints, sizeof *rows);
    double *weights = lmbi_arena_array(&f->arena, joints, sizeof *weights);
    f->joint_targets = lmbi_arena_array(&f->arena, joints, sizeof *f->joint_targets);
    f->joint_weights = lmbi_arena_array(&f->arena, joints, sizeof *f->joint_weights);
    f->joint_rest = lmbi_arena_array(&f->arena, joints, 3 * sizeof(double));
    if (!first || !rows || !weights || !f->joint_targets || !f->joint_weights || !f->joint_rest) {
        return false;
    }
    for (uint32_t j = 0; j < joints; ++j) {
        first[j + 1] = j + 1;
        rows[j] = j == 0 ? 0 : (uint32_t)f->model->parents[j];
        weights[j] = 1;
    }
    f->joint_body = (lmbi_scan_body){.vertex_count = joints,
                                     .joint_count = joints,
                                     .parents = f->model->parents,
                                     .row_first = first,
                                     .row_joints = rows,
                                     .row_weights = weights};
    // All at once, as joint 0 moves them: on the short bones of a pelvis, joints that are a little off would tell anything.
    f->rigid_body = f->joint_body;
    f->rigid_body.row_joints = lmbi_arena_array(&f->arena, joints, sizeof *rows);
    if (f->rigid_body.row_joints == NULL) {
        return false;
    }
    f->joint_fitter = lmbi_scan_fitter_create(&f->joint_body, f->shape_count, &f->arena);
    return f->joint_fitter != NULL;
}

lmb_result lmbi_model_fit_prepare(lmbi_model_fit *f, lmb_error *error)
{
    const lmb_body_model *m = f->model;
    const size_t n = m->vertex_count;
    f->shape_count = f->opts.shape_count > 0 && f->opts.shape_count < m->shape_count
                         ? f->opts.shape_count
                         : m->shape_count;
    f->body.vertex_count = m->vertex_count;
    f->body.joint_count = m->joint_count;
    f->body.parents = m->parents;
    f->points = lmbi_arena_array(&f->arena, n, sizeof(lmb_vec3));
    f->normals = lmbi_arena_array(&f->arena, n, sizeof(lmb_vec3));
    f->moved = lmbi_arena_array(&f->arena, n, sizeof(lmb_vec3));
    f->moved_normals = lmbi_arena_array(&f->arena, n, sizeof(lmb_vec3));
    f->weights = lmbi_arena_array(&f->arena, n, sizeof(double));
    if (!f->points || !f->normals || !f->moved || !f->moved_normals || !f->weights ||
        !copy_shapes(f) || !copy_rows(f) || !copy_correctives(f) || !make_joint_body(f)) {
        return lmbi_fail_memory(error);
    }
    f->fitter = lmbi_scan_fitter_create(&f->body, f->shape_count, &f->arena);
    f->rigid_fitter = lmbi_scan_fitter_create(&f->body, 0, &f->arena);
    for (size_t c = 0; c < 3; ++c) {
        double low = f->mean[c], high = low;
        for (size_t v = 0; v < n; ++v) {
            low = fmin(low, f->mean[3 * v + c]);
            high = fmax(high, f->mean[3 * v + c]);
        }
        f->height = fmax(f->height, high - low);
    }
    return f->fitter && f->rigid_fitter ? LMB_OK : lmbi_fail_memory(error);
}

void lmbi_model_fit_set_shape(lmbi_model_fit *f, const double *coefficients)
{
    const size_t n = 3 * (size_t)f->body.vertex_count, joints = 3 * (size_t)f->body.joint_count;
    memcpy(f->shape.rest, f->mean, n * sizeof(double));
    memcpy(f->shape.joints, f->mean_joints, joints * sizeof(double));
    for (uint32_t k = 0; k < f->shape_count; ++k) {
        const double by = coefficients ? coefficients[k] : 0;
        f->shape.coefficients[k] = by;
        for (size_t i = 0; i < n; ++i) {
            f->shape.rest[i] += by * f->directions[k * n + i];
        }
        for (size_t i = 0; i < joints; ++i) {
            f->shape.joints[i] += by * f->joint_directions[k * joints + i];
        }
    }
}

void lmbi_model_fit_reset(lmbi_model_fit *f)
{
    lmbi_model_fit_set_shape(f, NULL);
}

void lmbi_model_fit_vertices(const lmbi_model_fit *f, lmbi_scan_pose *pose, lmb_vec3 *out)
{
    lmbi_scan_pose_update(&f->body, f->shape.joints, pose);
    for (uint32_t v = 0; v < f->body.vertex_count; ++v) {
        const lmbi_scan_blend b = lmbi_scan_vertex_blend(&f->body, f->shape.joints, pose, v);
        double rest[3], at[3];
        lmbi_scan_vertex_rest(&f->body, f->shape.rest, pose, v, rest);
        lmbi_m3_point(b.blend, rest, at);
        out[v] = lmb_vec3_make((float)(at[0] + b.offset[0]), (float)(at[1] + b.offset[1]),
                               (float)(at[2] + b.offset[2]));
    }
}

// ---- fits whose targets are known

static double weight_of(float given_mm, double by_default)
{
    const double w = given_mm > 0 ? 1e-3 * (double)given_mm : by_default;
    return w * w;
}

/// Costs are mean squares. A joint bent by a right angle has a squared sine of half an angle of 1/2.
void lmbi_model_fit_set_weights(lmbi_model_fit *f, bool registered)
{
    const double by_default = registered ? REGISTERED_WEIGHT : SURFACE_WEIGHT;
    f->shape.coefficient_weight = weight_of(f->opts.shape_weight_mm, by_default);
    f->shape.pose_weight = 2 * weight_of(f->opts.pose_weight_mm, by_default);
}

void lmbi_model_fit_registered(lmbi_model_fit *f, const lmb_body_scan *scan, bool with_shape,
                               lmbi_scan_pose *pose)
{
    const lmbi_scan_target target = {.positions = scan->positions};
    f->shape.direction_count = with_shape ? f->shape_count : 0;
    lmbi_model_fit_set_weights(f, true);
    lmbi_scan_pose_start(&f->body, &f->shape, &target, pose);
    lmbi_scan_fit(with_shape ? f->fitter : f->rigid_fitter, &f->shape, &target, STEPS, pose);
}

bool lmbi_model_fit_joints(lmbi_model_fit *f, const lmb_body_scan *scan, lmbi_scan_pose *pose)
{
    uint32_t known = 0;
    for (uint32_t j = 0; scan->joints != NULL && j < f->body.joint_count; ++j) {
        f->joint_targets[j] = scan->joints[j];
        f->joint_weights[j] = scan->has_joint[j] != 0;
        known += scan->has_joint[j] != 0;
    }
    if (known < LEAST_JOINTS) {
        return false;
    }
    lmbi_scan_shape shape = f->shape;
    const lmbi_scan_target target = {.positions = f->joint_targets, .weights = f->joint_weights};
    shape.rest = f->joint_rest;
    memcpy(shape.rest, f->shape.joints, 3 * (size_t)f->body.joint_count * sizeof(double));
    shape.direction_count = f->shape_count;
    shape.vertex_directions = f->joint_directions;
    shape.coefficient_weight = JOINT_WEIGHT * JOINT_WEIGHT;
    shape.pose_weight = 2 * JOINT_WEIGHT * JOINT_WEIGHT;
    lmbi_scan_pose_start(&f->rigid_body, &shape, &target, pose);
    lmbi_scan_pose_update(&f->joint_body, shape.joints, pose);
    lmbi_scan_fit(f->joint_fitter, &shape, &target, JOINT_STEPS, pose);
    lmbi_model_fit_set_shape(f, f->shape.coefficients);
    return true;
}
