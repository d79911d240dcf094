// Learns a rig: a tube that bends in two places is given as shapes alone, and comes back as bones,
// weights and joints.
//     build/samples/32_learn
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"

enum { RINGS = 31, AROUND = 12, VERTICES = RINGS * AROUND, FRAMES = 24 };

/// The tube stands along +Y, 3 tall; it bends at 1 to one side and at 2 to the front.
static void shape(float side_rad, float front_rad, lmb_vec3 *out)
{
    const lmb_quat side = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), side_rad);
    const lmb_quat front = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), front_rad);
    const lmb_vec3 low = {0, 1, 0}, high = {0, 2, 0};
    for (int v = 0; v < VERTICES; ++v) {
        const float angle = 2 * LMB_PI * (float)(v % AROUND) / AROUND;
        lmb_vec3 p = lmb_vec3_make(0.2f * lmb_cos(angle), 3.0f * (float)(v / AROUND) / (RINGS - 1),
                                   0.2f * lmb_sin(angle));
        if (p.y > 2) {
            p = lmb_vec3_add(high, lmb_quat_rotate(front, lmb_vec3_sub(p, high)));
        }
        out[v] = v / AROUND * 3 > RINGS - 1
                     ? lmb_vec3_add(low, lmb_quat_rotate(side, lmb_vec3_sub(p, low)))
                     : p;
    }
}

static uint32_t connect(uint32_t *indices)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < VERTICES - AROUND; ++v) {
        const uint32_t next = v % AROUND == AROUND - 1 ? v + 1 - AROUND : v + 1;
        const uint32_t made[6] = {v, v + AROUND, next + AROUND, v, next + AROUND, next};
        for (int k = 0; k < 6; ++k) {
            indices[count++] = made[k];
        }
    }
    return count;
}

int main(void)
{
    static lmb_vec3 rest[VERTICES], shapes[FRAMES][VERTICES];
    static uint32_t indices[6 * VERTICES];
    const lmb_vec3 *frames[FRAMES];
    shape(0, 0, rest);
    for (int k = 0; k < FRAMES; ++k) {
        const float phase = 2 * LMB_PI * (float)k / FRAMES;
        shape(lmb_sin(phase), 0.8f * lmb_cos(phase), shapes[k]);
        frames[k] = shapes[k];
    }
    const lmb_learn_def def = {.vertex_count = VERTICES,
                               .rest = rest,
                               .frame_count = FRAMES,
                               .frames = frames,
                               .indices = indices,
                               .index_count = connect(indices)};
    const lmb_learn_opts opts = {.bone_count = 3};
    lmb_learned *learned;
    lmb_learn_report report;
    lmb_error error = {0};
    if (lmb_learn_skin(&def, &opts, NULL, &learned, &report, &error) != LMB_OK) {
        fprintf(stderr, "32_learn: expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    for (uint32_t j = 0; j < learned->bone_count; ++j) {
        const lmb_vec3 at = learned->joints[j];
        printf("bone %u hangs on %d, turns about (%.3f, %.3f, %.3f)\n", j, learned->parents[j],
               (double)at.x, (double)at.y, (double)at.z);
    }
    printf("%.5f off on average, %.5f at most\n", (double)report.rms, (double)report.max);
    const bool found = learned->bone_count == 3 && report.rms < 0.01f;
    lmb_learned_destroy(learned);
    return found ? 0 : 1;
}
