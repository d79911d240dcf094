// A trunk whose rotations mean nothing is made anew from where its joints are; one that is sound is
// left alone.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "retarget/body.h"

typedef struct walker {
    lmb_character *character;
    lmbi_arena arena;
    lmbi_motion motion;
    lmbi_humanoid body;
    lmb_transform *sound; ///< the motion before anything was done to it
    size_t size;
} walker;

static void walker_begin(walker *w)
{
    w->character = test_motion(LMB_MOTION_WALK);
    lmbi_arena_init(&w->arena, NULL);
    assert_int_equal(lmbi_motion_sample(w->character, 0, 0, false, &w->arena, &w->motion, NULL),
                     LMB_OK);
    assert_int_equal(lmbi_body_make(w->character, NULL, &w->motion, "the motion", NULL, &w->arena,
                                    &w->body, NULL),
                     LMB_OK);
    w->size = (size_t)w->motion.frame_count * w->body.count * sizeof(*w->sound);
    w->sound = malloc(w->size);
    memcpy(w->sound, w->motion.model, w->size);
}

static void walker_end(walker *w)
{
    free(w->sound);
    lmbi_arena_free(&w->arena);
    lmb_character_destroy(w->character);
}

static void a_sound_trunk_is_left_alone(void **state)
{
    (void)state;
    walker w;
    walker_begin(&w);
    assert_false(lmbi_trunk_repair(&w.body, &w.motion));
    assert_memory_equal(w.motion.model, w.sound, w.size);
    walker_end(&w);
}

/// Turns joints as learned motions do: their positions stay, their rotations mean nothing.
static void scramble(walker *w)
{
    static const int bones[] = {LMB_HUMAN_HIPS, LMB_HUMAN_SPINE, LMB_HUMAN_CHEST,
                                LMB_HUMAN_UPPER_CHEST, LMB_HUMAN_HEAD};
    const lmb_quat astray = lmb_quat_axis_angle(lmb_vec3_make(0.6f, 0.8f, 0), 2.0f);
    for (uint32_t f = 0; f < w->motion.frame_count; ++f) {
        for (size_t i = 0; i < sizeof(bones) / sizeof(bones[0]); ++i) {
            lmb_transform *joint =
                &w->motion
                     .model[(size_t)f * w->body.count + (size_t)lmbi_joint(&w->body, bones[i])];
            joint->rotation = lmb_quat_mul(joint->rotation, astray);
        }
    }
}

static void a_scrambled_trunk_rotates_as_its_joints_lie(void **state)
{
    (void)state;
    static const int bones[] = {LMB_HUMAN_HIPS, LMB_HUMAN_SPINE, LMB_HUMAN_CHEST,
                                LMB_HUMAN_UPPER_CHEST, LMB_HUMAN_HEAD};
    walker w;
    walker_begin(&w);
    scramble(&w);
    assert_true(lmbi_trunk_repair(&w.body, &w.motion));
    for (uint32_t i = 0; i < w.motion.frame_count * w.body.count; ++i) {
        assert_memory_equal(&w.motion.model[i].translation, &w.sound[i].translation,
                            sizeof(lmb_vec3));
    }
    for (uint32_t f = 0; f < w.motion.frame_count; ++f) {
        for (size_t i = 0; i < sizeof(bones) / sizeof(bones[0]); ++i) {
            const size_t at = (size_t)f * w.body.count + (size_t)lmbi_joint(&w.body, bones[i]);
            const float apart = lmb_quat_angle(w.motion.model[at].rotation, w.sound[at].rotation);
            // a walk's trunk bends a little between hips and shoulders, and its head is its own
            assert_true(apart < 0.3f);
        }
    }
    walker_end(&w);
}

/// Turns the left shoulder about its own bone, which moves nothing but the axes of the shoulder.
static void twist_shoulder(walker *w, float angle_rad)
{
    const int32_t shoulder = lmbi_joint(&w->body, LMB_HUMAN_LEFT_SHOULDER);
    lmb_vec3 bone;
    assert_true(lmbi_bone_direction(&w->body, LMB_HUMAN_LEFT_SHOULDER, &bone));
    const lmb_quat rest = w->body.reference[shoulder].rotation,
                   local = lmb_quat_axis_angle(lmb_quat_rotate(lmb_quat_conjugate(rest), bone),
                                               angle_rad);
    for (uint32_t f = 0; f < w->motion.frame_count; ++f) {
        lmb_transform *joint = &w->motion.model[(size_t)f * w->body.count + (size_t)shoulder];
        joint->rotation = lmb_quat_mul(joint->rotation, local);
    }
}

static void shoulders_turn_about_their_bones_as_far_as_clavicles_do(void **state)
{
    (void)state;
    walker w;
    walker_begin(&w);
    twist_shoulder(&w, 1.0f);
    assert_false(lmbi_shoulders_repair(&w.body, &w.motion));
    twist_shoulder(&w, 1.0f);
    assert_true(lmbi_shoulders_repair(&w.body, &w.motion));
    const int32_t shoulder = lmbi_joint(&w.body, LMB_HUMAN_LEFT_SHOULDER);
    for (uint32_t f = 0; f < w.motion.frame_count; ++f) {
        const size_t at = (size_t)f * w.body.count + (size_t)shoulder;
        assert_true(lmb_quat_angle(w.motion.model[at].rotation, w.sound[at].rotation) < 0.1f);
    }
    walker_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_trunk_is_left_alone),
        cmocka_unit_test(a_scrambled_trunk_rotates_as_its_joints_lie),
        cmocka_unit_test(shoulders_turn_about_their_bones_as_far_as_clavicles_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
