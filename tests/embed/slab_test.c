/// Figurines connected with the slab they stand on, as generated and printed ones are: the result
/// is the same as without the slab.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "embed/capsules.h"
#include "embed/stickman.h"
#include "geometry/geometry.h"
#include "geometry/volume.h"
#include "mapping/body_joint.h"

static const float CELL = 1.8f / 150;

static void add_box(capsules *s, lmb_vec3 low, lmb_vec3 high)
{
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (uint32_t k = 0; k < 36; ++k) {
        s->triangles[3 * (size_t)s->triangle_count + k] = s->point_count + faces[k];
    }
    s->triangle_count += 12;
    for (uint32_t k = 0; k < 8; ++k) {
        s->points[s->point_count++] =
            lmb_vec3_make(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
    }
}

typedef struct field {
    lmbi_grid grid;
    float *value;
} field;

static float value_at(const void *context, lmb_vec3 p)
{
    const field *f = context;
    return lmbi_field_sample(&f->grid, f->value, p);
}

/// Negative inside the union of all pieces, by voxels.
static field field_of(const capsules *s, lmb_box box)
{
    field f;
    assert_int_equal(lmbi_grid_around(box, CELL, 4, &f.grid, NULL), LMB_OK);
    const size_t count = lmbi_grid_count(&f.grid);
    uint8_t *cells = calloc(count, 1);
    float *outside = malloc(count * sizeof *outside);
    f.value = malloc(count * sizeof *f.value);
    lmbi_voxels_mark(&f.grid, s->points, s->triangles, s->triangle_count, cells);
    assert_int_equal(lmbi_voxels_fill(&f.grid, LMB_OPEN_NOWHERE, cells, NULL, NULL), LMB_OK);
    assert_int_equal(lmbi_distance_transform(&f.grid, cells, f.value, NULL, NULL), LMB_OK);
    for (size_t v = 0; v < count; ++v) {
        cells[v] = !cells[v];
    }
    assert_int_equal(lmbi_distance_transform(&f.grid, cells, outside, NULL, NULL), LMB_OK);
    for (size_t v = 0; v < count; ++v) {
        f.value[v] = 0.5f * CELL * (outside[v] - f.value[v]);
    }
    free(outside);
    free(cells);
    return f;
}

/// All pieces as one closed surface.
static lmb_surface *fused(const capsules *s)
{
    const lmb_box box = lmb_box_of(s->points, s->point_count);
    field f = field_of(s, box);
    const lmb_vec3 margin = {2 * CELL, 2 * CELL, 2 * CELL};
    const lmbi_iso_job job = {
        .value = value_at,
        .context = &f,
        .box = {lmb_vec3_sub(box.low, margin), lmb_vec3_add(box.high, margin)},
        .step = 1.02f * CELL,
        .slope = 2,
        .rounds = 2};
    lmb_surface *surface = NULL;
    assert_int_equal(lmbi_iso_surface(&job, NULL, &surface, NULL), LMB_OK);
    free(f.value);
    return surface;
}

static float mean_miss(const lmb_embedding *e)
{
    float sum = 0;
    for (uint32_t k = 0; k < 2 * TRUE_JOINTS; ++k) {
        const true_joint *t = &stickman_joints[k / 2];
        sum += lmb_vec3_distance(e->joints[t->joint + 4 * (k % 2)],
                                 k % 2 == 0 ? t->at : other_side(t->at));
    }
    return sum / (2 * TRUE_JOINTS);
}

static float farthest(const lmb_embedding *a, const lmb_embedding *b)
{
    float worst = 0;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        worst = fmaxf(worst, lmb_vec3_distance(a->joints[j], b->joints[j]));
    }
    return worst;
}

static const struct {
    const char *name;
    lmb_vec3 low, high;
} plates[] = {
    {"thin", {-0.4f, -0.05f, -0.35f}, {0.4f, 0.02f, 0.4f}},
    {"thick", {-0.4f, -0.14f, -0.35f}, {0.4f, 0.02f, 0.4f}},
    {"just under the feet", {-0.25f, -0.06f, -0.2f}, {0.25f, 0.02f, 0.25f}},
};

static void plates_of_one_piece_with_the_feet(void **state)
{
    (void)state;
    capsules *bare = make_stickman();
    lmb_surface *alone = fused(bare);
    const lmb_embedding truth = embedded_surface(alone);
    for (size_t k = 0; k < sizeof plates / sizeof plates[0]; ++k) {
        capsules *s = make_stickman();
        add_box(s, plates[k].low, plates[k].high);
        lmb_surface *surface = fused(s);
        const lmb_embedding e = embedded_surface(surface);
        if (e.kind != LMB_SKELETON_HUMAN || mean_miss(&e) > 0.045f ||
            farthest(&e, &truth) > 0.06f || e.overall < 0.5f) {
            fail_msg("%s: %s, confidence %g, joints off by %g, %g from those without it",
                     plates[k].name, lmb_skeleton_kind_name(e.kind), (double)e.overall,
                     (double)mean_miss(&e), (double)farthest(&e, &truth));
        }
        lmb_surface_destroy(surface);
        free(s);
    }
    lmb_surface_destroy(alone);
    free(bare);
}

/// The slab may be at any end of the file.
static void plates_at_other_ends(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    add_box(s, plates[1].low, plates[1].high);
    lmb_surface *surface = fused(s);
    const lmb_embedding stands = embedded_surface(surface);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const lmb_vec3 p = surface->positions[v];
        surface->positions[v] = lmb_vec3_make(p.x, p.z, -p.y);
    }
    const lmb_embedding lies = embedded_surface(surface);
    assert_int_equal(lies.kind, LMB_SKELETON_HUMAN);
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        const lmb_vec3 p = lies.joints[j];
        assert_true(lmb_vec3_distance(lmb_vec3_make(p.x, -p.z, p.y), stands.joints[j]) < 0.02f);
    }
    lmb_surface_destroy(surface);
    free(s);
}

/// Two boxes with air between them are shoes, however level their soles and tops are.
static void shoes_of_boxes_are_no_plate(void **state)
{
    (void)state;
    capsules *s = make_stickman();
    for (int side = -1; side <= 1; side += 2) {
        const float x = 0.12f * (float)side;
        add_box(s, lmb_vec3_make(x - 0.09f, -0.02f, -0.12f), lmb_vec3_make(x + 0.09f, 0.1f, 0.32f));
    }
    lmb_surface *surface = fused(s);
    const lmb_embedding e = embedded_surface(surface);
    assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
    assert_true(e.ground.y < 0);
    for (int side = 0; side < 2; ++side) {
        const uint32_t first = LMBI_LEFT_UPPER_LEG + (uint32_t)side * 4;
        assert_true(e.joints[first + 2].y < 0.16f && e.joints[first + 3].z > 0.05f);
    }
    lmb_surface_destroy(surface);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_of_one_piece_with_the_feet),
        cmocka_unit_test(plates_at_other_ends),
        cmocka_unit_test(shoes_of_boxes_are_no_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
