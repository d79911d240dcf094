#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "limber/simd.h"
#include "linalg/kernels.h"

static lmbi_cpu limit = LMBI_CPU_AVX512;

lmbi_cpu lmbi_cpu_limit(void)
{
    return limit;
}

/// A limit is what kernels get, whatever this machine could do beside it.
static void test_limit_holds(void **state)
{
    (void)state;
    limit = LMBI_CPU_SCALAR;
    assert_int_equal(lmbi_cpu_widest(), LMBI_CPU_SCALAR);
    assert_false(lmbi_cpu_fuses());
    assert_int_equal(lmb_simd_best(), LMB_SIMD_SCALAR);
    assert_true(lmb_simd_runs(LMB_SIMD_SCALAR));
    assert_false(lmb_simd_runs(LMB_SIMD_SSE2) || lmb_simd_runs(LMB_SIMD_AVX2) ||
                 lmb_simd_runs(LMB_SIMD_AVX512) || lmb_simd_runs(LMB_SIMD_NEON) ||
                 lmb_simd_runs(LMB_SIMD_FAST));
    assert_ptr_equal(lmbi_kernels_pick(), &lmbi_kernels_base);
}

/// A limit above what the machine has changes nothing, and no limit hands out what is not there.
static void test_limit_is_an_upper_bound(void **state)
{
    (void)state;
    limit = LMBI_CPU_AVX512;
    const lmbi_cpu widest = lmbi_cpu_widest();
    for (int level = LMBI_CPU_SCALAR; level <= LMBI_CPU_AVX512; ++level) {
        limit = (lmbi_cpu)level;
        const int least = level < (int)widest ? level : (int)widest;
#if LMBI_HAS_SSE2 && LMBI_HAS_AVX2
        assert_int_equal(lmbi_cpu_widest(), least);
#else
        assert_true((int)lmbi_cpu_widest() <= least);
#endif
        assert_true(lmb_simd_runs(lmb_simd_best()));
    }
#if defined(__x86_64__) && !defined(LMBI_FORCE_SCALAR)
    limit = LMBI_CPU_BASE;
    // A build may leave SSE2 out (LIMBER_SETS).
    assert_int_equal(lmb_simd_best(),
                     lmb_simd_runs(LMB_SIMD_SSE2) ? LMB_SIMD_SSE2 : LMB_SIMD_SCALAR);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit_holds),
        cmocka_unit_test(test_limit_is_an_upper_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
