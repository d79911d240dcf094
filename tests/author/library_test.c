// Every human's motion of the library on three bodies: an adult, a child, a giant. Feet keep still,
// skin keeps out of the ground, joints keep near what people can do, hands keep out of the trunk.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "bodies/bodies.h"
#include "limber/anim.h"
#include "limber/author.h"
#include "limber/procedural.h"
#include "made_bodies.h"

#define DEGREE (LMB_PI / 180)

typedef struct subject {
    lmb_made_body *body;
    lmb_joint_map map;
    lmb_joint_limit *limits;
    lmb_transform *local, *model;
} subject;

static subject make_subject(uint64_t seed, float scale)
{
    const lmb_made_body_opts opts = {.seed = seed,
                                     .pose = LMB_MADE_POSE_A,
                                     .triangle_count = 2000,
                                     .whole = true,
                                     .bare = true,
                                     .rigged = true,
                                     .scale = scale};
    subject s = {0};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &s.body, NULL), LMB_OK);
    const lmb_skeleton *sk = s.body->character->skeleton;
    s.limits = calloc(sk->joint_count, sizeof *s.limits);
    s.local = calloc(sk->joint_count, sizeof *s.local);
    s.model = calloc(sk->joint_count, sizeof *s.model);
    assert_int_equal(lmb_joint_map_make(sk, NULL, &s.map, NULL), LMB_OK);
    assert_int_equal(lmb_joint_map_limits(&s.map, sk, NULL, s.limits, NULL), LMB_OK);
    return s;
}

static void destroy_subject(subject *s)
{
    lmb_made_body_destroy(s->body);
    free(s->limits);
    free(s->local);
    free(s->model);
}

static void pose_subject(subject *s, const lmb_clip *clip, double time_s)
{
    const lmb_skeleton *sk = s->body->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = time_s,
                                 .joint_count = sk->joint_count,
                                 .rest = sk->rest,
                                 .pose = s->local});
    for (uint32_t j = 0; j < sk->joint_count; ++j) {
        s->model[j] = sk->parents[j] < 0 ? s->local[j]
                                         : lmb_transform_mul(s->model[sk->parents[j]], s->local[j]);
    }
}

/// Degrees by which the worst joint passes its limit, less what is allowed: the limits of arms count
/// a twist since the rest pose that arms above the head share with the collar bone, and those of
/// toes the foot's roll. A hand's curl is no motion's own.
static float worst_excess(const subject *s, const char **name)
{
    const lmb_skeleton *sk = s->body->character->skeleton;
    float worst = 0;
    for (int bone = 0; bone < LMB_HUMAN_LEFT_THUMB_METACARPAL; ++bone) {
        const int32_t j = s->map.bones[bone].joint;
        if (j < 0) {
            continue;
        }
        const bool is_arm = bone >= LMB_HUMAN_LEFT_SHOULDER,
                   is_toe = bone == LMB_HUMAN_LEFT_TOES || bone == LMB_HUMAN_RIGHT_TOES;
        const float allowed = (is_arm ? 40.0f : is_toe ? 30.0f : 25.0f) * DEGREE;
        const float excess =
            lmbi_joint_limit_excess(&s->limits[j], sk->rest[j], s->local[j], NULL) - allowed;
        if (excess > worst) {
            worst = excess;
            *name = sk->names[j];
        }
    }
    return worst / DEGREE;
}

static lmb_vec3 at(const subject *s, lmb_human_bone bone)
{
    return s->model[s->map.bones[bone].joint].translation;
}

/// Distance of the nearer wrist from the line hips to chest, over half the hips' width.
static float trunk_clearance(const subject *s)
{
    const lmb_vec3 hips = at(s, LMB_HUMAN_HIPS), up = lmb_vec3_sub(at(s, LMB_HUMAN_NECK), hips);
    const float radius =
        0.5f * lmb_vec3_distance(at(s, LMB_HUMAN_LEFT_UPPER_LEG), at(s, LMB_HUMAN_RIGHT_UPPER_LEG));
    float nearest = INFINITY;
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 hand =
            lmb_vec3_sub(at(s, side == 0 ? LMB_HUMAN_LEFT_HAND : LMB_HUMAN_RIGHT_HAND), hips);
        const float along = lmb_vec3_dot(hand, up) / lmb_vec3_dot(up, up);
        if (along > 0 && along < 1) {
            nearest = fminf(nearest, lmb_vec3_length(lmb_vec3_mad(hand, up, -along)) / radius);
        }
    }
    return nearest;
}

static bool floats(const char *tags)
{
    return strstr(tags, "swim") != NULL || strstr(tags, "climb") != NULL;
}

static void check_motion(subject *s, const lmb_motion_file *file)
{
    lmb_motion *motion = NULL;
    lmb_character *source = NULL;
    lmb_animate_report report;
    assert_int_equal(lmb_motion_read(file->text, file->size, NULL, &motion, NULL), LMB_OK);
    const lmb_motion_info info = lmb_motion_describe(motion);
    // The generated wave turns its palm in the forearm alone.
    const bool is_wave = strcmp(file->name, "wave") == 0;
    if (info.body == LMB_MOTION_HUMAN) {
        assert_int_equal(lmb_motion_perform(motion, NULL, NULL, &source, NULL), LMB_OK);
        const lmb_animate_opts opts = {.rigging = LMB_ANIMATE_KEEP_RIG};
        assert_int_equal(lmb_animate(&s->body->character, source, 0, &opts, &report, NULL, NULL),
                         LMB_OK);
        const lmb_clip *clip = s->body->character->clips[0];
        const float unit = s->body->height / 1.75f;
        const char *joint = "";
        float excess = 0, clearance = INFINITY;
        for (int k = 0; k < 40; ++k) {
            pose_subject(s, clip, (double)lmb_clip_duration_s(clip) * k / 40);
            excess = fmaxf(excess, worst_excess(s, &joint));
            clearance = fminf(clearance, trunk_clearance(s));
        }
        if (!(floats(info.tags) ||
              (report.feet_after.slide_m_s < 0.045f * unit &&
               report.clearance.min_m > -0.05f * unit && report.clearance.min_m < 0.05f * unit))) {
            fail_msg("%s: feet slide at %g m/s, skin from %g m", file->name,
                     (double)report.feet_after.slide_m_s, (double)report.clearance.min_m);
        }
        if (!((is_wave || excess <= 0) && clearance > 0.75f)) {
            fail_msg("%s: %s passes its limit by %g degrees, hands at %g of the trunk", file->name,
                     joint, (double)excess, (double)clearance);
        }
    }
    lmb_character_destroy(source);
    lmb_motion_destroy(motion);
}

static void check_all(uint64_t seed, float scale)
{
    subject s = make_subject(seed, scale);
    size_t count = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    for (size_t k = 0; k < count; ++k) {
        check_motion(&s, &files[k]);
    }
    destroy_subject(&s);
}

static void on_an_adult(void **state)
{
    (void)state;
    check_all(5, 1);
}

static void on_a_child(void **state)
{
    (void)state;
    check_all(6, 1);
}

static void on_a_giant(void **state)
{
    (void)state;
    check_all(16, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_an_adult),
        cmocka_unit_test(on_a_child),
        cmocka_unit_test(on_a_giant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
