// How near a body model that is learned from scans comes to people who were left out: made populations
// (tests/learn/made_population.h) of several seeds and kinds of correctives, 10 persons of 6 scans to learn
// from, 2 left out. population_bench [ROUNDS [FIRST_SEED [SEEDS [KIND]]]]; in fractions of the height, and processor
// seconds of one thread.
#include <stdio.h>
#include <time.h>

#include "learn/made_population.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

enum { PEOPLE = 12, POSES = 6, SCANS = PEOPLE * POSES };

typedef struct kind {
    const char *name;
    mp_reach reach;
    lmb_pose_features features;
} kind;

static lmb_learn_body_report learn(made_population *m, lmb_vec3 (*scans)[MP_VERTICES],
                                   lmb_pose_features features, uint32_t rounds)
{
    const lmb_vec3 *rows[SCANS];
    uint32_t person_of[SCANS];
    for (uint32_t k = 0; k < SCANS; ++k) {
        rows[k] = scans[k];
        person_of[k] = k / POSES;
    }
    const lmb_learn_body_def def = {.vertex_count = MP_VERTICES,
                                    .index_count = m->truth.index_count,
                                    .joint_count = MP_JOINTS,
                                    .scan_count = SCANS,
                                    .rest = m->truth.positions,
                                    .indices = m->truth.indices,
                                    .joints = m->joints,
                                    .parents = m->parents,
                                    .names = m->names,
                                    .influences = m->truth.influences,
                                    .scans = rows,
                                    .person_of = person_of};
    const lmb_learn_body_opts opts = {
        .shape_count = MP_SHAPES, .features = features, .hold_out = 6, .iterations = rounds};
    lmb_learn_body_report report;
    lmb_body_model *model = NULL;
    if (lmb_learn_body(&def, &opts, NULL, &model, &report, NULL) != LMB_OK) {
        abort();
    }
    lmb_body_model_destroy(model);
    return report;
}

static void run(const kind *k, uint64_t seed, uint32_t rounds)
{
    static lmb_vec3 scans[SCANS][MP_VERTICES];
    static bool follows;
    made_population *m = made_population_draw(seed, k->reach);
    for (uint32_t f = 0; f < SCANS; ++f) {
        made_population_scan(m, (uint32_t)(100 * (seed - 21)) + f / POSES, f % POSES, scans[f]);
    }
    const clock_t begin = clock();
    const lmb_learn_body_report r = learn(m, scans, k->features, rounds);
    printf("%s\n    {\"correctives\": \"%s\", \"seed\": %d, \"rounds\": %u, \"learned\": %.3g, "
           "\"held_out\": %.3g, \"held_out_worst\": %.3g, \"seconds\": %.1f}",
           follows ? "," : "", k->name, (int)seed, r.iterations, (double)(r.rms_m / r.height_m),
           (double)(r.held_out_rms_m / r.height_m), (double)(r.held_out_max_m / r.height_m),
           (double)(clock() - begin) / CLOCKS_PER_SEC);
    fflush(stdout);
    follows = true;
    free(m);
}

int main(int argc, char **argv)
{
    static const kind kinds[] = {{"none", MP_NONE, LMB_FEATURES_NONE},
                                 {"of the row's joints", MP_ROW, LMB_FEATURES_MATRIX},
                                 {"of the joints beside, too", MP_NEAR, LMB_FEATURES_MATRIX}};
    const uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
    const int first = argc > 2 ? atoi(argv[2]) : 21, count = argc > 3 ? atoi(argv[3]) : 4,
              only = argc > 4 ? atoi(argv[4]) : -1;
    printf("{\n  \"bench\": \"population\", \"build\": \"%s\",\n  \"results\": [", LMBI_BUILD);
    for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); ++k) {
        for (int seed = first; (only < 0 || only == k) && seed < first + count; ++seed) {
            run(&kinds[k], (uint64_t)seed, rounds);
        }
    }
    printf("\n  ]\n}\n");
    return 0;
}
