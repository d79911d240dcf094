// Numbers, texts and failures of an IQM file.
#include <string.h>

#include "io/skinned/iqm.h"

uint32_t lmbi_iqm_u32(const uint8_t *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

float lmbi_iqm_float(const uint8_t *at)
{
    const uint32_t bits = lmbi_iqm_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *lmbi_iqm_text(lmbi_iqm *q, uint32_t offset)
{
    const uint8_t *end =
        offset < q->text.count ? memchr(q->text.at + offset, 0, q->text.count - offset) : NULL;
    return end != NULL ? lmbi_arena_string(&q->model.arena, q->text.at + offset,
                                           (size_t)(end - q->text.at) - offset)
                       : "";
}

lmb_result lmbi_iqm_fail(const lmbi_iqm *q, const uint8_t *at, const char *expected,
                         long long found)
{
    return lmbi_fail_byte(q->error, LMB_ERROR_MALFORMED, (size_t)(at - q->bytes), expected, "%lld",
                          found);
}
