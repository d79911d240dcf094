// Instructions of a driver program a second on one core: 200 joints, arithmetic alone, and sines
// and noise. JSON on stdout.
//     drivers_bench [--quick]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/os.h"
#include "limber/procedural.h"

enum { JOINTS = 200, ROUNDS = 9 };

static char names_text[JOINTS][8];
static const char *names[JOINTS];
static int32_t parents[JOINTS];
static lmb_transform rest[JOINTS], local[JOINTS];

static size_t write_program(char *out, size_t room, bool arithmetic)
{
    size_t used = (size_t)snprintf(out, room, "let u = fract(0.7 * t)\n");
    for (int j = 1; j < JOINTS; ++j) {
        used += (size_t)snprintf(
            out + used, room - used,
            arithmetic
                ? "j%d.tx = (u - 0.5) * (u + %d) * 0.01 - (t - u) * (t + u) * 0.001 + u * u * 2\n"
                : "j%d.rx = 20deg * sin(tau * u + 0.1 * %d) + 2deg * noise(3 * t, 7)\n",
            j, j);
    }
    return used;
}

static double best_rate(lmb_drivers *drivers, int frames)
{
    double best = 1e9;
    for (int r = 0; r < ROUNDS; ++r) {
        const double begin = lmb_clock_s();
        for (int f = 0; f < frames; ++f) {
            lmb_drivers_step(&(lmb_drivers_step_job){
                .drivers = drivers, .time_s = f / 60.0, .dt_s = 1.0 / 60, .local = local});
        }
        const double took = lmb_clock_s() - begin;
        best = took < best ? took : best;
    }
    return frames * (double)lmb_drivers_describe(drivers).instruction_count / best;
}

int main(int argc, char **argv)
{
    const int frames = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 20 : 2000;
    static char program[JOINTS * 100];
    double rates[2];
    for (int j = 0; j < JOINTS; ++j) {
        snprintf(names_text[j], sizeof names_text[j], "j%d", j);
        names[j] = names_text[j];
        parents[j] = j - 1;
        rest[j] = local[j] = lmb_transform_identity();
    }
    lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    const lmb_character character = {.skeleton = &skeleton};
    for (int kind = 0; kind < 2; ++kind) {
        lmb_drivers *drivers = NULL;
        const size_t size = write_program(program, sizeof program, kind == 0);
        if (lmb_drivers_create(program, size, &character, NULL, &drivers, NULL) != LMB_OK) {
            return 1;
        }
        rates[kind] = best_rate(drivers, frames);
        lmb_drivers_destroy(drivers);
    }
    printf("{\n  \"bench\": \"drivers\",\n  \"cores\": 1,\n  \"arithmetic_instructions_per_s\": "
           "%.0f,\n"
           "  \"sines_and_noise_instructions_per_s\": %.0f\n}\n",
           rates[0], rates[1]);
    return 0;
}
