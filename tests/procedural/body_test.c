// Made bodies: closed, outward, with the truth inside the limb that it is the truth of.
#include "limber/geometry.h"
#include "limber/procedural.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lmb_body *body_of(lmb_body_kind kind, uint64_t seed, uint32_t triangles)
{
    const lmb_body_opts opts = {.kind = kind, .seed = seed, .triangle_count = triangles};
    lmb_body *body = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_body_create(&opts, NULL, &body, &error), LMB_OK);
    return body;
}

static lmb_surface surface_of(const lmb_body *body)
{
    const lmb_mesh *m = body->character->meshes[0];
    const lmb_surface s = {.vertex_count = m->vertex_count, .positions = m->positions, .triangle_count = m->index_count / 3, .triangles = m->indices};
    return s;
}

// Every edge has two triangles that run along it in opposite directions.
static void assert_closed(const lmb_surface *s)
{
    lmb_adjacency *a = NULL;
    assert_int_equal(lmb_adjacency_create(s, NULL, &a, NULL), LMB_OK);
    assert_int_equal(a->border_count, 0);
    assert_int_equal(a->crowded_count, 0);
    int *balance = calloc(a->edge_count, sizeof *balance);
    for (size_t c = 0; c < 3 * (size_t)s->triangle_count; ++c) {
        balance[a->corner_edge[c]] += s->triangles[c] == a->edges[2 * (size_t)a->corner_edge[c]] ? 1 : -1;
    }
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        assert_int_equal(balance[e], 0);
    }
    free(balance);
    lmb_adjacency_destroy(a);
    assert_true(lmb_surface_volume(s) > 0.0);
}

static void assert_weights_are_shares(const lmb_body *body)
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
static bool is_inside(const lmb_tree *tree, lmb_vec3 p)
{
    static const float directions[3][3] = {{0.31f, 0.82f, 0.47f}, {-0.53f, -0.28f, 0.80f}, {0.66f, -0.41f, -0.63f}};
    int votes = 0;
    for (int k = 0; k < 3; ++k) {
        const lmb_ray ray = {.origin = p, .direction = {directions[k][0], directions[k][1], directions[k][2]}, .t_max = INFINITY};
        int32_t balance = 0;
        lmb_tree_hit_count(tree, &ray, &balance);
        votes += balance > 0;
    }
    return votes >= 2;
}

static uint32_t joints_outside(const lmb_body *body, const lmb_surface *s)
{
    lmb_tree *tree = NULL;
    assert_int_equal(lmb_tree_create(s, NULL, &tree, NULL), LMB_OK);
    uint32_t outside = 0;
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        if (!is_inside(tree, body->positions[j])) {
            print_message("joint %s is outside\n", body->names[j]);
            ++outside;
        }
    }
    lmb_tree_destroy(tree);
    return outside;
}

static int find(const lmb_body *body, const char *name)
{
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        if (strcmp(body->names[j], name) == 0) {
            return (int)j;
        }
    }
    return -1;
}

static void assert_sound(const lmb_body *body)
{
    const lmb_surface s = surface_of(body);
    assert_closed(&s);
    assert_weights_are_shares(body);
    assert_int_equal(joints_outside(body, &s), 0);
    assert_true(fabsf(lmb_box_of(s.positions, s.vertex_count).low.y) < 1e-5f);
}

// LIMBER_SEEDS=100 looks at more of them than a quick run has time for.
static uint64_t seed_count(void)
{
    const char *text = getenv("LIMBER_SEEDS");
    return text ? strtoull(text, NULL, 10) : 12;
}

static void test_humanoids(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < seed_count(); ++seed) {
        lmb_body *body = body_of(LMB_BODY_HUMANOID, seed, 8000);
        assert_sound(body);
        const int left = find(body, "leftUpperArm"), right = find(body, "rightUpperArm");
        assert_true(left < 0 || body->positions[left].x > 0.0f);
        assert_true(right < 0 || body->positions[right].x < 0.0f);
        assert_true(left >= 0 || right >= 0);
        assert_true(find(body, "hips") == 0);
        lmb_body_destroy(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_humanoids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
