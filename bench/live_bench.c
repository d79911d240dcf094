// A frame of live motion capture: a VMC packet read, the play moment found, and the motion put on
// ten characters. Milliseconds of one core, JSON on stdout.
//     live_bench [--quick]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { CHARACTERS = 10, PACKETS = 60, ROUNDS = 9 };

typedef struct stage {
    lmb_character *made, *source;
    lmb_live *live[CHARACTERS];
    lmb_vmc *vmc;
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
    s->from = malloc((LMB_SLOT_COUNT + 1) * sizeof *s->from);
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
    return made && lmb_vmc_create(NULL, NULL, &s->vmc, NULL) == LMB_OK;
}

/// The slowest frame of all rounds, and the mean of the best round, milliseconds.
static void run(stage *s, int rounds, double *mean_ms, double *worst_ms)
{
    double now = 0;
    *mean_ms = 1e9;
    *worst_ms = 0;
    for (int round = 0; round < rounds; ++round) {
        double sum = 0;
        for (int k = 0; k < PACKETS; ++k) {
            lmb_vmc_frame frame;
            const double begun = lmb_clock_s();
            (void)lmb_vmc_receive(s->vmc, s->packets[k], s->sizes[k], now += 1 / 60.0);
            if (lmb_vmc_play(s->vmc, now, &frame)) {
                lmb_vmc_pose(&frame, s->source->skeleton, s->from);
                for (int c = 0; c < CHARACTERS; ++c) {
                    lmb_live_step(s->live[c], s->from, s->to);
                }
            }
            const double took = 1e3 * (lmb_clock_s() - begun);
            sum += took;
            *worst_ms = took > *worst_ms ? took : *worst_ms;
            while (lmb_vmc_take(s->vmc, &frame)) {
            }
        }
        *mean_ms = sum / PACKETS < *mean_ms ? sum / PACKETS : *mean_ms;
    }
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    static stage s;
    double mean_ms, worst_ms;
    if (!set_up(&s)) {
        fputs("live_bench: no stage\n", stderr);
        return 1;
    }
    run(&s, quick ? 1 : ROUNDS, &mean_ms, &worst_ms);
    printf("{\n  \"characters\": %d,\n  \"joints\": %u,\n  \"mean_ms\": %.4f,\n  \"worst_ms\": "
           "%.4f\n}\n",
           CHARACTERS, (unsigned)s.made->skeleton->joint_count, mean_ms, worst_ms);
    for (int c = 0; c < CHARACTERS; ++c) {
        lmb_live_destroy(s.live[c]);
    }
    lmb_vmc_destroy(s.vmc);
    lmb_character_destroy(s.source);
    lmb_character_destroy(s.made);
    free(s.from);
    free(s.to);
    return 0;
}
