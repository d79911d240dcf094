// Feet on ramps, stairs and hills: what stands does not slide, nothing sinks in, hips do not jump.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "ik/body.h"

enum { FRAMES = 400 };

static test_body body;
static lmb_plant_foot feet[2];

static int make(void **state)
{
    (void)state;
    static const char *const sides[2] = {"left", "right"};
    lmb_mat4 model[TEST_JOINTS];
    body = test_body_make();
    test_model(&body, body.skeleton->rest, model);
    for (int k = 0; k < 2; ++k) {
        char name[32];
        uint32_t joints[4];
        static const char *const parts[4] = {"UpperLeg", "LowerLeg", "Foot", "Toes"};
        for (int p = 0; p < 4; ++p) {
            snprintf(name, sizeof(name), "%s%s", sides[k], parts[p]);
            joints[p] = test_joint(&body, name);
        }
        feet[k] = (lmb_plant_foot){.upper = joints[0],
                                   .lower = joints[1],
                                   .foot = joints[2],
                                   .toe = body.skeleton->rest[joints[3]].translation,
                                   .hinge = {1, 0, 0}};
        feet[k].ankle_height = lmb_mat4_translation(model[joints[2]]).y;
        feet[k].toe_height = lmb_mat4_translation(model[joints[3]]).y;
    }
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    test_body_free(&body);
    return 0;
}

// ---------------------------------------------------------------------------------------- grounds

static bool flat(void *user, lmb_vec3 p, float *height, lmb_vec3 *normal)
{
    (void)user;
    (void)p;
    *height = 0.0f;
    *normal = lmb_vec3_make(0, 1, 0);
    return true;
}

/// Rises by tan `angle` from z = 1 on.
static bool ramp(void *user, lmb_vec3 p, float *height, lmb_vec3 *normal)
{
    const float slope = lmb_tan(*(const float *)user);
    *height = p.z > 1.0f ? slope * (p.z - 1.0f) : 0.0f;
    *normal = lmb_vec3_normalize_or(lmb_vec3_make(0, 1, p.z > 1.0f ? -slope : 0.0f),
                                    lmb_vec3_make(0, 1, 0));
    return true;
}

/// Steps of 0.3 m from z = 1 on, each higher by `rise`.
static bool stairs(void *user, lmb_vec3 p, float *height, lmb_vec3 *normal)
{
    const float step = floorf((p.z - 1.0f) / 0.3f) + 1.0f;
    *height = *(const float *)user * (step < 0.0f ? 0.0f : (step > 12.0f ? 12.0f : step));
    *normal = lmb_vec3_make(0, 1, 0);
    return true;
}

// ---------------------------------------------------------------------------------------- walking

typedef struct track {
    lmb_vec3 ankle[2][FRAMES], toe[2][FRAMES], hips[FRAMES];
    lmb_transform pose[FRAMES][TEST_JOINTS];
} track;

static track before, after;

static void note(track *t, int f, const lmb_transform *pose)
{
    lmb_mat4 model[TEST_JOINTS];
    test_model(&body, pose, model);
    memcpy(t->pose[f], pose, body.joint_count * sizeof(*pose));
    t->hips[f] = lmb_mat4_translation(model[0]);
    for (int k = 0; k < 2; ++k) {
        t->ankle[k][f] = lmb_mat4_translation(model[feet[k].foot]);
        t->toe[k][f] = lmb_mat4_point(model[feet[k].foot], feet[k].toe);
    }
}

static void walk(lmb_ik_ground ground)
{
    const lmb_clip *clip = body.owner->clips[0];
    const float cycle = lmb_clip_duration_s(clip);
    lmb_transform first[TEST_JOINTS], last[TEST_JOINTS], pose[TEST_JOINTS];
    lmb_mat4 model[TEST_JOINTS];
    lmb_plant_state state = {0};
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = 0,
                                 .joint_count = body.joint_count,
                                 .rest = body.skeleton->rest,
                                 .pose = first});
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = (double)cycle,
                                 .joint_count = body.joint_count,
                                 .rest = body.skeleton->rest,
                                 .pose = last});
    for (int f = 0; f < FRAMES; ++f) {
        const float t = (float)f / 60.0f, rotations = floorf(t / cycle);
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)(t - rotations * cycle),
                                     .joint_count = body.joint_count,
                                     .rest = body.skeleton->rest,
                                     .pose = pose});
        pose[0].translation.z += rotations * (last[0].translation.z - first[0].translation.z);
        note(&before, f, pose);
        test_model(&body, pose, model);
        lmb_ik_plant(&(lmb_ik_plant_job){.skeleton = body.skeleton,
                                         .local = pose,
                                         .model_from_joint = model,
                                         .foot_count = 2,
                                         .feet = feet,
                                         .ground = ground,
                                         .dt_s = 1.0f / 60.0f,
                                         .state = &state});
        note(&after, f, pose);
    }
}

typedef struct measure {
    float slide_m_s, sink, swing_sink, jump,
        /// worst speed of a standing ball; worst depth of a ball that stands, that swings; worst
        /// jump of the hips' speed, m/s; worst turn in a frame
        rotation;
    int standing;
} measure;

static float risen(int f)
{
    return after.hips[f].y - before.hips[f].y;
}

static measure look(lmb_ik_ground ground)
{
    measure m = {0};
    for (int f = 1; f < FRAMES; ++f) {
        for (int k = 0; k < 2; ++k) {
            const lmb_vec3 d = lmb_vec3_sub(after.toe[k][f], after.toe[k][f - 1]);
            const bool stands =
                f > 1 &&
                lmb_vec3_distance(before.toe[k][f], before.toe[k][f - 1]) * 60.0f < 0.01f &&
                before.toe[k][f].y < feet[k].toe_height + 0.005f;
            if (stands) {
                m.slide_m_s = fmaxf(m.slide_m_s, 60.0f * lmb_sqrt(d.x * d.x + d.z * d.z));
                ++m.standing;
            }
            float height;
            lmb_vec3 normal;
            ground.at(ground.user, after.toe[k][f], &height, &normal);
            float *sink = stands ? &m.sink : &m.swing_sink;
            *sink = fmaxf(*sink, height - (after.toe[k][f].y - feet[k].toe_height * normal.y));
        }
        for (uint32_t j = 0; j < body.joint_count; ++j) {
            const float rotation =
                lmb_quat_angle(after.pose[f][j].rotation, after.pose[f - 1][j].rotation) -
                lmb_quat_angle(before.pose[f][j].rotation, before.pose[f - 1][j].rotation);
            m.rotation = fmaxf(m.rotation, rotation);
        }
        if (f > 2) {
            const float a = risen(f) - risen(f - 1), b = risen(f - 1) - risen(f - 2);
            m.jump = fmaxf(m.jump, 60.0f * fabsf(a - b));
        }
    }
    return m;
}

static void hold_to(measure m, float swing_sink, float jump, float rotation)
{
    if (getenv("SHOW")) {
        printf("standing %d slide %g sink %g %g jump %g turn %g\n", m.standing, (double)m.slide_m_s,
               (double)m.sink, (double)m.swing_sink, (double)m.jump, (double)m.rotation);
    }
    assert_true(m.standing > 100);
    if (!(m.slide_m_s < 0.025f && m.sink < 0.002f && m.swing_sink < swing_sink && m.jump < jump &&
          m.rotation < rotation)) {
        fail_msg("slide %g m/s, sink %g m, hips jump %g m/s, a joint rotates %g rad",
                 (double)m.slide_m_s, (double)m.sink, (double)m.jump, (double)m.rotation);
    }
}

static void flat_ground_changes_little(void **state)
{
    (void)state;
    const lmb_ik_ground ground = {flat, NULL};
    walk(ground);
    hold_to(look(ground), 0.002f, 0.01f, 0.1f);
    for (int f = 0; f < FRAMES; ++f) {
        assert_true(lmb_vec3_distance(before.ankle[0][f], after.ankle[0][f]) < 0.01f &&
                    lmb_vec3_distance(before.hips[f], after.hips[f]) < 0.01f);
    }
}

static void a_ramp_is_walked_up(void **state)
{
    (void)state;
    float angle = 10.0f * LMB_PI / 180.0f;
    const lmb_ik_ground ground = {ramp, &angle};
    walk(ground);
    hold_to(look(ground), 0.002f, 0.3f, 0.15f);
    // Feet are tilted with the ramp.
    const lmb_vec3 d = lmb_vec3_sub(after.toe[0][FRAMES - 1], after.ankle[0][FRAMES - 1]),
                   e = lmb_vec3_sub(before.toe[0][FRAMES - 1], before.ankle[0][FRAMES - 1]);
    assert_true(fabsf(lmb_atan2(d.y, d.z) - lmb_atan2(e.y, e.z) - angle) < 0.02f);
}

static void and_down(void **state)
{
    (void)state;
    float angle = -10.0f * LMB_PI / 180.0f;
    const lmb_ik_ground ground = {ramp, &angle};
    walk(ground);
    hold_to(look(ground), 0.002f, 1.5f, 0.25f);
}

/// On a bank steeper than ankles go, feet stand tilted by 35 degrees, and no further.
static void feet_tilt_no_further_than_ankles(void **state)
{
    (void)state;
    lmb_mat4 model[TEST_JOINTS];
    for (int k = 0; k < 3; ++k) {
        const float degrees = 25.0f + 15.0f * (float)k, most = fminf(degrees, 35.0f);
        float angle = degrees * LMB_PI / 180.0f;
        lmb_plant_state memory = {0};
        lmb_transform pose[TEST_JOINTS];
        memcpy(pose, body.skeleton->rest, body.joint_count * sizeof *pose);
        pose[0].translation.z += 2.0f; // on the ramp, which begins at 1
        test_model(&body, pose, model);
        lmb_transform flat_foot, foot;
        lmb_mat4_decompose(model[feet[0].foot], &flat_foot);
        lmb_ik_plant(&(lmb_ik_plant_job){.skeleton = body.skeleton,
                                         .local = pose,
                                         .model_from_joint = model,
                                         .foot_count = 2,
                                         .feet = feet,
                                         .ground = {ramp, &angle},
                                         .dt_s = 1.0f / 60.0f,
                                         .state = &memory});
        lmb_mat4_decompose(model[feet[0].foot], &foot);
        const float tilt = lmb_quat_angle(flat_foot.rotation, foot.rotation) * 180.0f / LMB_PI;
        if (!(fabsf(tilt - most) < 1.0f)) {
            fail_msg("on %g degrees a foot tilts by %g", (double)degrees, (double)tilt);
        }
    }
}

static void stairs_are_climbed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        float rise = k == 0 ? 0.16f : -0.16f;
        const lmb_ik_ground ground = {stairs, &rise};
        walk(ground);
        hold_to(look(ground), 0.12f, k == 0 ? 1.0f : 3.0f, 0.6f);
        assert_true(fabsf(after.hips[FRAMES - 1].y - before.hips[FRAMES - 1].y - 12.0f * rise) <
                    0.1f);
    }
}

/// The same hill as a function and as a grid of heights.
static void a_height_grid_is_a_ground(void **state)
{
    (void)state;
    float heights[9], height;
    for (int k = 0; k < 9; ++k) {
        heights[k] = 0.5f * (float)(k % 3) - 0.25f * (float)(k / 3);
    }
    lmb_ik_height_grid grid = {
        .columns = 3, .rows = 3, .x = -1, .z = -1, .cell = 1, .heights = heights};
    const lmb_ik_ground ground = lmb_ik_ground_of_grid(&grid);
    lmb_vec3 normal;
    assert_true(ground.at(ground.user, lmb_vec3_make(0.3f, 9, -0.4f), &height, &normal));
    assert_true(fabsf(height - (0.5f * 1.3f - 0.25f * 0.6f)) < 1e-6f);
    const lmb_vec3 want =
        lmb_vec3_normalize_or(lmb_vec3_make(-0.5f, 1, 0.25f), lmb_vec3_make(0, 1, 0));
    assert_true(lmb_vec3_distance(normal, want) < 1e-6f);
    assert_false(ground.at(ground.user, lmb_vec3_make(1.1f, 0, 0), &height, &normal));
    assert_false(ground.at(ground.user, lmb_vec3_make(NAN, 0, 0), &height, &normal));
    assert_true(ground.at(ground.user, lmb_vec3_make(1, 0, 1), &height, &normal));
    assert_true(fabsf(height - 0.5f) < 1e-6f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_ground_changes_little),
        cmocka_unit_test(a_ramp_is_walked_up),
        cmocka_unit_test(and_down),
        cmocka_unit_test(feet_tilt_no_further_than_ankles),
        cmocka_unit_test(stairs_are_climbed),
        cmocka_unit_test(a_height_grid_is_a_ground),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
