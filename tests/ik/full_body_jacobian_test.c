// Judges of full-body IK that share nothing with it: forward kinematics and residuals in double
// precision written a second time, finite differences of them against every block of the Jacobian,
// and a plain Levenberg-Marquardt on those differences against the least cost found.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ik/full_body.h"
#include "ik/quat64.h"

// Its body would be shadowed by parameters of the header before.
#include "ik/body_fixture.h"

// --------------------------------------------------------------------- a body in double precision

typedef struct vec {
    double x, y, z;
} vec;

typedef struct figure {
    vec offset[TEST_JOINTS], position[TEST_JOINTS];
    quat64 local[TEST_JOINTS], rotation[TEST_JOINTS];
} figure;

static vec v_of(lmb_vec3 v)
{
    return (vec){(double)v.x, (double)v.y, (double)v.z};
}

static vec add(vec a, vec b, double s)
{
    return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec scaled(vec a, double s)
{
    return (vec){s * a.x, s * a.y, s * a.z};
}

static vec unit(vec a)
{
    return scaled(a, 1.0 / sqrt(dot(a, a)));
}

static vec rotated(quat64 q, vec v)
{
    const quat64 p = mul64(mul64(q, (quat64){v.x, v.y, v.z, 0}), (quat64){-q.x, -q.y, -q.z, q.w});
    return (vec){p.x, p.y, p.z};
}

static quat64 rotation(vec v)
{
    const double angle = sqrt(dot(v, v)), s = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
    return (quat64){s * v.x, s * v.y, s * v.z, cos(0.5 * angle)};
}

static vec rotation_vector(quat64 q)
{
    const double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), sign = q.w < 0 ? -1 : 1;
    const double k = s > 1e-12 ? 2 * atan2(s, sign * q.w) / s : 2;
    return (vec){sign * k * q.x, sign * k * q.y, sign * k * q.z};
}

static void stand(figure *f)
{
    for (uint32_t j = 0; j < body.joint_count; ++j) {
        const int32_t p = body.skeleton->parents[j];
        f->rotation[j] = p < 0 ? f->local[j] : mul64(f->rotation[p], f->local[j]);
        f->position[j] =
            p < 0 ? f->offset[j] : add(f->position[p], rotated(f->rotation[p], f->offset[j]), 1);
    }
}

static void figure_of(figure *f, const lmb_transform *pose)
{
    for (uint32_t j = 0; j < body.joint_count; ++j) {
        f->local[j] = quat64_of(pose[j].rotation);
        f->offset[j] = v_of(pose[j].translation);
    }
    stand(f);
}

static vec point(const figure *f, uint32_t joint, lmb_vec3 offset)
{
    return add(f->position[joint], rotated(f->rotation[joint], v_of(offset)), 1);
}

static vec center(const figure *f)
{
    vec sum = {0, 0, 0};
    double total = 0;
    for (uint32_t j = 1; j < body.joint_count; ++j) {
        const double mass = sqrt(dot(f->offset[j], f->offset[j]));
        sum = add(sum, add(f->position[j], f->position[body.skeleton->parents[j]], 1), 0.5 * mass);
        total += mass;
    }
    return scaled(sum, 1 / total);
}

static vec residual_of(const figure *f, const lmb_goal *g, double reach)
{
    const vec x = point(f, g->joint, g->offset), target = v_of(g->target);
    switch (g->kind) {
    case LMB_GOAL_POSITION:
        return scaled(add(x, target, -1), 1 / reach);
    case LMB_GOAL_ORIENTATION: {
        const quat64 t = quat64_of(g->rotation);
        return rotation_vector(mul64(f->rotation[g->joint], (quat64){-t.x, -t.y, -t.z, t.w}));
    }
    case LMB_GOAL_LOOK_AT:
        return add(rotated(f->rotation[g->joint], unit(v_of(g->axis))), unit(add(target, x, -1)),
                   -1);
    case LMB_GOAL_POLE: {
        const vec e = unit(add(f->position[g->tip], f->position[g->base], -1)),
                  k = add(x, f->position[g->base], -1), off = add(k, e, -dot(e, k));
        const vec u = unit(add(target, e, -dot(e, target)));
        return scaled(add(off, u, -sqrt(dot(off, off))), 1 / reach);
    }
    case LMB_GOAL_DISTANCE: {
        const vec offset = add(x, point(f, g->base, g->base_offset), -1);
        return g->distance > 0
                   ? (vec){(sqrt(dot(offset, offset)) - (double)g->distance) / reach, 0, 0}
                   : scaled(offset, 1 / reach);
    }
    case LMB_GOAL_GROUND:
        return (vec){fmin(0, dot(unit(v_of(g->axis)), add(x, target, -1)) / reach), 0, 0};
    case LMB_GOAL_CENTER_OF_MASS:
        return scaled(add(center(f), target, -1), 1 / reach);
    }
    return (vec){0, 0, 0};
}

/// The figure with freedom k of a body changed: a joint rotated about its own axis, or the root
/// moved.
static figure moved(const figure *f, const lmbi_body_solver *b, uint32_t freedom, double by)
{
    figure out = *f;
    for (uint32_t n = 0; n < b->node_count; ++n) {
        const lmbi_node *node = &b->nodes[n];
        if (freedom >= node->freedom && freedom < node->freedom + node->freedom_count) {
            out.local[node->joint] =
                mul64(out.local[node->joint], rotation(scaled(v_of(b->axes[freedom]), by)));
        }
    }
    if (freedom >= b->root_freedom) {
        double *position[3] = {&out.offset[0].x, &out.offset[0].y, &out.offset[0].z};
        *position[freedom - b->root_freedom] += by;
    }
    stand(&out);
    return out;
}

// ----------------------------------------------------------------------------------- the Jacobian

static lmb_goal goal_of(lmb_goal_kind kind, lmb_random *random)
{
    lmb_goal g = {.kind = kind,
                  .joint = test_joint(&body, kind == LMB_GOAL_POLE ? "leftLowerArm" : "leftHand"),
                  .base = test_joint(&body, "leftUpperArm"),
                  .tip = test_joint(&body, "leftHand")};
    float *numbers[11] = {&g.offset.x,   &g.offset.y,   &g.offset.z,  &g.base_offset.x,
                          &g.axis.x,     &g.axis.y,     &g.axis.z,    &g.rotation.x,
                          &g.rotation.y, &g.rotation.z, &g.rotation.w};
    for (int k = 0; k < 11; ++k) {
        *numbers[k] = lmb_random_range(random, -0.2f, 0.2f);
    }
    g.target = test_vec3(random, -1, 1);
    g.target.y = kind == LMB_GOAL_GROUND ? 5.0f : g.target.y + 1.0f;
    g.axis.y += kind == LMB_GOAL_GROUND ? 1.0f : 0.0f;
    g.rotation = lmb_quat_normalize(g.rotation);
    if (kind == LMB_GOAL_DISTANCE) {
        g.base = test_joint(&body, "rightFoot");
        g.distance = lmb_random_range(random, -0.5f, 0.5f);
    }
    return g;
}

static void check_column(const lmbi_body_solver *b, const figure *f, const lmb_goal *g,
                         const lmbi_linear *linear, uint32_t node, uint32_t freedom)
{
    float got[3];
    lmbi_goal_derivative(b, g, linear, node, b->screws[freedom], got);
    const figure more = moved(f, b, freedom, 1e-5), less = moved(f, b, freedom, -1e-5);
    const vec d = scaled(
        add(residual_of(&more, g, (double)b->reach), residual_of(&less, g, (double)b->reach), -1),
        0.5e5);
    const double off = fmax(fabs(d.x - (double)got[0]),
                            fmax(fabs(d.y - (double)got[1]), fabs(d.z - (double)got[2])));
    if (!(off < 1e-5 * fmax(1, sqrt(dot(d, d))))) {
        fail_msg("goal kind %d, freedom %u: %g %g %g, by differences %g %g %g", (int)g->kind,
                 freedom, (double)got[0], (double)got[1], (double)got[2], d.x, d.y, d.z);
    }
}

static void every_block_is_what_differences_say(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    lmb_transform pose[TEST_JOINTS];
    static lmbi_body_solver b;
    static figure f;
    for (int k = 0; k < 40 * (LMB_GOAL_CENTER_OF_MASS + 1); ++k) {
        test_pose_random(&body, &random, pose);
        const lmb_goal goal = goal_of((lmb_goal_kind)(k % (LMB_GOAL_CENTER_OF_MASS + 1)), &random);
        const lmb_ik_full_body_job job = {.skeleton = body.skeleton,
                                          .local = pose,
                                          .limits = body.limits,
                                          .goal_count = 1,
                                          .goals = &goal,
                                          .scratch = body.scratch,
                                          .scratch_size = body.scratch_size};
        lmbi_body_set_up(&b, &job);
        lmbi_body_axes(&b);
        lmbi_body_linearize(&b);
        figure_of(&f, pose);
        for (uint32_t n = 0; n < b.node_count; ++n) {
            for (uint32_t i = b.nodes[n].freedom; i < b.nodes[n].freedom + b.nodes[n].freedom_count;
                 ++i) {
                check_column(&b, &f, &goal, &b.linears[0], n, i);
            }
        }
        for (uint32_t i = b.root_freedom; i < b.freedom_count; ++i) {
            check_column(&b, &f, &goal, &b.linears[0], 0, i);
        }
    }
}

/// The matrix and the gradient, assembled over the tree, against sums over columns.
static void the_assembly_is_the_sum_of_columns(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(4);
    lmb_transform pose[TEST_JOINTS];
    static lmbi_body_solver b;
    for (int round = 0; round < 20; ++round) {
        lmb_goal goals[9];
        for (int k = 0; k < 9; ++k) {
            goals[k] = goal_of((lmb_goal_kind)(k % (LMB_GOAL_CENTER_OF_MASS + 1 - (round % 2) * 3)),
                               &random);
            goals[k].weight = 0.5f + (float)k;
        }
        test_pose_random(&body, &random, pose);
        const lmb_ik_full_body_job job = {.skeleton = body.skeleton,
                                          .local = pose,
                                          .limits = body.limits,
                                          .goal_count = 9,
                                          .goals = goals,
                                          .scratch = body.scratch,
                                          .scratch_size = body.scratch_size};
        lmbi_body_set_up(&b, &job);
        lmbi_body_axes(&b);
        lmbi_body_linearize(&b);
        lmbi_body_build_normal(&b);
        static double whole[3 * TEST_JOINTS][3 * TEST_JOINTS], slope[3 * TEST_JOINTS];
        static float column[3 * TEST_JOINTS][3];
        memset(whole, 0, sizeof(whole));
        memset(slope, 0, sizeof(slope));
        for (int k = 0; k < 9; ++k) {
            for (uint32_t n = 0; n < b.node_count; ++n) {
                for (uint32_t i = b.nodes[n].freedom;
                     i < b.nodes[n].freedom + b.nodes[n].freedom_count; ++i) {
                    lmbi_goal_derivative(&b, &goals[k], &b.linears[k], n, b.screws[i], column[i]);
                }
            }
            for (uint32_t i = b.root_freedom; i < b.freedom_count; ++i) {
                lmbi_goal_derivative(&b, &goals[k], &b.linears[k], 0, b.screws[i], column[i]);
            }
            for (uint32_t i = 0; i < b.freedom_count; ++i) {
                for (int r = 0; r < 3; ++r) {
                    slope[i] +=
                        (double)goals[k].weight * (double)column[i][r] * (double)b.linears[k].r[r];
                    for (uint32_t j = 0; j <= i; ++j) {
                        whole[i][j] +=
                            (double)goals[k].weight * (double)column[i][r] * (double)column[j][r];
                    }
                }
            }
        }
        for (uint32_t i = 0; i < b.freedom_count; ++i) {
            assert_true(fabs(slope[i] - (double)b.gradient[i]) < 2e-3);
            for (uint32_t j = 0; j <= i; ++j) {
                const double got = j < b.begin[i] ? 0.0 : (double)b.row[i][j - b.begin[i]];
                if (!(fabs(got - whole[i][j]) < 1e-3)) {
                    fail_msg("round %d, entry %u %u is %g, not %g", round, i, j, got, whole[i][j]);
                }
            }
        }
    }
}

// --------------------------------------------------------------------------------- the least cost

enum { GOALS = 6, MOST = 3 * TEST_JOINTS };

static double cost_of(const figure *f, const lmb_goal *goals, double reach)
{
    double sum = 0;
    for (int k = 0; k < GOALS; ++k) {
        const vec r = residual_of(f, &goals[k], reach);
        sum += dot(r, r);
    }
    return sum;
}

static void solve_dense(double a[MOST][MOST], double *x, uint32_t n)
{
    for (uint32_t k = 0; k < n; ++k) {
        for (uint32_t i = k + 1; i < n; ++i) {
            const double m = a[i][k] / a[k][k];
            for (uint32_t j = k; j < n; ++j) {
                a[i][j] -= m * a[k][j];
            }
            x[i] -= m * x[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; ++j) {
            x[k] -= a[k][j] * x[j];
        }
        x[k] /= a[k][k];
    }
}

/// Levenberg-Marquardt as in the textbook: differences, a dense system, the step taken when the
/// cost falls.
static double reference_cost(figure f, const lmbi_body_solver *b, const lmb_goal *goals)
{
    static double jacobian[3 * GOALS][MOST], a[MOST][MOST], x[MOST];
    const uint32_t n = b->freedom_count;
    const double reach = (double)b->reach;
    double lambda = 1e-3, cost = cost_of(&f, goals, reach);
    for (int round = 0; round < 60; ++round) {
        for (uint32_t i = 0; i < n; ++i) {
            const figure more = moved(&f, b, i, 1e-5), less = moved(&f, b, i, -1e-5);
            for (int k = 0; k < GOALS; ++k) {
                const vec d = scaled(add(residual_of(&more, &goals[k], reach),
                                         residual_of(&less, &goals[k], reach), -1),
                                     0.5e5);
                jacobian[3 * k][i] = d.x;
                jacobian[3 * k + 1][i] = d.y;
                jacobian[3 * k + 2][i] = d.z;
            }
        }
        for (uint32_t i = 0; i < n; ++i) {
            x[i] = 0;
            for (uint32_t j = 0; j < n; ++j) {
                a[i][j] = i == j ? lambda : 0;
            }
            for (int r = 0; r < 3 * GOALS; ++r) {
                const vec v = residual_of(&f, &goals[r / 3], reach);
                x[i] -= jacobian[r][i] * (r % 3 == 0 ? v.x : (r % 3 == 1 ? v.y : v.z));
                for (uint32_t j = 0; j < n; ++j) {
                    a[i][j] += jacobian[r][i] * jacobian[r][j];
                }
            }
        }
        solve_dense(a, x, n);
        figure next = f;
        for (uint32_t i = 0; i < n; ++i) {
            next = moved(&next, b, i, x[i]);
        }
        const double now = cost_of(&next, goals, reach);
        lambda *= now < cost ? 0.2 : 6;
        if (now < cost) {
            f = next;
            cost = now;
        }
    }
    return cost;
}

/// Goals that contradict each other and are out of reach: the remaining cost is as low as the
/// reference's.
static void no_cost_is_left_that_the_reference_saves(void **state)
{
    (void)state;
    static const char *const ends[GOALS] = {"leftHand",  "rightHand", "leftFoot",
                                            "rightFoot", "head",      "leftHand"};
    lmb_random random = lmb_random_seed(8);
    static lmbi_body_solver b;
    for (int round = 0; round < 6; ++round) {
        lmb_goal goals[GOALS] = {{0}};
        lmb_transform pose[TEST_JOINTS];
        for (int k = 0; k < GOALS; ++k) {
            const lmb_vec3 position =
                lmb_vec3_add(test_vec3(&random, -1, 1), lmb_vec3_make(0, 1, 0));
            goals[k] = (lmb_goal){.joint = test_joint(&body, ends[k]), .target = position};
        }
        goals[4].kind = LMB_GOAL_LOOK_AT;
        goals[4].axis = lmb_vec3_make(0, 0, 1);
        memcpy(pose, body.skeleton->rest, body.joint_count * sizeof(*pose));
        const lmb_ik_full_body_job job = {.skeleton = body.skeleton,
                                          .local = pose,
                                          .free = true,
                                          .goal_count = GOALS,
                                          .goals = goals,
                                          .max_iterations = 60,
                                          .scratch = body.scratch,
                                          .scratch_size = body.scratch_size};
        figure f;
        lmbi_body_set_up(&b, &job);
        lmbi_body_axes(&b);
        figure_of(&f, pose);
        const double reference = reference_cost(f, &b, goals);
        const lmb_ik_full_body_report report = lmb_ik_full_body(&job);
        figure_of(&f, pose);
        assert_true(fabs(cost_of(&f, goals, (double)b.reach) - (double)report.cost) <
                    1e-4 * (double)report.cost + 1e-7);
        if (!((double)report.cost < 1.02 * reference + 1e-6)) {
            fail_msg("round %d leaves %g, the reference %g", round, (double)report.cost, reference);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_what_differences_say),
        cmocka_unit_test(the_assembly_is_the_sum_of_columns),
        cmocka_unit_test(no_cost_is_left_that_the_reference_saves),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
