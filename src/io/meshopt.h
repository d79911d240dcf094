/// The codecs of meshoptimizer, as EXT_meshopt_compression and KHR_meshopt_compression specify them:
/// arrays whose bytes were packed, and filters that unpack what is in them.
#ifndef IO_MESHOPT_H
#define IO_MESHOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lmbi_meshopt_mode {
    LMBI_MESHOPT_ATTRIBUTES, ///< elements of any kind; stride a multiple of 4, at most 256
    LMBI_MESHOPT_TRIANGLES,  ///< indices of triangles; stride 2 or 4, count a multiple of 3
    LMBI_MESHOPT_INDICES,    ///< other integers; stride 2 or 4
} lmbi_meshopt_mode;

typedef enum lmbi_meshopt_filter {
    LMBI_MESHOPT_NONE,
    LMBI_MESHOPT_OCTAHEDRAL,  ///< unit vectors; stride 4 or 8
    LMBI_MESHOPT_QUATERNION,  ///< rotations; stride 8
    LMBI_MESHOPT_EXPONENTIAL, ///< floats
    LMBI_MESHOPT_COLOR,       ///< stride 4 or 8
} lmbi_meshopt_filter;

typedef struct lmbi_meshopt_array {
    lmbi_meshopt_mode mode;
    lmbi_meshopt_filter filter; ///< of attributes alone
    uint32_t count, stride;     ///< elements, and bytes of each
} lmbi_meshopt_array;

/// Whether mode, filter, count and stride go together.
bool lmbi_meshopt_is_valid(const lmbi_meshopt_array *array);
/// Unpacks into `out`, count * stride bytes. The array has to be valid. False when the bytes are no
/// such stream: they end early, go on after the last element, or refer to what was not there yet.
bool lmbi_meshopt_unpack(const lmbi_meshopt_array *array, const uint8_t *data, size_t size,
                         uint8_t *out);

#endif
