/// Motions for the benches of clips: from a file, or made.
#ifndef BENCH_CLIPS_H
#define BENCH_CLIPS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bvh/bvh.h"
#include "limber/limber.h"
#include "limber/os.h"

#define BENCH_CLIPS static inline __attribute__((unused))

BENCH_CLIPS void bench_fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

BENCH_CLIPS lmb_character *bench_character(const lmb_skeleton *skeleton, const lmb_clip *clip)
{
    lmb_skeleton *s = NULL;
    lmb_clip *c = NULL;
    lmb_character *out = NULL;
    if (lmb_skeleton_create(skeleton, NULL, &s, NULL) != LMB_OK ||
        lmb_clip_create(clip, NULL, &c, NULL) != LMB_OK ||
        lmb_character_create(&(lmb_character){.skeleton = s, .clip_count = 1, .clips = &c}, NULL,
                             &out, NULL) != LMB_OK) {
        bench_fail("out of memory");
    }
    return out;
}

/// A tree of joints that swing, with the noise of a capture.
BENCH_CLIPS lmb_character *bench_make_character(uint32_t joints, uint32_t keys, uint32_t seed)
{
    int32_t *parents = calloc(joints, sizeof(*parents));
    lmb_transform *rest = calloc(joints, sizeof(*rest));
    const char **names = calloc(joints, sizeof(*names));
    float *ticks = calloc(keys, sizeof(*ticks)), *values = calloc((size_t)joints * keys, 16);
    lmb_channel *channels = calloc(joints, sizeof(*channels));
    lmb_random random = lmb_random_seed(seed);
    for (uint32_t k = 0; k < keys; ++k) {
        ticks[k] = (float)k;
    }
    for (uint32_t j = 0; j < joints; ++j) {
        parents[j] = j == 0 ? LMB_NONE : (int32_t)(j % 8 == 0 ? 0 : j - 1);
        rest[j] = lmb_transform_identity();
        rest[j].translation.y = 0.15f;
        names[j] = "joint";
        const float speed = lmb_random_range(&random, 1, 7),
                    size = lmb_random_range(&random, 0.05f, 0.7f);
        float *of_joint = values + (size_t)4 * j * keys;
        for (uint32_t k = 0; k < keys; ++k) {
            const float noise = lmb_random_range(&random, -0.0005f, 0.0005f);
            const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0.6f, 0, 0.8f),
                                                   size * lmb_sin(speed * (float)k / 60) + noise);
            memcpy(of_joint + (size_t)4 * k, &q, sizeof(q));
        }
        channels[j] = (lmb_channel){j, LMB_PATH_ROTATION, LMB_LINEAR, 4, keys, ticks, of_joint};
    }
    const lmb_skeleton skeleton = {
        .joint_count = joints, .parents = parents, .rest = rest, .names = names};
    const lmb_clip clip = {.ticks_per_s = 60,
                           .frame_rate = 60,
                           .duration = (float)(keys - 1),
                           .channel_count = joints,
                           .channels = channels};
    lmb_character *out = bench_character(&skeleton, &clip);
    free(parents);
    free(rest);
    free(names);
    free(ticks);
    free(values);
    free(channels);
    return out;
}

/// What bench/peers/clip_dump.h describes: the first pose counts as the rest pose.
BENCH_CLIPS lmb_character *bench_read_dump(const uint8_t *bytes, size_t size)
{
    uint32_t joints, samples;
    float rate;
    memcpy(&joints, bytes + 4, 4);
    memcpy(&samples, bytes + 8, 4);
    memcpy(&rate, bytes + 12, 4);
    const size_t poses_at = 16 + (size_t)joints * 4;
    if (size < poses_at + (size_t)joints * samples * 40 || samples < 2 || joints > 65534) {
        bench_fail("a dump of poses that ends too early");
    }
    int32_t *parents = calloc(joints, sizeof(*parents));
    lmb_transform *rest = calloc(joints, sizeof(*rest));
    const char **names = calloc(joints, sizeof(*names));
    memcpy(parents, bytes + 16, (size_t)joints * 4);
    memcpy(rest, bytes + poses_at, (size_t)joints * 40);
    for (uint32_t j = 0; j < joints; ++j) {
        names[j] = "joint";
    }
    const lmb_skeleton def = {
        .joint_count = joints, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    lmb_transform *poses = malloc((size_t)joints * samples * 40);
    memcpy(poses, bytes + poses_at, (size_t)joints * samples * 40);
    if (lmb_skeleton_create(&def, NULL, &skeleton, NULL) != LMB_OK ||
        lmb_clip_from_poses(skeleton, poses, samples, rate, "dump", NULL, &clip, NULL) != LMB_OK) {
        bench_fail("a dump of poses that is none");
    }
    lmb_character *out = bench_character(skeleton, clip);
    lmb_skeleton_destroy(skeleton);
    lmb_clip_destroy(clip);
    free(poses);
    free(parents);
    free(rest);
    free(names);
    return out;
}

/// A .bvh, a .glb, or a dump of poses: its first clip.
BENCH_CLIPS lmb_character *bench_read_character(const char *path)
{
    lmb_file file;
    lmb_error error = {0};
    lmb_character *out = NULL;
    if (lmb_file_read(path, 0, &file, &error) != LMB_OK) {
        bench_fail(path);
    }
    const size_t length = strlen(path);
    if (file.size > 16 && memcmp(file.data, "CLIP", 4) == 0) {
        out = bench_read_dump(file.data, file.size);
    } else if (length > 4 && strcmp(path + length - 4, ".bvh") == 0) {
        lmbi_bvh_read(file.data, file.size, NULL, NULL, &out, &error);
    } else {
        lmb_gltf_read(file.data, file.size, NULL, NULL, &out, &error);
    }
    if (out == NULL || out->clip_count == 0) {
        bench_fail(path);
    }
    lmb_file_free(&file);
    return out;
}

#endif
