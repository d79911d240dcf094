/// Pose correctives (SMPL, Loper et al. 2015, equations 8 and 9): what joints and weights miss, brought back to rest, by
/// ridge regression on the features of the pose. A feature of a joint costs more the farther that joint is, in the tree,
/// from the joint that the vertex follows most: a knee should not move an ear.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/body/matrix.h"
#include "learn/body/population.h"
#include "linalg/linalg.h"

enum {
    HOLD_OUT = 5, ///< every fifth scan judges the ridges
    MOST_STEPS = 4,
};
/// Ridges that are tried, as fractions of the mean square of a feature.
static const double ridges[] = {1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1};
/// Factor of the ridge for each step in the tree.
static const double STEP = 100;

/// The equations of the vertices that follow one joint most.
typedef struct regression {
    const lmbi_population *p;
    uint32_t joint;
    const uint32_t *owner;  ///< [vertex_count] joint that a vertex follows most
    double *next;           ///< [vertex_count][3][feature_count]
    double *costs;          ///< [features]
    double *square, *right; ///< [features or scans, the fewer] squared; [features][scans]
    double *by_scan;        ///< [scans][features] coefficients for what is left in a scan
    bool judges;            ///< only scans that are not left out are learned from
    double *missed;         ///< [vertex_count] squared, in the scans that are left out
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

/// Costs of the features, for vertices that follow the joint.
static void fill_costs(regression *r, double ridge)
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
        r->costs[a] = ridge * mean + 1e-12;
        for (uint32_t k = steps_between(body, joint_of(body, a), r->joint); k > 1; --k) {
            r->costs[a] *= STEP;
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

static lmb_result prepare_joint(regression *r, double ridge, lmb_error *error)
{
    fill_costs(r, ridge);
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
static double missed_by(const regression *r, uint32_t vertex, const double *row)
{
    const lmbi_population *p = r->p;
    const size_t count = p->body.feature_count;
    double sum = 0;
    for (uint32_t f = HOLD_OUT - 1; f < p->scan_count; f += HOLD_OUT) {
        double wanted[3];
        wanted_at_rest(p, f, vertex, wanted);
        for (size_t c = 0; c < 3; ++c) {
            for (size_t a = 0; a < count; ++a) {
                wanted[c] -= row[c * count + a] * p->poses[f].features[a];
            }
            sum += wanted[c] * wanted[c];
        }
    }
    return sum;
}

static void solve_vertices(void *context, size_t begin, size_t end)
{
    const regression *r = context;
    const lmbi_population *p = r->p;
    const size_t count = p->body.feature_count;
    for (size_t v = begin; v < end; ++v) {
        double *row = r->next + 3 * v * count;
        if (r->owner[v] != r->joint) {
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
        if (!r->judges) {
            continue;
        }
        r->missed[v] = missed_by(r, (uint32_t)v, row);
    }
}

static void find_owners(const lmbi_population *p, uint32_t *owner)
{
    for (uint32_t v = 0; v < p->body.vertex_count; ++v) {
        double most = 0;
        owner[v] = 0;
        for (uint32_t k = p->body.row_first[v]; k < p->body.row_first[v + 1]; ++k) {
            if (p->body.row_weights[k] > most) {
                most = p->body.row_weights[k];
                owner[v] = p->body.row_joints[k];
            }
        }
    }
}

static bool owns(const regression *r, uint32_t joint)
{
    for (uint32_t v = 0; v < r->p->body.vertex_count; ++v) {
        if (r->owner[v] == joint) {
            return true;
        }
    }
    return false;
}

/// Solves all vertices with one ridge. `missed` receives what is missed in held-out scans.
static lmb_result solve_all(regression *r, double ridge, double *missed, lmb_error *error)
{
    const lmbi_population *p = r->p;
    lmb_result result = LMB_OK;
    for (r->joint = 0; result == LMB_OK && r->joint < p->body.joint_count; ++r->joint) {
        if (!owns(r, r->joint)) {
            continue;
        }
        result = prepare_joint(r, ridge, error);
        if (result == LMB_OK) {
            lmb_parallel_for(p->opts.jobs, p->body.vertex_count, 64, solve_vertices, r);
        }
    }
    *missed = 0;
    for (uint32_t v = 0; r->judges && v < p->body.vertex_count; ++v) {
        *missed += r->missed[v];
    }
    return result;
}

/// The ridge with which scans that are left out are missed least: of all, or of the last one and those beside it.
static lmb_result choose_ridge(regression *r, int *ridge, lmb_error *error)
{
    const int count = sizeof ridges / sizeof *ridges, last = *ridge;
    double least = 0, missed = 0;
    bool first = true;
    lmb_result result = LMB_OK;
    r->judges = true;
    for (int k = 0; result == LMB_OK && k < count; ++k) {
        if (last >= 0 && (k < last - 1 || k > last + 1)) {
            continue;
        }
        result = solve_all(r, ridges[k], &missed, error);
        if (first || missed < least) {
            least = missed;
            *ridge = k;
        }
        first = false;
    }
    r->judges = false;
    return result;
}

static bool make_room(regression *r, lmbi_arena *arena, uint32_t **owner)
{
    const lmbi_population *p = r->p;
    const size_t count = p->body.feature_count;
    *owner = lmbi_arena_array(arena, p->body.vertex_count, sizeof(uint32_t));
    r->owner = *owner;
    r->next = lmbi_arena_array(arena, (size_t)p->body.vertex_count * count, 3 * sizeof(double));
    const size_t size = p->scan_count < count ? p->scan_count : count;
    r->costs = lmbi_arena_array(arena, count, sizeof(double));
    r->square = lmbi_arena_array(arena, size * size, sizeof(double));
    r->right = lmbi_arena_array(arena, count * p->scan_count, sizeof(double));
    r->by_scan = lmbi_arena_array(arena, count * p->scan_count, sizeof(double));
    r->missed = lmbi_arena_array(arena, p->body.vertex_count, sizeof(double));
    return *owner && r->costs && r->next && r->square && r->right && r->by_scan && r->missed;
}

lmb_result lmbi_population_solve_correctives(lmbi_population *p, bool chooses, lmb_error *error)
{
    regression r = {.p = p};
    lmbi_arena arena;
    uint32_t *owner = NULL;
    double unused = 0;
    lmbi_arena_init(&arena, p->arena.alloc);
    lmb_result result = make_room(&r, &arena, &owner) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        find_owners(p, owner);
        if (chooses || p->ridge < 0) {
            result = choose_ridge(&r, &p->ridge, error);
        }
    }
    if (result == LMB_OK) {
        result = solve_all(&r, ridges[p->ridge], &unused, error);
    }
    if (result == LMB_OK) {
        memcpy(p->correctives, r.next,
               3 * (size_t)p->body.vertex_count * p->body.feature_count * sizeof(double));
        p->body.correctives = p->correctives;
    }
    lmbi_arena_free(&arena);
    return result;
}

void lmbi_population_corrective_costs(const lmbi_population *p, uint32_t *owner, size_t stride,
                                      double *costs)
{
    regression r = {.p = p};
    find_owners(p, owner);
    for (r.joint = 0; p->ridge >= 0 && r.joint < p->body.joint_count; ++r.joint) {
        r.costs = costs + r.joint * stride;
        fill_costs(&r, ridges[p->ridge]);
    }
}
