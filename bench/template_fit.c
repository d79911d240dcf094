// Fits src/embed/template/standard_spreads.inl: template_fit ROWS [PAIRS]. Made bodies of six kinds, of two seeds each, tell how
// much bodies of a kind differ in each measurement of a template, what tips of no chain are like, and which ends are missing.
// The logarithm of the odds that a reading is right, by its fit, and that its facing is, come from templates of one body in
// the next one of its kind and of the next kind. What it fits is used by the search that this is fitted by: run it twice.
// Three minutes of one core.
#include <stdio.h>
#include <stdlib.h>

#include "math/math.h"
#include "template_spreads.h"

/// A measurement with its label.
typedef struct example {
    double x;
    bool right;
} example;
typedef struct examples {
    uint32_t count;
    example list[SPREAD_MOST];
} examples;

static void add_example(examples *to, double x, bool right)
{
    if (to->count < SPREAD_MOST)
        to->list[to->count++] = (example){x, right};
}

/// Logistic regression on one measurement, held near 0; a constant if it is wanted.
static void fit_odds(const examples *from, bool constant, double *at_none, double *per)
{
    *at_none = *per = 0;
    for (int step = 0; step < 20000; ++step) {
        double slope = -1e-3 * *per, level = -1e-3 * *at_none;
        for (uint32_t k = 0; k < from->count; ++k) {
            const example *e = &from->list[k];
            const double off = e->right - 1 / (1 + exp(-(*at_none + *per * e->x)));
            level += off / from->count;
            slope += off * e->x / from->count;
        }
        *per += 0.1 * slope;
        *at_none += constant ? 0.1 * level : 0;
    }
}

static differences others[LMBI_TIP_FEATURES];
static examples fits, facings;

/// The readings of a made body by a template.
static uint32_t read_body(const lmb_made_body *body, const lmb_body_template *t,
                          lmbi_voxel_cache *cache, const lmbi_body_shape **coarse,
                          lmbi_reading out[LMBI_READINGS])
{
    const lmb_mesh *m = body->character->meshes[0];
    static lmbi_triangle_soup soup;
    soup =
        (lmbi_triangle_soup){m->positions, m->vertex_count, m->indices, m->index_count / 3, false};
    if (lmbi_voxel_cache_create(&soup, NULL, cache, NULL) != LMB_OK ||
        lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, coarse, NULL) != LMB_OK)
        exit(1);
    return lmbi_search_readings(&(*coarse)->body, (*coarse)->tips, (*coarse)->tip_count, t,
                                &(lmbi_search_opts){.y_up = true}, out);
}

/// Tips that no chain has, in the body that a template is of.
static void add_others(const lmb_made_body *body, const lmb_body_template *t)
{
    lmbi_voxel_cache cache;
    const lmbi_body_shape *x;
    lmbi_reading r[LMBI_READINGS];
    lmbi_body_view view;
    if (read_body(body, t, &cache, &x, r) > 0) {
        const lmbi_mirror plane = {r[0].left, r[0].offset, 0};
        lmbi_body_view_measure(&x->body, x->tips, x->tip_count, &plane, r[0].up, &view);
        for (uint32_t k = 0; k < view.tip_count; ++k) {
            bool taken = false;
            for (uint32_t c = 0; c < t->chain_count; ++c)
                taken = taken || r[0].tips[c][0] == (int32_t)k || r[0].tips[c][1] == (int32_t)k;
            for (int f = 0; f < LMBI_TIP_FEATURES && !taken && others[f].count < SPREAD_MOST; ++f)
                others[f].list[others[f].count++] = view.tips[k][f];
        }
    }
    lmbi_voxel_cache_destroy(&cache);
}

/// How well a template fits a body, and how much better with one facing than with others.
static void add_readings(const lmb_made_body *body, const lmb_body_template *t, bool same_kind)
{
    const float alike = 0.7f;
    lmbi_voxel_cache cache;
    const lmbi_body_shape *x;
    lmbi_reading r[LMBI_READINGS];
    const uint32_t count = read_body(body, t, &cache, &x, r);
    if (count > 0)
        add_example(&fits, (double)r[0].fit, same_kind);
    uint32_t other = 0;
    while (other < count && lmb_vec3_dot(r[other].forward, r[0].forward) > alike)
        ++other;
    if (same_kind && other < count)
        add_example(&facings, (double)(r[0].score - r[other].score),
                    lmb_vec3_dot(r[0].forward, body->facing) > alike);
    lmbi_voxel_cache_destroy(&cache);
}

static void write_list(FILE *f, const char *name, const differences *d, int count)
{
    fprintf(f, ".%s = {", name);
    for (int k = 0; k < count; ++k)
        fprintf(f, "%s%.3ff", k ? ", " : "", (double)spread_of(&d[k]));
    fprintf(f, "},\n");
}

static void write_others(FILE *f)
{
    fprintf(f, ".other = {");
    for (int k = 0; k < LMBI_TIP_FEATURES; ++k) {
        differences *d = &others[k];
        double mean = 0;
        for (uint32_t n = 0; n < d->count; ++n)
            mean += (double)d->list[n] / d->count;
        for (uint32_t n = 0; n < d->count; ++n)
            d->list[n] -= (float)mean;
        fprintf(f, "%s{%.3ff, %.3ff}", k ? ", " : "", mean, (double)spread_of(d));
    }
    fprintf(f, "},\n");
}

static void write_standards(const char *path, const spread_tallies *t, uint32_t bodies)
{
    double at_none, per_fit, none, per_score;
    const double all = t->seen[0] + t->seen[1] + t->seen[2] + 1.5;
    FILE *f = fopen(path, "w");
    if (!f)
        exit(1);
    fit_odds(&fits, true, &at_none, &per_fit);
    fit_odds(&facings, false, &none, &per_score);
    fprintf(f, "// Generated by bench/template_fit.c from %u made bodies: do not edit.\n", bodies);
    write_list(f, "tip", t->tip, LMBI_TIP_FEATURES);
    write_list(f, "pair", t->pair, LMBI_PAIR_FEATURES);
    write_list(f, "body", t->body, LMBI_BODY_FEATURES);
    write_others(f);
    fprintf(f, ".seen = {%.3ff, %.3ff, %.3ff},\n", log((t->seen[0] + 0.5) / all),
            log((t->seen[1] + 0.5) / all), log((t->seen[2] + 0.5) / all));
    fprintf(f, ".at_none = %.3ff, .per_fit = %.3ff, .per_score = %.3ff,\n", at_none, per_fit,
            per_score);
    fclose(f);
}

int main(int argc, char **argv)
{
    enum { MOST = 200 };
    static spread_tallies tallies;
    static lmb_made_body *body[SPREAD_KINDS][MOST];
    static lmb_body_template *of[SPREAD_KINDS][MOST];
    const uint32_t pairs = argc > 2 ? (uint32_t)atoi(argv[2]) : 16;
    if (argc < 2 || 2 * pairs > MOST)
        return 2;
    for (int kind = 0; kind < SPREAD_KINDS; ++kind)
        for (uint32_t n = 0; n < 2 * pairs; ++n)
            body[kind][n] = make_with_template(kind, SPREAD_FIRST_SEED + n, &of[kind][n]);
    for (int kind = 0; kind < SPREAD_KINDS; ++kind)
        for (uint32_t n = 0; n < 2 * pairs; ++n) {
            const lmb_body_template *t = of[kind][n];
            const int next = (kind + 1) % SPREAD_KINDS;
            if (!t)
                continue;
            if (of[kind][n ^ 1] && n % 2 == 0)
                add_bodies(t, of[kind][n ^ 1], &tallies);
            add_others(body[kind][n], t);
            if (of[kind][n ^ 1])
                add_readings(body[kind][n ^ 1], t, true);
            add_readings(body[next][n], t, false);
        }
    uint32_t right = 0;
    for (uint32_t k = 0; k < facings.count; ++k)
        right += facings.list[k].right;
    printf("%u of %u facings right, %u fits\n", right, facings.count, fits.count);
    write_standards(argv[1], &tallies, 2 * pairs * SPREAD_KINDS);
    for (int kind = 0; kind < SPREAD_KINDS; ++kind)
        for (uint32_t n = 0; n < 2 * pairs; ++n) {
            lmb_body_template_destroy(of[kind][n]);
            lmb_made_body_destroy(body[kind][n]);
        }
    return 0;
}
