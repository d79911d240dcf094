#include "author/pose_fit.h"

#include <math.h>

#include "base/error.h"

enum { FOLDS = 5 };
/// Least fraction of the bending of the joint that bends most, for a driver.
static const double LEAST_SHARE = 0.02;
/// Least rotation since rest of a driver in some example, radians.
static const double LEAST_ANGLE = 0.02;
/// Poses nearer than this to one before, in radians, are left out.
static const double LEAST_DISTANCE = 1e-3;

/// Kernels and ridges that are tried. Radii are in mean distances of an example to its nearest.
static const struct {
    lmb_kernel kernel;
    float radius, ridge;
} candidates[] = {
    {LMB_KERNEL_LINEAR, 0, -1},       {LMB_KERNEL_CUBIC, 0, -1},
    {LMB_KERNEL_GAUSSIAN, 2, 1e-5f},  {LMB_KERNEL_GAUSSIAN, 4, 1e-5f},
    {LMB_KERNEL_GAUSSIAN, 8, 1e-4f},  {LMB_KERNEL_GAUSSIAN, 16, 1e-4f},
    {LMB_KERNEL_GAUSSIAN, 4, 1e-2f},  {LMB_KERNEL_GAUSSIAN, 16, 1e-2f},
    {LMB_KERNEL_GAUSSIAN, 16, 1e-1f}, {LMB_KERNEL_GAUSSIAN, 16, 1},
};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

// ---- drivers

lmb_result lmbi_pose_drivers(lmbi_pose_examples *x, double *bend, lmbi_arena *arena,
                             lmb_error *error)
{
    const lmb_skeleton *s = x->skeleton;
    double most = 0;
    x->driver_count = 0;
    x->drivers = lmbi_arena_array(arena, s->joint_count, sizeof *x->drivers);
    if (!x->drivers) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        double turn = 0;
        for (uint32_t e = 0; e < x->count; ++e) {
            turn = fmax(turn, (double)lmb_quat_angle(s->rest[j].rotation, x->local[e][j].rotation));
        }
        bend[j] = turn > LEAST_ANGLE ? bend[j] : 0;
        most = fmax(most, bend[j]);
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (bend[j] > LEAST_SHARE * most) {
            x->drivers[x->driver_count++] =
                (lmb_pose_driver){.joint = j, .weight = (float)(bend[j] / most)};
        }
    }
    return x->driver_count > 0
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "poses that bend what the frames show",
                           "none in %u frames", x->count);
}

static double pose_distance(const lmbi_pose_examples *x, const lmb_transform *a,
                            const lmb_transform *b)
{
    double sum = 0, total = 0;
    for (uint32_t d = 0; d < x->driver_count; ++d) {
        const uint32_t j = x->drivers[d].joint;
        const double angle = (double)lmb_quat_angle(a[j].rotation, b[j].rotation);
        sum += (double)x->drivers[d].weight * angle * angle;
        total += (double)x->drivers[d].weight;
    }
    return sqrt(sum / total);
}

uint32_t lmbi_pose_examples_differ(const lmbi_pose_examples *x, uint32_t *kept)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < x->count; ++e) {
        double nearest = pose_distance(x, x->skeleton->rest, x->local[e]);
        for (uint32_t k = 0; k < count; ++k) {
            nearest = fmin(nearest, pose_distance(x, x->local[kept[k]], x->local[e]));
        }
        if (nearest > LEAST_DISTANCE) {
            kept[count++] = e;
        }
    }
    return count;
}

// ---- the pose space

/// What is interpolated: the examples that differ.
typedef struct fit {
    const lmbi_pose_examples *x;
    uint32_t count, *kept;
    lmb_quat *rotations;     ///< [1 + count][driver_count] scratch
    float *values;           ///< [1 + count][width] scratch
    lmb_pose_space_def made; ///< the last that was made
    double apart;            ///< mean distance of an example to its nearest, or to rest
} fit;

/// An interpolation of rest, where all values are 0, and the examples outside of a fold; a fold
/// of FOLDS has all inside.
static lmb_result make_space(fit *f, int candidate, uint32_t fold, const lmb_allocator *alloc,
                             lmb_pose_space **out, lmb_error *error)
{
    const lmbi_pose_examples *x = f->x;
    const size_t width = x->width, drivers = x->driver_count;
    uint32_t at = 1;
    for (size_t d = 0; d < drivers; ++d) {
        f->rotations[d] = x->skeleton->rest[x->drivers[d].joint].rotation;
    }
    for (uint32_t e = 0; e < f->count; ++e) {
        if (e % FOLDS == fold) {
            continue;
        }
        for (size_t d = 0; d < drivers; ++d) {
            f->rotations[at * drivers + d] = x->local[f->kept[e]][x->drivers[d].joint].rotation;
        }
        for (size_t k = 0; k < width; ++k) {
            f->values[at * width + k] = (float)x->values[f->kept[e] * width + k];
        }
        ++at;
    }
    f->made =
        (lmb_pose_space_def){.driver_count = x->driver_count,
                             .example_count = at,
                             .drivers = x->drivers,
                             .rotations = f->rotations,
                             .width = x->width,
                             .values = f->values,
                             .kernel = candidates[candidate].kernel,
                             .radius_rad = (float)(f->apart * (double)candidates[candidate].radius),
                             .regularization = candidates[candidate].ridge};
    return lmb_pose_space_create(&f->made, alloc, out, error);
}

static double spacing(const fit *f)
{
    const lmbi_pose_examples *x = f->x;
    double sum = 0;
    for (uint32_t a = 0; a < f->count; ++a) {
        const lmb_transform *local = x->local[f->kept[a]];
        double nearest = pose_distance(x, x->skeleton->rest, local);
        for (uint32_t b = 0; b < f->count; ++b) {
            nearest =
                a == b ? nearest : fmin(nearest, pose_distance(x, local, x->local[f->kept[b]]));
        }
        sum += nearest;
    }
    return sum / f->count;
}

/// Adds the squared error of the values of a fold as the other folds predict them.
static lmb_result fold_error(fit *f, int candidate, uint32_t fold, float *predicted,
                             const lmb_allocator *alloc, double *sum, lmb_error *error)
{
    const lmbi_pose_examples *x = f->x;
    lmb_pose_space *space = NULL;
    const lmb_result result = make_space(f, candidate, fold, alloc, &space, error);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t e = fold; e < f->count; e += FOLDS) {
        lmb_pose_space_evaluate(&(lmb_pose_space_job){space, x->local[f->kept[e]], predicted});
        for (uint32_t k = 0; k < x->width; ++k) {
            const double off = (double)predicted[k] - x->values[(size_t)f->kept[e] * x->width + k];
            *sum += x->sizes[k] * off * off;
        }
    }
    lmb_pose_space_destroy(space);
    return LMB_OK;
}

lmb_result lmbi_pose_fit(const lmbi_pose_examples *x, lmbi_arena *arena, lmb_pose_space **out,
                         lmb_pose_space_def *def, lmb_error *error)
{
    const size_t rows = (size_t)x->count + 1;
    fit f = {.x = x};
    f.kept = lmbi_arena_array(arena, rows, sizeof *f.kept);
    f.rotations = lmbi_arena_array(arena, rows * x->driver_count, sizeof *f.rotations);
    f.values = lmbi_arena_array(arena, rows * x->width, sizeof *f.values);
    float *predicted = lmbi_arena_array(arena, x->width, sizeof *predicted);
    if (!f.kept || !f.rotations || !f.values || !predicted) {
        return lmbi_fail_memory(error);
    }
    f.count = lmbi_pose_examples_differ(x, f.kept);
    f.apart = f.count > 0 ? spacing(&f) : 1;
    double least = (double)INFINITY;
    int best = 0;
    for (int k = 0; k < CANDIDATES; ++k) {
        double sum = 0;
        for (uint32_t fold = 0; fold < FOLDS; ++fold) {
            const lmb_result result = fold_error(&f, k, fold, predicted, arena->alloc, &sum, error);
            if (result != LMB_OK) {
                return result;
            }
        }
        if (sum < least) {
            least = sum;
            best = k;
        }
    }
    const lmb_result result = make_space(&f, best, FOLDS, arena->alloc, out, error);
    *def = f.made;
    return result;
}
