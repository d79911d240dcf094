/// Alternates between solving all poses and choosing signs, for noisy keypoints: signs are chosen
/// again from the hips and shoulders that the poses have reached.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/lift_trail.h"

#define ROUNDS 2    ///< of choosing signs
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
        const double window_cost = lmbi_lift_solve(lift, &window, &scratch);
        lmbi_arena_free(&scratch);
        if (window_cost < 0) {
            return LMB_ERROR_MEMORY;
        }
        *cost += window_cost;
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
                            double first_noise, double *cost)
{
    const double final_noise = lift->noise;
    lmb_result result = LMB_OK;
    for (double noise_px = first_noise; result == LMB_OK && noise_px > 1.5 * final_noise;
         noise_px /= 3) {
        lift->noise = noise_px;
        result = lmbi_lift_windows(lift, poses, count, step, 15, cost);
    }
    lift->noise = final_noise;
    return result == LMB_OK ? lmbi_lift_windows(lift, poses, count, step, 40, cost) : result;
}

/// Chooses the signs of a limb (or of both legs) again and poses it anew where they changed.
static lmb_result choose_signs(lmbi_trail *t, int limb, lmb_transform *poses, uint32_t *mirrored)
{
    const uint32_t n = t->lift->subject.count;
    lmb_vec3(*was)[LMBI_TRAIL_POINTS] = lmbi_arena_array(t->lift->arena, t->count, sizeof *was);
    *mirrored = 0;
    if (was == NULL) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        lmbi_trail_from_pose(t, m, poses + (size_t)m * n);
    }
    memcpy(was, t->points, t->count * sizeof *was);
    if (!lmbi_trail_choose_limbs(t, limb)) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        *mirrored += lmbi_lift_mirror(t, m, was[m], poses + (size_t)m * n);
    }
    return LMB_OK;
}

/// Mirrors each limb as its new signs say, and keeps that where the total cost falls.
static lmb_result improve_signs(lmbi_trail *t, lmb_transform *poses, lmb_transform *best,
                                double first_noise, double *least, bool *changed)
{
    lmbi_lifting *lift = t->lift;
    const size_t bytes = (size_t)t->count * lift->subject.count * sizeof *poses;
    lmb_result result = LMB_OK;
    *changed = false;
    for (int limb = 0; result == LMB_OK && limb < LMBI_LIMBS; limb += limb < 2 ? 1 : 2) {
        uint32_t mirrored;
        double cost = *least;
        memcpy(best, poses, bytes);
        result = choose_signs(t, limb, poses, &mirrored);
        if (result == LMB_OK && mirrored > 0) {
            result = lmbi_lift_anneal(lift, poses, t->count, t->step, first_noise, &cost);
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

lmb_result lmbi_lift_choose_signs(lmbi_trail *t, double first_noise, lmb_transform *poses)
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
        lmbi_trail_to_pose(t, m, poses + (size_t)m * n);
    }
    lmb_result result = lmbi_lift_anneal(lift, poses, t->count, t->step, first_noise, &least);
    for (int round = 0; result == LMB_OK && changed && round < ROUNDS; ++round) {
        result = improve_signs(t, poses, best, first_noise, &least, &changed);
    }
    return result;
}
