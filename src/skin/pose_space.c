#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/skin.h"
#include "linalg/linalg.h"
#include "math/math.h"

enum {
    /// Examples per batch: their distances fit on the stack, so that a job needs no memory.
    BATCH = 64,
};

struct lmb_pose_space {
    uint32_t driver_count, example_count, width;
    lmb_pose_driver *drivers;   ///< weights sum to 1
    lmb_quat *driver_rotations; ///< [driver_count][example_count] the driving part of each rotation
    double *coefficients;       ///< [example_count][width]
    lmb_kernel kernel;
    double radius;
    bool normalized;
    lmb_allocator allocator;
};

// -------------------------------------------------------------------------------------- distances

static lmb_quat driving_part(const lmb_pose_driver *driver, lmb_quat q)
{
    lmb_quat swing, twist;
    q = lmb_quat_normalize(q);
    if (driver->part == LMB_DRIVER_ROTATION) {
        return q;
    }
    lmbi_quat_swing_twist(q, driver->axis, &swing, &twist);
    return driver->part == LMB_DRIVER_SWING ? swing : twist;
}

/// The angle between two rotations, also precise for small angles.
static double angle_between(lmb_quat a, lmb_quat b)
{
    const lmb_quat d = lmb_quat_mul(lmb_quat_conjugate(a), b);
    const float s = lmb_vec3_length(lmb_vec3_make(d.x, d.y, d.z));
    return 2 * (double)lmb_atan2(s, fabsf(d.w));
}

/// Adds one driver's weighted squared angles to the squared distances of the examples [first, first
/// + count).
static void add_squares(const lmb_pose_space *space, uint32_t d, lmb_quat rotation, uint32_t first,
                        uint32_t count, double *squares)
{
    const lmb_quat *examples = space->driver_rotations + (size_t)d * space->example_count + first;
    for (uint32_t k = 0; k < count; ++k) {
        const double angle = angle_between(rotation, examples[k]);
        squares[k] += (double)space->drivers[d].weight * angle * angle;
    }
}

static double kernel_value(const lmb_pose_space *space, double r)
{
    const double x = r / space->radius;
    switch (space->kernel) {
    case LMB_KERNEL_LINEAR:
        return r;
    case LMB_KERNEL_CUBIC:
        return r * r * r;
    case LMB_KERNEL_THIN_PLATE:
        return r > 0 ? r * r * (double)lmb_log((float)r) : 0;
    case LMB_KERNEL_INVERSE_MULTIQUADRIC:
        return 1 / sqrt(1 + x * x);
    case LMB_KERNEL_GAUSSIAN:
    default:
        return (double)lmb_exp((float)(-x * x / 2));
    }
}

// ---------------------------------------------------------------------------------------- fitting

static lmb_result check_definition(const lmb_pose_space_def *def, lmb_error *error)
{
    if (def->driver_count == 0 || def->example_count == 0 || def->example_count > 10000) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "drivers, and 1 to 10000 examples",
                         "%u drivers, %u examples", def->driver_count, def->example_count);
    }
    if (def->normalized && def->kernel != LMB_KERNEL_GAUSSIAN &&
        def->kernel != LMB_KERNEL_INVERSE_MULTIQUADRIC) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a Gaussian or inverse multiquadric kernel, to normalise", "kernel %d",
                         (int)def->kernel);
    }
    for (uint32_t d = 0; d < def->driver_count; ++d) {
        const lmb_pose_driver *driver = &def->drivers[d];
        const float length = lmb_vec3_dot(driver->axis, driver->axis);
        if (!(driver->weight >= 0) || !isfinite(driver->weight) ||
            (driver->part != LMB_DRIVER_ROTATION && !(fabsf(length - 1) < 1e-3f))) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "weights from 0 and unit axes",
                             "weight %g and an axis of length %g for driver %u",
                             (double)driver->weight, (double)lmb_sqrt(length), d);
        }
    }
    const size_t rotations = (size_t)def->driver_count * def->example_count;
    for (size_t k = 0; k < rotations; ++k) {
        const float square = lmb_quat_dot(def->rotations[k], def->rotations[k]);
        if (!(square > 0) || !isfinite(square)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "rotations",
                             "a quaternion of squared length %g in example %zu", (double)square,
                             k / def->driver_count);
        }
    }
    for (size_t k = 0; def->values != NULL && k < (size_t)def->width * def->example_count; ++k) {
        if (!isfinite(def->values[k])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite values", "%g in example %zu",
                             (double)def->values[k], k / def->width);
        }
    }
    return isfinite(def->radius_rad) && def->radius_rad >= 0 && isfinite(def->regularization)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID,
                           "a radius of 0 or more and a finite regularization", "%g and %g",
                           (double)def->radius_rad, (double)def->regularization);
}

static void set_drivers(lmb_pose_space *space, const lmb_pose_space_def *def)
{
    float sum = 0;
    for (uint32_t d = 0; d < def->driver_count; ++d) {
        space->drivers[d] = def->drivers[d];
        if (!(space->drivers[d].weight > 0)) {
            space->drivers[d].weight = 1;
        }
        sum += space->drivers[d].weight;
    }
    for (uint32_t d = 0; d < def->driver_count; ++d) {
        space->drivers[d].weight /= sum;
        for (uint32_t k = 0; k < def->example_count; ++k) {
            space->driver_rotations[(size_t)d * def->example_count + k] =
                driving_part(&space->drivers[d], def->rotations[(size_t)k * def->driver_count + d]);
        }
    }
}

/// Distances of all pairs into matrix[n][n], and the radius from them unless given. False if two
/// examples coincide.
static bool measure_distances(lmb_pose_space *space, float given, double *matrix, uint32_t same[2])
{
    const uint32_t n = space->example_count;
    double sum = 0;
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t other = k;
        double nearest = HUGE_VAL, *row = matrix + (size_t)k * n;
        for (uint32_t d = 0; d < space->driver_count; ++d) {
            add_squares(space, d, space->driver_rotations[(size_t)d * n + k], 0, n, row);
        }
        for (uint32_t i = 0; i < n; ++i) {
            row[i] = sqrt(row[i]);
            if (i != k && row[i] < nearest) {
                nearest = row[i];
                other = i;
            }
        }
        if (nearest < 1e-5) {
            same[0] = k;
            same[1] = other;
            return false;
        }
        sum += n > 1 ? nearest : 1;
    }
    space->radius = given > 0 ? (double)given : sum / n;
    return true;
}

static void fill_matrix(const lmb_pose_space *space, float regularization, double *matrix)
{
    const uint32_t n = space->example_count;
    const double extra = regularization > 0   ? (double)regularization
                         : regularization < 0 ? 0
                                              : 1e-6;
    for (uint32_t k = 0; k < n; ++k) {
        double *row = matrix + (size_t)k * n, sum = 0;
        for (uint32_t i = 0; i < n; ++i) {
            row[i] = kernel_value(space, row[i]);
            sum += row[i];
        }
        // r, r^3 and r^2 log r are negative definite on differences, so regularisation has to
        // subtract from the diagonal.
        const bool grows =
            space->kernel == LMB_KERNEL_LINEAR || space->kernel == LMB_KERNEL_THIN_PLATE;
        row[k] += grows ? -extra : extra;
        for (uint32_t i = 0; space->normalized && i < n; ++i) {
            row[i] /= sum;
        }
    }
}

static lmb_result fit_coefficients(lmb_pose_space *space, const lmb_pose_space_def *def,
                                   lmb_error *error)
{
    const uint32_t n = space->example_count;
    double *matrix = lmbi_alloc_array(&space->allocator, (size_t)n * n, sizeof *matrix);
    if (matrix == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < n; ++k) {
        for (uint32_t i = 0; i < space->width; ++i) {
            space->coefficients[(size_t)k * space->width + i] =
                def->values != NULL ? (double)def->values[(size_t)k * space->width + i] : i == k;
        }
    }
    lmb_result result = LMB_OK;
    uint32_t same[2];
    if (!measure_distances(space, def->radius_rad, matrix, same)) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "examples at different poses",
                           "examples %u and %u at one pose", same[0], same[1]);
    } else if (n == 1 && space->kernel != LMB_KERNEL_GAUSSIAN &&
               space->kernel != LMB_KERNEL_INVERSE_MULTIQUADRIC) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "two examples or more for this kernel",
                           "one and kernel %d", (int)space->kernel);
    } else {
        fill_matrix(space, def->regularization, matrix);
        result = lmbi_dense_solve(matrix, n, space->coefficients, space->width, error);
    }
    lmbi_free(&space->allocator, matrix);
    return result;
}

lmb_result lmb_pose_space_create(const lmb_pose_space_def *def, const lmb_allocator *alloc,
                                 lmb_pose_space **out, lmb_error *error)
{
    lmb_result result = check_definition(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_pose_space *space = lmbi_alloc(alloc, sizeof *space);
    if (space == NULL) {
        return lmbi_fail_memory(error);
    }
    space->allocator = alloc ? *alloc : (lmb_allocator){0};
    space->driver_count = def->driver_count;
    space->example_count = def->example_count;
    space->width = def->values != NULL ? def->width : def->example_count;
    space->kernel = def->kernel;
    space->normalized = def->normalized;
    space->drivers = lmbi_alloc_array(alloc, def->driver_count, sizeof *space->drivers);
    space->driver_rotations = lmbi_alloc_array(
        alloc, (size_t)def->driver_count * def->example_count, sizeof *space->driver_rotations);
    space->coefficients = lmbi_alloc_array(alloc, (size_t)def->example_count * space->width,
                                           sizeof *space->coefficients);
    if (space->drivers == NULL || space->driver_rotations == NULL || space->coefficients == NULL) {
        result = lmbi_fail_memory(error);
    } else {
        set_drivers(space, def);
        result = fit_coefficients(space, def, error);
    }
    if (result != LMB_OK) {
        lmb_pose_space_destroy(space);
        return result;
    }
    *out = space;
    return LMB_OK;
}

void lmb_pose_space_destroy(lmb_pose_space *space)
{
    if (space != NULL) {
        const lmb_allocator alloc = space->allocator;
        lmbi_free(&alloc, space->drivers);
        lmbi_free(&alloc, space->driver_rotations);
        lmbi_free(&alloc, space->coefficients);
        lmbi_free(&alloc, space);
    }
}

// ------------------------------------------------------------------------------------- evaluating

/// Distances from the job's pose to the examples [first, first + count).
static void find_distances(const lmb_pose_space_job *job, uint32_t first, uint32_t count,
                           double *out)
{
    const lmb_pose_space *space = job->space;
    for (uint32_t k = 0; k < count; ++k) {
        out[k] = 0;
    }
    for (uint32_t d = 0; d < space->driver_count; ++d) {
        const lmb_pose_driver *driver = &space->drivers[d];
        const lmb_quat rotation = driving_part(driver, job->local[driver->joint].rotation);
        add_squares(space, d, rotation, first, count, out);
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k] = sqrt(out[k]);
    }
}

/// Adds the kernels of a batch of examples, times `scale`, to the values; returns their sum.
static double add_batch(const lmb_pose_space_job *job, uint32_t first, uint32_t count, double scale)
{
    const lmb_pose_space *space = job->space;
    double r[BATCH], sum = 0;
    find_distances(job, first, count, r);
    for (uint32_t k = 0; k < count; ++k) {
        const double phi = kernel_value(space, r[k]);
        const double *row = space->coefficients + (size_t)(first + k) * space->width;
        sum += phi;
        for (uint32_t i = 0; scale > 0 && i < space->width; ++i) {
            job->out_values[i] += (float)(row[i] * phi * scale);
        }
    }
    return sum;
}

static double add_all(const lmb_pose_space_job *job, double scale)
{
    const uint32_t n = job->space->example_count;
    double sum = 0;
    for (uint32_t first = 0; first < n; first += BATCH) {
        sum += add_batch(job, first, n - first < BATCH ? n - first : BATCH, scale);
    }
    return sum;
}

void lmb_pose_space_evaluate(const lmb_pose_space_job *job)
{
    for (uint32_t i = 0; i < job->space->width; ++i) {
        job->out_values[i] = 0;
    }
    // Normalisation takes a first pass for the sum. Far from all examples the sum may be 0, and the
    // values stay 0.
    const double sum = job->space->normalized ? add_all(job, 0) : 1;
    if (sum > 1e-30) {
        add_all(job, 1 / sum);
    }
}

// ---------------------------------------------------------------------- one corrective at its pose

/// The blended matrix of one vertex in double precision: linear part by rows, and translation.
static void blend(const lmb_corrective_job *job, uint32_t v, double linear[3][3], double shift[3])
{
    const lmb_influences *rows = &job->mesh->influences;
    const lmb_influence alone = {0, 1.0f};
    const uint32_t size = rows->first[v + 1] - rows->first[v];
    for (int r = 0; r < 3; ++r) {
        shift[r] = linear[r][0] = linear[r][1] = linear[r][2] = 0;
    }
    for (uint32_t k = 0; k < (size > 0 ? size : 1); ++k) {
        const lmb_influence item = size > 0 ? rows->items[rows->first[v] + k] : alone;
        const float *m = job->model_from_bind[item.joint].m;
        const double w = (double)item.weight;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                linear[r][c] += w * (double)m[4 * c + r];
            }
            shift[r] += w * (double)m[12 + r];
        }
    }
}

/// The smallest d with M d = b. If M is nearly singular, the solution is damped in all directions
/// (Tikhonov).
static lmb_vec3 solve(double linear[3][3], const double b[3])
{
    double u[3][3], s[3], v[3][3], out[3] = {0, 0, 0};
    lmbi_svd3((const double(*)[3])linear, u, s, v);
    const double damping = fabs(s[2]) < 0.05 ? 1e-3 : 0;
    for (int k = 0; k < 3; ++k) {
        const double along = u[0][k] * b[0] + u[1][k] * b[1] + u[2][k] * b[2];
        const double bottom = s[k] * s[k] + damping;
        for (int r = 0; r < 3 && bottom > 0; ++r) {
            out[r] += v[r][k] * along * s[k] / bottom;
        }
    }
    return lmb_vec3_make((float)out[0], (float)out[1], (float)out[2]);
}

void lmb_corrective(const lmb_corrective_job *job)
{
    const lmb_vec3 *rest = job->positions != NULL ? job->positions : job->mesh->positions;
    for (uint32_t v = 0; v < job->mesh->vertex_count; ++v) {
        double linear[3][3], shift[3], b[3];
        blend(job, v, linear, shift);
        const double p[3] = {(double)rest[v].x, (double)rest[v].y, (double)rest[v].z};
        const double want[3] = {(double)job->sculpted[v].x, (double)job->sculpted[v].y,
                                (double)job->sculpted[v].z};
        for (int r = 0; r < 3; ++r) {
            b[r] = want[r] -
                   (linear[r][0] * p[0] + linear[r][1] * p[1] + linear[r][2] * p[2] + shift[r]);
        }
        job->out_displacements[v] = solve(linear, b);
    }
}
