/// How far a skin opens when its character moves: seams that were closed at rest, and pieces that
/// lay against each other.
#ifndef TESTS_AUTHOR_SEAMS_H
#define TESTS_AUTHOR_SEAMS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

/// Shares of the character's height.
static const float SEAM_COINCIDES = 1e-6f, SEAM_CLOSE = 0.01f;

typedef struct seam_pair {
    uint32_t a, b;
    float at_rest, most; ///< distances
} seam_pair;

typedef struct seams {
    uint32_t vertex_count;
    lmb_vec3 *positions, *rest; ///< of all instances, one after another
    uint32_t *welded;           ///< the first vertex at the same place
    uint32_t *piece;            ///< by welded vertex
    float height;
    uint32_t seam_count, close_count;
    seam_pair *seam, *close;
} seams;

// ------------------------------------------------------------------------------ cells of a grid

typedef struct seam_grid {
    float cell;
    uint32_t bucket_count;
    uint32_t *first, *next;
} seam_grid;

static inline uint32_t seam_bucket(const seam_grid *g, long x, long y, long z)
{
    const uint64_t hash =
        (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
    return (uint32_t)(hash % g->bucket_count);
}

static inline seam_grid seam_grid_of(const lmb_vec3 *positions, uint32_t count, float cell)
{
    seam_grid g = {.cell = cell, .bucket_count = 2 * count + 1};
    g.first = malloc(g.bucket_count * sizeof *g.first);
    g.next = malloc(((size_t)count + 1) * sizeof *g.next);
    for (uint32_t k = 0; k < g.bucket_count; ++k) {
        g.first[k] = UINT32_MAX;
    }
    for (uint32_t v = count; v-- > 0;) {
        const uint32_t at = seam_bucket(&g, lroundf(floorf(positions[v].x / cell)),
                                        lroundf(floorf(positions[v].y / cell)),
                                        lroundf(floorf(positions[v].z / cell)));
        g.next[v] = g.first[at];
        g.first[at] = v;
    }
    return g;
}

static inline void seam_grid_free(seam_grid *g)
{
    free(g->first);
    free(g->next);
}

/// The first vertex within `reach` (a cell at most) of vertex v that is before v (`piece` NULL), or
/// the nearest of another piece.
static inline uint32_t seam_near(const seam_grid *g, const lmb_vec3 *positions, uint32_t v,
                                 float reach, const uint32_t *piece)
{
    const lmb_vec3 p = positions[v];
    const long x = lroundf(floorf(p.x / g->cell)), y = lroundf(floorf(p.y / g->cell)),
               z = lroundf(floorf(p.z / g->cell));
    uint32_t best = UINT32_MAX;
    float least = reach;
    for (long k = 0; k < 27; ++k) {
        uint32_t at = g->first[seam_bucket(g, x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1)];
        for (; at != UINT32_MAX; at = g->next[at]) {
            const float far = lmb_vec3_distance(p, positions[at]);
            if (piece == NULL && far <= reach && at < v) {
                best = at < best ? at : best;
            } else if (piece != NULL && piece[at] != piece[v] && far <= least) {
                least = far;
                best = at;
            }
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------- the pairs

static inline uint32_t seam_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static inline void seams_join(seams *s, const lmb_character *c)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        for (uint32_t k = 0; k < mesh->index_count; ++k) {
            const uint32_t a = s->welded[first + mesh->indices[k]],
                           b = s->welded[first + mesh->indices[k - k % 3]];
            s->piece[seam_root(s->piece, a)] = seam_root(s->piece, b);
        }
        first += mesh->vertex_count;
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->piece[v] = seam_root(s->piece, s->welded[v]);
    }
}

/// Where all vertices are, as the deformer has them.
static inline void seams_take(const lmb_character *c, const lmb_deformer *deformer, lmb_vec3 *out)
{
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_deformed shape = lmb_deformer_instance(deformer, i);
        memcpy(out, shape.positions, shape.vertex_count * sizeof *out);
        out += shape.vertex_count;
    }
}

static inline void seams_pose(const lmb_character *c, lmb_deformer *deformer,
                              const lmb_transform *local, lmb_vec3 *out)
{
    lmb_mat4 *model = calloc(c->skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
    lmb_deform(
        &(lmb_deform_job){.deformer = deformer, .model_from_joint = model, .positions_only = true});
    seams_take(c, deformer, out);
    free(model);
}

static inline void seams_find(seams *s, const lmb_character *c)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        box = lmb_box_add(box, s->rest[v]);
    }
    s->height =
        fmaxf(box.high.y - box.low.y, fmaxf(box.high.x - box.low.x, box.high.z - box.low.z) * 0.5f);
    const float close = SEAM_CLOSE * s->height;
    seam_grid grid = seam_grid_of(s->rest, s->vertex_count, close);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const uint32_t same = seam_near(&grid, s->rest, v, SEAM_COINCIDES * s->height, NULL);
        s->welded[v] = same != UINT32_MAX ? s->welded[same] : v;
        s->piece[v] = v;
        if (same != UINT32_MAX) {
            s->seam[s->seam_count++] = (seam_pair){v, s->welded[v], 0, 0};
        }
    }
    seams_join(s, c);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const uint32_t other =
            s->welded[v] == v ? seam_near(&grid, s->rest, v, close, s->piece) : UINT32_MAX;
        if (other != UINT32_MAX) {
            s->close[s->close_count++] =
                (seam_pair){v, other, lmb_vec3_distance(s->rest[v], s->rest[other]), 0};
        }
    }
    seam_grid_free(&grid);
}

/// Of a character at rest.
static inline seams seams_create(const lmb_character *c, lmb_deformer *deformer)
{
    seams s = {0};
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        s.vertex_count += c->meshes[c->instances[i].mesh]->vertex_count;
    }
    const size_t room = (size_t)s.vertex_count + 1;
    s.positions = calloc(room, sizeof *s.positions);
    s.rest = calloc(room, sizeof *s.rest);
    s.welded = calloc(room, sizeof *s.welded);
    s.piece = calloc(room, sizeof *s.piece);
    s.seam = calloc(room, sizeof *s.seam);
    s.close = calloc(room, sizeof *s.close);
    seams_pose(c, deformer, NULL, s.rest);
    seams_find(&s, c);
    return s;
}

static inline void seams_free(seams *s)
{
    free(s->positions);
    free(s->rest);
    free(s->welded);
    free(s->piece);
    free(s->seam);
    free(s->close);
}

/// Takes a clip's frames into account.
static inline void seams_play(seams *s, const lmb_character *c, lmb_deformer *deformer,
                              const lmb_clip *clip, uint32_t frames)
{
    lmb_transform *local = calloc(c->skeleton->joint_count, sizeof *local);
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)lmb_clip_duration_s(clip) * f /
                                               (double)(frames > 1 ? frames - 1 : 1),
                                     .joint_count = c->skeleton->joint_count,
                                     .rest = c->skeleton->rest,
                                     .pose = local});
        seams_pose(c, deformer, local, s->positions);
        for (uint32_t k = 0; k < s->seam_count + s->close_count; ++k) {
            seam_pair *p = k < s->seam_count ? &s->seam[k] : &s->close[k - s->seam_count];
            const float far = lmb_vec3_distance(s->positions[p->a], s->positions[p->b]);
            p->most = fmaxf(p->most, far - p->at_rest);
        }
    }
    free(local);
}

static inline int seam_order(const void *a, const void *b)
{
    const float x = ((const seam_pair *)a)->most, y = ((const seam_pair *)b)->most;
    return x < y ? -1 : x > y;
}

/// What so many of a hundred pairs do not pass, as a fraction of the height. Sorts them.
static inline float seam_percentile(seam_pair *pairs, uint32_t count, double percent, float height)
{
    qsort(pairs, count, sizeof *pairs, seam_order);
    return count > 0 ? pairs[(uint32_t)((count - 1) * percent / 100)].most / height : 0;
}

#endif
