// How much made bodies of one kind differ in what templates measure: for bench/template_fit.c and tests/embed/template_test.c.
#ifndef BENCH_TEMPLATE_SPREADS_H
#define BENCH_TEMPLATE_SPREADS_H

#include <math.h>
#include <string.h>

#include "bodies/bodies.h"
#include "embed/template/template.h"
#include "limber/embed.h"

enum { SPREAD_FIRST_SEED = 1000, SPREAD_MOST = 4096 };

static const struct {
    lmb_made_body_kind made;
    lmb_skeleton_kind kind;
} spread_kinds[] = {
    {LMB_MADE_QUADRUPED, LMB_SKELETON_QUADRUPED}, {LMB_MADE_BIRD, LMB_SKELETON_BIRD},
    {LMB_MADE_FISH, LMB_SKELETON_FISH},           {LMB_MADE_SNAKE, LMB_SKELETON_SNAKE},
    {LMB_MADE_SPIDER, LMB_SKELETON_SPIDER},       {LMB_MADE_BIPED, LMB_SKELETON_BIPED}};
enum { SPREAD_KINDS = sizeof spread_kinds / sizeof *spread_kinds };

/// Differences of a measurement between two bodies of a kind.
typedef struct differences {
    uint32_t count;
    float list[SPREAD_MOST];
} differences;

typedef struct spread_tallies {
    differences tip[LMBI_TIP_FEATURES], pair[LMBI_PAIR_FEATURES], body[LMBI_BODY_FEATURES];
    double seen[3]; ///< chains of one that the other has no end of, one of a pair, or all
} spread_tallies;

static void add_difference(differences *to, const lmbi_spread *a, const lmbi_spread *b)
{
    if (a->spread > 0 && b->spread > 0 && to->count < SPREAD_MOST)
        to->list[to->count++] = a->mean - b->mean;
}

static void add_chains(const lmbi_template_chain *a, const lmb_body_template *b, spread_tallies *t)
{
    const lmbi_template_chain *same = NULL;
    for (uint32_t c = 0; c < b->chain_count; ++c)
        same = strcmp(a->name, b->chains[c].name) ? same : &b->chains[c];
    if (!(a->tip[0].spread > 0))
        return;
    const bool any = same && same->tip[0].spread > 0,
               all = any && (!a->paired || same->pair[0].spread > 0);
    t->seen[all ? 2 : any ? 1 : 0] += 1;
    for (int f = 0; f < LMBI_TIP_FEATURES && any; ++f)
        add_difference(&t->tip[f], &a->tip[f], &same->tip[f]);
    for (int f = 0; f < LMBI_PAIR_FEATURES && any; ++f)
        add_difference(&t->pair[f], &a->pair[f], &same->pair[f]);
}

static void add_bodies(const lmb_body_template *a, const lmb_body_template *b, spread_tallies *t)
{
    for (uint32_t c = 0; c < a->chain_count; ++c)
        add_chains(&a->chains[c], b, t);
    for (int f = 0; f < LMBI_BODY_FEATURES; ++f)
        add_difference(&t->body[f], &a->body[f], &b->body[f]);
}

/// The scale of Student's t with 4 degrees of freedom that is likeliest for the differences.
static float spread_of(const differences *d)
{
    double square = 0.01;
    for (int round = 0; round < 100; ++round) {
        double sum = 0;
        for (uint32_t k = 0; k < d->count; ++k) {
            const double x = (double)d->list[k] * (double)d->list[k];
            sum += 5 * x / (4 + x / square);
        }
        square = fmax(sum / fmax(d->count, 1), 1e-6);
    }
    return (float)sqrt(square);
}

/// A made body and the template of what is seen in it, its axes told; *out is NULL where that is not its kind.
static lmb_made_body *make_with_template(int kind, uint64_t seed, lmb_body_template **out)
{
    lmb_made_body *made = NULL;
    lmb_embedding seen;
    const lmb_made_body_opts opts = {.kind = spread_kinds[kind].made,
                                     .seed = seed,
                                     .triangle_count = 3000,
                                     .varied = seed / 2 % 2 == 1};
    *out = NULL;
    if (lmb_made_body_create(&opts, NULL, &made, NULL) != LMB_OK)
        return NULL;
    const lmb_mesh *m = made->character->meshes[0];
    const lmb_embed_opts told = {
        .kind = spread_kinds[kind].kind, .up = made->up, .forward = made->facing};
    if (lmb_embed(m->positions, m->vertex_count, m->indices, m->index_count / 3, &told, NULL, &seen,
                  NULL) == LMB_OK)
        (void)lmb_body_template_of_body(m->positions, m->vertex_count, m->indices,
                                        m->index_count / 3, &seen, NULL, out, NULL);
    return made;
}

#endif
