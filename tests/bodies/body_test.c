// Made bodies: closed, outward, with the truth inside the limb that it is the truth of.
#include "bodies/bodies.h"
#include "geometry/geometry.h"
#include "geometry/tree_nodes.h"
#include "limber/geometry.h"
#include "limber/procedural.h"

#include "base/hash.h"
#include "failing_allocator.h"
#include "geometry/adjacency.h"
#include "geometry/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lmb_made_body *body_of(lmb_made_body_kind kind, uint64_t seed, uint32_t triangles)
{
    const lmb_made_body_opts opts = {.kind = kind, .seed = seed, .triangle_count = triangles};
    lmb_made_body *body = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, &error), LMB_OK);
    return body;
}

static lmb_surface surface_of(const lmb_made_body *body)
{
    const lmb_mesh *m = body->character->meshes[0];
    const lmb_surface s = {.vertex_count = m->vertex_count,
                           .positions = m->positions,
                           .triangle_count = m->index_count / 3,
                           .triangles = m->indices};
    return s;
}

// Every edge has two triangles that run along it in opposite directions.
static void assert_closed(const lmb_surface *s)
{
    lmbi_adjacency *a = NULL;
    assert_int_equal(lmbi_adjacency_create(s, NULL, &a, NULL), LMB_OK);
    assert_int_equal(a->border_count, 0);
    assert_int_equal(a->crowded_count, 0);
    int *balance = calloc(a->edge_count, sizeof *balance);
    for (size_t c = 0; c < 3 * (size_t)s->triangle_count; ++c) {
        balance[a->corner_edge[c]] +=
            s->triangles[c] == a->edges[2 * (size_t)a->corner_edge[c]] ? 1 : -1;
    }
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        assert_int_equal(balance[e], 0);
    }
    free(balance);
    lmbi_adjacency_destroy(a);
    assert_true(lmbi_surface_volume(s) > 0.0);
}

static void assert_weights_are_shares(const lmb_made_body *body)
{
    assert_int_equal(body->vertex_count, body->character->meshes[0]->vertex_count);
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        float sum = 0.0f;
        for (uint32_t i = body->weights.first[v]; i < body->weights.first[v + 1]; ++i) {
            assert_true(body->weights.items[i].joint < body->joint_count);
            assert_true(body->weights.items[i].weight > 0.0f);
            sum += body->weights.items[i].weight;
        }
        assert_true(fabsf(sum - 1.0f) < 1e-5f);
    }
}

// Inside some shell: more rays leave through backs than enter through fronts.
static bool is_inside(const lmbi_tree *tree, lmb_vec3 p)
{
    static const float directions[3][3] = {
        {0.31f, 0.82f, 0.47f}, {-0.53f, -0.28f, 0.80f}, {0.66f, -0.41f, -0.63f}};
    int votes = 0;
    for (int k = 0; k < 3; ++k) {
        const lmbi_ray ray = {.origin = p,
                              .direction = {directions[k][0], directions[k][1], directions[k][2]},
                              .t_max = INFINITY};
        int32_t balance = 0;
        lmbi_tree_hit_count(tree, &ray, &balance);
        votes += balance > 0;
    }
    return votes >= 2;
}

static uint32_t joints_outside(const lmb_made_body *body, const lmb_surface *s)
{
    lmbi_tree *tree = NULL;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    uint32_t outside = 0;
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        if (!is_inside(tree, body->positions[j])) {
            print_message("joint %s is outside\n", body->names[j]);
            ++outside;
        }
    }
    lmbi_tree_destroy(tree);
    return outside;
}

// A joint without a vertex would mean that its part was lost.
static void assert_every_joint_moves_something(const lmb_made_body *body)
{
    float *pulls = calloc(body->joint_count, sizeof *pulls);
    for (uint32_t i = 0; i < body->weights.first[body->vertex_count]; ++i) {
        pulls[body->weights.items[i].joint] += body->weights.items[i].weight;
    }
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        if (strstr(body->names[j], "Metacarpal") || strstr(body->names[j], "Proximal")) {
            const char *on = body->names[body->parents[j]];
            assert_true(strstr(on, "Hand") != NULL || strstr(on, "Thumb") != NULL);
        }
        if (!(pulls[j] > 0.2f)) {
            print_message("joint %s moves nothing\n", body->names[j]);
        }
        assert_true(pulls[j] > 0.2f);
    }
    free(pulls);
}

static int find(const lmb_made_body *body, const char *name)
{
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        if (strcmp(body->names[j], name) == 0) {
            return (int)j;
        }
    }
    return -1;
}

static void assert_solid(const lmb_made_body *body)
{
    const lmb_surface s = surface_of(body);
    assert_closed(&s);
    assert_weights_are_shares(body);
    assert_int_equal(joints_outside(body, &s), 0);
    assert_true(fabsf(lmb_box_of(s.positions, s.vertex_count).low.y) < 1e-5f);
}

static void assert_sound(const lmb_made_body *body)
{
    assert_solid(body);
    assert_every_joint_moves_something(body);
}

// LIMBER_SEEDS=100 looks at more of them than a quick run has time for.
static uint64_t seed_count(void)
{
    const char *text = getenv("LIMBER_SEEDS");
    return text ? strtoull(text, NULL, 10) : 4;
}

static void test_humanoids(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < seed_count(); ++seed) {
        lmb_made_body *body = body_of(LMB_MADE_HUMANOID, seed, 8000);
        assert_sound(body);
        const int left = find(body, "leftUpperArm"), right = find(body, "rightUpperArm");
        assert_true(left < 0 || body->positions[left].x > 0.0f);
        assert_true(right < 0 || body->positions[right].x < 0.0f);
        assert_true(left >= 0 || right >= 0);
        assert_true(find(body, "hips") == 0);
        lmb_made_body_destroy(body);
    }
}

static void test_other_kinds(void **state)
{
    (void)state;
    static const lmb_made_body_kind kinds[7] = {LMB_MADE_QUADRUPED, LMB_MADE_BIRD,  LMB_MADE_HAND,
                                                LMB_MADE_FISH,      LMB_MADE_SNAKE, LMB_MADE_SPIDER,
                                                LMB_MADE_BIPED};
    static const uint32_t joints[7] = {24, 20, 17, 10, 13, 0, 22}; // 0: by its legs
    for (int k = 0; k < 7; ++k) {
        for (uint64_t seed = 0; seed < (seed_count() + 3) / 4; ++seed) {
            lmb_made_body *body = body_of(kinds[k], seed, 6000);
            assert_sound(body);
            assert_true(body->joint_count == joints[k] ||
                        (joints[k] == 0 &&
                         (body->joint_count == 3 + 6 * 3 || body->joint_count == 3 + 8 * 3)));
            assert_int_equal(body->missing_count, 0);
            assert_true(k > 2 || body->positions[find(body, k == 2 ? body->names[2] : "head")].y >
                                     body->positions[0].y);
            lmb_made_body_destroy(body);
        }
    }
}

/// Builds beyond the usual ones are solid too, though shanks may lie in the belly; some have wings.
static void test_varied_builds(void **state)
{
    (void)state;
    static const lmb_made_body_kind kinds[] = {LMB_MADE_QUADRUPED, LMB_MADE_BIRD, LMB_MADE_SNAKE,
                                               LMB_MADE_SPIDER};
    bool winged = false;
    const uint64_t first = 8, end = first + (seed_count() + 2) / 3;
    for (uint64_t seed = first; seed < end; ++seed) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
            const lmb_made_body_opts opts = {
                .kind = kinds[k], .seed = seed, .triangle_count = 3000, .varied = true};
            lmb_made_body *body = NULL;
            assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
            assert_solid(body);
            winged = winged || find(body, "leftWing2") >= 0;
            lmb_made_body_destroy(body);
        }
    }
    assert_true(winged);
}

static void test_same_seed_same_bytes(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int run = 0; run < 2; ++run) {
        lmb_made_body *body = body_of(LMB_MADE_HUMANOID, 5, 4000);
        const lmb_mesh *m = body->character->meshes[0];
        hashes[run] =
            lmbi_hash(LMBI_HASH_SEED, m->positions, m->vertex_count * sizeof *m->positions);
        hashes[run] = lmbi_hash(hashes[run], m->normals, m->vertex_count * sizeof *m->normals);
        hashes[run] = lmbi_hash(hashes[run], m->indices, m->index_count * sizeof *m->indices);
        hashes[run] =
            lmbi_hash(hashes[run], body->positions, body->joint_count * sizeof *body->positions);
        hashes[run] = lmbi_hash(hashes[run], body->weights.items,
                                body->weights.first[body->vertex_count] * sizeof(lmb_influence));
        lmb_made_body_destroy(body);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Turned, scaled and Z-up, the body and the truth about it move together.
static void test_variants_are_the_same_body(void **state)
{
    (void)state;
    lmb_made_body_opts opts = {.seed = 3, .triangle_count = 4000};
    lmb_made_body *plain = NULL, *rotated = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &plain, NULL), LMB_OK);
    opts.yaw_rad = 0.5f * LMB_PI;
    opts.scale = 100.0f;
    opts.z_up = true;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &rotated, NULL), LMB_OK);
    assert_int_equal(plain->joint_count, rotated->joint_count);
    for (uint32_t j = 0; j < plain->joint_count;
         ++j) { // a quarter turn takes x to -z and z to x; then y is up, -z is y
        const lmb_vec3 p = plain->positions[j],
                       want = lmb_vec3_make(100.0f * p.z, 100.0f * p.x, 100.0f * p.y);
        assert_true(lmb_vec3_distance(rotated->positions[j], want) < 1e-3f);
    }
    assert_true(lmb_vec3_distance(rotated->up, lmb_vec3_make(0, 0, 1)) < 1e-6f);
    assert_true(lmb_vec3_distance(rotated->facing, lmb_vec3_make(1, 0, 0)) < 1e-6f);
    assert_true(fabsf(rotated->height / plain->height - 100.0f) < 0.01f);
    const lmb_surface s = surface_of(rotated);
    assert_true(lmbi_surface_volume(&s) > 0.0);
    lmb_made_body_destroy(plain);
    lmb_made_body_destroy(rotated);
}

static void test_counts_are_met(void **state)
{
    (void)state;
    static const uint32_t counts[3] = {2000, 20000, 60000};
    for (int k = 0; k < 3; ++k) {
        lmb_made_body *body = body_of(LMB_MADE_HUMANOID, 7, counts[k]);
        const uint32_t n = body->character->meshes[0]->index_count / 3;
        assert_true(n > counts[k] * 9 / 10 && n <= counts[k] * 11 / 10);
        lmb_made_body_destroy(body);
    }
}

static void test_rigged_skin_holds_the_bind_pose(void **state)
{
    (void)state;
    const lmb_made_body_opts opts = {.seed = 7, .triangle_count = 4000, .rigged = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    const lmb_character *c = body->character;
    assert_int_equal(c->skin_count, 1);
    lmb_mat4 *model = calloc(c->skeleton->joint_count, sizeof *model),
             *palette = calloc(c->skins[0]->joint_count, sizeof *palette);
    const lmb_pose_to_model_job job = {.skeleton = c->skeleton, .model_from_joint = model};
    lmb_pose_to_model(&job);
    lmb_skin_palette(c->skins[0], model, palette);
    for (uint32_t j = 0; j < c->skins[0]->joint_count; ++j) {
        const lmb_vec3 p = {0.3f, 1.1f, -0.2f};
        assert_true(lmb_vec3_distance(lmb_mat4_point(palette[j], p), p) < 1e-5f);
        assert_true(lmb_vec3_distance(lmb_mat4_translation(model[c->skins[0]->joints[j]]),
                                      body->positions[j]) < 1e-5f);
    }
    free(model);
    free(palette);
    lmb_made_body_destroy(body);
}

static void test_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    const lmb_made_body_opts opts = {.kind = LMB_MADE_HAND, .triangle_count = 500, .rigged = true};
    for (failing_run f = {.least = 24, .sparse = 24}; failing_next(&f);) {
        lmb_made_body *body = NULL;
        f.result = lmb_made_body_create(&opts, &f.alloc, &body, NULL);
        assert_true((body != NULL) == (f.result == LMB_OK));
        if (f.result == LMB_OK) {
            lmb_made_body_destroy(body);
        }
    }
}

static void test_bad_options_are_refused(void **state)
{
    (void)state;
    lmb_made_body *body = NULL;
    lmb_made_body_opts opts = {.triangle_count = 3};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_ERROR_INVALID);
    opts = (lmb_made_body_opts){.scale = -1.0f};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_ERROR_INVALID);
    opts = (lmb_made_body_opts){.arm_angle_rad = 3.0f};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_ERROR_INVALID);
    assert_null(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_humanoids),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_varied_builds),
        cmocka_unit_test(test_same_seed_same_bytes),
        cmocka_unit_test(test_variants_are_the_same_body),
        cmocka_unit_test(test_counts_are_met),
        cmocka_unit_test(test_rigged_skin_holds_the_bind_pose),
        cmocka_unit_test(test_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(test_bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
