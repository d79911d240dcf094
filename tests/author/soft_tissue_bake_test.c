/// lmb_soft_tissue_bake: a new clip of morph targets that reproduces the simulated skin, nothing at
/// rest, softness that scales it, and a character that is unchanged on failure.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "limber/anim.h"
#include "limber/author.h"
#include "limber/procedural.h"

enum { FRAMES = 6 };

/// A rigged body that runs.
static lmb_made_body *make_runner(uint32_t triangles)
{
    const lmb_made_body_opts opts = {
        .triangle_count = triangles, .whole = true, .bare = true, .rigged = true};
    lmb_made_body *body = NULL;
    lmb_character *run = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    assert_int_equal(
        lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_RUN}, NULL, &run, NULL), LMB_OK);
    assert_int_equal(lmb_animate(&body->character, run, 0,
                                 &(lmb_animate_opts){.rigging = LMB_ANIMATE_KEEP_RIG}, NULL, NULL,
                                 NULL),
                     LMB_OK);
    lmb_character_destroy(run);
    return body;
}

static void each_frame_is_a_target_that_its_clip_turns_on(void **state)
{
    (void)state;
    lmb_made_body *body = make_runner(2000);
    lmb_soft_tissue_report frames[FRAMES];
    lmb_soft_tissue_bake_report report;
    const lmb_soft_tissue_bake_opts opts = {.clip = body->character->clips[0],
                                            .frame_count = FRAMES,
                                            .rate_hz = 20,
                                            .name = "soft",
                                            .frames = frames};
    assert_int_equal(lmb_soft_tissue_bake(&body->character, &opts, &report, NULL, NULL), LMB_OK);
    const lmb_character *c = body->character;
    assert_int_equal(c->clip_count, 1);
    assert_string_equal(c->clips[0]->name, "soft");
    assert_int_equal(c->meshes[0]->target_count, FRAMES);
    assert_true(report.tissue.particle_count > 500 && report.farthest_m > 0.001f &&
                report.farthest_m < 0.2f);
    float most = 0;
    for (int f = 0; f < FRAMES; ++f) {
        most = fmaxf(most, frames[f].offset_m);
    }
    assert_true(fabsf(most - report.farthest_m) < 1e-4f);

    uint32_t *first = calloc(c->skeleton->joint_count + 1, sizeof *first);
    const uint32_t count = lmb_character_weights(c, first, NULL);
    assert_int_equal(count, FRAMES);
    float weights[FRAMES];
    lmb_transform *pose = calloc(c->skeleton->joint_count, sizeof *pose);
    lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                 .time_s = 2.5 / 20,
                                 .joint_count = c->skeleton->joint_count,
                                 .pose = pose,
                                 .weight_first = first,
                                 .weights = weights});
    for (int f = 0; f < FRAMES; ++f) {
        const float expected = f == 2 || f == 3 ? 0.5f : 0;
        assert_true(fabsf(weights[f] - expected) < 1e-3f);
    }
    free(first);
    free(pose);
    lmb_made_body_destroy(body);
}

static float farthest(const float *joint_softness, const float *vertex_softness, bool at_rest)
{
    lmb_made_body *body = make_runner(1000);
    lmb_soft_tissue_bake_report report;
    const lmb_soft_tissue_bake_opts opts = {.clip = at_rest ? NULL : body->character->clips[0],
                                            .frame_count = FRAMES,
                                            .rate_hz = 30,
                                            .joint_softness = joint_softness,
                                            .vertex_softness = vertex_softness};
    assert_int_equal(lmb_soft_tissue_bake(&body->character, &opts, &report, NULL, NULL), LMB_OK);
    lmb_made_body_destroy(body);
    return report.farthest_m;
}

static void softness_scales_the_motion(void **state)
{
    (void)state;
    lmb_made_body *body = make_runner(1000);
    const uint32_t joints = body->character->skeleton->joint_count;
    const uint32_t vertices = body->character->meshes[0]->vertex_count;
    float *joint = calloc(joints, sizeof *joint), *vertex = calloc(vertices, sizeof *vertex);
    assert_true(farthest(NULL, NULL, true) == 0);
    const float rigid = farthest(NULL, vertex, false);
    for (uint32_t v = 0; v < vertices; ++v) {
        vertex[v] = 1;
    }
    const float soft = farthest(NULL, vertex, false);
    assert_true(4 * rigid < soft);
    assert_true(farthest(joint, vertex, false) == rigid);
    // Without paint the estimate is used, which keeps a hand rigid.
    const float estimated = farthest(NULL, NULL, false);
    assert_true(estimated >= rigid && estimated < soft);
    assert_int_equal(lmb_soft_tissue_joint_softness(body->character->skeleton, NULL, joint, NULL),
                     LMB_OK);
    assert_true(farthest(joint, NULL, false) == estimated);
    const int32_t hand = lmb_skeleton_find(body->character->skeleton, "leftHand");
    const int32_t hips = lmb_skeleton_find(body->character->skeleton, "hips");
    assert_true(joint[hand] == 0 && joint[hips] == 1);
    free(joint);
    free(vertex);
    lmb_made_body_destroy(body);
}

static void what_cannot_be_baked_is_refused(void **state)
{
    (void)state;
    lmb_made_body *body = make_runner(1000), *bare = NULL;
    lmb_error error;
    lmb_character *before = body->character;
    lmb_soft_tissue_bake_opts opts = {.frame_count = 4000000, .rate_hz = 20};
    assert_int_equal(lmb_soft_tissue_bake(&body->character, &opts, NULL, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    opts.frame_count = 0;
    assert_int_equal(lmb_soft_tissue_bake(&body->character, &opts, NULL, NULL, &error),
                     LMB_ERROR_INVALID);
    assert_ptr_equal(body->character, before);
    opts.frame_count = 2;
    assert_int_equal(
        lmb_made_body_create(&(lmb_made_body_opts){.triangle_count = 1000}, NULL, &bare, NULL),
        LMB_OK);
    assert_int_equal(lmb_soft_tissue_bake(&bare->character, &opts, NULL, NULL, &error),
                     LMB_ERROR_INVALID);
    lmb_made_body_destroy(bare);
    lmb_made_body_destroy(body);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    lmb_made_body *body = make_runner(500);
    const lmb_character *before = body->character;
    lmb_result result = LMB_ERROR_MEMORY;
    failing_allocator failing = {0};
    const lmb_allocator alloc = {failing_allocator_resize, &failing};
    for (int n = 0; result != LMB_OK; ++n) {
        failing.calls_left = n;
        const lmb_soft_tissue_bake_opts opts = {
            .clip = body->character->clips[0], .frame_count = 2, .rate_hz = 30};
        result = lmb_soft_tissue_bake(&body->character, &opts, NULL, &alloc, NULL);
        if (result != LMB_OK) {
            assert_int_equal(result, LMB_ERROR_MEMORY);
            assert_ptr_equal(body->character, before);
            assert_int_equal(failing.held, 0);
        }
    }
    lmb_made_body_destroy(body);
    assert_int_equal(failing.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_frame_is_a_target_that_its_clip_turns_on),
        cmocka_unit_test(softness_scales_the_motion),
        cmocka_unit_test(what_cannot_be_baked_is_refused),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
