/// Figures that sit are read as such, with their joints on the lines of their folded legs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "limber/author.h"
#include "limber/procedural.h"

static void turn(lmb_character *c, const char *joint, float angle_rad)
{
    const int32_t j = lmb_skeleton_find(c->skeleton, joint);
    assert_true(j >= 0);
    lmb_quat *q = &c->skeleton->rest[j].rotation;
    *q = lmb_quat_mul(*q, lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), angle_rad));
}

/// The largest distance of a leg's joint from the truth, in heights.
static float worst_of_legs(const lmb_character *c, const lmb_embedding *e)
{
    enum { MOST_JOINTS = 128 };
    static const char *const names[6] = {"leftUpperLeg",  "leftLowerLeg",  "leftFoot",
                                         "rightUpperLeg", "rightLowerLeg", "rightFoot"};
    lmb_mat4 model[MOST_JOINTS];
    assert_true(c->skeleton->joint_count <= MOST_JOINTS);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    float worst = 0;
    for (int k = 0; k < 6; ++k) {
        const lmb_vec3 at = lmb_mat4_translation(model[lmb_skeleton_find(c->skeleton, names[k])]);
        float miss = 1;
        for (uint32_t j = 0; j < e->joint_count; ++j) {
            if (strcmp(e->names[j], names[k]) == 0) {
                miss = lmb_vec3_distance(at, e->joints[j]) / e->height;
            }
        }
        worst = miss > worst ? miss : worst;
    }
    return worst;
}

/// The generated figure with its thighs raised and its shins lowered by the same angle.
static lmb_embedding embedded(uint64_t seed, float thighs_rad, float shins_rad, float *out_worst)
{
    const lmb_made_body_opts opts = {
        .seed = seed, .triangle_count = 5000, .whole = true, .bare = true, .rigged = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    turn(body->character, "leftUpperLeg", -thighs_rad);
    turn(body->character, "rightUpperLeg", -thighs_rad);
    turn(body->character, "leftLowerLeg", shins_rad);
    turn(body->character, "rightLowerLeg", shins_rad);
    lmb_surface *s = NULL;
    assert_int_equal(lmb_character_surface(body->character, NULL, &s, NULL), LMB_OK);
    lmb_embedding e;
    assert_int_equal(lmb_embed(s->positions, s->vertex_count, s->triangles, s->triangle_count, NULL,
                               NULL, &e, NULL),
                     LMB_OK);
    *out_worst = worst_of_legs(body->character, &e);
    lmb_surface_destroy(s);
    lmb_made_body_destroy(body);
    return e;
}

static void who_sits_is_read(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 5; ++seed) {
        float worst;
        const lmb_embedding e = embedded(seed, 1.5f, 1.5f, &worst);
        assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
        assert_non_null(strstr(e.summary, "sits"));
        assert_true(worst < 0.09f);
    }
}

static void bent_knees_are_not_doubted(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 4; ++seed) {
        float worst;
        const lmb_embedding e = embedded(seed, 0.6f, 0.9f, &worst);
        assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
        assert_true(e.overall > 0.5f && strstr(e.summary, "sits") == NULL);
        assert_true(worst < 0.07f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sits_is_read),
        cmocka_unit_test(bent_knees_are_not_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
