// Normals made for meshes without: smooth but over creases, and over seams of texture.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "failing_allocator.h"
#include "geometry/geometry.h"
#include "limber/asset.h"
#include "limber/geometry.h"

/// A cube of eight vertices about the origin.
static lmb_vec3 corners_of_cube[8];
static uint32_t triangles[36];

static void lay_cube(void)
{
    static const uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}};
    for (uint32_t v = 0; v < 8; ++v) {
        corners_of_cube[v] =
            lmb_vec3_make(v & 1 ? 1.0f : -1.0f, v & 2 ? 1.0f : -1.0f, v & 4 ? 1.0f : -1.0f);
    }
    for (uint32_t q = 0; q < 6; ++q) {
        const uint32_t corner[6] = {0, 1, 2, 0, 2, 3};
        for (uint32_t k = 0; k < 6; ++k) {
            triangles[6 * q + k] = quads[q][corner[k]];
        }
    }
}

static void normals_of_cube(float crease_deg, lmb_vec3 out[36])
{
    const lmbi_corner_normals_job job = {.positions = corners_of_cube,
                                         .vertex_count = 8,
                                         .indices = triangles,
                                         .index_count = 36,
                                         .crease_rad = crease_deg * LMB_PI / 180,
                                         .out_normals = out};
    assert_int_equal(lmbi_corner_normals(&job, NULL, NULL), LMB_OK);
}

static void a_cube_keeps_its_edges(void **state)
{
    (void)state;
    lmb_vec3 out[36];
    lay_cube();
    normals_of_cube(60, out);
    for (uint32_t c = 0; c < 36; ++c) {
        const lmb_vec3 *p = corners_of_cube;
        const uint32_t *t = triangles + c / 3 * 3;
        const lmb_vec3 face = lmb_vec3_normalize_or(
            lmb_vec3_cross(lmb_vec3_sub(p[t[1]], p[t[0]]), lmb_vec3_sub(p[t[2]], p[t[0]])),
            lmb_vec3_make(0, 0, 0));
        assert_true(lmb_vec3_distance(out[c], face) < 1e-6f);
    }
    // Without edges every corner points away from the middle, however its quads are cut in two: by
    // angles they count alike.
    normals_of_cube(180, out);
    for (uint32_t c = 0; c < 36; ++c) {
        const lmb_vec3 away = lmb_vec3_scale(corners_of_cube[triangles[c]], 1 / sqrtf(3));
        assert_true(lmb_vec3_distance(out[c], away) < 1e-6f);
    }
}

static lmb_mesh *cube_with(float crease_deg, uint32_t primitives, const lmb_allocator *alloc)
{
    static lmb_vec3 out[36];
    lmb_primitive parts[2] = {{0}};
    const lmb_influence items[8] = {{0, 1}, {1, 1}, {0, 1}, {1, 1}, {0, 1}, {1, 1}, {0, 1}, {1, 1}};
    const uint32_t first[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    lay_cube();
    normals_of_cube(crease_deg, out);
    for (uint32_t p = 0; p < primitives; ++p) {
        const uint32_t begin = p == 0 ? 0 : 12, end = p + 1 == primitives ? 36 : 12;
        parts[p] = (lmb_primitive){.first_index = begin,
                                   .index_count = end - begin,
                                   .first_vertex = 0,
                                   .vertex_count = 8,
                                   .attributes = LMB_HAS_INFLUENCES,
                                   .material = LMB_NONE};
    }
    const lmb_mesh def = {
        .vertex_count = 8,
        .positions = corners_of_cube,
        .index_count = 36,
        .indices = triangles,
        .primitive_count = primitives,
        .primitives = parts,
        .influences = {(uint32_t *)(uintptr_t)first, (lmb_influence *)(uintptr_t)items}};
    lmb_mesh *mesh = NULL;
    const lmb_result result = lmbi_mesh_with_normals(&def, out, alloc, &mesh, NULL);
    assert_true(result == LMB_OK || (alloc != NULL && result == LMB_ERROR_MEMORY));
    return mesh;
}

static void vertices_are_split_where_their_corners_differ(void **state)
{
    (void)state;
    lmb_mesh *mesh = cube_with(60, 2, NULL);
    assert_int_equal(mesh->vertex_count, 24);
    for (uint32_t v = 0; v < 24; ++v) { // the first eight stay where they are
        const uint32_t was = mesh->source_position[v];
        assert_true(v >= 8 || was == v);
        assert_memory_equal(&mesh->positions[v], &corners_of_cube[was], sizeof(lmb_vec3));
        assert_int_equal(mesh->influences.items[mesh->influences.first[v]].joint, was % 2);
        assert_true(fabsf(lmb_vec3_length(mesh->normals[v]) - 1) < 1e-6f);
    }
    for (uint32_t i = 0; i < 36; ++i) {
        assert_int_equal(mesh->source_position[mesh->indices[i]], triangles[i]);
    }
    assert_int_equal(mesh->primitives[1].vertex_count, 24);
    assert_true(mesh->primitives[1].attributes & LMB_HAS_NORMALS);
    lmb_mesh_destroy(mesh);
    mesh = cube_with(180, 1, NULL);
    assert_int_equal(mesh->vertex_count, 8);
    lmb_mesh_destroy(mesh);
}

/// Two triangles that meet at 30 degrees along an edge whose vertices are there twice.
static void seams_share_their_normals(void **state)
{
    (void)state;
    const float c = cosf(LMB_PI / 6), s = sinf(LMB_PI / 6);
    const lmb_vec3 positions[] = {{0, 0, 0}, {0, 0, 1}, {-1, 0, 0},
                                  {0, 0, 1}, {0, 0, 0}, {c, s, 0}};
    const uint32_t indices[] = {0, 2, 1, 3, 5, 4};
    lmb_vec3 out[6];
    lmbi_corner_normals_job job = {positions, 6, indices, 6, 40 * LMB_PI / 180, out};
    assert_int_equal(lmbi_corner_normals(&job, NULL, NULL), LMB_OK);
    assert_true(lmb_vec3_distance(out[0], out[5]) < 1e-6f);
    assert_true(lmb_vec3_distance(out[2], out[3]) < 1e-6f);
    assert_true(lmb_vec3_distance(out[0], out[1]) > 0.2f);
    job.crease_rad = 20 * LMB_PI / 180;
    assert_int_equal(lmbi_corner_normals(&job, NULL, NULL), LMB_OK);
    assert_true(lmb_vec3_distance(out[0], out[5]) > 0.4f);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    lmb_mesh *mesh = NULL;
    for (int allowed = 0; mesh == NULL; ++allowed) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        assert_true(allowed < 200);
        mesh = cube_with(60, 1, &alloc);
        if (mesh != NULL) {
            lmb_mesh_destroy(mesh);
            assert_int_equal(memory.held, 0);
            return;
        }
        assert_int_equal(memory.held, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_keeps_its_edges),
        cmocka_unit_test(vertices_are_split_where_their_corners_differ),
        cmocka_unit_test(seams_share_their_normals),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
