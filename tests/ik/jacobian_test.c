// The seeds' arm digit for digit, and every block of the Jacobian against central differences.
#include "ik/quat64.h"
#include "ik/rod.h"

#include "ik/chain.h"
#include "ik/damped_system.h"

static rod r;
static double scratch[1 << 16];

/// A step of a system of rows by columns, on the scratch of all tests.
static lmb_ik_step_job system_of(uint32_t rows, uint32_t columns, const double *jacobian,
                                 const double *error, double *step)
{
    return (lmb_ik_step_job){.rows = rows,
                             .columns = columns,
                             .jacobian = jacobian,
                             .error = error,
                             .step = step,
                             .scratch = scratch};
}

/// T(0,6) R(-45) T(5,0) R(50) T(4,0) R(30) (2,0): three hinges about Z.
static void make_arm(void)
{
    const float angles[3] = {-45, 50, 30}, lengths[3] = {5, 4, 2};
    rod_make(&r, 3, 1);
    r.rest[0].translation = v3(0, 6, 0);
    for (int j = 0; j < 3; ++j) {
        r.limits[j] = (lmb_joint_limit){
            .kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}, .twist_min_rad = -4, .twist_max_rad = 4};
        r.rest[j].rotation = lmb_quat_axis_angle(v3(0, 0, 1), angles[j] * LMB_PI / 180);
        r.rest[j + 1].translation = v3(lengths[j], 0, 0);
    }
    r.skeleton.limits = r.limits;
    rod_reset(&r);
}

static void set_up(lmbi_ik_chain *chain, lmb_ik_chain_job *job)
{
    job->skeleton = &r.skeleton;
    job->local = r.local;
    job->model_from_joint = r.model;
    job->scratch = scratch;
    job->scratch_size = sizeof(scratch);
    assert_true(lmb_ik_chain_scratch(job) <= sizeof(scratch));
    assert_true(lmbi_chain_set_up(chain, job));
    lmbi_chain_clamp(chain, chain->now);
    lmbi_chain_measure_errors(chain, chain->now);
}

static void close_to(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) {
        fail_msg("got %.9g, expected %.9g", got, want);
    }
}

static void the_seeds_arm(void **state)
{
    (void)state;
    make_arm();
    const lmb_vec3 p = lmb_mat4_translation(r.model[3]);
    near(p.x, 9.158617f, 1e-6f);
    near(p.y, 3.960242f, 1e-6f);
    const lmb_ik_end end = {.joint = 3, .target = lmb_vec3_add(p, v3(0.1f, 0, 0))};
    lmb_ik_chain_job job = {.solver = LMB_IK_TRANSPOSE, .end_count = 1, .ends = &end};
    lmbi_ik_chain chain;
    set_up(&chain, &job);
    double jacobian[9 * 4], error[3];
    // The end joint is free: three columns that move nothing.
    assert_int_equal(lmbi_jacobian_columns(&chain), 6);
    assert_int_equal(lmbi_jacobian_rows(&chain), 3);
    lmbi_jacobian_fill(&chain, jacobian, error);
    const double want[2][3] = {{2.039758, -1.495776, -1.147153}, {9.158617, 5.623083, 1.638304}};
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 3; ++column) {
            close_to(jacobian[6 * row + column], want[row][column], 2e-6);
            close_to(jacobian[6 * row + 3 + column], 0, 1e-6);
        }
    }
}

static void the_seeds_steps(void **state)
{
    (void)state;
    // What the literature brief works out for d = (0.1, 0), to its last digit.
    const double jacobian[6] = {2.0397580, -1.4957758, -1.1471529, 9.1586172, 5.6230833, 1.6383041},
                 error[2] = {0.1, 0};
    const struct {
        lmb_ik_solver solver;
        double damping, step[3];
    } cases[] = {
        {LMB_IK_PSEUDO_INVERSE, 0, {.0195204, -.0266224, -.0177501}},
        {LMB_IK_DAMPED, 0, {.0195204, -.0266224, -.0177501}},
        {LMB_IK_DAMPED, 0.1, {.0194936, -.0265844, -.0177249}},
        {LMB_IK_DAMPED, 1, {.0171725, -.0232874, -.0155420}},
        {LMB_IK_TRANSPOSE, 0, {.0121114, -.0088814, -.0068114}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        double step[3];
        lmb_ik_step_job job = system_of(2, 3, jacobian, error, step);
        job.solver = cases[i].solver;
        job.damping = cases[i].damping;
        lmb_ik_step(&job);
        for (int j = 0; j < 3; ++j) {
            close_to(step[j], cases[i].step[j], 6e-8);
        }
    }
    // One full step of the pseudo-inverse moves the end by (0.098713, 0.000311).
    make_arm();
    const lmb_vec3 before = lmb_mat4_translation(r.model[3]);
    for (int j = 0; j < 3; ++j) {
        r.local[j].rotation = lmb_quat_mul(
            r.local[j].rotation, lmb_quat_axis_angle(v3(0, 0, 1), (float)cases[0].step[j]));
    }
    joint_line_update(&r);
    const lmb_vec3 moved = lmb_vec3_sub(lmb_mat4_translation(r.model[3]), before);
    near(moved.x, 0.098713f, 2e-6f);
    near(moved.y, 0.000311f, 2e-6f);
}

static void the_null_space_moves_no_end(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    for (int k = 0; k < 50; ++k) {
        double jacobian[6 * 12], error[6] = {0}, preferred[12], step[12];
        for (int i = 0; i < 72; ++i) {
            jacobian[i] = (double)lmb_random_range(&random, -1, 1);
        }
        for (int i = 0; i < 12; ++i) {
            preferred[i] = (double)lmb_random_range(&random, -1, 1);
        }
        lmb_ik_step_job job = system_of(6, 12, jacobian, error, step);
        job.solver = LMB_IK_PSEUDO_INVERSE;
        job.preferred = preferred;
        lmb_ik_step(&job);
        double length = 0;
        for (int row = 0; row < 6; ++row) {
            double moved = 0;
            for (int j = 0; j < 12; ++j) {
                moved += jacobian[12 * row + j] * step[j];
            }
            close_to(moved, 0, 1e-10);
        }
        for (int j = 0; j < 12; ++j) {
            length += step[j] * step[j];
        }
        assert_true(length > 0.1);
    }
}

static void damped_steps_solve_the_normal_equations(void **state)
{
    (void)state;
    // (J^T J + lambda^2 I) step = J^T e, the other form of the same, for any sizes and ranks.
    lmb_random random = lmb_random_seed(4);
    for (int k = 0; k < 200; ++k) {
        const uint32_t rows = 1 + lmb_random_u32(&random) % 7,
                       columns = 1 + lmb_random_u32(&random) % 9;
        double jacobian[63], error[7], step[9];
        for (uint32_t i = 0; i < rows * columns; ++i) {
            jacobian[i] = i >= columns && k % 3 == 0 ? jacobian[i - columns]
                                                     : (double)lmb_random_range(&random, -1, 1);
        }
        for (uint32_t i = 0; i < rows; ++i) {
            error[i] = (double)lmb_random_range(&random, -1, 1);
        }
        lmb_ik_step(&(lmb_ik_step_job){.solver = LMB_IK_DAMPED,
                                       .rows = rows,
                                       .columns = columns,
                                       .jacobian = jacobian,
                                       .error = error,
                                       .damping = 0.3,
                                       .step = step,
                                       .scratch = scratch});
        for (uint32_t j = 0; j < columns; ++j) {
            double left = 0.09 * step[j];
            for (uint32_t i = 0; i < rows; ++i) {
                double moved = -error[i];
                for (uint32_t c = 0; c < columns; ++c) {
                    moved += jacobian[i * columns + c] * step[c];
                }
                left += jacobian[i * columns + j] * moved;
            }
            close_to(left, 0, 1e-12);
        }
    }
}

/// Two columns of length sqrt(1.25) that together move the second row alone: its singular value is
/// sqrt(0.5) with v = (1, 1) / sqrt(2), so the ends should go 1 where single rotations would take them
/// sqrt(2) sqrt(1.25) / sqrt(0.5) = sqrt(5). The largest rotation is 1 / sqrt(5) of gamma_max.
static void selective_steps_share_the_largest_rotation(void **state)
{
    (void)state;
    const double jacobian[4] = {1, -1, 0.5, 0.5}, error[2] = {0, 1};
    double step[2];
    lmb_ik_step_job job = system_of(2, 2, jacobian, error, step);
    job.solver = LMB_IK_SELECTIVE;
    job.block = 2;
    job.most_turn = 0.5;
    lmb_ik_step(&job);
    for (int j = 0; j < 2; ++j) {
        close_to(step[j], 0.5 / sqrt(5.0), 1e-9);
    }
}

static void selective_steps_stay_small(void **state)
{
    (void)state;
    // Near a singularity the pseudo-inverse is wild; the selectively damped step is not, and still
    // goes in the right direction.
    const double jacobian[6] = {1, 1e-4, 0, 0, 1e-4, 1e-4}, error[2] = {0.1, 1};
    double wild[3], calm[3];
    lmb_ik_step_job job = system_of(2, 3, jacobian, error, wild);
    job.solver = LMB_IK_PSEUDO_INVERSE;
    job.cutoff = 1e-9;
    job.block = 2;
    lmb_ik_step(&job);
    job.solver = LMB_IK_SELECTIVE;
    job.step = calm;
    lmb_ik_step(&job);
    assert_true(fabs(wild[2]) > 1000);
    for (int j = 0; j < 3; ++j) {
        assert_true(fabs(calm[j]) <= 0.7853982);
    }
    assert_true(calm[0] > 0.01);
}

/// Every kind of joint, two ends, positions and orientations, weights, and a joint that slides.
static void make_everything(lmb_random *random, lmb_ik_end ends[2])
{
    rod_make(&r, 9, 1);
    rod_limit(&r);
    r.parents[6] = 3;
    for (uint32_t j = 0; j <= 9; ++j) {
        r.rest[j].rotation = lmb_quat_axis_angle(any_direction(random), 0.5f);
    }
    r.limits[2].has_box = r.limits[7].has_box = true;
    r.limits[2].box = (lmb_box){{-1, 0, -1}, {1, 0, 1}};
    r.limits[7].box = (lmb_box){{-1, -1, -1}, {1, 1, 1}};
    rod_reset(&r);
    rod_pose(&r, random);
    ends[0] = (lmb_ik_end){.joint = 5,
                           .target = any_direction(random),
                           .offset = {0.2f, 0.3f, 0},
                           .orient = true,
                           .rotation = lmb_quat_axis_angle(any_direction(random), 1)};
    ends[1] = (lmb_ik_end){.joint = 9,
                           .target = any_direction(random),
                           .weight = 1.7f,
                           .orient = true,
                           .rotation_weight = 0.8f,
                           .rotation = lmb_quat_axis_angle(any_direction(random), 1)};
}

static void rotate64(quat64 q, const double v[3], double out[3])
{
    const quat64 p = mul64(mul64(q, (quat64){v[0], v[1], v[2], 0}), back64(q));
    out[0] = p.x, out[1] = p.y, out[2] = p.z;
}

static void vector64(lmb_vec3 v, double out[3])
{
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

/// Forward kinematics in double precision of the chain's pose after its step: positions and
/// orientations of the ends.
static void ends_after(const lmbi_ik_chain *chain, double h, double positions[2][3],
                       quat64 rotations[2])
{
    quat64 was[16], rotation[16];
    double position[16][3];
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const int32_t parent = chain->links[k].parent;
        const quat64 above = quat64_of(chain->base_rotation),
                     frame_was = parent < 0 ? above : was[parent],
                     frame = parent < 0 ? above : rotation[parent];
        double offset[3], slid[3], move[3], base[3], by[3];
        vector64(chain->base_position, base);
        vector64(chain->now[k].offset, offset);
        vector64(chain->moves[k], move);
        vector64(chain->rotations[k], by);
        rotate64(back64(frame_was), move, slid);
        for (int i = 0; i < 3; ++i) {
            offset[i] += h * slid[i];
        }
        rotate64(frame, offset, position[k]);
        for (int i = 0; i < 3; ++i) {
            position[k][i] += parent < 0 ? base[i] : position[parent][i];
        }
        was[k] = mul64(frame_was, quat64_of(chain->now[k].local));
        const double angle = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]),
                     s = angle > 0 ? sin(h * angle / 2) / angle : 0;
        const quat64 step = {by[0] * s, by[1] * s, by[2] * s, cos(h * angle / 2)};
        rotation[k] = mul64(frame, mul64(back64(frame_was), mul64(step, was[k])));
    }
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const uint32_t link = chain->ends[e].link;
        double offset[3];
        vector64(chain->ends[e].offset, offset);
        rotate64(rotation[link], offset, positions[e]);
        for (int i = 0; i < 3; ++i) {
            positions[e][i] += position[link][i];
        }
        rotations[e] = rotation[link];
    }
}

/// A column of the Jacobian by central differences.
static void difference(const lmbi_ik_chain *chain, double column[12])
{
    const double h = 1e-5;
    double low[2][3], high[2][3];
    quat64 before[2], after[2];
    ends_after(chain, -h, low, before);
    ends_after(chain, h, high, after);
    for (int e = 0; e < 2; ++e) {
        const quat64 d = mul64(after[e], back64(before[e]));
        const double rotated[3] = {2 * d.x, 2 * d.y, 2 * d.z}, sign = d.w < 0 ? -1 : 1;
        for (int i = 0; i < 3; ++i) {
            column[6 * e + i] = (high[e][i] - low[e][i]) / (2 * h) * (double)chain->ends[e].weight;
            column[6 * e + 3 + i] =
                sign * rotated[i] / (2 * h) * (double)chain->ends[e].turn_weight;
        }
    }
}

static void every_block_against_differences(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(21);
    for (int pose = 0; pose < 50; ++pose) {
        lmb_ik_end ends[2];
        lmbi_ik_chain chain;
        make_everything(&random, ends);
        lmb_ik_chain_job job = {.solver = LMB_IK_SELECTIVE, .end_count = 2, .ends = ends};
        set_up(&chain, &job);
        const uint32_t columns = lmbi_jacobian_columns(&chain), rows = lmbi_jacobian_rows(&chain);
        double jacobian[12 * 60], error[12], step[60], column[12];
        assert_int_equal(rows, 12);
        assert_true(columns <= 60);
        lmbi_jacobian_fill(&chain, jacobian, error);
        for (uint32_t c = 0; c < columns; ++c) {
            memset(step, 0, sizeof(step));
            step[c] = 1;
            lmbi_jacobian_apply(&chain, step);
            difference(&chain, column);
            for (uint32_t row = 0; row < 12; ++row) {
                close_to(jacobian[row * columns + c], column[row], 1e-5);
            }
        }
    }
}

/// A joint at a limit of its swing keeps what is across the frozen axis.
static void assert_across(lmbi_damped *d, uint32_t k, int pose)
{
    const lmb_vec3 whole = d->chain->rotations[k];
    const lmb_vec3 axis = lmb_vec3_normalize_or((lmb_vec3){1, 2 - (float)k, 0.5f * (float)pose - 4},
                                                (lmb_vec3){0, 1, 0});
    if (d->freedoms[k].kind == LMBI_FREEDOM_ALL) {
        d->freedoms[k].kind = LMBI_FREEDOM_ACROSS_AXIS;
        d->freedoms[k].axis = axis;
        lmbi_damped_gather(d, k);
        const lmb_vec3 across = lmb_vec3_mad(whole, axis, -lmb_vec3_dot(whole, axis));
        near(lmb_vec3_distance(d->chain->rotations[k], across), 0, 1e-5f);
    }
}

static void sums_without_the_jacobian_are_the_same(void **state)
{
    (void)state;
    // J J^T and J^T y of damped_system.c against those of the Jacobian written out.
    lmb_random random = lmb_random_seed(22);
    for (int pose = 0; pose < 20; ++pose) {
        lmb_ik_end ends[2];
        lmbi_ik_chain chain;
        make_everything(&random, ends);
        lmb_ik_chain_job job = {.solver = LMB_IK_DAMPED, .end_count = 2, .ends = ends};
        set_up(&chain, &job);
        const uint32_t columns = lmbi_jacobian_columns(&chain);
        double jacobian[12 * 60], error[12];
        lmbi_jacobian_fill(&chain, jacobian, error);
        lmbi_damped d = lmbi_damped_set_up(&chain);
        lmbi_damped_step(
            &d, 1e-2,
            false); // leaves the last round's system; limits may have frozen some of it
        lmbi_damped_unfreeze(&d);
        lmbi_damped_assemble(&d);
        for (uint32_t i = 0; i < 12; ++i) {
            for (uint32_t j = 0; j <= i; ++j) {
                double sum = 0;
                for (uint32_t c = 0; c < columns; ++c) {
                    sum += jacobian[i * columns + c] * jacobian[j * columns + c];
                }
                close_to(d.matrix[i * 12 + j], sum, 2e-5 * (1 + fabs(sum)));
            }
        }
        lmbi_damped_set_error(&d, false);
        assert_true(lmbi_damped_solve(&d, 0.5));
        double step[60];
        lmb_ik_step(&(lmb_ik_step_job){.solver = LMB_IK_DAMPED,
                                       .rows = 12,
                                       .columns = columns,
                                       .jacobian = jacobian,
                                       .error = error,
                                       .damping = sqrt(0.5),
                                       .step = step,
                                       .scratch = scratch + 20000});
        lmb_vec3 rotations[16], moves[16];
        for (uint32_t k = 0; k < chain.link_count; ++k) {
            lmbi_damped_gather(&d, k);
            rotations[k] = chain.rotations[k];
            moves[k] = chain.moves[k];
            assert_across(&d, k, pose);
        }
        lmbi_jacobian_apply(&chain, step);
        for (uint32_t k = 0; k < chain.link_count; ++k) {
            near(lmb_vec3_distance(rotations[k], chain.rotations[k]), 0, 1e-4f);
            near(lmb_vec3_distance(moves[k], chain.moves[k]), 0, 1e-4f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seeds_arm),
        cmocka_unit_test(the_seeds_steps),
        cmocka_unit_test(the_null_space_moves_no_end),
        cmocka_unit_test(damped_steps_solve_the_normal_equations),
        cmocka_unit_test(selective_steps_share_the_largest_rotation),
        cmocka_unit_test(selective_steps_stay_small),
        cmocka_unit_test(every_block_against_differences),
        cmocka_unit_test(sums_without_the_jacobian_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
