/// Weights and bones solved for in turn.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/learn.h"

enum {
    ITERATIONS = 100,
    SWEEPS = 5,     ///< over the bones of a frame, between two solves for weights
    STEPS = 4,      ///< of a tree's fit, between the same
    SEEK_EVERY = 4, ///< iterations between two in which far bones are candidates
    HISTORY = sizeof(((lmb_learn_report *)0)->history) / sizeof(double),
};
/// Stop when an iteration lowers the mean square error by less than this fraction: as many
/// iterations as pay, or all that were asked for unless nothing is left to gain.
static const double GAIN = 5e-3, GAIN_ASKED = 5e-4;
/// Stop when the mean square error, in squared sizes of the mesh, is below rounding of the
/// positions.
static const double EXACT = 1e-14;

lmb_result lmbi_learn_report_progress(const lmbi_learn *p, const char *stage, float fraction,
                                      lmb_error *error)
{
    const lmb_progress *progress = p->opts.progress;
    return !progress || !progress->report || progress->report(progress->user, stage, fraction)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
}

static lmb_result iterate(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error)
{
    if (p->opts.smooth > 0) {
        lmbi_learn_smooth_weights(p);
    }
    lmbi_learn_solve_weights(p);
    lmbi_learn_index_rows(p);
    const lmb_result result = tree ? lmbi_learn_fit_tree(p, tree, STEPS, error)
                                   : lmbi_learn_fit_transforms(p, SWEEPS, error);
    if (p->opts.move_rest && result == LMB_OK) {
        lmbi_learn_solve_rest(p);
    }
    return result;
}

/// Iteratively reweighted least squares for a norm p above 2: a point counts as its error to the
/// power (p - 2), damped, so that bones give way where the worst vertices are.
static void weigh_points(lmbi_learn *p, double mean_square)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        const double relative = fmin(fmax(p->point_errors[i] / mean_square, 1e-2), 1e2);
        double wanted = 1;
        for (uint32_t k = 2; k + 1 < p->opts.norm; k += 2) {
            wanted *= relative; // a squared error to the power (p - 2) / 2
        }
        double step = wanted / p->importance[i];
        for (uint32_t k = p->opts.norm; k > 1; k /= 2) {
            step = sqrt(step); // the root of order p or less: larger steps swing
        }
        p->importance[i] *= step;
        sum += p->importance[i];
    }
    for (uint32_t i = 0; i < p->point_count; ++i) {
        p->importance[i] *= p->point_count / sum;
    }
}

lmb_result lmbi_learn_alternate(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t most,
                                lmb_learn_report *report, double *error_now, lmb_error *error)
{
    const char *stage = tree ? "joints" : "weights and bones";
    uint32_t max_iterations = p->opts.iterations ? p->opts.iterations : ITERATIONS;
    max_iterations = most && most < max_iterations ? most : max_iterations;
    const double gain = p->opts.iterations ? GAIN_ASKED : GAIN;
    lmb_result result = LMB_OK;
    double before = *error_now;
    bool gains = true;
    if (!tree) {
        memset(report->history, 0, sizeof report->history);
    }
    for (uint32_t k = 0; k < max_iterations && EXACT < *error_now; ++k) {
        result = lmbi_learn_report_progress(p, stage, (float)k / (float)max_iterations, error);
        p->seeks_everywhere = k % SEEK_EVERY == 0 || !gains;
        if (result == LMB_OK) {
            result = iterate(p, tree, error);
        }
        if (result != LMB_OK) {
            return result;
        }
        *error_now = lmbi_learn_measure_errors(p);
        if (p->importance) {
            weigh_points(p, *error_now);
        }
        if (!tree && k < HISTORY) {
            report->history[k] = *error_now * p->size * p->size;
        }
        ++report->iterations;
        // With a norm above 2 the mean square error may rise.
        gains = p->importance || !isfinite(before) || before - *error_now > gain * before;
        if (!gains && p->seeks_everywhere) {
            break;
        }
        before = *error_now;
    }
    return result;
}
