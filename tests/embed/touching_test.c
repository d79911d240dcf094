/// Figures whose limbs touch: arms along the sides, hands on hips and thighs, thighs together.
/// bench/kinds_bench takes many of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "limber/author.h"
#include "limber/procedural.h"
#include "mapping/body_joint.h"

typedef struct touching {
    lmb_made_body_pose pose;
    bool together;
    float mean; ///< of the body's joints, in heights
} touching;

static void assert_read_right(const touching *t, uint64_t seed)
{
    const lmb_made_body_opts opts = {.seed = seed,
                                     .pose = t->pose,
                                     .together = t->together,
                                     .triangle_count = 6000,
                                     .whole = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    const lmb_mesh *mesh = body->character->meshes[0];
    lmb_embedding e;
    assert_int_equal(lmb_embed(mesh->positions, mesh->vertex_count, mesh->indices,
                               mesh->index_count / 3, NULL, NULL, &e, NULL),
                     LMB_OK);
    assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
    float sum = 0;
    uint32_t count = 0;
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        for (uint32_t k = 0; k < LMBI_BODY_JOINTS; ++k) {
            if (strcmp(body->names[j], e.names[k]) == 0) {
                sum += lmb_vec3_distance(body->positions[j], e.joints[k]) / body->height;
                ++count;
            }
        }
    }
    assert_int_equal(count, LMBI_BODY_JOINTS);
    assert_true(sum / (float)count < t->mean);
    lmb_made_body_destroy(body);
}

static void arms_at_the_sides(void **state)
{
    (void)state;
    assert_read_right(&(touching){LMB_MADE_POSE_DOWN, false, 0.03f}, 3);
}

static void hands_on_the_hips(void **state)
{
    (void)state;
    assert_read_right(&(touching){LMB_MADE_POSE_HIPS, false, 0.04f}, 3);
}

static void hands_on_the_thighs(void **state)
{
    (void)state;
    assert_read_right(&(touching){LMB_MADE_POSE_THIGHS, false, 0.04f}, 3);
}

static void thighs_together(void **state)
{
    (void)state;
    assert_read_right(&(touching){LMB_MADE_POSE_T, true, 0.03f}, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_at_the_sides),
        cmocka_unit_test(hands_on_the_hips),
        cmocka_unit_test(hands_on_the_thighs),
        cmocka_unit_test(thighs_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
