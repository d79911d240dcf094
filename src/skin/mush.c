/// Precomputation of direct delta mush (Le and Lewis 2019, section 3).
#include "skin/mush.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "skin/points.h"

// ---------------------------------------------------------------------- series of smoothing passes
// Implicit smoothing as a polynomial in the random walk.

enum { NODES = 512 };

/// x^-n for x >= 1, by squaring.
static double power(double x, uint32_t n)
{
    double result = 1, square = 1 / x;
    for (; n > 0; n >>= 1) {
        result *= (n & 1) ? square : 1;
        square *= square;
    }
    return result;
}

/// cos(pi / (2 NODES)), by half-angle steps from cos(pi) = -1.
static double first_node(void)
{
    double c = -1;
    for (int n = 1; n < 2 * NODES; n *= 2) {
        c = sqrt((1 + c) / 2);
    }
    return c;
}

/// Chebyshev coefficients on [-1, 1] of (1 + strength * (1 - x))^-passes, the implicit smoothing as
/// a function of the random walk, truncated below 1e-8. Returns their number, at most `most`.
/// c_k = (2 - [k = 0]) / N * sum over j of f(cos t_j) cos(k t_j), t_j = (j + 1/2) pi / N: the
/// Chebyshev series from values at the Chebyshev nodes (Trefethen 2013, ch. 3). Successive cosines
/// follow by rotation.
static uint32_t smoother_series(double strength, uint32_t passes, double *coefficients,
                                uint32_t most)
{
    const double c1 = first_node(), s1 = sqrt((1 - c1) * (1 + c1));
    const double step_c = c1 * c1 - s1 * s1, step_s = 2 * c1 * s1;
    for (uint32_t k = 0; k < most; ++k) {
        coefficients[k] = 0;
    }
    double c = c1, s = s1;
    for (int j = 0; j < NODES; ++j) {
        const double value = power(1 + strength * (1 - c), passes) / NODES;
        double now = 1, last = c; // cos(0), cos(-t)
        for (uint32_t k = 0; k < most; ++k) {
            coefficients[k] += (k == 0 ? 1 : 2) * value * now;
            const double next = 2 * c * now - last;
            last = now;
            now = next;
        }
        const double next_c = c * step_c - s * step_s;
        s = c * step_s + s * step_c;
        c = next_c;
    }
    uint32_t count = most;
    while (count > 1 && fabs(coefficients[count - 1]) < 1e-8) {
        --count;
    }
    return count;
}

// ---------------------------------------------------------------------------------------- creation

enum {
    MONOMIALS = 10, ///< 1, x y z, xx yy zz xy yz zx
    SERIES_MOST = 256,
    GRAIN = 128,
};

typedef double two __attribute__((vector_size(16)));
typedef struct monomials {
    two at[MONOMIALS / 2];
} monomials;

typedef struct smoothing {
    lmbi_points points;
    lmbi_walk walk;
    uint32_t rotation_terms, translation_terms; ///< number of terms of the series
    double rotation[SERIES_MOST], translation[SERIES_MOST];
    double alpha;
    float least_weight;
    uint32_t influences;
    lmb_mush_variant variant;
    // Scratch of the current joint, [point_count]:
    monomials *now, *last;   ///< T_k and T_(k-1) of the walk, applied to the monomials
    monomials *rotation_sum; ///< sum of the series of lambda
    double *translation_sum; ///< sum of the series of kappa, of the weight only
    uint32_t *active;        ///< points that the walk has reached, by distance
    uint8_t *is_active;
    uint32_t level_end[SERIES_MOST]; ///< number of points within that many steps
    lmb_vec3 *smoothed;
    lmbi_mush_record *records;
    size_t record_count, record_capacity;
} smoothing;

// -------------------------------------------------------------------------- one joint's smoothing

static void add_neighbors(smoothing *s, uint32_t begin, uint32_t end, uint32_t *count)
{
    for (uint32_t a = begin; a < end; ++a) {
        const uint32_t i = s->active[a];
        for (uint32_t e = s->walk.first[i]; e < s->walk.first[i + 1]; ++e) {
            const uint32_t next = s->walk.neighbors[e];
            if (!s->is_active[next]) {
                s->is_active[next] = 1;
                s->active[(*count)++] = next;
            }
        }
    }
}

/// Lists the points with a weight of `joint`, then their neighbours, level by level. Returns their
/// number.
static uint32_t activate_points(smoothing *s, uint32_t joint, uint32_t terms)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->walk.count; ++i) {
        for (uint32_t k = s->points.first[i]; k < s->points.first[i + 1]; ++k) {
            if (s->points.rows[k].joint == joint && s->points.rows[k].weight > 0) {
                s->is_active[i] = 1;
                s->active[count++] = i;
            }
        }
    }
    uint32_t begin = 0;
    for (uint32_t level = 0; level < terms; ++level) {
        s->level_end[level] = count;
        if (level + 1 < terms) {
            const uint32_t end = count;
            add_neighbors(s, begin, end, &count);
            begin = end;
        }
    }
    return s->level_end[terms - 1];
}

static float weight_of(const smoothing *s, uint32_t point, uint32_t joint)
{
    for (uint32_t k = s->points.first[point]; k < s->points.first[point + 1]; ++k) {
        if (s->points.rows[k].joint == joint) {
            return s->points.rows[k].weight;
        }
    }
    return 0;
}

/// Centroid of the joint's points: moments about a near origin keep their precision.
static void compute_centroid(const smoothing *s, uint32_t count, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint32_t a = 0; a < count; ++a) {
        const lmb_vec3 p = s->points.surface->positions[s->active[a]];
        out[0] += (double)p.x / count;
        out[1] += (double)p.y / count;
        out[2] += (double)p.z / count;
    }
}

static monomials monomials_of(double weight, double x, double y, double z)
{
    const double wx = weight * x, wy = weight * y, wz = weight * z;
    return (monomials){
        {{weight, wx}, {wy, wz}, {wx * x, wy * y}, {wz * z, wx * y}, {wy * z, wz * x}}};
}

static void seed_moments(smoothing *s, uint32_t joint, uint32_t seeds, const double centroid[3])
{
    for (uint32_t a = 0; a < seeds; ++a) {
        const uint32_t i = s->active[a];
        const lmb_vec3 p = s->points.surface->positions[i];
        s->now[i] = monomials_of((double)weight_of(s, i, joint), (double)p.x - centroid[0],
                                 (double)p.y - centroid[1], (double)p.z - centroid[2]);
        for (int c = 0; c < MONOMIALS / 2; ++c) {
            s->rotation_sum[i].at[c] = s->now[i].at[c] * s->rotation[0];
        }
        s->translation_sum[i] = s->now[i].at[0][0] * s->translation[0];
    }
}

typedef struct chebyshev_step {
    smoothing *s;
    uint32_t k;
} chebyshev_step;

/// T_k = 2 P T_(k-1) - T_(k-2), stored over T_(k-2), and its terms of both series. T_1 = P T_0.
static void step_points(void *context, size_t begin, size_t end)
{
    const chebyshev_step *at = context;
    const smoothing *s = at->s;
    const double factor = at->k == 1 ? 1 : 2;
    for (size_t a = begin; a < end; ++a) {
        const uint32_t i = s->active[a];
        monomials sum = {{{0}}};
        for (uint32_t e = s->walk.first[i]; e < s->walk.first[i + 1]; ++e) {
            const monomials *from = &s->now[s->walk.neighbors[e]];
            const double weight = s->walk.weights[e];
            for (int c = 0; c < MONOMIALS / 2; ++c) {
                sum.at[c] += from->at[c] * weight;
            }
        }
        if (s->walk.first[i] == s->walk.first[i + 1]) {
            sum = s->now[i];
        }
        const double rotation = at->k < s->rotation_terms ? s->rotation[at->k] : 0;
        const double translation = at->k < s->translation_terms ? s->translation[at->k] : 0;
        for (int c = 0; c < MONOMIALS / 2; ++c) {
            const two next = sum.at[c] * factor - s->last[i].at[c];
            s->last[i].at[c] = next;
            s->rotation_sum[i].at[c] += next * rotation;
        }
        s->translation_sum[i] += s->last[i].at[0][0] * translation;
    }
}

static void apply_series(smoothing *s, uint32_t terms, const lmb_jobs *jobs)
{
    for (uint32_t k = 1; k < terms; ++k) {
        chebyshev_step at = {s, k};
        lmb_parallel_for(jobs, s->level_end[k], GRAIN, step_points, &at);
        monomials *swap = s->now;
        s->now = s->last;
        s->last = swap;
    }
}

static void clear_points(smoothing *s, uint32_t count)
{
    for (uint32_t a = 0; a < count; ++a) {
        const uint32_t i = s->active[a];
        s->now[i] = s->last[i] = s->rotation_sum[i] = (monomials){{{0}}};
        s->translation_sum[i] = 0;
        s->is_active[i] = 0;
    }
}

// ------------------------------------------------------------------------------------ the records

/// Shifts the moments from the centroid to the point's smoothed position, at offset d.
static lmbi_mush_item item_of(const monomials *m, double translation_sum, double alpha,
                              const double d[3])
{
    const double w = m->at[0][0], x = m->at[0][1], y = m->at[1][0], z = m->at[1][1];
    const double second[6] = {m->at[2][0], m->at[2][1], m->at[3][0],
                              m->at[3][1], m->at[4][0], m->at[4][1]};
    const double first[3] = {x, y, z};
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    lmbi_mush_item item = {.weight = (float)((1 - alpha) * w + alpha * translation_sum)};
    for (int i = 0; i < 3; ++i) {
        item.mean[i] = (float)((1 - alpha) * (first[i] - w * d[i]));
    }
    for (int i = 0; i < 6; ++i) {
        const int r = row[i], c = column[i];
        item.spread[i] = (float)((1 - alpha) *
                                 (second[i] - first[r] * d[c] - d[r] * first[c] + w * d[r] * d[c]));
    }
    return item;
}

/// Keeps items above the least weight. Between it and twice its value an item fades in, so that
/// weights are continuous over the surface.
static bool keep_records(smoothing *s, uint32_t joint, uint32_t count, const double centroid[3],
                         const lmb_allocator *alloc)
{
    for (uint32_t a = 0; a < count; ++a) {
        const uint32_t i = s->active[a];
        const double d[3] = {(double)s->smoothed[i].x - centroid[0],
                             (double)s->smoothed[i].y - centroid[1],
                             (double)s->smoothed[i].z - centroid[2]};
        lmbi_mush_record r = {i, (uint16_t)joint,
                              item_of(&s->rotation_sum[i], s->translation_sum[i], s->alpha, d)};
        const float fade = r.item.weight / s->least_weight - 1;
        if (!(fade > 0)) {
            continue;
        }
        lmbi_mush_scale(&r.item, fade < 1 ? fade : 1);
        void *grown = s->records;
        if (!lmbi_grow(alloc, &grown, &s->record_capacity, s->record_count + 1,
                       sizeof(lmbi_mush_record))) {
            return false;
        }
        s->records = grown;
        s->records[s->record_count++] = r;
    }
    return true;
}

static bool smooth_joint(smoothing *s, uint32_t joint, const lmb_jobs *jobs,
                         const lmb_allocator *alloc)
{
    const uint32_t terms =
        s->rotation_terms > s->translation_terms ? s->rotation_terms : s->translation_terms;
    const uint32_t count = activate_points(s, joint, terms);
    double centroid[3];
    compute_centroid(s, s->level_end[0], centroid);
    seed_moments(s, joint, s->level_end[0], centroid);
    apply_series(s, terms, jobs);
    const bool kept = keep_records(s, joint, count, centroid, alloc);
    clear_points(s, s->level_end[terms - 1]);
    return kept;
}

/// p_i: the positions smoothed by lambda, computed as the first moments of a joint with weight 1 at
/// every point.
static void smooth_positions(smoothing *s, const lmb_jobs *jobs)
{
    const uint32_t count = s->walk.count;
    const double centroid[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        s->active[i] = i;
        const lmb_vec3 p = s->points.surface->positions[i];
        s->now[i] = monomials_of(1, (double)p.x - centroid[0], (double)p.y - centroid[1],
                                 (double)p.z - centroid[2]);
        for (int c = 0; c < MONOMIALS / 2; ++c) {
            s->rotation_sum[i].at[c] = s->now[i].at[c] * s->rotation[0];
        }
    }
    for (uint32_t k = 0; k < s->rotation_terms; ++k) {
        s->level_end[k] = count;
    }
    apply_series(s, s->rotation_terms, jobs);
    for (uint32_t i = 0; i < count; ++i) {
        const two *t = s->rotation_sum[i].at;
        s->smoothed[i] = lmb_vec3_make((float)(t[0][1] / t[0][0]), (float)(t[1][0] / t[0][0]),
                                       (float)(t[1][1] / t[0][0]));
    }
    clear_points(s, count);
}

// --------------------------------------------------------------------------------------- creation

static bool allocate_scratch(smoothing *s, lmbi_arena *arena)
{
    const uint32_t count = s->walk.count;
    s->now = lmbi_arena_array(arena, count, sizeof(monomials));
    s->last = lmbi_arena_array(arena, count, sizeof(monomials));
    s->rotation_sum = lmbi_arena_array(arena, count, sizeof(monomials));
    s->translation_sum = lmbi_arena_array(arena, count, sizeof(double));
    s->active = lmbi_arena_array(arena, count, sizeof(uint32_t));
    s->is_active = lmbi_arena_array(arena, count, sizeof(uint8_t));
    s->smoothed = lmbi_arena_array(arena, count, sizeof(lmb_vec3));
    return s->now && s->last && s->rotation_sum && s->translation_sum && s->active &&
           s->is_active && s->smoothed;
}

static lmb_mush *smooth_joints(smoothing *s, const lmb_mesh *mesh, const lmb_jobs *jobs,
                               const lmb_allocator *alloc)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    bool ok = allocate_scratch(s, &arena);
    if (ok) {
        smooth_positions(s, jobs);
    }
    for (uint32_t j = 0; ok && j < s->points.joint_count; ++j) {
        ok = smooth_joint(s, j, jobs, alloc);
    }
    const lmbi_mush_smoothing smoothed_rows = {.points = &s->points,
                                               .smoothed = s->smoothed,
                                               .records = s->records,
                                               .record_count = s->record_count,
                                               .influences = s->influences,
                                               .variant = s->variant};
    lmb_mush *made = ok ? lmbi_mush_pack(&smoothed_rows, mesh, &arena, alloc) : NULL;
    lmbi_arena_free(&arena);
    lmbi_free(alloc, s->records);
    return made;
}

static lmb_result read_options(const lmb_mush_opts *opts, smoothing *s, lmb_error *error)
{
    const lmb_mush_opts o = opts != NULL ? *opts : (lmb_mush_opts){0};
    const uint32_t passes = o.passes > 0 ? o.passes : 20;
    const float lambda = o.lambda > 0 ? o.lambda : 3, kappa = o.kappa > 0 ? o.kappa : 1;
    const float alpha = o.alpha < 0 ? 0 : (o.alpha > 0 ? o.alpha : 0.8f);
    s->least_weight = o.least_weight > 0 ? o.least_weight : 1e-3f;
    s->influences = o.influences;
    s->variant = o.variant;
    s->alpha = (double)alpha;
    if (!(alpha < 1 && kappa <= lambda && s->least_weight < 0.1f && passes <= 1000)) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "alpha below 1, kappa up to lambda, least_weight below 0.1",
                         "alpha %g, kappa %g, lambda %g, least_weight %g", (double)alpha,
                         (double)kappa, (double)lambda, (double)s->least_weight);
    }
    const bool is_known = o.variant == LMB_MUSH_V0 || o.variant == LMB_MUSH_V2 ||
                          o.variant == LMB_MUSH_V4 || o.variant == LMB_MUSH_V5;
    if (!is_known) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "variant 0, 2, 4 or 5", "%d", (int)o.variant);
    }
    s->rotation_terms = smoother_series((double)lambda, passes, s->rotation, SERIES_MOST);
    s->translation_terms = smoother_series((double)kappa, passes, s->translation, SERIES_MOST);
    if (fabs(s->rotation[s->rotation_terms - 1]) > 1e-6) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "passes times lambda up to some 1000",
                         "%u times %g", passes, (double)lambda);
    }
    return LMB_OK;
}

lmb_result lmb_mush_create(const lmb_mesh *mesh, const lmb_mush_opts *opts, const lmb_jobs *jobs,
                           const lmb_allocator *alloc, lmb_mush **out, lmb_error *error)
{
    smoothing *s = lmbi_alloc(alloc, sizeof(*s));
    if (s == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_mush *made = NULL;
    lmb_result result = read_options(opts, s, error);
    if (result == LMB_OK) {
        result = lmbi_check_deformable(mesh, error);
    }
    if (result == LMB_OK) {
        result = lmbi_points_create(mesh, alloc, &s->points, error);
    }
    if (result == LMB_OK) {
        result = lmbi_walk_create(s->points.surface, alloc, &s->walk, error);
    }
    if (result == LMB_OK) {
        made = smooth_joints(s, mesh, jobs, alloc);
        result = made != NULL ? LMB_OK : lmbi_fail_memory(error);
    }
    lmbi_points_free(&s->points, alloc);
    lmbi_walk_free(&s->walk, alloc);
    lmbi_free(alloc, s);
    if (made != NULL) {
        *out = made;
    }
    return result;
}
