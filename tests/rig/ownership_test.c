#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "geometry/shapes.h"
#include "rig/ownership.h"
#include "rig/rig.h"

/// A head, a ball of radius 1 around (0, 2, 0), with two eyeballs of radius 0.1 just inside its
/// front, and a spine below.
enum { ROOT, HEAD, LEFT, RIGHT, JOINTS };
static const lmb_vec3 positions[JOINTS] = {
    {0, -1, 0}, {0, 1.2f, 0}, {0.4f, 2.1f, 0.6f}, {-0.4f, 2.1f, 0.6f}};
static const int32_t parents[JOINTS] = {LMB_NONE, ROOT, HEAD, HEAD};

static lmb_surface *make_head(bool eyes)
{
    shape parts[3] = {shape_sphere(32, 16), shape_sphere(12, 8), shape_sphere(12, 8)};
    lmb_surface_part all[3];
    lmb_surface *surface;
    for (int p = 0; p < 3; ++p) {
        const lmb_vec3 at = p == 0 ? lmb_vec3_make(0, 2, 0) : positions[p == 1 ? LEFT : RIGHT];
        for (uint32_t v = 0; v < parts[p].point_count; ++v) {
            parts[p].points[v] = lmb_vec3_mad(at, parts[p].points[v], p == 0 ? 1 : 0.1f);
        }
        all[p] = (lmb_surface_part){.positions = parts[p].points,
                                    .vertex_count = parts[p].point_count,
                                    .indices = parts[p].triangles,
                                    .index_count = 3 * parts[p].triangle_count};
    }
    assert_int_equal(lmb_surface_create(all, eyes ? 3 : 1, NULL, NULL, &surface, NULL), LMB_OK);
    for (int p = 0; p < 3; ++p) {
        shape_free(&parts[p]);
    }
    return surface;
}

static lmbi_bones bones_of(lmbi_bone_segment *items)
{
    items[0] = (lmbi_bone_segment){positions[ROOT], positions[HEAD], ROOT};
    items[1] = (lmbi_bone_segment){positions[HEAD], lmb_vec3_make(0, 2.6f, 0), HEAD};
    items[2] = (lmbi_bone_segment){positions[LEFT], lmb_vec3_make(0.4f, 2.1f, 0.8f), LEFT};
    items[3] = (lmbi_bone_segment){positions[RIGHT], lmb_vec3_make(-0.4f, 2.1f, 0.8f), RIGHT};
    return (lmbi_bones){.count = JOINTS,
                        .items = items,
                        .joint_count = JOINTS,
                        .parents = (int32_t *)(uintptr_t)parents,
                        .positions = (lmb_vec3 *)(uintptr_t)positions};
}

static void an_eye_claims_its_ball_and_next_to_nothing_else(void **state)
{
    (void)state;
    lmb_surface *s = make_head(true);
    lmbi_bone_segment items[JOINTS];
    const lmbi_bones bones = bones_of(items);
    lmbi_heat heat = {.surface = s, .bones = &bones, .opts = {.influences = 4}};
    lmbi_arena_init(&heat.arena, NULL);
    assert_int_equal(lmbi_heat_prepare(&heat, NULL), LMB_OK);
    static const float none[LMBI_OWNERSHIP] = {0};
    assert_int_equal(lmbi_ownership_claim(&heat, none, NULL), LMB_OK);
    for (uint32_t slot = 0; slot < JOINTS; ++slot) {
        const bool eye = slot >= LEFT;
        assert_true(eye == (heat.own_piece[slot] != UINT32_MAX));
        assert_float_equal(heat.claims[slot], (eye ? 4 : 1), 1e-5f);
        assert_float_equal(heat.strengths[slot], 1, 1e-6f);
    }
    assert_true(heat.own_piece[LEFT] != heat.own_piece[RIGHT]);
    assert_float_equal(heat.own_claims[LEFT], 0.25f, 1e-6f);
    // the front of the face, and the middle of the left ball
    uint32_t face = 0, ball = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const bool on_left = heat.piece_of_vertex[v] == heat.own_piece[LEFT];
        ball = on_left ? v : ball;
        face = s->positions[v].z > s->positions[face].z &&
                       heat.piece_of_vertex[v] == heat.piece_of_vertex[0]
                   ? v
                   : face;
    }
    assert_float_equal(lmbi_claim(&heat, LEFT, face), 4, 1e-5f);
    assert_float_equal(lmbi_claim(&heat, LEFT, ball), 0.25f, 1e-6f);
    lmbi_heat_end(&heat);
    lmb_surface_destroy(s);
}

static void the_face_is_the_heads_and_the_balls_are_the_eyes(void **state)
{
    (void)state;
    lmb_surface *s = make_head(true);
    lmbi_bone_segment items[JOINTS];
    const lmbi_bones bones = bones_of(items);
    lmb_weights *w;
    assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const lmb_influence first = w->influences.items[w->influences.first[v]];
        const float left = lmb_vec3_distance(s->positions[v], positions[LEFT]),
                    right = lmb_vec3_distance(s->positions[v], positions[RIGHT]);
        if (fabsf(left - 0.1f) < 1e-4f || fabsf(right - 0.1f) < 1e-4f) {
            assert_int_equal(first.joint, left < right ? LEFT : RIGHT);
            assert_float_equal(first.weight, 1, 1e-6f);
        } else if (s->positions[v].y > 1.5f) {
            assert_int_equal(first.joint, HEAD);
        }
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
}

/// A joint that shares its position with none is measured as nothing, whatever the table.
static void a_plain_chain_has_no_measures(void **state)
{
    (void)state;
    lmb_surface *s = make_head(false);
    lmbi_bone_segment items[JOINTS];
    lmbi_bones bones = bones_of(items);
    bones.count = 2; // spine and head alone
    lmbi_heat heat = {.surface = s, .bones = &bones, .opts = {.influences = 4}};
    lmbi_ownership made;
    lmbi_arena_init(&heat.arena, NULL);
    assert_int_equal(lmbi_heat_prepare(&heat, NULL), LMB_OK);
    assert_int_equal(lmbi_ownership_measure(&heat, &made, NULL), LMB_OK);
    for (uint32_t k = 0; k < 2 * LMBI_JOINT_FEATURES; ++k) {
        assert_float_equal(made.features[k], 0, 0);
    }
    lmbi_heat_end(&heat);
    lmb_surface_destroy(s);
}

static void the_default_is_what_is_used_without_coefficients(void **state)
{
    (void)state;
    lmb_surface *s = make_head(true);
    lmbi_bone_segment items[JOINTS];
    const lmbi_bones bones = bones_of(items);
    float table[LMB_OWNERSHIP_COEFFICIENTS];
    lmb_weights *a, *b;
    lmbi_ownership_default(table);
    const lmb_weights_opts opts = {.ownership = table, .method = LMB_WEIGHTS_VOXEL, .soft = true},
                           plain = {.method = LMB_WEIGHTS_VOXEL, .soft = true};
    assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &a, NULL, NULL), LMB_OK);
    assert_int_equal(lmbi_weights_create(s, &bones, &plain, NULL, &b, NULL, NULL), LMB_OK);
    const uint32_t count = a->influences.first[s->vertex_count];
    assert_int_equal(count, b->influences.first[s->vertex_count]);
    assert_memory_equal(a->influences.items, b->influences.items, count * sizeof(lmb_influence));
    lmb_weights_destroy(a);
    lmb_weights_destroy(b);
    lmb_surface_destroy(s);
}

/// Mean weight that the eyes have by a coefficient of their claim (0) or strength.
static double eyes_have(const lmb_surface *s, const lmbi_bones *bones, lmb_rig_weights method,
                        int coefficient, float value)
{
    float table[LMB_OWNERSHIP_COEFFICIENTS] = {0};
    lmb_weights *w;
    double sum = 0;
    table[coefficient] = value;
    const lmb_weights_opts opts = {.ownership = table, .method = method};
    assert_int_equal(lmbi_weights_create(s, bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t k = 0; k < w->influences.first[s->vertex_count]; ++k) {
        const lmb_influence *in = &w->influences.items[k];
        sum += in->joint >= LEFT ? (double)in->weight : 0;
    }
    lmb_weights_destroy(w);
    return sum / s->vertex_count;
}

static void claims_and_strengths_move_the_border_in_every_solver(void **state)
{
    (void)state;
    lmb_surface *s = make_head(false);
    lmbi_bone_segment items[JOINTS];
    const lmbi_bones bones = bones_of(items);
    items[1].tail =
        lmb_vec3_make(0, 1.21f, 0); // a short one, so that much of the volume is disputed
    static const lmb_rig_weights methods[] = {LMB_WEIGHTS_HEAT, LMB_WEIGHTS_VOXEL, LMB_WEIGHTS_BBW};
    for (int m = 0; m < 3; ++m) {
        const double plain = eyes_have(s, &bones, methods[m], 0, 0);
        assert_true(plain > 0.002);
        assert_true(eyes_have(s, &bones, methods[m], 0, 1.5f) < 0.7 * plain);
        // one direction is enough of the slow one
        assert_true(methods[m] == LMB_WEIGHTS_BBW ||
                    eyes_have(s, &bones, methods[m], LMBI_JOINT_FEATURES, -2) < 0.9 * plain);
        assert_true(eyes_have(s, &bones, methods[m], LMBI_JOINT_FEATURES, 2) > 1.1 * plain);
    }
    lmb_surface_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_eye_claims_its_ball_and_next_to_nothing_else),
        cmocka_unit_test(the_face_is_the_heads_and_the_balls_are_the_eyes),
        cmocka_unit_test(a_plain_chain_has_no_measures),
        cmocka_unit_test(claims_and_strengths_move_the_border_in_every_solver),
        cmocka_unit_test(the_default_is_what_is_used_without_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
