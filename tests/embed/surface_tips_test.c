/// The end of an arm whose hand has sunk into the trunk is found along the surface, and the line
/// through its rings runs along its bones.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "capsules.h"
#include "embed/shape/shape.h"

static const lmb_vec3 SHOULDER = {0.05f, 0.3f, 0}, ELBOW = {0.4f, 0.05f, 0},
                      HAND = {0.03f, -0.1f, 0};

static capsules *make_sunk_arm(void)
{
    capsules *s = capsules_create();
    add_capsule(s, (lmb_vec3){0, -0.5f, 0}, (lmb_vec3){0, 0.3f, 0}, 0.12f, 0.12f);
    add_capsule(s, SHOULDER, ELBOW, 0.05f, 0.045f);
    add_capsule(s, ELBOW, HAND, 0.04f, 0.035f);
    return s;
}

static float distance_to_line(const lmbi_tip_line *line, lmb_vec3 p, float from, float to)
{
    float least = 1e30f;
    for (int k = 0; k <= 100; ++k) {
        const float arc = from + (to - from) * (float)k / 100;
        least = fminf(least, lmb_vec3_distance(lmbi_tip_line_point(line, arc), p));
    }
    return least;
}

static const lmbi_tip *tip_at(const lmbi_tip *tips, uint32_t count, lmb_vec3 at)
{
    const lmbi_tip *found = NULL;
    for (uint32_t k = 0; k < count; ++k) {
        found = lmb_vec3_distance(tips[k].position, at) < 0.05f ? &tips[k] : found;
    }
    return found;
}

static void a_hand_in_the_trunk_is_an_end(void **state)
{
    (void)state;
    capsules *s = make_sunk_arm();
    const lmbi_triangle_soup soup = {s->points, s->point_count, s->triangles, s->triangle_count,
                                     false};
    lmbi_voxel_body body;
    lmbi_surface_graph graph;
    const lmbi_frame frame = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .size = 1};
    static lmbi_tip_line lines[LMBI_TIP_LINES];
    lmbi_tip solid[LMBI_MAX_TIPS], tips[LMBI_MAX_TIPS];
    uint32_t solid_count, count;
    assert_int_equal(lmbi_body_create(&soup, 1.0f / 96, 0, NULL, &body, NULL), LMB_OK);
    assert_int_equal(lmbi_body_find_tips(&body, 0.02f, solid, &solid_count, NULL), LMB_OK);
    assert_null(tip_at(solid, solid_count, HAND));
    assert_int_equal(lmbi_surface_graph_create(&soup, &body, &frame, &graph, NULL), LMB_OK);
    assert_int_equal(lmbi_surface_find_tips(&graph, &body, 0.07f, tips, &count, lines, NULL),
                     LMB_OK);
    const lmbi_tip *hand = tip_at(tips, count, HAND);
    assert_non_null(hand);
    const float forearm = lmb_vec3_distance(ELBOW, HAND);
    assert_true(hand->length > forearm);
    // The elbow lies where it should on the line, the middle of the forearm on it.
    assert_true(distance_to_line(hand->line, ELBOW, 0.8f * forearm, 1.3f * forearm) < 0.03f);
    assert_true(distance_to_line(hand->line, lmb_vec3_lerp(HAND, ELBOW, 0.5f), 0, forearm) < 0.01f);
    // A ring is hardly wider than the limb: paths over edges make it wavy.
    const uint32_t middle = (uint32_t)(0.5f * forearm / hand->line->step);
    assert_true(hand->line->radius[middle] > 0.03f && hand->line->radius[middle] < 0.056f);
    lmbi_surface_graph_destroy(&graph);
    lmbi_body_destroy(&body);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hand_in_the_trunk_is_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
