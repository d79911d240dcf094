/// Skinning decomposition: clusters, then weights and bones in turn, then joints.
#include "limber/learn.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/result.h"

enum {
    ITERATIONS = 100,
    SWEEPS = 5, ///< over the bones of a frame, between two solves for weights
    HISTORY = sizeof(((lmb_learn_report *)0)->history) / sizeof(double),
};
/// Done when an iteration takes less than this share off the mean square error.
static const double GAIN = 5e-4;
/// Done when the mean square error is below this, in squares of the size: rounding of the positions.
static const double EXACT = 1e-14;

static lmb_result tell(const lmbi_learn *p, const char *stage, float share, lmb_error *error)
{
    const lmb_progress *progress = p->opts.progress;
    return !progress || !progress->report || progress->report(progress->user, stage, share)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
}

static lmb_result iterate(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error)
{
    if (p->opts.smooth > 0) {
        lmbi_learn_smooth(p);
    }
    lmbi_learn_weights(p);
    lmbi_learn_list(p);
    return tree ? lmbi_learn_tree_transforms(p, tree, SWEEPS, error)
                : lmbi_learn_transforms(p, SWEEPS, error);
}

/// Weights and bones in turn until they settle. Returns through `error_now` the mean square.
static lmb_result settle(lmbi_learn *p, lmbi_learn_tree *tree, const char *stage,
                         lmb_learn_report *report, double *error_now, lmb_error *error)
{
    const uint32_t most = p->opts.iterations ? p->opts.iterations : ITERATIONS;
    lmb_result result = LMB_OK;
    double before = *error_now;
    for (uint32_t k = 0; k < most && EXACT < *error_now; ++k) {
        result = tell(p, stage, (float)k / (float)most, error);
        if (result == LMB_OK) {
            result = iterate(p, tree, error);
        }
        if (result != LMB_OK) {
            return result;
        }
        *error_now = lmbi_learn_errors(p);
        if (!tree && k < HISTORY) {
            report->history[k] = *error_now * p->size * p->size;
        }
        ++report->iterations;
        if (isfinite(before) && !(before - *error_now > GAIN * before)) {
            break;
        }
        before = *error_now;
    }
    return result;
}

static lmb_result learn(lmbi_learn *p, const lmb_allocator *alloc, lmb_learned **out,
                        lmb_learn_report *report, lmb_error *error)
{
    lmb_result result = lmbi_learn_prepare(p, error);
    if (result == LMB_OK) {
        result = tell(p, "clusters", 0, error);
    }
    if (result == LMB_OK) {
        result = lmbi_learn_cluster(p, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    double now = lmbi_learn_errors(p);
    report->e_rms_start = (float)lmbi_learn_e_rms(p, now);
    result = settle(p, NULL, "weights and bones", report, &now, error);
    report->e_rms_flat = (float)lmbi_learn_e_rms(p, now);
    lmbi_learn_tree tree = {0};
    const bool hung = p->opts.skeleton == LMB_LEARN_TREE && result == LMB_OK;
    if (hung) {
        result = lmbi_learn_hang(p, &tree, error);
    }
    if (hung && result == LMB_OK) {
        now = (double)INFINITY; // the joints take freedom away: the first iteration may be worse
        result = settle(p, &tree, "joints", report, &now, error);
    }
    return result == LMB_OK ? lmbi_learn_result(p, hung ? &tree : NULL, alloc, out, report, error)
                            : result;
}

lmb_result lmb_learn_skin(const lmb_learn_def *def, const lmb_learn_opts *opts,
                          const lmb_allocator *alloc, lmb_learned **out, lmb_learn_report *report,
                          lmb_error *error)
{
    lmbi_learn p = {.def = def, .opts = *opts};
    lmb_learn_report made = {0};
    lmb_learned *learned = NULL;
    lmbi_arena_init(&p.arena, alloc);
    const lmb_result result = learn(&p, alloc, &learned, &made, error);
    lmbi_arena_free(&p.arena);
    if (result != LMB_OK) {
        return result;
    }
    *out = learned;
    if (report) {
        *report = made;
    }
    return LMB_OK;
}

void lmb_learned_destroy(lmb_learned *learned)
{
    if (learned) {
        const lmb_allocator alloc = learned->allocator;
        lmbi_free(&alloc, learned);
    }
}
