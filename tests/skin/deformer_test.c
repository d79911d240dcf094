// A character's deformer beside the jobs it is made of, by each of the methods that look at the
// surface first.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cylinder.h"
#include "failing_allocator.h"
#include "limber/skin.h"
#include "one_mesh.h"
#include "skin/skin.h"

/// The cylinder on two joints, the second at the origin, and one at its end. Bind space and joints
/// below the root are in a unit of 1 / `per_unit`, which a scale of the root makes good.
static lmb_character *tube_in_unit(float per_unit)
{
    int32_t parents[] = {LMB_NONE, 0, 1};
    const char *names[] = {"first", "second", "end"};
    lmb_transform rest[] = {lmb_transform_identity(), lmb_transform_identity(),
                            lmb_transform_identity()};
    rest[0].translation = lmb_vec3_make(-4, 0, 0);
    rest[0].scale = lmb_vec3_make(1 / per_unit, 1 / per_unit, 1 / per_unit);
    rest[1].translation = lmb_vec3_make(4 * per_unit, 0, 0);
    rest[2].translation = lmb_vec3_make(4 * per_unit, 0, 0);
    const lmb_skeleton skeleton_def = {
        .joint_count = 3, .parents = parents, .rest = rest, .names = names};
    uint32_t joints[] = {0, 1, 2};
    lmb_mat4 bind[] = {lmb_mat4_identity(), lmb_mat4_identity(), lmb_mat4_identity()};
    bind[0].m[12] = 4 * per_unit;
    bind[2].m[12] = -4 * per_unit;
    const lmb_skin skin_def = {
        .joint_count = 3, .joints = joints, .joint_from_bind = bind, .root = LMB_NONE};
    lmb_skeleton *skeleton = NULL;
    lmb_skin *skin = NULL;
    lmb_mesh *mesh = cylinder_create(false);
    assert_non_null(mesh);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[v] = lmb_vec3_scale(mesh->positions[v], per_unit);
    }
    assert_int_equal(lmb_skeleton_create(&skeleton_def, NULL, &skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_skin_create(&skin_def, NULL, &skin, NULL), LMB_OK);
    lmb_instance instance = {0, 0, 0, NULL};
    const lmb_character def = one_mesh(skeleton, &mesh, &skin, &instance);
    lmb_character *character = NULL;
    assert_int_equal(lmb_character_create(&def, NULL, &character, NULL), LMB_OK);
    return character;
}

static lmb_character *tube_create(void)
{
    return tube_in_unit(1);
}

/// The second joint turned by 80 degrees about z.
static void pose(const lmb_character *character, lmb_mat4 model[3])
{
    lmb_transform local[3];
    memcpy(local, character->skeleton->rest, sizeof(local));
    local[1].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 80 * LMB_PI / 180);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = character->skeleton, .local = local, .model_from_joint = model});
}

typedef struct result {
    lmb_vec3 positions[CYLINDER_VERTICES], normals[CYLINDER_VERTICES];
} result;

static result *deformed(const lmb_character *character, lmb_skin_method method)
{
    lmb_deformer *deformer = NULL;
    result *out = calloc(1, sizeof(*out));
    assert_non_null(out);
    lmb_mat4 model[3];
    pose(character, model);
    assert_int_equal(lmb_deformer_create(character, NULL, &deformer, NULL), LMB_OK);
    for (int twice = 0; twice < 2; ++twice) { // the second time everything is there
        assert_int_equal(lmb_deformer_prepare(deformer, method, NULL, NULL), LMB_OK);
    }
    lmb_deform(
        &(lmb_deform_job){.deformer = deformer, .model_from_joint = model, .method = method});
    const lmb_deformed shape = lmb_deformer_instance(deformer, 0);
    memcpy(out->positions, shape.positions, sizeof(out->positions));
    memcpy(out->normals, shape.normals, sizeof(out->normals));
    lmb_deformer_destroy(deformer);
    return out;
}

static void gradients_change_normals_alone(void **state)
{
    (void)state;
    lmb_character *character = tube_create();
    const lmb_mesh *mesh = character->meshes[0];
    result *plain = deformed(character, LMB_SKIN_LINEAR),
           *shaded = deformed(character, LMB_SKIN_LINEAR_GRADIENT),
           *want = calloc(1, sizeof(*want));
    assert_non_null(want);
    assert_memory_equal(plain->positions, shaded->positions, sizeof(plain->positions));
    lmb_mat4 model[3], palette[3];
    lmb_gradients *gradients = NULL;
    lmb_binding *binding = NULL;
    pose(character, model);
    lmb_skin_palette(character->skins[0], model, palette);
    assert_int_equal(lmb_gradients_create(mesh, NULL, &gradients, NULL), LMB_OK);
    assert_int_equal(lmb_binding_create(mesh, 3, NULL, &binding, NULL), LMB_OK);
    lmb_skin_gradient(&(lmb_skin_gradient_job){.skin = {.binding = binding,
                                                        .model_from_bind = palette,
                                                        .out_positions = want->positions,
                                                        .out_normals = want->normals},
                                               .gradients = gradients});
    float most = 0;
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) { // the deformer makes them unit before, too
        assert_true(lmb_vec3_length(lmb_vec3_sub(shaded->normals[v], want->normals[v])) < 1e-6f);
        const float change = lmb_vec3_length(lmb_vec3_sub(shaded->normals[v], plain->normals[v]));
        most = change > most ? change : most;
    }
    assert_true(most > 0.05f);
    lmb_gradients_destroy(gradients);
    lmb_binding_destroy(binding);
    free(plain);
    free(shaded);
    free(want);
    lmb_character_destroy(character);
}

static float distance_to_bone(lmb_vec3 p, lmb_vec3 end)
{
    const float fraction = lmb_vec3_dot(p, end) / lmb_vec3_dot(end, end);
    const float inside = fraction < 0 ? 0 : (fraction > 1 ? 1 : fraction);
    return lmb_vec3_length(lmb_vec3_mad(p, end, -inside));
}

/// How far the farthest vertex is from the nearer bone; at rest all are within 1.
static float farthest(const result *r)
{
    const lmb_vec3 ends[] = {{-4, 0, 0},
                             {4 * lmb_cos(80 * LMB_PI / 180), 4 * lmb_sin(80 * LMB_PI / 180), 0}};
    float most = 0;
    for (uint32_t v = 0; v < CYLINDER_SIDE_VERTICES; ++v) {
        const float first = distance_to_bone(r->positions[v], ends[0]),
                    second = distance_to_bone(r->positions[v], ends[1]),
                    least = first < second ? first : second;
        most = least > most ? least : most;
    }
    return most;
}

static void the_bulge_is_taken_back(void **state)
{
    (void)state;
    lmb_character *character = tube_create();
    result *dual = deformed(character, LMB_SKIN_DUAL),
           *fixed = deformed(character, LMB_SKIN_DUAL_FIXED);
    assert_true(farthest(dual) > 1.05f);
    assert_true(farthest(fixed) < 1.0001f);
    free(dual);
    free(fixed);
    lmb_character_destroy(character);
}

/// The farthest that two results are apart, and the farthest that their normals are.
static void apart(const result *a, const result *b, float *places, float *directions)
{
    *places = *directions = 0;
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        *places = fmaxf(*places, lmb_vec3_distance(a->positions[v], b->positions[v]));
        *directions = fmaxf(*directions, lmb_vec3_distance(a->normals[v], b->normals[v]));
    }
}

/// As of an armature with a scale: centimetres under metres, and the other way round.
static void the_unit_of_bind_space_does_not_matter(void **state)
{
    (void)state;
    static const float units[] = {100, 0.01f, 3, -1};
    lmb_character *plain = tube_create();
    for (int method = LMB_SKIN_LINEAR; method <= LMB_SKIN_DUAL_FIXED; ++method) {
        result *want = deformed(plain, (lmb_skin_method)method);
        for (int u = 0; units[u] > 0; ++u) {
            lmb_character *character = tube_in_unit(units[u]);
            result *got = deformed(character, (lmb_skin_method)method);
            float places, directions;
            apart(got, want, &places, &directions);
            if (!(places <= 1e-5f && directions <= 1e-4f)) {
                fail_msg("method %d, %g units: %g apart, normals %g", method, (double)units[u],
                         (double)places, (double)directions);
            }
            free(got);
            lmb_character_destroy(character);
        }
        free(want);
    }
    lmb_character_destroy(plain);
}

static void common_scales(void **state)
{
    (void)state;
    lmb_mat4 palette[5];
    for (int j = 0; j < 5; ++j) {
        const float scales[] = {0.02f, 0.01f, 0, 0.01f, 3};
        lmb_transform t = lmb_transform_identity();
        t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0.6f, 0.8f), (float)j);
        t.scale = lmb_vec3_make(scales[j], j == 3 ? -scales[j] : scales[j], scales[j]);
        palette[j] = lmb_mat4_from_transform(t);
    }
    // 0.01 0.01 0.02 3: the joint without a volume does not count.
    assert_true(fabsf(lmbi_skin_scale(palette, 5) - 0.01f) < 1e-7f);
    assert_true(fabsf(lmbi_skin_scale(palette + 4, 1) - 3) < 1e-6f);
    assert_true(lmbi_skin_scale(palette + 2, 1) == 1);
    assert_true(lmbi_skin_scale(palette, 0) == 1);
    const lmb_transform rotated = {.rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 1),
                                   .scale = {1.000001f, 1, 1}};
    palette[0] = lmb_mat4_from_transform(rotated);
    assert_true(lmbi_skin_scale(palette, 1) == 1);
}

static void preparing_survives_every_failing_allocation(void **state)
{
    (void)state;
    lmb_character *character = tube_create();
    static const lmb_skin_method methods[] = {LMB_SKIN_LINEAR_GRADIENT, LMB_SKIN_DUAL_FIXED,
                                              LMB_SKIN_DELTA_MUSH};
    for (size_t k = 0; k < sizeof(methods) / sizeof(methods[0]); ++k) {
        failing_allocator memory = {.calls_left = 1000000};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_deformer *deformer = NULL;
        assert_int_equal(lmb_deformer_create(character, &alloc, &deformer, NULL), LMB_OK);
        lmb_result made = LMB_ERROR_MEMORY;
        int allowed = 0;
        for (; made == LMB_ERROR_MEMORY && allowed < 200; ++allowed) {
            memory.calls_left = allowed;
            made = lmb_deformer_prepare(deformer, methods[k], NULL, NULL);
        }
        assert_int_equal(made, LMB_OK);
        assert_true(allowed > 1);
        lmb_deformer_destroy(deformer);
        assert_int_equal(memory.held, 0);
    }
    lmb_character_destroy(character);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_change_normals_alone),
        cmocka_unit_test(the_bulge_is_taken_back),
        cmocka_unit_test(the_unit_of_bind_space_does_not_matter),
        cmocka_unit_test(common_scales),
        cmocka_unit_test(preparing_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
