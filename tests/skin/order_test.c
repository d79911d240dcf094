// lmb_skin_order and lmb_mesh_reorder: the same mesh with its vertices elsewhere, skinned to the
// same bits, in blocks that lie side by side.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "mesh_fixture.h"
#include "skin/binding.h"

enum { SMALL = 9000, LARGE = LMBI_SKIN_LARGE + 3000 };

/// Vertices first, first + step, … of the mesh, round and round: `count` of them, as two primitives
/// of triangles that share none, one of them with two thirds. Morphs, texture coordinates and
/// colours tell which vertex is which.
static lmb_mesh *pick(const lmb_mesh *from, uint32_t count, uint32_t step)
{
    lmb_vec3 *positions = calloc(count, sizeof(*positions));
    lmb_vec3 *normals = calloc(count, sizeof(*normals));
    lmb_vec4 *tangents = calloc(count, sizeof(*tangents));
    lmb_vec2 *uvs = calloc(count, sizeof(*uvs));
    uint32_t *first = calloc((size_t)count + 1, sizeof(*first)), *indices = calloc(count, 4);
    lmb_influence *items = calloc((size_t)count * MESH_WIDEST, sizeof(*items));
    assert_true(positions && normals && tangents && uvs && first && indices && items);
    for (uint32_t v = 0; v < count; ++v) {
        const uint32_t source = (uint32_t)((uint64_t)v * step % from->vertex_count);
        const uint32_t row = from->influences.first[source];
        const uint32_t width = from->influences.first[source + 1] - row;
        positions[v] = from->positions[source];
        normals[v] = from->normals[source];
        tangents[v] = from->tangents[source];
        uvs[v] = (lmb_vec2){(float)v, 1};
        memcpy(items + first[v], from->influences.items + row, width * sizeof(*items));
        first[v + 1] = first[v] + width;
        indices[v] = v;
    }
    const uint32_t cut = count / 3 * 2;
    lmb_primitive primitives[2] = {
        {.index_count = cut, .vertex_count = cut, .attributes = LMB_HAS_NORMALS},
        {.first_index = cut,
         .index_count = count - cut,
         .first_vertex = cut,
         .vertex_count = count - cut,
         .material = 1}};
    lmb_morph_target target = {.name = "grow", .positions = normals};
    const lmb_mesh def = {.vertex_count = count,
                          .positions = positions,
                          .normals = normals,
                          .tangents = tangents,
                          .uvs = {uvs},
                          .index_count = count,
                          .indices = indices,
                          .primitive_count = 2,
                          .primitives = primitives,
                          .target_count = 1,
                          .targets = &target,
                          .influences = {first, items}};
    lmb_mesh *mesh = NULL;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    void *const blocks[] = {positions, normals, tangents, uvs, first, indices, items};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); ++i) {
        free(blocks[i]);
    }
    return mesh;
}

typedef struct pair {
    lmb_mesh *mesh[2]; ///< as it came, and in order
    lmb_binding *binding[2];
    uint32_t *order;
    lmb_vec3 *positions[2], *normals[2];
    lmb_vec4 *tangents[2];
} pair;

static void start(pair *p, lmb_mesh *mesh)
{
    const uint32_t n = mesh->vertex_count;
    *p = (pair){.mesh = {mesh}, .order = calloc(n, sizeof(*p->order))};
    assert_non_null(p->order);
    assert_int_equal(lmb_skin_order(mesh, NULL, p->order, NULL), LMB_OK);
    assert_int_equal(lmb_mesh_reorder(mesh, p->order, NULL, &p->mesh[1], NULL), LMB_OK);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(lmb_binding_create(p->mesh[k], MESH_JOINTS, NULL, &p->binding[k], NULL),
                         LMB_OK);
        p->positions[k] = calloc(n, sizeof(lmb_vec3));
        p->normals[k] = calloc(n, sizeof(lmb_vec3));
        p->tangents[k] = calloc(n, sizeof(lmb_vec4));
        assert_true(p->positions[k] && p->normals[k] && p->tangents[k]);
    }
}

static void end(pair *p)
{
    for (int k = 0; k < 2; ++k) {
        lmb_binding_destroy(p->binding[k]);
        lmb_mesh_destroy(p->mesh[k]);
        free(p->positions[k]);
        free(p->normals[k]);
        free(p->tangents[k]);
    }
    free(p->order);
}

static lmb_skin_job job_of(const pair *p, int k, const lmb_mat4 *palette, lmb_simd set)
{
    return (lmb_skin_job){.binding = p->binding[k],
                          .model_from_bind = palette,
                          .out_positions = p->positions[k],
                          .out_normals = p->normals[k],
                          .out_tangents = p->tangents[k],
                          .simd = set};
}

static void assert_same_skinned(const pair *p)
{
    for (uint32_t i = 0; i < p->mesh[0]->vertex_count; ++i) {
        const uint32_t v = p->order[i];
        assert_memory_equal(&p->positions[1][i], &p->positions[0][v], sizeof(lmb_vec3));
        assert_memory_equal(&p->normals[1][i], &p->normals[0][v], sizeof(lmb_vec3));
        assert_memory_equal(&p->tangents[1][i], &p->tangents[0][v], sizeof(lmb_vec4));
    }
}

static void everything_moves_with_its_vertex(void **state)
{
    const fixture *f = *state;
    pair p;
    start(&p, pick(f->skinned->mesh, SMALL, 7));
    const lmb_mesh *a = p.mesh[0], *b = p.mesh[1];
    uint32_t moved = 0;
    for (uint32_t i = 0; i < SMALL; ++i) {
        const uint32_t v = p.order[i], width = a->influences.first[v + 1] - a->influences.first[v];
        moved += v != i;
        assert_int_equal((uint32_t)b->uvs[0][i].x, v);
        assert_memory_equal(&a->positions[v], &b->positions[i], sizeof(lmb_vec3));
        assert_memory_equal(&a->targets[0].positions[v], &b->targets[0].positions[i],
                            sizeof(lmb_vec3));
        assert_int_equal(b->influences.first[i + 1] - b->influences.first[i], width);
        assert_memory_equal(a->influences.items + a->influences.first[v],
                            b->influences.items + b->influences.first[i],
                            width * sizeof(lmb_influence));
        // The corners of the triangles are the same vertices in the same turn.
        assert_int_equal(p.order[b->indices[i]], a->indices[i]);
    }
    assert_true(moved > SMALL / 2);
    assert_int_equal(b->primitives[1].material, 1);
    assert_int_equal(b->primitives[1].first_vertex, a->primitives[1].first_vertex);
    end(&p);
}

/// Sixteen lanes of a run, or what it has, come from places that follow each other.
static void runs_lie_side_by_side(void **state)
{
    fixture *f = *state;
    pair p;
    start(&p, pick(f->skinned->mesh, SMALL, 7));
    const lmb_binding *b = p.binding[1];
    uint32_t steps = 0, vertices = 0;
    for (uint32_t r = 0; r < b->run_count; ++r) {
        const lmbi_skin_run *run = &b->runs[r];
        vertices += run->count;
        for (uint32_t i = 1; i < run->count; ++i) {
            const uint16_t *at = &b->index[run->lane_first + i];
            steps += at[0] != at[-1] + 1;
        }
    }
    // A run goes on in the other primitive once.
    assert_true(vertices > SMALL / 2);
    assert_true(steps <= b->run_count);
    end(&p);
}

static void bits_are_those_of_the_own_order(void **state)
{
    fixture *f = *state;
    const lmb_mesh *mesh = f->skinned->mesh;
    pair p;
    // in one chunk; in two; in five, with short weights
    lmb_mesh *const meshes[] = {pick(mesh, SMALL, 7), pick(mesh, MESH_VERTICES, 1),
                                pick(mesh, LARGE, 3)};
    for (int m = 0; m < 3; ++m) {
        start(&p, meshes[m]);
        assert_true(p.binding[1]->loose_count > 50);
        for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
            for (int k = 0; k < 2 && lmb_simd_runs((lmb_simd)set); ++k) {
                const lmb_skin_job job = job_of(&p, k, f->skinned->palette, (lmb_simd)set);
                lmb_skin_linear(&job);
            }
            assert_same_skinned(&p);
        }
        end(&p);
    }
}

static void other_deformers_agree_in_one_chunk(void **state)
{
    fixture *f = *state;
    pair p;
    start(&p, pick(f->skinned->mesh, SMALL, 7));
    for (int k = 0; k < 2; ++k) {
        const lmb_skin_job job = job_of(&p, k, f->rigid, LMB_SIMD_BEST);
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = job, .rotations = f->rotations});
    }
    assert_same_skinned(&p);
    for (int k = 0; k < 2; ++k) {
        const lmb_skin_job job = job_of(&p, k, f->rigid, LMB_SIMD_BEST);
        // Any points do for centres: the morph's, which moved with their vertices.
        lmb_skin_center(&(lmb_skin_center_job){
            .skin = job, .rotations = f->rotations, .centers = p.mesh[k]->targets[0].positions});
    }
    assert_same_skinned(&p);
    end(&p);
}

static void what_is_no_order_is_refused(void **state)
{
    const fixture *f = *state;
    lmb_error error = {0};
    lmb_mesh *mesh = pick(f->skinned->mesh, SMALL, 7), *out = NULL;
    uint32_t *order = calloc(SMALL, sizeof(*order));
    assert_non_null(order);
    for (uint32_t v = 0; v < SMALL; ++v) {
        order[v] = v;
    }
    order[5] = 6;
    assert_int_equal(lmb_mesh_reorder(mesh, order, NULL, &out, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "vertex 6"));
    order[5] = SMALL;
    assert_int_equal(lmb_mesh_reorder(mesh, order, NULL, &out, &error), LMB_ERROR_INVALID);
    order[5] = SMALL - 1;
    order[SMALL - 1] = 5;
    assert_int_equal(lmb_mesh_reorder(mesh, order, NULL, &out, &error), LMB_ERROR_INVALID);
    assert_non_null(strstr(error.found, "primitive"));
    assert_null(out);
    const lmb_mesh bare = {.vertex_count = 1, .positions = (lmb_vec3[1]){{0, 0, 0}}};
    assert_int_equal(lmb_skin_order(&bare, NULL, order, &error), LMB_ERROR_INVALID);
    lmb_mesh_destroy(mesh);
    free(order);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    const fixture *f = *state;
    lmb_mesh *mesh = pick(f->skinned->mesh, 300, 1), *out = NULL;
    uint32_t order[300];
    int fails = 0;
    for (int calls = 0; out == NULL; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_result result = lmb_skin_order(mesh, &alloc, order, NULL);
        if (result == LMB_OK) {
            result = lmb_mesh_reorder(mesh, order, &alloc, &out, NULL);
        }
        assert_int_equal(result, out != NULL ? LMB_OK : LMB_ERROR_MEMORY);
        assert_int_equal(failing.held, out != NULL ? 1 : 0);
        fails += result != LMB_OK;
        if (out != NULL) {
            lmb_mesh_destroy(out);
            assert_int_equal(failing.held, 0);
        }
    }
    assert_true(fails > 6);
    lmb_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_moves_with_its_vertex, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_lie_side_by_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bits_are_those_of_the_own_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_deformers_agree_in_one_chunk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_order_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_that_runs_out_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
