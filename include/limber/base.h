/// The ground every room stands on: results and errors, the allocator, spans of bytes, random
/// numbers.
#ifndef LIMBER_BASE_H
#define LIMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A program that links a shared liblimber on Windows defines LIMBER_SHARED.
#if defined(_WIN32) && defined(LIMBER_BUILD)
#define LMB_API __declspec(dllexport)
#elif defined(_WIN32) && defined(LIMBER_SHARED)
#define LMB_API __declspec(dllimport)
#elif defined(__GNUC__)
#define LMB_API __attribute__((visibility("default")))
#else
#define LMB_API
#endif

#define LIMBER_VERSION_MAJOR 0
#define LIMBER_VERSION_MINOR 1
#define LIMBER_VERSION_PATCH 0
#define LMB_VERSION "0.1.0"

/// The version of the library that was linked, "0.1.0". A static string.
LMB_API const char *lmb_version(void);

/// How a call ended. Anything but LMB_OK leaves the outputs untouched.
typedef enum lmb_result {
    LMB_OK = 0,
    LMB_ERROR_MEMORY,    ///< the allocator returned NULL
    LMB_ERROR_MALFORMED, ///< bytes that do not follow their format
    /// well-formed, but needs something Limber does not have; named in `found`
    LMB_ERROR_UNSUPPORTED,
    /// a definition that contradicts itself (an index out of range, a cycle)
    LMB_ERROR_INVALID,
    LMB_ERROR_CANCELLED, ///< the progress callback asked to stop
} lmb_result;

/// What went wrong and where. For text formats `line` and `column` count from 1; for binary formats
/// they are 0 and `offset` is the byte. `expected` and `found` are short noun phrases without a
/// final stop.
typedef struct lmb_error {
    lmb_result code;
    size_t offset;
    unsigned line, column;
    char expected[160];
    char found[160];
} lmb_error;

/// The English name of a result, a static string.
LMB_API const char *lmb_result_name(lmb_result result);

/// The caller's memory. A NULL `lmb_allocator *`, or a NULL `resize`, means the C library's realloc
/// and free.
/// resize(user, NULL, 0, n) allocates, resize(user, p, old, n) grows or shrinks, resize(user, p,
/// old, 0) frees and returns NULL. Blocks are aligned for any standard type. Must be callable from
/// any thread that calls Limber.
typedef struct lmb_allocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
} lmb_allocator;

/// Bytes that belong to somebody else. No terminator is implied.
typedef struct lmb_bytes {
    const uint8_t *data;
    size_t size;
} lmb_bytes;

/// What a writer made. Zero-initialise before the call; free with lmb_buffer_free.
typedef struct lmb_buffer {
    uint8_t *data;
    size_t size;
    lmb_allocator allocator; ///< set by the writer
} lmb_buffer;

/// Frees the bytes and clears the struct. An empty buffer is allowed.
LMB_API void lmb_buffer_free(lmb_buffer *buffer);

/// Called now and then by long work with the fraction done, 0 to 1, and the name of the stage. Return
/// false to cancel.
typedef struct lmb_progress {
    bool (*report)(void *user, const char *stage, float fraction);
    void *user;
} lmb_progress;

/// Random numbers that are the same everywhere: PCG32 (O'Neill 2014), one stream a seed.
typedef struct lmb_random {
    uint64_t state;
} lmb_random;

LMB_API lmb_random lmb_random_seed(uint64_t seed);
LMB_API uint32_t lmb_random_u32(lmb_random *random);
/// Uniform in [0, 1), 24 bits.
LMB_API float lmb_random_unit(lmb_random *random);
/// Uniform in [low, high).
LMB_API float lmb_random_range(lmb_random *random, float low, float high);

#ifdef __cplusplus
}
#endif
#endif
