// Blending poses on one core: 2 to 4 layers, with masks, with an additive layer, by every
// instruction set that runs here. In the same run a copy of as many bytes, and, where the build was
// told where ozz-animation is installed (-DLIMBER_OZZ=DIR), its job on the same poses, whose
// results are compared. JSON on stdout.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/ozz_blend.h"
#include "limber/anim.h"
#include "limber/os.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD "" // how the build calls itself
#endif

enum { JOINTS = 67, MOST = 368, POSES = 5, ROUNDS = 41, CALLS = 4000 };

// Where there is no peer: weak, so that the linker leaves them out.
__attribute__((weak)) peer_ozz_blend *peer_ozz_blend_make(const lmb_blend_job *job);
__attribute__((weak)) int peer_ozz_blend_run(peer_ozz_blend *peer);
__attribute__((weak)) void peer_ozz_blend_read(const peer_ozz_blend *peer, lmb_transform *out);
__attribute__((weak)) void peer_ozz_blend_free(peer_ozz_blend *peer);

static lmb_transform poses[POSES][MOST], rest[MOST], out[MOST], theirs[MOST];
static float mask[MOST];

static void fill(void)
{
    lmb_random random = lmb_random_seed(1);
    for (int j = 0; j < MOST; ++j) {
        const lmb_quat q = lmb_quat_normalize(
            lmb_quat_make(lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1),
                          lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1)));
        for (int p = 0; p < POSES; ++p) {
            const lmb_quat d = lmb_quat_make(lmb_random_range(&random, -0.3f, 0.3f),
                                             lmb_random_range(&random, -0.3f, 0.3f),
                                             lmb_random_range(&random, -0.3f, 0.3f), 1);
            poses[p][j].rotation = lmb_quat_mul(q, lmb_quat_normalize(d));
            poses[p][j].translation = lmb_vec3_make(
                lmb_random_unit(&random), lmb_random_unit(&random), lmb_random_unit(&random));
            poses[p][j].scale = lmb_vec3_make(1, 1, 1);
        }
        rest[j] = poses[0][j];
        mask[j] = 0.5f + 0.5f * lmb_random_unit(&random);
    }
    lmb_pose_difference(&(lmb_pose_difference_job){
        .joint_count = MOST, .base = poses[0], .pose = poses[POSES - 1], .out = poses[POSES - 1]});
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double ours_ns(lmb_blend_job job, lmb_simd simd)
{
    job.simd = simd;
    const double start = lmb_clock_s();
    for (int k = 0; k < CALLS; ++k) {
        lmb_blend(&job);
    }
    return (lmb_clock_s() - start) * 1e9 / CALLS;
}

static double peer_ns(peer_ozz_blend *peer)
{
    const double start = lmb_clock_s();
    for (int k = 0; k < CALLS; ++k) {
        peer_ozz_blend_run(peer);
    }
    return (lmb_clock_s() - start) * 1e9 / CALLS;
}

static double copy_ns(uint32_t joints, uint32_t count)
{
    const double start = lmb_clock_s();
    for (int k = 0; k < CALLS; ++k) {
        for (uint32_t p = 0; p < count; ++p) {
            memcpy(out, poses[p], joints * sizeof(lmb_transform));
            __asm__ volatile("" ::: "memory");
        }
    }
    return (lmb_clock_s() - start) * 1e9 / CALLS;
}

static double farthest_from_peer(const peer_ozz_blend *peer, uint32_t joints)
{
    double most = 0;
    peer_ozz_blend_read(peer, theirs);
    for (uint32_t j = 0; j < joints; ++j) {
        most = fmax(most, (double)lmb_vec3_distance(out[j].translation, theirs[j].translation));
        most = fmax(most, 1 - fabs((double)lmb_quat_dot(out[j].rotation, theirs[j].rotation)));
    }
    return most;
}

static void measure(const char *name, uint32_t joints, uint32_t layers, bool masked,
                    uint32_t additives, bool is_first)
{
    lmb_blend_layer list[4], add = {poses[POSES - 1], 0.6f, masked ? mask : NULL};
    for (uint32_t k = 0; k < layers; ++k) {
        list[k] = (lmb_blend_layer){poses[k], 0.2f + 0.2f * (float)k, masked ? mask : NULL};
    }
    const lmb_blend_job job = {.joint_count = joints,
                               .layers = list,
                               .layer_count = layers,
                               .additives = &add,
                               .additive_count = additives,
                               .rest = rest,
                               .out = out};
    double best[LMB_SIMD_FAST + 1], peer_best = 1e30, copy_best = 1e30;
    peer_ozz_blend *peer = peer_ozz_blend_make != NULL ? peer_ozz_blend_make(&job) : NULL;
    for (int s = 0; s <= LMB_SIMD_FAST; ++s) {
        best[s] = 1e30;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int s = LMB_SIMD_SCALAR; s <= LMB_SIMD_FAST; ++s) {
            if (lmb_simd_runs((lmb_simd)s) && (s != LMB_SIMD_SCALAR || round < 5)) {
                best[s] = least(best[s], ours_ns(job, (lmb_simd)s));
            }
        }
        copy_best = least(copy_best, copy_ns(joints, layers + additives));
        peer_best = peer != NULL ? least(peer_best, peer_ns(peer)) : peer_best;
    }
    printf("%s\n    {\"name\": \"%s\", \"joints\": %u, \"copy_ns_per_joint\": %.3f",
           is_first ? "" : ",", name, joints, copy_best / joints);
    for (int s = LMB_SIMD_SCALAR; s <= LMB_SIMD_FAST; ++s) {
        if (lmb_simd_runs((lmb_simd)s)) {
            printf(", \"%s_ns_per_joint\": %.3f", lmb_simd_name((lmb_simd)s), best[s] / joints);
        }
    }
    if (peer != NULL) {
        lmb_blend(&job);
        printf(", \"ozz_ns_per_joint\": %.3f, \"ours_over_ozz\": %.3f, \"farthest_from_ozz\": %.2g",
               peer_best / joints, best[lmb_simd_best()] / peer_best,
               farthest_from_peer(peer, joints));
        peer_ozz_blend_free(peer);
    }
    printf("}");
}

int main(void)
{
    fill();
    printf("{\"bench\": \"blend\", \"build\": \"%s\", \"best\": \"%s\", \"rows\": [", LMBI_BUILD,
           lmb_simd_name(lmb_simd_best()));
    measure("2 layers", JOINTS, 2, false, 0, true);
    measure("3 layers", JOINTS, 3, false, 0, false);
    measure("4 layers", JOINTS, 4, false, 0, false);
    measure("2 layers, masked", JOINTS, 2, true, 0, false);
    measure("4 layers, masked", JOINTS, 4, true, 0, false);
    measure("1 layer, 1 additive", JOINTS, 1, false, 1, false);
    measure("2 layers, 1 additive, masked", JOINTS, 2, true, 1, false);
    measure("1 layer, 1 additive, 368 joints", MOST, 1, false, 1, false);
    measure("2 layers, 368 joints", MOST, 2, false, 0, false);
    measure("4 layers, 368 joints", MOST, 4, false, 0, false);
    printf("\n]}\n");
    return 0;
}
