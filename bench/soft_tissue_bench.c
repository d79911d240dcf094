// One frame of soft tissue on one core: a closed tube of 10 000 vertices in eight regions, bent to and fro,
// frames of 1/60 s. JSON on stdout.
//     soft_tissue_bench [--quick]
#include <stdio.h>
#include <string.h>

#include "limber/os.h"
#include "limber/physics.h"

enum { RINGS = 100, SIDES = 100, VERTICES = RINGS * SIDES + 2, REGIONS = 8, ROUNDS = 15 };

static lmb_vec3 rest[VERTICES], targets[VERTICES], out[VERTICES];
static uint32_t indices[6 * RINGS * SIDES], region[VERTICES];

static uint32_t lay_out(void)
{
    uint32_t at = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const uint32_t ring = v / SIDES < RINGS ? v / SIDES : (v == VERTICES - 1 ? RINGS - 1 : 0);
        const float angle = 2 * LMB_PI * (float)(v % SIDES) / SIDES,
                    radius = v < RINGS * SIDES ? 0.15f : 0;
        rest[v] =
            lmb_vec3_make(radius * lmb_cos(angle), 0.02f * (float)ring, radius * lmb_sin(angle));
        region[v] = ring * REGIONS / RINGS;
    }
    for (uint32_t r = 0; r + 1 < RINGS; ++r) {
        for (uint32_t k = 0; k < SIDES; ++k) {
            const uint32_t a = r * SIDES + k, b = r * SIDES + (k + 1) % SIDES;
            const uint32_t six[] = {a, a + SIDES, b, b, a + SIDES, b + SIDES};
            memcpy(indices + at, six, sizeof six);
            at += 6;
        }
    }
    for (uint32_t k = 0; k < SIDES; ++k) {
        const uint32_t next = (k + 1) % SIDES, last = (RINGS - 1) * SIDES;
        const uint32_t six[] = {VERTICES - 2, k, next, VERTICES - 1, last + next, last + k};
        memcpy(indices + at, six, sizeof six);
        at += 6;
    }
    return at;
}

static void bend(int frame)
{
    const float curl = 0.8f * lmb_sin(0.15f * (float)frame);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), curl * rest[v].y);
        targets[v] = lmb_quat_rotate(q, rest[v]);
    }
}

int main(int argc, char **argv)
{
    const int frames = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 4 : 60;
    lmb_soft_tissue_def def = {.vertex_count = VERTICES,
                               .index_count = lay_out(),
                               .rest = rest,
                               .indices = indices,
                               .region = region,
                               .region_count = REGIONS};
    lmb_soft_tissue *tissue = NULL;
    lmb_soft_tissue_report made;
    double best = 1e9;
    if (lmb_soft_tissue_create(&def, NULL, &tissue, NULL) != LMB_OK) {
        return 1;
    }
    lmb_soft_tissue_measure(tissue, &made);
    for (int r = 0; r < ROUNDS; ++r) {
        double took = 0;
        for (int f = 0; f < frames; ++f) {
            bend(f);
            const double begin = lmb_clock_s();
            lmb_soft_tissue_step(&(lmb_soft_tissue_step_job){
                .tissue = tissue, .targets = targets, .dt_s = 1.0f / 60, .positions = out});
            took += lmb_clock_s() - begin;
        }
        best = took / frames < best ? took / frames : best;
    }
    lmb_soft_tissue_destroy(tissue);
    printf("{\n  \"bench\": \"soft_tissue\",\n  \"cores\": 1,\n  \"particles\": %u,\n  \"edges\": "
           "%u,\n"
           "  \"regions\": %u,\n  \"ms_a_frame\": %.3f\n}\n",
           made.particle_count, made.edge_count, made.region_count, best * 1e3);
    return 0;
}
