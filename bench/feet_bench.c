// How still feet stand after retargeting: every motion on every body, beside the motion itself.
//
//   feet_bench BODY.glb… -- MOTION.bvh…     (.glb, .vrm, .fbx, .bvh; the first clip of each)
//
// Measured at 60 Hz on bodies of 1.75 m, ankles and toes: `slide` is the mean of v (2 - 2^(h/H))
// where h < H = 2.5 cm (Zhang et al. 2018), v the speed along the ground and h the height over the
// joint's own lowest (second percentile); `planted` the share of frames in which a foot is low and
// hardly rises (5 cm/s) yet slides by more than 2.5 cm/s; `below` how far a joint dips under its
// lowest; `pop` the largest acceleration of knees and ankles over the motion's own. JSON on stdout,
// the table on stderr.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bvh/bvh.h"
#include "io/fbx/fbx.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "posed.h"

#define LOW_CM 2.5f
#define ASKED_SLIDE 0.4f
#define ASKED_PLANTED 0.05f
#define ASKED_BELOW_CM 0.5f

enum { POINTS = 6 }; // left ankle, toes, knee; right
static const lmb_human_bone point_bones[POINTS] = {
    LMB_HUMAN_LEFT_FOOT,  LMB_HUMAN_LEFT_TOES,  LMB_HUMAN_LEFT_LOWER_LEG,
    LMB_HUMAN_RIGHT_FOOT, LMB_HUMAN_RIGHT_TOES, LMB_HUMAN_RIGHT_LOWER_LEG};

typedef struct measure {
    float slide_cm_s, planted_share, below_cm, pop_m_s2;
} measure;

static lmb_character *read_character(const char *path)
{
    lmb_file file;
    lmb_error error = {0};
    lmb_character *out = NULL;
    const char *end = strrchr(path, '.');
    if (lmb_file_read(path, 0, &file, &error) != LMB_OK) {
        fprintf(stderr, "feet_bench: %s: cannot be read\n", path);
        exit(1);
    }
    lmb_result result;
    if (end != NULL && strcmp(end, ".bvh") == 0) {
        result = lmbi_bvh_read(file.data, file.size, NULL, NULL, &out, &error);
    } else if (end != NULL && strcmp(end, ".fbx") == 0) {
        result = lmbi_fbx_read(file.data, file.size, NULL, NULL, &out, &error);
    } else {
        result = lmb_gltf_read(file.data, file.size, NULL, NULL, &out, &error);
    }
    if (result != LMB_OK) {
        fprintf(stderr, "feet_bench: %s: expected %s, found %s\n", path, error.expected,
                error.found);
        exit(1);
    }
    lmb_file_free(&file);
    return out;
}

/// Centimetres on a body of 1.75 m: by the heights of what hangs from the hips in the first frame.
static float size_of(const lmb_character *character, const lmb_transform *pose, int32_t hips)
{
    const lmb_skeleton *skeleton = character->skeleton;
    float low = INFINITY, high = -INFINITY;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        int32_t above = (int32_t)j;
        while (above > hips) {
            above = skeleton->parents[above];
        }
        if (above == hips) {
            const lmb_vec3 tip =
                skeleton->tips != NULL ? skeleton->tips[j] : lmb_vec3_make(0, 0, 0);
            const float a = pose[j].translation.y, b = lmb_transform_point(pose[j], tip).y;
            low = fminf(low, fminf(a, b));
            high = fmaxf(high, fmaxf(a, b));
        }
    }
    return 175.0f / (high - low);
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float ground_of(const lmb_vec3 *track, uint32_t count)
{
    float *heights = calloc(count, sizeof(*heights));
    for (uint32_t f = 0; f < count; ++f) {
        heights[f] = track[f].y;
    }
    qsort(heights, count, sizeof(*heights), by_size);
    const float low = heights[count / 50];
    free(heights);
    return low;
}

static float ground_speed(const lmb_vec3 *track, uint32_t f)
{
    const float x = track[f].x - track[f - 1].x, z = track[f].z - track[f - 1].z;
    return 60.0f * sqrtf(x * x + z * z);
}

static float slide_of(const lmb_vec3 *track, uint32_t count, float ground, float *below)
{
    float sum = 0.0f;
    for (uint32_t f = 0; f < count; ++f) {
        const float h = fmaxf(0.0f, track[f].y - ground);
        *below = fmaxf(*below, ground - track[f].y);
        sum += f > 0 && h < LOW_CM ? ground_speed(track, f) * (2.0f - exp2f(h / LOW_CM)) : 0.0f;
    }
    return sum / (float)(count - 1);
}

static float pop_of(const lmb_vec3 *track, uint32_t count)
{
    float most = 0.0f;
    for (uint32_t f = 1; f + 1 < count; ++f) {
        const lmb_vec3 twice = lmb_vec3_scale(track[f], 2.0f);
        const lmb_vec3 turn = lmb_vec3_sub(lmb_vec3_add(track[f - 1], track[f + 1]), twice);
        most = fmaxf(most, 3600.0f * lmb_vec3_length(turn));
    }
    return 0.01f * most;
}

/// Of the frames in which the lower joint of a foot is low and hardly rises, how many slide.
static void count_planted(lmb_vec3 *const points[2], const float grounds[2], uint32_t count,
                          uint32_t *planted, uint32_t *sliding)
{
    for (uint32_t f = 1; f < count; ++f) {
        const int k = points[1] != NULL && points[1][f].y < points[0][f].y ? 1 : 0;
        const lmb_vec3 *p = points[k];
        if (p[f].y - grounds[k] < LOW_CM && 60.0f * fabsf(p[f].y - p[f - 1].y) < 5.0f) {
            ++*planted;
            *sliding += ground_speed(p, f) > 2.5f ? 1 : 0;
        }
    }
}

static measure measure_clip(const lmb_character *character, const lmb_clip *clip,
                            const lmb_joint_map *map, double from_s)
{
    measure m = {0, 0, 0, 0};
    const double duration = (double)lmb_clip_duration_s(clip) - from_s;
    const uint32_t count = (uint32_t)(duration * 60.0);
    lmb_vec3 *tracks[POINTS] = {NULL};
    float grounds[POINTS] = {0};
    lmb_transform *pose = calloc(character->skeleton->joint_count, sizeof(*pose));
    test_pose_at(character->skeleton, clip, from_s, pose);
    const float size = size_of(character, pose, map->bones[LMB_HUMAN_HIPS].joint);
    for (int k = 0; k < POINTS && count > 2; ++k) {
        if (map->bones[point_bones[k]].joint >= 0) {
            tracks[k] = calloc(count, sizeof(**tracks));
        }
    }
    for (uint32_t f = 0; f < count && count > 2; ++f) {
        test_pose_at(character->skeleton, clip, from_s + (double)f / 60.0, pose);
        for (int k = 0; k < POINTS; ++k) {
            if (tracks[k] != NULL) {
                tracks[k][f] =
                    lmb_vec3_scale(pose[map->bones[point_bones[k]].joint].translation, size);
            }
        }
    }
    uint32_t planted = 0, sliding = 0;
    float joints = 0.0f;
    for (int k = 0; k < POINTS; ++k) {
        if (tracks[k] == NULL) {
            continue;
        }
        m.pop_m_s2 = k % 3 == 1 ? m.pop_m_s2 : fmaxf(m.pop_m_s2, pop_of(tracks[k], count));
        if (k % 3 < 2) {
            grounds[k] = ground_of(tracks[k], count);
            m.slide_cm_s += slide_of(tracks[k], count, grounds[k], &m.below_cm);
            joints += 1.0f;
        }
    }
    for (int k = 0; k < POINTS; k += 3) {
        if (tracks[k] != NULL) {
            count_planted(&tracks[k], &grounds[k], count, &planted, &sliding);
        }
    }
    m.slide_cm_s /= joints > 0 ? joints : 1.0f;
    m.planted_share = planted > 0 ? (float)sliding / (float)planted : 0.0f;
    for (int k = 0; k < POINTS; ++k) {
        free(tracks[k]);
    }
    free(pose);
    return m;
}

typedef struct tally {
    uint32_t pairs, slide, planted, below;
    float worst_pop;
} tally;

static void run_pair(const char *body_name, const lmb_character *body, const char *motion_name,
                     const lmb_character *motion, tally *all)
{
    lmb_retarget_report report;
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    if (lmb_retarget(body, motion, 0, NULL, NULL, &clip, &report, &error) != LMB_OK) {
        fprintf(stderr, "%-26s %-20s %s\n", motion_name, body_name, error.found);
        return;
    }
    const double begin =
        report.dropped_frames > 0 ? (double)report.dropped_frames / (double)report.frame_rate : 0.0;
    const measure own = measure_clip(motion, motion->clips[0], &report.source_map, begin),
                  out = measure_clip(body, clip, &report.target_map, 0.0);
    const float ratio = own.slide_cm_s > 0 ? out.slide_cm_s / own.slide_cm_s : 0.0f,
                pop = own.pop_m_s2 > 0 ? out.pop_m_s2 / own.pop_m_s2 : 0.0f;
    ++all->pairs;
    all->slide += ratio <= ASKED_SLIDE ? 1 : 0;
    all->planted += out.planted_share <= ASKED_PLANTED ? 1 : 0;
    all->below += out.below_cm <= ASKED_BELOW_CM ? 1 : 0;
    all->worst_pop = fmaxf(all->worst_pop, pop);
    fprintf(stderr,
            "%-26s %-20s slide %6.2f to %5.2f, %4.2f%s planted %5.1f to %4.1f%%%s below %4.2f to "
            "%4.2f%s pop %4.2f\n",
            motion_name, body_name, (double)own.slide_cm_s, (double)out.slide_cm_s, (double)ratio,
            ratio <= ASKED_SLIDE ? " " : "!", 100.0 * (double)own.planted_share,
            100.0 * (double)out.planted_share, out.planted_share <= ASKED_PLANTED ? " " : "!",
            (double)own.below_cm, (double)out.below_cm, out.below_cm <= ASKED_BELOW_CM ? " " : "!",
            (double)pop);
    printf("{\"bench\": \"feet\", \"motion\": \"%s\", \"body\": \"%s\", \"slide_own_cm_s\": %.3f, "
           "\"slide_cm_s\": %.3f, \"planted_share\": %.4f, \"below_cm\": %.3f, \"pop\": %.3f}\n",
           motion_name, body_name, (double)own.slide_cm_s, (double)out.slide_cm_s,
           (double)out.planted_share, (double)out.below_cm, (double)pop);
    lmb_clip_destroy(clip);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int main(int argc, char **argv)
{
    int split = 1;
    while (split < argc && strcmp(argv[split], "--") != 0) {
        ++split;
    }
    if (split == 1 || split + 1 >= argc) {
        fprintf(stderr, "usage: feet_bench BODY... -- MOTION...\n");
        return 2;
    }
    tally all = {0};
    for (int m = split + 1; m < argc; ++m) {
        lmb_character *motion = read_character(argv[m]);
        for (int b = 1; b < split && motion->clip_count > 0; ++b) {
            lmb_character *body = read_character(argv[b]);
            run_pair(base_name(argv[b]), body, base_name(argv[m]), motion, &all);
            lmb_character_destroy(body);
        }
        lmb_character_destroy(motion);
    }
    fprintf(stderr, "%u pairs: slide %u, planted %u, below %u as asked; largest pop %.2f\n",
            all.pairs, all.slide, all.planted, all.below, (double)all.worst_pop);
    return 0;
}
