// Batched limbs and aiming: the same bits with every instruction set, and what the single calls and
// double precision give.
#include "ik/rod.h"

enum { COUNT = 203, ROOM = 208 };

typedef struct lanes {
    float in[21][ROOM], out[9][ROOM];
} lanes;

static lanes l;

static lmb_lanes3 three(float (*at)[ROOM])
{
    return (lmb_lanes3){at[0], at[1], at[2]};
}

static lmb_lanes4 four(float (*at)[ROOM])
{
    return (lmb_lanes4){at[0], at[1], at[2], at[3]};
}

static lmb_vec3 get(float (*at)[ROOM], size_t i)
{
    return v3(at[0][i], at[1][i], at[2][i]);
}

static lmb_quat get4(float (*at)[ROOM], size_t i)
{
    return lmb_quat_make(at[0][i], at[1][i], at[2][i], at[3][i]);
}

/// Random limbs; among them straight ones, ones with goals at the start, out of reach, opposite, of
/// no length, and not numbers.
static void fill(uint64_t seed)
{
    lmb_random random = lmb_random_seed(seed);
    for (size_t i = 0; i < ROOM; ++i) {
        for (int k = 0; k < 21; ++k) {
            l.in[k][i] = lmb_random_range(&random, -1, 1);
        }
        for (int k = 0; k < 3 && i % 7 == 0; ++k) { // straight
            l.in[6 + k][i] = 2 * l.in[3 + k][i] - l.in[k][i];
        }
        for (int k = 0; k < 3 && i % 11 == 0; ++k) {
            l.in[9 + k][i] = i % 2 ? l.in[k][i] : 2 * l.in[k][i] - l.in[6 + k][i];
        }
        for (int k = 0; k < 3 && i % 23 == 0; ++k) {
            l.in[3 + k][i] = l.in[k][i];
        }
        if (i % 29 == 0) {
            l.in[9 + i % 3][i] = i % 2 ? NAN : 1e30f;
        }
        const lmb_quat q = lmb_quat_normalize(get4(&l.in[12], i));
        l.in[12][i] = q.x, l.in[13][i] = q.y, l.in[14][i] = q.z, l.in[15][i] = q.w;
    }
}

static void run(lmb_simd set, bool has_pole, float soft)
{
    memset(l.out, 0, sizeof(l.out));
    lmb_two_bone_batch_job job = {.count = COUNT,
                                  .start = three(&l.in[0]),
                                  .mid = three(&l.in[3]),
                                  .end = three(&l.in[6]),
                                  .goal = three(&l.in[9]),
                                  .hinge = three(&l.in[15]),
                                  .soft = soft,
                                  .start_rotation = four(&l.out[0]),
                                  .mid_rotation = four(&l.out[4]),
                                  .reach = l.out[8],
                                  .simd = set};
    if (has_pole) {
        job.pole = three(&l.in[18]);
    }
    lmb_two_bone_batch(&job);
}

static void run_aim(lmb_simd set, bool rolls)
{
    memset(l.out, 0, sizeof(l.out));
    lmb_aim_batch(&(lmb_aim_batch_job){.count = COUNT,
                                       .position = three(&l.in[0]),
                                       .rotation = four(&l.in[12]),
                                       .target = three(&l.in[9]),
                                       .forward = {0, 0.5f, 2},
                                       .offset = {0.05f, 0, 0.1f},
                                       .up = {0, 1, 0},
                                       .pole = {0, rolls ? 1.0f : 0.0f, 0.3f * (float)rolls},
                                       .rotated = four(&l.out[0]),
                                       .simd = set});
}

static void every_set_gives_the_same_bits(void **state)
{
    (void)state;
    static lanes first;
    for (int kind = 0; kind < 4; ++kind) {
        for (int set = LMB_SIMD_SCALAR; set < LMB_SIMD_COUNT; ++set) {
            if (!lmb_simd_runs((lmb_simd)set)) {
                continue;
            }
            fill(5);
            if (kind < 2) {
                run((lmb_simd)set, kind == 1, 0.1f);
            } else {
                run_aim((lmb_simd)set, kind == 3);
            }
            if (set == LMB_SIMD_SCALAR) {
                first = l;
            }
            for (int k = 0; k < 9; ++k) {
                assert_memory_equal(first.out[k], l.out[k], COUNT * sizeof(float));
            }
        }
    }
}

static void near_rotation(lmb_quat got, lmb_quat want)
{
    if (!(fabsf(lmb_quat_dot(got, got) - 1) < 1e-5f) || !(lmb_quat_angle(got, want) < 2e-4f)) {
        fail_msg("got %g %g %g %g, expected %g %g %g %g", (double)got.x, (double)got.y,
                 (double)got.z, (double)got.w, (double)want.x, (double)want.y, (double)want.z,
                 (double)want.w);
    }
}

static void limbs_are_those_of_the_single_call(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; ++seed) {
        fill(seed);
        run(LMB_SIMD_BEST, seed % 2, 0.05f);
        for (size_t i = 0; i < COUNT; ++i) {
            const lmb_two_bone_points limb = {get(&l.in[0], i), get(&l.in[3], i), get(&l.in[6], i)};
            const lmb_vec3 pole = seed % 2 ? get(&l.in[18], i) : v3(0, 0, 0);
            const lmb_two_bone_rotation t =
                lmb_two_bone_solve(limb, get(&l.in[9], i), get(&l.in[15], i), pole, 0.05f);
            near_rotation(get4(&l.out[0], i), t.start);
            near_rotation(get4(&l.out[4], i), t.mid);
            assert_true(fabsf(l.out[8][i] - t.reach) <= 1e-5f * (1 + t.reach) ||
                        !(t.reach < 1e20f));
        }
    }
}

static void rotate64(const double q[4], const double v[3], double out[3])
{
    const double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                         2 * (q[0] * v[1] - q[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

/// Where the end comes to by the rotations, in double precision.
static double miss64(size_t i)
{
    double upper[3], lower[3], bent[3], rotated[3], up[3], mid[4], start[4], sum = 0;
    for (int k = 0; k < 3; ++k) {
        upper[k] = (double)l.in[3 + k][i] - (double)l.in[k][i];
        lower[k] = (double)l.in[6 + k][i] - (double)l.in[3 + k][i];
    }
    for (int k = 0; k < 4; ++k) {
        start[k] = (double)l.out[k][i];
        mid[k] = (double)l.out[4 + k][i];
    }
    rotate64(mid, lower, bent);
    rotate64(start, bent, rotated);
    rotate64(start, upper, up);
    for (int k = 0; k < 3; ++k) {
        const double off = (double)l.in[k][i] + up[k] + rotated[k] - (double)l.in[9 + k][i];
        sum += off * off;
    }
    return sqrt(sum);
}

static void limbs_reach_in_double_precision(void **state)
{
    (void)state;
    int counted = 0;
    double sum = 0;
    for (uint64_t seed = 10; seed < 40; ++seed) {
        fill(seed);
        run(LMB_SIMD_BEST, seed % 2, 0);
        for (size_t i = 0; i < COUNT; ++i) {
            const float a = lmb_vec3_distance(get(&l.in[0], i), get(&l.in[3], i)),
                        b = lmb_vec3_distance(get(&l.in[3], i), get(&l.in[6], i));
            const float d = lmb_vec3_distance(get(&l.in[0], i), get(&l.in[9], i));
            if (d > fabsf(a - b) + 0.01f * (a + b) && d < 0.99f * (a + b)) {
                ++counted;
                sum += miss64(i) / (double)(a + b);
                if (!(miss64(i) < 2e-6 * (double)(a + b))) {
                    fail_msg("off by %g of %g", miss64(i), (double)(a + b));
                }
            }
        }
    }
    assert_true(counted > 2000 && sum / counted < 2e-7);
}

static void rays_meet_their_targets(void **state)
{
    (void)state;
    for (int rolls = 0; rolls < 2; ++rolls) {
        fill(3);
        run_aim(LMB_SIMD_BEST, rolls == 1);
        for (size_t i = 0; i < COUNT; ++i) {
            const lmb_quat q = get4(&l.out[0], i);
            const lmb_vec3 target = get(&l.in[9], i), position = get(&l.in[0], i),
                           towards = lmb_vec3_sub(target, position);
            assert_true(fabsf(lmb_quat_dot(q, q) - 1) < 1e-5f);
            const float distance = lmb_vec3_length(towards);
            if (!(distance < 1e10f) || distance < 0.2f) {
                continue;
            }
            const lmb_vec3 eye = lmb_vec3_add(position, lmb_quat_rotate(q, v3(0.05f, 0, 0.1f)));
            const lmb_vec3 ray =
                lmb_quat_rotate(q, lmb_vec3_normalize_or(v3(0, 0.5f, 2), v3(0, 0, 1)));
            near(lmb_vec3_length(lmb_vec3_cross(ray, lmb_vec3_sub(target, eye))), 0,
                 3e-6f * (1 + distance));
            // The same by the single call.
            int32_t parents[1] = {-1};
            lmb_transform local = {position, get4(&l.in[12], i), {1, 1, 1}};
            const lmb_skeleton skeleton = {.joint_count = 1, .parents = parents, .rest = &local};
            const lmb_mat4 model = lmb_mat4_from_transform(local);
            lmb_ik_aim(&(lmb_ik_aim_job){.skeleton = &skeleton,
                                         .local = &local,
                                         .model_from_joint = &model,
                                         .target = target,
                                         .forward = {0, 0.5f, 2},
                                         .offset = {0.05f, 0, 0.1f},
                                         .up = {0, 1, 0},
                                         .pole = {0, rolls ? 1.0f : 0.0f, 0.3f * (float)rolls},
                                         .weight = 1});
            near_rotation(local.rotation, q);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_gives_the_same_bits),
        cmocka_unit_test(limbs_are_those_of_the_single_call),
        cmocka_unit_test(limbs_reach_in_double_precision),
        cmocka_unit_test(rays_meet_their_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
