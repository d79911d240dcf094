/// Normal equations of the calibration. Each pose is eliminated on its own (Schur complement).
#include <math.h>
#include <string.h>

#include "capture/fit.h"
#include "linalg/linalg.h"

// Standard deviations of the priors, in metres: of a marker's offset, of the position of a joint
// that begins a limb, and of one that a point is named after. Of a length, as a fraction.
#define OFFSET_SPREAD 0.03
#define POSITION_SPREAD 0.05
#define NAMED_SPREAD 0.25
#define LENGTH_SPREAD 0.05
#define POSE_DAMPING 1e-5 ///< m²/rad²

/// Three Jacobian rows of one point.
typedef struct row {
    double *values; ///< [3][width]
    uint32_t width;
} row;

static void add_derivative(row r, uint32_t column, lmb_vec3 v)
{
    r.values[column] += (double)v.x;
    r.values[r.width + column] += (double)v.y;
    r.values[2 * (size_t)r.width + column] += (double)v.z;
}

static lmb_vec3 axis(const lmb_mat4 *m, int k)
{
    return lmb_vec3_make(m->m[4 * k], m->m[4 * k + 1], m->m[4 * k + 2]);
}

static void add_translation_derivatives(row r, uint32_t column, const lmb_mat4 *m)
{
    for (uint32_t k = 0; k < 3; ++k) {
        add_derivative(r, column + k, axis(m, (int)k));
    }
}

static bool is_hinge(const lmbi_fit_subject *s, uint32_t joint)
{
    return s->hinges != NULL && s->hinges[joint].kind == LMB_JOINT_HINGE;
}

/// Adds derivatives by the joint's rotation, about axes in model space.
static void add_rotation_derivatives(const lmbi_calibration *cal, row pose, uint32_t joint,
                                     const lmb_mat4 *m, lmb_vec3 arm)
{
    const lmbi_fit_subject *s = &cal->fit->subject;
    const uint32_t column = cal->dof_of[joint];
    if (s->hinges != NULL && s->hinges[joint].kind == LMB_JOINT_FIXED) {
        return;
    }
    if (is_hinge(s, joint)) {
        // A hinge's axis is the same in the joint's present and rest frames.
        const lmb_vec3 a = lmb_vec3_normalize_or(lmb_mat4_vector(m[joint], s->hinges[joint].axis),
                                                 lmb_vec3_make(0, 0, 0));
        add_derivative(pose, column, lmb_vec3_cross(a, arm));
        return;
    }
    if (s->hinges != NULL && s->hinges[joint].kind == LMB_JOINT_BALL) {
        // An elbow bends about an axis of the upper arm and twists about the forearm.
        const lmb_vec3 side = lmb_quat_rotate(s->rest[joint].rotation, s->hinges[joint].side),
                       none = {0, 0, 0};
        const lmb_mat4 *above = &m[s->skeleton.parents[joint]];
        const lmb_vec3 a = lmb_vec3_normalize_or(lmb_mat4_vector(*above, side), none),
                       b = lmb_vec3_normalize_or(lmb_mat4_vector(m[joint], s->hinges[joint].axis),
                                                 none);
        add_derivative(pose, column, lmb_vec3_cross(a, arm));
        add_derivative(pose, column + 1, lmb_vec3_cross(b, arm));
        return;
    }
    add_derivative(pose, column, lmb_vec3_make(0, -arm.z, arm.y));
    add_derivative(pose, column + 1, lmb_vec3_make(arm.z, 0, -arm.x));
    add_derivative(pose, column + 2, lmb_vec3_make(-arm.y, arm.x, 0));
}

/// Jacobian rows of point m with respect to pose and constants, and its position. fit->model has
/// the pose's matrices.
static lmb_vec3 linearize(const lmbi_calibration *cal, uint32_t m, row pose, row constant)
{
    const lmbi_fitting *fit = cal->fit;
    const lmbi_fit_subject *s = &fit->subject;
    const lmb_mat4 *model = fit->model;
    const lmb_vec3 at = lmbi_fit_point_at(fit, model, m);
    for (uint32_t k = 0; k < 3; ++k) {
        pose.values[k * pose.width + k] = 1;
    }
    for (int32_t j = fit->attachments[m].joint; j >= (int32_t)s->root; j = s->skeleton.parents[j]) {
        add_rotation_derivatives(cal, pose, (uint32_t)j, model,
                                 lmb_vec3_sub(at, lmb_mat4_translation(model[j])));
        const int32_t parent = s->skeleton.parents[j];
        if (cal->group_of[j] >= 0) {
            const uint32_t g = (uint32_t)cal->group_of[j];
            uint32_t c = 0;
            while (cal->constants[c].kind != CONSTANT_LENGTHS || cal->constants[c].subject != g) {
                ++c;
            }
            add_derivative(constant, cal->constants[c].column,
                           lmb_mat4_vector(model[parent], cal->initial[j]));
        } else if (cal->position_of[j] >= 0) {
            add_translation_derivatives(constant, cal->constants[cal->position_of[j]].column,
                                        &model[parent]);
        }
    }
    if (cal->offset_of[m] >= 0) {
        add_translation_derivatives(constant, cal->constants[cal->offset_of[m]].column,
                                    &model[fit->attachments[m].joint]);
    }
    return at;
}

static void add_outer_product(const double *u, uint32_t n, const double *v, uint32_t width,
                              double w, double *out, size_t stride)
{
    for (uint32_t i = 0; i < n; ++i) {
        if (u[i] != 0) {
            double *to = out + i * stride;
            for (uint32_t k = 0; k < width; ++k) {
                to[k] += w * u[i] * v[k];
            }
        }
    }
}

/// A row of a Jacobian by its entries that are not zero: those of one chain of joints.
typedef struct sparse_row {
    const double *values;
    const uint32_t *columns;
    uint32_t count;
} sparse_row;

static sparse_row find_entries(const double *values, uint32_t width, uint32_t *columns)
{
    sparse_row out = {values, columns, 0};
    for (uint32_t i = 0; i < width; ++i) {
        columns[out.count] = i;
        out.count += values[i] != 0;
    }
    return out;
}

static void add_sparse_product(sparse_row u, sparse_row v, double w, double *out, size_t stride)
{
    for (uint32_t i = 0; i < u.count; ++i) {
        double *to = out + u.columns[i] * stride;
        const double times = w * u.values[u.columns[i]];
        for (uint32_t k = 0; k < v.count; ++k) {
            to[v.columns[k]] += times * v.values[v.columns[k]];
        }
    }
}

static void add_point(lmbi_calibration *cal, uint32_t m, lmb_vec3 target)
{
    const uint32_t n = cal->dof_count, g = cal->columns;
    memset(cal->row_pose, 0, 3 * (size_t)n * sizeof(double));
    memset(cal->row_constant, 0, 3 * (size_t)g * sizeof(double));
    const row pose = {cal->row_pose, n}, constant = {cal->row_constant, g};
    const lmb_vec3 r = lmb_vec3_sub(target, linearize(cal, m, pose, constant));
    const double s2 = (double)cal->error_scale * (double)cal->error_scale;
    const double q = s2 / (s2 + (double)lmb_vec3_dot(r, r)), w = q * q;
    cal->squares += w * (double)lmb_vec3_dot(r, r);
    cal->weights += w;
    const double residual[3] = {(double)r.x, (double)r.y, (double)r.z};
    for (uint32_t k = 0; k < 3; ++k) {
        const double *p = pose.values + (size_t)k * n, *c = constant.values + (size_t)k * g;
        const sparse_row by_pose = find_entries(p, n, cal->entries),
                         by_constant = find_entries(c, g, cal->entries + n);
        add_sparse_product(by_pose, by_pose, w, cal->a, n);
        add_sparse_product(by_pose, by_constant, w, cal->b, g + 1);
        add_sparse_product(by_constant, by_constant, w, cal->c, g);
        for (uint32_t i = 0; i < n; ++i) {
            cal->b[i * (size_t)(g + 1) + g] += w * p[i] * residual[k];
        }
        for (uint32_t i = 0; i < g; ++i) {
            cal->rhs[i] += w * c[i] * residual[k];
        }
    }
}

/// Eliminates a frame's pose: C -= B' A^-1 B, and the right-hand side likewise.
static bool eliminate_pose(lmbi_calibration *cal)
{
    const uint32_t n = cal->dof_count, g = cal->columns, width = g + 1;
    for (uint32_t i = 0; i < n; ++i) {
        cal->a[(size_t)i * n + i] += POSE_DAMPING;
    }
    memcpy(cal->x, cal->b, (size_t)n * width * sizeof(double));
    if (lmbi_dense_solve(cal->a, n, cal->x, width, NULL) != LMB_OK) {
        return false;
    }
    for (uint32_t i = 0; i < n; ++i) {
        const double *b = cal->b + (size_t)i * width, *x = cal->x + (size_t)i * width;
        add_outer_product(b, g, x, g, -1, cal->c, g);
        for (uint32_t k = 0; k < g; ++k) {
            cal->rhs[k] -= b[k] * x[g];
        }
    }
    return true;
}

static bool add_frame(lmbi_calibration *cal, uint32_t k)
{
    lmbi_fitting *fit = cal->fit;
    const uint32_t n = cal->dof_count, g = cal->columns;
    const size_t row_of_frame = (size_t)cal->frames[k] * fit->point_count;
    memset(cal->a, 0, (size_t)n * n * sizeof(double));
    memset(cal->b, 0, (size_t)n * (g + 1) * sizeof(double));
    lmbi_subject_model(&fit->subject, cal->poses + (size_t)k * fit->subject.count, fit->model);
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        if (fit->attachments[m].joint >= 0 && fit->seen[row_of_frame + m]) {
            add_point(cal, m, fit->points[row_of_frame + m]);
        }
    }
    return eliminate_pose(cal);
}

static void add_prior(lmbi_calibration *cal, uint32_t column, double weight, double offset)
{
    cal->c[(size_t)column * cal->columns + column] += weight;
    cal->rhs[column] -= weight * offset;
}

static double position_spread(const lmbi_fitting *fit, uint32_t joint)
{
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        if (fit->attachments[m].joint == (int32_t)joint && fit->attachments[m].exact) {
            return NAMED_SPREAD;
        }
    }
    return POSITION_SPREAD;
}

/// Length-weighted mean factor, which lengths without points are pulled to.
static double common_factor(const lmbi_calibration *cal)
{
    double sum = 0, weights = 0;
    for (uint32_t i = 0; i < cal->constant_count; ++i) {
        const lmbi_constant *c = &cal->constants[i];
        if (c->kind == CONSTANT_LENGTHS) {
            const double length = (double)lmb_vec3_length(c->initial);
            sum += length * cal->factor[c->subject];
            weights += length;
        }
    }
    return weights > 0 ? sum / weights : 1;
}

/// Adds the priors, each weighted by noise² over its variance.
static void add_priors(lmbi_calibration *cal)
{
    const lmbi_fitting *fit = cal->fit;
    const double noise = cal->noise * cal->noise, common = common_factor(cal);
    for (uint32_t i = 0; i < cal->constant_count; ++i) {
        const lmbi_constant *c = &cal->constants[i];
        if (c->kind == CONSTANT_LENGTHS) {
            const double spread = fit->opts->keep_lengths ? 10 : LENGTH_SPREAD;
            add_prior(cal, c->column, noise / (spread * spread), cal->factor[c->subject] - common);
            continue;
        }
        const bool is_position = c->kind == CONSTANT_POSITION;
        const lmb_vec3 now = is_position ? fit->subject.rest[c->subject].translation
                                         : fit->attachments[c->subject].offset;
        const lmb_vec3 d = lmb_vec3_mad(now, c->initial, -(float)common);
        const double spread = is_position ? position_spread(fit, c->subject)
                              : fit->attachments[c->subject].by_motion ? 1
                                                                       : OFFSET_SPREAD;
        const double w = noise / (spread * spread);
        add_prior(cal, c->column, w, (double)d.x);
        add_prior(cal, c->column + 1, w, (double)d.y);
        add_prior(cal, c->column + 2, w, (double)d.z);
    }
}

static lmb_vec3 add_bounded_step(lmb_vec3 v, const double *step, float limit, float *largest)
{
    lmb_vec3 d = {(float)step[0], (float)step[1], (float)step[2]};
    const float length = lmb_vec3_length(d);
    *largest = fmaxf(*largest, length);
    return lmb_vec3_mad(v, d, length > limit ? limit / length : 1);
}

static void apply_step(lmbi_calibration *cal, float *largest)
{
    lmbi_fitting *fit = cal->fit;
    const float limit = 0.05f * fit->subject.height;
    *largest = 0;
    for (uint32_t i = 0; i < cal->constant_count; ++i) {
        const lmbi_constant *c = &cal->constants[i];
        const double *step = cal->rhs + c->column;
        if (c->kind == CONSTANT_LENGTHS) {
            *largest = fmaxf(*largest, (float)fabs(step[0]) * lmb_vec3_length(c->initial));
            cal->factor[c->subject] += fmax(-0.2, fmin(0.2, step[0]));
            cal->factor[c->subject] = fmax(0.3, fmin(3, cal->factor[c->subject]));
        } else if (c->kind == CONSTANT_POSITION) {
            lmb_vec3 *t = &fit->subject.rest[c->subject].translation;
            *t = add_bounded_step(*t, step, limit, largest);
        } else {
            lmb_vec3 *o = &fit->attachments[c->subject].offset;
            *o = add_bounded_step(*o, step, limit, largest);
        }
    }
    for (uint32_t j = 0; j < fit->subject.count; ++j) {
        if (cal->group_of[j] >= 0) {
            fit->subject.rest[j].translation =
                lmb_vec3_scale(cal->initial[j], (float)cal->factor[cal->group_of[j]]);
        }
    }
}

bool lmbi_calibration_step(lmbi_calibration *cal, float *largest)
{
    const size_t g = cal->columns;
    memset(cal->c, 0, g * g * sizeof(double));
    memset(cal->rhs, 0, g * sizeof(double));
    cal->squares = cal->weights = 0;
    for (uint32_t k = 0; k < cal->frame_count; ++k) {
        if (!add_frame(cal, k)) {
            return false;
        }
    }
    add_priors(cal);
    if (lmbi_dense_solve(cal->c, cal->columns, cal->rhs, 1, NULL) != LMB_OK) {
        return false;
    }
    apply_step(cal, largest);
    return true;
}
