#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "rig/rig.h"
#include "rig/rows.h"
#include "rig/weight_of.h"

static const sheet_joint joints[3] = {
    {"root", {0, 0, 0}}, {"left", {1, 0, 0}}, {"right", {2, 0, 0}}};

/// Four vertices without weights.
static void make_square(sheet *s, uint32_t joint_count)
{
    *s = (sheet){.vertex_count = 4, .joint_count = joint_count, .joints = joints};
    for (uint32_t v = 0; v < 4; ++v) {
        s->positions[v] = lmb_vec3_make((float)(v % 2), (float)(v / 2), 0);
    }
    sheet_triangles(s, 2, 2);
}

/// Four vertices: painted (1, 0, 0), (0.75, 0.25, 0), (0, 2, 2), which is normalised, and nothing.
static lmb_character *painted(const lmb_allocator *alloc)
{
    static sheet s;
    make_square(&s, 3);
    s.weights[0][0] = 1;
    s.weights[1][0] = 0.75f;
    s.weights[1][1] = 0.25f;
    s.weights[2][1] = 2;
    s.weights[2][2] = 2;
    return sheet_character(&s, alloc);
}

/// Given rows: as painted; (0.25, 0.75, 0); (0, 0, 1); anything.
static lmb_weights given_rows(uint32_t *first, lmb_influence *items, const lmb_surface *surface)
{
    static const lmb_influence rows[4][2] = {
        {{0, 1}, {0, 0}}, {{1, 0.75f}, {0, 0.25f}}, {{2, 1}, {0, 0}}, {{0, 1}, {0, 0}}};
    for (uint32_t v = 0; v < 4; ++v) {
        const uint32_t welded = surface->vertex_of[v];
        first[welded] = 2 * welded;
        items[2 * welded] = rows[v][0];
        items[2 * welded + 1] = rows[v][1];
    }
    first[4] = 8;
    return (lmb_weights){.vertex_count = 4, .influences = {first, items}};
}

static void known_rows_give_known_scores(void **state)
{
    (void)state;
    lmb_character *c = painted(NULL);
    lmb_surface *surface;
    assert_int_equal(lmb_character_surface(c, NULL, &surface, NULL), LMB_OK);
    uint32_t first[5];
    lmb_influence items[8];
    const lmb_weights given = given_rows(first, items, surface);
    lmb_weights_score score;
    float errors[4];
    assert_int_equal(lmb_weights_compare(c, surface, &given, NULL, &score, errors, NULL), LMB_OK);
    assert_int_equal(score.vertex_count, 3);
    assert_float_equal(score.l1_mean, 2.0f / 3, 1e-6f);
    assert_float_equal(score.l1_median, 1, 1e-6f);
    // the second's first joint is another; either of the third's two is as good
    assert_float_equal(score.first_joint_share, 2.0f / 3, 1e-6f);
    assert_float_equal(errors[0], 0, 0);
    assert_float_equal(errors[1], 1, 1e-6f);
    assert_float_equal(errors[2], 1, 1e-6f);
    assert_float_equal(errors[3], -1, 0);
    assert_int_equal(score.moved_count, 2);
    float sum = 0;
    for (uint32_t k = 0; k < 2; ++k) {
        const lmb_weights_moved *m = &score.moved[k];
        assert_true((m->painted == 0 && m->given == 1) || (m->painted == 1 && m->given == 2));
        sum += m->l1;
    }
    assert_float_equal(sum, score.l1_mean, 1e-6f);
    lmb_surface_destroy(surface);
    lmb_character_destroy(c);
}

static void joints_that_deform_are_those_with_weight(void **state)
{
    (void)state;
    lmb_character *c = painted(NULL);
    uint8_t deforms[4] = {9, 9, 9, 9};
    lmbi_character_deforming(c, deforms);
    assert_int_equal(deforms[0], 1);
    assert_int_equal(deforms[1], 1);
    assert_int_equal(deforms[2], 1);
    assert_int_equal(deforms[3], 0); // the node of the mesh
    lmb_character_destroy(c);
}

/// An arm that was bound straight, painted half and half around its elbow.
static lmb_character *arm(void)
{
    enum { COLUMNS = 21, ROWS = 5 };
    static const sheet_joint bones[2] = {{"upper", {0, 0, 0}}, {"lower", {10, 0, 0}}};
    sheet *s = sheet_begin(COLUMNS, ROWS, bones, 2);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->positions[v] = lmb_vec3_make((float)(v % COLUMNS), (float)(v / COLUMNS) - 2, 0);
        s->weights[v][v % COLUMNS > 10] = 1;
    }
    return sheet_character(s, NULL);
}

static void again(const lmb_character *c, lmb_surface **surface, lmb_weights **weights)
{
    assert_int_equal(lmb_weights_again(c, NULL, NULL, surface, weights, NULL), LMB_OK);
}

/// A file that stands in another pose than it was bound in, the first frame of a clip perhaps, is bound anew where it
/// was bound: folding its elbow changes no weight.
static void weights_do_not_depend_on_the_pose_at_rest(void **state)
{
    (void)state;
    lmb_surface *surface[2];
    lmb_weights *weights[2];
    lmb_character *c = arm();
    again(c, &surface[0], &weights[0]);
    c->skeleton->rest[1].rotation = lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, 2.5f);
    again(c, &surface[1], &weights[1]);
    assert_int_equal(surface[1]->part_vertex_count, surface[0]->part_vertex_count);
    for (uint32_t v = 0; v < surface[0]->part_vertex_count; ++v) {
        for (uint32_t joint = 0; joint < 2; ++joint) {
            assert_float_equal(weight_of(weights[0], surface[0]->vertex_of[v], joint),
                               weight_of(weights[1], surface[1]->vertex_of[v], joint), 1e-4f);
        }
    }
    for (int k = 0; k < 2; ++k) {
        lmb_weights_destroy(weights[k]);
        lmb_surface_destroy(surface[k]);
    }
    lmb_character_destroy(c);
}

/// Its own skeleton, read from the file once more, binds it there as well.
static void binding_to_its_own_skeleton_is_done_in_the_bind_pose(void **state)
{
    (void)state;
    const lmb_quat folded = lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, 2.5f);
    lmb_character *c = arm(), *file = arm();
    c->skeleton->rest[1].rotation = file->skeleton->rest[1].rotation = folded;
    lmb_surface *surface;
    lmb_weights *weights;
    again(c, &surface, &weights);
    const uint8_t deforms[3] = {1, 1, 0};
    const lmb_bind_opts opts = {.skeleton = file->skeleton, .deforms = deforms};
    assert_int_equal(lmb_bind(&c, &opts, NULL, NULL, NULL), LMB_OK);
    const lmb_influences *rows = &c->meshes[0]->influences;
    for (uint32_t v = 0; v < surface->part_vertex_count; ++v) {
        for (uint32_t k = rows->first[v]; k < rows->first[v + 1]; ++k) {
            assert_float_equal(rows->items[k].weight,
                               weight_of(weights, surface->vertex_of[v], rows->items[k].joint),
                               1e-6f);
        }
    }
    for (uint32_t v = 0; v < c->meshes[0]->vertex_count; ++v) { // neither folded nor unfolded
        assert_true(lmb_vec3_distance(c->meshes[0]->positions[v], file->meshes[0]->positions[v]) <
                    1e-5f);
    }
    assert_true(fabsf(c->skins[0]->joint_from_bind[1].m[12] + 10) < 1e-4f);
    assert_true(fabsf(lmb_quat_dot(c->skeleton->rest[1].rotation, folded)) > 0.9999f);
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    lmb_character_destroy(file);
    lmb_character_destroy(c);
}

static void nothing_painted_is_refused(void **state)
{
    (void)state;
    static sheet s;
    make_square(&s, 1);
    lmb_character *c = sheet_character(&s, NULL);
    lmb_surface *surface;
    assert_int_equal(lmb_character_surface(c, NULL, &surface, NULL), LMB_OK);
    uint32_t first[5];
    lmb_influence items[8];
    const lmb_weights given = given_rows(first, items, surface);
    lmb_weights_score score = {.vertex_count = 77};
    lmb_error error;
    assert_int_equal(lmb_weights_compare(c, surface, &given, NULL, &score, NULL, &error),
                     LMB_ERROR_INVALID);
    assert_int_equal(score.vertex_count, 77);
    lmb_surface_destroy(surface);
    lmb_character_destroy(c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lmb_character *c = painted(NULL);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_surface *surface = NULL;
        lmb_weights *weights = NULL;
        lmb_weights_score score;
        f.result = lmb_weights_again(c, NULL, &f.alloc, &surface, &weights, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_weights_compare(c, surface, weights, &f.alloc, &score, NULL, NULL);
            lmb_weights_destroy(weights);
            lmb_surface_destroy(surface);
        }
    }
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_rows_give_known_scores),
        cmocka_unit_test(joints_that_deform_are_those_with_weight),
        cmocka_unit_test(weights_do_not_depend_on_the_pose_at_rest),
        cmocka_unit_test(binding_to_its_own_skeleton_is_done_in_the_bind_pose),
        cmocka_unit_test(nothing_painted_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
