/// A body model from registered scans: poses, persons, weights, correctives and shape space alternately, then at once.
#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/error.h"
#include "learn/body/refine.h"

enum {
    ITERATIONS = 24,
    ALTERNATIONS = 8,     ///< of these, in which one thing after the other is solved for
    START_STEPS = 12,     ///< of the first fit of a pose
    STEPS = 3,            ///< of the fits between two solves for the persons
    ROWS_FROM = 2,        ///< rounds before weights are solved for,
    CORRECTIVES_FROM = 3, ///< and correctives
    CHOOSE_EVERY = 3,     ///< rounds between two choices of their price
    LAST_ROUNDS = 2,      ///< with joints that are sums of vertices
};
/// Stop when a round lowers the root mean square error by less than this fraction, or it is below this fraction of the
/// height: rounding of single precision.
static const double GAIN = 0.03, EXACT = 1e-6;
/// Cost of the squared sine of half a joint's angle, in squared heights: joints that their skin hardly determines stay.
static const double POSE_COST = 2e-8;
/// Scans of the shape space that pull at a person, as if they were more of its own.
static const double PULL = 1e-3;

// ---- loops over scans and persons

/// One batch of scans or persons; slot k has number `first` + k.
typedef struct batch {
    lmbi_population *p;
    uint32_t first, steps;
    bool starts, failed[LMBI_POPULATION_SLOTS];
    double errors[LMBI_POPULATION_SLOTS], worst[LMBI_POPULATION_SLOTS];
} batch;

static void run_batches(batch *b, uint32_t count, lmb_piece_fn piece,
                        void (*then)(void *context, const batch *b, uint32_t count), void *context)
{
    for (b->first = 0; b->first < count; b->first += LMBI_POPULATION_SLOTS) {
        const uint32_t left = count - b->first;
        const uint32_t now = left < LMBI_POPULATION_SLOTS ? left : LMBI_POPULATION_SLOTS;
        lmb_parallel_for(b->p->opts.jobs, now, 1, piece, b);
        if (then != NULL) {
            then(context, b, now);
        }
    }
}

static lmbi_scan_shape shape_of(const lmbi_population *p, uint32_t scan)
{
    const uint32_t person = p->person_of[scan];
    return (lmbi_scan_shape){.rest = lmbi_population_rest(p, person),
                             .joints = lmbi_population_joints(p, person),
                             .pose_weight = POSE_COST * p->height * p->height};
}

static void fit_poses(void *context, size_t begin, size_t end)
{
    const batch *b = context;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t scan = b->first + (uint32_t)k;
        lmbi_scan_shape shape = shape_of(b->p, scan);
        const lmbi_scan_target target = {.positions = lmbi_population_scan(b->p, scan)};
        lmbi_scan_pose *pose = &b->p->poses[scan];
        if (b->starts) {
            lmbi_scan_pose_start(&b->p->body, &shape, &target, pose);
        }
        lmbi_scan_fit(b->p->fitters[k], &shape, &target, b->steps, pose);
    }
}

static void measure_scans(void *context, size_t begin, size_t end)
{
    batch *b = context;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t scan = b->first + (uint32_t)k;
        const lmbi_scan_shape shape = shape_of(b->p, scan);
        const lmbi_scan_target target = {.positions = lmbi_population_scan(b->p, scan)};
        lmbi_scan_pose_update(&b->p->body, shape.joints, &b->p->poses[scan]);
        b->errors[k] =
            lmbi_scan_error(&b->p->body, &shape, &b->p->poses[scan], &target, &b->worst[k]);
    }
}

static void solve_persons(void *context, size_t begin, size_t end)
{
    batch *b = context;
    for (size_t k = begin; k < end; ++k) {
        b->failed[k] = !lmbi_person_solve(b->p->solvers[k], b->p, b->first + (uint32_t)k, PULL);
    }
}

static void note_failure(void *context, const batch *b, uint32_t count)
{
    bool *failed = context;
    for (uint32_t k = 0; k < count; ++k) {
        *failed = *failed || b->failed[k];
    }
}

typedef struct scan_errors {
    double mean, worst;
} scan_errors;

static void add_errors(void *context, const batch *b, uint32_t count)
{
    scan_errors *out = context;
    for (uint32_t k = 0; k < count; ++k) {
        out->mean += b->errors[k] / b->p->scan_count;
        out->worst = fmax(out->worst, b->worst[k]);
    }
}

static void fit_all_poses(lmbi_population *p, bool starts, uint32_t steps)
{
    batch b = {.p = p, .starts = starts, .steps = steps};
    run_batches(&b, p->scan_count, fit_poses, NULL, NULL);
}

static scan_errors measure_all(lmbi_population *p)
{
    scan_errors out = {0, 0};
    batch b = {.p = p};
    run_batches(&b, p->scan_count, measure_scans, add_errors, &out);
    return out;
}

// ---- rounds

static lmb_result solve_people(lmbi_population *p, lmb_error *error)
{
    bool failed = false;
    batch b = {.p = p};
    run_batches(&b, p->person_count, solve_persons, note_failure, &failed);
    if (failed) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "joints that the scans tell",
                         "a singular system");
    }
    if (!lmbi_population_find_space(p)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t person = 0; person < p->person_count; ++person) {
        lmbi_population_in_space(p, person, lmbi_population_rest(p, person),
                                 lmbi_population_joints(p, person));
    }
    return LMB_OK;
}

static lmb_result iterate(lmbi_population *p, uint32_t round, lmb_error *error)
{
    lmb_result result = solve_people(p, error);
    if (result == LMB_OK && round >= ROWS_FROM && !p->opts.keep_weights) {
        lmbi_population_solve_rows(p);
    }
    if (result == LMB_OK && round >= CORRECTIVES_FROM && p->body.feature_count > 0) {
        result = lmbi_population_solve_correctives(p, round % CHOOSE_EVERY == 0, error);
    }
    if (result == LMB_OK) {
        fit_all_poses(p, false, STEPS);
    }
    return result;
}

static lmb_result report_progress(const lmbi_population *p, float done, lmb_error *error)
{
    const lmb_progress *progress = p->opts.progress;
    return !progress || !progress->report || progress->report(progress->user, "body", done)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
}

static lmb_result alternate(lmbi_population *p, uint32_t rounds, uint32_t most, lmb_error *error)
{
    lmb_result result = report_progress(p, 0, error);
    fit_all_poses(p, true, START_STEPS);
    for (uint32_t round = 0; result == LMB_OK && round < rounds; ++round) {
        result = iterate(p, round, error);
        if (result == LMB_OK) {
            result = report_progress(p, (float)(round + 1) / (float)most, error);
        }
    }
    return result;
}

/// A step for all at once; then the shape space's own axes, weights of other joints, and the price of correctives.
static lmb_result refine_once(lmbi_population *p, lmbi_refinement *r, lmb_error *error)
{
    (void)lmbi_refinement_step(r);
    if (!lmbi_population_find_space(p)) {
        return lmbi_fail_memory(error);
    }
    if (!p->opts.keep_weights) {
        lmbi_population_solve_rows(p);
    }
    return p->body.feature_count > 0 ? lmbi_population_solve_correctives(p, true, error) : LMB_OK;
}

static lmb_result refine(lmbi_population *p, uint32_t from, uint32_t most,
                         lmb_learn_body_report *report, lmb_error *error)
{
    lmbi_refinement r;
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    lmb_result result = lmbi_refinement_init(&r, p, &arena) ? LMB_OK : lmbi_fail_memory(error);
    double now = sqrt(measure_all(p).mean);
    bool gains = true;
    for (uint32_t round = from; result == LMB_OK && round < most && now > EXACT * p->height &&
                                gains && r.gradient_steps > 0;
         ++round) {
        const double before = now;
        const lmbi_corrective_price price = p->price;
        result = refine_once(p, &r, error);
        now = sqrt(measure_all(p).mean);
        // Another price may cost before it pays.
        gains = now < (1 - GAIN) * before || price.ridge != p->price.ridge ||
                price.falloff != p->price.falloff;
        report->iterations = round + 1;
        if (result == LMB_OK) {
            result = report_progress(p, (float)(round + 1) / (float)most, error);
        }
    }
    lmbi_arena_free(&arena);
    return result;
}

// ---- the model

/// Every person as the model has it: in the shape space, with joints that are sums of its vertices.
static void put_in_model(lmbi_population *p, const lmb_body_model *model)
{
    for (uint32_t person = 0; person < p->person_count; ++person) {
        double *rest = lmbi_population_rest(p, person), *joints = lmbi_population_joints(p, person);
        lmbi_population_in_space(p, person, rest, joints);
        lmbi_scan_regress_joints(model, p->body.joint_count, rest, joints);
    }
}

static lmb_result finish(lmbi_population *p, lmb_body_model *model, lmb_learn_body_report *report,
                         lmb_error *error)
{
    lmb_result result = lmbi_population_solve_regressor(p, model, error);
    if (result != LMB_OK) {
        return result;
    }
    put_in_model(p, model);
    for (uint32_t k = 0; result == LMB_OK && k < LAST_ROUNDS; ++k) {
        fit_all_poses(p, false, STEPS);
        if (p->body.feature_count > 0) {
            result = lmbi_population_solve_correctives(p, k == 0, error);
        }
    }
    fit_all_poses(p, false, STEPS);
    const scan_errors errors = measure_all(p);
    report->rms_m = (float)sqrt(errors.mean);
    report->max_m = (float)sqrt(errors.worst);
    return result;
}

static void narrow(const double *from, size_t count, float *to)
{
    for (size_t k = 0; k < count; ++k) {
        to[k] = (float)from[k];
    }
}

/// Correctives feature by feature.
static void spread_correctives(const lmbi_population *p, float *out)
{
    const size_t n = 3 * (size_t)p->body.vertex_count, count = p->body.feature_count;
    for (size_t f = 0; f < count; ++f) {
        for (size_t k = 0; k < n; ++k) {
            out[f * n + k] = (float)p->correctives[k * count + f];
        }
    }
}

/// Rows without the room that they did not need, by falling weight.
static bool fill_rows(lmbi_population *p, lmb_influences *out)
{
    const lmbi_scan_body *b = &p->body;
    const uint32_t n = b->vertex_count;
    out->first = lmbi_arena_array(&p->arena, (size_t)n + 1, sizeof(uint32_t));
    out->items = lmbi_arena_array(&p->arena, b->row_first[n], sizeof(lmb_influence));
    for (uint32_t v = 0, at = 0; out->first && out->items && v < n; ++v) {
        for (uint32_t k = b->row_first[v]; k < b->row_first[v + 1]; ++k) {
            const lmb_influence item = {p->row_joints[k], (float)p->row_weights[k]};
            if (!(item.weight > 0)) {
                continue;
            }
            uint32_t to = at++;
            for (; to > out->first[v] && out->items[to - 1].weight < item.weight; --to) {
                out->items[to] = out->items[to - 1];
            }
            out->items[to] = item;
        }
        out->first[v + 1] = at;
    }
    return out->first && out->items;
}

static lmb_result build_model(lmbi_population *p, lmb_body_model *m, const lmb_allocator *alloc,
                              lmb_body_model **out, lmb_error *error)
{
    const lmb_learn_body_def *def = p->def;
    const size_t n = def->vertex_count, shapes = p->direction_count,
                 features = p->body.feature_count;
    m->vertex_count = def->vertex_count;
    m->joint_count = def->joint_count;
    m->index_count = def->index_count;
    m->shape_count = p->direction_count;
    m->feature_count = p->body.feature_count;
    m->features = m->feature_count > 0 ? p->opts.features : LMB_FEATURES_NONE;
    m->parents = def->parents;
    m->names = def->names;
    m->positions = lmbi_arena_array(&p->arena, n, sizeof(lmb_vec3));
    m->indices = lmbi_arena_array(&p->arena, def->index_count, sizeof *m->indices);
    m->shape_directions = lmbi_arena_array(&p->arena, n * shapes, sizeof(lmb_vec3));
    m->pose_directions = lmbi_arena_array(&p->arena, n * features, sizeof(lmb_vec3));
    if (!m->positions || !m->indices || !m->shape_directions || !m->pose_directions ||
        !fill_rows(p, &m->influences)) {
        return lmbi_fail_memory(error);
    }
    memcpy(m->indices, def->indices, def->index_count * sizeof *m->indices);
    narrow(p->mean, 3 * n, &m->positions->x);
    narrow(p->directions, 3 * n * shapes, &m->shape_directions->x);
    spread_correctives(p, &m->pose_directions->x);
    return lmbi_body_model_create(m, alloc, out, error);
}

/// Fits the model to the scans that were left out.
static lmb_result measure_held_out(const lmbi_population *p, const lmb_body_model *model,
                                   lmb_learn_body_report *report, lmb_error *error)
{
    double mean = 0;
    lmb_result result = LMB_OK;
    for (uint32_t f = 0; result == LMB_OK && f < p->def->scan_count; ++f) {
        if (!p->held_out[f]) {
            continue;
        }
        const lmb_body_scan scan = {.vertex_count = p->def->vertex_count,
                                    .positions = p->def->scans[f],
                                    .registered = true};
        const lmb_fit_body_opts opts = {.jobs = p->opts.jobs};
        lmb_fit_body_report fit;
        lmb_body_motion *motion = NULL;
        result = lmb_fit_body(model, &scan, 1, &opts, p->arena.alloc, &motion, &fit, error);
        if (result == LMB_OK) {
            mean += (double)fit.rms_m * (double)fit.rms_m;
            report->held_out_max_m = fmaxf(report->held_out_max_m, fit.max_m);
            ++report->held_out_count;
            lmb_body_motion_destroy(motion);
        }
    }
    if (report->held_out_count > 0) {
        report->held_out_rms_m = (float)sqrt(mean / report->held_out_count);
    }
    return result;
}

static lmb_result learn(lmbi_population *p, const lmb_allocator *alloc, lmb_body_model **out,
                        lmb_learn_body_report *report, lmb_error *error)
{
    lmb_body_model model = {.name = NULL};
    lmb_result result = lmbi_population_prepare(p, error);
    if (result == LMB_OK) {
        const uint32_t most = p->opts.iterations ? p->opts.iterations : ITERATIONS;
        report->iterations = most < ALTERNATIONS ? most : ALTERNATIONS;
        result = alternate(p, report->iterations, most, error);
        if (result == LMB_OK) {
            result = refine(p, report->iterations, most, report, error);
        }
    }
    if (result == LMB_OK) {
        result = finish(p, &model, report, error);
    }
    if (result == LMB_OK) {
        result = build_model(p, &model, alloc, out, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    report->person_count = p->person_count;
    report->scan_count = p->scan_count;
    report->shape_count = p->direction_count;
    report->height_m = (float)p->height;
    result = measure_held_out(p, *out, report, error);
    if (result != LMB_OK) {
        lmb_body_model_destroy(*out);
        *out = NULL;
    }
    return result;
}

lmb_result lmb_learn_body(const lmb_learn_body_def *def, const lmb_learn_body_opts *opts,
                          const lmb_allocator *alloc, lmb_body_model **out,
                          lmb_learn_body_report *report, lmb_error *error)
{
    lmb_learn_body_report unused;
    lmbi_population p = {
        .def = def, .opts = opts ? *opts : (lmb_learn_body_opts){0}, .price = {-1, 0}};
    report = report ? report : &unused;
    *report = (lmb_learn_body_report){0};
    *out = NULL;
    lmbi_arena_init(&p.arena, alloc);
    const lmb_result result = learn(&p, alloc, out, report, error);
    lmbi_arena_free(&p.arena);
    return result;
}
