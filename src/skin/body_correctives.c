// The correctives of all frames span few dimensions. Their principal components, in the metric of
// the surface, are the targets.
//
// With F the features of the frames (f x k) and D the directions of those that are used (k x 3v),
// the displacements are F D. The eigenvectors of D D^T = U L U^T give orthonormal rows B = L^-1/2
// U^T D and coordinates A = F U L^1/2, so that F D = A B. Those of A^T A = V M V^T give the targets
// V^T B and the weights A V; the first n of them are the best n targets for every n.
#include "skin/body_correctives.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/linalg.h"

enum {
    WORST_FRAMES = 16, ///< frames that measure the error in the search for the number of targets
    GRAIN = 4,
};

typedef struct basis {
    const lmb_body_model *model;
    const float *features;
    const lmb_jobs *jobs;
    lmbi_arena *arena;
    lmb_error *error;
    uint32_t frames;
    uint32_t used;           ///< number of features that are used
    uint32_t *features_used; ///< their indices
    uint32_t rank;
    double *gram;   ///< [used][used] D D^T
    double *values; ///< [used]
    double *vectors;
    double *coordinates; ///< [frames][used] A
    double *mix;         ///< [rank][used] targets as combinations of directions
    double *weights;     ///< [frames][rank]
} basis;

static void *arena_array(basis *b, size_t count, size_t size)
{
    return lmbi_arena_array(b->arena, count, size);
}

static const float *direction(const basis *b, uint32_t k)
{
    return &b->model->pose_directions[(size_t)b->features_used[k] * b->model->vertex_count].x;
}

static float feature(const basis *b, uint32_t frame, uint32_t k)
{
    return b->features[(size_t)frame * b->model->feature_count + b->features_used[k]];
}

/// Skips features that stay below 1e-6 in every frame: they move nothing visibly.
static bool find_used(basis *b)
{
    const uint32_t count = b->model->feature_count;
    b->features_used = arena_array(b, count, sizeof *b->features_used);
    for (uint32_t k = 0; b->features_used != NULL && k < count; ++k) {
        float greatest = 0;
        for (uint32_t f = 0; f < b->frames; ++f) {
            greatest = fmaxf(greatest, fabsf(b->features[(size_t)f * count + k]));
        }
        if (greatest > 1e-6f) {
            b->features_used[b->used++] = k;
        }
    }
    return b->features_used != NULL;
}

static void gram_rows(void *context, size_t begin, size_t end)
{
    basis *b = context;
    const size_t numbers = (size_t)b->model->vertex_count * 3;
    for (size_t i = begin; i < end; ++i) {
        const float *x = direction(b, (uint32_t)i);
        for (size_t j = 0; j <= i; ++j) {
            const float *y = direction(b, (uint32_t)j);
            // Four independent sums: the order is fixed, and additions do not wait for one another.
            double sums[4] = {0, 0, 0, 0};
            size_t k = 0;
            for (; k + 4 <= numbers; k += 4) {
                for (int lane = 0; lane < 4; ++lane) {
                    sums[lane] += (double)x[k + (size_t)lane] * (double)y[k + (size_t)lane];
                }
            }
            for (; k < numbers; ++k) {
                sums[0] += (double)x[k] * (double)y[k];
            }
            b->gram[i * b->used + j] = b->gram[j * b->used + i] =
                (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
    }
}

/// Coordinates of the frames in the orthonormal basis of the displacements.
static void find_coordinates(basis *b)
{
    const size_t n = b->used;
    for (uint32_t f = 0; f < b->frames; ++f) {
        for (size_t r = 0; r < n; ++r) {
            double sum = 0;
            for (uint32_t k = 0; k < n; ++k) {
                sum += (double)feature(b, f, k) * b->vectors[r * n + k];
            }
            b->coordinates[f * n + r] = sum * sqrt(fmax(b->values[r], 0));
        }
    }
}

/// The principal components of the coordinates: `mix` and `weights`.
static lmb_result find_components(basis *b, const lmb_allocator *alloc)
{
    const size_t n = b->used;
    double *scales = arena_array(b, n, sizeof *scales),
           *vectors = arena_array(b, n * n, sizeof *vectors);
    double *moments = arena_array(b, n * n, sizeof *moments);
    if (scales == NULL || vectors == NULL || moments == NULL) {
        return lmbi_fail_memory(b->error);
    }
    for (uint32_t f = 0; f < b->frames; ++f) {
        const double *a = b->coordinates + f * n;
        for (size_t i = 0; i < n; ++i) {
            for (size_t j = 0; j < n; ++j) {
                moments[i * n + j] += a[i] * a[j];
            }
        }
    }
    const lmb_result result = lmbi_dense_eigen(moments, b->used, scales, vectors, alloc, b->error);
    if (result != LMB_OK) {
        return result;
    }
    const double greatest = n > 0 ? scales[0] : 0;
    while (b->rank < n && scales[b->rank] > 1e-14 * greatest) {
        ++b->rank;
    }
    b->mix = arena_array(b, b->rank * n, sizeof *b->mix);
    b->weights = arena_array(b, (size_t)b->frames * b->rank, sizeof *b->weights);
    if (b->mix == NULL || b->weights == NULL) {
        return lmbi_fail_memory(b->error);
    }
    for (size_t t = 0; t < b->rank; ++t) {
        for (size_t r = 0; r < n; ++r) {
            const double value = b->values[r];
            const double factor =
                value > 1e-12 * b->values[0] ? vectors[t * n + r] / sqrt(value) : 0;
            for (size_t k = 0; k < n; ++k) {
                b->mix[t * n + k] += factor * b->vectors[r * n + k];
            }
        }
        for (uint32_t f = 0; f < b->frames; ++f) {
            double sum = 0;
            for (size_t r = 0; r < n; ++r) {
                sum += b->coordinates[f * n + r] * vectors[t * n + r];
            }
            b->weights[f * b->rank + t] = sum;
        }
    }
    return LMB_OK;
}

// ----------------------------------------------------------------------------- number of targets

/// The residual of a frame after its first targets, as weights of the directions: `residual` [used].
static void compute_residual(const basis *b, uint32_t frame, uint32_t taken, double *residual)
{
    for (uint32_t k = 0; k < b->used; ++k) {
        residual[k] = (double)feature(b, frame, k);
        for (size_t t = 0; t < taken; ++t) {
            residual[k] -= b->weights[(size_t)frame * b->rank + t] * b->mix[t * b->used + k];
        }
    }
}

/// Longest displacement of a weighted sum of directions, by blocks of vertices so that the sums
/// stay in cache.
static double longest_displacement(const basis *b, const double *residual)
{
    enum { BLOCK = 256 };
    const size_t n = b->model->vertex_count;
    double greatest = 0;
    for (size_t first = 0; first < n; first += BLOCK) {
        const size_t count = n - first < BLOCK ? n - first : BLOCK;
        double sums[3 * BLOCK] = {0};
        for (uint32_t k = 0; k < b->used; ++k) {
            const float *d = direction(b, k) + 3 * first;
            for (size_t i = 0; i < 3 * count; ++i) {
                sums[i] += residual[k] * (double)d[i];
            }
        }
        for (size_t v = 0; v < count; ++v) {
            const double *s = sums + 3 * v;
            greatest = fmax(greatest, s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        }
    }
    return sqrt(greatest);
}

/// Selects the frames with the largest squared residual after the first targets.
static uint32_t find_worst(const basis *b, uint32_t taken, uint32_t worst[WORST_FRAMES])
{
    double energies[WORST_FRAMES];
    uint32_t count = 0;
    for (uint32_t f = 0; f < b->frames; ++f) {
        double energy = 0;
        for (size_t t = taken; t < b->rank; ++t) {
            const double w = b->weights[(size_t)f * b->rank + t];
            energy += w * w;
        }
        uint32_t at = count < WORST_FRAMES ? count : WORST_FRAMES;
        while (at > 0 && energies[at - 1] < energy) {
            --at;
        }
        if (at < WORST_FRAMES) {
            count += count < WORST_FRAMES;
            for (uint32_t k = count - 1; k > at; --k) {
                energies[k] = energies[k - 1];
                worst[k] = worst[k - 1];
            }
            energies[at] = energy;
            worst[at] = f;
        }
    }
    return count;
}

typedef struct error_search {
    const basis *b;
    uint32_t taken, count;
    const uint32_t *frames; ///< [count] frames to measure; NULL: all of the motion
    double *residual;       ///< [frames of the motion][used]
    double *errors;         ///< [frames of the motion]
} error_search;

static void measure_frames(void *context, size_t begin, size_t end)
{
    const error_search *e = context;
    for (size_t k = begin; k < end; ++k) {
        double *residual = e->residual + k * e->b->used;
        compute_residual(e->b, e->frames != NULL ? e->frames[k] : (uint32_t)k, e->taken, residual);
        e->errors[k] = longest_displacement(e->b, residual);
    }
}

/// Largest error of the given frames with `taken` targets. *at, if not NULL, gets the frame with
/// it.
static double measure_error(error_search *e, uint32_t taken, const uint32_t *frames, uint32_t count,
                            uint32_t *at)
{
    e->taken = taken;
    e->frames = frames;
    e->count = count;
    lmb_parallel_for(e->b->jobs, count, 1, measure_frames, e);
    uint32_t worst = 0;
    for (uint32_t k = 1; k < count; ++k) {
        worst = e->errors[k] > e->errors[worst] ? k : worst;
    }
    if (at != NULL) {
        *at = frames != NULL ? frames[worst] : worst;
    }
    return e->errors[worst];
}

/// Binary search over the frames with the largest residuals.
static uint32_t estimate_count(error_search *e, double tolerance)
{
    uint32_t low = 0, high = e->b->rank, worst[WORST_FRAMES];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t count = find_worst(e->b, middle, worst);
        if (measure_error(e, middle, worst, count, NULL) <= tolerance) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// The number of targets that keeps every frame within the tolerance: starts from the estimate and
/// adds targets while a frame exceeds it.
static uint32_t find_count(error_search *e, double tolerance, double *error)
{
    uint32_t taken = estimate_count(e, tolerance), at = 0;
    for (;;) {
        *error = measure_error(e, taken, NULL, e->b->frames, &at);
        if (*error <= tolerance || taken == e->b->rank) {
            return taken;
        }
        do {
            ++taken;
        } while (taken < e->b->rank && measure_error(e, taken, &at, 1, NULL) > tolerance);
    }
}

// ---------------------------------------------------------------------------------------- results

static lmb_result store_components(basis *b, uint32_t count, double error, lmbi_correctives *out)
{
    const size_t numbers = (size_t)b->model->vertex_count * 3;
    out->count = count;
    out->error = (float)error;
    out->targets = arena_array(b, (size_t)count * b->model->vertex_count, sizeof(lmb_vec3));
    out->weights = arena_array(b, (size_t)b->frames * count, sizeof(float));
    double *sums = arena_array(b, numbers, sizeof *sums);
    if (out->targets == NULL || out->weights == NULL || sums == NULL) {
        return lmbi_fail_memory(b->error);
    }
    for (uint32_t t = 0; t < count; ++t) {
        float *target = &out->targets[(size_t)t * b->model->vertex_count].x;
        // Targets are unit vectors of the surface metric. They are scaled so that the largest
        // weight is 1, which makes them meaningful to look at.
        double greatest = 0;
        for (uint32_t f = 0; f < b->frames; ++f) {
            greatest = fmax(greatest, fabs(b->weights[(size_t)f * b->rank + t]));
        }
        memset(sums, 0, numbers * sizeof *sums);
        for (uint32_t k = 0; k < b->used; ++k) {
            const float *d = direction(b, k);
            const double factor = b->mix[(size_t)t * b->used + k] * greatest;
            for (size_t i = 0; i < numbers; ++i) {
                sums[i] += factor * (double)d[i];
            }
        }
        for (size_t i = 0; i < numbers; ++i) {
            target[i] = (float)sums[i];
        }
        for (uint32_t f = 0; f < b->frames; ++f) {
            out->weights[(size_t)f * count + t] =
                (float)(b->weights[(size_t)f * b->rank + t] / greatest);
        }
    }
    return LMB_OK;
}

static lmb_result store_features(basis *b, lmbi_correctives *out)
{
    const size_t n = b->model->vertex_count;
    out->count = b->used;
    out->targets = arena_array(b, n * b->used, sizeof(lmb_vec3));
    out->weights = arena_array(b, (size_t)b->frames * b->used, sizeof(float));
    if (out->targets == NULL || out->weights == NULL) {
        return lmbi_fail_memory(b->error);
    }
    for (uint32_t k = 0; k < b->used; ++k) {
        memcpy(out->targets + k * n, direction(b, k), n * sizeof(lmb_vec3));
        for (uint32_t f = 0; f < b->frames; ++f) {
            out->weights[(size_t)f * b->used + k] = feature(b, f, k);
        }
    }
    return LMB_OK;
}

static lmb_result reduce(basis *b, double tolerance, lmbi_correctives *out)
{
    const size_t n = b->used;
    const lmb_allocator *alloc = b->arena->alloc;
    b->gram = arena_array(b, n * n, sizeof *b->gram);
    b->values = arena_array(b, n, sizeof *b->values);
    b->vectors = arena_array(b, n * n, sizeof *b->vectors);
    b->coordinates = arena_array(b, b->frames * n, sizeof *b->coordinates);
    error_search search = {.b = b};
    search.residual = arena_array(b, b->frames * n, sizeof *search.residual);
    search.errors = arena_array(b, b->frames, sizeof *search.errors);
    if (!b->gram || !b->values || !b->vectors || !b->coordinates || !search.residual ||
        !search.errors) {
        return lmbi_fail_memory(b->error);
    }
    lmb_parallel_for(b->jobs, n, GRAIN, gram_rows, b);
    lmb_result result = lmbi_dense_eigen(b->gram, b->used, b->values, b->vectors, alloc, b->error);
    if (result == LMB_OK) {
        find_coordinates(b);
        result = find_components(b, alloc);
    }
    if (result != LMB_OK) {
        return result;
    }
    double error = 0;
    const uint32_t count = find_count(&search, tolerance, &error);
    return store_components(b, count, error, out);
}

lmb_result lmbi_correctives_build(const lmb_body_model *model, const float *features,
                                  uint32_t frame_count, float tolerance, const lmb_jobs *jobs,
                                  lmbi_arena *arena, lmbi_correctives *out, lmb_error *error)
{
    basis b = {.model = model,
               .features = features,
               .jobs = jobs,
               .arena = arena,
               .error = error,
               .frames = frame_count};
    *out = (lmbi_correctives){0};
    if (!find_used(&b)) {
        return lmbi_fail_memory(error);
    }
    if (tolerance < 0) {
        return store_features(&b, out);
    }
    return reduce(&b, tolerance > 0 ? (double)tolerance : 1e-4, out);
}
