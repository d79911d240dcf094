/// Skinning decomposition: clusters, then weights and bones alternately, then joints.
#include "limber/learn.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/learn.h"

/// Joints slide where a tree is more than this many times as far from its frames as free bones are,
static const double JOINTS_WITHIN = 1.15;
/// and farther than this part of the diagonal: a third of a millimetre of a person.
static const double NEAR = 2e-4;

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
    if (result == LMB_OK && p->opts.skeleton == LMB_LEARN_SLIDING) {
        result = lmbi_learn_slide(p, &tree, report, error);
    }
    return result == LMB_OK
               ? lmbi_learn_result(p, tree.parents ? &tree : NULL, alloc, out, report, error)
               : result;
}

/// One decomposition: what is learned, and from what.
typedef struct task {
    const lmb_learn_def *def;
    lmb_learn_opts opts;
    const lmb_allocator *alloc;
    double near_error; ///< as in lmbi_learn
} task;

static lmb_result run_task(const task *t, lmb_learned **out, lmb_learn_report *report,
                           lmb_error *error)
{
    lmbi_learn p = {.def = t->def, .opts = t->opts, .near_error = t->near_error};
    lmbi_arena_init(&p.arena, t->alloc);
    *report = (lmb_learn_report){0};
    const lmb_result result = decompose(&p, t->alloc, out, report, error);
    lmbi_arena_free(&p.arena);
    return result;
}

/// How near to the frames a tree has to be, in units of the mesh, by the error of as many free bones.
static lmb_result find_near_error(task *t, lmb_error *error)
{
    const double within = t->opts.joints_within > 0 ? (double)t->opts.joints_within : JOINTS_WITHIN;
    task flat = *t;
    flat.opts.skeleton = LMB_LEARN_FLAT;
    lmb_learned *learned = NULL;
    lmb_learn_report report;
    const lmb_result result = run_task(&flat, &learned, &report, error);
    if (result == LMB_OK) {
        const lmb_box box = lmb_box_of(t->def->rest, t->def->vertex_count);
        t->near_error =
            fmax(within * (double)report.rms, NEAR * (double)lmb_vec3_distance(box.low, box.high));
        lmb_learned_destroy(learned);
    }
    return result;
}

/// Whether a tree is to be had rather than another: a near one, of near ones that with fewer joints that
/// slide, else the nearer one.
static bool is_better(const task *t, const lmb_learn_report *a, const lmb_learn_report *b)
{
    const bool is_near = (double)a->rms <= t->near_error;
    if (is_near != ((double)b->rms <= t->near_error)) {
        return is_near;
    }
    return is_near && a->sliding_count != b->sliding_count ? a->sliding_count < b->sliding_count
                                                           : a->rms < b->rms;
}

/// A tree of which as few joints slide as bring it near: of one whose joints all hold some are let go; where
/// that is needed, others are held of one whose joints all slide.
static lmb_result slide_joints(task *t, lmb_learned **out, lmb_learn_report *report,
                               lmb_error *error)
{
    lmb_result result = find_near_error(t, error);
    if (result == LMB_OK) {
        result = run_task(t, out, report, error);
    }
    if (result != LMB_OK || report->sliding_count == 0) {
        return result;
    }
    lmb_learned *other = NULL;
    lmb_learn_report others;
    t->opts.skeleton = LMB_LEARN_SLIDING;
    result = run_task(t, &other, &others, error);
    if (result == LMB_OK && is_better(t, &others, report)) {
        lmb_learned_destroy(*out);
        *out = other;
        *report = others;
    } else {
        lmb_learned_destroy(result == LMB_OK ? other : *out);
    }
    return result;
}

/// A whole decomposition with so many bones at most.
static lmb_result decompose_with(const lmb_learn_def *def, const lmb_learn_opts *opts,
                                 uint32_t bone_count, const lmb_allocator *alloc, lmb_learned **out,
                                 lmb_learn_report *report, lmb_error *error)
{
    task t = {.def = def, .opts = *opts, .alloc = alloc};
    t.opts.bone_count = bone_count;
    const bool slide =
        opts->skeleton == LMB_LEARN_TREE && opts->joints == LMB_LEARN_JOINTS_AUTO && bone_count > 1;
    return slide ? slide_joints(&t, out, report, error) : run_task(&t, out, report, error);
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
