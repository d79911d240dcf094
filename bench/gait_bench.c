// Gaits on made bodies: five humans of 1.75 m, three quadrupeds, bodies of six and of eight legs, each
// gait at ten speeds on slopes from -15 to 15 degrees and in a turn; how far planted feet slide, how
// deep the skin goes into the ground, how far the speed is off. A row a gait and ground, the worst of
// all bodies and speeds. JSON on stdout.
//     gait_bench [--quick]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "limber/limber.h"
#include "procedural/procedural.h"

enum { STEPS = 48, MOST_SPEEDS = 10 };

typedef struct kind {
    const char *name;
    lmb_made_body_kind kind;
    uint64_t first_seed;
    uint32_t count, step;
} kind;

static const kind kinds[] = {{"human", LMB_MADE_HUMANOID, 1, 5, 1},
                             {"quadruped", LMB_MADE_QUADRUPED, 1, 3, 1},
                             {"six legs", LMB_MADE_SPIDER, 1, 2, 2},
                             {"eight legs", LMB_MADE_SPIDER, 0, 2, 2}};

typedef struct row {
    float slide_m_s, depth_m, speed_share;
    uint32_t cycles, refused;
} row;

static lmb_made_body *make_body(const kind *k, uint64_t seed)
{
    lmb_made_body_opts opts = {.kind = k->kind,
                               .seed = seed,
                               .triangle_count = 4000,
                               .whole = true,
                               .rigged = true,
                               .pose = k->kind == LMB_MADE_HUMANOID ? LMB_MADE_POSE_ANY
                                                                    : LMB_MADE_POSE_T};
    lmb_made_body *body = NULL;
    if (lmb_made_body_create(&opts, NULL, &body, NULL) != LMB_OK) {
        return NULL;
    }
    if (k->kind == LMB_MADE_HUMANOID) {
        opts.scale = 1.75f / body->height;
        lmb_made_body_destroy(body);
        body = NULL;
        lmb_made_body_create(&opts, NULL, &body, NULL);
    }
    return body;
}

/// The mean speed over a cycle: hips go an arc, of which their ends give the chord.
static float mean_speed(lmb_gait *gait, const lmb_skeleton *skeleton, uint32_t hips, float turn)
{
    const lmb_gait_info info = lmb_gait_describe(gait);
    lmb_transform *local = calloc(skeleton->joint_count, sizeof *local);
    lmb_mat4 *model = calloc(skeleton->joint_count, sizeof *model);
    lmb_vec3 ends[2] = {{0}};
    for (int k = 0; k < 2 && local && model; ++k) {
        lmb_gait_pose(gait, k * (double)info.period_s, local);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = local, .model_from_joint = model});
        ends[k] = lmb_mat4_translation(model[hips]);
    }
    free(local);
    free(model);
    const float half = 0.5f * turn * info.period_s, bow = half > 1e-3f ? half / sinf(half) : 1.0f;
    return bow * lmb_vec3_distance(ends[0], ends[1]) / info.period_s;
}

static void walk(const lmb_character *character, const lmb_gait_body *body,
                 const lmb_gait_opts *opts, row *out)
{
    lmb_gait *gait = NULL;
    lmb_gait_moment moments[STEPS];
    if (lmb_gait_create(character->skeleton, body, opts, NULL, &gait, NULL) != LMB_OK) {
        ++out->refused;
        return;
    }
    const lmb_gait_info info = lmb_gait_describe(gait);
    if (lmb_gait_measure(gait, character, (double)info.period_s / STEPS, STEPS, NULL, moments,
                         NULL) == LMB_OK) {
        for (int k = 0; k < STEPS; ++k) {
            out->slide_m_s = fmaxf(out->slide_m_s, moments[k].slide_m_s);
            out->depth_m = fmaxf(out->depth_m, moments[k].depth_m);
        }
    }
    const float speed = mean_speed(gait, character->skeleton, body->hips, opts->turn_rad_s);
    // In a turn the hips of an animal go a smaller circle than its middle.
    if (!(opts->turn_rad_s > 0)) {
        out->speed_share = fmaxf(out->speed_share, fabsf(speed / info.speed_m_s - 1));
    }
    ++out->cycles;
    lmb_gait_destroy(gait);
}

static void try_body(const lmb_character *character, const lmb_gait_body *body, lmb_gait_kind gait,
                     float slope, float turn, int speeds, row *out)
{
    lmb_gait *middle = NULL;
    float range[2];
    const lmb_gait_opts usual = {.kind = gait};
    if (lmb_gait_create(character->skeleton, body, &usual, NULL, &middle, NULL) != LMB_OK) {
        return;
    }
    const float leg = lmb_gait_describe(middle).leg_m;
    lmb_gait_destroy(middle);
    lmbi_gait_range(gait, body->leg_count, leg, range);
    for (int k = 0; k < speeds; ++k) {
        const float share = speeds > 1 ? (float)k / (float)(speeds - 1) : 0.5f;
        walk(character, body,
             &(lmb_gait_opts){.kind = gait,
                              .speed_m_s = range[0] + share * (range[1] - range[0]),
                              .slope_rad = slope * LMB_PI / 180,
                              .turn_rad_s = turn},
             out);
    }
}

int main(int argc, char **argv)
{
    static const float slopes[] = {-15, -7, 0, 7, 15, 0};
    enum { GROUNDS = sizeof slopes / sizeof *slopes };
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    bool first = true;
    printf("{\n  \"bench\": \"gait\",\n  \"rows\": [\n");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        row rows[LMB_GAIT_COUNT][GROUNDS] = {0};
        for (uint32_t i = 0; i < (quick ? 1 : kinds[k].count); ++i) {
            lmb_made_body *made = make_body(&kinds[k], kinds[k].first_seed + i * kinds[k].step);
            lmb_gait_body body;
            if (!made || lmb_gait_body_find(made->character, NULL, &body, NULL) != LMB_OK) {
                fprintf(stderr, "%s %u: no legs\n", kinds[k].name, (unsigned)i);
                lmb_made_body_destroy(made);
                continue;
            }
            for (int g = 0; g < LMB_GAIT_COUNT; ++g) {
                for (int s = 0; s < GROUNDS; ++s) {
                    try_body(made->character, &body, (lmb_gait_kind)g, slopes[s],
                             s == GROUNDS - 1 ? 0.6f : 0, quick ? 2 : MOST_SPEEDS, &rows[g][s]);
                }
            }
            lmb_made_body_destroy(made);
        }
        for (int g = 0; g < LMB_GAIT_COUNT; ++g) {
            for (int s = 0; s < GROUNDS; ++s) {
                const row *r = &rows[g][s];
                if (r->cycles == 0) {
                    continue;
                }
                printf("%s    {\"body\": \"%s\", \"gait\": \"%s\", \"slope_deg\": %g, "
                       "\"turn_rad_s\": %g, \"cycles\": %u, \"refused\": %u, \"slide_cm_s\": %.4f, "
                       "\"depth_mm\": %.2f, \"speed_off_percent\": %.3f}",
                       first ? "" : ",\n", kinds[k].name, lmb_gait_name((lmb_gait_kind)g),
                       (double)slopes[s], s == GROUNDS - 1 ? 0.6 : 0.0, (unsigned)r->cycles,
                       (unsigned)r->refused, 1e2 * (double)r->slide_m_s, 1e3 * (double)r->depth_m,
                       1e2 * (double)r->speed_share);
                first = false;
            }
        }
    }
    printf("\n  ]\n}\n");
    return 0;
}
