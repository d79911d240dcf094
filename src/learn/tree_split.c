/// More bones in a tree: the bone that misses its skin most gives the part of it that moves otherwise to
/// a new one.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/tree.h"

enum { ROUNDS = 4 /* of fitting the new bone and sharing the skin */, LEAST_POINTS = 3 };

typedef struct splitting {
    lmbi_learn *p;
    const double *centroids; ///< [bone][3]
    double *missed;          ///< [bone] sums of the errors of its skin
    uint32_t *skin;          ///< points of the bone that is split
    uint32_t *taken;         ///< those of the new bone
    uint32_t skin_count, taken_count;
} splitting;

static void sum_missed(const splitting *s)
{
    const lmbi_learn *p = s->p;
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        s->missed[j] = 0;
        for (uint32_t k = p->list_first[j]; k < p->list_first[j + 1]; ++k) {
            s->missed[j] += p->list_weights[k] * p->point_errors[p->list_points[k]];
        }
    }
}

/// Gathers the points that follow the bone most; returns the one whose error times its distance from
/// the bone's centroid is largest.
static uint32_t gather_skin(splitting *s, uint32_t bone)
{
    const lmbi_learn *p = s->p;
    uint32_t best = UINT32_MAX;
    double most = -1;
    s->skin_count = 0;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        if (p->row_bones[(size_t)i * p->influences] != bone) {
            continue;
        }
        s->skin[s->skin_count++] = i;
        double square = 0;
        for (size_t c = 0; c < 3; ++c) {
            const double d = p->rest[3 * (size_t)i + c] - s->centroids[3 * (size_t)bone + c];
            square += d * d;
        }
        if (p->point_errors[i] * square > most) {
            most = p->point_errors[i] * square;
            best = i;
        }
    }
    return best;
}

/// The new bone starts with the neighbourhood of the seed, and takes what it shows better.
static void take_skin(splitting *s, uint32_t bone, uint32_t seed)
{
    lmbi_learn *p = s->p;
    const uint32_t fresh = p->bone_count;
    memcpy(lmbi_learn_bone(p, fresh, 0), lmbi_learn_bone(p, bone, 0),
           12 * sizeof(double) * p->frame_count);
    s->taken_count = 0;
    s->taken[s->taken_count++] = seed;
    for (uint32_t k = p->neighbour_first[seed]; k < p->neighbour_first[seed + 1]; ++k) {
        s->taken[s->taken_count++] = p->neighbours[k];
    }
    for (int round = 0; round < ROUNDS; ++round) {
        lmbi_learn_fit_bone(p, fresh, s->taken, s->taken_count);
        s->taken_count = 0;
        for (uint32_t k = 0; k < s->skin_count; ++k) {
            const uint32_t i = s->skin[k];
            if (lmbi_learn_bone_error(p, i, fresh) < lmbi_learn_bone_error(p, i, bone)) {
                s->taken[s->taken_count++] = i;
            }
        }
        if (s->taken_count < LEAST_POINTS) {
            break;
        }
    }
}

/// Splits the bone; false if nothing of its skin moves otherwise.
static bool split(splitting *s, uint32_t bone)
{
    lmbi_learn *p = s->p;
    const uint32_t seed = gather_skin(s, bone);
    if (seed == UINT32_MAX || s->skin_count < 2 * LEAST_POINTS) {
        return false;
    }
    take_skin(s, bone, seed);
    if (s->taken_count < LEAST_POINTS || s->taken_count + LEAST_POINTS > s->skin_count) {
        return false;
    }
    for (uint32_t k = 0; k < s->taken_count; ++k) {
        p->row_bones[(size_t)s->taken[k] * p->influences] = p->bone_count;
    }
    memcpy(lmbi_learn_bone(p, p->bone_count, 0), lmbi_learn_bone(p, bone, 0),
           12 * sizeof(double) * p->frame_count);
    ++p->bone_count;
    return true;
}

/// The bone with the largest error that has not been tried.
static uint32_t find_worst(const splitting *s, uint32_t count)
{
    uint32_t worst = UINT32_MAX;
    for (uint32_t j = 0; j < count; ++j) {
        if (s->missed[j] > 0 && (worst == UINT32_MAX || s->missed[j] > s->missed[worst])) {
            worst = j;
        }
    }
    return worst;
}

/// Hangs the new bone on the one it is from, and what shares more skin with it than with that one on
/// it.
static void hang(const lmbi_learn_pairs *pairs, int32_t *parents, uint32_t fresh, uint32_t from)
{
    parents[fresh] = (int32_t)from;
    const int32_t above = parents[from];
    for (uint32_t h = 0; h < fresh; ++h) {
        const bool nearer = lmbi_learn_pair_at(pairs, h, fresh)->shared >
                            lmbi_learn_pair_at(pairs, h, from)->shared;
        if (parents[h] == (int32_t)from && nearer) {
            parents[h] = (int32_t)fresh;
        } else if (above == (int32_t)h && nearer) {
            parents[fresh] = above;
            parents[from] = (int32_t)fresh;
        }
    }
}

lmb_result lmbi_learn_split_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t bone_count,
                                 uint32_t skip, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const uint32_t before = p->bone_count;
    splitting s = {.p = p};
    lmbi_learn_pairs pairs;
    s.missed = lmbi_arena_array(&arena, bone_count, sizeof *s.missed);
    s.skin = lmbi_arena_array(&arena, p->point_count, sizeof *s.skin);
    s.taken = lmbi_arena_array(&arena, p->point_count, sizeof *s.taken);
    int32_t *parents = lmbi_arena_array(&arena, bone_count, sizeof *parents);
    uint32_t *from = lmbi_arena_array(&arena, bone_count, sizeof *from);
    p->bone_count = bone_count;
    const bool allocated = lmbi_learn_pairs_init(&pairs, p, &arena) && s.missed && s.skin &&
                           s.taken && parents && from;
    p->bone_count = before;
    lmb_result result = allocated ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        const double mean = lmbi_learn_measure_errors(p);
        lmbi_learn_fit_pairs(&pairs, mean);
        s.centroids = pairs.centroids;
        sum_missed(&s);
        for (uint32_t j;
             p->bone_count < bone_count && (j = find_worst(&s, before)) != UINT32_MAX;) {
            const uint32_t fresh = p->bone_count;
            s.missed[j] = 0;
            if (skip > 0) {
                --skip;
            } else if (split(&s, j)) {
                from[fresh] = j;
            }
        }
        lmbi_learn_index_rows(p);
        lmbi_learn_fit_pairs(&pairs, mean);
        memcpy(parents, tree->parents, before * sizeof *parents);
        for (uint32_t j = before; j < p->bone_count; ++j) {
            tree->parents[j] = LMB_NONE; // no edges before
        }
        for (uint32_t j = before; j < p->bone_count; ++j) {
            hang(&pairs, parents, j, from[j]);
        }
        result = lmbi_learn_number_tree(p, tree, &pairs, parents, NULL, error);
    }
    lmbi_arena_free(&arena);
    return result;
}
