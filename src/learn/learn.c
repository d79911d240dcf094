/// Skinning decomposition: clusters, then weights and bones alternately, then joints.
#include "limber/learn.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/learn.h"

/// As many bones as are asked for, of a tree twice as many, by clusters of as few points as will do.
static lmb_result begin(lmbi_learn *p, lmb_learn_report *report, double *now, lmb_error *error)
{
    if (!lmbi_learn_is_fine(p)) {
        lmb_result result = lmbi_learn_allocate(p, error);
        if (result == LMB_OK) {
            result = lmbi_learn_cluster(p, error);
        }
        if (result != LMB_OK) {
            return result;
        }
        *now = lmbi_learn_measure_errors(p);
        report->e_rms_start = (float)lmbi_learn_e_rms(p, *now);
        p->fits_affine = p->opts.motion == LMB_LEARN_AFFINE;
        return p->opts.skeleton == LMB_LEARN_TREE ? LMB_OK
                                                  : lmbi_learn_prune(p, report, now, error);
    }
    lmbi_learn coarse;
    uint32_t *seed_of = lmbi_arena_array(&p->arena, p->point_count, sizeof *seed_of);
    if (!seed_of) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = lmbi_learn_coarsen(p, &coarse, seed_of, error);
    if (result == LMB_OK) {
        result = begin(&coarse, report, now, error);
    }
    if (result == LMB_OK) {
        result = lmbi_learn_take_coarse(p, &coarse, seed_of, error);
        *now = (double)INFINITY;
    }
    lmbi_arena_free(&coarse.arena);
    return result;
}

static lmb_result decompose(lmbi_learn *p, const lmb_allocator *alloc, lmb_learned **out,
                            lmb_learn_report *report, lmb_error *error)
{
    lmb_result result = lmbi_learn_prepare(p, error);
    if (result == LMB_OK) {
        result = lmbi_learn_report_progress(p, "clusters", 0, error);
    }
    double now = 0;
    if (result == LMB_OK) {
        result = begin(p, report, &now, error);
        p->fits_affine = p->opts.motion == LMB_LEARN_AFFINE;
    }
    if (result == LMB_OK) {
        result = lmbi_learn_alternate(p, NULL, 0, report, &now, error);
    }
    report->e_rms_flat = (float)lmbi_learn_e_rms(p, now);
    lmbi_learn_tree tree = {0};
    if (result == LMB_OK && p->opts.skeleton != LMB_LEARN_FLAT) {
        result = lmbi_learn_build_tree(p, &tree, error);
    }
    if (result == LMB_OK && p->opts.skeleton == LMB_LEARN_TREE) {
        result = lmbi_learn_connect(p, &tree, report, error);
    }
    return result == LMB_OK
               ? lmbi_learn_result(p, tree.parents ? &tree : NULL, alloc, out, report, error)
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
