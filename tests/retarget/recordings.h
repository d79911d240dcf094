/// Recordings made of clips: joint positions, or markers stuck to the joints' frames.
#ifndef TESTS_RETARGET_RECORDINGS_H
#define TESTS_RETARGET_RECORDINGS_H

#include "retarget/bodies.h"

typedef struct test_marker {
    const char *name;
    const char *joint;
    lmb_vec3 offset; ///< in the joint's frame
} test_marker;

/// Every frame of the clip, at its own rate, with noise of that many metres at most a coordinate.
static inline lmb_markers *test_record(const lmb_character *character, const test_marker *list,
                                       uint32_t count, float rate, float noise)
{
    const lmb_clip *clip = character->clips[0];
    const uint32_t frames = (uint32_t)(lmb_clip_duration_s(clip) * rate + 0.5f) + 1;
    lmb_vec3 *positions = malloc((size_t)frames * count * sizeof *positions);
    const char **names = malloc(count * sizeof *names);
    lmb_random random = lmb_random_seed(7);
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_transform *pose = test_pose(character, clip, (double)f / (double)rate);
        for (uint32_t m = 0; m < count; ++m) {
            const int32_t j = lmb_skeleton_find(character->skeleton, list[m].joint);
            lmb_vec3 p = lmb_transform_point(pose[j < 0 ? 0 : j], list[m].offset);
            p.x += lmb_random_range(&random, -noise, noise);
            p.y += lmb_random_range(&random, -noise, noise);
            p.z += lmb_random_range(&random, -noise, noise);
            positions[(size_t)f * count + m] = p;
            names[m] = list[m].name;
        }
        free(pose);
    }
    lmb_markers *out = NULL;
    const lmb_markers def = {.name = "recording",
                             .marker_count = count,
                             .frame_count = frames,
                             .frame_rate = rate,
                             .names = names,
                             .positions = positions};
    (void)lmb_markers_create(&def, NULL, &out, NULL);
    free(positions);
    free(names);
    return out;
}

/// A marker at every joint, by its name.
static inline lmb_markers *test_record_joints(const lmb_character *character, float rate)
{
    const uint32_t n = character->skeleton->joint_count;
    test_marker *list = malloc(n * sizeof *list);
    for (uint32_t j = 0; j < n; ++j) {
        list[j] = (test_marker){character->skeleton->names[j], character->skeleton->names[j],
                                lmb_vec3_make(0, 0, 0)};
    }
    lmb_markers *out = test_record(character, list, n, rate, 0);
    free(list);
    return out;
}

/// Mean and largest distance of joints of the same name between two clips, metres.
static inline void test_compare(const lmb_skeleton *skeleton, const lmb_clip *clip,
                                const lmb_character *truth, float rate, double *mean, double *worst)
{
    const uint32_t frames = (uint32_t)(lmb_clip_duration_s(truth->clips[0]) * rate + 0.5f) + 1;
    lmb_character shown = {.skeleton = (lmb_skeleton *)(uintptr_t)skeleton};
    uint64_t count = 0;
    *mean = *worst = 0;
    for (uint32_t f = 0; f < frames; ++f) {
        const double t = (double)f / (double)rate;
        lmb_transform *a = test_pose(&shown, clip, t), *b = test_pose(truth, truth->clips[0], t);
        for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
            const int32_t k = lmb_skeleton_find(truth->skeleton, skeleton->names[j]);
            if (k >= 0) {
                const double d = (double)lmb_vec3_distance(a[j].translation, b[k].translation);
                *mean += d;
                *worst = d > *worst ? d : *worst;
                ++count;
            }
        }
        free(a);
        free(b);
    }
    *mean /= count > 0 ? (double)count : 1;
}

#endif
