// How near learned rigs come to sequences, and how long that takes: learn_bench DATA. DATA is a
// folder that holds skinning/sequences, as tests name it by LIMBER_SHARED/data; without it the
// sequences that the bench makes are what there is: a worm, and shells that move apart. E_RMS as Kavan,
// Sloan and O'Sullivan (2010) have it, rigid bones that move freely, 4 influences, nothing smoothed and
// smoothed as the command does by itself; and processor seconds of one thread.
#include <math.h>
#include <time.h>

#include "learn/shells.h"
#include "painted.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

enum { FRAMES = 48, AROUND = 64, RINGS = 128, MOST_FRAMES = 128 };

typedef struct sequence {
    lmb_learn_def def;
    lmb_vec3 *rest, *shapes; ///< [frame][vertex]
    const lmb_vec3 *frames[MOST_FRAMES];
    uint32_t *indices;
} sequence;

static void open_sequence(sequence *s, uint32_t vertices, uint32_t frames, uint32_t indices)
{
    s->rest = malloc(vertices * sizeof *s->rest);
    s->shapes = malloc((size_t)frames * vertices * sizeof *s->shapes);
    s->indices = malloc(indices * sizeof *s->indices);
    if (!s->rest || !s->shapes || !s->indices) {
        abort();
    }
    for (uint32_t k = 0; k < frames; ++k) {
        s->frames[k] = s->shapes + (size_t)k * vertices;
    }
    s->def = (lmb_learn_def){vertices, s->rest, frames, s->frames, s->indices, indices};
}

static void close_sequence(sequence *s)
{
    free(s->rest);
    free(s->shapes);
    free(s->indices);
}

/// The shapes of a character of one mesh that morphs, 30 times a second.
static void read_sequence(sequence *s, const lmb_character *c)
{
    const lmb_mesh *mesh = c->meshes[c->instances[0].mesh];
    const lmb_clip *clip = c->clips[0];
    const double duration = (double)lmb_clip_duration_s(clip);
    const uint32_t count = (uint32_t)fmin(floor(duration * 30 + 1e-4) + 1, MOST_FRAMES);
    open_sequence(s, mesh->vertex_count, count, mesh->index_count);
    memcpy(s->indices, mesh->indices, mesh->index_count * sizeof *s->indices);
    const uint32_t joints = c->skeleton->joint_count;
    uint32_t *first = malloc((joints + 1) * sizeof *first);
    float *weights = malloc((lmb_character_weights(c, first, NULL) + 1) * sizeof *weights);
    lmb_transform *pose = malloc(joints * sizeof *pose);
    lmb_mat4 *model = malloc(joints * sizeof *model);
    lmb_deformer *deformer;
    if (lmb_deformer_create(c, NULL, &deformer, NULL) != LMB_OK) {
        abort();
    }
    for (uint32_t k = 0; k <= count; ++k) { // the last is the rest shape
        memcpy(pose, c->skeleton->rest, joints * sizeof *pose);
        lmb_character_weights(c, first, weights);
        if (k < count) {
            lmb_sample(&(lmb_sample_job){.clip = clip,
                                         .time_s = k / 30.0,
                                         .joint_count = joints,
                                         .pose = pose,
                                         .weight_first = first,
                                         .weights = weights});
        }
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = c->skeleton, .local = pose, .model_from_joint = model});
        lmb_deform(&(lmb_deform_job){.deformer = deformer,
                                     .model_from_joint = model,
                                     .weight_first = first,
                                     .weights = weights,
                                     .positions_only = true});
        memcpy(k < count ? s->shapes + (size_t)k * mesh->vertex_count : s->rest,
               lmb_deformer_instance(deformer, 0).positions, mesh->vertex_count * sizeof(lmb_vec3));
    }
    lmb_deformer_destroy(deformer);
    free(first);
    free(weights);
    free(pose);
    free(model);
}

/// A worm whose bend, twist and girth run along it: no bones show it without error.
static void make_sequence(sequence *s)
{
    open_sequence(s, AROUND * RINGS, FRAMES, 6 * AROUND * (RINGS - 1));
    for (uint32_t k = 0; k <= FRAMES; ++k) {
        const float phase = 2 * LMB_PI * (float)k / FRAMES, rate = k < FRAMES ? 1.0f : 0.0f;
        lmb_vec3 *to = k < FRAMES ? s->shapes + (size_t)k * AROUND * RINGS : s->rest, at = {0};
        for (uint32_t r = 0; r < RINGS; ++r) {
            const float along = (float)r / RINGS;
            const float bend = rate * 0.9f * lmb_sin(phase + 9 * along);
            const float girth = 0.1f * (1 + rate * 0.15f * lmb_sin(2 * phase + 20 * along));
            at = lmb_vec3_add(at, lmb_vec3_make(lmb_sin(bend) / RINGS, lmb_cos(bend) / RINGS, 0));
            for (uint32_t a = 0; a < AROUND; ++a) {
                const float angle =
                    2 * LMB_PI * (float)a / AROUND + rate * 0.5f * lmb_sin(phase) * along;
                const float x = girth * lmb_cos(angle), z = girth * lmb_sin(angle);
                to[r * AROUND + a] =
                    lmb_vec3_add(at, lmb_vec3_make(x * lmb_cos(bend), -x * lmb_sin(bend), z));
            }
        }
    }
    uint32_t *index = s->indices;
    for (uint32_t v = 0; v < AROUND * (RINGS - 1); ++v) {
        const uint32_t next = v % AROUND == AROUND - 1 ? v + 1 - AROUND : v + 1;
        const uint32_t made[6] = {v, v + AROUND, next + AROUND, v, next + AROUND, next};
        memcpy(index, made, sizeof made);
        index += 6;
    }
}

static void run_smoothed(const char *name, const lmb_learn_def *def, uint32_t bones, float smooth)
{
    static bool follows;
    const lmb_learn_opts opts = {.bone_count = bones, .smooth = smooth, .skeleton = LMB_LEARN_FLAT};
    lmb_learn_report r;
    lmb_learned *learned = NULL;
    const clock_t begin = clock();
    if (lmb_learn_skin(def, &opts, NULL, &learned, &r, NULL) != LMB_OK) {
        abort();
    }
    const double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    lmb_learned_destroy(learned);
    printf("%s\n    {\"sequence\": \"%s\", \"vertices\": %u, \"frames\": %u, \"bones\": %u, "
           "\"smooth\": %g, \"iterations\": %u, \"pieces\": %.3f, \"e_rms\": %.3f, "
           "\"rmse_percent\": %.4f, \"seconds\": %.2f}",
           follows ? "," : "", name, def->vertex_count, def->frame_count, r.bone_count,
           (double)smooth, r.iterations, (double)r.e_rms_start, (double)r.e_rms,
           (double)r.rms_percent, took);
    follows = true;
}

static void run(const char *name, const lmb_learn_def *def, uint32_t bones)
{
    run_smoothed(name, def, bones, 0);
    run_smoothed(name, def, bones, 1e-4f);
}

/// 41 pieces on 20 bones.
static void run_shells(void)
{
    static const char *const names[SHELLS_MOTIONS] = {"shells part", "shells tumble", "shells ride",
                                                      "shells share"};
    for (int motion = 0; motion < SHELLS_MOTIONS; ++motion) {
        for (uint64_t seed = 1; seed <= 2; ++seed) {
            char name[64];
            snprintf(name, sizeof name, "%s, seed %d", names[motion], (int)seed);
            moving m = moving_shells((shells_motion)motion, seed, FRAMES);
            const lmb_learn_def def = moving_def(&m);
            run(name, &def, 20);
            moving_free(&m);
        }
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"quadruped_horse", "quadruped_fox", "birds_raven"};
    static sequence s;
    printf("{\n  \"bench\": \"learn\", \"build\": \"%s\",\n  \"results\": [", LMBI_BUILD);
    make_sequence(&s);
    run("worm", &s.def, 10);
    run("worm", &s.def, 20);
    close_sequence(&s);
    run_shells();
    for (int k = 0; argc > 1 && k < 3; ++k) {
        char path[1024];
        snprintf(path, sizeof path, "%s/skinning/sequences/%s.gltf", argv[1], names[k]);
        lmb_character *c = read_character(path);
        if (c) {
            read_sequence(&s, c);
            run(names[k], &s.def, 10);
            run(names[k], &s.def, 20);
            close_sequence(&s);
        }
        lmb_character_destroy(c);
    }
    printf("\n  ]\n}\n");
    return 0;
}
