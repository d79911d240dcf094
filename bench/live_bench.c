// A frame of live motion capture: a VMC packet read, the play moment found, and the motion put on
// ten characters. Milliseconds of one core, JSON on stdout.
//     live_bench [--quick]
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { CHARACTERS = 10, PACKETS = 60, ROUNDS = 100 };

typedef struct stage {
    lmb_character *made, *source;
    lmb_live *live[CHARACTERS];
    lmb_receiver *vmc;
    lmb_transform *from, *to;
    uint8_t packets[PACKETS][LMB_VMC_PACKET];
    size_t sizes[PACKETS];
} stage;

static bool set_up(stage *s)
{
    lmb_live *sender = NULL;
    lmb_vmc_frame first;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &s->made, NULL) !=
            LMB_OK ||
        lmb_live_create(s->made, s->made, NULL, NULL, &sender, NULL) != LMB_OK) {
        return false;
    }
    const lmb_skeleton *skeleton = s->made->skeleton;
    s->to = malloc(skeleton->joint_count * sizeof *s->to);
    s->from = malloc((LMB_HUMAN_BONE_COUNT + 1) * sizeof *s->from);
    lmb_transform *pose = malloc(skeleton->joint_count * sizeof *pose);
    for (int k = 0; k < PACKETS; ++k) {
        lmb_vmc_frame frame = {.time_s = k / 60.0};
        lmb_sample(&(lmb_sample_job){.clip = s->made->clips[0],
                                     .time_s = k / 60.0,
                                     .joint_count = skeleton->joint_count,
                                     .rest = skeleton->rest,
                                     .pose = pose});
        lmb_live_step(sender, pose, s->to);
        lmb_live_frame(sender, &frame);
        s->sizes[k] = lmb_vmc_write(&frame, s->packets[k], sizeof s->packets[k]);
        first = frame;
    }
    free(pose);
    lmb_live_destroy(sender);
    bool made = lmb_vmc_character(&first, 1, NULL, &s->source, NULL) == LMB_OK;
    for (int c = 0; c < CHARACTERS && made; ++c) {
        made = lmb_live_create(s->made, s->source, NULL, NULL, &s->live[c], NULL) == LMB_OK;
    }
    if (made) {
        memcpy(s->from, s->source->skeleton->rest,
               s->source->skeleton->joint_count * sizeof *s->from);
    }
    return made && lmb_receiver_create(NULL, NULL, &s->vmc, NULL) == LMB_OK;
}

/// Times of frames in milliseconds: by the clock on the wall, which waits for other programs too,
/// and by the processor's.
typedef struct times {
    double mean, wall_99, wall_worst, cpu_worst;
    int over_2ms;
} times;

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void one_frame(stage *s, int k, double now)
{
    (void)lmb_receiver_receive(s->vmc, s->packets[k], s->sizes[k], now, true);
    if (lmb_receiver_pose(s->vmc, now, s->source->skeleton, s->from, NULL)) {
        for (int c = 0; c < CHARACTERS; ++c) {
            lmb_live_step(s->live[c], s->from, s->to);
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static times run(stage *s, int rounds)
{
    static double wall[PACKETS * ROUNDS];
    times t = {.mean = 0};
    const int count = PACKETS * rounds;
    double now = 0;
    for (int k = 0; k < count; ++k) {
        lmb_vmc_frame taken;
        const double cpu = cpu_s(), begun = lmb_clock_s();
        one_frame(s, k % PACKETS, now += 1 / 60.0);
        wall[k] = 1e3 * (lmb_clock_s() - begun);
        const double took = 1e3 * (cpu_s() - cpu);
        t.cpu_worst = took > t.cpu_worst ? took : t.cpu_worst;
        t.mean += wall[k] / count;
        t.over_2ms += wall[k] > 2;
        while (lmb_receiver_next(s->vmc, &taken)) {
        }
    }
    qsort(wall, (size_t)count, sizeof *wall, by_size);
    t.wall_99 = wall[count * 99 / 100];
    t.wall_worst = wall[count - 1];
    return t;
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    static stage s;
    if (!set_up(&s)) {
        fputs("live_bench: no stage\n", stderr);
        return 1;
    }
    const times t = run(&s, quick ? 1 : ROUNDS);
    printf("{\n  \"characters\": %d,\n  \"joints\": %u,\n  \"frames\": %d,\n  \"mean_ms\": %.4f,\n"
           "  \"wall_99_ms\": %.4f,\n  \"wall_worst_ms\": %.4f,\n  \"over_2ms\": %d,\n"
           "  \"cpu_worst_ms\": %.4f\n}\n",
           CHARACTERS, (unsigned)s.made->skeleton->joint_count, PACKETS * (quick ? 1 : ROUNDS),
           t.mean, t.wall_99, t.wall_worst, t.over_2ms, t.cpu_worst);
    for (int c = 0; c < CHARACTERS; ++c) {
        lmb_live_destroy(s.live[c]);
    }
    lmb_receiver_destroy(s.vmc);
    lmb_character_destroy(s.source);
    lmb_character_destroy(s.made);
    free(s.from);
    free(s.to);
    return 0;
}
