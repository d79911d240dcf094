// What is uploaded for GPU skinning, and what is refused: no GPU needed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/render.h"

static lmb_mesh *two_vertices(lmb_influence *items, uint32_t row)
{
    lmb_vec3 positions[] = {{1, 2, 3}, {4, 5, 6}};
    lmb_vec3 normals[] = {{0, 1, 0}, {0, 0, 1}};
    uint32_t first[] = {0, row, row};
    lmb_mesh *mesh = NULL;
    const lmb_mesh def = {.vertex_count = 2,
                          .positions = positions,
                          .normals = normals,
                          .influences = {first, items}};
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    return mesh;
}

static void layouts(void **state)
{
    (void)state;
    lmb_gpu_skin skin = {.joint_count = 10, .vertex_count = 2};
    lmb_gpu_layout layout = lmb_gpu_describe(&skin, 1).vertices;
    assert_int_equal(layout.stride, 12 + 4 + 8);
    assert_int_equal(layout.attribute_count, 3);
    assert_int_equal(layout.attributes[1].location, 3);
    assert_string_equal(layout.attributes[1].format, "uint8x4");
    assert_int_equal(layout.attributes[2].offset, 16);
    assert_string_equal(layout.attributes[2].format, "unorm16x4");
    skin = (lmb_gpu_skin){.influences = 8,
                          .weights = LMB_GPU_UNORM8,
                          .wide_joints = true,
                          .normals = true,
                          .tangents = true,
                          .vertex_stride = 96};
    layout = lmb_gpu_describe(&skin, 1).vertices;
    assert_int_equal(layout.attribute_count, 7);
    assert_int_equal(layout.attributes[6].location, 6);
    assert_int_equal(layout.attributes[6].offset, 12 + 12 + 16 + 8 + 4 + 8);
    assert_int_equal(layout.stride, 96);
    assert_int_equal(lmb_gpu_describe(&skin, 1).output.stride, 40);
}

/// Thirds in eighths of a byte do not come out even; they still sum to one, and the joints stay in
/// their order.
static void weights_sum_to_one(void **state)
{
    (void)state;
    lmb_influence items[] = {{7, 0.25f}, {300, 0.25f}, {5, 0.2f}, {4, 0.2f}, {3, 0.1f}};
    lmb_mesh *mesh = two_vertices(items, 5);
    lmb_gpu_skin skin = {.weights = LMB_GPU_UNORM8,
                         .influences = 3,
                         .wide_joints = true,
                         .joint_count = 301,
                         .vertex_count = 2};
    uint8_t out[2 * 24];
    assert_int_equal(lmb_gpu_describe(&skin, 1).vertices.stride, 24);
    assert_true(fabsf(lmb_gpu_vertices(&skin, mesh, out) - 0.3f) < 1e-6f);
    static const uint8_t first[] = {7, 0, 300 & 255, 300 >> 8, 5, 0, 7, 0};
    assert_memory_equal(out + 12, first, sizeof(first));
    // 25/70, 25/70, 20/70 of 255 are 91.07, 91.07, 72.86.
    static const uint8_t weights[] = {91, 91, 73, 0};
    assert_memory_equal(out + 20, weights, 4);
    // The vertex without a row follows joint 0.
    static const uint8_t alone[] = {0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0};
    assert_memory_equal(out + 24 + 12, alone, sizeof(alone));
    skin.influences = 8;
    uint8_t wide[2 * 48];
    assert_true(lmb_gpu_vertices(&skin, mesh, wide) <= 0);
    lmb_mesh_destroy(mesh);
}

/// What lies between the attributes is the caller's.
static void room_for_more(void **state)
{
    (void)state;
    lmb_influence items[] = {{1, 1}};
    lmb_mesh *mesh = two_vertices(items, 1);
    const lmb_gpu_skin skin = {.joint_count = 2, .vertex_count = 2, .vertex_stride = 32};
    uint8_t out[64];
    memset(out, 0xee, sizeof(out));
    lmb_gpu_vertices(&skin, mesh, out);
    for (int i = 24; i < 32; ++i) {
        assert_int_equal(out[i], 0xee);
        assert_int_equal(out[32 + i], 0xee);
    }
    lmb_mesh_destroy(mesh);
}

static void palette_values(void **state)
{
    (void)state;
    lmb_transform t = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), LMB_PI / 2);
    const lmb_mat4 matrix = lmb_mat4_from_transform(t);
    const float weights[] = {0.5f, 0, 0, 0, -1};
    lmb_gpu_skin skin = {.joint_count = 1, .morphs = true, .target_count = 5, .vertex_count = 10};
    int32_t counts[4];
    memcpy(counts, lmb_gpu_describe(&skin, 1).counts, sizeof(int32_t[4]));
    static const int32_t wanted[] = {5, 3, 5, 10};
    assert_memory_equal(counts, wanted, sizeof(wanted));
    lmb_vec4 out[5];
    lmb_gpu_palette_job job = {
        .skin = &skin, .model_from_bind = &matrix, .morph_weights = weights, .out = out};
    lmb_gpu_palette(&job);
    const float rows[3][4] = {{0, -1, 0, 1}, {1, 0, 0, 2}, {0, 0, 1, 3}};
    for (int r = 0; r < 3; ++r) {
        const float got[] = {out[r].x, out[r].y, out[r].z, out[r].w};
        for (int c = 0; c < 4; ++c) {
            assert_true(fabsf(got[c] - rows[r][c]) < 1e-6f);
        }
    }
    assert_true(out[3].x == 0.5f && out[3].w == 0.0f && out[4].x == -1.0f && out[4].y == 0.0f);
    // q = (0, 0, r, r) with r = sqrt(1/2); e = 1/2 (t q.w + t x q.v, -t . q.v) = r/2 (1 + 2, 2 - 1,
    // 3, -3).
    skin.method = LMB_GPU_DUAL;
    lmb_gpu_palette(&job);
    const float r = sqrtf(0.5f);
    assert_true(fabsf(fabsf(out[0].z) - r) < 1e-6f && fabsf(out[0].w - out[0].z) < 1e-6f);
    const float sign = out[0].w < 0 ? -1.0f : 1.0f;
    assert_true(fabsf(sign * out[1].x - 1.5f * r) < 1e-6f);
    assert_true(fabsf(sign * out[1].y - 0.5f * r) < 1e-6f);
    assert_true(fabsf(sign * out[1].z - 1.5f * r) < 1e-6f);
    assert_true(fabsf(sign * out[1].w + 1.5f * r) < 1e-6f);
}

static void extents(void **state)
{
    (void)state;
    lmb_gpu_skin skin = {.joint_count = 100, .palettes = LMB_GPU_TEXTURE, .texture_width = 256};
    lmb_gpu_extent extent = lmb_gpu_describe(&skin, 10).palettes;
    assert_int_equal(extent.used, 3000);
    assert_int_equal(extent.width, 256);
    assert_int_equal(extent.height, 12);
    assert_int_equal(extent.allocated, 12 * 256);
    skin.palettes = LMB_GPU_UNIFORM;
    assert_int_equal(lmb_gpu_describe(&skin, 1).palettes.allocated, 1024);
}

static void expect(lmb_gpu_skin skin, lmb_result result)
{
    lmb_error error;
    assert_int_equal(lmb_gpu_check(&skin, &error), result);
}

static void refusals(void **state)
{
    (void)state;
    expect((lmb_gpu_skin){.joint_count = 341}, LMB_ERROR_INVALID); // beyond 8 bits
    expect((lmb_gpu_skin){.joint_count = 341, .wide_joints = true}, LMB_OK);
    expect((lmb_gpu_skin){.joint_count = 342, .wide_joints = true}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.joint_count = 512, .wide_joints = true, .method = LMB_GPU_DUAL}, LMB_OK);
    expect((lmb_gpu_skin){.joint_count = 4, .uniform_size = 48}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.influences = 9}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.tangents = true}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.vertex_stride = 20}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.vertex_stride = 26}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.texture_width = 1000}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.stage = LMB_GPU_COMPUTE}, LMB_ERROR_UNSUPPORTED);
    expect((lmb_gpu_skin){.palettes = LMB_GPU_STORAGE}, LMB_ERROR_UNSUPPORTED);
    expect((lmb_gpu_skin){.palettes = LMB_GPU_STORAGE, .language = LMB_GPU_ESSL_310},
           LMB_ERROR_UNSUPPORTED);
    expect((lmb_gpu_skin){.palettes = LMB_GPU_STORAGE, .language = LMB_GPU_GLSL_430}, LMB_OK);
    expect((lmb_gpu_skin){.morphs = true, .target_count = 65536, .vertex_count = 65536},
           LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.morphs = true, .target_count = UINT32_MAX, .vertex_count = UINT32_MAX},
           LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.morphs = true, .target_count = UINT32_MAX}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.vertex_count = UINT32_MAX}, LMB_ERROR_INVALID);
    expect((lmb_gpu_skin){.method = (lmb_gpu_method)7}, LMB_ERROR_INVALID);
}

/// Cut off like snprintf; the whole text begins as its language wants.
static void shader_text(void **state)
{
    (void)state;
    const lmb_gpu_skin skin = {.language = LMB_GPU_ESSL_300, .normals = true};
    char cut[16];
    const size_t length = lmb_gpu_shader(&skin, cut, sizeof(cut));
    assert_string_equal(cut, "#version 300 es");
    char *whole = calloc(length + 1, 1);
    assert_non_null(whole);
    assert_int_equal(lmb_gpu_shader(&skin, whole, length + 1), length);
    assert_int_equal(strlen(whole), length);
    assert_non_null(strstr(whole, "lmb_vertex lmb_skin_vertex(int palette)"));
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts),       cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(room_for_more), cmocka_unit_test(palette_values),
        cmocka_unit_test(extents),       cmocka_unit_test(refusals),
        cmocka_unit_test(shader_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
