// Compressed clips: size, error, time to make and to play; and the same of peers, in one run, on
// the same poses.
//   clip_bench [FILE.bvh|.glb|.clip …] [--acl PROGRAM] [--ozz PROGRAM]
// A .clip is a dump of poses (bench/peers/ozz_raw.cpp). The programs are bench/peers/acl_clip.cpp
// and ozz_clip.cpp. Errors of all are measured here, in
// double precision: the largest distance of a point 3 cm round a joint from where it should be, at
// every sample and halfway between. JSON on stdout.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clips.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD "unknown"
#endif

enum { POSES = 20000, ROUNDS = 9 };

typedef struct work {
    const char *name;
    lmb_skeleton *skeleton;
    lmb_clip *clip;
    lmb_packed_clip *packed;
    float *poses; ///< [2 * samples - 1][joints][10] at half samples, the truth
    uint32_t joints, samples;
} work;

// ------------------------------------------------------------------------------------------ error

typedef struct affine {
    double m[9], t[3];
} affine;

static affine local_of(const float *v)
{
    const double x = (double)v[3], y = (double)v[4], z = (double)v[5], w = (double)v[6];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                         2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                         2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    affine a = {.t = {(double)v[0], (double)v[1], (double)v[2]}};
    for (int i = 0; i < 9; ++i) {
        a.m[i] = r[i] * (double)v[7 + i / 3];
    }
    return a;
}

static affine product(const affine *a, const affine *b)
{
    affine out;
    for (int row = 0; row < 3; ++row) {
        out.t[row] = a->t[row];
        for (int k = 0; k < 3; ++k) {
            out.t[row] += a->m[3 * k + row] * b->t[k];
        }
        for (int column = 0; column < 3; ++column) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                sum += a->m[3 * k + row] * b->m[3 * column + k];
            }
            out.m[3 * column + row] = sum;
        }
    }
    return out;
}

static double shell_error(const affine *a, const affine *b)
{
    double most = 0;
    for (int k = 0; k < 6; ++k) {
        double square = 0;
        for (int row = 0; row < 3; ++row) {
            const double turn = a->m[3 * (k / 2) + row] - b->m[3 * (k / 2) + row];
            const double d = a->t[row] - b->t[row] + (k % 2 ? -0.03 : 0.03) * turn;
            square += d * d;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

typedef struct error_seen {
    double at_samples, between;
    double over; ///< share of shells at samples that are over 0.01 cm
} error_seen;

static error_seen compare(const work *w, const float *played)
{
    error_seen seen = {0};
    affine *a = calloc(w->joints, sizeof(*a)), *b = calloc(w->joints, sizeof(*b));
    double over = 0, count = 0;
    for (uint32_t half = 0; half < 2 * w->samples - 1; ++half) {
        const size_t first = (size_t)half * w->joints * 10;
        for (uint32_t j = 0; j < w->joints; ++j) {
            a[j] = local_of(w->poses + first + 10 * (size_t)j);
            b[j] = local_of(played + first + 10 * (size_t)j);
            const int32_t parent = w->skeleton->parents[j];
            if (parent != LMB_NONE) {
                a[j] = product(&a[parent], &a[j]);
                b[j] = product(&b[parent], &b[j]);
            }
            const double error = shell_error(&a[j], &b[j]);
            double *most = half % 2 ? &seen.between : &seen.at_samples;
            *most = fmax(*most, error);
            if (half % 2 == 0) {
                over += error > 1e-4;
                ++count;
            }
        }
    }
    seen.over = over / count;
    free(a);
    free(b);
    return seen;
}

// ------------------------------------------------------------------------------------------- ours

static double half_s(const work *w, uint32_t half)
{
    return (double)half * 0.5 / (double)w->packed->rate_hz;
}

static void load_truth(work *w)
{
    const size_t floats = (size_t)(2 * w->samples - 1) * w->joints * 10;
    uint32_t *cursors = calloc((size_t)w->clip->channel_count + 1, sizeof(*cursors));
    w->poses = malloc(floats * sizeof(float));
    for (uint32_t half = 0; half < 2 * w->samples - 1; ++half) {
        lmb_sample(&(lmb_sample_job){
            .clip = w->clip,
            .time_s = half_s(w, half),
            .joint_count = w->joints,
            .rest = w->skeleton->rest,
            .pose = (lmb_transform *)(void *)(w->poses + (size_t)half * w->joints * 10),
            .cursors = cursors});
    }
    free(cursors);
}

static void play(const work *w, double time_s, lmb_transform *pose)
{
    lmb_packed_sample(&(lmb_packed_sample_job){.clip = w->packed, .time_s = time_s, .pose = pose});
}

static double time_poses(const work *w, bool steady)
{
    lmb_transform *pose = malloc(w->joints * sizeof(*pose));
    float *times = malloc(POSES * sizeof(*times));
    const double duration = (double)w->packed->duration_s;
    lmb_random random = lmb_random_seed(1);
    for (int i = 0; i < POSES; ++i) {
        times[i] = steady ? (float)lmb_time_in(i / 60.0, duration, LMB_PLAY_LOOP)
                          : lmb_random_unit(&random) * (float)duration;
    }
    double best = 1e9;
    for (int round = 0; round < ROUNDS; ++round) {
        const double begun = lmb_clock_s();
        for (int i = 0; i < POSES; ++i) {
            play(w, (double)times[i], pose);
        }
        best = fmin(best, (lmb_clock_s() - begun) / POSES);
    }
    free(times);
    free(pose);
    return best * 1e9;
}

static double time_model(const work *w)
{
    lmb_transform *pose = malloc(w->joints * sizeof(*pose));
    lmb_mat4 *model = malloc(w->joints * sizeof(*model));
    double best = 1e9;
    play(w, 0.1, pose);
    for (int round = 0; round < ROUNDS; ++round) {
        const double begun = lmb_clock_s();
        for (int i = 0; i < POSES; ++i) {
            lmb_pose_to_model(&(lmb_pose_to_model_job){
                .skeleton = w->skeleton, .local = pose, .model_from_joint = model});
        }
        best = fmin(best, (lmb_clock_s() - begun) / POSES);
    }
    free(model);
    free(pose);
    return best * 1e9;
}

static double time_copy(const work *w)
{
    const size_t size = w->joints * sizeof(lmb_transform);
    uint8_t *from = calloc(1, size), *to = calloc(1, size);
    volatile uint8_t seen = 0;
    const double begun = lmb_clock_s();
    for (int i = 0; i < POSES; ++i) {
        from[(size_t)i % size] = (uint8_t)i;
        memcpy(to, from, size);
        seen = (uint8_t)(seen + to[(size_t)i % size]);
    }
    const double took = (lmb_clock_s() - begun) / POSES;
    free(from);
    free(to);
    return took * 1e9;
}

static void report(const char *name, const work *w, double bytes, double compress_s, double steady,
                   double random, const float *played)
{
    const double raw = 40.0 * w->joints * w->samples;
    const error_seen seen = compare(w, played);
    printf("      {\"player\": \"%s\", \"bytes\": %.0f, \"ratio\": %.2f, \"error_cm\": %.5f, "
           "\"error_between_cm\": %.5f, \"over_share\": %.5f, "
           "\"compress_mb_s\": %.1f, \"steady_ns\": %.0f, \"random_ns\": %.0f, "
           "\"steady_ns_joint\": %.2f, \"random_ns_joint\": %.2f",
           name, bytes, raw / bytes, seen.at_samples * 100, seen.between * 100, seen.over,
           raw / 1e6 / compress_s, steady, random, steady / w->joints, random / w->joints);
}

static void bench_ours(work *w)
{
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        lmb_packed_clip_destroy(w->packed);
        w->packed = NULL;
        const double begun = lmb_clock_s();
        lmb_error error = {0};
        if (lmb_packed_clip_create(w->skeleton, w->clip, NULL, NULL, &w->packed, &error) !=
            LMB_OK) {
            bench_fail(error.found);
        }
        best = fmin(best, lmb_clock_s() - begun);
    }
    w->samples = w->packed->sample_count;
    load_truth(w);
    float *played = malloc((size_t)(2 * w->samples - 1) * w->joints * 10 * sizeof(float));
    for (uint32_t half = 0; half < 2 * w->samples - 1; ++half) {
        play(w, half_s(w, half), (lmb_transform *)(void *)(played + (size_t)half * w->joints * 10));
    }
    report("limber", w, (double)lmb_packed_clip_bytes(w->packed), best, time_poses(w, true),
           time_poses(w, false), played);
    printf(", \"to_model_ns_joint\": %.2f, \"copy_of_pose_ns\": %.0f}", time_model(w) / w->joints,
           time_copy(w));
    free(played);
}

// ------------------------------------------------------------------------------------------ peers

static void write_dump(const work *w, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        bench_fail("cannot write the poses for peers");
    }
    fwrite("CLIP", 4, 1, file);
    fwrite(&w->joints, 4, 1, file);
    fwrite(&w->samples, 4, 1, file);
    fwrite(&w->packed->rate_hz, 4, 1, file);
    fwrite(w->skeleton->parents, 4, w->joints, file);
    for (uint32_t s = 0; s < w->samples; ++s) {
        fwrite(w->poses + (size_t)2 * s * w->joints * 10, sizeof(float), (size_t)w->joints * 10,
               file);
    }
    fclose(file);
}

static double field(const char *json, const char *name)
{
    const char *at = strstr(json, name);
    return at != NULL ? strtod(at + strlen(name) + 2, NULL) : 0;
}

static void bench_peer(const work *w, const char *name, const char *program)
{
    char command[2048], json[512] = "";
    write_dump(w, "clip_bench.dump");
    snprintf(command, sizeof(command), "'%s' clip_bench.dump clip_bench.played", program);
    FILE *pipe = popen(command, "r");
    const bool ran = pipe != NULL && fgets(json, sizeof(json), pipe) != NULL && pclose(pipe) == 0;
    const size_t floats = (size_t)(2 * w->samples - 1) * w->joints * 10;
    float *played = malloc(floats * sizeof(float));
    FILE *file = ran ? fopen("clip_bench.played", "rb") : NULL;
    if (file != NULL && fread(played, sizeof(float), floats, file) == floats) {
        printf(",\n");
        report(name, w, field(json, "bytes"), field(json, "compress_s"), field(json, "steady_ns"),
               field(json, "random_ns"), played);
        printf(", \"to_model_ns_joint\": %.2f}", field(json, "to_model_ns") / w->joints);
    } else {
        fprintf(stderr, "clip_bench: %s did not play %s\n", program, w->name);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(played);
    remove("clip_bench.dump");
    remove("clip_bench.played");
}

int main(int argc, char **argv)
{
    const char *acl = NULL, *ozz = NULL, *files[64] = {NULL};
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--acl") == 0 && i + 1 < argc) {
            acl = argv[++i];
        } else if (strcmp(argv[i], "--ozz") == 0 && i + 1 < argc) {
            ozz = argv[++i];
        } else if (count < 64) {
            files[count++] = argv[i];
        }
    }
    printf("{\n  \"bench\": \"clip\", \"build\": \"%s\", \"simd\": \"%s\",\n  \"clips\": [\n",
           LMBI_BUILD, lmb_simd_name(lmb_simd_best()));
    for (int f = 0; f < (count > 0 ? count : 1); ++f) {
        lmb_character *character =
            files[f] != NULL ? bench_read_character(files[f]) : bench_make_character(40, 1200, 2);
        const char *slash = files[f] != NULL ? strrchr(files[f], '/') : NULL;
        work w = {.name = files[f] == NULL ? "made" : (slash != NULL ? slash + 1 : files[f]),
                  .skeleton = character->skeleton,
                  .clip = character->clips[0],
                  .joints = character->skeleton->joint_count};
        printf("    {\"clip\": \"%s\", \"joints\": %u, \"players\": [\n", w.name, w.joints);
        bench_ours(&w);
        if (acl != NULL) {
            bench_peer(&w, "acl", acl);
        }
        if (ozz != NULL) {
            bench_peer(&w, "ozz", ozz);
        }
        printf("\n    ]}%s\n", f + 1 < count ? "," : "");
        free(w.poses);
        lmb_packed_clip_destroy(w.packed);
        lmb_character_destroy(character);
    }
    puts("  ]\n}");
    return 0;
}
