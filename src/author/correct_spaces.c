/// The interpolation over poses of each group of sculpts: kernel and radius by leaving one out.
#include "author/correct.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/math.h"

/// What is tried, the first where there is nothing to leave out.
static const struct {
    lmb_kernel kernel;
    float radius; ///< in mean distances of an example to its nearest; 0: the kernel has none
} candidates[] = {
    {LMB_KERNEL_LINEAR, 0},   {LMB_KERNEL_CUBIC, 0},    {LMB_KERNEL_GAUSSIAN, 0.5f},
    {LMB_KERNEL_GAUSSIAN, 1}, {LMB_KERNEL_GAUSSIAN, 2},
};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

/// The examples of a group: rest, and its sculpts in order.
typedef struct group {
    uint32_t driver_count, count; ///< sculpts
    lmb_pose_driver *drivers;
    uint32_t *sculpts;      ///< [count] in the correction
    lmb_quat *rotations;    ///< [1 + count][driver_count]
    lmb_quat *rotations_in; ///< the same without the one that is left out
    double *gram;           ///< [count][count] products of displacements
    float *values;          ///< [count]
} group;

static bool allocate(lmbi_correction *c, group *g)
{
    const size_t drivers = c->character->skeleton->joint_count, n = c->count;
    g->drivers = lmbi_arena_array(&c->arena, drivers, sizeof *g->drivers);
    g->sculpts = lmbi_arena_array(&c->arena, n, sizeof *g->sculpts);
    g->rotations = lmbi_arena_array(&c->arena, (n + 1) * drivers, sizeof *g->rotations);
    g->rotations_in = lmbi_arena_array(&c->arena, (n + 1) * drivers, sizeof *g->rotations_in);
    g->gram = lmbi_arena_array(&c->arena, n * n, sizeof *g->gram);
    g->values = lmbi_arena_array(&c->arena, n, sizeof *g->values);
    return g->drivers && g->sculpts && g->rotations && g->rotations_in && g->gram && g->values;
}

static void gather(const lmbi_correction *c, uint32_t number, group *g)
{
    g->count = g->driver_count = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        if (c->correctives[k].group == number) {
            g->sculpts[g->count++] = k;
        }
    }
    for (uint32_t j = 0; j < c->character->skeleton->joint_count; ++j) {
        if (c->correctives[g->sculpts[0]].drives[j]) {
            g->drivers[g->driver_count++] = (lmb_pose_driver){.joint = j};
        }
    }
    for (uint32_t e = 0; e <= g->count; ++e) {
        const lmb_transform *local =
            e == 0 ? c->character->skeleton->rest : c->correctives[g->sculpts[e - 1]].local;
        for (uint32_t d = 0; d < g->driver_count; ++d) {
            g->rotations[e * g->driver_count + d] = local[g->drivers[d].joint].rotation;
        }
    }
}

static double product(const lmbi_correction *c, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (uint32_t v = 0; v < c->vertex_count; ++v) {
        sum += (double)lmb_vec3_dot(c->correctives[a].displacements[v],
                                    c->correctives[b].displacements[v]);
    }
    return sum;
}

typedef struct space_shape {
    int candidate; ///< of `candidates`: the kernel
    float radius_rad;
} space_shape;

/// values[example][sculpt]: 1 for the sculpt itself, 0 for rest and the others.
static lmb_result make_space(lmbi_correction *c, const group *g, const lmb_quat *rotations,
                             uint32_t sculpts, space_shape shape, lmb_pose_space **out,
                             lmb_pose_space_def *made, lmb_error *error)
{
    float *values = lmbi_arena_array(&c->arena, (size_t)(sculpts + 1) * sculpts, sizeof *values);
    if (!values) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < sculpts; ++k) {
        values[(size_t)(k + 1) * sculpts + k] = 1;
    }
    const lmb_pose_space_def def = {.driver_count = g->driver_count,
                                    .example_count = sculpts + 1,
                                    .drivers = g->drivers,
                                    .rotations = rotations,
                                    .width = sculpts,
                                    .values = values,
                                    .kernel = candidates[shape.candidate].kernel,
                                    .radius_rad = shape.radius_rad,
                                    .regularization = -1};
    if (made) {
        *made = def;
    }
    return lmb_pose_space_create(&def, c->arena.alloc, out, error);
}

static double distance(const group *g, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (uint32_t d = 0; d < g->driver_count; ++d) {
        const float cosine = fabsf(lmb_quat_dot(g->rotations[a * g->driver_count + d],
                                                g->rotations[b * g->driver_count + d]));
        const double angle = 2 * (double)lmbi_acos(fminf(cosine, 1));
        sum += angle * angle;
    }
    return sqrt(sum / g->driver_count);
}

/// Mean distance of an example to its nearest.
static double spacing(const group *g)
{
    double sum = 0;
    for (uint32_t a = 0; a <= g->count; ++a) {
        double nearest = (double)INFINITY;
        for (uint32_t b = 0; b <= g->count; ++b) {
            nearest = a == b ? nearest : fmin(nearest, distance(g, a, b));
        }
        sum += nearest;
    }
    return sum / (g->count + 1);
}

/// Squared relative error of the displacements of sculpt `out` as the others predict it.
static lmb_result predict(lmbi_correction *c, const group *g, int candidate, float radius_rad,
                          uint32_t out, double *square, lmb_error *error)
{
    uint32_t kept = 0;
    for (uint32_t e = 0; e <= g->count; ++e) {
        if (e != out + 1) {
            memcpy(g->rotations_in + kept++ * g->driver_count, g->rotations + e * g->driver_count,
                   g->driver_count * sizeof *g->rotations);
        }
    }
    lmb_pose_space *space = NULL;
    const lmb_result result = make_space(c, g, g->rotations_in, g->count - 1,
                                         (space_shape){candidate, radius_rad}, &space, NULL, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_pose_space_evaluate(
        &(lmb_pose_space_job){space, c->correctives[g->sculpts[out]].local, g->values});
    lmb_pose_space_destroy(space);
    const double *gram = g->gram;
    double sum = gram[out * g->count + out];
    for (uint32_t a = 0, at = 0; a < g->count; ++a) {
        if (a == out) {
            continue;
        }
        const double w = (double)g->values[at++];
        sum -= 2 * w * gram[out * g->count + a];
        for (uint32_t b = 0, to = 0; b < g->count; ++b) {
            sum += b == out ? 0 : w * (double)g->values[to++] * gram[a * g->count + b];
        }
    }
    *square = sum / gram[out * g->count + out];
    return LMB_OK;
}

/// The candidate with the least mean error, and its radius and errors in the reports.
static lmb_result choose(lmbi_correction *c, const group *g, int *best, float *radius_rad,
                         lmb_error *error)
{
    const double apart = spacing(g);
    double least = (double)INFINITY;
    *best = 0;
    *radius_rad = 0;
    for (int k = 0; g->count > 1 && k < CANDIDATES; ++k) {
        const float radius = (float)((double)candidates[k].radius * apart);
        double total = 0;
        for (uint32_t out = 0; out < g->count; ++out) {
            double square;
            const lmb_result result = predict(c, g, k, radius, out, &square, error);
            if (result != LMB_OK) {
                return result;
            }
            total += sqrt(fmax(square, 0)) / g->count;
        }
        if (total < least) {
            least = total;
            *best = k;
            *radius_rad = radius;
        }
    }
    for (uint32_t k = 0; k < g->count; ++k) {
        lmb_corrective_report *report = &c->correctives[g->sculpts[k]].report;
        report->kernel = candidates[*best].kernel;
        report->radius_rad = *radius_rad;
        report->left_out_error = g->count > 1 ? (float)least : 0;
        for (uint32_t d = 0; d < g->driver_count && d < LMB_CORRECT_DRIVERS; ++d) {
            report->drivers[report->driver_count++] = g->drivers[d].joint;
        }
    }
    return LMB_OK;
}

lmb_result lmbi_correct_spaces(lmbi_correction *c, lmb_error *error)
{
    group g;
    c->spaces = lmbi_arena_array(&c->arena, c->group_count, sizeof *c->spaces);
    c->defs = lmbi_arena_array(&c->arena, c->group_count, sizeof *c->defs);
    if (!c->spaces || !c->defs) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t number = 0; number < c->group_count; ++number) {
        if (!allocate(c, &g)) { // for each group, since the definitions stay
            return lmbi_fail_memory(error);
        }
        int candidate;
        float radius_rad;
        gather(c, number, &g);
        for (uint32_t a = 0; a < g.count; ++a) {
            for (uint32_t b = 0; b < g.count; ++b) {
                g.gram[a * g.count + b] = product(c, g.sculpts[a], g.sculpts[b]);
            }
        }
        lmb_result result = choose(c, &g, &candidate, &radius_rad, error);
        if (result == LMB_OK) {
            result = make_space(c, &g, g.rotations, g.count, (space_shape){candidate, radius_rad},
                                &c->spaces[number], &c->defs[number], error);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

void lmbi_correct_weights(const lmbi_correction *c, const lmb_transform *local, float *weights)
{
    float *values = weights + c->count; // the caller has room for twice as many
    for (uint32_t number = 0; number < c->group_count; ++number) {
        lmb_pose_space_evaluate(&(lmb_pose_space_job){c->spaces[number], local, values});
        for (uint32_t k = 0, at = 0; k < c->count; ++k) {
            if (c->correctives[k].group == number) {
                weights[k] = values[at++];
            }
        }
    }
}
