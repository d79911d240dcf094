#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/rig.h"
#include "rig/heat.h"
#include "rig/rig.h"
#include "rig/weight_of.h"

enum { RINGS = 65, BARS = 3 };

typedef struct bars {
    lmb_vec3 points[BARS * RINGS * 4];
    uint32_t triangles[BARS * (RINGS - 1) * 24 + BARS * 12];
    uint32_t point_count, index_count;
} bars;

/// A closed bar along x from 0 to `length`, as thick and as deep as `side`, its axis at (y, z).
static void add_bar(bars *b, float length, float side, float y, float z)
{
    static const float corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const uint32_t base = b->point_count;
    for (uint32_t r = 0; r < RINGS; ++r) {
        for (uint32_t k = 0; k < 4; ++k) {
            b->points[b->point_count++] =
                lmb_vec3_make(length * (float)r / (RINGS - 1), y + 0.5f * side * corner[k][0],
                              z + 0.5f * side * corner[k][1]);
        }
    }
    for (uint32_t r = 0; r + 1 < RINGS; ++r) {
        for (uint32_t k = 0; k < 4; ++k) {
            const uint32_t a = base + 4 * r + k, c = base + 4 * r + (k + 1) % 4;
            const uint32_t quad[6] = {a, a + 4, c + 4, a, c + 4, c};
            memcpy(b->triangles + b->index_count, quad, sizeof quad);
            b->index_count += 6;
        }
    }
    const uint32_t end = base + 4 * (RINGS - 1);
    const uint32_t caps[12] = {base, base + 1, base + 2, base, base + 2, base + 3,
                               end,  end + 2,  end + 1,  end,  end + 3,  end + 2};
    memcpy(b->triangles + b->index_count, caps, sizeof caps);
    b->index_count += 12;
}

static lmb_surface *surface_of(const bars *b)
{
    const lmb_surface_part part = {.positions = b->points,
                                   .vertex_count = b->point_count,
                                   .indices = b->triangles,
                                   .index_count = b->index_count};
    lmb_surface *s = NULL;
    assert_int_equal(lmb_surface_create(&part, 1, NULL, NULL, &s, NULL), LMB_OK);
    return s;
}

static lmb_weights *weigh(const lmb_surface *s, lmbi_bone_segment *items, uint32_t count,
                          lmb_rig_weights method, float falloff)
{
    const lmbi_bones bones = {.count = count, .items = items};
    const lmb_weights_opts opts = {.method = method, .falloff = falloff, .least = 1e-6f};
    lmb_weights *w = NULL;
    assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t v = 0; v < w->vertex_count; ++v) {
        float sum = 0;
        for (uint32_t k = w->influences.first[v]; k < w->influences.first[v + 1]; ++k) {
            assert_true(w->influences.items[k].weight > 0 && w->influences.items[k].weight <= 1);
            sum += w->influences.items[k].weight;
        }
        assert_true(sum == 1);
    }
    return w;
}

/// Shares of two bones at distances 0.1 and 0.2.
static void pulls_are_the_papers(void **state)
{
    (void)state;
    static const float expected[3][2] = {{0, 0.8f}, {0.3f, 0.8126f}, {1, 0.9412f}};
    for (int k = 0; k < 3; ++k) {
        const float near = lmbi_voxel_pull(0.1f, expected[k][0]),
                    far = lmbi_voxel_pull(0.2f, expected[k][0]);
        assert_true(fabsf(near / (near + far) - expected[k][1]) < 1e-4f);
    }
}

/// In a straight bar the path through the volume is the straight one.
static void a_bar_has_the_papers_weights(void **state)
{
    (void)state;
    static bars b;
    b = (bars){.point_count = 0};
    add_bar(&b, 10, 0.4f, 0, 0);
    lmb_surface *s = surface_of(&b);
    lmbi_bone_segment items[2] = {{{0.05f, 0, 0}, {0.05f, 0, 0}, 3},
                                  {{9.95f, 0, 0}, {9.95f, 0, 0}, 1}};
    for (int k = 0; k < 2; ++k) {
        const float alpha = k ? 1.0f : 0.3f, diagonal = sqrtf(100 + 2 * 0.16f);
        lmb_weights *w = weigh(s, items, 2, LMB_WEIGHTS_VOXEL, alpha);
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            const float x = s->positions[v].x;
            const float left = lmbi_voxel_pull((fabsf(x - 0.05f) + 0.1f) / diagonal, alpha),
                        right = lmbi_voxel_pull((fabsf(9.95f - x) + 0.1f) / diagonal, alpha);
            assert_true(x < 1 || x > 9 ||
                        fabsf(weight_of(w, v, 3) - left / (left + right)) < 0.04f);
        }
        lmb_weights_destroy(w);
    }
    lmb_surface_destroy(s);
}

/// Two bars side by side with little air between them, joined at one end by a third: as two
/// fingers. What is near through the air is far through the volume.
static void fingers_do_not_pull_each_other(void **state)
{
    (void)state;
    static bars b;
    b = (bars){.point_count = 0};
    add_bar(&b, 10, 1, 0, 0);
    add_bar(&b, 10, 1, 1.25f, 0);
    for (int method = LMB_WEIGHTS_VOXEL; method <= LMB_WEIGHTS_BBW; ++method) {
        lmb_surface *s = surface_of(&b);
        lmbi_bone_segment items[4] = {{{1, 0, 0}, {5, 0, 0}, 0},
                                      {{5, 0, 0}, {9, 0, 0}, 1},
                                      {{1, 1.25f, 0}, {5, 1.25f, 0}, 2},
                                      {{5, 1.25f, 0}, {9, 1.25f, 0}, 3}};
        lmb_weights *w = weigh(s, items, 4, (lmb_rig_weights)method, 0);
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            const uint32_t other = s->positions[v].y > 0.6f ? 0 : 2;
            const float x = s->positions[v].x;
            // the bridge that joins the pieces may be anywhere; away from it nothing crosses
            const float stray = weight_of(w, v, other) + weight_of(w, v, other + 1);
            assert_true(stray < 0.5f);
            assert_true(x < 6 || weight_of(w, v, other + 1) < 0.35f);
        }
        lmb_weights_destroy(w);
        lmb_surface_destroy(s);
    }
}

/// Three points in a rod: the ends fade into the middle smoothly, and do not reach beyond it.
static void a_rod_fades_from_end_to_middle(void **state)
{
    (void)state;
    static bars b;
    b = (bars){.point_count = 0};
    add_bar(&b, 10, 0.3f, 0, 0);
    lmb_surface *s = surface_of(&b);
    lmbi_bone_segment items[3] = {{{0.03f, 0, 0}, {0.03f, 0, 0}, 0},
                                  {{5, 0, 0}, {5, 0, 0}, 1},
                                  {{9.97f, 0, 0}, {9.97f, 0, 0}, 2}};
    lmb_weights *w = weigh(s, items, 3, LMB_WEIGHTS_BBW, 0);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const float x = s->positions[v].x, left = weight_of(w, v, 0), right = weight_of(w, v, 2);
        const float expected = x < 5 ? 1 - 0.3f * x + 0.004f * x * x * x : 0; // the cubic
        assert_true(x < 5.3f || left < 0.01f);
        assert_true(x > 4.7f || right < 0.01f);
        assert_true(fabsf(left - expected) < 0.2f);
        const uint32_t mirrored = 4 * (RINGS - 1 - v / 4) + v % 4;
        assert_true(fabsf(left - weight_of(w, mirrored, 2)) < 0.02f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
}

/// A body whose voxels do not fill the lattice gets smaller ones, until its cubes nearly do.
static void a_lattice_is_as_fine_as_it_may_be(void **state)
{
    (void)state;
    static bars b;
    b = (bars){.point_count = 0};
    add_bar(&b, 4, 0.5f, 0, 0);
    lmb_surface *s = surface_of(&b);
    lmbi_bone_segment items[2] = {{{0, 0, 0}, {2, 0, 0}, 0}, {{2, 0, 0}, {4, 0, 0}, 1}};
    const lmbi_bones bones = {.count = 2, .items = items};
    const lmb_weights_opts opts = {.method = LMB_WEIGHTS_BBW};
    lmb_weights *w = NULL;
    lmb_weights_report report;
    assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &w, &report, NULL), LMB_OK);
    assert_true(report.entry_count > 1000000); // 795 000 where voxels are not made smaller
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
}

/// Whatever the size, and bones outside the mesh too.
static void scale_does_not_matter(void **state)
{
    (void)state;
    for (int method = LMB_WEIGHTS_VOXEL; method <= LMB_WEIGHTS_BBW; ++method) {
        lmb_weights *at[2];
        static bars b;
        for (int k = 0; k < 2; ++k) {
            const float size = k ? 1024 : 1.0f / 1024;
            b = (bars){.point_count = 0};
            add_bar(&b, 4 * size, 0.2f * size, 0, 0);
            lmb_surface *s = surface_of(&b);
            lmbi_bone_segment items[2] = {{{0, 0, 0}, {2 * size, 0, 0}, 0},
                                          {{2 * size, 3 * size, 0}, {4 * size, 3 * size, 0}, 1}};
            at[k] = weigh(s, items, 2, (lmb_rig_weights)method, 0);
            lmb_surface_destroy(s);
        }
        for (uint32_t v = 0; v < at[0]->vertex_count; ++v) {
            assert_true(fabsf(weight_of(at[0], v, 0) - weight_of(at[1], v, 0)) < 1e-3f);
        }
        lmb_weights_destroy(at[0]);
        lmb_weights_destroy(at[1]);
    }
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    static bars b;
    b = (bars){.point_count = 0};
    add_bar(&b, 3, 0.1f, 0, 0);
    lmb_surface *s = surface_of(&b);
    lmbi_bone_segment items[2] = {{{0, 0, 0}, {1, 0, 0}, 0}, {{1, 0, 0}, {3, 0, 0}, 1}};
    const lmbi_bones bones = {.count = 2, .items = items};
    for (int method = LMB_WEIGHTS_VOXEL; method <= LMB_WEIGHTS_BBW; ++method) {
        for (failing_run f = {.sparse = 1}; failing_next(&f);) {
            const lmb_weights_opts opts = {.method = (lmb_rig_weights)method};
            lmb_weights *w = NULL;
            f.result = lmbi_weights_create(s, &bones, &opts, &f.alloc, &w, NULL, NULL);
            lmb_weights_destroy(w);
        }
    }
    lmb_surface_destroy(s);
}

static void a_surface_without_triangles_is_refused(void **state)
{
    (void)state;
    lmb_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    lmb_surface s = {.vertex_count = 2, .positions = points};
    lmbi_bone_segment item = {{0, 0, 0}, {1, 0, 0}, 0};
    const lmbi_bones bones = {.count = 1, .items = &item};
    const lmb_weights_opts opts = {.method = LMB_WEIGHTS_BBW};
    lmb_weights *w = NULL;
    assert_int_equal(lmbi_weights_create(&s, &bones, &opts, NULL, &w, NULL, NULL),
                     LMB_ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulls_are_the_papers),
        cmocka_unit_test(a_bar_has_the_papers_weights),
        cmocka_unit_test(fingers_do_not_pull_each_other),
        cmocka_unit_test(a_rod_fades_from_end_to_middle),
        cmocka_unit_test(a_lattice_is_as_fine_as_it_may_be),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(a_surface_without_triangles_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
