/// Figures that sit: their hips are less certain than those of standing figures, which must show in
/// the confidence.
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

/// The generated figure with its thighs raised and its shins lowered by the same angle.
static lmb_embedding embedded(uint64_t seed, float thighs_rad, float shins_rad)
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
    lmb_surface_destroy(s);
    lmb_made_body_destroy(body);
    return e;
}

static void who_sits_is_doubted(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 5; ++seed) {
        const lmb_embedding e = embedded(seed, 1.5f, 1.5f);
        assert_true(e.overall < 0.5f);
        assert_true(e.kind != LMB_SKELETON_HUMAN || strstr(e.summary, "sits") != NULL);
    }
}

static void bent_knees_are_not_doubted(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 4; ++seed) {
        const lmb_embedding e = embedded(seed, 0.6f, 0.9f);
        assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
        assert_true(e.overall > 0.5f && strstr(e.summary, "sits") == NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sits_is_doubted),
        cmocka_unit_test(bent_knees_are_not_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
