// Interpolants and tangents: hand-worked answers and double precision; fewer keys within their
// bound.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "anim/channel.h"
#include "failing_allocator.h"
#include "limber/limber.h"
#include "near.h"

static void known_answers(void **state)
{
    (void)state;
    float in = 0, out = 0;
    lmbi_curve_tcb(1, 2, 0, 0, 0, &in, &out); // keys 0, 1, 3, 2 a unit apart: at the second, 1.5
    near((double)in, 1.5, 0);
    near((double)out, 1.5, 0);
    lmbi_curve_tcb(1, 2, 1, 0, 0, &in, &out);
    near((double)in, 0, 0);
    lmbi_curve_tcb(1, 3, 0, 0, 1, &in, &out);
    near((double)out, 1, 1e-7); // all from before
    near((double)lmbi_curve_monotone(1, -2), 0, 0);
    near((double)lmbi_curve_monotone(0.1f, 10), 0.3, 1e-6);
    near((double)lmbi_curve_monotone(-2, -1), -1.5, 0);
}

enum { KEYS = 240, JOINTS = 4 };

static lmb_skeleton *make_skeleton(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0, 1, 2};
    lmb_transform rest[JOINTS];
    const char *names[JOINTS] = {"a", "b", "c", "d"};
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation.y = 0.3f;
    }
    const lmb_skeleton def = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    return skeleton;
}

static lmb_clip *make_clip(void)
{
    static float ticks[KEYS], rotations[JOINTS][4 * KEYS], moves[3 * KEYS];
    lmb_channel channels[JOINTS + 1];
    for (uint32_t j = 0; j < JOINTS; ++j) {
        for (int k = 0; k < KEYS; ++k) {
            const lmb_quat q = lmb_quat_axis_angle(
                lmb_vec3_make(0, 0, 1), 0.4f * lmb_sin((float)k * 0.02f * (float)(j + 1)));
            ticks[k] = (float)k / 60;
            memcpy(&rotations[j][4 * k], &q, sizeof q);
            moves[3 * k] = k < 100 ? 0.01f * (float)k : 1;
        }
        channels[j] = (lmb_channel){j, LMB_PATH_ROTATION, LMB_LINEAR, 4, KEYS, ticks, rotations[j]};
    }
    channels[JOINTS] = (lmb_channel){0, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, KEYS, ticks, moves};
    const lmb_clip def = {
        .duration = ticks[KEYS - 1], .channel_count = JOINTS + 1, .channels = channels};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

static void fewer_keys_within_the_bound(void **state)
{
    (void)state;
    lmb_skeleton *skeleton = make_skeleton();
    lmb_clip *clip = make_clip(), *few = NULL;
    assert_int_equal(
        lmb_clip_apply(
            clip,
            &(lmb_clip_edit){.op = LMB_CLIP_REDUCE, .skeleton = skeleton, .precision_m = 1e-3f},
            NULL, &few, NULL),
        LMB_OK);
    assert_true(few->channels[JOINTS].key_count == 3); // a way, and a stop
    assert_true(few->channels[0].key_count < KEYS / 2);
    lmb_transform a[JOINTS], b[JOINTS];
    lmb_mat4 ma[JOINTS], mb[JOINTS];
    float worst = 0;
    for (int i = 0; i < 4 * KEYS; ++i) {
        const double t = i / 240.0;
        lmb_clip_to_model(clip, skeleton, t, a, ma);
        lmb_clip_to_model(few, skeleton, t, b, mb);
        for (int j = 0; j < JOINTS; ++j) {
            worst =
                fmaxf(worst, lmb_vec3_distance(lmb_mat4_point(ma[j], lmb_vec3_make(0.03f, 0, 0)),
                                               lmb_mat4_point(mb[j], lmb_vec3_make(0.03f, 0, 0))));
        }
    }
    assert_true(worst <= 1.02e-3f && worst > 1e-4f);
    lmb_clip_destroy(few);
    lmb_clip_destroy(clip);
    lmb_skeleton_destroy(skeleton);
}

static void smoothing_keeps_the_keys(void **state)
{
    (void)state;
    lmb_clip *clip = make_clip(), *smooth = NULL;
    for (int kind = LMB_TANGENTS_MONOTONE; kind <= LMB_TANGENTS_TCB; ++kind) {
        assert_int_equal(
            lmb_clip_apply(
                clip,
                &(lmb_clip_edit){.op = LMB_CLIP_SMOOTH,
                                 .tangents = (lmb_smooth_opts){.kind = (lmb_tangents)kind}},
                NULL, &smooth, NULL),
            LMB_OK);
        for (uint32_t c = 0; c < clip->channel_count; ++c) {
            for (uint32_t k = 0; k < KEYS; ++k) {
                float a[4], b[4];
                lmbi_channel_at(&clip->channels[c], (double)clip->channels[c].ticks[k], NULL, a);
                lmbi_channel_at(&smooth->channels[c], (double)clip->channels[c].ticks[k], NULL, b);
                for (uint32_t i = 0; i < clip->channels[c].width; ++i) {
                    near((double)b[i], (double)a[i], 1e-6);
                }
            }
        }
        float most = 0, v[3];
        for (int i = 0; i < 2000; ++i) {
            lmbi_channel_at(&smooth->channels[JOINTS], i / 500.0, NULL, v);
            most = fmaxf(most, v[0]);
        }
        // Monotone tangents do not overshoot the stop; the others do.
        assert_true(kind == LMB_TANGENTS_MONOTONE ? most <= 1.0f : most > 1.0f);
        lmb_clip_destroy(smooth);
    }
    lmb_clip_destroy(clip);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    lmb_skeleton *skeleton = make_skeleton();
    lmb_clip *clip = make_clip();
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_clip *few = NULL, *smooth = NULL;
        f.result = lmb_clip_apply(
            clip,
            &(lmb_clip_edit){.op = LMB_CLIP_REDUCE, .skeleton = skeleton, .precision_m = 1e-3f},
            &f.alloc, &few, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_clip_apply(few, &(lmb_clip_edit){.op = LMB_CLIP_SMOOTH}, &f.alloc,
                                      &smooth, NULL);
        }
        lmb_clip_destroy(few);
        lmb_clip_destroy(smooth);
    }
    lmb_clip_destroy(clip);
    lmb_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(fewer_keys_within_the_bound),
        cmocka_unit_test(smoothing_keeps_the_keys),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
