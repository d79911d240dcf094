/// Which vector instructions this machine runs, as far as this build has code for them.
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

#if defined(LMBI_FORCE_SCALAR)
#define LMBI_SIMD_X86 0
#define LMBI_SIMD_NEON 0
#define LMBI_SIMD_WASM 0
#else
#if defined(__x86_64__)
#define LMBI_SIMD_X86 1
#else
#define LMBI_SIMD_X86 0
#endif
// Only the 64-bit NEON: the 32-bit one flushes denormals and has no division.
#if defined(__aarch64__) && defined(__ARM_NEON)
#define LMBI_SIMD_NEON 1
#else
#define LMBI_SIMD_NEON 0
#endif
#if defined(__wasm_simd128__)
#define LMBI_SIMD_WASM 1
#else
#define LMBI_SIMD_WASM 0
#endif
#endif

// Sets that the build leaves out (LIMBER_SETS) are defined as 0 on the compiler's command line.
#ifndef LMBI_HAS_SSE2
#define LMBI_HAS_SSE2 1
#endif
#ifndef LMBI_HAS_AVX2
#define LMBI_HAS_AVX2 1
#endif
#ifndef LMBI_HAS_AVX512
#define LMBI_HAS_AVX512 1
#endif

typedef enum lmbi_cpu {
    LMBI_CPU_SCALAR,
    LMBI_CPU_BASE, ///< SSE2, NEON or simd128: what every machine of the target has
    LMBI_CPU_AVX2,
    LMBI_CPU_AVX512, ///< F, BW, DQ and VL
} lmbi_cpu;

/// The widest level with kernels in this build that this machine runs, no wider than
/// lmbi_cpu_limit() where the program has one.
lmbi_cpu lmbi_cpu_widest(void);
/// Whether lmbi_cpu_widest() also fuses products and sums.
bool lmbi_cpu_fuses(void);
/// A program may define this function to keep kernels to narrower instructions, so that the bits of
/// all of them can be compared; the command does. The library itself has none, and no state.
extern lmbi_cpu lmbi_cpu_limit(void) __attribute__((weak));

#endif
