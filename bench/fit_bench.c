// How fast recorded points become motions: the places of joints, two markers a segment with 1 mm of
// noise, and keypoints of one camera, exact and with 5 px of noise. A walk made here, 60 Hz, on one
// core; one JSON object a line: frames, seconds of the fastest of three runs, frames a second.
#include <stdio.h>
#include <stdlib.h>

#include "capture/limbs.h"
#include "limber/limber.h"
#include "limber/os.h"

enum { RUNS = 3, MOST = 2 * LMB_HUMAN_BONE_COUNT };

typedef struct motion {
    lmb_character *body;
    lmb_joint_map map;
    uint32_t frame_count, joint_count;
    lmb_transform *model; ///< [frame_count][joint_count]
} motion;

static void fail(const char *what)
{
    fprintf(stderr, "fit_bench: %s\n", what);
    exit(1);
}

static motion make_motion(void)
{
    motion m = {0};
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &m.body, NULL) !=
            LMB_OK ||
        lmb_joint_map_of_character(m.body, NULL, &m.map, NULL) != LMB_OK) {
        fail("no memory");
    }
    const lmb_skeleton *s = m.body->skeleton;
    m.joint_count = s->joint_count;
    m.frame_count = (uint32_t)(lmb_clip_duration_s(m.body->clips[0]) * 60) + 1;
    m.model = calloc((size_t)m.frame_count * m.joint_count, sizeof *m.model);
    for (uint32_t f = 0; f < m.frame_count; ++f) {
        lmb_transform *pose = m.model + (size_t)f * m.joint_count;
        lmb_sample(&(lmb_sample_job){.clip = m.body->clips[0],
                                     .time_s = (double)f / 60,
                                     .joint_count = s->joint_count,
                                     .rest = s->rest,
                                     .pose = pose});
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            if (s->parents[j] >= 0) {
                pose[j] = lmb_transform_mul(pose[s->parents[j]], pose[j]);
            }
        }
    }
    return m;
}

static float noise_of(lmb_random *random, float size)
{
    return lmb_random_range(random, -size, size);
}

/// `each` points at every mapped joint: at it, or beside it.
static lmb_markers *record(const motion *m, uint32_t each, float noise, int32_t *joints)
{
    static const lmb_vec3 beside[2] = {{0.03f, 0.02f, 0.05f}, {-0.04f, -0.03f, 0.03f}};
    static char names[MOST][40];
    static const char *list[MOST];
    uint32_t count = 0;
    for (int bone = 0; bone < LMB_HUMAN_LEFT_THUMB_METACARPAL; ++bone) {
        for (uint32_t k = 0; m->map.bones[bone].joint >= 0 && k < each; ++k) {
            joints[count] = m->map.bones[bone].joint;
            snprintf(names[count], sizeof *names, "%s%u", lmb_human_bone_name((lmb_human_bone)bone),
                     k);
            list[count] = names[count];
            ++count;
        }
    }
    lmb_vec3 *points = calloc((size_t)m->frame_count * count, sizeof *points);
    lmb_random random = lmb_random_seed(7);
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        for (uint32_t k = 0; k < count; ++k) {
            const lmb_vec3 at = each > 1 ? beside[k % 2] : (lmb_vec3){0, 0, 0};
            lmb_vec3 p =
                lmb_transform_point(m->model[(size_t)f * m->joint_count + (size_t)joints[k]], at);
            p = lmb_vec3_add(p, lmb_vec3_make(noise_of(&random, noise), noise_of(&random, noise),
                                              noise_of(&random, noise)));
            points[(size_t)f * count + k] = p;
        }
    }
    lmb_markers *out = NULL;
    const lmb_markers def = {.name = "walk",
                             .marker_count = count,
                             .frame_count = m->frame_count,
                             .frame_rate = 60,
                             .names = list,
                             .positions = points};
    if (lmb_markers_create(&def, NULL, &out, NULL) != LMB_OK) {
        fail("no memory");
    }
    free(points);
    return out;
}

static void say(const char *what, uint32_t frames, double seconds)
{
    printf("{\"bench\": \"fit\", \"points\": \"%s\", \"frames\": %u, \"seconds\": %.3f, "
           "\"frames_per_s\": %.0f}\n",
           what, (unsigned)frames, seconds, (double)frames / seconds);
    fflush(stdout);
}

static void time_points(const motion *m, const char *what, uint32_t each, float noise,
                        lmb_fit_kind kind)
{
    int32_t joints[MOST];
    lmb_markers *points = record(m, each, noise, joints);
    double best = 1e9;
    for (int run = 0; run < RUNS; ++run) {
        lmb_fit *fit = NULL;
        lmb_error error = {0};
        const double begin = lmb_clock_s();
        if (lmb_fit_points(m->body, points, &(lmb_fit_opts){.kind = kind, .joints = joints}, NULL,
                           &fit, &error) != LMB_OK) {
            fail(error.found);
        }
        const double seconds = lmb_clock_s() - begin;
        best = seconds < best ? seconds : best;
        lmb_fit_destroy(fit);
    }
    say(what, m->frame_count, best);
    lmb_markers_destroy(points);
}

/// A level camera at the height of the hips, 3.6 m away, at an angle.
static lmb_keypoints see(const motion *m, float noise)
{
    lmb_keypoints k = {
        .frame_rate = 60, .width = 1920, .height = 1080, .frame_count = m->frame_count};
    lmb_random random = lmb_random_seed(11);
    k.points = calloc((size_t)k.frame_count * LMB_KEYPOINT_COUNT, sizeof *k.points);
    k.confidence = calloc((size_t)k.frame_count * LMB_KEYPOINT_COUNT, sizeof *k.confidence);
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        for (size_t i = 0; i < LIMBS; ++i) {
            const size_t joint = (size_t)m->map.bones[limbs[i].bone].joint,
                         at = (size_t)f * LMB_KEYPOINT_COUNT + (size_t)limbs[i].keypoint;
            lmb_vec3 p = m->model[(size_t)f * m->joint_count + joint].translation;
            p = lmb_quat_rotate(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.8f),
                                lmb_vec3_sub(p, lmb_vec3_make(0, 0.9f, 0.6f)));
            const float depth = 3.6f - p.z;
            k.points[at].x = 960 + 2000 * p.x / depth + noise_of(&random, 1.732f * noise);
            k.points[at].y = 540 - 2000 * p.y / depth + noise_of(&random, 1.732f * noise);
            k.confidence[at] = 1;
        }
    }
    return k;
}

static void time_keypoints(const motion *m, const char *what, float noise)
{
    lmb_keypoints k = see(m, noise);
    double best = 1e9;
    for (int run = 0; run < RUNS; ++run) {
        lmb_lift *lift = NULL;
        lmb_error error = {0};
        const double begin = lmb_clock_s();
        if (lmb_lift_keypoints(m->body, &k, &(lmb_lift_opts){.focal_px = 2000}, NULL, &lift,
                               &error) != LMB_OK) {
            fail(error.found);
        }
        const double seconds = lmb_clock_s() - begin;
        best = seconds < best ? seconds : best;
        lmb_lift_destroy(lift);
    }
    say(what, m->frame_count, best);
    free(k.points);
    free(k.confidence);
}

int main(void)
{
    motion m = make_motion();
    time_points(&m, "positions", 1, 0, LMB_FIT_POSITIONS);
    time_points(&m, "markers", 2, 0.001f, LMB_FIT_MARKERS);
    time_keypoints(&m, "keypoints, exact", 0);
    time_keypoints(&m, "keypoints, 5 px of noise", 5);
    free(m.model);
    lmb_character_destroy(m.body);
    return 0;
}
