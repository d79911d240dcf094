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

/// Makes a joint the first of the skin.
static void put_first(lmb_character *c, const char *joint)
{
    lmb_skin *skin = c->skins[0];
    const lmb_influences *rows = &c->meshes[0]->influences;
    uint32_t k = 0;
    while (skin->joints[k] != (uint32_t)lmb_skeleton_find(c->skeleton, joint)) {
        ++k;
    }
    const uint32_t moved = skin->joints[0];
    const lmb_mat4 bind = skin->joint_from_bind[0];
    skin->joints[0] = skin->joints[k];
    skin->joint_from_bind[0] = skin->joint_from_bind[k];
    skin->joints[k] = moved;
    skin->joint_from_bind[k] = bind;
    for (uint32_t n = 0; n < rows->first[c->meshes[0]->vertex_count]; ++n) {
        lmb_influence *own = &rows->items[n];
        own->joint = own->joint == k ? 0 : own->joint == 0 ? (uint16_t)k : own->joint;
    }
}

/// The bind pose stands as the first joint of its skin does at rest: the whole lies there if that is a
/// foot which points down. The figure stands at rest all the same.
static void a_bind_pose_that_lies(void **state)
{
    (void)state;
    lmb_made_body *body = bare_body(3);
    lmb_character *c = body->character;
    put_first(c, "leftFoot");
    rotate(c, "leftFoot", (lmb_vec3){1, 0, 0}, LMB_PI / 2);
    rotate(c, "leftLowerArm", (lmb_vec3){0, 1, 0}, -1.5f);
    lmb_vec3 at[LIMB_COUNT];
    true_joints(c, at);
    lmb_rig_report report;
    assert_int_equal(lmb_rig(&body->character, NULL, &report, NULL, NULL), LMB_OK);
    assert_true(report.embedding.up.y == 1 && report.embedding.forward.z == 1);
    assert_true(miss(&report.embedding, "head", at[14]) < 0.06f * body->height);
    lmb_made_body_destroy(body);
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

static lmb_vec3 unit(lmb_vec3 v)
{
    return lmb_vec3_normalize_or(v, (lmb_vec3){0, 1, 0});
}

/// M^T v, unit: a normal of model space in a mesh that the matrix takes there.
static lmb_vec3 normal_of(const lmb_mat4 *m, lmb_vec3 v)
{
    return unit(lmb_vec3_make(m->m[0] * v.x + m->m[1] * v.y + m->m[2] * v.z,
                              m->m[4] * v.x + m->m[5] * v.y + m->m[6] * v.z,
                              m->m[8] * v.x + m->m[9] * v.y + m->m[10] * v.z));
}

/// Tangents across the normals, and a target that moves every point and bends its normal.
static void add_look(lmb_character *c, const lmb_mat4 *model_from_mesh)
{
    lmb_mesh def = *c->meshes[0], *made = NULL;
    const size_t n = def.vertex_count;
    lmb_mat4 inverse;
    assert_true(lmb_mat4_inverse_affine(*model_from_mesh, &inverse));
    lmb_morph_target target = {"smile", malloc(n * sizeof(lmb_vec3)), malloc(n * sizeof(lmb_vec3)),
                               NULL};
    lmb_vec3 *positions = malloc(n * sizeof *positions), *normals = malloc(n * sizeof *normals);
    lmb_vec4 *tangents = malloc(n * sizeof *tangents);
    assert_true(target.positions && target.normals && positions && normals && tangents);
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_vec3 up = {0.1f, 0.9f, 0.2f}, normal = def.normals[v];
        const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_cross(up, normal), up);
        const lmb_vec3 t = unit(lmb_mat4_vector(inverse, along));
        positions[v] = lmb_mat4_point(inverse, def.positions[v]);
        normals[v] = normal_of(model_from_mesh, normal);
        tangents[v] = (lmb_vec4){t.x, t.y, t.z, 1};
        target.positions[v] = lmb_mat4_vector(inverse, lmb_vec3_scale(normal, 0.02f));
        const lmb_vec3 bent = unit(lmb_vec3_mad(normal, along, 0.5f));
        target.normals[v] = lmb_vec3_sub(normal_of(model_from_mesh, bent), normals[v]);
    }
    def.positions = positions;
    def.normals = normals;
    def.tangents = tangents;
    def.targets = &target;
    def.target_count = 1;
    assert_int_equal(lmb_mesh_create(&def, NULL, &made, NULL), LMB_OK);
    lmb_mesh_destroy(c->meshes[0]);
    c->meshes[0] = made;
    for (uint32_t j = 0; j < c->skins[0]->joint_count; ++j) {
        lmb_mat4 *m = &c->skins[0]->joint_from_bind[j];
        *m = lmb_mat4_mul(*m, *model_from_mesh);
    }
    free(target.positions);
    free(target.normals);
    free(positions);
    free(normals);
    free(tangents);
}

/// What was bound in centimetres, lying and stretched, looks after rigging as what was bound upright.
static void the_look_of_another_space(void **state)
{
    (void)state;
    const lmb_mat4 none = lmb_mat4_identity();
    const lmb_mat4 lying = lmb_mat4_from_transform((lmb_transform){
        .rotation = lmb_quat_axis_angle((lmb_vec3){1, 0, 0}, -1.5707963f),
        .translation = {0.1f, 0.2f, -0.3f},
        .scale = {0.01f, 0.01f, 0.02f},
    });
    for (int posed = 0; posed < 2; ++posed) {
        lmb_made_body *plain = bare_body(3), *other = bare_body(3);
        add_look(plain->character, &none);
        add_look(other->character, &lying);
        if (posed) {
            rotate(plain->character, "leftUpperArm", (lmb_vec3){0, 0, 1}, -0.4f);
            rotate(other->character, "leftUpperArm", (lmb_vec3){0, 0, 1}, -0.4f);
        }
        assert_int_equal(lmb_rig(&plain->character, NULL, NULL, NULL, NULL), LMB_OK);
        assert_int_equal(lmb_rig(&other->character, NULL, NULL, NULL, NULL), LMB_OK);
        const lmb_mesh *a = plain->character->meshes[0], *b = other->character->meshes[0];
        const lmb_morph_target *at = &a->targets[0], *bt = &b->targets[0];
        const float near = 1e-4f;
        for (uint32_t v = 0; v < a->vertex_count; ++v) {
            const lmb_vec4 s = a->tangents[v], t = b->tangents[v];
            assert_true(lmb_vec3_distance(a->positions[v], b->positions[v]) < near);
            assert_true(lmb_vec3_distance(a->normals[v], b->normals[v]) < near);
            assert_true(fabsf(s.x - t.x) + fabsf(s.y - t.y) + fabsf(s.z - t.z) < 10 * near);
            assert_true(lmb_vec3_distance(at->positions[v], bt->positions[v]) < near);
            assert_true(lmb_vec3_distance(at->normals[v], bt->normals[v]) < 10 * near);
        }
        lmb_made_body_destroy(plain);
        lmb_made_body_destroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stride_at_rest),         cmocka_unit_test(a_bind_pose_that_lies),
        cmocka_unit_test(weights_of_the_bind_pose), cmocka_unit_test(a_t_pose_of_a_stride),
        cmocka_unit_test(markers_lie_at_rest),      cmocka_unit_test(the_look_of_another_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
