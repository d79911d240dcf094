#include "learn/body/acceleration.h"

#include <string.h>

#include "linalg/linalg.h"

enum { WINDOW = LMBI_ACCELERATION_WINDOW };
/// Of the greatest diagonal entry: keeps differences that are nearly parallel from large coefficients.
static const double DAMPING = 1e-8;

bool lmbi_acceleration_init(lmbi_acceleration *a, size_t size, lmbi_arena *arena)
{
    *a = (lmbi_acceleration){.size = size,
                             .last_at = lmbi_arena_array(arena, size, sizeof(double)),
                             .last_step = lmbi_arena_array(arena, size, sizeof(double))};
    bool ok = a->last_at && a->last_step;
    for (int k = 0; k < WINDOW; ++k) {
        a->ats[k] = lmbi_arena_array(arena, size, sizeof(double));
        a->steps[k] = lmbi_arena_array(arena, size, sizeof(double));
        ok = ok && a->ats[k] && a->steps[k];
    }
    return ok;
}

void lmbi_acceleration_reset(lmbi_acceleration *a)
{
    a->count = 0;
    a->has_last = false;
}

static double dot(const double *a, const double *b, size_t size)
{
    double sum = 0;
    for (size_t k = 0; k < size; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/// Keeps the difference to the point before, in place of the oldest.
static void keep_difference(lmbi_acceleration *a, const double *at, const double *to)
{
    double *oldest_at = a->ats[WINDOW - 1], *oldest_step = a->steps[WINDOW - 1];
    memmove(a->ats + 1, a->ats, (WINDOW - 1) * sizeof *a->ats);
    memmove(a->steps + 1, a->steps, (WINDOW - 1) * sizeof *a->steps);
    a->ats[0] = oldest_at;
    a->steps[0] = oldest_step;
    for (size_t k = 0; k < a->size; ++k) {
        oldest_at[k] = at[k] - a->last_at[k];
        oldest_step[k] = to[k] - at[k] - a->last_step[k];
    }
    a->count += a->count < WINDOW;
}

/// Coefficients with which the differences of steps take most of the last step away. False where they are parallel.
static bool solve(const lmbi_acceleration *a, double *coefficients)
{
    double square[WINDOW * WINDOW], greatest = 0;
    for (uint32_t r = 0; r < a->count; ++r) {
        coefficients[r] = dot(a->steps[r], a->last_step, a->size);
        for (uint32_t c = 0; c < a->count; ++c) {
            square[r * a->count + c] = dot(a->steps[r], a->steps[c], a->size);
        }
        const double own = square[r * a->count + r];
        greatest = own > greatest ? own : greatest;
    }
    for (uint32_t r = 0; r < a->count; ++r) {
        square[r * a->count + r] += DAMPING * greatest;
    }
    return greatest > 0 && lmbi_dense_solve(square, a->count, coefficients, 1, NULL) == LMB_OK;
}

void lmbi_acceleration_next(lmbi_acceleration *a, const double *at, double *to)
{
    double coefficients[WINDOW];
    if (a->has_last) {
        keep_difference(a, at, to);
    }
    for (size_t k = 0; k < a->size; ++k) {
        a->last_at[k] = at[k];
        a->last_step[k] = to[k] - at[k];
    }
    a->has_last = true;
    if (a->count == 0 || !solve(a, coefficients)) {
        return;
    }
    for (uint32_t c = 0; c < a->count; ++c) {
        for (size_t k = 0; k < a->size; ++k) {
            to[k] -= coefficients[c] * (a->ats[c][k] + a->steps[c][k]);
        }
    }
}
