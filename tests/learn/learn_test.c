#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "learn/moving.h"
#include "limber/os.h"

static void rows_are_shares(const lmb_learned *l, uint32_t most)
{
    for (uint32_t v = 0; v < l->vertex_count; ++v) {
        const uint32_t first = l->influences.first[v], last = l->influences.first[v + 1];
        float sum = 0;
        assert_true(last > first && last - first <= most);
        for (uint32_t k = first; k < last; ++k) {
            assert_true(l->influences.items[k].weight > 0);
            assert_true(l->influences.items[k].joint < l->bone_count);
            sum += l->influences.items[k].weight;
        }
        assert_true(fabsf(sum - 1) < 1e-6f);
    }
}

/// Boxes that are rigid: as many bones, every vertex with one, no error but rounding.
static void boxes_are_found(void **state)
{
    (void)state;
    moving m = moving_boxes(6, 20);
    lmb_learn_report r;
    lmb_learned *l =
        moving_learn(&m, &(lmb_learn_opts){.bone_count = 6, .skeleton = LMB_LEARN_FLAT}, &r);
    assert_int_equal(l->bone_count, 6);
    assert_true(r.rms < 1e-6f * 3);
    rows_are_shares(l, 1);
    for (uint32_t v = 0; v < l->vertex_count; ++v) {
        assert_int_equal(l->influences.items[v].joint, l->influences.items[v / 26 * 26].joint);
    }
    lmb_learned_destroy(l);
    moving_free(&m);
}

static void no_more_bones_than_are_needed(void **state)
{
    (void)state;
    moving m = moving_boxes(3, 8);
    lmb_learn_report r;
    lmb_learned *l =
        moving_learn(&m, &(lmb_learn_opts){.bone_count = 10, .skeleton = LMB_LEARN_FLAT}, &r);
    assert_int_equal(l->bone_count, 3);
    assert_true(r.rms < 3e-6f);
    lmb_learned_destroy(l);
    moving_free(&m);
}

static float weight_of(const lmb_learned *l, uint32_t v, uint32_t bone)
{
    float sum = 0;
    for (uint32_t k = l->influences.first[v]; k < l->influences.first[v + 1]; ++k) {
        sum += l->influences.items[k].joint == bone ? l->influences.items[k].weight : 0;
    }
    return sum;
}

/// Mean difference of the weights of a known bone from those of the learned bone most like it.
static float weights_off(const moving *m, const lmb_learned *l, uint32_t bone)
{
    float least = INFINITY;
    for (uint32_t j = 0; j < l->bone_count; ++j) {
        float sum = 0;
        for (uint32_t v = 0; v < m->vertex_count; ++v) {
            sum += fabsf(m->weights[v][bone] - weight_of(l, v, j));
        }
        least = fminf(least, sum / (float)m->vertex_count);
    }
    return least;
}

/// Five bones under smooth weights: the weights come back.
/// Five rigid boxes take five bones, whatever is allowed; what does not suffice is the most.
static void the_fewest_bones_for_an_error_are_found(void **state)
{
    (void)state;
    moving m = moving_boxes(5, 8);
    lmb_learn_report report;
    lmb_learn_opts opts = {
        .bone_count = 40, .error_percent = 0.01f, .skeleton = LMB_LEARN_FLAT, .influences = 1};
    lmb_learned *l = moving_learn(&m, &opts, &report);
    assert_int_equal(l->bone_count, 5);
    assert_true(report.rms_percent <= 0.01f);
    lmb_learned_destroy(l);
    opts.bone_count = 3;
    l = moving_learn(&m, &opts, &report);
    assert_int_equal(l->bone_count, 3);
    assert_true(report.rms_percent > 0.01f);
    lmb_learned_destroy(l);
    moving_free(&m);
}

/// Too few bones for a chain: a higher norm has a worse mean and a better worst vertex.
static void a_norm_spares_the_worst_vertices(void **state)
{
    (void)state;
    moving m = moving_chain(6, 0.6f, false, 16);
    lmb_learn_report mean, worst;
    lmb_learn_opts opts = {
        .bone_count = 4, .iterations = 40, .skeleton = LMB_LEARN_FLAT, .influences = 2};
    lmb_learned_destroy(moving_learn(&m, &opts, &mean));
    opts.norm = 8;
    lmb_learned_destroy(moving_learn(&m, &opts, &worst));
    assert_true(worst.max < 0.95f * mean.max);
    assert_true(worst.rms < 2 * mean.rms);
    moving_free(&m);
}

static void smooth_weights_come_back(void **state)
{
    (void)state;
    moving m = moving_chain(5, 0.8f, false, 60);
    lmb_learn_report r;
    lmb_learned *l =
        moving_learn(&m, &(lmb_learn_opts){.bone_count = 5, .skeleton = LMB_LEARN_FLAT}, &r);
    assert_true(r.e_rms < 0.05f);
    rows_are_shares(l, 4);
    for (uint32_t j = 0; j < 5; ++j) {
        assert_true(weights_off(&m, l, j) < 0.02f);
    }
    lmb_learned_destroy(l);
    moving_free(&m);
}

static bool same(const lmb_learned *a, const lmb_learned *b)
{
    const uint32_t n = a->vertex_count;
    return a->bone_count == b->bone_count &&
           memcmp(a->influences.first, b->influences.first, (n + 1) * sizeof(uint32_t)) == 0 &&
           memcmp(a->influences.items, b->influences.items,
                  a->influences.first[n] * sizeof(lmb_influence)) == 0 &&
           memcmp(a->motion, b->motion,
                  (size_t)a->frame_count * a->bone_count * sizeof *a->motion) == 0 &&
           memcmp(a->joints, b->joints, a->bone_count * sizeof *a->joints) == 0;
}

/// Bones are sought among fewer points than these are, and those of all come out.
static void many_points_come_back_as_few_do(void **state)
{
    (void)state;
    moving m = moving_fine_chain(3, 0.8f, false, 24, 2);
    lmb_pool *pool = NULL;
    lmb_learn_report r;
    lmb_learn_opts opts = {.bone_count = 3, .skeleton = LMB_LEARN_FLAT};
    lmb_learned *l = moving_learn(&m, &opts, &r);
    assert_true(r.e_rms < 0.05f);
    rows_are_shares(l, 4);
    for (uint32_t j = 0; j < 3; ++j) {
        assert_true(weights_off(&m, l, j) < 0.02f);
    }
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    opts.jobs = lmb_pool_jobs(pool);
    lmb_learned *parallel = moving_learn(&m, &opts, NULL);
    assert_true(same(l, parallel));
    lmb_learned_destroy(parallel);
    lmb_learned_destroy(l);
    lmb_pool_destroy(pool);
    moving_free(&m);
}

/// Three links and two hinges: a chain, its joints in place, no error to speak of.
static void an_arm_is_a_chain(void **state)
{
    (void)state;
    moving m = moving_chain(3, 0.4f, true, 24);
    lmb_learn_report r;
    lmb_learned *l = moving_learn(&m, &(lmb_learn_opts){.bone_count = 3}, &r);
    assert_int_equal(l->bone_count, 3);
    assert_true(r.e_rms < 1);
    uint32_t joints = 0, children[3] = {0};
    for (uint32_t j = 0; j < 3; ++j) {
        if (l->parents[j] == LMB_NONE) {
            continue;
        }
        ++children[l->parents[j]];
        float nearest = INFINITY;
        for (uint32_t k = 1; k < 3; ++k) {
            nearest = fminf(nearest, lmb_vec3_distance(l->joints[j], m.joints[k]));
        }
        assert_true(nearest < 0.015f); // of a length of 3
        ++joints;
    }
    assert_int_equal(joints, 2);
    // The middle link is the root with two children.
    assert_int_equal(children[0], 2);
    lmb_learned_destroy(l);
    moving_free(&m);
}

/// A chain of six comes back without an error, and its bones agree on their joints in all frames.
static void a_chain_comes_back(void **state)
{
    (void)state;
    moving m = moving_chain(6, 0.8f, false, 16);
    lmb_learn_report r;
    lmb_learned *l = moving_learn(&m, &(lmb_learn_opts){.bone_count = 6}, &r);
    assert_int_equal(l->bone_count, 6);
    assert_true(r.e_rms < 1e-3f);
    for (uint32_t k = 0; k < l->frame_count; ++k) {
        const lmb_transform *at = l->motion + (size_t)k * l->bone_count;
        for (uint32_t j = 0; j < l->bone_count; ++j) {
            if (l->parents[j] != LMB_NONE) {
                const uint32_t above = (uint32_t)l->parents[j];
                const lmb_vec3 local = lmb_vec3_sub(l->joints[j], l->joints[above]);
                const lmb_vec3 joint =
                    lmb_vec3_add(at[above].translation, lmb_quat_rotate(at[above].rotation, local));
                assert_true(lmb_vec3_distance(joint, at[j].translation) < 2e-5f);
            }
        }
    }
    lmb_learned_destroy(l);
    moving_free(&m);
}

/// Bones that slide are the free ones in a hierarchy.
static void sliding_bones_are_as_near(void **state)
{
    (void)state;
    moving m = moving_chain(6, 1.5f, false, 25);
    lmb_learn_report flat, sliding;
    lmb_learned *free_bones =
        moving_learn(&m, &(lmb_learn_opts){.bone_count = 4, .skeleton = LMB_LEARN_FLAT}, &flat);
    lmb_learned *hung = moving_learn(
        &m, &(lmb_learn_opts){.bone_count = 4, .skeleton = LMB_LEARN_SLIDING}, &sliding);
    assert_true(fabsf(sliding.e_rms - flat.e_rms) < 1e-4f * flat.e_rms);
    uint32_t roots = 0;
    for (uint32_t j = 0; j < hung->bone_count; ++j) {
        roots += hung->parents[j] == LMB_NONE;
        assert_true(hung->slides[j] == (hung->parents[j] != LMB_NONE) && !free_bones->slides[j]);
        assert_true(hung->parents[j] < (int32_t)j);
    }
    assert_int_equal(roots, 1);
    lmb_learned_destroy(free_bones);
    lmb_learned_destroy(hung);
    moving_free(&m);
}

static void iterations_never_raise_the_error(void **state)
{
    (void)state;
    moving m = moving_chain(6, 1.5f, false, 25);
    lmb_learn_report r;
    lmb_learned *l = moving_learn(
        &m,
        &(lmb_learn_opts){
            .bone_count = 4, .influences = 2, .iterations = 40, .skeleton = LMB_LEARN_FLAT},
        &r);
    assert_true(r.iterations > 5);
    for (uint32_t k = 1; k < r.iterations && k < 40; ++k) {
        assert_true(r.history[k] <= r.history[k - 1] * (1 + 1e-12));
    }
    rows_are_shares(l, 2);
    lmb_learned_destroy(l);
    moving_free(&m);
}

/// Smoothing draws the weights of neighbours together and costs some of the fit.
static void smoothing_smooths(void **state)
{
    (void)state;
    moving m = moving_chain(3, 0.2f, false, 10);
    lmb_random random = lmb_random_seed(3);
    for (uint32_t k = 0; k < m.frame_count; ++k) {
        for (uint32_t v = 0; v < m.vertex_count; ++v) {
            m.frames[k][v] = lmb_vec3_mad(m.frames[k][v], moving_direction(&random), 0.01f);
        }
    }
    float rough[2];
    for (int s = 0; s < 2; ++s) {
        lmb_learned *l = moving_learn(
            &m,
            &(lmb_learn_opts){.bone_count = 3, .smooth = s ? 1.0f : 0, .skeleton = LMB_LEARN_FLAT},
            NULL);
        rough[s] = 0;
        for (uint32_t v = 0; v + 1 < m.vertex_count; ++v) {
            for (uint32_t j = 0; v % 16 < 15 && j < 3; ++j) {
                rough[s] += fabsf(weight_of(l, v, j) - weight_of(l, v + 1, j));
            }
        }
        lmb_learned_destroy(l);
    }
    assert_true(rough[1] < 0.7f * rough[0]);
    moving_free(&m);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    moving m = moving_chain(4, 0.6f, false, 12);
    lmb_pool *pool = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    lmb_learn_opts opts = {.bone_count = 4, .iterations = 5, .smooth = 1e-4f};
    lmb_learned *serial = moving_learn(&m, &opts, NULL);
    opts.jobs = lmb_pool_jobs(pool);
    lmb_learned *parallel = moving_learn(&m, &opts, NULL);
    assert_true(same(serial, parallel));
    lmb_learned_destroy(serial);
    lmb_learned_destroy(parallel);
    lmb_pool_destroy(pool);
    moving_free(&m);
}

static void runs_out_of_memory(moving m, lmb_learn_opts opts)
{
    const lmb_learn_def def = moving_def(&m);
    lmb_result result = LMB_ERROR_MEMORY;
    int calls = 0;
    for (; result == LMB_ERROR_MEMORY && calls < 1000; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_learned *l = NULL;
        lmb_error error = {0};
        result = lmb_learn_skin(&def, &opts, &alloc, &l, NULL, &error);
        assert_int_equal(result == LMB_OK, l != NULL);
        lmb_learned_destroy(l);
        assert_int_equal(failing.held, 0);
    }
    assert_int_equal(result, LMB_OK);
    assert_true(calls > 5);
    moving_free(&m);
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    // No tree shows boxes, so bones are merged, split and exchanged; a fine chain has fewer points at first.
    runs_out_of_memory(moving_boxes(4, 2),
                       (lmb_learn_opts){.bone_count = 2, .iterations = 2, .smooth = 1e-4f});
    runs_out_of_memory(
        moving_fine_chain(2, 0.4f, true, 2, 2),
        (lmb_learn_opts){
            .bone_count = 2, .iterations = 2, .smooth = 1e-4f, .skeleton = LMB_LEARN_FLAT});
}

static lmb_result try(const lmb_learn_def *def, lmb_learn_opts opts, const char *found)
{
    lmb_learned *l = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_learn_skin(def, &opts, NULL, &l, NULL, &error);
    assert_null(l);
    assert_non_null(strstr(error.found, found));
    return result;
}

static bool stop(void *user, const char *stage, float fraction)
{
    (void)stage;
    (void)fraction;
    return --*(int *)user > 0;
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    moving m = moving_chain(2, 0.5f, false, 3);
    const lmb_learn_def good = moving_def(&m);
    const lmb_learn_opts two = {.bone_count = 2};
    lmb_learn_def def = good;
    assert_int_equal(try(&good, (lmb_learn_opts){0}, "0"), LMB_ERROR_INVALID);
    assert_int_equal(try(&good, (lmb_learn_opts){.bone_count = 513}, "513"), LMB_ERROR_INVALID);
    assert_int_equal(try(&good, (lmb_learn_opts){.bone_count = 2, .influences = 17}, "17"),
                     LMB_ERROR_INVALID);
    assert_int_equal(try(&good, (lmb_learn_opts){.bone_count = 2, .smooth = -1}, "-1"),
                     LMB_ERROR_INVALID);
    assert_int_equal(try(&good, (lmb_learn_opts){.bone_count = 500}, "vertices for 500"),
                     LMB_ERROR_INVALID);
    def.frame_count = 0;
    assert_int_equal(try(&def, two, "none"), LMB_ERROR_INVALID);
    def = good;
    def.index_count = 0;
    assert_int_equal(try(&def, two, "0 indices"), LMB_ERROR_INVALID);
    def = good;
    def.vertex_count = 10;
    assert_int_equal(try(&def, two, "of 10 vertices"), LMB_ERROR_INVALID);
    const lmb_vec3 *still[] = {m.rest, m.rest};
    def = good;
    def.frames = still;
    def.frame_count = 2;
    assert_int_equal(try(&def, two, "all the rest shape"), LMB_ERROR_INVALID);
    m.frames[1][7].y = NAN;
    assert_int_equal(try(&good, two, "vertex 7 of frame 1"), LMB_ERROR_INVALID);
    m.frames[1][7].y = 0;
    int left = 3;
    const lmb_progress progress = {stop, &left};
    assert_int_equal(try(&good, (lmb_learn_opts){.bone_count = 2, .progress = &progress}, "stop"),
                     LMB_ERROR_CANCELLED);
    moving_free(&m);
}

/// Meshes that hardly are any: an answer, finite, or a refusal.
static void degenerate_meshes_do_no_harm(void **state)
{
    (void)state;
    const uint32_t indices[3] = {0, 1, 2};
    lmb_vec3 triangle[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const lmb_vec3 moved[3] = {{0, 0, 1}, {0, 1, 1}, {-1, 0, 1}}, *frames[] = {moved};
    lmb_learn_def def = {3, triangle, 1, frames, indices, 3};
    lmb_learned *l = NULL;
    lmb_learn_report r;
    const lmb_learn_opts one = {.bone_count = 1}, three = {.bone_count = 3};
    assert_int_equal(lmb_learn_skin(&def, &one, NULL, &l, &r, NULL), LMB_OK);
    assert_true(r.rms < 1e-6f);
    lmb_learned_destroy(l);
    l = NULL;
    triangle[2] = (lmb_vec3){2, 0, 0}; // a line that turns
    assert_int_equal(lmb_learn_skin(&def, &three, NULL, &l, &r, NULL), LMB_OK);
    assert_true(isfinite(r.rms) && isfinite(r.max));
    lmb_learned_destroy(l);
    l = NULL;
    triangle[1] = triangle[2] = triangle[0];
    assert_int_equal(try(&def, one, "in one place"), LMB_ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_found),
        cmocka_unit_test(no_more_bones_than_are_needed),
        cmocka_unit_test(the_fewest_bones_for_an_error_are_found),
        cmocka_unit_test(a_norm_spares_the_worst_vertices),
        cmocka_unit_test(smooth_weights_come_back),
        cmocka_unit_test(many_points_come_back_as_few_do),
        cmocka_unit_test(an_arm_is_a_chain),
        cmocka_unit_test(a_chain_comes_back),
        cmocka_unit_test(sliding_bones_are_as_near),
        cmocka_unit_test(iterations_never_raise_the_error),
        cmocka_unit_test(smoothing_smooths),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(degenerate_meshes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
