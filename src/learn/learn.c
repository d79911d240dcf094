/// Skinning decomposition: clusters, then weights and bones alternately, then joints.
#include "limber/learn.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/learn.h"

enum {
    ITERATIONS = 100,
    SWEEPS = 5,     ///< over the bones of a frame, between two solves for weights
    SEEK_EVERY = 4, ///< iterations between two in which far bones are candidates
    HISTORY = sizeof(((lmb_learn_report *)0)->history) / sizeof(double),
};
/// Stop when an iteration lowers the mean square error by less than this fraction: as many
/// iterations as pay, or all that were asked for unless nothing is left to gain.
static const double GAIN = 5e-3, GAIN_ASKED = 5e-4;
/// Stop when the mean square error, in squared sizes of the mesh, is below rounding of the
/// positions.
static const double EXACT = 1e-14;

static lmb_result report_progress(const lmbi_learn *p, const char *stage, float fraction,
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
    const lmb_result result = tree ? lmbi_learn_fit_tree(p, tree, SWEEPS, error)
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

/// Alternates weights and bones until the error converges. `error_now` receives the mean square
/// error.
static lmb_result alternate(lmbi_learn *p, lmbi_learn_tree *tree, const char *stage,
                            lmb_learn_report *report, double *error_now, lmb_error *error)
{
    const uint32_t max_iterations = p->opts.iterations ? p->opts.iterations : ITERATIONS;
    const double gain = p->opts.iterations ? GAIN_ASKED : GAIN;
    lmb_result result = LMB_OK;
    double before = *error_now;
    for (uint32_t k = 0; k < max_iterations && EXACT < *error_now; ++k) {
        result = report_progress(p, stage, (float)k / (float)max_iterations, error);
        p->seeks_everywhere = k % SEEK_EVERY == 0;
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
        if (!p->importance && isfinite(before) && !(before - *error_now > gain * before)) {
            break;
        }
        before = *error_now;
    }
    return result;
}

static lmb_result decompose(lmbi_learn *p, const lmb_allocator *alloc, lmb_learned **out,
                            lmb_learn_report *report, lmb_error *error)
{
    lmb_result result = lmbi_learn_prepare(p, error);
    if (result == LMB_OK) {
        result = report_progress(p, "clusters", 0, error);
    }
    if (result == LMB_OK) {
        result = lmbi_learn_cluster(p, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    double now = lmbi_learn_measure_errors(p);
    report->e_rms_start = (float)lmbi_learn_e_rms(p, now);
    p->fits_affine = p->opts.motion == LMB_LEARN_AFFINE;
    result = alternate(p, NULL, "weights and bones", report, &now, error);
    report->e_rms_flat = (float)lmbi_learn_e_rms(p, now);
    lmbi_learn_tree tree = {0};
    const bool is_tree = p->opts.skeleton == LMB_LEARN_TREE && result == LMB_OK;
    if (is_tree) {
        result = lmbi_learn_build_tree(p, &tree, error);
    }
    if (is_tree && result == LMB_OK) {
        now =
            (double)INFINITY; // joints restrict the motion: the first iteration may raise the error
        result = alternate(p, &tree, "joints", report, &now, error);
    }
    return result == LMB_OK
               ? lmbi_learn_result(p, is_tree ? &tree : NULL, alloc, out, report, error)
               : result;
}

/// A whole decomposition with so many bones at most.
static lmb_result decompose_with(const lmb_learn_def *def, const lmb_learn_opts *opts,
                                 uint32_t bone_count, const lmb_allocator *alloc, lmb_learned **out,
                                 lmb_learn_report *report, lmb_error *error)
{
    lmbi_learn p = {.def = def, .opts = *opts};
    p.opts.bone_count = bone_count;
    lmbi_arena_init(&p.arena, alloc);
    *report = (lmb_learn_report){0};
    const lmb_result result = decompose(&p, alloc, out, report, error);
    lmbi_arena_free(&p.arena);
    return result;
}

/// A decomposition in the search for the fewest bones. The one with the fewest that reach the error
/// is kept, or until one does the one with the most.
typedef struct search {
    const lmb_learn_def *def;
    const lmb_learn_opts *opts;
    const lmb_allocator *alloc;
    lmb_learned *kept;
    lmb_learn_report report; ///< of `kept`
    bool reached;            ///< by `kept`
} search;

/// Tries so many bones; `*reached` is set if they suffice.
static lmb_result try_bones(search *s, uint32_t bones, bool *reached, lmb_error *error)
{
    lmb_learned *learned = NULL;
    lmb_learn_report report;
    const lmb_result result =
        decompose_with(s->def, s->opts, bones, s->alloc, &learned, &report, error);
    if (result != LMB_OK) {
        return result;
    }
    *reached = report.rms_percent <= s->opts->error_percent;
    if (*reached || !s->reached) {
        lmb_learned_destroy(s->kept);
        s->kept = learned;
        s->report = report;
        s->reached = *reached;
    } else {
        lmb_learned_destroy(learned);
    }
    return LMB_OK;
}

static lmb_result search_bones(search *s, lmb_error *error)
{
    const uint32_t most = s->opts->bone_count;
    uint32_t low = 0, high = 1; // too few, and what is tried
    bool reached = false;
    lmb_result result = try_bones(s, high, &reached, error);
    while (result == LMB_OK && !reached && high < most) {
        low = high;
        high = high > most / 2 ? most : 2 * high;
        result = try_bones(s, high, &reached, error);
    }
    const bool found = result == LMB_OK && reached;
    while (found && result == LMB_OK && high - low > 1 + low / 8) {
        const uint32_t middle = low + (high - low) / 2;
        result = try_bones(s, middle, &reached, error);
        *(reached ? &high : &low) = middle;
    }
    return result;
}

lmb_result lmb_learn_skin(const lmb_learn_def *def, const lmb_learn_opts *opts,
                          const lmb_allocator *alloc, lmb_learned **out, lmb_learn_report *report,
                          lmb_error *error)
{
    search s = {.def = def, .opts = opts, .alloc = alloc};
    bool reached;
    const lmb_result result = opts->error_percent > 0 && opts->bone_count > 0
                                  ? search_bones(&s, error)
                                  : try_bones(&s, opts->bone_count, &reached, error);
    if (result != LMB_OK) {
        lmb_learned_destroy(s.kept);
        return result;
    }
    *out = s.kept;
    if (report) {
        *report = s.report;
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
