/// Recordings made of clips: joint positions, or markers stuck to the joints' frames.
#ifndef TESTS_CAPTURE_RECORDINGS_H
#define TESTS_CAPTURE_RECORDINGS_H

#include "made_bodies.h"

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

/// Forty-one markers as Vicon's Plug-in Gait names them, somewhat off where they usually sit. The
/// skeleton's joints must have the model's axes at rest, standing in T-pose facing +Z.
static inline lmb_markers *test_record_markers(const lmb_character *character, float rate,
                                               float noise, test_marker *out_list, uint32_t *count)
{
    static const struct {
        const char *name;
        lmb_human_bone bone;
        float x, y, z;
    } set[] = {
        {"LFHD", LMB_HUMAN_HEAD, 0.06f, 0.12f, 0.10f},
        {"RFHD", LMB_HUMAN_HEAD, -0.08f, 0.13f, 0.09f},
        {"LBHD", LMB_HUMAN_HEAD, 0.08f, 0.15f, -0.08f},
        {"RBHD", LMB_HUMAN_HEAD, -0.06f, 0.14f, -0.09f},
        {"C7", LMB_HUMAN_NECK, 0.01f, 0.01f, -0.07f},
        {"T10", LMB_HUMAN_UPPER_CHEST, 0.01f, -0.05f, -0.14f},
        {"CLAV", LMB_HUMAN_UPPER_CHEST, 0.01f, 0.08f, 0.09f},
        {"STRN", LMB_HUMAN_UPPER_CHEST, 0, -0.06f, 0.14f},
        {"RBAK", LMB_HUMAN_UPPER_CHEST, -0.1f, 0.03f, -0.12f},
        {"LASI", LMB_HUMAN_HIPS, 0.12f, 0.05f, 0.10f},
        {"RASI", LMB_HUMAN_HIPS, -0.13f, 0.04f, 0.09f},
        {"LPSI", LMB_HUMAN_HIPS, 0.05f, 0.03f, -0.12f},
        {"RPSI", LMB_HUMAN_HIPS, -0.04f, 0.04f, -0.11f},
        {"LSHO", LMB_HUMAN_LEFT_SHOULDER, 0.15f, 0.08f, 0.01f},
        {"LUPA", LMB_HUMAN_LEFT_UPPER_ARM, 0.13f, 0.03f, -0.05f},
        {"LELB", LMB_HUMAN_LEFT_UPPER_ARM, 0.29f, 0.03f, -0.04f},
        {"LFRM", LMB_HUMAN_LEFT_LOWER_ARM, 0.11f, 0.04f, 0.01f},
        {"LWRA", LMB_HUMAN_LEFT_LOWER_ARM, 0.20f, 0.02f, 0.04f},
        {"LWRB", LMB_HUMAN_LEFT_LOWER_ARM, 0.19f, 0.01f, -0.05f},
        {"LFIN", LMB_HUMAN_LEFT_HAND, 0.07f, 0.02f, 0.01f},
        {"RSHO", LMB_HUMAN_RIGHT_SHOULDER, -0.15f, 0.07f, 0.01f},
        {"RUPA", LMB_HUMAN_RIGHT_UPPER_ARM, -0.16f, 0.03f, -0.04f},
        {"RELB", LMB_HUMAN_RIGHT_UPPER_ARM, -0.29f, 0.02f, -0.04f},
        {"RFRM", LMB_HUMAN_RIGHT_LOWER_ARM, -0.13f, 0.04f, 0.01f},
        {"RWRA", LMB_HUMAN_RIGHT_LOWER_ARM, -0.20f, 0.02f, 0.05f},
        {"RWRB", LMB_HUMAN_RIGHT_LOWER_ARM, -0.20f, 0.01f, -0.04f},
        {"RFIN", LMB_HUMAN_RIGHT_HAND, -0.07f, 0.03f, 0},
        {"LTHI", LMB_HUMAN_LEFT_UPPER_LEG, 0.10f, -0.22f, 0.01f},
        {"LKNE", LMB_HUMAN_LEFT_UPPER_LEG, 0.17f, -0.38f, 0.01f},
        {"LTIB", LMB_HUMAN_LEFT_LOWER_LEG, 0.10f, -0.22f, 0.01f},
        {"LANK", LMB_HUMAN_LEFT_LOWER_LEG, 0.17f, -0.38f, -0.01f},
        {"LHEE", LMB_HUMAN_LEFT_FOOT, 0, -0.04f, -0.07f},
        {"LTOE", LMB_HUMAN_LEFT_FOOT, 0.01f, -0.06f, 0.14f},
        {"RTHI", LMB_HUMAN_RIGHT_UPPER_LEG, -0.11f, -0.18f, 0.02f},
        {"RKNE", LMB_HUMAN_RIGHT_UPPER_LEG, -0.17f, -0.38f, 0.01f},
        {"RTIB", LMB_HUMAN_RIGHT_LOWER_LEG, -0.10f, -0.20f, 0.01f},
        {"RANK", LMB_HUMAN_RIGHT_LOWER_LEG, -0.17f, -0.38f, 0},
        {"RHEE", LMB_HUMAN_RIGHT_FOOT, 0.01f, -0.05f, -0.06f},
        {"RTOE", LMB_HUMAN_RIGHT_FOOT, -0.01f, -0.05f, 0.15f},
        {"cluster A", LMB_HUMAN_LEFT_LOWER_LEG, 0.13f, -0.15f, 0.05f},
        {"cluster B", LMB_HUMAN_RIGHT_UPPER_ARM, -0.08f, 0.05f, 0.03f},
    };
    lmb_joint_map map;
    *count = sizeof set / sizeof *set;
    if (lmb_joint_map_make(character->skeleton, NULL, &map, NULL) != LMB_OK) {
        return NULL;
    }
    for (uint32_t m = 0; m < *count; ++m) {
        const int32_t j = map.bones[set[m].bone].joint;
        out_list[m] = (test_marker){set[m].name, character->skeleton->names[j < 0 ? 0 : j],
                                    lmb_vec3_make(set[m].x, set[m].y, set[m].z)};
    }
    return test_record(character, out_list, *count, rate, noise);
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
