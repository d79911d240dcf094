/// Depths of a body's points along their rays, one unknown for each point and time sample. The
/// residuals keep bone lengths, keep planted feet still in depth and limit acceleration. A window
/// of samples is solved by Levenberg-Marquardt; the normal equations are banded, two samples wide.
#include <math.h>
#include <string.h>

#include "capture/lift_trail.h"
#include "linalg/banded.h"

#define PRIOR_S 1.0         ///< seconds between independent evaluations of the pose prior
#define TRUNK_SPREAD 0.008  ///< standard deviation of hip to shoulder distances, metres
#define LEAN_SPREAD 0.05    ///< standard deviation of the shoulders' depth over the hips, metres
#define MEAN_LEAN_RAD 0.09f ///< radians that people lean forward of a rest pose
#define DEPTH_SPREAD 0.02   ///< standard deviation of the hips' depth, as a fraction of it
/// standard deviations of acceleration beyond which the cost grows linearly
#define HUBER_SPREAD 1.5
#define PLANTED_SPEED 0.12 ///< m/s, speed below which an ankle counts as planted
#define PLANTED_WEIGHT 1.0

static const double acceleration_spread[LMBI_TRAIL_POINTS] = {6, 6, 12, 12, 24, 24,
                                                              6, 6, 14, 14, 28, 28};

typedef struct depth_system {
    const lmbi_trail *t;
    uint32_t begin, count, fixed[2];
    double tolerance;
    float (*depth)[LMBI_TRAIL_POINTS], (*trial)[LMBI_TRAIL_POINTS];
    double *matrix, *factor, *gradient, *step;
} depth_system;

enum { N = LMBI_TRAIL_POINTS, BAND = 2 * N };

static double *entry(double *matrix, size_t row, size_t column)
{
    return &matrix[row * (BAND + 1) + (BAND - (row - column))];
}

static lmb_vec3 point_at(const depth_system *s, float (*depth)[N], uint32_t m, int p)
{
    return lmb_vec3_scale(s->t->rays[s->begin + m][p], depth[m][p]);
}

/// Adds the squared residual `residual` over up to three unknowns (four for the trunk's lean).
static void add_residual(const depth_system *s, const size_t *at, const double *slopes, int count,
                         double weight, double residual)
{
    for (int a = 0; a < count; ++a) {
        s->gradient[at[a]] -= weight * slopes[a] * residual;
        for (int b = 0; b < count; ++b) {
            if (at[b] <= at[a]) {
                *entry(s->matrix, at[a], at[b]) += weight * slopes[a] * slopes[b];
            }
        }
    }
}

// --------------------------------------------------------------------------------------- residuals

static double add_length(const depth_system *s, float (*depth)[N], uint32_t m, int a, int b,
                         float length, double weight, bool fill)
{
    const lmb_vec3 d = lmb_vec3_sub(point_at(s, depth, m, a), point_at(s, depth, m, b));
    const float now = lmb_vec3_length(d);
    const double r = (double)now - (double)length;
    if (fill && now > 1e-6f) {
        const size_t at[2] = {(size_t)m * N + (size_t)a, (size_t)m * N + (size_t)b};
        const lmb_vec3 *rays = s->t->rays[s->begin + m];
        const double slopes[2] = {(double)(lmb_vec3_dot(d, rays[a]) / now),
                                  -(double)(lmb_vec3_dot(d, rays[b]) / now)};
        add_residual(s, at, slopes, 2, weight, r);
    }
    return weight * r * r;
}

static double add_bones(const depth_system *s, float (*depth)[N], uint32_t m, bool fill)
{
    const lmbi_trail *t = s->t;
    const double weight = 1 / (s->tolerance * s->tolerance);
    double cost = 0;
    for (int p = 0; p < N; ++p) {
        const bool line = p == LMBI_SHOULDER || p == LMBI_HIP;
        const int from = line ? p + 1 : p - 2;
        if (p == LMBI_SHOULDER + 1 || p == LMBI_HIP + 1 || !t->seen[p] || !t->seen[from]) {
            continue;
        }
        cost += add_length(s, depth, m, p, from, t->length[p], weight, fill);
    }
    return cost;
}

static double trunk_weight(const depth_system *s)
{
    const double w = fmin((double)s->t->step / ((double)s->t->lift->rate * 0.1), 1);
    return w / (TRUNK_SPREAD * TRUNK_SPREAD);
}

/// Distances between hips and shoulders: near those at rest plus the mean bend of the whole motion.
static double add_trunk(const depth_system *s, float (*depth)[N], uint32_t m, bool fill)
{
    const lmbi_trail *t = s->t;
    const double weight = trunk_weight(s);
    double cost = 0;
    for (int a = LMBI_SHOULDER; a < LMBI_SHOULDER + 2; ++a) {
        for (int b = LMBI_HIP; b < LMBI_HIP + 2; ++b) {
            cost +=
                add_length(s, depth, m, a, b,
                           lmb_vec3_distance(t->rest[a], t->rest[b]) + t->trunk[a][b - LMBI_HIP],
                           weight, fill);
        }
    }
    return cost;
}

/// Keeps the midpoint of the shoulders where it is at rest over the hips, rotated to the hips'
/// heading and leaning slightly forward.
static double add_lean(const depth_system *s, float (*depth)[N], uint32_t m, double prior,
                       bool fill)
{
    static const lmb_vec3 x = {1, 0, 0};
    const lmbi_trail *t = s->t;
    const lmb_vec3 rest =
        lmb_vec3_sub(lmb_vec3_lerp(t->rest[0], t->rest[1], 0.5f),
                     lmb_vec3_lerp(t->rest[LMBI_HIP], t->rest[LMBI_HIP + 1], 0.5f));
    lmb_vec3 left =
        lmb_vec3_sub(point_at(s, depth, m, LMBI_HIP), point_at(s, depth, m, LMBI_HIP + 1));
    left = lmb_vec3_normalize_or(lmb_vec3_mad(left, t->up, -lmb_vec3_dot(left, t->up)), x);
    const lmb_vec3 front = lmb_vec3_cross(left, t->up);
    const lmb_vec3 usual = lmb_quat_rotate(lmb_quat_axis_angle(x, MEAN_LEAN_RAD), rest);
    const double expected = (double)(usual.x * left.z + usual.y * t->up.z + usual.z * front.z);
    static const int points[4] = {0, 1, LMBI_HIP, LMBI_HIP + 1};
    size_t at[4];
    double slopes[4], r = -expected;
    for (int k = 0; k < 4; ++k) {
        const float sign = k < 2 ? 0.5f : -0.5f;
        at[k] = (size_t)m * N + (size_t)points[k];
        slopes[k] = (double)(sign * t->rays[s->begin + m][points[k]].z);
        r += slopes[k] * (double)depth[m][points[k]];
    }
    const double weight = prior / (LEAN_SPREAD * LEAN_SPREAD);
    if (fill) {
        add_residual(s, at, slopes, 4, weight, r);
    }
    return weight * r * r;
}

static double add_distance(const depth_system *s, float (*depth)[N], uint32_t m, double prior,
                           bool fill)
{
    const double expected = (double)s->t->depth[s->begin + m],
                 weight = prior / (DEPTH_SPREAD * DEPTH_SPREAD);
    const size_t at[2] = {(size_t)m * N + LMBI_HIP, (size_t)m * N + LMBI_HIP + 1};
    const double slopes[2] = {0.5 / expected, 0.5 / expected};
    const double r =
        0.5 * ((double)depth[m][LMBI_HIP] + (double)depth[m][LMBI_HIP + 1]) / expected - 1;
    if (fill) {
        add_residual(s, at, slopes, 2, weight, r);
    }
    return weight * r * r;
}

/// Acceleration at sample m, with a pseudo-Huber cost.
static double add_accelerations(const depth_system *s, float (*depth)[N], uint32_t m, bool fill)
{
    const lmbi_trail *t = s->t;
    const double step = (double)t->step / (double)t->lift->rate;
    static const double d[3] = {1, -2, 1};
    double cost = 0;
    for (int p = 0; p < N; ++p) {
        const double weight =
            1 / (acceleration_spread[p] * step * step * acceleration_spread[p] * step * step);
        const lmb_vec3 difference =
            lmb_vec3_sub(lmb_vec3_add(point_at(s, depth, m - 1, p), point_at(s, depth, m + 1, p)),
                         lmb_vec3_scale(point_at(s, depth, m, p), 2));
        const double r2 = weight * (double)lmb_vec3_dot(difference, difference),
                     g = HUBER_SPREAD * HUBER_SPREAD;
        const double root = sqrt(1 + r2 / g);
        cost += 2 * g * (root - 1);
        for (int axis = 0; fill && axis < 3; ++axis) {
            size_t at[3];
            double slopes[3];
            for (uint32_t k = 0; k < 3; ++k) {
                const lmb_vec3 ray = t->rays[s->begin + m + k - 1][p];
                at[k] = (size_t)(m + k - 1) * N + (size_t)p;
                slopes[k] = d[k] * (double)(axis == 0 ? ray.x : axis == 1 ? ray.y : ray.z);
            }
            add_residual(s, at, slopes, 3, weight / root,
                         (double)(axis == 0   ? difference.x
                                  : axis == 1 ? difference.y
                                              : difference.z));
        }
    }
    return cost;
}

/// A planted ankle keeps its depth. It is recognised by its low speed across the view: people do not walk
/// to the camera while keeping a swinging foot on one ray.
static double add_planted(const depth_system *s, float (*depth)[N], uint32_t m, bool fill)
{
    const lmbi_trail *t = s->t;
    const float step = (float)t->step / t->lift->rate;
    double cost = 0;
    for (int p = LMBI_ANKLE; p < N; ++p) {
        const lmb_vec3 *a = &t->rays[s->begin + m][p], *b = &t->rays[s->begin + m + 1][p];
        const lmb_vec3 offset = lmb_vec3_sub(*b, *a);
        const float across = lmb_vec3_length(offset) * t->depth[s->begin + m] / step;
        // 1 up to PLANTED_SPEED, falling to 0 at twice that.
        const double fraction = fmin(fmax(2 - (double)across / PLANTED_SPEED, 0), 1);
        if (!(fraction > 0) || !t->seen[p]) {
            continue;
        }
        const double scale = 1 / ((double)step * PLANTED_SPEED);
        const double r = scale * ((double)depth[m + 1][p] - (double)depth[m][p]),
                     q = 1 / (1 + r * r / 9);
        cost += PLANTED_WEIGHT * fraction * r * r * q;
        if (fill) {
            const size_t at[2] = {(size_t)(m + 1) * N + (size_t)p, (size_t)m * N + (size_t)p};
            const double slopes[2] = {scale, -scale};
            add_residual(s, at, slopes, 2, PLANTED_WEIGHT * fraction * q * q, r);
        }
    }
    return cost;
}

static double evaluate_cost(const depth_system *s, float (*depth)[N], bool fill)
{
    const lmbi_trail *t = s->t;
    const double prior = fmin((double)t->step / ((double)t->lift->rate * PRIOR_S), 1);
    double cost = 0;
    if (fill) {
        memset(s->matrix, 0, (size_t)s->count * N * (BAND + 1) * sizeof(double));
        memset(s->gradient, 0, (size_t)s->count * N * sizeof(double));
    }
    for (uint32_t m = 0; m < s->count; ++m) {
        const uint8_t *cuts = t->cuts + s->begin + m;
        cost += add_bones(s, depth, m, fill) + add_trunk(s, depth, m, fill) +
                add_lean(s, depth, m, prior, fill) + add_distance(s, depth, m, prior, fill);
        if (m + 1 < s->count && !cuts[1]) {
            cost += add_planted(s, depth, m, fill);
            if (m > 0 && !cuts[0]) {
                cost += add_accelerations(s, depth, m, fill);
            }
        }
    }
    return cost;
}

// ------------------------------------------------------------------------------------------ a step

/// Solves the damped normal equations. False where they are not positive definite.
static bool solve_step(const depth_system *s, double damping)
{
    const size_t size = (size_t)s->count * N;
    const size_t begin = (size_t)s->fixed[0] * N, end = size - (size_t)s->fixed[1] * N;
    const lmbi_banded factor = {s->factor, size, BAND};
    memcpy(s->factor, s->matrix, size * (BAND + 1) * sizeof(double));
    for (size_t i = 0; i < size; ++i) {
        double *diagonal = lmbi_banded_at(&factor, i, i);
        *diagonal += damping * *diagonal + 1e-3 + (i < begin || i >= end ? 1e12 : 0);
    }
    if (!lmbi_banded_factor(&factor)) {
        return false;
    }
    memcpy(s->step, s->gradient, size * sizeof(double));
    lmbi_banded_solve(&factor, s->step);
    return true;
}

static void apply_step(const depth_system *s)
{
    for (uint32_t m = 0; m < s->count; ++m) {
        const bool fixed = m < s->fixed[0] || m + s->fixed[1] >= s->count;
        for (int p = 0; p < N; ++p) {
            const double step = fixed ? 0 : s->step[(size_t)m * N + (size_t)p];
            s->trial[m][p] = s->depth[m][p] + (float)fmin(fmax(step, -0.3), 0.3);
        }
    }
}

double lmbi_lift_depths(const lmbi_trail *trail, const lmbi_depths *job, lmbi_arena *scratch)
{
    const size_t size = (size_t)job->count * N;
    depth_system s = {.t = trail,
                      .begin = job->begin,
                      .count = job->count,
                      .fixed = {job->fixed[0], job->fixed[1]},
                      .tolerance = job->tolerance,
                      .depth = job->depth};
    s.matrix = lmbi_arena_array(scratch, size * (BAND + 1), sizeof(double));
    s.factor = lmbi_arena_array(scratch, size * (BAND + 1), sizeof(double));
    s.gradient = lmbi_arena_array(scratch, size, sizeof(double));
    s.step = lmbi_arena_array(scratch, size, sizeof(double));
    s.trial = lmbi_arena_array(scratch, job->count, sizeof *s.trial);
    if (!s.matrix || !s.factor || !s.gradient || !s.step || !s.trial) {
        return -1;
    }
    double damping = 1e-4, cost = evaluate_cost(&s, s.depth, job->iterations > 0);
    for (uint32_t round = 0; round < job->iterations && damping < 1e6; ++round) {
        double after = (double)INFINITY;
        if (solve_step(&s, damping)) {
            apply_step(&s);
            after = evaluate_cost(&s, s.trial, false);
        }
        if (!(after < cost)) {
            damping *= 10;
            continue;
        }
        const bool settled = cost - after < 1e-5 * cost;
        memcpy(s.depth, s.trial, job->count * sizeof *s.trial);
        damping = damping > 1e-10 ? damping / 6 : damping;
        cost = after;
        if (settled) {
            break;
        }
        cost = evaluate_cost(&s, s.depth, true);
    }
    return cost;
}
