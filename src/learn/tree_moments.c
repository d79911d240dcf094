/// Sums over the points from which transforms of bones in a hierarchy are fitted.
#include <string.h>

#include "learn/tree.h"

enum { FRAMES_AT_ONCE = 16 };

/// The numbers of one point that are not 0: columns of z and their values.
typedef struct sparse_point {
    uint32_t count, columns[4 * LMB_LEARN_BONES];
    double values[4 * LMB_LEARN_BONES];
} sparse_point;

typedef struct summing {
    const lmbi_learn *p;
    const lmbi_learn_tree *tree;
    lmbi_tree_moments *to;
} summing;

static void add_value(sparse_point *z, uint32_t column, double value)
{
    z->columns[z->count] = column;
    z->values[z->count++] = value;
}

/// Fills z: of the bones that move the point w u, of these and the bones above them s. `below` is all
/// 0 before and after.
static void gather(const summing *s, size_t i, double *below, sparse_point *z)
{
    const lmbi_learn *p = s->p;
    const double *u = p->rest + 3 * i, *weights = p->row_weights + i * p->influences;
    const uint32_t *bones = p->row_bones + i * p->influences;
    z->count = 0;
    for (uint32_t k = 0; k < p->influences && weights[k] > 0; ++k) {
        for (uint32_t c = 0; c < 3; ++c) {
            add_value(z, 4 * bones[k] + c, weights[k] * u[c]);
        }
        for (int32_t j = (int32_t)bones[k]; j != LMB_NONE; j = s->tree->parents[j]) {
            below[j] += weights[k];
        }
    }
    for (uint32_t k = 0; k < p->influences && weights[k] > 0; ++k) {
        for (int32_t j = (int32_t)bones[k]; j != LMB_NONE && below[j] > 0;
             j = s->tree->parents[j]) {
            add_value(z, 4 * (uint32_t)j + 3, below[j]);
            below[j] = 0;
        }
    }
}

static void sum_products(const summing *s)
{
    const size_t width = 4 * (size_t)s->p->bone_count;
    double below[LMB_LEARN_BONES] = {0}, *g = s->to->products;
    sparse_point z;
    memset(g, 0, width * width * sizeof *g);
    for (size_t i = 0; i < s->p->point_count; ++i) {
        gather(s, i, below, &z);
        for (uint32_t a = 0; a < z.count; ++a) {
            double *row = g + z.columns[a] * width;
            for (uint32_t b = 0; b < z.count; ++b) {
                row[z.columns[b]] += z.values[a] * z.values[b];
            }
        }
    }
}

static void sum_targets(void *context, size_t begin, size_t end)
{
    const summing *s = context;
    const lmbi_learn *p = s->p;
    const size_t width = 4 * (size_t)p->bone_count, m = p->frame_count;
    double below[LMB_LEARN_BONES] = {0};
    sparse_point z;
    for (size_t row = 0; row < 3 * width; ++row) {
        memset(s->to->targets + row * m + begin, 0, (end - begin) * sizeof(double));
    }
    for (size_t i = 0; i < p->point_count; ++i) {
        gather(s, i, below, &z);
        for (uint32_t a = 0; a < z.count; ++a) {
            for (size_t r = 0; r < 3; ++r) {
                const float *v = p->positions + (3 * i + r) * m;
                double *to = s->to->targets + (3 * z.columns[a] + r) * m;
                for (size_t f = begin; f < end; ++f) {
                    to[f] += z.values[a] * (double)v[f];
                }
            }
        }
    }
}

bool lmbi_tree_moments_init(lmbi_tree_moments *to, const lmbi_learn *p, lmbi_arena *arena)
{
    const size_t width = 4 * (size_t)p->bone_count;
    to->products = lmbi_arena_array(arena, width, width * sizeof(double));
    to->targets = lmbi_arena_array(arena, width, 3 * p->frame_count * sizeof(double));
    return to->products && to->targets;
}

void lmbi_tree_moments_sum(lmbi_tree_moments *to, const lmbi_learn *p, const lmbi_learn_tree *tree)
{
    summing s = {p, tree, to};
    sum_products(&s);
    lmb_parallel_for(p->opts.jobs, p->frame_count, FRAMES_AT_ONCE, sum_targets, &s);
}
