/// Limbs that touch are parted by the surface: a hand of its own piece on a hip, two legs that touch,
/// and a body that touches itself nowhere.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "capsules.h"
#include "embed/shape/shape.h"

enum { TRUNK = 1, ARM = 2, LEGS = 4 };
static const lmb_vec3 HAND = {0.15f, -0.22f, 0}, ELBOW = {0.4f, 0.05f, 0};

/// `gap` is how far the hand stays away from the trunk, and the feet from each other.
static void make(capsules *s, int parts, float gap)
{
    s->point_count = s->triangle_count = 0;
    add_capsule(s, (lmb_vec3){0, -0.3f, 0}, (lmb_vec3){0, 0.3f, 0}, 0.12f, 0.12f);
    if (parts & ARM) {
        const lmb_vec3 hand = {HAND.x + gap, HAND.y, 0};
        add_capsule(s, (lmb_vec3){0.05f, 0.3f, 0}, ELBOW, 0.05f, 0.045f);
        add_capsule(s, ELBOW, hand, 0.04f, 0.035f);
    }
    for (int side = 0; side < 2 && (parts & LEGS); ++side) {
        const float x = side == 0 ? 1.0f : -1.0f;
        add_capsule(s, (lmb_vec3){0.07f * x, -0.3f, 0}, (lmb_vec3){0.14f * x, -0.6f, 0}, 0.06f,
                    0.045f);
        add_capsule(s, (lmb_vec3){0.14f * x, -0.6f, 0},
                    (lmb_vec3){(0.035f + 0.5f * gap) * x, -0.9f, 0}, 0.045f, 0.04f);
    }
}

/// The graph of the surface in a frame of its own: turned a quarter, moved, a little smaller.
static void create_graph(const lmbi_triangle_soup *soup, lmbi_surface_graph *out)
{
    const lmbi_frame frame = {
        .axes = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}, .origin = {0.3f, 0.1f, -0.2f}, .size = 1.2f};
    lmb_vec3 *points = malloc(soup->position_count * sizeof *points);
    for (uint32_t p = 0; p < soup->position_count; ++p) {
        points[p] = lmbi_frame_to(&frame, soup->positions[p]);
    }
    lmbi_triangle_soup turned = *soup;
    turned.positions = points;
    lmbi_voxel_body body;
    assert_int_equal(lmbi_body_create(&turned, 1.0f / 115, 0, NULL, &body, NULL), LMB_OK);
    assert_int_equal(lmbi_surface_graph_create(&turned, &body, &frame, out, NULL), LMB_OK);
    lmbi_body_destroy(&body);
    free(points);
}

/// The shortest path between two points of the body, before and after limbs are parted. False if
/// none are.
static bool path_between(const capsules *s, lmb_vec3 from, lmb_vec3 to, float out[2])
{
    const lmbi_triangle_soup soup = {s->points, s->point_count, s->triangles, s->triangle_count,
                                     false};
    const lmbi_frame own = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .size = 1};
    lmbi_voxel_body body[2];
    lmbi_surface_graph graph;
    bool parted;
    create_graph(&soup, &graph);
    assert_int_equal(lmbi_body_create(&soup, 1.0f / 96, 0, NULL, &body[0], NULL), LMB_OK);
    assert_int_equal(
        lmbi_body_part_contacts(&body[0], &own, &graph, 0.08f, 0, &parted, &body[1], NULL), LMB_OK);
    lmbi_surface_graph_destroy(&graph);
    for (int k = 0; k < (parted ? 2 : 1); ++k) {
        body[k].center = lmbi_body_nearest_voxel(&body[k], from);
        assert_int_equal(lmbi_body_find_distances(&body[k], NULL), LMB_OK);
        out[k] = body[k].geodesic[lmbi_body_nearest_voxel(&body[k], to)] * body[k].grid.cell;
        lmbi_body_destroy(&body[k]);
    }
    if (!parted) {
        out[1] = out[0];
        return false;
    }
    return true;
}

static void a_hand_leaves_the_hip(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    float path[2];
    make(s, TRUNK | ARM, 0);
    assert_true(path_between(s, (lmb_vec3){0, -0.22f, 0}, HAND, path));
    assert_true(path[0] < 0.25f);
    assert_true(path[1] > 0.9f); // up the trunk, and down the arm
    free(s);
}

/// Both legs are equally far from the center.
static void feet_leave_each_other(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    float path[2];
    make(s, TRUNK | LEGS, 0);
    assert_true(path_between(s, (lmb_vec3){0.05f, -0.9f, 0}, (lmb_vec3){-0.05f, -0.9f, 0}, path));
    assert_true(path[0] < 0.2f);
    assert_true(path[1] > 0.9f);
    free(s);
}

static void nothing_else_is_parted(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    float path[2];
    make(s, TRUNK | ARM, 0.05f);
    assert_false(path_between(s, (lmb_vec3){0, -0.22f, 0}, HAND, path));
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_leaves_the_hip),
        cmocka_unit_test(feet_leave_each_other),
        cmocka_unit_test(nothing_else_is_parted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
