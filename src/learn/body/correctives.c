/// Pose correctives (SMPL, Loper et al. 2015, equations 8 and 9): what joints and weights miss, brought back to rest, by
/// ridge regression on the features of the pose. A feature of a joint costs more the farther that joint is, in the tree,
/// from those that the vertex follows: a knee should not move an ear. Vertices that follow the same joints are a group
/// with one system of equations.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "learn/body/matrix.h"
#include "learn/body/population.h"
#include "learn/cholesky.h"
#include "linalg/linalg.h"

enum {
    HOLD_OUT = 5, ///< every fifth scan judges the prices
    MOST_STEPS = 4,
};
/// Ridges that are tried, as fractions of the mean square of a feature.
static const double ridges[] = {1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1};
/// Factors of the ridge that are tried, for each step in the tree.
static const double falloffs[] = {1e2, 1e4, 1e6};
enum {
    RIDGES = sizeof ridges / sizeof *ridges,
    FALLOFFS = sizeof falloffs / sizeof *falloffs,
};

/// The equations of the vertices of one group.
typedef struct regression {
    const lmbi_population *p;
    uint32_t group;
    lmbi_corrective_groups groups;
    double *next;           ///< [vertex_count][3][feature_count]
    double *costs;          ///< [features]
    double *square, *right; ///< [features or scans, the fewer] squared; [features][scans]
    double *by_scan;        ///< [scans][features] coefficients for what is left in a scan
    bool judges;            ///< only scans that are not left out are learned from
    double *missed;         ///< [vertex_count][judge_count] squared, in the scans that are left out
    size_t judge_count;
} regression;

static bool is_held_out(const regression *r, uint32_t scan)
{
    return r->judges && scan % HOLD_OUT == HOLD_OUT - 1;
}

/// Steps in the tree between two joints, MOST_STEPS at most.
static uint32_t steps_between(const lmbi_scan_body *body, uint32_t a, uint32_t b)
{
    uint32_t steps = 0;
    while (a != b && steps < MOST_STEPS) {
        uint32_t *lower = a > b ? &a : &b; // parents precede children
        *lower = (uint32_t)body->parents[*lower];
        ++steps;
    }
    return steps;
}

/// Of a feature: the joint that it belongs to.
static uint32_t joint_of(const lmbi_scan_body *body, uint32_t feature)
{
    return 1 + feature / (body->features == LMB_FEATURES_MATRIX ? 9 : 4);
}

/// Steps in the tree from a joint to the nearest of those that the group follows.
static uint32_t steps_to_group(const regression *r, uint32_t joint)
{
    uint32_t least = MOST_STEPS;
    for (uint32_t k = 0; k < r->groups.counts[r->group]; ++k) {
        const uint32_t own = r->groups.joints[LMBI_POPULATION_INFLUENCES * r->group + k];
        const uint32_t steps = steps_between(&r->p->body, joint, own);
        least = steps < least ? steps : least;
    }
    return least;
}

/// Costs of the features, for vertices of the group.
static void fill_costs(regression *r, lmbi_corrective_price price)
{
    const lmbi_scan_body *body = &r->p->body;
    const uint32_t count = body->feature_count;
    double mean = 0;
    for (uint32_t f = 0; f < r->p->scan_count; ++f) {
        for (uint32_t a = 0; a < count && !is_held_out(r, f); ++a) {
            mean += r->p->poses[f].features[a] * r->p->poses[f].features[a] / count;
        }
    }
    for (uint32_t a = 0; a < count; ++a) {
        r->costs[a] = ridges[price.ridge] * mean + 1e-12;
        for (uint32_t k = steps_to_group(r, joint_of(body, a)); k > 0; --k) {
            r->costs[a] *= falloffs[price.falloff];
        }
    }
}

/// (X^T X + C)^-1 X^T, of the features X by scans and their costs C, as C^-1 X^T (X C^-1 X^T + I)^-1: a system as large as
/// there are scans, which are fewer than features.
static lmb_result solve_by_scans(regression *r, lmb_error *error)
{
    const uint32_t count = r->p->body.feature_count, scans = r->p->scan_count;
    for (uint32_t f = 0; f < scans; ++f) {
        const double *x = r->p->poses[f].features;
        for (uint32_t g = 0; g <= f; ++g) {
            const double *y = r->p->poses[g].features;
            double sum = f == g;
            for (uint32_t a = 0; a < count && !is_held_out(r, f) && !is_held_out(r, g); ++a) {
                sum += x[a] * y[a] / r->costs[a];
            }
            r->square[(size_t)f * scans + g] = r->square[(size_t)g * scans + f] = sum;
        }
        for (uint32_t a = 0; a < count; ++a) {
            r->by_scan[(size_t)f * count + a] = is_held_out(r, f) ? 0 : x[a] / r->costs[a];
        }
    }
    return lmbi_dense_solve(r->square, scans, r->by_scan, count, error);
}

static lmb_result solve_by_features(regression *r, lmb_error *error)
{
    const uint32_t count = r->p->body.feature_count, scans = r->p->scan_count;
    memset(r->square, 0, (size_t)count * count * sizeof(double));
    memset(r->right, 0, (size_t)count * scans * sizeof(double));
    for (uint32_t f = 0; f < scans; ++f) {
        const double *x = r->p->poses[f].features;
        for (uint32_t a = 0; a < count && !is_held_out(r, f); ++a) {
            r->right[(size_t)a * scans + f] = x[a];
            for (uint32_t b = 0; b < count; ++b) {
                r->square[(size_t)a * count + b] += x[a] * x[b];
            }
        }
    }
    for (uint32_t a = 0; a < count; ++a) {
        r->square[(size_t)a * count + a] += r->costs[a];
    }
    const lmb_result result = lmbi_dense_solve(r->square, count, r->right, scans, error);
    for (uint32_t f = 0; f < scans; ++f) {
        for (uint32_t a = 0; a < count; ++a) {
            r->by_scan[(size_t)f * count + a] = r->right[(size_t)a * scans + f];
        }
    }
    return result;
}

static lmb_result prepare_group(regression *r, lmbi_corrective_price price, lmb_error *error)
{
    fill_costs(r, price);
    return r->p->scan_count < r->p->body.feature_count ? solve_by_scans(r, error)
                                                       : solve_by_features(r, error);
}

/// What a vertex would need at rest in one scan, over its person's rest position: the correctives that are there, and
/// what they leave, brought back through the blend by damped least squares (a blend may be flat).
static void wanted_at_rest(const lmbi_population *p, uint32_t scan, uint32_t vertex, double out[3])
{
    static const double DAMPING = 1e-3;
    const uint32_t person = p->person_of[scan];
    const double *rest = lmbi_population_rest(p, person) + 3 * (size_t)vertex;
    const lmbi_scan_pose *pose = &p->poses[scan];
    const lmbi_scan_blend b =
        lmbi_scan_vertex_blend(&p->body, lmbi_population_joints(p, person), pose, vertex);
    const float *goal = &lmbi_population_scan(p, scan)[vertex].x;
    double at[3], off[3], square[9], inverse[9], right[3];
    lmbi_scan_vertex_rest(&p->body, lmbi_population_rest(p, person), pose, vertex, at);
    lmbi_m3_point(b.blend, at, off);
    for (int c = 0; c < 3; ++c) {
        off[c] = (double)goal[c] - off[c] - b.offset[c];
    }
    lmbi_m3_transpose_mul(b.blend, b.blend, square);
    lmbi_m3_transpose_point(b.blend, off, right);
    for (size_t c = 0; c < 3; ++c) {
        square[4 * c] += DAMPING;
    }
    lmbi_m3_invert(square, inverse);
    lmbi_m3_point(inverse, right, out);
    for (int c = 0; c < 3; ++c) {
        out[c] += at[c] - rest[c];
    }
}

/// What a vertex' row misses in the scans that are left out, squared.
static void measure_missed(const regression *r, size_t vertex, const double *row)
{
    const lmbi_population *p = r->p;
    const size_t count = p->body.feature_count;
    for (size_t k = 0; k < r->judge_count; ++k) {
        const uint32_t f = (uint32_t)k * HOLD_OUT + HOLD_OUT - 1;
        double wanted[3];
        wanted_at_rest(p, f, (uint32_t)vertex, wanted);
        for (size_t c = 0; c < 3; ++c) {
            for (size_t a = 0; a < count; ++a) {
                wanted[c] -= row[c * count + a] * p->poses[f].features[a];
            }
        }
        r->missed[vertex * r->judge_count + k] = lmbi_row_dot(wanted, wanted, 3);
    }
}

static void solve_vertices(void *context, size_t begin, size_t end)
{
    const regression *r = context;
    const lmbi_population *p = r->p;
    const size_t count = p->body.feature_count;
    for (size_t v = begin; v < end; ++v) {
        double *row = r->next + 3 * v * count;
        if (r->groups.of[v] != r->group) {
            continue;
        }
        memset(row, 0, 3 * count * sizeof *row);
        for (uint32_t f = 0; f < p->scan_count; ++f) {
            double wanted[3];
            wanted_at_rest(p, f, (uint32_t)v, wanted);
            const double *by = r->by_scan + f * count;
            for (size_t c = 0; c < 3 && !is_held_out(r, f); ++c) {
                for (size_t a = 0; a < count; ++a) {
                    row[c * count + a] += by[a] * wanted[c];
                }
            }
        }
        if (r->judges) {
            measure_missed(r, v, row);
        }
    }
}

/// Solves all vertices with one price.
static lmb_result solve_all(regression *r, lmbi_corrective_price price, lmb_error *error)
{
    const lmbi_population *p = r->p;
    lmb_result result = LMB_OK;
    for (r->group = 0; result == LMB_OK && r->group < r->groups.count; ++r->group) {
        result = prepare_group(r, price, error);
        if (result == LMB_OK) {
            lmb_parallel_for(p->opts.jobs, p->body.vertex_count, 64, solve_vertices, r);
        }
    }
    return result;
}

/// What is missed in the scans that are left out: the mean of a scan's sum, and its standard error.
typedef struct missed_mean {
    double mean, error;
} missed_mean;

static missed_mean sum_missed(const regression *r)
{
    missed_mean out = {0, 0};
    double square = 0;
    const double count = (double)r->judge_count;
    for (size_t k = 0; k < r->judge_count; ++k) {
        double sum = 0;
        for (size_t v = 0; v < r->p->body.vertex_count; ++v) {
            sum += r->missed[v * r->judge_count + k];
        }
        out.mean += sum / count;
        square += sum * sum / count;
    }
    if (r->judge_count > 1) {
        out.error = sqrt(fmax(square - out.mean * out.mean, 0) / (count - 1));
    }
    return out;
}

/// Of each falloff the ridge with which scans that are left out are missed least: of all, or of the last one and those
/// beside it. Then the steepest falloff that misses at most a standard error more than the best (Breiman et al. 1984):
/// what scans judge has taken part in their poses and shapes, which favours correctives of many joints.
static lmb_result choose_price(regression *r, lmbi_corrective_price *price, lmb_error *error)
{
    const int last = price->ridge;
    missed_mean least[FALLOFFS], best = {(double)INFINITY, 0};
    int ridge[FALLOFFS] = {0};
    lmb_result result = LMB_OK;
    r->judges = true;
    for (int k = 0; k < FALLOFFS; ++k) {
        least[k].mean = (double)INFINITY;
        for (int l = 0; result == LMB_OK && l < RIDGES; ++l) {
            if (last >= 0 && abs(l - last) > 1) {
                continue;
            }
            result = solve_all(r, (lmbi_corrective_price){l, k}, error);
            const missed_mean missed = sum_missed(r);
            if (missed.mean < least[k].mean) {
                least[k] = missed;
                ridge[k] = l;
            }
        }
        best = least[k].mean < best.mean ? least[k] : best;
    }
    for (int k = 0; k < FALLOFFS; ++k) {
        if (least[k].mean <= best.mean + best.error) {
            *price = (lmbi_corrective_price){ridge[k], k};
        }
    }
    r->judges = false;
    return result;
}

static bool make_room(regression *r, lmbi_arena *arena)
{
    const lmbi_population *p = r->p;
    const size_t count = p->body.feature_count;
    r->next = lmbi_arena_array(arena, (size_t)p->body.vertex_count * count, 3 * sizeof(double));
    const size_t size = p->scan_count < count ? p->scan_count : count;
    r->costs = lmbi_arena_array(arena, count, sizeof(double));
    r->square = lmbi_arena_array(arena, size * size, sizeof(double));
    r->right = lmbi_arena_array(arena, count * p->scan_count, sizeof(double));
    r->by_scan = lmbi_arena_array(arena, count * p->scan_count, sizeof(double));
    r->judge_count = p->scan_count / HOLD_OUT;
    r->missed = lmbi_arena_array(arena, p->body.vertex_count, r->judge_count * sizeof(double));
    return lmbi_corrective_groups_init(&r->groups, p, arena) && r->costs && r->next && r->square &&
           r->right && r->by_scan && r->missed;
}

lmb_result lmbi_population_solve_correctives(lmbi_population *p, bool chooses, lmb_error *error)
{
    regression r = {.p = p};
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    lmb_result result = make_room(&r, &arena) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmbi_corrective_groups_find(&r.groups, p);
        if (chooses || p->price.ridge < 0) {
            result = choose_price(&r, &p->price, error);
        }
    }
    if (result == LMB_OK) {
        result = solve_all(&r, p->price, error);
    }
    if (result == LMB_OK) {
        memcpy(p->correctives, r.next,
               3 * (size_t)p->body.vertex_count * p->body.feature_count * sizeof(double));
        p->body.correctives = p->correctives;
    }
    lmbi_arena_free(&arena);
    return result;
}

void lmbi_population_corrective_costs(const lmbi_population *p,
                                      const lmbi_corrective_groups *groups, size_t stride,
                                      double *costs)
{
    regression r = {.p = p, .groups = *groups};
    for (r.group = 0; p->price.ridge >= 0 && r.group < groups->count; ++r.group) {
        r.costs = costs + r.group * stride;
        fill_costs(&r, p->price);
    }
}
