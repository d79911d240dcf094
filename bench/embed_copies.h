// Copies of a subject of embed_bench.c, turned, scaled, roughened and reduced, and how far their joints move. Included by
// embed_bench.c.
#ifndef BENCH_EMBED_COPIES_H
#define BENCH_EMBED_COPIES_H

enum { TURNED, SCALED, NOISY, CLUSTERED, HOLED, DECIMATED, COPIES };
static const char *const copy_names[COPIES] = {"turned",    "scaled", "noisy",
                                               "clustered", "holed",  "decimated"};
static const float TURN_RAD = 0.6f, SCALE = 3.7f;
static double copy_mean[COPIES][RESULTS], copy_worst[COPIES][RESULTS];
static uint32_t copy_count[COPIES], copies_refused[COPIES];

static lmb_vec3 turned(lmb_vec3 p, float rad)
{
    return lmb_quat_rotate(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), rad), p);
}

/// The mesh of `s` with 30 % of its triangles; false where it is not closed.
static bool decimate(const subject *s, lmb_vec3 *positions, uint32_t *position_count,
                     uint32_t *triangles, uint32_t *triangle_count)
{
    const lmb_surface_part part = {.positions = s->positions,
                                   .vertex_count = s->position_count,
                                   .indices = s->triangles,
                                   .index_count = 3 * s->triangle_count};
    lmb_surface *whole = NULL, *few = NULL;
    const lmbi_decimate_opts opts = {.triangle_count = 3 * s->triangle_count / 10};
    const bool made = lmb_surface_create(&part, 1, NULL, NULL, &whole, NULL) == LMB_OK &&
                      lmbi_surface_decimate(whole, &opts, NULL, &few, NULL, NULL) == LMB_OK;
    if (made) {
        memcpy(positions, few->positions, few->vertex_count * sizeof *positions);
        memcpy(triangles, few->triangles, 3 * (size_t)few->triangle_count * sizeof *triangles);
        *position_count = few->vertex_count;
        *triangle_count = few->triangle_count;
    }
    lmb_surface_destroy(whole);
    lmb_surface_destroy(few);
    return made;
}

/// Writes a copy of the mesh of `s`; the arrays have room for as much.
static void make_copy(const subject *s, int kind, float height, lmb_vec3 *positions,
                      uint32_t *triangles, uint32_t *triangle_count)
{
    lmb_random random = lmb_random_seed(7);
    const float cell = 0.012f * height;
    *triangle_count = 0;
    for (uint32_t v = 0; v < s->position_count; ++v) {
        const lmb_vec3 p = s->positions[v];
        positions[v] = kind == TURNED   ? turned(p, TURN_RAD)
                       : kind == SCALED ? lmb_vec3_scale(p, SCALE)
                                        : p;
        if (kind == CLUSTERED) {
            positions[v] =
                lmb_vec3_make(cell * floorf(p.x / cell + 0.5f), cell * floorf(p.y / cell + 0.5f),
                              cell * floorf(p.z / cell + 0.5f));
        }
        if (kind == NOISY) {
            // The same noise at equal positions, so that seams stay closed.
            lmb_random own = lmb_random_seed(
                (uint64_t)(lmb_vec3_dot(p, lmb_vec3_make(7919, 104729, 1299709)) / height));
            const float by = 0.003f * height;
            positions[v] = lmb_vec3_add(p, lmb_vec3_make(lmb_random_range(&own, -by, by),
                                                         lmb_random_range(&own, -by, by),
                                                         lmb_random_range(&own, -by, by)));
        }
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        if (kind != HOLED || lmb_random_unit(&random) > 0.03f) {
            memcpy(triangles + 3 * (*triangle_count)++, s->triangles + 3 * t,
                   3 * sizeof *triangles);
        }
    }
}

/// How far the body joints of a copy, brought back, lie from those of the original.
static void compare_copy(const lmb_embedding *a, const lmb_embedding *b, int kind, float height,
                         double *mean, double *worst)
{
    double sum = 0;
    *worst = 0;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        const lmb_vec3 at = kind == TURNED   ? turned(b->joints[j], -TURN_RAD)
                            : kind == SCALED ? lmb_vec3_scale(b->joints[j], 1 / SCALE)
                                             : b->joints[j];
        const double off = 100 * (double)(lmb_vec3_distance(a->joints[j], at) / height);
        sum += off;
        *worst = fmax(*worst, off);
    }
    *mean = sum / LMBI_BODY_JOINTS;
}

static void judge_copies(const subject *s)
{
    const lmb_box box = lmb_box_of(s->positions, s->position_count);
    const float height = box.high.y - box.low.y;
    lmb_vec3 *positions = calloc(s->position_count, sizeof *positions);
    uint32_t *triangles = calloc(3 * (size_t)s->triangle_count, sizeof *triangles), count,
             position_count = s->position_count;
    lmb_embedding whole, copy;
    if (!positions || !triangles ||
        lmb_embed(s->positions, s->position_count, s->triangles, s->triangle_count, &as_read, NULL,
                  &whole, NULL) != LMB_OK ||
        whole.kind != LMB_SKELETON_HUMAN) {
        free(positions);
        free(triangles);
        return;
    }
    for (int kind = 0; kind < COPIES; ++kind) {
        if (kind != DECIMATED) {
            make_copy(s, kind, height, positions, triangles, &count);
        } else if (!decimate(s, positions, &position_count, triangles, &count)) {
            continue;
        }
        if (lmb_embed(positions, position_count, triangles, count, &as_read, NULL, &copy, NULL) !=
                LMB_OK ||
            copy.kind != LMB_SKELETON_HUMAN) {
            ++copies_refused[kind];
            continue;
        }
        const uint32_t n = copy_count[kind]++;
        compare_copy(&whole, &copy, kind, height, &copy_mean[kind][n], &copy_worst[kind][n]);
        printf("{\"name\": \"%s\", \"copy\": \"%s\", \"mean_percent\": %.2f, "
               "\"worst_percent\": %.2f, \"confidence\": [%.2f, %.2f]}\n",
               strrchr(s->path, '/') + 1, copy_names[kind], copy_mean[kind][n], copy_worst[kind][n],
               (double)whole.overall, (double)copy.overall);
    }
    fflush(stdout);
    free(positions);
    free(triangles);
}

#endif
