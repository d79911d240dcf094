// Fits the templates of src/embed/match: embed_fit DATA [ROWS]
// Labelled bodies are made ones and the characters of DATA that may ship (../tools/artist-rigs.txt, without those that are
// for tests only); humans also in nine poses, with the proportions of chibis to giants, and with ears, tails, swords, hats
// and backpacks. Means and spreads come from the true view and tips of each body, weights of the terms from a softmax over
// the readings of the search. Families count by the root of their sizes. ROWS is written as
// src/embed/match/template_rows.inl. Without ROWS it prints what is read wrong, by families that were left out. About five
// minutes of one core.
// embed_fit DATA --volumes VOLUMES [FIRST [COUNT [VARIANTS]]] writes bodies as volumes for tools/fit-volume.py, and with
// --hands hands for tools/fit-hand.py, with --no-hands what is taken for one in whole bodies;
// --creatures and --joints what creature_fit.h and creature_joints.h say.
#include "labelled_bodies.h"

#include <time.h>

// ------------------------------------------------------------------------------------ fitting

typedef struct sums {
    double w, x, xx;
} sums;
static void add_sum(sums *s, double w, double x)
{
    s->w += w;
    s->x += w * x;
    s->xx += w * x * x;
}
static lmbi_spread spread_of(const sums *s, float least)
{
    if (!(s->w > 0))
        return (lmbi_spread){0, 1};
    const double mean = s->x / s->w, var = s->xx / s->w - mean * mean;
    const double dev = sqrt(var > 0 ? var : 0);
    return (lmbi_spread){(float)mean, (float)fmax(0.8 * dev, (double)least)};
}

/// Limbs of a pair that miss each other's mirror images by more, in gyration radii, are in different poses.
static const float OTHER_POSE = 0.4f;

/// What the labelled bodies say of all templates.
typedef struct tallies {
    sums tip[LMBI_PLANS][LMBI_CHAINS][LMBI_TIP_FEATURES],
        pair[LMBI_PLANS][LMBI_CHAINS][LMBI_PAIR_FEATURES],
        uneven[LMBI_PLANS][LMBI_CHAINS][LMBI_PAIR_FEATURES], whole[LMBI_PLANS][LMBI_BODY_FEATURES],
        other[LMBI_TIP_FEATURES];
    double seen[LMBI_PLANS][LMBI_CHAINS][3]; ///< no tip, one of a pair, all
} tallies;

static const float LEAST_TIP[LMBI_TIP_FEATURES] = {0.03f, 0.05f, 0.15f, 0.1f,
                                                   0.12f, 0.12f, 0.15f, 0.15f};
static const float LEAST_BODY[LMBI_BODY_FEATURES] = {0.06f, 0.12f, 0.12f, 0.05f, 0.15f,
                                                     0.25f, 0.25f, 0.15f, 0.1f};

static void add_chain(const labelled *b, int c, double w, tallies *t, bool used[LMBI_VIEW_TIPS])
{
    int n = 0;
    for (int q = 0; q < 2; ++q) {
        const int32_t tip = b->role[c][q];
        if (tip < 0)
            continue;
        ++n;
        used[tip] = true;
        for (int f = 0; f < LMBI_TIP_FEATURES; ++f)
            add_sum(&t->tip[b->plan][c][f], w, (double)b->view.tips[tip][f]);
    }
    if (n == 2) {
        float p[LMBI_PAIR_FEATURES];
        lmbi_body_view_pair(&b->view, (uint32_t)b->role[c][0], (uint32_t)b->role[c][1], p);
        sums *to = p[LMBI_PAIR_MIRROR] > OTHER_POSE ? t->uneven[b->plan][c] : t->pair[b->plan][c];
        for (int f = 0; f < LMBI_PAIR_FEATURES; ++f)
            add_sum(&to[f], w, (double)p[f]);
    }
    if (b->known[c][0] || b->known[c][1])
        t->seen[b->plan][c][b->known[c][1] ? n : (n ? 2 : 0)] += w;
    else
        t->seen[b->plan][c][0] += w;
}

static void add_labelled(const labelled *b, double w, tallies *t)
{
    bool used[LMBI_VIEW_TIPS] = {false};
    for (int f = 0; f < LMBI_BODY_FEATURES; ++f)
        add_sum(&t->whole[b->plan][f], w, (double)b->view.body[f]);
    for (int c = 0; c < LMBI_CHAINS; ++c)
        add_chain(b, c, w, t, used);
    for (uint32_t k = 0; k < b->view.tip_count; ++k) {
        for (int f = 0; f < LMBI_TIP_FEATURES && !used[k]; ++f)
            add_sum(&t->other[f], w, (double)b->view.tips[k][f]);
    }
}

static void write_chain(const tallies *t, int p, int c, lmbi_chain_row *row)
{
    const double *n = t->seen[p][c];
    row->exists = n[1] + n[2] > 0;
    row->paired = c != LMBI_CHAIN_HEAD && c != LMBI_CHAIN_TAIL;
    const double all = n[0] + n[1] + n[2] + 1.5;
    row->none = (float)log((n[0] + 0.5) / all);
    row->one = (float)log((n[1] + 0.5) / all);
    row->all = (float)log((n[2] + 0.5) / all);
    for (int f = 0; f < LMBI_TIP_FEATURES; ++f)
        row->tip[f] = spread_of(&t->tip[p][c][f], LEAST_TIP[f]);
    for (int f = 0; f < LMBI_PAIR_FEATURES; ++f)
        row->pair[f] = spread_of(&t->pair[p][c][f], 0.1f);
    const double even = t->pair[p][c][0].w, other_pose = t->uneven[p][c][0].w;
    for (int f = 0; f < LMBI_PAIR_FEATURES && other_pose > 1; ++f)
        row->uneven[f] = spread_of(&t->uneven[p][c][f], 0.2f);
    row->rarer = other_pose > 1 ? (float)log(other_pose / fmax(even, 1)) : 0;
}

static lmbi_template_set fit(int without)
{
    static tallies t;
    memset(&t, 0, sizeof t);
    double in_family[FAMILIES] = {0};
    for (uint32_t k = 0; k < body_count; ++k)
        in_family[bodies[k].fam] += 1;
    for (uint32_t k = 0; k < body_count; ++k)
        if (bodies[k].fam != without && bodies[k].plan < LMBI_PLANS)
            add_labelled(&bodies[k], 1 / sqrt(in_family[bodies[k].fam]), &t);
    lmbi_template_set set = {0};
    for (int p = 0; p < LMBI_PLANS; ++p) {
        for (int f = 0; f < LMBI_BODY_FEATURES; ++f)
            set.plans[p].body[f] = spread_of(&t.whole[p][f], LEAST_BODY[f]);
        for (int c = 0; c < LMBI_CHAINS; ++c)
            write_chain(&t, p, c, &set.plans[p].chains[c]);
    }
    for (int f = 0; f < LMBI_TIP_FEATURES; ++f)
        set.other[f] = spread_of(&t.other[f], LEAST_TIP[f]);
    for (int k = 0; k < LMBI_TERMS; ++k)
        set.weights[k] = 0.5f;
    set.weights[LMBI_TERM_UP] = 1;
    set.weights[LMBI_TERM_OWN] = set.weights[LMBI_TERM_PRIOR] = 1;
    return set;
}

// ------------------------------------------------------------------------------------ judging

/// Whether a reading agrees with the labels: 0, or bits of what is wrong.
enum { WRONG_PLAN = 1, WRONG_UP = 2, WRONG_FACING = 4, WRONG_LEGS = 8, WRONG_FORE = 16 };
static int judge(const labelled *b, const lmbi_reading *r)
{
    int wrong = 0;
    if (r->plan != b->plan)
        wrong |= WRONG_PLAN;
    if (lmb_vec3_dot(r->up, b->up) < 0.9f)
        wrong |= WRONG_UP;
    if (lmb_vec3_dot(r->forward, b->forward) < 0.7f)
        wrong |= WRONG_FACING;
    for (int c = 0; c < 2; ++c)
        for (int k = 0; k < 2; ++k) {
            const int32_t want = b->role[c][k], got = r->tips[c][k];
            if (want < 0 || want == got)
                continue;
            // another tip of the same hand or foot counts as right
            if (got >= 0 &&
                lmb_vec3_distance(b->voxels->tips[want].position, b->voxels->tips[got].position) <
                    0.45f * b->view.radius)
                continue;
            wrong |= c == LMBI_CHAIN_LEGS ? WRONG_LEGS : WRONG_FORE;
        }
    return wrong;
}

/// Readings of every body, from templates that were fitted without its family.
typedef struct lesson {
    float terms[LMBI_READINGS][LMBI_TERMS];
    bool right[LMBI_READINGS];
    uint32_t count;
    int fam;
} lesson;
static lesson lessons[MAX_BODIES];
static uint32_t lesson_count;

static bool is_made(int fam)
{
    return !strncmp(families[fam], "made", 4);
}

static void make_lessons(const float weights[LMBI_TERMS])
{
    lesson_count = 0;
    for (int fam = 0; fam < family_count; ++fam) {
        lmbi_template_set set = fit(is_made(fam) ? -1 : fam);
        memcpy(set.weights, weights, sizeof set.weights);
        for (uint32_t k = 0; k < body_count; ++k) {
            const labelled *b = &bodies[k];
            if (b->fam != fam)
                continue;
            lmbi_reading r[LMBI_READINGS];
            const uint32_t count =
                lmbi_search_readings(&b->voxels->body, b->voxels->tips, b->voxels->tip_count,
                                     &(lmbi_search_opts){.templates = &set}, r);
            lesson *l = &lessons[lesson_count];
            *l = (lesson){.count = count, .fam = fam};
            bool any = false;
            for (uint32_t q = 0; q < count; ++q) {
                memcpy(l->terms[q], r[q].terms, sizeof l->terms[q]);
                l->right[q] = judge(b, &r[q]) == 0;
                any = any || l->right[q];
            }
            lesson_count += any;
        }
    }
}

/// Raises the likelihood of the right readings among all (a softmax over the list) by its gradient,
/// held near 0.5. Families count by the root of their sizes.
static void fit_weights(int without, float w[LMBI_TERMS])
{
    double in_family[FAMILIES] = {0};
    for (uint32_t k = 0; k < lesson_count; ++k)
        in_family[lessons[k].fam] += 1;
    for (int t = 0; t < LMBI_TERMS; ++t)
        w[t] = t == LMBI_TERM_UP ? 1.0f : 0.5f;
    for (int step = 0; step < 400; ++step) {
        double grad[LMBI_TERMS] = {0}, all = 0;
        for (uint32_t k = 0; k < lesson_count; ++k) {
            const lesson *l = &lessons[k];
            if (l->fam == without)
                continue;
            double s[LMBI_READINGS], most = -1e30, sum = 0, good = 0;
            for (uint32_t q = 0; q < l->count; ++q) {
                s[q] = 0;
                for (int t = 0; t < LMBI_TERMS; ++t)
                    s[q] += (double)(w[t] * l->terms[q][t]);
                most = fmax(most, s[q]);
            }
            for (uint32_t q = 0; q < l->count; ++q) {
                s[q] = exp(s[q] - most);
                sum += s[q];
                good += l->right[q] ? s[q] : 0;
            }
            const double weight = 1 / sqrt(in_family[l->fam]);
            all += weight;
            for (uint32_t q = 0; q < l->count; ++q) {
                const double d = (l->right[q] ? s[q] / good : 0) - s[q] / sum;
                for (int t = 0; t < LMBI_TERMS; ++t)
                    grad[t] += weight * d * (double)l->terms[q][t];
            }
        }
        for (int t = 0; t < LMBI_TERMS; ++t) {
            const float home = t == LMBI_TERM_UP ? 1.0f : 0.5f;
            w[t] += 0.02f * ((float)(grad[t] / all) - 0.5f * (w[t] - home));
            w[t] = fmaxf(w[t], 0.1f);
        }
    }
}

static void evaluate(bool loud)
{
    uint32_t n[FAMILIES][2] = {{0}}, good[FAMILIES][2] = {{0}}, among[FAMILIES][2] = {{0}};
    lmbi_template_set set = fit(-1);
    clock_t t0 = clock();
    for (int f = 0; f < family_count; ++f) {
        const bool made = !strncmp(families[f], "made", 4);
        set = fit(made ? -1 : f);
        fit_weights(made ? -1 : f, set.weights);
        for (uint32_t k = 0; k < body_count; ++k) {
            const labelled *b = &bodies[k];
            if (b->fam != f)
                continue;
            lmbi_reading r[LMBI_READINGS];
            const lmbi_search_opts o = {.templates = &set};
            const uint32_t count = lmbi_search_readings(&b->voxels->body, b->voxels->tips,
                                                        b->voxels->tip_count, &o, r);
            const int posed = b->pose != REST;
            ++n[f][posed];
            const int wrong = count ? judge(b, &r[0]) : 255;
            bool any = false;
            uint32_t rank = 0;
            for (uint32_t q = 0; q < count && !any; ++q) {
                any = judge(b, &r[q]) == 0;
                rank = q;
            }
            good[f][posed] += wrong == 0;
            among[f][posed] += any;
            if (wrong && loud) {
                printf("  %-40s %s%s%s%s%s plan %d up %.1f %.1f score %.1f", b->name,
                       wrong & 1 ? "PLAN " : "", wrong & 2 ? "UP " : "", wrong & 4 ? "FACING " : "",
                       wrong & 8 ? "LEGS " : "", wrong & 16 ? "FORE " : "", r[0].plan,
                       (double)r[0].up.y, (double)r[0].up.z, (double)r[0].score);
                if (any) {
                    printf(" right is %u, behind by", rank);
                    for (int t = 0; t < LMBI_TERMS; ++t) {
                        const float d = set.weights[t] * (r[0].terms[t] - r[rank].terms[t]);
                        if (fabsf(d) > 0.5f)
                            printf(" %d:%.1f", t, (double)d);
                    }
                }
                printf("\n");
            }
        }
    }
    for (int f = 0; f < family_count; ++f)
        printf("%-24s rest %u/%u (among %u)  posed %u/%u (among %u)\n", families[f], good[f][0],
               n[f][0], among[f][0], good[f][1], n[f][1], among[f][1]);
    printf("%.1f ms a search\n", 1e3 * (double)(clock() - t0) / CLOCKS_PER_SEC / body_count);
}

static void write_spread(FILE *f, const lmbi_spread *s, int count)
{
    fprintf(f, "{");
    for (int k = 0; k < count; ++k)
        fprintf(f, "%s{%.3ff, %.3ff}", k ? ", " : "", (double)s[k].mean, (double)s[k].spread);
    fprintf(f, "}");
}
/// Plans whose rows are fitted from made bodies alone, by creature_fit.h.
static bool is_creature_plan(int p)
{
    return p == LMBI_PLAN_BIRD || p >= LMBI_PLAN_FISH;
}
/// The rows of creatures, or of the others, as initialisers with their indices.
static void write_plans(FILE *f, const lmbi_template_set *set, bool creatures)
{
    fprintf(f, "// Generated by bench/embed_fit.c from %u labelled bodies: do not edit.\n",
            body_count);
    for (int p = 0; p < LMBI_PLANS; ++p) {
        if (is_creature_plan(p) != creatures)
            continue;
        fprintf(f, ".plans[%d] = {.chains = {", p);
        for (int c = 0; c < LMBI_CHAINS; ++c) {
            const lmbi_chain_row *r = &set->plans[p].chains[c];
            fprintf(f, "{%s, %s, %.3ff, %.3ff, %.3ff,\n     ", r->exists ? "true" : "false",
                    r->paired ? "true" : "false", (double)r->none, (double)r->one, (double)r->all);
            write_spread(f, r->tip, LMBI_TIP_FEATURES);
            fprintf(f, ", ");
            write_spread(f, r->pair, LMBI_PAIR_FEATURES);
            fprintf(f, ", ");
            write_spread(f, r->uneven, LMBI_PAIR_FEATURES);
            fprintf(f, ", %.3ff},\n    ", (double)r->rarer);
        }
        fprintf(f, "},\n    .body = ");
        write_spread(f, set->plans[p].body, LMBI_BODY_FEATURES);
        if (set->plans[p].prior < 0)
            fprintf(f, ", .prior = %.3ff", (double)set->plans[p].prior);
        fprintf(f, "},\n");
    }
}
static void write_set(const char *path, const lmbi_template_set *set)
{
    FILE *f = fopen(path, "w");
    write_plans(f, set, false);
    fprintf(f, ".other = ");
    write_spread(f, set->other, LMBI_TIP_FEATURES);
    fprintf(f, ",\n.weights = {");
    for (int t = 0; t < LMBI_TERM_OWN; ++t)
        fprintf(f, "%s%.3ff", t ? ", " : "", (double)set->weights[t]);
    fprintf(f, "}\n");
    fclose(f);
}

#include "creature_fit.h"
#include "creature_joints.h"
#include "hand_rows.h"
#include "volume_rows.h"

#include "animal_rows.h"

/// Volumes of made bodies and characters, or of their hands: DATA --volumes ROWS [FIRST [COUNT [VARIANTS]]].
static int write_volumes(int argc, char **argv)
{
    const uint32_t first = argc > 4 ? (uint32_t)atoi(argv[4]) : 0,
                   count = argc > 5 ? (uint32_t)atoi(argv[5]) : 100,
                   variants = argc > 6 ? (uint32_t)atoi(argv[6]) : 0;
    const bool hands = !strcmp(argv[2], "--hands");
    bodies_as_hands = !strcmp(argv[2], "--no-hands");
    volume_rows = fopen(argv[3], "wb");
    on_body = hands || bodies_as_hands ? write_hands : write_volume;
    meshes_alone = true;
    scattered = 0.25f;
    mixed_share = 0.3f;
    add_made(LMB_MADE_HUMANOID, LMBI_PLAN_HUMAN, "made human", count, first, LMB_MADE_POSE_ANY);
    if (hands)
        write_made_hands(count, first);
    else
        write_other_volumes(count / 10, first);
    file_seed = first;
    if (variants > 0)
        add_files(argv[1], variants);
    fclose(volume_rows);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[2], "--creatures"))
        return fit_creatures(argv[1], argv[3]);
    if (argc > 3 && !strcmp(argv[2], "--joints"))
        return fit_joints(argv[1], argv[3], argc > 4 ? (uint32_t)atoi(argv[4]) : 60);
    if (argc == 4 && !strcmp(argv[2], "--animals"))
        return write_artist_animals(argv[1], argv[3]);
    if (argc > 5 && !strcmp(argv[2], "--animals"))
        return write_made_animals(argv[3], (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]));
    const char *root = argc > 1 ? argv[1] : "../shared/data";
    const uint32_t n = getenv("FEW") ? 2 : 20;
    if (argc > 3 && (!strcmp(argv[2], "--volumes") || strstr(argv[2], "hands")))
        return write_volumes(argc, argv);
    scattered = 0.15f;
    mixed_share = 0.15f;
    add_made(LMB_MADE_HUMANOID, LMBI_PLAN_HUMAN, "made human", n, 0, LMB_MADE_POSE_ANY);
    add_made(LMB_MADE_QUADRUPED, LMBI_PLAN_QUADRUPED, "made quadruped", n, 0, LMB_MADE_POSE_ANY);
    add_made(LMB_MADE_BIRD, LMBI_PLAN_BIRD, "made bird", n, 0, LMB_MADE_POSE_ANY);
    fprintf(stderr, "%u made\n", body_count);
    if (!getenv("FEW"))
        add_files(root, 8);
    fprintf(stderr, "%u bodies\n", body_count);
    float weights[LMBI_TERMS];
    for (int t = 0; t < LMBI_TERMS; ++t)
        weights[t] = t == LMBI_TERM_UP ? 1.0f : 0.5f;
    make_lessons(weights);
    fprintf(stderr, "%u lessons\n", lesson_count);
    if (argc <= 2 || getenv("LOUD"))
        evaluate(argc <= 2);
    lmbi_template_set all = fit(-1);
    fit_weights(-1, all.weights);
    for (int t = 0; t < LMBI_TERMS; ++t)
        printf("weight %d %.3f\n", t, (double)all.weights[t]);
    if (argc > 2)
        write_set(argv[2], &all);
    return 0;
}
