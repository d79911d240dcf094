// Every chain solver: targets that can be reached, targets that cannot, limits, trees, and nothing
// that is not a number.
#include "ik/ik.h"
#include "ik/rod.h"

static rod r;

/// Targets in 0.95 of the reach of a straight free chain. The share that is met within 1e-3 of a
/// link.
static float success(uint32_t links, lmb_ik_solver solver, int count, uint32_t iterations)
{
    lmb_random random = lmb_random_seed(links);
    int met = 0;
    rod_make(&r, links, 1);
    for (int i = 0; i < count; ++i) {
        const float radius = 0.95f * (float)links * powf(lmb_random_unit(&random), 1.0f / 3);
        const lmb_ik_end end = {.joint = links,
                                .target = lmb_vec3_scale(any_direction(&random), radius)};
        lmb_ik_chain_job job = {.solver = solver,
                                .end_count = 1,
                                .ends = &end,
                                .tolerance = 1e-3f,
                                .max_iterations = iterations};
        rod_reset(&r);
        const lmb_ik_chain_report report = rod_solve(&r, &job);
        const float left = lmb_vec3_distance(lmb_mat4_translation(r.model[links]), end.target);
        near(report.distance, left, 1e-5f * (float)links);
        assert_true(report.reached == (report.distance <= 1e-3f));
        met += left <= 1e-3f;
        rod_check(&r);
    }
    return (float)met / (float)count;
}

static void free_chains_reach_at_every_length(void **state)
{
    (void)state;
    const uint32_t lengths[] = {2, 3, 4, 5, 7, 10, 15, 20, 35, 50, 100};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); ++i) {
        const float fraction = success(lengths[i], LMB_IK_AUTO, 300, 0);
        if (fraction < 0.99f) {
            fail_msg("%u links: %g", lengths[i], (double)fraction);
        }
    }
}

static void each_solver_reaches(void **state)
{
    (void)state;
    const float least[LMB_IK_SOLVER_COUNT] = {1, 0.95f, 0.95f, 0.8f, 0.9f, 0.95f, 0.9f};
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        for (uint32_t links = 3; links <= 12; links += 3) {
            const float fraction = success(links, (lmb_ik_solver)s, 100, 1000);
            if (fraction < least[s]) {
                fail_msg("%s, %u links: %g", lmbi_ik_solver_name((lmb_ik_solver)s), links,
                         (double)fraction);
            }
        }
    }
}

static void limited_chains_reach_what_their_limits_allow(void **state)
{
    (void)state;
    const uint32_t lengths[] = {2, 3, 5, 8, 12, 20, 40, 100};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); ++i) {
        const uint32_t links = lengths[i];
        lmb_random random = lmb_random_seed(links);
        int met = 0;
        rod_make(&r, links, 1);
        rod_limit(&r);
        for (int k = 0; k < 200; ++k) {
            rod_pose(&r, &random);
            const lmb_ik_end end = {.joint = links, .target = lmb_mat4_translation(r.model[links])};
            lmb_ik_chain_job job = {.end_count = 1, .ends = &end, .tolerance = 1e-3f};
            rod_reset(&r);
            met += rod_solve(&r, &job).reached;
            rod_check(&r);
        }
        if (met < 196) {
            fail_msg("%u links: %d of 200", links, met);
        }
    }
}

static void no_solver_breaks_a_limit(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(5);
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        rod_make(&r, 14, 0.3f);
        rod_limit(&r);
        for (int k = 0; k < 100; ++k) {
            for (uint32_t j = 0; j <= r.links; ++j) { // begins outside as well
                r.local[j].rotation =
                    lmb_quat_axis_angle(any_direction(&random), lmb_random_range(&random, 0, 3));
            }
            joint_line_update(&r);
            const lmb_ik_end end = {.joint = 14,
                                    .target = lmb_vec3_scale(any_direction(&random), 5),
                                    .orient = k % 3 == 0,
                                    .rotation = {0, 1, 0, 0}};
            lmb_ik_chain_job job = {
                .solver = (lmb_ik_solver)s, .end_count = 1, .ends = &end, .max_iterations = 30};
            rod_solve(&r, &job);
            rod_check(&r);
        }
    }
}

static void known_answers(void **state)
{
    (void)state;
    // Three links of 1, target at 3.5: straight, 0.5 short. FABRIK, target (0, 2, 0): met in 15
    // iterations.
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        lmb_ik_end end = {.joint = 3, .target = v3(0, 3.5f, 0)};
        lmb_ik_chain_job job = {
            .solver = (lmb_ik_solver)s, .end_count = 1, .ends = &end, .max_iterations = 2000};
        rod_make(&r, 3, 1);
        const lmb_ik_chain_report far = rod_solve(&r, &job);
        assert_true(far.out_of_reach && !far.reached);
        near(far.distance, 0.5f, 1e-2f);
        near(lmb_mat4_translation(r.model[3]).x, 0, 0.05f);
        end.target = v3(0, 2, 0);
        job.tolerance = 1e-3f;
        job.max_iterations = s == LMB_IK_FABRIK ? 15 : 2000;
        rod_reset(&r);
        assert_true(rod_solve(&r, &job).reached);
        for (uint32_t j = 1; j <= 3; ++j) {
            near(lmb_vec3_distance(lmb_mat4_translation(r.model[j]),
                                   lmb_mat4_translation(r.model[j - 1])),
                 1, 1e-6f);
        }
    }
    // CCD, two unit links to (1, 1): the knee is at a right angle.
    const lmb_ik_end end = {.joint = 2, .target = v3(1, 1, 0)};
    lmb_ik_chain_job job = {.solver = LMB_IK_CCD,
                            .end_count = 1,
                            .ends = &end,
                            .max_iterations = 20,
                            .tolerance = 1e-4f};
    rod_make(&r, 2, 1);
    assert_true(rod_solve(&r, &job).reached);
    near(lmb_quat_angle(r.local[1].rotation, lmb_quat_identity()), LMB_PI / 2, 1e-3f);
}

static void straight_toward_its_target_a_chain_bends(void **state)
{
    (void)state;
    const lmb_vec3 targets[] = {{2, 0, 0}, {0.5f, 0, 0}, {-2, 0, 0}, {0, 0, 0}};
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        for (int t = 0; t < 4; ++t) {
            const lmb_ik_end end = {.joint = 4, .target = targets[t]};
            lmb_ik_chain_job job = {.solver = (lmb_ik_solver)s,
                                    .end_count = 1,
                                    .ends = &end,
                                    .tolerance = 1e-2f,
                                    .max_iterations = 3000};
            rod_make(&r, 4, 1);
            if (!rod_solve(&r, &job).reached) {
                fail_msg("%s does not reach target %d", lmbi_ik_solver_name((lmb_ik_solver)s), t);
            }
        }
    }
}

static void strange_chains_and_targets_are_defined(void **state)
{
    (void)state;
    const float values[] = {0, 1e-20f, -1, 1e20f, INFINITY, NAN};
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        for (int k = 0; k < 6 * 6 * 4; ++k) {
            rod_make(&r, 5, k / 36 == 1 ? 0 : 1);
            if (k / 36 == 2) {
                r.rest[2].translation.x = r.rest[4].translation.x = 0;
                rod_reset(&r);
            }
            if (k / 36 == 3) {
                rod_limit(&r);
            }
            const lmb_ik_end ends[2] = {
                {.joint = 5, .target = v3(values[k % 6], values[k / 6 % 6], 0)},
                {.joint = 3, .target = v3(0, 1, values[k % 6]), .offset = v3(0, 0.1f, 0)}};
            lmb_ik_chain_job job = {.solver = (lmb_ik_solver)s,
                                    .end_count = 1 + (uint32_t)k % 2,
                                    .ends = ends,
                                    .max_iterations = 20};
            rod_solve(&r, &job);
            rod_check(&r);
        }
    }
}

static void bad_calls_change_nothing(void **state)
{
    (void)state;
    rod_make(&r, 3, 1);
    const lmb_ik_end end = {.joint = 0, .target = v3(1, 1, 0)};
    lmb_ik_chain_job job = {.root = 2, .end_count = 1, .ends = &end};
    const lmb_ik_chain_report above = rod_solve(&r, &job);
    assert_false(above.reached);
    assert_int_equal(above.iterations, 0);
    job.root = 0;
    job.scratch_size = 16;
    assert_int_equal(lmb_ik_chain(&job).iterations, 0);
    assert_memory_equal(r.local, r.rest, sizeof(lmb_transform) * 4);
}

/// A trunk of three joints, then two arms of four each: joints 0 to 3, 4 to 7, 8 to 11.
static void make_tree(void)
{
    rod_make(&r, 11, 1);
    r.parents[8] = 3;
    r.rest[4].translation = v3(0.3f, 0.3f, 0);
    r.rest[8].translation = v3(0.3f, -0.3f, 0);
    rod_reset(&r);
}

static void two_ends_meet_two_targets(void **state)
{
    (void)state;
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        lmb_random random = lmb_random_seed(9);
        int met = 0;
        make_tree();
        for (int k = 0; k < 40; ++k) {
            rod_pose(&r, &random);
            const lmb_ik_end ends[2] = {{.joint = 7, .target = lmb_mat4_translation(r.model[7])},
                                        {.joint = 11, .target = lmb_mat4_translation(r.model[11])}};
            float distances[2];
            lmb_ik_chain_job job = {.solver = (lmb_ik_solver)s,
                                    .end_count = 2,
                                    .ends = ends,
                                    .tolerance = 1e-3f,
                                    .max_iterations = 1500,
                                    .distances = distances};
            rod_reset(&r);
            met += rod_solve(&r, &job).reached;
            for (int e = 0; e < 2; ++e) {
                near(
                    distances[e],
                    lmb_vec3_distance(lmb_mat4_translation(r.model[ends[e].joint]), ends[e].target),
                    1e-5f);
            }
        }
        if (met < (s == LMB_IK_TRANSPOSE || s == LMB_IK_CCD || s == LMB_IK_FABRIK ? 30 : 38)) {
            fail_msg("%s: %d of 40", lmbi_ik_solver_name((lmb_ik_solver)s), met);
        }
    }
}

static void targets_that_conflict_are_met_by_weight(void **state)
{
    (void)state;
    // One end with two targets on a reachable line: the weighted mean, by squared weights.
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        const lmb_ik_end ends[2] = {{.joint = 3, .target = v3(0, 2, 0), .weight = 2},
                                    {.joint = 3, .target = v3(0, 1, 0)}};
        lmb_ik_chain_job job = {
            .solver = (lmb_ik_solver)s, .end_count = 2, .ends = ends, .max_iterations = 1000};
        rod_make(&r, 3, 1);
        assert_false(rod_solve(&r, &job).reached);
        const float mean = s == LMB_IK_FABRIK ? 5.0f / 3 : 1.8f;
        near(lmb_vec3_distance(lmb_mat4_translation(r.model[3]), v3(0, mean, 0)), 0, 5e-3f);
    }
}

static void orientations_are_met_too(void **state)
{
    (void)state;
    const int solvers[] = {LMB_IK_AUTO,      LMB_IK_DAMPED, LMB_IK_PSEUDO_INVERSE,
                           LMB_IK_SELECTIVE, LMB_IK_FABRIK, LMB_IK_CCD};
    for (size_t s = 0; s < sizeof(solvers) / sizeof(solvers[0]); ++s) {
        lmb_random random = lmb_random_seed(12);
        int met = 0;
        rod_make(&r, 7, 1);
        for (int k = 0; k < 50; ++k) {
            rod_pose(&r, &random);
            lmb_transform t;
            lmb_mat4_decompose(r.model[7], &t);
            const lmb_vec3 offset = {0.2f, 0.1f, 0};
            const lmb_ik_end end = {.joint = 7,
                                    .offset = offset,
                                    .target = lmb_mat4_point(r.model[7], offset),
                                    .orient = true,
                                    .rotation = t.rotation};
            float angle;
            lmb_ik_chain_job job = {.solver = (lmb_ik_solver)solvers[s],
                                    .end_count = 1,
                                    .ends = &end,
                                    .tolerance = 1e-3f,
                                    .max_iterations = 500,
                                    .angles = &angle};
            rod_reset(&r);
            met += rod_solve(&r, &job).reached;
            lmb_mat4_decompose(r.model[7], &t);
            near(lmb_quat_angle(t.rotation, end.rotation), angle, 1e-4f);
        }
        if (met < (solvers[s] == LMB_IK_CCD ? 38 : 47)) {
            fail_msg("%s: %d of 50", lmbi_ik_solver_name((lmb_ik_solver)solvers[s]), met);
        }
    }
}

static void a_warm_start_is_short(void **state)
{
    (void)state;
    rod_make(&r, 8, 0.5f);
    rod_limit(&r);
    lmb_vec3 last[LINE_JOINTS];
    for (int frame = 0; frame < 200; ++frame) {
        const float t = (float)frame * 0.03f;
        const lmb_ik_end end = {
            .joint = 8,
            .target = v3(1.5f + lmb_cos(t), 1 + 0.5f * lmb_sin(t), 0.5f * lmb_sin(2 * t))};
        lmb_ik_chain_job job = {.end_count = 1, .ends = &end, .tolerance = 1e-3f};
        const lmb_ik_chain_report report = rod_solve(&r, &job);
        assert_true(report.reached);
        for (uint32_t j = 0; j <= 8; ++j) { // and no joint jumps where its target does not
            const lmb_vec3 position = lmb_mat4_translation(r.model[j]);
            assert_true(frame == 0 || lmb_vec3_distance(position, last[j]) < 0.12f);
            last[j] = position;
        }
        assert_true(frame == 0 || report.iterations <= 4);
    }
}

static void the_null_space_goes_to_rest(void **state)
{
    (void)state;
    const int solvers[] = {LMB_IK_DAMPED, LMB_IK_PSEUDO_INVERSE};
    for (size_t s = 0; s < 2; ++s) {
        lmb_random random = lmb_random_seed(2);
        float off[2] = {0, 0};
        for (int with = 0; with < 2; ++with) {
            rod_make(&r, 6, 1);
            rod_pose(&r, &random);
            const lmb_ik_end end = {.joint = 6, .target = v3(4, 2, 0)};
            lmb_ik_chain_job job = {.solver = (lmb_ik_solver)solvers[s],
                                    .end_count = 1,
                                    .ends = &end,
                                    .tolerance = 1e-3f,
                                    .rest_fraction = with ? 0.2f : 0};
            assert_true(rod_solve(&r, &job).reached);
            for (uint32_t j = 0; j < 6; ++j) {
                const float angle = lmb_quat_angle(r.local[j].rotation, lmb_quat_identity());
                off[with] += angle * angle;
            }
            random = lmb_random_seed(2);
        }
        assert_true(off[1] < off[0]);
    }
}

/// A joint that can only slide along one axis takes its end there, whichever axis it is.
static void boxes_slide_along_each_axis(void **state)
{
    (void)state;
    static const lmb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        rod_make(&r, 2, 0.5f);
        for (int j = 0; j < 3; ++j) {
            r.limits[j] = (lmb_joint_limit){.kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}};
        }
        r.limits[1].has_box = true;
        r.limits[1].box.low = lmb_vec3_scale(axes[k], -0.3f);
        r.limits[1].box.high = lmb_vec3_scale(axes[k], 0.3f);
        r.skeleton.limits = r.limits;
        const lmb_vec3 target = lmb_vec3_mad(v3(1, 0, 0), axes[k], 0.2f);
        lmb_ik_chain_job job = {.solver = LMB_IK_DAMPED,
                                .end_count = 1,
                                .ends = &(lmb_ik_end){.joint = 2, .target = target}};
        near(rod_solve(&r, &job).distance, 0, 1e-3f);
        assert_true(lmb_vec3_distance(r.local[1].translation,
                                      lmb_vec3_mad(v3(0.5f, 0, 0), axes[k], 0.2f)) < 2e-3f);
    }
}

static void boxes_slide_under_the_jacobian(void **state)
{
    (void)state;
    const int solvers[] = {LMB_IK_AUTO, LMB_IK_PSEUDO_INVERSE, LMB_IK_SELECTIVE};
    for (size_t s = 0; s < 3; ++s) {
        // A carriage on a rail of 2 m carries a fixed boom that cannot rotate: only sliding gets
        // there.
        rod_make(&r, 2, 1);
        r.limits[0] = (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                                        .axis = {0, 0, 1},
                                        .has_box = true,
                                        .box = {{0, -1, 0}, {0, 1, 0}}};
        r.limits[1] = (lmb_joint_limit){.kind = LMB_JOINT_FIXED};
        r.skeleton.limits = r.limits;
        lmb_ik_end end = {.joint = 2, .target = v3(2, 0.7f, 0)};
        lmb_ik_chain_job job = {
            .solver = (lmb_ik_solver)solvers[s], .end_count = 1, .ends = &end, .tolerance = 1e-3f};
        assert_true(rod_solve(&r, &job).reached);
        near(r.local[0].translation.y, 0.7f, 2e-3f);
        end.target.y = 1.5f;
        const lmb_ik_chain_report far = rod_solve(&r, &job);
        near(far.distance, 0.5f, 1e-3f);
        near(r.local[0].translation.y, 1, 1e-4f);
        rod_check(&r);
    }
}

static void the_same_bits_again(void **state)
{
    (void)state;
    lmb_transform first[LINE_JOINTS];
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        for (int again = 0; again < 2; ++again) {
            const lmb_ik_end end = {.joint = 9, .target = v3(1, 2, 3)};
            lmb_ik_chain_job job = {.solver = (lmb_ik_solver)s, .end_count = 1, .ends = &end};
            rod_make(&r, 9, 1);
            rod_limit(&r);
            rod_solve(&r, &job);
            if (again == 0) {
                memcpy(first, r.local, sizeof(first));
            }
        }
        assert_memory_equal(first, r.local, sizeof(first));
    }
}

static void the_trace_is_what_is_left(void **state)
{
    (void)state;
    float trace[100];
    const lmb_ik_end end = {.joint = 6, .target = v3(1, 3, 1)};
    for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
        lmb_ik_chain_job job = {.solver = (lmb_ik_solver)s,
                                .end_count = 1,
                                .ends = &end,
                                .tolerance = 1e-3f,
                                .max_iterations = 100,
                                .trace = trace};
        rod_make(&r, 6, 1);
        const lmb_ik_chain_report report = rod_solve(&r, &job);
        assert_true(report.iterations > 0 && report.iterations <= 100);
        if (report.reached) {
            near(trace[report.iterations - 1], report.distance, 1e-5f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_chains_reach_at_every_length),
        cmocka_unit_test(each_solver_reaches),
        cmocka_unit_test(limited_chains_reach_what_their_limits_allow),
        cmocka_unit_test(no_solver_breaks_a_limit),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(straight_toward_its_target_a_chain_bends),
        cmocka_unit_test(strange_chains_and_targets_are_defined),
        cmocka_unit_test(bad_calls_change_nothing),
        cmocka_unit_test(two_ends_meet_two_targets),
        cmocka_unit_test(targets_that_conflict_are_met_by_weight),
        cmocka_unit_test(orientations_are_met_too),
        cmocka_unit_test(a_warm_start_is_short),
        cmocka_unit_test(the_null_space_goes_to_rest),
        cmocka_unit_test(boxes_slide_under_the_jacobian),
        cmocka_unit_test(boxes_slide_along_each_axis),
        cmocka_unit_test(the_same_bits_again),
        cmocka_unit_test(the_trace_is_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
