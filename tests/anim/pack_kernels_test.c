// The encoder's kernels (pack_kernels): the same bits with every instruction set, and what double
// precision says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anim/pack_kernels.h"

enum { JOINTS = 9, COUNT = 80 };

static const int32_t parents[JOINTS] = {LMB_NONE, 0, 1, 2, 1, 4, LMB_NONE, 6, 7};
static float local[JOINTS][PACK_FIELDS][PACK_STRIDE];
static float models[3][JOINTS][PACK_MODEL_ROWS][PACK_STRIDE];
static const lmb_vec3 origin = {0.25f, -1, 2};

static void fill(void)
{
    lmb_random random = lmb_random_seed(3);
    for (int j = 0; j < JOINTS; ++j) {
        for (int i = 0; i < PACK_STRIDE; ++i) {
            float v[PACK_FIELDS], length = 0;
            for (int f = 0; f < PACK_FIELDS; ++f) {
                v[f] = lmb_random_range(&random, -1, 1);
                length += f >= 3 && f < 7 ? v[f] * v[f] : 0;
            }
            for (int f = 0; f < PACK_FIELDS; ++f) {
                const bool rotations = f >= 3 && f < 7;
                local[j][f][i] = rotations ? v[f] / sqrtf(length) : v[f];
            }
        }
    }
}

static void run(lmb_simd set, uint32_t count, int to)
{
    pack_pose_rows rows = {count, &local[0][0][0], &models[to][0][0][0]};
    for (uint32_t j = 0; j < JOINTS; ++j) {
        lmbi_pack_pick(set)->model(&rows, j, parents[j], &origin);
    }
}

static float error_of(lmb_simd set, uint32_t count, int is, int should, uint32_t joint)
{
    const pack_pose_rows a = {count, NULL, &models[is][0][0][0]},
                         b = {count, NULL, &models[should][0][0][0]};
    return lmbi_pack_pick(set)->error(&a, &b, joint, 0.3f, 0.5f);
}

static void sets_have_equal_bits(void **state)
{
    (void)state;
    fill();
    for (uint32_t count = 16; count <= COUNT; count += 64) {
        memset(models, 0, sizeof(models));
        run(LMB_SIMD_SCALAR, count, 0);
        local[2][0][7] += 0.01f; // another motion, to have an error
        run(LMB_SIMD_SCALAR, count, 1);
        for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
            if (!lmb_simd_runs((lmb_simd)set)) {
                continue;
            }
            memset(models[2], 0, sizeof(models[2]));
            run((lmb_simd)set, count, 2);
            assert_memory_equal(models[2], models[1], sizeof(models[1]));
            for (uint32_t j = 0; j < JOINTS; ++j) {
                const float should = error_of(LMB_SIMD_SCALAR, count, 1, 0, j),
                            is = error_of((lmb_simd)set, count, 1, 0, j);
                assert_memory_equal(&is, &should, sizeof(is));
            }
        }
        // The parent's scale has its part in how far joint 2 went.
        assert_true(error_of(LMB_SIMD_BEST, count, 1, 0, 2) > 1e-4f);
        assert_true(error_of(LMB_SIMD_BEST, count, 1, 0, 5) == 0);
        local[2][0][7] -= 0.01f;
    }
}

typedef struct affine {
    double m[12];
} affine;

static affine exact(uint32_t joint, uint32_t sample)
{
    double v[PACK_FIELDS];
    for (int f = 0; f < PACK_FIELDS; ++f) {
        v[f] = (double)local[joint][f][sample];
    }
    const double x = v[3], y = v[4], z = v[5], w = v[6];
    const affine a = {{(1 - 2 * (y * y + z * z)) * v[7], 2 * (x * y + z * w) * v[7],
                       2 * (x * z - y * w) * v[7], 2 * (x * y - z * w) * v[8],
                       (1 - 2 * (x * x + z * z)) * v[8], 2 * (y * z + x * w) * v[8],
                       2 * (x * z + y * w) * v[9], 2 * (y * z - x * w) * v[9],
                       (1 - 2 * (x * x + y * y)) * v[9], v[0], v[1], v[2]}};
    if (parents[joint] == LMB_NONE) {
        affine root = a;
        root.m[9] -= (double)origin.x;
        root.m[10] -= (double)origin.y;
        root.m[11] -= (double)origin.z;
        return root;
    }
    const affine above = exact((uint32_t)parents[joint], sample);
    affine out;
    for (int i = 0; i < 12; ++i) {
        const int row = i % 3, column = i / 3;
        out.m[i] = column == 3 ? above.m[9 + row] : 0;
        for (int k = 0; k < 3; ++k) {
            out.m[i] += above.m[3 * k + row] * a.m[3 * column + k];
        }
    }
    return out;
}

static void double_precision_agrees(void **state)
{
    (void)state;
    fill();
    run(LMB_SIMD_BEST, COUNT, 0);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        for (uint32_t i = 0; i < COUNT; ++i) {
            const affine should = exact(j, i);
            for (int r = 0; r < PACK_MODEL_ROWS; ++r) {
                assert_true(fabs((double)models[0][j][r][i] - should.m[r]) < 1e-5);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_have_equal_bits),
        cmocka_unit_test(double_precision_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
