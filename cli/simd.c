#include "cli/cli.h"

#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

/// What lmbi_cpu_limit sets in the library; set once a run, before there are threads.
static lmbi_cpu limit = LMBI_CPU_AVX512;

lmbi_cpu lmbi_cpu_limit(void)
{
    return limit;
}

static lmbi_cpu level_of(lmb_simd set)
{
    switch (set) {
    case LMB_SIMD_SCALAR:
        return LMBI_CPU_SCALAR;
    case LMB_SIMD_SSE2:
    case LMB_SIMD_NEON:
    case LMB_SIMD_WASM:
        return LMBI_CPU_BASE;
    case LMB_SIMD_AVX2:
        return LMBI_CPU_AVX2;
    default:
        return LMBI_CPU_AVX512;
    }
}

static bool find_set(const char *name, lmb_simd *out)
{
    for (int set = 0; set < LMB_SIMD_COUNT; ++set) {
        if (strcmp(name, lmb_simd_name((lmb_simd)set)) == 0) {
            *out = (lmb_simd)set;
            return true;
        }
    }
    return false;
}

cli_exit cli_simd_choose(const cli_run *cli)
{
    limit = LMBI_CPU_AVX512;
    const char *name = cli->simd != NULL ? cli->simd : getenv("LIMBER_SIMD");
    lmb_simd set = LMB_SIMD_BEST;
    if (name != NULL && name[0] != 0 && !find_set(name, &set)) {
        return cli_fail(cli, CLI_USAGE,
                        "%s: expected best, scalar, sse2, avx2, avx512, neon or wasm, found \"%s\"",
                        cli->simd != NULL ? "--simd" : "LIMBER_SIMD", name);
    }
    if (!lmb_simd_runs(set)) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "not supported: this machine, or this build, has no %s; the widest is %s",
                        name, lmb_simd_name(lmb_simd_best()));
    }
    limit = level_of(set);
    return CLI_DONE;
}
