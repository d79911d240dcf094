// Normals that follow the surface: against exact slopes, and against normals computed anew from the
// deformed mesh.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cylinder.h"
#include "failing_allocator.h"
#include "geometry/surface_math.h"
#include "limber/geometry.h"
#include "limber/skin.h"
#include "near.h"

static void destroy(lmb_mesh *mesh, lmb_binding *binding, lmb_gradients *gradients)
{
    lmb_gradients_destroy(gradients);
    lmb_binding_destroy(binding);
    lmb_mesh_destroy(mesh);
}

enum { SIDE = 9, PATCH = SIDE * SIDE };

/// A flat square, y up, from -1 to 1; joint 1 takes over along x.
static lmb_mesh *patch_create(void)
{
    static lmb_vec3 positions[PATCH], normals[PATCH];
    static lmb_vec4 tangents[PATCH];
    static uint32_t first[PATCH + 1], indices[6 * (SIDE - 1) * (SIDE - 1)];
    static lmb_influence items[2 * PATCH];
    uint32_t at = 0;
    for (uint32_t v = 0; v < PATCH; ++v) {
        const float x = 2 * (float)(v % SIDE) / (SIDE - 1) - 1,
                    z = 2 * (float)(v / SIDE) / (SIDE - 1) - 1;
        const float second = (x + 1) / 2;
        const uint32_t strong = second > 0.5f;
        positions[v] = lmb_vec3_make(x, 0, z);
        normals[v] = lmb_vec3_make(0, 1, 0);
        tangents[v] = (lmb_vec4){1, 0, 0, 1};
        items[2 * v] = (lmb_influence){strong, strong ? second : 1 - second};
        items[2 * v + 1] = (lmb_influence){1 - strong, strong ? 1 - second : second};
        first[v + 1] = 2 * v + 2;
        if (v % SIDE + 1 < SIDE && v / SIDE + 1 < SIDE) {
            const uint32_t quad[] = {v, v + SIDE, v + SIDE + 1, v, v + SIDE + 1, v + 1};
            for (int k = 0; k < 6; ++k) {
                indices[at++] = quad[k];
            }
        }
    }
    lmb_primitive primitive = {.index_count = at, .vertex_count = PATCH, .material = LMB_NONE};
    primitive.attributes = LMB_HAS_NORMALS | LMB_HAS_TANGENTS | LMB_HAS_INFLUENCES;
    const lmb_mesh def = {.vertex_count = PATCH,
                          .positions = positions,
                          .normals = normals,
                          .tangents = tangents,
                          .index_count = at,
                          .indices = indices,
                          .primitive_count = 1,
                          .primitives = &primitive,
                          .influences = {first, items}};
    lmb_mesh *mesh = NULL;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    return mesh;
}

static lmb_mesh *bound_patch(lmb_binding **binding, lmb_gradients **gradients)
{
    lmb_mesh *mesh = patch_create();
    assert_int_equal(lmb_binding_create(mesh, 2, NULL, binding, NULL), LMB_OK);
    assert_int_equal(lmb_gradients_create(mesh, NULL, gradients, NULL), LMB_OK);
    return mesh;
}

/// Joint 1 rises by 1 over a patch 2 wide: a slope of 1/2 everywhere, which the weights alone do
/// not see.
static void a_ramp_tilts_the_normals(void **state)
{
    (void)state;
    lmb_binding *binding = NULL;
    lmb_gradients *gradients = NULL;
    lmb_mesh *mesh = bound_patch(&binding, &gradients);
    lmb_mat4 palette[] = {lmb_mat4_identity(), lmb_mat4_identity()};
    palette[1].m[13] = 1;
    lmb_vec3 positions[PATCH], normals[PATCH], plain[PATCH];
    lmb_vec4 tangents[PATCH];
    lmb_skin_job job = {.binding = binding,
                        .model_from_bind = palette,
                        .out_positions = positions,
                        .out_normals = plain};
    lmb_skin_linear(&job);
    job.out_normals = normals;
    job.out_tangents = tangents;
    lmb_skin_gradient(&(lmb_skin_gradient_job){job, gradients});
    const double along = 1 / sqrt(1.25);
    for (uint32_t v = 0; v < PATCH; ++v) {
        near((double)positions[v].y, ((double)mesh->positions[v].x + 1) / 2, 1e-6);
        near((double)plain[v].y, 1, 1e-6);
        near((double)normals[v].x, -0.5 * along, 1e-6);
        near((double)normals[v].y, along, 1e-6);
        near((double)normals[v].z, 0, 1e-6);
        near((double)tangents[v].x, along, 1e-6);
        near((double)tangents[v].y, 0.5 * along, 1e-6);
        near((double)tangents[v].w, 1, 0);
    }
    destroy(mesh, binding, gradients);
}

static void stretches_still_count(void **state)
{
    (void)state;
    lmb_binding *binding = NULL;
    lmb_gradients *gradients = NULL;
    lmb_mesh *mesh = bound_patch(&binding, &gradients);
    lmb_transform t = lmb_transform_identity();
    t.scale.x = 2;
    const lmb_mat4 palette[] = {lmb_mat4_from_transform(t), lmb_mat4_from_transform(t)};
    lmb_vec3 given[PATCH], normals[PATCH];
    for (uint32_t v = 0; v < PATCH; ++v) {
        given[v] = lmb_vec3_make(0.70710678f, 0.70710678f, 0);
    }
    lmb_skin_gradient(&(lmb_skin_gradient_job){
        {.binding = binding, .model_from_bind = palette, .normals = given, .out_normals = normals},
        gradients});
    near((double)normals[40].x, 0.4472136, 1e-6);
    near((double)normals[40].y, 0.8944272, 1e-6);
    destroy(mesh, binding, gradients);
}

/// The mean angle in degrees to normals computed anew, around the joint.
static double mean_error(const lmb_mesh *mesh, const lmb_vec3 *positions, const lmb_vec3 *normals)
{
    const lmb_surface_part part = {.positions = positions,
                                   .vertex_count = mesh->vertex_count,
                                   .indices = mesh->indices,
                                   .index_count = mesh->index_count};
    lmb_surface *surface = NULL;
    assert_int_equal(lmb_surface_create(&part, 1, NULL, NULL, &surface, NULL), LMB_OK);
    lmb_vec3 *anew = calloc(surface->vertex_count, sizeof(*anew));
    assert_non_null(anew);
    lmbi_surface_vertex_normals(surface, anew);
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < CYLINDER_SIDE_VERTICES; ++v) {
        if (fabsf(mesh->positions[v].x) < 0.95f) { // the ramp has a kink at its ends
            const lmb_vec3 want = anew[surface->vertex_of[v]];
            sum += acos(fmin(1, (double)lmb_vec3_dot(want, normals[v])));
            ++count;
        }
    }
    lmb_surface_destroy(surface);
    free(anew);
    return sum / count * 180 / 3.14159265358979;
}

static void a_bent_arm_is_shaded_right(void **state)
{
    (void)state;
    lmb_mesh *mesh = cylinder_create(false);
    lmb_binding *binding = NULL;
    lmb_gradients *gradients = NULL;
    lmb_vec3 *positions = calloc(CYLINDER_VERTICES, sizeof(*positions));
    lmb_vec3 *normals = calloc(CYLINDER_VERTICES, sizeof(*normals));
    assert_true(positions != NULL && normals != NULL);
    assert_int_equal(lmb_binding_create(mesh, 2, NULL, &binding, NULL), LMB_OK);
    assert_int_equal(lmb_gradients_create(mesh, NULL, &gradients, NULL), LMB_OK);
    lmb_mat4 palette[2];
    cylinder_pose((lmb_vec3){0, 0, 1}, 60, palette);
    const lmb_skin_job job = {.binding = binding,
                              .model_from_bind = palette,
                              .out_positions = positions,
                              .out_normals = normals};
    lmb_skin_linear(&job);
    const double plain = mean_error(mesh, positions, normals);
    lmb_skin_gradient(&(lmb_skin_gradient_job){job, gradients});
    const double exact = mean_error(mesh, positions, normals);
    assert_true(plain > 3);
    assert_true(exact < 1);
    destroy(mesh, binding, gradients);
    free(positions);
    free(normals);
}

static void creation_survives_every_failing_allocation(void **state)
{
    (void)state;
    lmb_mesh *mesh = patch_create();
    lmb_result result = LMB_ERROR_MEMORY;
    for (int allowed = 0; result == LMB_ERROR_MEMORY && allowed < 200; ++allowed) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_gradients *gradients = NULL;
        result = lmb_gradients_create(mesh, &alloc, &gradients, NULL);
        assert_true((gradients != NULL) == (result == LMB_OK));
        lmb_gradients_destroy(gradients);
        assert_int_equal(memory.held, 0);
    }
    assert_int_equal(result, LMB_OK);
    lmb_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_tilts_the_normals),
        cmocka_unit_test(stretches_still_count),
        cmocka_unit_test(a_bent_arm_is_shaded_right),
        cmocka_unit_test(creation_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
