/// Levenberg-Marquardt over all poses of a window, with a banded Cholesky factor. Accelerations
/// couple poses two samples apart, one degree of freedom at a time, so the band is two poses wide.
#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "capture/lift.h"
#include "linalg/banded.h"

#define LIMIT_WEIGHT 400.0 ///< of a squared radian past a limit: standard deviation 0.05 rad
#define PRIOR_S 0.3        ///< seconds between independent evaluations of the pose prior
/// of a squared metre that a planted foot is off: standard deviation 1 cm
#define PLANTED_WEIGHT 1e4
#define UPRIGHT_WEIGHT \
    50.0                 ///< of a squared radian that the hips lean: standard deviation 8 degrees
#define FIXED_WEIGHT 1e9 ///< added to the diagonal of fixed unknowns
#define OUTLIER 6.0      ///< standard deviations beyond which a keypoint's weight falls

typedef struct solver {
    lmbi_lifting *lift;
    const lmbi_window *window;
    uint32_t n, band; ///< degrees of freedom of a pose; columns of a row of the factor
    size_t size;
    double *matrix; ///< [size][band + 1] lower band, the diagonal last
    double *factor, *gradient, *step;
    double prior;   ///< weight of the prior in one of many similar poses
    double *row[3]; ///< Jacobian of one keypoint: u, v and z, [n] each
    lmb_transform *trial;
} solver;

static lmb_transform *pose_at(const solver *s, lmb_transform *poses, uint32_t k)
{
    return poses + (size_t)k * s->lift->subject.count;
}

static uint32_t frame_at(const solver *s, uint32_t k)
{
    return s->window->first_frame + k * s->window->step;
}

static lmb_vec3 rotation_log(lmb_quat from, lmb_quat to)
{
    lmb_quat q = lmb_quat_mul(to, lmb_quat_conjugate(from));
    if (q.w < 0) {
        q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
    }
    const lmb_vec3 v = {q.x, q.y, q.z};
    const float sine = lmb_vec3_length(v);
    const float factor = sine > 1e-6f ? 2 * lmb_atan2(sine, q.w) / sine : 2;
    return lmb_vec3_scale(v, factor);
}

static lmb_quat rotation_exp(lmb_vec3 v)
{
    const float angle = lmb_vec3_length(v);
    return angle > 1e-9f ? lmb_quat_axis_angle(lmb_vec3_scale(v, 1 / angle), angle)
                         : lmb_quat_identity();
}

static double *entry(const solver *s, double *matrix, size_t row, size_t column)
{
    return &matrix[row * (s->band + 1) + (s->band - (row - column))];
}

// ------------------------------------------------------------------------------------- residuals

/// Jacobian rows u, v and z of a landmark, and its projection. False where it is behind the camera.
static bool linearize_projection(solver *s, const lmbi_landmark *landmark, double *u, double *v)
{
    const lmbi_lifting *lift = s->lift;
    const lmb_mat4 *model = lift->model;
    const lmb_vec3 p = lmb_mat4_point(model[landmark->joint], landmark->offset);
    if (!lmbi_lift_project(lift, p, u, v)) {
        return false;
    }
    const double z = -(double)p.z, f = lift->focal / z;
    memset(s->row[0], 0, s->n * sizeof(double));
    memset(s->row[1], 0, s->n * sizeof(double));
    memset(s->row[2], 0, s->n * sizeof(double));
    for (int32_t j = landmark->joint; j >= (int32_t)lift->subject.root;
         j = lift->subject.skeleton.parents[j]) {
        const uint32_t first = lift->first_freedom[j];
        for (uint32_t i = first; i < s->n && lift->freedoms[i].joint == j; ++i) {
            const int32_t parent = lift->subject.skeleton.parents[j];
            const lmb_vec3 axis = parent < 0
                                      ? lift->freedoms[i].axis
                                      : lmb_mat4_vector(model[parent], lift->freedoms[i].axis);
            const lmb_vec3 d =
                lmb_vec3_cross(axis, lmb_vec3_sub(p, lmb_mat4_translation(model[j])));
            s->row[0][i] = f * (double)d.x + *u / z * (double)d.z;
            s->row[1][i] = -f * (double)d.y + *v / z * (double)d.z;
            s->row[2][i] = (double)d.z;
        }
    }
    s->row[0][0] = f;
    s->row[0][2] = *u / z;
    s->row[1][1] = -f;
    s->row[1][2] = *v / z;
    s->row[2][2] = 1;
    return true;
}

static void add_row(solver *s, uint32_t k, const double *row, double weight, double residual)
{
    const size_t base = (size_t)k * s->n;
    for (uint32_t i = 0; i < s->n; ++i) {
        if (row[i] != 0) {
            s->gradient[base + i] += weight * row[i] * residual;
            for (uint32_t j = 0; j <= i; ++j) {
                *entry(s, s->matrix, base + i, base + j) += weight * row[i] * row[j];
            }
        }
    }
}

/// Pulls a landmark to the depth that was solved from bone lengths.
static double add_known_depth(solver *s, uint32_t k, int keypoint, double z, bool fill)
{
    const lmbi_lifting *lift = s->lift;
    const float expected =
        lift->joint_depths != NULL
            ? lift->joint_depths[(size_t)frame_at(s, k) * LMB_KEYPOINT_COUNT + (size_t)keypoint]
            : 0;
    if (!(expected > 0)) {
        return 0;
    }
    const double weight = 1 / (lift->joint_depth_spread * lift->joint_depth_spread),
                 residual = -(double)expected - z;
    if (fill) {
        add_row(s, k, s->row[2], weight, residual);
    }
    return weight * residual * residual;
}

/// Reprojection error of one frame with the weight of Geman and McClure, the keypoints' noise and
/// confidence.
static double add_keypoints(solver *s, uint32_t k, bool fill)
{
    const lmbi_lifting *lift = s->lift;
    const size_t row = (size_t)frame_at(s, k) * LMB_KEYPOINT_COUNT;
    double cost = 0;
    for (int m = 0; m < LMB_KEYPOINT_COUNT; ++m) {
        const lmbi_landmark *landmark = &lift->landmarks[m];
        const float confidence = lift->confidence[row + (size_t)m];
        double u, v;
        if (landmark->joint < 0 || !(confidence > 0.05f)) {
            continue;
        }
        if (!linearize_projection(s, landmark, &u, &v)) {
            cost += 1e6;
            continue;
        }
        const double residual[2] = {(double)lift->points[row + (size_t)m].x - u,
                                    (double)lift->points[row + (size_t)m].y - v};
        // The outlier scale follows the noise; the part of the focal length keeps all points in
        // play while the poses are still far off.
        const double scale = OUTLIER * lift->noise + 0.1 * lift->focal;
        const double r2 = residual[0] * residual[0] + residual[1] * residual[1], g = scale * scale;
        const lmb_vec3 at = lmb_mat4_translation(lift->model[landmark->joint]);
        const double spread_px =
            (double)landmark->spread_m * lift->focal / fmax(-(double)at.z, 0.1);
        const double base =
            (double)confidence / (lift->noise * lift->noise + spread_px * spread_px);
        cost += base * r2 * g / (g + r2);
        if (fill) {
            const double q = g / (g + r2);
            add_row(s, k, s->row[0], base * q * q, residual[0]);
            add_row(s, k, s->row[1], base * q * q, residual[1]);
        }
        const lmb_vec3 position = lmb_mat4_point(lift->model[landmark->joint], landmark->offset);
        cost += add_known_depth(s, k, m, (double)position.z, fill);
    }
    return cost;
}

/// Pulls the hips towards upright.
static double add_upright(solver *s, const lmb_transform *local, uint32_t k, bool fill)
{
    const lmbi_fit_subject *body = &s->lift->subject;
    static const lmb_vec3 y = {0, 1, 0};
    const lmb_vec3 up = s->lift->up;
    const uint32_t first = s->lift->first_freedom[body->root];
    const lmb_vec3 now =
        lmb_quat_rotate(local[body->root].rotation,
                        lmb_quat_rotate(lmb_quat_conjugate(body->rest[body->root].rotation), y));
    const lmb_vec3 off = lmb_vec3_cross(now, up);
    const double weight = UPRIGHT_WEIGHT;
    for (uint32_t i = first; fill && i < first + 3 && i < s->n; ++i) {
        const size_t row = (size_t)k * s->n + i;
        *entry(s, s->matrix, row, row) += weight;
        s->gradient[row] += weight * (double)lmb_vec3_dot(off, s->lift->freedoms[i].axis);
    }
    return weight * (double)lmb_vec3_dot(off, off);
}

/// Pulls the hips to the depth estimated from the body's size. Without it noise would draw the body
/// nearer, where bones have more room.
static double add_depth(solver *s, const lmb_transform *local, uint32_t k, bool fill)
{
    const lmbi_lifting *lift = s->lift;
    const double depth = (double)lift->depth[frame_at(s, k)];
    const double spread = lift->depth_spread * depth, weight = 1 / (spread * spread);
    const double off = -depth - (double)local[lift->subject.root].translation.z;
    if (fill) {
        const size_t row = (size_t)k * s->n + 2;
        *entry(s, s->matrix, row, row) += weight;
        s->gradient[row] += weight * off;
    }
    return weight * off * off;
}

static double add_pose_prior(solver *s, const lmb_transform *local, uint32_t k, bool fill)
{
    const lmbi_lifting *lift = s->lift;
    const lmbi_fit_subject *body = &lift->subject;
    const size_t base = (size_t)k * s->n;
    double cost = 0;
    for (uint32_t i = 3; i < s->n; ++i) {
        const lmbi_pose_freedom *f = &lift->freedoms[i];
        const lmb_transform *rest = &body->rest[f->joint];
        const lmb_vec3 off =
            rotation_log(local[f->joint].rotation, lift->mean_pose[f->joint].rotation);
        double r = (double)lmb_vec3_dot(off, f->axis);
        const double weight = (f->is_trunk ? 1 : s->prior) * f->rest_weight,
                     limit_weight = s->prior * LIMIT_WEIGHT;
        cost += weight * r * r;
        if (fill) {
            *entry(s, s->matrix, base + i, base + i) += weight;
            s->gradient[base + i] += weight * r;
        }
        if (body->limits == NULL || body->limits[f->joint].kind == LMB_JOINT_FREE) {
            continue;
        }
        const lmb_quat since =
            lmb_quat_mul(lmb_quat_conjugate(rest->rotation), local[f->joint].rotation);
        const lmb_quat inside =
            lmb_quat_mul(rest->rotation, lmbi_joint_limit_clamp(&body->limits[f->joint], since));
        r = (double)lmb_vec3_dot(rotation_log(local[f->joint].rotation, inside), f->axis);
        if (fabs(r) > 1e-5) {
            cost += limit_weight * r * r;
            if (fill) {
                *entry(s, s->matrix, base + i, base + i) += limit_weight;
                s->gradient[base + i] += limit_weight * r;
            }
        }
    }
    return cost;
}

static double step_of(const lmbi_pose_freedom *f, const lmb_transform *a, const lmb_transform *b,
                      uint32_t root)
{
    if (f->joint < 0) {
        return (double)lmb_vec3_dot(f->axis,
                                    lmb_vec3_sub(b[root].translation, a[root].translation));
    }
    return (double)lmb_vec3_dot(f->axis, rotation_log(a[f->joint].rotation, b[f->joint].rotation));
}

/// Second difference over frames k - 1, k, k + 1.
static double add_smoothness(solver *s, lmb_transform *poses, uint32_t k, bool fill)
{
    const lmbi_lifting *lift = s->lift;
    const lmb_transform *a = pose_at(s, poses, k - 1), *b = pose_at(s, poses, k),
                        *c = pose_at(s, poses, k + 1);
    static const double d[3] = {1, -2, 1};
    const double step = s->window->step, scale = 1 / (step * step * step * step);
    double cost = 0;
    for (uint32_t i = 0; i < s->n; ++i) {
        const lmbi_pose_freedom *f = &lift->freedoms[i];
        const double weight = f->smooth_weight * scale;
        const double r =
            step_of(f, b, c, lift->subject.root) - step_of(f, a, b, lift->subject.root);
        cost += weight * r * r;
        for (uint32_t p = 0; fill && p < 3; ++p) {
            const size_t row = (size_t)(k - 1 + p) * s->n + i;
            s->gradient[row] -= weight * d[p] * r;
            for (uint32_t q = 0; q <= p; ++q) {
                *entry(s, s->matrix, row, row - (size_t)(p - q) * s->n) += weight * d[p] * d[q];
            }
        }
    }
    return cost;
}

/// Keeps planted feet in place.
static double add_planted(solver *s, uint32_t k, bool fill)
{
    const lmbi_lifting *lift = s->lift;
    double cost = 0;
    for (uint32_t c = 0; c < lift->planted_count; ++c) {
        const lmbi_planted_point *planted = &lift->planted[c];
        if (frame_at(s, k) < planted->begin || frame_at(s, k) >= planted->end) {
            continue;
        }
        const lmb_vec3 p = lmb_mat4_point(lift->model[planted->joint], planted->offset);
        const lmb_vec3 off = lmb_vec3_sub(planted->position, p);
        cost += PLANTED_WEIGHT * (double)lmb_vec3_dot(off, off);
        for (int axis = 0; fill && axis < 3; ++axis) {
            memset(s->row[0], 0, s->n * sizeof(double));
            s->row[0][axis] = 1;
            for (int32_t j = planted->joint; j >= (int32_t)lift->subject.root;
                 j = lift->subject.skeleton.parents[j]) {
                for (uint32_t i = lift->first_freedom[j]; i < s->n && lift->freedoms[i].joint == j;
                     ++i) {
                    const int32_t parent = lift->subject.skeleton.parents[j];
                    const lmb_vec3 axis_in_model =
                        parent < 0 ? lift->freedoms[i].axis
                                   : lmb_mat4_vector(lift->model[parent], lift->freedoms[i].axis);
                    const lmb_vec3 d = lmb_vec3_cross(
                        axis_in_model, lmb_vec3_sub(p, lmb_mat4_translation(lift->model[j])));
                    s->row[0][i] = (double)(axis == 0 ? d.x : axis == 1 ? d.y : d.z);
                }
            }
            const double residual = (double)(axis == 0 ? off.x : axis == 1 ? off.y : off.z);
            add_row(s, k, s->row[0], PLANTED_WEIGHT, residual);
        }
    }
    return cost;
}

/// Whether the body jumps between poses k and k + 1.
static bool has_cut(const solver *s, uint32_t k)
{
    for (uint32_t f = frame_at(s, k); f < frame_at(s, k + 1); ++f) {
        if (s->lift->cuts[f + 1]) {
            return true;
        }
    }
    return false;
}

static double evaluate_cost(solver *s, lmb_transform *poses, bool fill)
{
    double cost = 0;
    if (fill) {
        memset(s->matrix, 0, s->size * (s->band + 1) * sizeof(double));
        memset(s->gradient, 0, s->size * sizeof(double));
    }
    for (uint32_t k = 0; k < s->window->count; ++k) {
        const lmb_transform *local = pose_at(s, poses, k);
        lmbi_subject_model(&s->lift->subject, local, s->lift->model);
        cost += add_keypoints(s, k, fill) + add_pose_prior(s, local, k, fill);
        cost += add_depth(s, local, k, fill);
        cost += add_planted(s, k, fill) + add_upright(s, local, k, fill);
        if (s->window->smooth && k > 0 && k + 1 < s->window->count && !has_cut(s, k - 1) &&
            !has_cut(s, k)) {
            cost += add_smoothness(s, poses, k, fill);
        }
    }
    return cost;
}

// ----------------------------------------------------------------------------------------- a step

/// Solves the damped normal equations. False where they are not positive definite.
static bool solve_step(solver *s, double damping)
{
    const lmbi_banded factor = {s->factor, s->size, s->band};
    memcpy(s->factor, s->matrix, s->size * (s->band + 1) * sizeof(double));
    for (size_t i = 0; i < s->size; ++i) {
        double *diagonal = lmbi_banded_at(&factor, i, i);
        *diagonal +=
            damping * (*diagonal + 1e-6) + (i < (size_t)s->window->fixed * s->n ? FIXED_WEIGHT : 0);
    }
    if (!lmbi_banded_factor(&factor)) {
        return false;
    }
    memcpy(s->step, s->gradient, s->size * sizeof(double));
    lmbi_banded_solve(&factor, s->step);
    return true;
}

static void apply_step(const solver *s, lmb_transform *poses)
{
    const lmbi_lifting *lift = s->lift;
    for (uint32_t k = s->window->fixed; k < s->window->count; ++k) {
        lmb_transform *local = pose_at(s, poses, k);
        const double *step = s->step + (size_t)k * s->n;
        lmb_vec3 *position = &local[lift->subject.root].translation;
        *position =
            lmb_vec3_add(*position, lmb_vec3_make((float)step[0], (float)step[1], (float)step[2]));
        for (uint32_t i = 3; i < s->n;) {
            const int32_t joint = lift->freedoms[i].joint;
            lmb_vec3 rotation = {0, 0, 0};
            for (; i < s->n && lift->freedoms[i].joint == joint; ++i) {
                rotation = lmb_vec3_mad(rotation, lift->freedoms[i].axis, (float)step[i]);
            }
            const float angle = lmb_vec3_length(rotation);
            rotation = angle > 0.6f ? lmb_vec3_scale(rotation, 0.6f / angle) : rotation;
            local[joint].rotation =
                lmb_quat_normalize(lmb_quat_mul(rotation_exp(rotation), local[joint].rotation));
        }
    }
}

static bool init_solver(solver *s, lmbi_lifting *lift, const lmbi_window *window,
                        lmbi_arena *scratch)
{
    *s = (solver){.lift = lift, .window = window, .n = lift->freedom_count};
    s->size = (size_t)s->n * window->count;
    s->prior = window->smooth ? fmin((double)window->step / ((double)lift->rate * PRIOR_S), 1) : 1;
    s->band = window->smooth ? 2 * s->n : s->n - 1;
    s->matrix = lmbi_arena_array(scratch, s->size * (s->band + 1), sizeof(double));
    s->factor = lmbi_arena_array(scratch, s->size * (s->band + 1), sizeof(double));
    s->gradient = lmbi_arena_array(scratch, s->size, sizeof(double));
    s->step = lmbi_arena_array(scratch, s->size, sizeof(double));
    s->row[0] = lmbi_arena_array(scratch, s->n, sizeof(double));
    s->row[1] = lmbi_arena_array(scratch, s->n, sizeof(double));
    s->row[2] = lmbi_arena_array(scratch, s->n, sizeof(double));
    s->trial =
        lmbi_arena_array(scratch, (size_t)window->count * lift->subject.count, sizeof *s->trial);
    return s->matrix && s->factor && s->gradient && s->step && s->row[0] && s->row[1] &&
           s->row[2] && s->trial;
}

double lmbi_lift_solve(lmbi_lifting *lift, const lmbi_window *window, lmbi_arena *scratch)
{
    solver s;
    if (!init_solver(&s, lift, window, scratch)) {
        return -1;
    }
    const size_t bytes = (size_t)window->count * lift->subject.count * sizeof *s.trial;
    double damping = 1e-3, cost = evaluate_cost(&s, window->poses, true);
    for (uint32_t round = 0; round < window->iterations && damping < 1e6; ++round) {
        double after = (double)INFINITY;
        if (solve_step(&s, damping)) {
            memcpy(s.trial, window->poses, bytes);
            apply_step(&s, s.trial);
            after = evaluate_cost(&s, s.trial, false);
        }
        if (!(after < cost)) {
            damping *= 8;
            continue;
        }
        const bool settled = cost - after < 1e-6 * cost;
        memcpy(window->poses, s.trial, bytes);
        damping = damping > 1e-9 ? damping / 5 : damping;
        if (settled) {
            cost = after;
            break;
        }
        cost = evaluate_cost(&s, window->poses, true);
    }
    return cost;
}
