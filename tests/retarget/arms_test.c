/// Arms longer than the legs swing out of the ground; others stay as they are.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "one_mesh.h"

enum { JOINTS = 4, POINTS = 3 * JOINTS };
static const char *const names[JOINTS] = {"leftFoot", "rightFoot", "leftHand", "rightHand"};
static const float FINGERS = 0.15f;

typedef struct skinned {
    lmb_character *character;
    uint32_t joints[JOINTS];
    lmb_vec3 local[POINTS];
} skinned;

static lmb_vec3 model_of(const lmb_skeleton *skeleton, uint32_t joint)
{
    lmb_vec3 at = {0, 0, 0};
    for (int32_t k = (int32_t)joint; k >= 0; k = skeleton->parents[k]) {
        at = lmb_transform_point(skeleton->rest[k], at);
    }
    return at;
}

/// The made body with arms so many times as long, a triangle of skin on the ground under each foot and one
/// at the tips of each hand's fingers, as it stands with its arms out.
static skinned make_body(float arms)
{
    skinned out = {.character = NULL};
    lmb_character *bare = test_skeleton(&(test_shape){0});
    static const char *const longer[] = {"leftLowerArm", "rightLowerArm", "leftHand", "rightHand"};
    for (size_t k = 0; k < sizeof longer / sizeof *longer; ++k) {
        lmb_vec3 *at =
            &bare->skeleton->rest[lmb_skeleton_find(bare->skeleton, longer[k])].translation;
        *at = lmb_vec3_scale(*at, arms);
    }
    lmb_vec3 points[POINTS];
    uint32_t triangles[POINTS], first[POINTS + 1] = {0};
    lmb_influence items[POINTS];
    lmb_mat4 joint_from_bind[JOINTS];
    for (uint32_t j = 0; j < JOINTS; ++j) {
        out.joints[j] = (uint32_t)lmb_skeleton_find(bare->skeleton, names[j]);
        const lmb_vec3 at = model_of(bare->skeleton, out.joints[j]);
        const lmb_vec3 to =
            j < 2 ? lmb_vec3_make(0, -at.y, 0) : lmb_vec3_make(at.x > 0 ? FINGERS : -FINGERS, 0, 0);
        joint_from_bind[j] = lmb_mat4_identity();
        joint_from_bind[j].m[12] = -at.x;
        joint_from_bind[j].m[13] = -at.y;
        joint_from_bind[j].m[14] = -at.z;
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t v = 3 * j + k;
            out.local[v] = lmb_vec3_add(to, lmb_vec3_make(0, 0, 0.01f * (float)k));
            points[v] = lmb_vec3_add(at, out.local[v]);
            triangles[v] = v;
            first[v + 1] = v + 1;
            items[v] = (lmb_influence){.joint = (uint16_t)j, .weight = 1};
        }
    }
    const lmb_mesh mesh = {.vertex_count = POINTS,
                           .positions = points,
                           .index_count = POINTS,
                           .indices = triangles,
                           .influences = {first, items}};
    const lmb_skin skin = {.joint_count = JOINTS,
                           .joints = out.joints,
                           .joint_from_bind = joint_from_bind,
                           .root = LMB_NONE};
    out.character = one_mesh_create(bare->skeleton, &mesh, &skin, (lmb_instance){0});
    lmb_character_destroy(bare);
    return out;
}

static lmb_clip *put(const lmb_character *target, const lmb_character *source, bool free_hands)
{
    const lmb_retarget_opts opts = {.free_hands = free_hands};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_retarget(target, source, 0, &opts, NULL, &clip, NULL, NULL), LMB_OK);
    return clip;
}

/// The lowest fingertip of the clip.
static float lowest_finger(const skinned *body, const lmb_clip *clip)
{
    float low = INFINITY;
    for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.02) {
        lmb_transform *pose = test_pose(body->character, clip, t);
        for (int v = 6; v < POINTS; ++v) {
            low = fminf(low, lmb_transform_point(pose[body->joints[v / 3]], body->local[v]).y);
        }
        free(pose);
    }
    return low;
}

static void long_arms_keep_out_of_the_ground(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK);
    skinned body = make_body(2.6f);
    lmb_clip *hanging = put(body.character, source, true),
             *clip = put(body.character, source, false);
    assert_true(lowest_finger(&body, hanging) < -0.1f);
    assert_true(lowest_finger(&body, clip) > -0.01f);
    lmb_clip_destroy(hanging);
    lmb_clip_destroy(clip);
    lmb_character_destroy(body.character);
    lmb_character_destroy(source);
}

static void usual_arms_hang_as_they_do(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK), *bare = test_skeleton(&(test_shape){0});
    skinned body = make_body(1);
    lmb_clip *clip = put(body.character, source, false), *same = put(bare, source, false);
    const int32_t hand = lmb_skeleton_find(bare->skeleton, "leftHand");
    for (double t = 0; t < 1; t += 0.05) {
        lmb_transform *a = test_pose(body.character, clip, t), *b = test_pose(bare, same, t);
        assert_true(lmb_vec3_distance(a[hand].translation, b[hand].translation) < 1e-3f);
        free(a);
        free(b);
    }
    lmb_clip_destroy(clip);
    lmb_clip_destroy(same);
    lmb_character_destroy(body.character);
    lmb_character_destroy(bare);
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_arms_keep_out_of_the_ground),
        cmocka_unit_test(usual_arms_hang_as_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
