/// Array offsets and strides of a skinning job.
#ifndef SKIN_PASS_H
#define SKIN_PASS_H

#include <stddef.h>
#include <stdint.h>

/// NULL stays NULL.
static inline const uint8_t *lmbi_input_at(const uint8_t *array, size_t vertex, size_t size)
{
    return array != NULL ? array + vertex * size : NULL;
}

static inline uint8_t *lmbi_output_at(uint8_t *array, size_t vertex, size_t stride)
{
    return array != NULL ? array + vertex * stride : NULL;
}

static inline size_t lmbi_stride_or(uint32_t stride, size_t tight)
{
    return stride != 0 ? stride : tight;
}

#endif
