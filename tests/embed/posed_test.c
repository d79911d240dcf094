/// Figures whose left and right limbs are in different poses are embedded in that pose.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bare_body.h"
#include "limber/anim.h"
#include "limber/author.h"
#include "limber/procedural.h"

enum { MOST_JOINTS = 128 };

static void turn(lmb_character *c, const char *joint, lmb_vec3 axis, float angle_rad)
{
    const int32_t j = lmb_skeleton_find(c->skeleton, joint);
    assert_true(j >= 0);
    lmb_quat *q = &c->skeleton->rest[j].rotation;
    *q = lmb_quat_mul(lmb_quat_axis_angle(axis, angle_rad), *q);
}

/// How far the joint of the embedding lies from the posed skeleton's, in heights.
static float miss(const lmb_character *c, const lmb_embedding *e, const char *joint)
{
    lmb_mat4 model[MOST_JOINTS];
    assert_true(c->skeleton->joint_count <= MOST_JOINTS);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    const int32_t j = lmb_skeleton_find(c->skeleton, joint);
    assert_true(j >= 0);
    const lmb_vec3 at = lmb_mat4_point(model[j], lmb_vec3_make(0, 0, 0));
    for (uint32_t k = 0; k < e->joint_count; ++k) {
        if (strcmp(e->names[k], joint) == 0) {
            return lmb_vec3_distance(at, e->joints[k]) / e->height;
        }
    }
    return 1;
}

static void one_arm_up(void **state)
{
    (void)state;
    static const char *const joints[] = {"leftUpperArm",  "leftLowerArm",  "leftHand",
                                         "rightUpperArm", "rightLowerArm", "rightHand",
                                         "head",          "leftFoot",      "rightFoot"};
    for (uint64_t seed = 2; seed < 6; ++seed) {
        lmb_made_body *body = bare_body(seed);
        lmb_character *c = body->character;
        turn(c, "leftUpperArm", lmb_vec3_make(0, 0, 1), 0.9f);
        turn(c, "rightUpperArm", lmb_vec3_make(0, 0, 1), 1.0f);
        lmb_surface *s = NULL;
        assert_int_equal(lmb_character_surface(c, NULL, &s, NULL), LMB_OK);
        lmb_embedding e;
        assert_int_equal(lmb_embed(s->positions, s->vertex_count, s->triangles, s->triangle_count,
                                   NULL, NULL, &e, NULL),
                         LMB_OK);
        assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
        assert_true(e.forward.z > 0.95f);
        for (size_t k = 0; k < sizeof joints / sizeof joints[0]; ++k) {
            assert_true(miss(c, &e, joints[k]) < 0.07f);
        }
        lmb_surface_destroy(s);
        lmb_made_body_destroy(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_arm_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
