// Gazes: the ray meets the target, shares follow the weights, and cones and limits hold.
#include "ik/rod.h"

static rod r;

/// Chest, neck, head, eye: a column of four joints that looks along +Z; a fifth joint is the end of
/// the eye.
static const lmb_ik_look_link all[4] = {{0, 0.2f, 0}, {1, 0.3f, 0}, {2, 0.5f, 0}, {3, 0.4f, 0}};

static void make_column(void)
{
    rod_make(&r, 4, 0.1f);
    for (int j = 1; j <= 4; ++j) {
        r.rest[j].translation = v3(0.01f, 0.15f, 0.02f);
        r.rest[j].rotation = lmb_quat_axis_angle(v3(1, 0, 0), j % 2 ? 0.1f : -0.1f);
    }
    rod_reset(&r);
}

static float look(lmb_vec3 target, const lmb_ik_look_link *links, uint32_t count)
{
    const float left = lmb_ik_look(&(lmb_ik_look_job){.skeleton = &r.skeleton,
                                                      .local = r.local,
                                                      .model_from_joint = r.model,
                                                      .link_count = count,
                                                      .links = links,
                                                      .target = target,
                                                      .offset = {0.03f, 0.02f, 0.05f},
                                                      .weight = 1});
    joint_line_update(&r);
    const uint32_t last = links[count - 1].joint;
    const lmb_vec3 eye = lmb_mat4_point(r.model[last], v3(0.03f, 0.02f, 0.05f));
    const lmb_vec3 ray = lmb_mat4_vector(r.model[last], v3(0, 0, 1)),
                   towards = lmb_vec3_normalize_or(lmb_vec3_sub(target, eye), ray);
    near(left, lmb_atan2(lmb_vec3_length(lmb_vec3_cross(ray, towards)), lmb_vec3_dot(ray, towards)),
         2e-5f);
    rod_check(&r);
    return left;
}

static void rays_meet_targets(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(1);
    for (int i = 0; i < 500; ++i) {
        make_column();
        const lmb_vec3 target =
            lmb_vec3_scale(any_direction(&random), lmb_random_range(&random, 1.5f, 20));
        near(look(target, all, 4), 0, 2e-4f);
        make_column();
        near(look(target, all + 2, 1), 0, 2e-4f);
    }
}

static void shares_follow_weights(void **state)
{
    (void)state;
    const lmb_ik_look_link links[3] = {{0, 0.2f, 0}, {1, 0.3f, 0}, {2, 0.5f, 0}};
    make_column();
    look(v3(1000, 0.4f, 1000), links, 3); // far: 45 degrees in all
    float angles[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
        angles[i] = lmb_quat_angle(r.rest[i].rotation, r.local[i].rotation);
        sum += angles[i];
    }
    near(sum, LMB_PI / 4, 0.02f);
    near(angles[0] / sum, 0.2f, 0.02f);
    near(angles[1] / sum, 0.3f, 0.02f);
}

static void what_a_cone_keeps_the_others_take(void **state)
{
    (void)state;
    lmb_ik_look_link links[4];
    memcpy(links, all, sizeof(links));
    links[2].cone_rad = 0.1f;
    make_column();
    near(look(v3(3, 1, 1), links, 4), 0, 2e-4f);
    assert_true(lmb_quat_angle(r.rest[2].rotation, r.local[2].rotation) < 0.1001f);
    for (int i = 0; i < 4; ++i) { // all too narrow: as near as it gets, all of it used
        links[i].cone_rad = 0.2f;
    }
    make_column();
    near(look(v3(0, 0.4f, -50), links, 4), LMB_PI - 0.8f, 0.1f);
    for (int i = 0; i < 4; ++i) {
        near(lmb_quat_angle(r.rest[i].rotation, r.local[i].rotation), 0.2f, 1e-3f);
    }
}

static void limits_hold(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(4);
    for (int i = 0; i < 200; ++i) {
        make_column();
        rod_limit(&r);
        look(lmb_vec3_scale(any_direction(&random), 3), all, 4);
    }
    const float values[] = {0, 1e-20f, 1e20f, INFINITY, NAN};
    for (int i = 0; i < 25; ++i) {
        make_column();
        lmb_ik_look(&(lmb_ik_look_job){.skeleton = &r.skeleton,
                                       .local = r.local,
                                       .model_from_joint = r.model,
                                       .link_count = 4,
                                       .links = all,
                                       .target = {values[i % 5], values[i / 5], 0},
                                       .weight = 1});
        rod_check(&r);
    }
}

// ------------------------------------------------------------------------------- with memory

/// One frame of a head that looks at a target and turns 1.3 radians at most; returns how far it has
/// turned since the last frame. Without memory it looks there at once.
static float gaze(lmb_ik_gaze *memory, lmb_vec3 target, float dt, lmb_quat *last, float *left)
{
    static const lmb_ik_look_link neck = {3, 1, 1.3f};
    make_column();
    lmb_ik_gaze_job job = {.look = {.skeleton = &r.skeleton,
                                    .local = r.local,
                                    .model_from_joint = r.model,
                                    .link_count = 1,
                                    .links = &neck,
                                    .target = target,
                                    .weight = 1},
                           .memory = memory,
                           .dt_s = dt};
    *left = memory != NULL ? lmb_ik_gaze_step(&job) : lmb_ik_look(&job.look);
    const float rotated = lmb_quat_angle(*last, r.local[3].rotation);
    *last = r.local[3].rotation;
    return rotated;
}

/// Through straight behind where the column looks, at an angle of pi.
static lmb_vec3 round_the_head(float angle)
{
    make_column();
    const lmb_vec3 eye = lmb_mat4_translation(r.model[3]),
                   ray = lmb_mat4_vector(r.model[3], v3(0, 0, 1));
    const lmb_vec3 across = lmb_vec3_normalize_or(lmb_vec3_cross(v3(0, 1, 0), ray), ray);
    return lmb_vec3_mad(lmb_vec3_mad(eye, ray, 2 * lmb_cos(angle)), across, 2 * lmb_sin(angle));
}

static void a_gaze_with_memory_never_jumps(void **state)
{
    (void)state;
    lmb_ik_gaze memory = {0};
    lmb_quat last, bare;
    float most = 0, jump = 0, left;
    gaze(&memory, round_the_head(0), 1 / 60.0f, &last, &left);
    gaze(NULL, round_the_head(0), 0, &bare, &left);
    for (int frame = 1; frame < 720; ++frame) {
        const lmb_vec3 target = round_the_head((float)frame * LMB_PI / 120);
        most = fmaxf(most, gaze(&memory, target, 1 / 60.0f, &last, &left));
        jump = fmaxf(jump, gaze(NULL, target, 0, &bare, &left));
    }
    assert_true(most < 8.01f / 60); // it turns no faster than it may
    assert_true(jump > 2);          // which it would, from one shoulder to the other in one frame
}

static void a_target_straight_behind_does_not_shake_the_head(void **state)
{
    (void)state;
    lmb_ik_gaze memory = {0};
    lmb_quat last;
    float left, most = 0;
    for (int frame = 0; frame < 120; ++frame) {
        gaze(&memory, round_the_head(2), 1 / 60.0f, &last, &left);
    }
    for (int frame = 0; frame < 240; ++frame) {
        const float off = frame % 2 ? 0.1f : -0.1f;
        const float rotated = gaze(&memory, round_the_head(LMB_PI + off), 1 / 60.0f, &last, &left);
        most = frame > 60 ? fmaxf(most, rotated) : most;
    }
    assert_true(memory.rotation.y > 1.8f); // still over the shoulder where the target was
    assert_true(most < 1e-3f);
}

static void a_gaze_arrives_at_any_frame_rate(void **state)
{
    (void)state;
    float rotated[2];
    for (int k = 0; k < 2; ++k) {
        lmb_ik_gaze memory = {0};
        lmb_quat last;
        float left = 1;
        const int rate = k == 0 ? 30 : 120;
        for (int frame = 0; frame < rate / 5; ++frame) {
            gaze(&memory, round_the_head(0.8f), 1.0f / (float)rate, &last, &left);
        }
        rotated[k] = memory.rotation.y;
        for (int frame = 0; frame < 2 * rate; ++frame) {
            gaze(&memory, round_the_head(0.8f), 1.0f / (float)rate, &last, &left);
        }
        near(left, 0, 1e-3f);
    }
    near(rotated[0], rotated[1], 1e-4f);
    assert_true(rotated[0] > 0.2f && rotated[0] < 0.75f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_targets),
        cmocka_unit_test(shares_follow_weights),
        cmocka_unit_test(what_a_cone_keeps_the_others_take),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_gaze_with_memory_never_jumps),
        cmocka_unit_test(a_target_straight_behind_does_not_shake_the_head),
        cmocka_unit_test(a_gaze_arrives_at_any_frame_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
