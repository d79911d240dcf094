/// Rest poses: a figure with lowered arms brought to a T and an A by its own new skin; what is
/// refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "bodies/bodies.h"
#include "mapping/body_joint.h"
#include "limber/author.h"
#include "limber/procedural.h"
#include "math/math.h"

static lmb_made_body *make(lmb_made_body_pose pose, float degrees)
{
    const lmb_made_body_opts opts = {.seed = 12,
                                     .pose = pose,
                                     .arm_angle_rad = degrees / 180 * LMB_PI,
                                     .triangle_count = 6000,
                                     .whole = true,
                                     .bare = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmb_rig_report rig(lmb_made_body *body, lmb_rest_pose pose)
{
    const lmb_rig_opts opts = {.rest = pose};
    lmb_rig_report report;
    assert_int_equal(lmb_rig(&body->character, &opts, &report, NULL, NULL), LMB_OK);
    return report;
}

static float below_level(const lmb_embedding *e, uint32_t from, uint32_t to)
{
    const lmb_vec3 d =
        lmb_vec3_normalize_or(lmb_vec3_sub(e->joints[to], e->joints[from]), lmb_vec3_make(0, 1, 0));
    return -180 / LMB_PI * lmbi_asin(d.y);
}

static void assert_arms(const lmb_embedding *e, float degrees)
{
    for (uint32_t first = LMBI_LEFT_UPPER_ARM; first <= LMBI_RIGHT_UPPER_ARM; first += 4) {
        assert_true(fabsf(below_level(e, first, first + 1) - degrees) < 0.5f);
        assert_true(fabsf(below_level(e, first + 1, first + 2) - degrees) < 0.5f);
    }
}

/// The known answer: the same body made in a T-pose. Joints lie where its own embedding finds them,
/// and the mesh lies where that mesh is.
static void lowered_arms_rise_to_where_a_t_pose_has_them(void **state)
{
    (void)state;
    lmb_made_body *lowered = make(LMB_MADE_POSE_A, 55), *level = make(LMB_MADE_POSE_T, 0);
    const lmb_rig_report got = rig(lowered, LMB_REST_T), want = rig(level, LMB_REST_AS_IS);
    assert_arms(&got.embedding, 0);
    assert_int_equal(got.rotated_count, 6);
    assert_true(got.rotated_rad > 45 * LMB_PI / 180 && got.rotated_rad < 65 * LMB_PI / 180);
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        assert_true(lmb_vec3_distance(got.embedding.joints[j], want.embedding.joints[j]) <
                    0.045f * want.embedding.height);
    }
    const lmb_box a = lmbi_mesh_box(lowered->character->meshes[0]),
                  b = lmbi_mesh_box(level->character->meshes[0]);
    assert_true(lmb_vec3_distance(a.low, b.low) < 0.05f * want.embedding.height);
    assert_true(lmb_vec3_distance(a.high, b.high) < 0.05f * want.embedding.height);
    assert_string_equal(lowered->character->skeleton->name, "humanoid in T-pose");
    lmb_made_body_destroy(lowered);
    lmb_made_body_destroy(level);
}

static void a_t_pose_falls_to_an_a_pose(void **state)
{
    (void)state;
    lmb_made_body *body = make(LMB_MADE_POSE_T, 0);
    const lmb_rig_report report = rig(body, LMB_REST_A);
    assert_arms(&report.embedding, 45);
    lmb_made_body_destroy(body);
}

/// The character is at rest in its pose: its skin leaves every vertex where the mesh has it, its
/// joints have no rotation, and normals still stand on the surface.
static void the_pose_is_the_rest_of_skeleton_and_mesh(void **state)
{
    (void)state;
    lmb_made_body *body = make(LMB_MADE_POSE_A, 40);
    rig(body, LMB_REST_T);
    const lmb_character *c = body->character;
    lmb_mat4 model[LMB_EMBEDDING_JOINTS + 8], palette[LMB_EMBEDDING_JOINTS];
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    lmb_skin_palette(c->skins[0], model, palette);
    const lmb_mesh *mesh = c->meshes[0];
    uint32_t rotated_away = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t joint = mesh->influences.items[mesh->influences.first[v]].joint;
        assert_true(lmb_vec3_distance(lmb_mat4_point(palette[joint], mesh->positions[v]),
                                      mesh->positions[v]) < 1e-5f);
        assert_true(fabsf(lmb_vec3_length(mesh->normals[v]) - 1) < 1e-4f);
    }
    for (uint32_t t = 0; t < mesh->index_count; t += 3) {
        const lmb_vec3 *p = mesh->positions;
        const uint32_t *i = mesh->indices + t;
        const lmb_vec3 face =
            lmb_vec3_cross(lmb_vec3_sub(p[i[1]], p[i[0]]), lmb_vec3_sub(p[i[2]], p[i[0]]));
        rotated_away += lmb_vec3_dot(face, mesh->normals[i[0]]) < 0;
    }
    assert_true(rotated_away < mesh->index_count / 3 / 100);
    lmb_made_body_destroy(body);
}

static void what_cannot_take_the_pose_is_refused(void **state)
{
    (void)state;
    const lmb_rig_opts opts = {.rest = LMB_REST_T};
    lmb_error error = {0};
    lmb_made_body *hanging = make(LMB_MADE_POSE_DOWN, 0); // arms that are one with the sides
    const lmb_skeleton *before = hanging->character->skeleton;
    assert_int_equal(lmb_rig(&hanging->character, &opts, NULL, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.found, "one with its body"));
    assert_ptr_equal(before, hanging->character->skeleton);
    lmb_made_body_destroy(hanging);
    const lmb_made_body_opts animal = {.kind = LMB_MADE_QUADRUPED, .triangle_count = 3000};
    lmb_made_body *cow = NULL;
    assert_int_equal(lmb_made_body_create(&animal, NULL, &cow, NULL), LMB_OK);
    assert_int_equal(lmb_rig(&cow->character, &opts, NULL, NULL, &error), LMB_ERROR_UNSUPPORTED);
    assert_string_equal(error.found, "quadruped");
    lmb_made_body_destroy(cow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowered_arms_rise_to_where_a_t_pose_has_them),
        cmocka_unit_test(a_t_pose_falls_to_an_a_pose),
        cmocka_unit_test(the_pose_is_the_rest_of_skeleton_and_mesh),
        cmocka_unit_test(what_cannot_take_the_pose_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
