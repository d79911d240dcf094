// Clips from poses: what is between two keys turns the shorter way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/anim.h"

enum { FRAMES = 9 };

/// q and -q in turn are one steady turn: neighbouring keys lie in one hemisphere, so that players that
/// mix components (cubic keys, and many viewers) go the shorter way.
static void neighbours_lie_in_one_hemisphere(void **state)
{
    (void)state;
    int32_t parent = LMB_NONE;
    const char *name = "joint";
    lmb_transform rest = lmb_transform_identity(), poses[FRAMES];
    const lmb_skeleton def = {.joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    for (int f = 0; f < FRAMES; ++f) {
        const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0.6f, 0.8f), 0.9f * (float)f);
        const float sign = f % 2 == 0 ? 1.0f : -1.0f;
        poses[f] = lmb_transform_identity();
        poses[f].rotation = lmb_quat_make(sign * q.x, sign * q.y, sign * q.z, sign * q.w);
    }
    assert_int_equal(lmb_clip_from_poses(skeleton, poses, FRAMES, 30, "turn", NULL, &clip, NULL),
                     LMB_OK);
    assert_int_equal(clip->channel_count, 1);
    assert_int_equal(clip->channels[0].key_count, FRAMES);
    const float *v = clip->channels[0].values;
    for (int f = 1; f < FRAMES; ++f) {
        const float *a = v + 4 * (f - 1), *b = v + 4 * f;
        assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0);
    }
    lmb_clip_destroy(clip);
    lmb_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_lie_in_one_hemisphere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
