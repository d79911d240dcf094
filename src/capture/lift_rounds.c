/// Rounds of the search where keypoints tremble: poses at moments evenly apart from signs settled over
/// time, solved together, and the signs settled again from where hips and shoulders have come to be.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/lift_trail.h"

#define ROUNDS 2    ///< of signs
#define WINDOW 360u ///< poses solved together
#define OVERLAP 40u

lmb_result lmbi_lift_windows(lmbi_lifting *lift, lmb_transform *poses, uint32_t count,
                             uint32_t step, uint32_t iterations, double *cost)
{
    const lmb_progress *progress = lift->opts->progress;
    *cost = 0;
    for (uint32_t first = 0; first < count; first += WINDOW - OVERLAP) {
        lmbi_arena scratch;
        lmbi_arena_init(&scratch, lift->arena->alloc);
        const uint32_t left = count - first;
        const lmbi_window window = {.first_frame = first * step,
                                    .step = step,
                                    .count = left < WINDOW ? left : WINDOW,
                                    .fixed = first > 0 ? 2 : 0,
                                    .iterations = iterations,
                                    .smooth = true,
                                    .poses = poses + (size_t)first * lift->subject.count};
        const double own = lmbi_lift_solve(lift, &window, &scratch);
        lmbi_arena_free(&scratch);
        if (own < 0) {
            return LMB_ERROR_MEMORY;
        }
        *cost += own;
        if (progress != NULL &&
            !progress->report(progress->user, "lifting", (float)first / (float)count)) {
            return LMB_ERROR_CANCELLED;
        }
        if (left <= WINDOW) {
            break;
        }
    }
    return LMB_OK;
}

lmb_result lmbi_lift_anneal(lmbi_lifting *lift, lmb_transform *poses, uint32_t count, uint32_t step,
                            double rough, double *cost)
{
    const double noise = lift->noise;
    lmb_result result = LMB_OK;
    for (double now = rough; result == LMB_OK && now > 1.5 * noise; now /= 3) {
        lift->noise = now;
        result = lmbi_lift_windows(lift, poses, count, step, 15, cost);
    }
    lift->noise = noise;
    return result == LMB_OK ? lmbi_lift_windows(lift, poses, count, step, 40, cost) : result;
}

/// What signs say of one course of limbs, now that hips and shoulders are better known.
static lmb_result mirror(lmbi_trail *t, int limb, lmb_transform *poses, uint32_t *mirrored)
{
    const uint32_t n = t->lift->subject.count;
    lmb_vec3(*was)[LMBI_TRAIL_POINTS] = lmbi_arena_array(t->lift->arena, t->count, sizeof *was);
    *mirrored = 0;
    if (was == NULL) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        lmbi_lift_points(t, m, poses + (size_t)m * n);
    }
    memcpy(was, t->points, t->count * sizeof *was);
    if (!lmbi_trail_limbs(t, limb)) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        *mirrored += lmbi_lift_mirror(t, m, was[m], poses + (size_t)m * n);
    }
    return LMB_OK;
}

/// Each course of limbs where its signs say, kept where the whole gets better by it.
static lmb_result settle(lmbi_trail *t, lmb_transform *poses, lmb_transform *best, double rough,
                         double *least, bool *changed)
{
    lmbi_lifting *lift = t->lift;
    const size_t bytes = (size_t)t->count * lift->subject.count * sizeof *poses;
    lmb_result result = LMB_OK;
    *changed = false;
    for (int limb = 0; result == LMB_OK && limb < LMBI_LIMBS; limb += limb < 2 ? 1 : 2) {
        uint32_t mirrored;
        double cost = *least;
        memcpy(best, poses, bytes);
        result = mirror(t, limb, poses, &mirrored);
        if (result == LMB_OK && mirrored > 0) {
            result = lmbi_lift_anneal(lift, poses, t->count, t->step, rough, &cost);
        }
        if (cost < *least) {
            *changed = true;
            *least = cost;
        } else {
            memcpy(poses, best, bytes);
        }
    }
    return result;
}

lmb_result lmbi_lift_rounds(lmbi_trail *t, double rough, lmb_transform *poses)
{
    lmbi_lifting *lift = t->lift;
    const uint32_t n = lift->subject.count;
    lmb_transform *best = lmbi_arena_array(lift->arena, (size_t)t->count * n, sizeof *best);
    double least;
    bool changed = true;
    if (best == NULL) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        lmbi_lift_pose(t, m, poses + (size_t)m * n);
    }
    lmb_result result = lmbi_lift_anneal(lift, poses, t->count, t->step, rough, &least);
    for (int round = 0; result == LMB_OK && changed && round < ROUNDS; ++round) {
        result = settle(t, poses, best, rough, &least, &changed);
    }
    return result;
}
