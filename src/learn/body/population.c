/// The problem of learning a body model: persons, their scans, and where learning starts.
#include "learn/body/population.h"

#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/error.h"

enum { SHAPES = 10, LEAST_INFLUENCES = 4, MOST_INFLUENCES = LMBI_POPULATION_INFLUENCES };

// ---- checks

static lmb_result check_scans(lmbi_population *p, lmb_error *error)
{
    const lmb_learn_body_def *def = p->def;
    if (def->scan_count == 0 || def->index_count < 3) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "scans and triangles", "%u scans, %u triangles",
                         def->scan_count, def->index_count / 3);
    }
    for (uint32_t f = 0; f < def->scan_count; ++f) {
        for (uint32_t v = 0; v < def->vertex_count; ++v) {
            const lmb_vec3 at = def->scans[f][v];
            if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z)) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions",
                                 "vertex %u of scan %u", v, f);
            }
        }
    }
    for (uint32_t v = 0; v < def->vertex_count; ++v) {
        if (def->influences.first[v + 1] == def->influences.first[v]) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "weights of every vertex",
                             "none of vertex %u", v);
        }
    }
    return LMB_OK;
}

/// As if it were a model without shapes, whose arrays are its own.
static lmb_result check_body(lmbi_population *p, lmb_error *error)
{
    const lmb_learn_body_def *def = p->def;
    lmb_body_model model = {.vertex_count = def->vertex_count,
                            .joint_count = def->joint_count,
                            .index_count = def->index_count,
                            .parents = def->parents,
                            .influences = def->influences};
    model.positions = lmbi_arena_array(&p->arena, def->vertex_count, sizeof *model.positions);
    model.indices = lmbi_arena_array(&p->arena, def->index_count, sizeof *model.indices);
    model.regressor_first =
        lmbi_arena_array(&p->arena, (size_t)def->joint_count + 1, sizeof(uint32_t));
    if (!model.positions || !model.indices || !model.regressor_first) {
        return lmbi_fail_memory(error);
    }
    memcpy(model.positions, def->rest, def->vertex_count * sizeof *model.positions);
    memcpy(model.indices, def->indices, def->index_count * sizeof *model.indices);
    return lmbi_body_model_check(&model, error);
}

// ---- who is learned from

static bool is_held_out(const lmbi_population *p, uint32_t number)
{
    return p->opts.hold_out > 1 && number % p->opts.hold_out == p->opts.hold_out - 1;
}

/// Numbers the persons by their first scan. number[scan_count] receives each scan's. Returns how many there are.
static uint32_t number_persons(const lmb_learn_body_def *def, uint32_t *number)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < def->scan_count; ++f) {
        uint32_t same = 0;
        while (def->person_of && same < f && def->person_of[same] != def->person_of[f]) {
            ++same;
        }
        number[f] = def->person_of && same < f ? number[same] : count++;
    }
    return count;
}

/// Lists the scans that are learned from, person after person.
static lmb_result list_scans(lmbi_population *p, lmb_error *error)
{
    const lmb_learn_body_def *def = p->def;
    uint32_t *number = lmbi_arena_array(&p->arena, def->scan_count, sizeof *number);
    p->scans = lmbi_arena_array(&p->arena, def->scan_count, sizeof *p->scans);
    p->person_of = lmbi_arena_array(&p->arena, def->scan_count, sizeof *p->person_of);
    p->first_scan = lmbi_arena_array(&p->arena, (size_t)def->scan_count + 1, sizeof *p->first_scan);
    p->held_out = lmbi_arena_array(&p->arena, def->scan_count, 1);
    if (!number || !p->scans || !p->person_of || !p->first_scan || !p->held_out) {
        return lmbi_fail_memory(error);
    }
    const uint32_t persons = number_persons(def, number);
    const bool whole = persons >= p->opts.hold_out; // persons are left out, not scans
    for (uint32_t person = 0; person < persons; ++person) {
        const uint32_t before = p->scan_count;
        for (uint32_t f = 0; f < def->scan_count; ++f) {
            if (number[f] != person) {
                continue;
            }
            p->held_out[f] = is_held_out(p, whole ? person : f);
            if (!p->held_out[f]) {
                p->person_of[p->scan_count] = p->person_count;
                p->scans[p->scan_count++] = f;
            }
        }
        if (p->scan_count > before) {
            p->first_scan[++p->person_count] = p->scan_count;
        }
    }
    return p->scan_count > 0 ? LMB_OK
                             : lmbi_fail(error, LMB_ERROR_INVALID, "scans to learn from",
                                         "%u, all held out", def->scan_count);
}

// ---- where learning starts

/// Rows of equal room, so that weights can move to other joints.
static lmb_result start_rows(lmbi_population *p, lmb_error *error)
{
    const lmb_influences *in = &p->def->influences;
    const uint32_t n = p->def->vertex_count;
    uint32_t room = LEAST_INFLUENCES;
    for (uint32_t v = 0; v < n; ++v) {
        const uint32_t count = in->first[v + 1] - in->first[v];
        room = count > room ? count : room;
    }
    room = room > MOST_INFLUENCES && !p->opts.keep_weights ? MOST_INFLUENCES : room;
    uint32_t *first = lmbi_arena_array(&p->arena, (size_t)n + 1, sizeof *first);
    p->row_joints = lmbi_arena_array(&p->arena, (size_t)n * room, sizeof *p->row_joints);
    p->row_weights = lmbi_arena_array(&p->arena, (size_t)n * room, sizeof *p->row_weights);
    if (!first || !p->row_joints || !p->row_weights || (uint64_t)n * room > UINT32_MAX) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < n; ++v) {
        const uint32_t count = in->first[v + 1] - in->first[v];
        double sum = 0;
        first[v + 1] = first[v] + room;
        // Influences are sorted by falling weight: what has no room is the least.
        for (uint32_t k = 0; k < room && k < count; ++k) {
            const lmb_influence *item = &in->items[in->first[v] + k];
            p->row_joints[first[v] + k] = item->joint;
            p->row_weights[first[v] + k] = (double)item->weight;
            sum += (double)item->weight;
        }
        for (uint32_t k = 0; k < room; ++k) {
            p->row_weights[first[v] + k] =
                sum > 0 ? p->row_weights[first[v] + k] / sum : (double)(k == 0);
        }
    }
    p->body.row_first = first;
    p->body.row_joints = p->row_joints;
    p->body.row_weights = p->row_weights;
    return LMB_OK;
}

static void widen(const double *points, size_t count, double *height)
{
    for (size_t c = 0; c < 3; ++c) {
        double low = points[c], high = points[c];
        for (size_t k = 0; k < count; ++k) {
            low = fmin(low, points[3 * k + c]);
            high = fmax(high, points[3 * k + c]);
        }
        *height = fmax(*height, high - low);
    }
}

static lmb_result start_persons(lmbi_population *p, lmb_error *error)
{
    const size_t n = p->def->vertex_count, joints = p->def->joint_count, people = p->person_count;
    lmbi_arena *arena = &p->arena;
    const uint32_t asked = p->opts.shape_count ? p->opts.shape_count : SHAPES;
    const size_t most = asked < people ? asked : people - 1;
    p->most_directions = (uint32_t)most;
    p->rest = lmbi_arena_array(arena, lmbi_size_mul(people, n), 3 * sizeof(double));
    p->joints = lmbi_arena_array(arena, people * joints, 3 * sizeof(double));
    p->mean = lmbi_arena_array(arena, n, 3 * sizeof(double));
    p->directions = lmbi_arena_array(arena, lmbi_size_mul(most, n), 3 * sizeof(double));
    p->mean_joints = lmbi_arena_array(arena, joints, 3 * sizeof(double));
    p->joint_directions = lmbi_arena_array(arena, most * joints, 3 * sizeof(double));
    p->coefficients = lmbi_arena_array(arena, most * people, sizeof(double));
    if (!p->rest || !p->joints || !p->mean || !p->directions || !p->mean_joints ||
        !p->joint_directions || !p->coefficients) {
        return lmbi_fail_memory(error);
    }
    for (size_t k = 0; k < 3 * n; ++k) {
        p->mean[k] = (double)(&p->def->rest->x)[k];
    }
    for (size_t k = 0; k < 3 * joints; ++k) {
        p->mean_joints[k] = (double)(&p->def->joints->x)[k];
    }
    widen(p->mean, n, &p->height);
    for (uint32_t person = 0; person < p->person_count; ++person) {
        memcpy(lmbi_population_rest(p, person), p->mean, 3 * n * sizeof(double));
        memcpy(lmbi_population_joints(p, person), p->mean_joints, 3 * joints * sizeof(double));
    }
    return LMB_OK;
}

static lmb_result start_scans(lmbi_population *p, lmb_error *error)
{
    static const uint32_t per_joint[] = {0, 9, 4};
    lmbi_scan_body *body = &p->body;
    body->features = p->opts.features;
    body->feature_count = per_joint[body->features] * (body->joint_count - 1);
    p->correctives = lmbi_arena_array(
        &p->arena, lmbi_size_mul(body->vertex_count, body->feature_count), 3 * sizeof(double));
    p->poses = lmbi_arena_array(&p->arena, p->scan_count, sizeof *p->poses);
    if (!p->correctives || !p->poses) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < p->scan_count; ++f) {
        if (!lmbi_scan_pose_init(body, &p->arena, &p->poses[f])) {
            return lmbi_fail_memory(error);
        }
    }
    for (uint32_t k = 0; k < LMBI_POPULATION_SLOTS; ++k) {
        p->fitters[k] = lmbi_scan_fitter_create(body, 0, &p->arena);
        p->solvers[k] = lmbi_person_solver_create(body, &p->arena);
        if (!p->fitters[k] || !p->solvers[k]) {
            return lmbi_fail_memory(error);
        }
    }
    return LMB_OK;
}

lmb_result lmbi_population_prepare(lmbi_population *p, lmb_error *error)
{
    static lmb_result (*const steps[])(lmbi_population *, lmb_error *) = {
        check_body, check_scans, list_scans, start_rows, start_persons, start_scans};
    const lmb_learn_body_def *def = p->def;
    p->body.vertex_count = def->vertex_count;
    p->body.joint_count = def->joint_count;
    p->body.parents = def->parents;
    lmb_result result = LMB_OK;
    for (size_t k = 0; result == LMB_OK && k < sizeof steps / sizeof *steps; ++k) {
        result = steps[k](p, error);
    }
    return result;
}
