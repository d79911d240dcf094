/// Draws the skeleton over a finished picture: tapered bones and round joints, antialiased.
#ifndef RENDER_OVERLAY_H
#define RENDER_OVERLAY_H

#include "limber/math.h"
#include "limber/render.h"
#include "render/camera.h"

/// `per_pixel`: camera samples per pixel along an axis.
void lmbi_overlay_bones(lmb_picture picture, const lmbi_camera *camera, float per_pixel,
                        const lmb_render_bone *bones, uint32_t bone_count);

// Linear light to 8-bit sRGB (IEC 61966-2-1).

static inline uint8_t lmbi_srgb_encode(float linear)
{
    const float x = linear < 0 ? 0 : (linear > 1 ? 1 : linear);
    const float s = x <= 0.0031308f ? 12.92f * x : 1.055f * lmb_exp(lmb_log(x) / 2.4f) - 0.055f;
    return (uint8_t)(s * 255.0f + 0.5f);
}

#endif
