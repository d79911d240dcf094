/// A body model on a scan that is not registered: nearest points of its surface as targets, found again after every few
/// steps (Besl and McKay 1992), along whose planes vertices slide (Chen and Medioni 1992).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/surface_math.h"
#include "geometry/tree.h"
#include "learn/body/matrix.h"
#include "learn/body/model_fit.h"
#include "limber/geometry.h"
#include "math/double.h"

enum { ROUNDS = 60, START_ROUNDS = 8, STEPS = 2, HEADINGS = 8 };
/// Reach of the nearest points, in heights: from the first round to the last.
static const double FIRST_REACH = 0.12, LAST_REACH = 0.02;
/// Least cosine between the normals of a vertex and of its nearest point.
static const float FACING = 0.3f;
/// How much more costs weigh in the first round.
static const double FIRST_COSTS = 1000;

typedef struct surface_fit {
    lmbi_model_fit *f;
    lmbi_tree *tree;
    lmb_surface *surface;
    lmb_vec3 *normals; ///< [vertex_count of the surface]
    lmbi_scan_pose *pose;
    bool with_shape;
} surface_fit;

static lmb_result open_scan(surface_fit *s, const lmb_body_scan *scan, lmbi_arena *arena,
                            lmb_error *error)
{
    const lmb_surface_part part = {.positions = scan->positions,
                                   .vertex_count = scan->vertex_count,
                                   .indices = scan->indices,
                                   .index_count = scan->index_count};
    lmb_result result = lmb_surface_create(&part, 1, NULL, arena->alloc, &s->surface, error);
    if (result == LMB_OK && s->surface->triangle_count == 0) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "a scan with triangles", "none");
    }
    if (result == LMB_OK) {
        s->normals = lmbi_arena_array(arena, s->surface->vertex_count, sizeof *s->normals);
        result = s->normals ? lmbi_tree_create(s->surface, arena->alloc, &s->tree, error)
                            : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        lmbi_surface_vertex_normals(s->surface, s->normals);
    }
    return result;
}

static lmb_vec3 normal_at(const surface_fit *s, const lmbi_closest *at)
{
    const uint32_t *corner = s->surface->triangles + 3 * (size_t)at->triangle;
    lmb_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        sum = lmb_vec3_mad(sum, s->normals[corner[k]], at->barycentric[k]);
    }
    return lmb_vec3_normalize_or(sum, (lmb_vec3){0, 0, 0});
}

/// Normals of the model where it stands.
static void fill_moved_normals(lmbi_model_fit *f)
{
    const lmb_surface moved = {.vertex_count = f->body.vertex_count,
                               .positions = f->moved,
                               .triangle_count = f->model->index_count / 3,
                               .triangles = f->model->indices};
    lmbi_surface_vertex_normals(&moved, f->moved_normals);
}

typedef struct search {
    const surface_fit *s;
    double reach;
} search;

/// Nearest points that are within reach and face the same way; a far one counts less (Geman and McClure).
static void find_points(void *context, size_t begin, size_t end)
{
    const search *q = context;
    lmbi_model_fit *f = q->s->f;
    for (size_t v = begin; v < end; ++v) {
        const lmbi_closest at = lmbi_tree_closest(q->s->tree, f->moved[v], (float)q->reach);
        f->weights[v] = 0;
        f->points[v] = f->moved[v];
        f->normals[v] = f->moved_normals[v];
        if (at.triangle == UINT32_MAX) {
            continue;
        }
        const lmb_vec3 normal = normal_at(q->s, &at);
        if (lmb_vec3_dot(normal, f->moved_normals[v]) < FACING) {
            continue;
        }
        const double r = (double)at.distance / q->reach, w = 1 / (1 + 4 * r * r);
        f->points[v] = at.point;
        f->normals[v] = normal;
        f->weights[v] = w * w;
    }
}

/// One search and a few steps.
static void iterate(surface_fit *s, double reach, double costs)
{
    lmbi_model_fit *f = s->f;
    search q = {s, reach};
    const lmbi_scan_target target = {
        .positions = f->points, .weights = f->weights, .normals = f->normals};
    lmbi_model_fit_vertices(f, s->pose, f->moved);
    fill_moved_normals(f);
    lmb_parallel_for(f->opts.jobs, f->body.vertex_count, 64, find_points, &q);
    lmbi_scan_shape shape = f->shape;
    shape.direction_count = s->with_shape ? f->shape_count : 0;
    shape.coefficient_weight *= costs;
    shape.pose_weight *= costs;
    lmbi_scan_fit(s->with_shape ? f->fitter : f->rigid_fitter, &shape, &target, STEPS, s->pose);
}

/// Mean square distance of the model's vertices from the scan; `worst` receives the greatest square.
static double measure(surface_fit *s, double *worst)
{
    lmbi_model_fit *f = s->f;
    double sum = 0;
    *worst = 0;
    lmbi_model_fit_vertices(f, s->pose, f->moved);
    for (uint32_t v = 0; v < f->body.vertex_count; ++v) {
        const double d = (double)lmbi_tree_closest(s->tree, f->moved[v], INFINITY).distance;
        sum += d * d / f->body.vertex_count;
        *worst = fmax(*worst, d * d);
    }
    return sum;
}

// ---- a start without known joints

/// Middle of the bounds.
static void middle_of(const lmb_vec3 *points, uint32_t count, double out[3])
{
    for (size_t c = 0; c < 3; ++c) {
        float low = (&points[0].x)[c], high = low;
        for (uint32_t k = 0; k < count; ++k) {
            low = fminf(low, (&points[k].x)[c]);
            high = fmaxf(high, (&points[k].x)[c]);
        }
        out[c] = 0.5 * ((double)low + (double)high);
    }
}

static void rest_pose(const lmbi_model_fit *f, lmbi_scan_pose *pose)
{
    memset(pose->rotations, 0, 9 * (size_t)f->body.joint_count * sizeof(double));
    for (size_t k = 0; k < 9 * (size_t)f->body.joint_count; ++k) {
        pose->rotations[k] = k % 9 % 4 == 0;
    }
    memset(pose->translation, 0, sizeof pose->translation);
}

/// At rest, rotated about the vertical, where the scan is.
static void stand_at(surface_fit *s, double heading)
{
    lmbi_model_fit *f = s->f;
    double goal[3], now[3];
    rest_pose(f, s->pose);
    lmbi_model_fit_reset(f);
    const double c = lmbi_cos(heading), r = lmbi_sin(heading);
    const double turned[9] = {c, 0, r, 0, 1, 0, -r, 0, c};
    memcpy(s->pose->rotations, turned, sizeof turned);
    lmbi_model_fit_vertices(f, s->pose, f->moved);
    middle_of(s->surface->positions, s->surface->vertex_count, goal);
    middle_of(f->moved, f->body.vertex_count, now);
    for (int k = 0; k < 3; ++k) {
        s->pose->translation[k] = goal[k] - now[k];
    }
}

/// Tries headings for a few rounds, and leaves the pose at the best.
static void find_heading(surface_fit *s)
{
    double best = (double)INFINITY, best_heading = 0, worst;
    for (int k = 0; k <= HEADINGS; ++k) {
        const double heading = k < HEADINGS ? 2 * (double)LMB_PI * k / HEADINGS : best_heading;
        stand_at(s, heading);
        for (int round = 0; round < START_ROUNDS; ++round) {
            iterate(s, FIRST_REACH * s->f->height, FIRST_COSTS);
        }
        const double now = measure(s, &worst);
        if (now < best) {
            best = now;
            best_heading = heading;
        }
    }
}

static lmb_result report_progress(const lmbi_model_fit *f, int round, lmb_error *error)
{
    const lmb_progress *progress = f->opts.progress;
    return !progress || !progress->report ||
                   progress->report(progress->user, "fitting", (float)round / ROUNDS)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
}

lmb_result lmbi_model_fit_surface(lmbi_model_fit *f, const lmb_body_scan *scan, bool with_shape,
                                  bool starts, lmbi_scan_pose *pose, double *mean_square,
                                  double *worst, lmb_error *error)
{
    surface_fit s = {.f = f, .pose = pose, .with_shape = with_shape};
    lmbi_arena arena;
    lmbi_arena_init(&arena, f->arena.alloc);
    lmbi_model_fit_set_weights(f, false);
    lmb_result result = open_scan(&s, scan, &arena, error);
    if (result == LMB_OK && starts && !lmbi_model_fit_joints(f, scan, pose)) {
        find_heading(&s);
    }
    for (int round = 0; result == LMB_OK && round < ROUNDS; ++round) {
        // Reach and costs fall geometrically to their last values.
        const double left = 1 - (double)round / (ROUNDS - 1);
        const double reach =
            f->height * LAST_REACH * lmbi_exp(left * lmbi_log(FIRST_REACH / LAST_REACH));
        result = report_progress(f, round, error);
        iterate(&s, reach, lmbi_exp(left * lmbi_log(FIRST_COSTS)));
    }
    if (result == LMB_OK) {
        *mean_square = measure(&s, worst);
    }
    lmbi_tree_destroy(s.tree);
    lmb_surface_destroy(s.surface);
    lmbi_arena_free(&arena);
    return result;
}
