// Motions projected by known cameras and lifted again: from in front, at an angle, from the side
// and from behind, with exact keypoints and with 5 px of noise on a body of about a thousand
// pixels. With file names, their first clips (see --help); else a made walk. One JSON object a
// line: mean distance of the twelve joints of the limbs, the middle of the hips laid on each other,
// in millimetres; the share of joints farther off than a decimetre; the distance of the hips.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/limbs.h"
#include "io/bvh/bvh.h"
#include "io/fbx/fbx.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "posed.h"

/// The motion's own joints over time, at 60 Hz or the clip's.
typedef struct truth {
    lmb_character *body;
    uint32_t frame_count;
    float rate;
    lmb_vec3 (*joints)[LIMBS];
    float height, heading_rad; ///< where the hips face in the mean
} truth;

typedef struct camera {
    float yaw_rad, pitch_rad, distance, focal, height; ///< of the camera over the hips
    lmb_vec3 middle;
} camera;

typedef struct outcome {
    double mean_mm, far_share, depth_m, seconds;
} outcome;

static void fail(const char *what)
{
    fprintf(stderr, "lift_bench: %s\n", what);
    exit(1);
}

static lmb_vec3 hips_of(const lmb_vec3 *joints)
{
    return lmb_vec3_lerp(joints[6], joints[7], 0.5f);
}

static void take_frame(truth *t, const lmb_joint_map *map, uint32_t f, lmb_transform *pose)
{
    const lmb_skeleton *skeleton = t->body->skeleton;
    test_pose_at(skeleton, t->body->clips[0], (double)f / (double)t->rate, pose);
    for (int i = 0; i < LIMBS; ++i) {
        const int32_t j = map->bones[limbs[i].bone].joint;
        if (j < 0) {
            fail("a joint of a limb is missing");
        }
        t->joints[f][i] = pose[j].translation;
    }
}

/// Height of the joints at rest, as the lift has it too.
static float rest_height(const lmb_skeleton *skeleton, lmb_transform *pose)
{
    float low = 1e9f, high = -1e9f;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        pose[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(pose[parent], skeleton->rest[j]);
        low = fminf(low, pose[j].translation.y);
        high = fmaxf(high, pose[j].translation.y);
    }
    return high - low;
}

static truth take_motion(lmb_character *body)
{
    truth t = {.body = body, .rate = 60};
    lmb_joint_map map;
    if (body->clip_count == 0 || lmb_joint_map_of_character(body, NULL, &map, NULL) != LMB_OK) {
        fail("no clip, or no memory");
    }
    t.frame_count = (uint32_t)(lmb_clip_duration_s(body->clips[0]) * t.rate) + 1;
    t.joints = calloc(t.frame_count, sizeof *t.joints);
    lmb_transform *pose = calloc(body->skeleton->joint_count, sizeof *pose);
    lmb_vec3 across = {0, 0, 0};
    t.height = rest_height(body->skeleton, pose);
    for (uint32_t f = 0; f < t.frame_count; ++f) {
        take_frame(&t, &map, f, pose);
        across = lmb_vec3_add(across, lmb_vec3_sub(t.joints[f][6], t.joints[f][7]));
    }
    // The left hip is at +X of who faces +Z.
    t.heading_rad = atan2f(-across.z, across.x);
    free(pose);
    return t;
}

static lmb_vec3 turn(lmb_vec3 p, lmb_vec3 axis, float angle)
{
    return lmb_quat_rotate(lmb_quat_axis_angle(axis, angle), p);
}

static lmb_vec3 seen_by(const camera *c, lmb_vec3 p)
{
    static const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    lmb_vec3 q = turn(lmb_vec3_sub(p, c->middle), y, c->yaw_rad);
    q.y -= c->height;
    q.z -= c->distance;
    return turn(q, x, c->pitch_rad);
}

/// A camera that has the whole motion before it; 0 degrees is in front of the body.
static camera place_camera(const truth *t, float view_deg, float height, float distance_share,
                           float pitch_rad)
{
    camera c = {.yaw_rad = view_deg * LMB_PI / 180 - t->heading_rad,
                .height = height * t->height,
                .pitch_rad = pitch_rad,
                .middle = hips_of(t->joints[t->frame_count / 2])};
    float reach = 0;
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        const lmb_vec3 way = lmb_vec3_sub(hips_of(t->joints[f]), c.middle);
        reach = fmaxf(reach, turn(way, lmb_vec3_make(0, 1, 0), c.yaw_rad).z);
    }
    c.distance = distance_share * t->height + reach;
    c.focal = 1000 * c.distance / t->height;
    return c;
}

static float normal(lmb_random *random)
{
    float sum = -6;
    for (int k = 0; k < 12; ++k) {
        sum += lmb_random_unit(random);
    }
    return sum;
}

static lmb_keypoints project(const truth *t, const camera *c, float noise)
{
    lmb_keypoints k = {
        .frame_rate = t->rate, .width = 1920, .height = 1080, .frame_count = t->frame_count};
    lmb_random random = lmb_random_seed(11);
    k.points = calloc((size_t)k.frame_count * LMB_KEYPOINT_COUNT, sizeof *k.points);
    k.confidence = calloc((size_t)k.frame_count * LMB_KEYPOINT_COUNT, sizeof *k.confidence);
    for (uint32_t f = 0; f < k.frame_count; ++f) {
        for (int i = 0; i < LIMBS; ++i) {
            const lmb_vec3 p = seen_by(c, t->joints[f][i]);
            const size_t at = (size_t)f * LMB_KEYPOINT_COUNT + (size_t)limbs[i].keypoint;
            k.points[at].x = 960 + c->focal * p.x / -p.z + noise * normal(&random);
            k.points[at].y = 540 + c->focal * p.y / p.z + noise * normal(&random);
            k.confidence[at] = 1;
        }
    }
    return k;
}

static outcome compare(const truth *t, const camera *c, const lmb_lift *lift)
{
    truth got = *t;
    lmb_joint_map map;
    outcome out = {0};
    lmb_character body = *t->body;
    lmb_clip *clips[1] = {lift->clip};
    lmb_transform *pose = calloc(body.skeleton->joint_count, sizeof *pose);
    body.clips = clips;
    got.body = &body;
    got.joints = calloc(t->frame_count, sizeof *got.joints);
    (void)lmb_joint_map_of_character(t->body, NULL, &map, NULL);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        take_frame(&got, &map, f, pose);
        lmb_vec3 truth_joints[LIMBS];
        for (int i = 0; i < LIMBS; ++i) {
            truth_joints[i] = seen_by(c, t->joints[f][i]);
            got.joints[f][i] = lmb_vec3_sub(got.joints[f][i], lift->camera);
        }
        const lmb_vec3 off = lmb_vec3_sub(hips_of(got.joints[f]), hips_of(truth_joints));
        out.depth_m += fabs((double)off.z) / t->frame_count;
        for (int i = 0; i < LIMBS; ++i) {
            const float way =
                lmb_vec3_distance(lmb_vec3_sub(got.joints[f][i], off), truth_joints[i]);
            out.mean_mm += 1000 * (double)way / (LIMBS * t->frame_count);
            out.far_share += (way > 0.1f) / (double)(LIMBS * t->frame_count);
        }
    }
    free(got.joints);
    free(pose);
    return out;
}

static outcome run(const truth *t, const camera *c, float noise)
{
    lmb_keypoints k = project(t, c, noise);
    lmb_lift *lift = NULL;
    lmb_error error = {0};
    const double begin = lmb_clock_s();
    if (lmb_lift_keypoints(t->body, &k, &(lmb_lift_opts){.focal_px = c->focal}, NULL, &lift,
                           &error) != LMB_OK) {
        fail(error.found);
    }
    outcome out = compare(t, c, lift);
    out.seconds = lmb_clock_s() - begin;
    lmb_lift_destroy(lift);
    free(k.points);
    free(k.confidence);
    return out;
}

static void measure(const char *name, const truth *t, bool whole)
{
    static const struct {
        const char *name;
        float view_deg, height, distance, pitch_rad;
    } views[] = {{"front", 0, 0, 2.2f, 0},         {"three quarters", 45, 0, 2.2f, 0},
                 {"side", 90, 0, 2.2f, 0},         {"back", 180, 0, 2.2f, 0},
                 {"behind left", 215, 0, 2.2f, 0}, {"front left", -20, 0.4f, 2.2f, 0},
                 {"far side", -80, 0.3f, 6, 0},    {"above", 40, 0.6f, 2.6f, 0.25f}};
    for (size_t v = 0; v < (whole ? sizeof views / sizeof *views : 2); ++v) {
        const camera c = place_camera(t, views[v].view_deg, views[v].height, views[v].distance,
                                      views[v].pitch_rad);
        const outcome exact = run(t, &c, 0), noisy = run(t, &c, 5);
        printf("{\"bench\": \"lift\", \"file\": \"%s\", \"view\": \"%s\", \"frames\": %u, "
               "\"exact_mm\": %.1f, \"exact_far\": %.3f, \"exact_depth_m\": %.3f, "
               "\"noisy_mm\": %.1f, \"noisy_far\": %.3f, \"noisy_depth_m\": %.3f, "
               "\"seconds\": %.1f}\n",
               name, views[v].name, (unsigned)t->frame_count, exact.mean_mm, exact.far_share,
               exact.depth_m, noisy.mean_mm, noisy.far_share, noisy.depth_m, exact.seconds);
        fflush(stdout);
    }
}

static lmb_character *read_bvh(const char *path)
{
    lmb_file file = {0};
    lmb_character *out = NULL;
    lmb_error error = {0};
    if (lmb_file_read(path, 0, &file, &error) != LMB_OK) {
        fail(error.found);
    }
    const char *dot = strrchr(path, '.');
    const lmb_result result = dot != NULL && strcmp(dot, ".fbx") == 0
                                  ? lmbi_fbx_read(file.data, file.size, NULL, NULL, &out, &error)
                                  : lmbi_bvh_read(file.data, file.size, NULL, NULL, &out, &error);
    lmb_file_free(&file);
    if (result != LMB_OK) {
        fail(error.found);
    }
    return out;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        lmb_character *body = read_bvh(argv[i]);
        const char *slash = strrchr(argv[i], '/');
        truth t = take_motion(body);
        measure(slash != NULL ? slash + 1 : argv[i], &t, true);
        free(t.joints);
        lmb_character_destroy(body);
    }
    if (argc < 2) {
        lmb_character *body = NULL;
        if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &body, NULL) !=
            LMB_OK) {
            fail("no memory");
        }
        truth t = take_motion(body);
        measure("made walk", &t, false);
        free(t.joints);
        lmb_character_destroy(body);
    }
    return 0;
}
