// The rows of birds, fish, snakes, spiders and six-limbed bodies, and the chance of a reading as an animal: included by
// embed_fit.c after fit(), judge() and write_plans(). embed_fit DATA --creatures ROWS writes
// src/embed/match/creature_rows.inl. Three minutes of one core.
#ifndef BENCH_CREATURE_FIT_H
#define BENCH_CREATURE_FIT_H

#include "embed/kinds.h"

/// Two cones as wings: up and back from the shoulders, or level and folded less.
static void add_wings(source *s, lmb_random *r)
{
    const int32_t chest = lmb_skeleton_find(s->c->skeleton, "chest");
    const lmb_vec3 f = s->facing, l = lmb_vec3_cross(lmb_vec3_make(0, 1, 0), f);
    const float h = height_of(s), out = lmb_random_range(r, 0.3f, 1.2f),
                up = lmb_random_range(r, 0, 0.7f), back = lmb_random_range(r, -0.5f, 0.3f),
                w = lmb_random_range(r, 0.02f, 0.06f) * h;
    for (int side = 0; side < 2; ++side) {
        const float sg = side ? -1.0f : 1.0f;
        const lmb_vec3 a = lmb_mat4_translation(s->m[chest]);
        const lmb_vec3 b = lmb_vec3_add(a, lmb_vec3_scale(along(l, f, sg * out, up, back), h));
        add_cone(s, a, b, 1.5f * w, 0.6f * w);
        s->marked[LMBI_CHAIN_UPPER][side] = true;
        s->marks[LMBI_CHAIN_UPPER][side] = b;
    }
}

/// Made bodies of a plan, with the names of the joints at the ends of their chains.
static void add_creatures(lmb_made_body_kind kind, lmbi_body_plan plan, const char *family,
                          uint32_t count, const char *const ends[LMBI_CHAINS], float beyond,
                          bool winged)
{
    enum { FIRST = 1000 }; // apart from the seeds that other benches try
    for (uint32_t k = 0; k < count; ++k) {
        lmb_made_body *b = NULL;
        const lmb_made_body_opts o = {
            .kind = kind, .seed = FIRST + k, .triangle_count = 3000, .rigged = true, .whole = true};
        if (lmb_made_body_create(&o, NULL, &b, NULL) != LMB_OK)
            continue;
        source s = {.c = b->character, .plan = plan, .facing = b->facing, .beyond = beyond};
        snprintf(s.name, sizeof s.name, "%s%u", family, (unsigned)(FIRST + k));
        snprintf(s.family, sizeof s.family, "%s", family);
        for (int c = 0; c < LMBI_CHAINS; ++c)
            for (int side = 0; side < 2; ++side) {
                char name[64];
                const bool paired = c != LMBI_CHAIN_HEAD && c != LMBI_CHAIN_TAIL;
                snprintf(name, sizeof name, "%s%s",
                         !paired ? ""
                         : side  ? "right"
                                 : "left",
                         ends[c] ? ends[c] : "");
                s.ends[c][side] = ends[c] && (paired || !side) ? made_joint(b, name) : LMB_NONE;
            }
        // Of three pairs of legs the last is the hind one.
        for (int side = 0; side < 2 && plan == LMBI_PLAN_SPIDER; ++side)
            if (s.ends[LMBI_CHAIN_LEGS][side] < 0) {
                s.ends[LMBI_CHAIN_LEGS][side] = s.ends[LMBI_CHAIN_THIRD][side];
                s.ends[LMBI_CHAIN_THIRD][side] = LMB_NONE;
            }
        if (source_init(&s)) {
            lmb_random r = lmb_random_seed(FIRST + k);
            memcpy(s.m, s.m0, s.c->skeleton->joint_count * sizeof *s.m);
            skin_all(&s);
            if (winged)
                add_wings(&s, &r);
            add_body(&s, "", REST);
            source_free(&s);
        }
        lmb_made_body_destroy(b);
    }
}

/// The features that only some plans compare, without one family: slimness tells a snake, the rest where the head is.
static void fit_own(int without, lmbi_template_set *set)
{
    static const float least[LMBI_OWN_FEATURES] = {0.1f, 0.04f, 0.04f};
    memset(set->own, 0, sizeof set->own);
    for (int f = 0; f < LMBI_OWN_FEATURES; ++f) {
        sums own[LMBI_PLANS] = {{0, 0, 0}}, any = {0, 0, 0};
        for (uint32_t k = 0; k < body_count; ++k) {
            const labelled *b = &bodies[k];
            const double x = (double)b->view.own[f];
            if (b->fam == without && !is_made(b->fam))
                continue;
            if (b->plan < LMBI_PLANS)
                add_sum(&own[b->plan], 1, x);
            if (b->plan != LMBI_PLAN_SNAKE)
                add_sum(&any, 1, x);
            if (f != LMBI_OWN_SLIM)
                add_sum(&any, 1, -x); // a body may face either way
        }
        set->any[f] = spread_of(&any, least[f]);
        for (int p = LMBI_PLAN_QUADRUPED; p < LMBI_PLANS; ++p)
            if (f == LMBI_OWN_SLIM ? p == LMBI_PLAN_SNAKE : p != LMBI_PLAN_SNAKE)
                set->own[p][f] = spread_of(&own[p], least[f]);
    }
}

/// Six limbs are rare, and antlers, ears and tails make them out of four: the price at which fewest bodies are
/// read wrong.
static void fit_six(lmbi_template_set *set)
{
    float over[MAX_BODIES];
    for (uint32_t k = 0; k < body_count; ++k) {
        const labelled *b = &bodies[k];
        float best[2] = {-1e30f, -1e30f};
        for (int six = 0; six < 2; ++six) {
            lmbi_reading r[LMBI_READINGS];
            const uint32_t mask = six ? 1u << LMBI_PLAN_SIX : ~(1u << LMBI_PLAN_SIX);
            if (lmbi_search_readings(&b->voxels->body, b->voxels->tips, b->voxels->tip_count,
                                     &(lmbi_search_opts){.templates = set, .plans = mask}, r))
                best[six] = r[0].score;
        }
        over[k] = best[1] - best[0];
    }
    double least = 1e30;
    for (float price = 0; price < 20; price += 0.25f) {
        double wrong = 0;
        for (uint32_t k = 0; k < body_count; ++k)
            wrong += bodies[k].plan == LMBI_PLAN_SIX ? over[k] < price : over[k] > price;
        if (wrong <= least) {
            least = wrong;
            set->plans[LMBI_PLAN_SIX].prior = -price;
        }
    }
    printf("six limbs cost %.2f: %.0f wrong\n", (double)-set->plans[LMBI_PLAN_SIX].prior, least);
}

/// A reading as an animal: the best one of a kind of one body.
typedef struct animal {
    const labelled *b;
    lmbi_body_plan plan;
    bool wrong, first;
    float clues[LMBI_READING_CLUES];
} animal;
static animal animals[MAX_BODIES * 2 * LMBI_PLANS];
static uint32_t animal_count;

/// Whether a reading leaves out a pair of limbs that can be seen.
static bool lacks_pair(const labelled *b, const lmbi_reading *r)
{
    bool lacks = false;
    for (int c = 0; c < LMBI_CHAINS; ++c)
        lacks = lacks || (b->role[c][0] >= 0 && b->role[c][1] >= 0 && r->tips[c][0] < 0 &&
                          r->tips[c][1] < 0);
    return lacks;
}

/// Whether kind, up or facing are wrong, or limbs are left out. Nothing tells which way is up of a snake.
static bool is_wrong(const labelled *b, const lmbi_reading *r)
{
    if (b->plan >= LMBI_PLANS || lmbi_plan_kind(r->plan) != lmbi_plan_kind(b->plan))
        return true;
    return lacks_pair(b, r) ||
           judge(b, r) & (WRONG_FACING | (b->plan == LMBI_PLAN_SNAKE ? 0 : WRONG_UP));
}

/// Of each body the best reading of every plan, and the best one of the plan that faces elsewhere.
static void list_animals(const lmbi_template_set *set)
{
    lmbi_template_set own_set = *set;
    for (uint32_t k = 0; k < body_count; ++k) {
        const labelled *b = &bodies[k];
        static lmbi_readings r;
        if (k == 0 || b->fam != bodies[k - 1].fam)
            fit_own(b->fam, &own_set);
        r.count = lmbi_search_readings(&b->voxels->body, b->voxels->tips, b->voxels->tip_count,
                                       &(lmbi_search_opts){.templates = &own_set}, r.list);
        const lmbi_reading *best[LMBI_PLANS][2] = {{NULL}};
        for (uint32_t q = 0; q < r.count; ++q) {
            const lmbi_reading *own = &r.list[q], **seen = best[own->plan];
            const bool elsewhere = seen[0] && lmb_vec3_dot(own->forward, seen[0]->forward) < 0.7f;
            if (own->plan == LMBI_PLAN_HUMAN || (seen[0] && !elsewhere) || (elsewhere && seen[1]))
                continue;
            seen[elsewhere] = own;
            animal *a = &animals[animal_count++];
            *a = (animal){.b = b, .plan = own->plan, .wrong = is_wrong(b, own), .first = q == 0};
            lmbi_reading_clues(&r, own, a->clues);
        }
    }
}

/// The usual length of spare branches of each plan, and of a plan that a user gives, to which clues are relative from here
/// on; families count by the root of their sizes.
static void fit_spare(lmbi_template_set *set)
{
    double in_family[FAMILIES] = {0};
    sums plans[LMBI_PLANS + 1] = {{0, 0, 0}};
    for (uint32_t k = 0; k < animal_count; ++k)
        in_family[animals[k].b->fam] += !animals[k].wrong;
    for (uint32_t k = 0; k < animal_count; ++k) {
        animal *a = &animals[k];
        a->clues[LMBI_READING_SPARE] += lmbi_fitted_templates.usual_spare[a->plan];
        for (int own = 0; own < 2 && !a->wrong; ++own)
            add_sum(&plans[own ? (int)a->plan : LMBI_PLANS], 1 / sqrt(in_family[a->b->fam]),
                    (double)a->clues[LMBI_READING_SPARE]);
    }
    for (int p = 0; p <= LMBI_PLANS; ++p)
        set->usual_spare[p] = (float)(plans[p].w > 0 ? plans[p].x / plans[p].w : 0);
    for (uint32_t k = 0; k < animal_count; ++k)
        animals[k].clues[LMBI_READING_SPARE] -= set->usual_spare[animals[k].plan];
}

/// Logistic regression by gradient, with a small pull to 0; families count by the root of their sizes.
static void fit_chance(int without, float w[LMBI_READING_CLUES + 1])
{
    double in_family[FAMILIES] = {0};
    for (uint32_t k = 0; k < animal_count; ++k)
        in_family[animals[k].b->fam] += 1;
    memset(w, 0, (LMBI_READING_CLUES + 1) * sizeof *w);
    for (int step = 0; step < 20000; ++step) {
        double grad[LMBI_READING_CLUES + 1] = {0}, all = 0;
        for (uint32_t k = 0; k < animal_count; ++k) {
            const animal *a = &animals[k];
            if (a->b->fam == without)
                continue;
            double logit = (double)w[LMBI_READING_CLUES];
            for (int c = 0; c < LMBI_READING_CLUES; ++c)
                logit += (double)(w[c] * a->clues[c]);
            const double weight = 1 / sqrt(in_family[a->b->fam]),
                         d = (a->wrong == 0) - 1 / (1 + exp(-logit));
            all += weight;
            grad[LMBI_READING_CLUES] += weight * d;
            for (int c = 0; c < LMBI_READING_CLUES; ++c)
                grad[c] += weight * d * (double)a->clues[c];
        }
        for (int c = 0; c <= LMBI_READING_CLUES; ++c)
            w[c] += 0.01f * ((float)(grad[c] / all) - 0.001f * w[c]);
        for (int c = 0; c < LMBI_READING_CLUES; ++c)
            w[c] = fmaxf(w[c], 0); // no clue speaks against its reading
    }
}

/// The chances of bodies whose family was left out.
static void report_chances(void)
{
    double right = 0, first = 0, pairs = 0, ordered = 0, sure_wrong = 0;
    static float chance[MAX_BODIES * 2 * LMBI_PLANS];
    for (int fam = 0; fam < family_count; ++fam) {
        float w[LMBI_READING_CLUES + 1];
        fit_chance(fam, w);
        for (uint32_t k = 0; k < animal_count; ++k) {
            float logit = w[LMBI_READING_CLUES];
            if (animals[k].b->fam != fam)
                continue;
            for (int c = 0; c < LMBI_READING_CLUES; ++c)
                logit += w[c] * animals[k].clues[c];
            chance[k] = 1 / (1 + expf(-logit));
            if (animals[k].first && (animals[k].wrong || chance[k] < 0.6f))
                printf("  %s: read as plan %d, wrong %d, chance %.2f\n", animals[k].b->name,
                       animals[k].plan, animals[k].wrong, (double)chance[k]);
        }
    }
    for (uint32_t k = 0; k < animal_count; ++k) {
        first += animals[k].first;
        right += animals[k].first && !animals[k].wrong;
        sure_wrong += animals[k].first && animals[k].wrong && chance[k] > 0.5f;
        for (uint32_t q = 0; q < animal_count; ++q)
            if (animals[k].wrong && !animals[q].wrong) {
                pairs += 1;
                ordered += chance[k] < chance[q] ? 1 : chance[k] > chance[q] ? 0 : 0.5;
            }
    }
    printf("families left out: %.0f of %.0f animals right, %.0f wrong and sure, AUC of all "
           "readings %.3f\n",
           right, first, sure_wrong, ordered / pairs);
}

static void add_made_creatures(uint32_t n)
{
    add_creatures(
        LMB_MADE_FISH, LMBI_PLAN_FISH, "made fish", 2 * n,
        (const char *[LMBI_CHAINS]){
            [LMBI_CHAIN_HEAD] = "head", [LMBI_CHAIN_TAIL] = "tailFin", [LMBI_CHAIN_FORE] = "Fin"},
        1, false);
    add_creatures(LMB_MADE_BIRD, LMBI_PLAN_BIRD, "made bird", n,
                  (const char *[LMBI_CHAINS]){[LMBI_CHAIN_HEAD] = "head",
                                              [LMBI_CHAIN_TAIL] = "tail",
                                              [LMBI_CHAIN_FORE] = "Hand",
                                              [LMBI_CHAIN_LEGS] = "Toes"},
                  1, false);
    add_creatures(
        LMB_MADE_SNAKE, LMBI_PLAN_SNAKE, "made snake", n,
        (const char *[LMBI_CHAINS]){[LMBI_CHAIN_HEAD] = "head", [LMBI_CHAIN_TAIL] = "spine12"},
        0.5f, false);
    add_creatures(LMB_MADE_SPIDER, LMBI_PLAN_SPIDER, "made spider", n,
                  (const char *[LMBI_CHAINS]){[LMBI_CHAIN_FORE] = "Leg1Lower",
                                              [LMBI_CHAIN_MIDDLE] = "Leg2Lower",
                                              [LMBI_CHAIN_THIRD] = "Leg3Lower",
                                              [LMBI_CHAIN_LEGS] = "Leg4Lower",
                                              [LMBI_CHAIN_TAIL] = "abdomen"},
                  0.8f, false);
    add_creatures(LMB_MADE_QUADRUPED, LMBI_PLAN_SIX, "made dragon", n,
                  (const char *[LMBI_CHAINS]){[LMBI_CHAIN_FORE] = "FrontFoot",
                                              [LMBI_CHAIN_LEGS] = "BackFoot",
                                              [LMBI_CHAIN_HEAD] = "head",
                                              [LMBI_CHAIN_TAIL] = "tail3"},
                  0, true);
}

/// Fits the rows of creatures. The other rows and the weights stay as they are.
static int fit_creatures(const char *data, const char *path)
{
    const uint32_t n = 24;
    add_made_creatures(n);
    lmbi_template_set set = lmbi_fitted_templates;
    lmbi_template_set made = fit(-1);
    for (int p = 0; p < LMBI_PLANS; ++p)
        if (is_creature_plan(p))
            set.plans[p] = made.plans[p];
    set.weights[LMBI_TERM_OWN] = set.weights[LMBI_TERM_PRIOR] = 1;
    add_made(LMB_MADE_HUMANOID, LMBI_PLAN_HUMAN, "made human", n, 1000, LMB_MADE_POSE_ANY);
    add_made(LMB_MADE_QUADRUPED, LMBI_PLAN_QUADRUPED, "made quadruped", n, 1000, LMB_MADE_POSE_ANY);
    add_made(LMB_MADE_HAND, LMBI_PLANS, "made hand", n, 1000, LMB_MADE_POSE_ANY);
    add_files(data, 1);
    fit_own(-1, &set);
    fit_six(&set);
    list_animals(&set);
    fit_spare(&set);
    report_chances();
    fit_chance(-1, set.chance);
    FILE *f = fopen(path, "w");
    write_plans(f, &set, true);
    for (int p = 0; p < LMBI_PLANS; ++p) {
        fprintf(f, ".own[%d] = ", p);
        write_spread(f, set.own[p], LMBI_OWN_FEATURES);
        fprintf(f, ",\n");
    }
    fprintf(f, ".any = ");
    write_spread(f, set.any, LMBI_OWN_FEATURES);
    fprintf(f, ",\n.weights[LMBI_TERM_OWN] = 1,\n.weights[LMBI_TERM_PRIOR] = 1,\n");
    fprintf(f, ".usual_spare = {");
    for (int p = 0; p <= LMBI_PLANS; ++p)
        fprintf(f, "%s%.3ff", p ? ", " : "", (double)set.usual_spare[p]);
    fprintf(f, "},\n.chance = {");
    for (int c = 0; c <= LMBI_READING_CLUES; ++c)
        fprintf(f, "%s%.3ff", c ? ", " : "", (double)set.chance[c]);
    fprintf(f, "},\n");
    fclose(f);
    return 0;
}

#endif
