/// Characters whose rest pose is not the one that they were bound in: their new skeleton is searched where they were bound,
/// and stands at rest where the true one does.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "bare_body.h"
#include "limber/author.h"

enum { MOST_JOINTS = 128 };

static const char *const LIMBS[] = {
    "hips",          "neck",          "leftUpperArm",  "leftLowerArm", "leftHand",
    "rightUpperArm", "rightLowerArm", "rightHand",     "leftUpperLeg", "leftLowerLeg",
    "leftFoot",      "rightUpperLeg", "rightLowerLeg", "rightFoot",    "head"};
enum { LIMB_COUNT = sizeof LIMBS / sizeof *LIMBS };

static void rotate(lmb_character *c, const char *joint, lmb_vec3 axis, float angle_rad)
{
    const int32_t j = lmb_skeleton_find(c->skeleton, joint);
    assert_true(j >= 0);
    lmb_quat *q = &c->skeleton->rest[j].rotation;
    *q = lmb_quat_mul(*q, lmb_quat_axis_angle(axis, angle_rad));
}

/// A running stride: arms bent against the sides, one knee high, the trunk forward.
static void stride(lmb_character *c, float lean)
{
    const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    rotate(c, "hips", x, lean);
    rotate(c, "leftUpperArm", z, -1.35f);
    rotate(c, "rightUpperArm", z, 1.35f);
    rotate(c, "leftLowerArm", y, -1.5f);
    rotate(c, "rightLowerArm", y, 1.5f);
    rotate(c, "leftUpperLeg", x, -1.2f);
    rotate(c, "leftLowerLeg", x, 1.6f);
    rotate(c, "rightUpperLeg", x, 0.4f);
    rotate(c, "rightLowerLeg", x, 0.7f);
}

static void true_joints(const lmb_character *c, lmb_vec3 out[LIMB_COUNT])
{
    lmb_mat4 model[MOST_JOINTS];
    assert_true(c->skeleton->joint_count <= MOST_JOINTS);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    for (int k = 0; k < LIMB_COUNT; ++k) {
        out[k] = lmb_mat4_translation(model[lmb_skeleton_find(c->skeleton, LIMBS[k])]);
    }
}

static float miss(const lmb_embedding *e, const char *joint, lmb_vec3 at)
{
    for (uint32_t k = 0; k < e->joint_count; ++k) {
        if (strcmp(e->names[k], joint) == 0) {
            return lmb_vec3_distance(at, e->joints[k]);
        }
    }
    return INFINITY;
}

static void a_stride_at_rest(void **state)
{
    (void)state;
    for (uint64_t seed = 3; seed < 7; ++seed) {
        lmb_made_body *body = bare_body(seed);
        lmb_vec3 at[LIMB_COUNT];
        stride(body->character, seed % 2 ? 0.2f : 0.6f);
        true_joints(body->character, at);
        lmb_surface *before = NULL, *after = NULL;
        lmb_rig_report report;
        assert_int_equal(lmb_character_surface(body->character, NULL, &before, NULL), LMB_OK);
        assert_int_equal(lmb_rig(&body->character, NULL, &report, NULL, NULL), LMB_OK);
        assert_int_equal(report.embedding.kind, LMB_SKELETON_HUMAN);
        assert_true(report.embedding.overall > 0.6f);
        float sum = 0;
        for (int k = 0; k < LIMB_COUNT; ++k) {
            const float m = miss(&report.embedding, LIMBS[k], at[k]) / body->height;
            assert_true(m < 0.06f);
            sum += m;
        }
        assert_true(sum / LIMB_COUNT < 0.02f);
        // The mesh stays where it was.
        assert_int_equal(lmb_character_surface(body->character, NULL, &after, NULL), LMB_OK);
        assert_int_equal(before->vertex_count, after->vertex_count);
        for (uint32_t v = 0; v < before->vertex_count; ++v) {
            assert_true(lmb_vec3_distance(before->positions[v], after->positions[v]) <
                        1e-4f * body->height);
        }
        const lmb_box box = lmb_box_of(before->positions, before->vertex_count);
        assert_true(fabsf(report.embedding.height - (box.high.y - box.low.y)) < 1e-4f);
        assert_true(fabsf(report.embedding.ground.y - box.low.y) < 1e-4f);
        lmb_surface_destroy(before);
        lmb_surface_destroy(after);
        lmb_made_body_destroy(body);
    }
}

/// Weights are made there too: a forearm that lies at the belly does not pull it.
static void weights_of_the_bind_pose(void **state)
{
    (void)state;
    lmb_made_body *posed = bare_body(3), *bound = bare_body(3);
    stride(posed->character, 0.2f);
    assert_int_equal(lmb_rig(&posed->character, NULL, NULL, NULL, NULL), LMB_OK);
    assert_int_equal(lmb_rig(&bound->character, NULL, NULL, NULL, NULL), LMB_OK);
    const lmb_mesh *a = posed->character->meshes[0], *b = bound->character->meshes[0];
    uint32_t other = 0;
    for (uint32_t v = 0; v < a->vertex_count; ++v) {
        other += a->influences.items[a->influences.first[v]].joint !=
                 b->influences.items[b->influences.first[v]].joint;
    }
    assert_int_equal(other, 0);
    lmb_made_body_destroy(posed);
    lmb_made_body_destroy(bound);
}

/// Another rest pose is made from the bind pose, in which the arms are level already.
static void a_t_pose_of_a_stride(void **state)
{
    (void)state;
    lmb_made_body *body = bare_body(3);
    const lmb_box bound = lmbi_mesh_box(body->character->meshes[0]);
    stride(body->character, 0.2f);
    lmb_rig_report report;
    const lmb_rig_opts opts = {.rest = LMB_REST_T};
    assert_int_equal(lmb_rig(&body->character, &opts, &report, NULL, NULL), LMB_OK);
    const lmb_box made = lmbi_mesh_box(body->character->meshes[0]);
    const lmb_vec3 a = lmb_vec3_sub(bound.high, bound.low), b = lmb_vec3_sub(made.high, made.low);
    assert_true(lmb_vec3_distance(a, b) < 0.05f * report.embedding.height);
    const lmb_embedding *e = &report.embedding;
    for (int side = 0; side < 2; ++side) {
        const char *const names[2][2] = {{"leftUpperArm", "leftHand"},
                                         {"rightUpperArm", "rightHand"}};
        float y[2] = {0};
        for (uint32_t j = 0; j < e->joint_count; ++j) {
            for (int k = 0; k < 2; ++k) {
                y[k] = strcmp(e->names[j], names[side][k]) == 0 ? e->joints[j].y : y[k];
            }
        }
        assert_true(fabsf(y[0] - y[1]) < 0.005f * e->height);
    }
    lmb_made_body_destroy(body);
}

/// What a user points at lies in the pose that is seen.
static void markers_lie_at_rest(void **state)
{
    (void)state;
    lmb_made_body *body = bare_body(3);
    rotate(body->character, "leftUpperArm", (lmb_vec3){0, 0, 1}, -0.6f);
    lmb_vec3 at[LIMB_COUNT];
    true_joints(body->character, at);
    const lmb_joint_marker marker = {.name = "leftElbow", .at = at[3]};
    lmb_rig_report report;
    const lmb_rig_opts opts = {.embed = {.markers = &marker, .marker_count = 1}};
    assert_int_equal(lmb_rig(&body->character, &opts, &report, NULL, NULL), LMB_OK);
    assert_true(miss(&report.embedding, "leftLowerArm", at[3]) < 1e-5f);
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stride_at_rest),
        cmocka_unit_test(weights_of_the_bind_pose),
        cmocka_unit_test(a_t_pose_of_a_stride),
        cmocka_unit_test(markers_lie_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
