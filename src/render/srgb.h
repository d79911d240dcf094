/// Linear light to 8-bit sRGB (IEC 61966-2-1).
#ifndef RENDER_SRGB_H
#define RENDER_SRGB_H

#include "limber/math.h"

static inline uint8_t lmbi_srgb_encode(float linear)
{
    const float x = linear < 0 ? 0 : (linear > 1 ? 1 : linear);
    const float s = x <= 0.0031308f ? 12.92f * x : 1.055f * lmb_exp(lmb_log(x) / 2.4f) - 0.055f;
    return (uint8_t)(s * 255.0f + 0.5f);
}

#endif
