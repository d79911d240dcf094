/// Animals as files have them: on their backs, on their sides, in mid-stride, with the head raised.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "embed/capsules.h"
#include "limber/procedural.h"

static lmb_made_body *made(uint64_t seed)
{
    const lmb_made_body_opts opts = {.kind = LMB_MADE_QUADRUPED,
                                     .seed = seed,
                                     .triangle_count = 5000,
                                     .whole = true,
                                     .rigged = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmb_surface *surface_of(const lmb_made_body *body)
{
    lmb_surface *surface = NULL;
    assert_int_equal(lmb_character_surface(body->character, NULL, &surface, NULL), LMB_OK);
    return surface;
}

static void on_its_back_and_on_its_side(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed += 2) {
        lmb_made_body *body = made(seed);
        lmb_surface *s = surface_of(body);
        const lmb_embedding stands = embedded_surface(s);
        assert_int_equal(stands.kind, LMB_SKELETON_QUADRUPED);
        const lmb_vec3 z = {0, 0, 1};
        for (int quarter = 1; quarter < 4; ++quarter) {
            const lmb_quat turn = lmb_quat_axis_angle(z, 0.5f * LMB_PI);
            for (uint32_t v = 0; v < s->vertex_count; ++v) {
                s->positions[v] = lmb_quat_rotate(turn, s->positions[v]);
            }
            const lmb_embedding lies = embedded_surface(s);
            if (lies.kind != LMB_SKELETON_QUADRUPED) {
                fail_msg("seed %u, %d quarter turns: %s", (unsigned)seed, quarter,
                         lmb_skeleton_kind_name(lies.kind));
            }
            const lmb_quat all = lmb_quat_axis_angle(z, 0.5f * LMB_PI * (float)quarter);
            assert_true(lmb_vec3_dot(lies.forward, lmb_quat_rotate(all, stands.forward)) > 0.99f);
            assert_true(lmb_vec3_dot(lies.up, lmb_quat_rotate(all, stands.up)) > 0.99f);
        }
        lmb_surface_destroy(s);
        lmb_made_body_destroy(body);
    }
}

/// Swings the legs of one side in one direction and those of the other side in the other.
static void step(lmb_character *c, float angle_rad)
{
    static const char *const legs[4] = {"leftFrontUpperLeg", "rightFrontUpperLeg",
                                        "leftBackUpperLeg", "rightBackUpperLeg"};
    for (int k = 0; k < 4; ++k) {
        const int32_t j = lmb_skeleton_find(c->skeleton, legs[k]);
        assert_true(j >= 0);
        const float sign = k == 1 || k == 2 ? 1.0f : -1.0f;
        lmb_quat *q = &c->skeleton->rest[j].rotation;
        *q = lmb_quat_mul(*q, lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), sign * angle_rad));
    }
}

static void amid_a_step_it_looks_where_it_did(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; ++seed) {
        lmb_made_body *body = made(seed);
        step(body->character, 0.25f);
        lmb_surface *s = surface_of(body);
        const lmb_embedding e = embedded_surface(s);
        if (e.kind != LMB_SKELETON_QUADRUPED || lmb_vec3_dot(e.forward, body->facing) < 0.9f) {
            fail_msg("seed %u: %s, facing %g", (unsigned)seed, lmb_skeleton_kind_name(e.kind),
                     (double)lmb_vec3_dot(e.forward, body->facing));
        }
        lmb_surface_destroy(s);
        lmb_made_body_destroy(body);
    }
}

/// A short ear has no limb tip of its own, which does not make the other one a muzzle.
static void one_ear_is_no_muzzle(void **state)
{
    (void)state;
    capsules *s = capsules_create();
    const lmb_vec3 skull = {0, 1.35f, 0.5f}, muzzle = {0, 1.3f, 0.72f};
    add_capsule(s, lmb_vec3_make(0, 0.8f, -0.5f), lmb_vec3_make(0, 0.8f, 0.4f), 0.2f, 0.2f);
    add_capsule(s, lmb_vec3_make(0, 0.85f, 0.42f), skull, 0.12f, 0.16f);
    add_capsule(s, skull, muzzle, 0.16f, 0.14f);
    add_capsule(s, lmb_vec3_make(0.1f, 1.45f, 0.45f), lmb_vec3_make(0.27f, 1.6f, 0.4f), 0.05f,
                0.03f);
    add_capsule(s, lmb_vec3_make(-0.1f, 1.42f, 0.45f), lmb_vec3_make(-0.2f, 1.54f, 0.4f), 0.14f,
                0.12f);
    for (int side = -1; side <= 1; side += 2) {
        const float x = 0.14f * (float)side;
        add_capsule(s, lmb_vec3_make(x, 0.75f, 0.4f), lmb_vec3_make(x, 0.06f, 0.4f), 0.08f, 0.06f);
        add_capsule(s, lmb_vec3_make(x, 0.75f, -0.5f), lmb_vec3_make(x, 0.06f, -0.5f), 0.08f,
                    0.06f);
    }
    lmb_embedding e;
    assert_int_equal(
        lmb_embed(s->points, s->point_count, s->triangles, s->triangle_count, NULL, NULL, &e, NULL),
        LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_QUADRUPED);
    assert_true(e.forward.z > 0.99f);
    for (uint32_t j = 0; j < e.joint_count; ++j) {
        if (strcmp(e.names[j], "head") == 0 &&
            !(fabsf(e.joints[j].x) < 0.06f && fabsf(e.tips[j].x) < 0.1f)) {
            fail_msg("head at %g, muzzle at %g beside the middle", (double)e.joints[j].x,
                     (double)e.tips[j].x);
        }
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_its_back_and_on_its_side),
        cmocka_unit_test(amid_a_step_it_looks_where_it_did),
        cmocka_unit_test(one_ear_is_no_muzzle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
