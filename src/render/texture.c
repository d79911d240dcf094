#include "render/texture.h"

#include <math.h>

/// sRGB to linear by a polynomial (error at most 0.002): a pow per channel and tap is too slow.
static float to_linear(uint8_t byte)
{
    const float s = (float)byte * (1.0f / 255.0f);
    return s * (s * (s * 0.305306011f + 0.682171111f) + 0.012522878f);
}

static lmb_vec3 texel(const lmb_picture *texture, int64_t x, int64_t y)
{
    const int64_t w = texture->width, h = texture->height;
    const size_t column = (size_t)(((x % w) + w) % w), row = (size_t)(((y % h) + h) % h);
    const uint8_t *p = &texture->rgba[4 * (row * texture->width + column)];
    return lmb_vec3_make(to_linear(p[0]), to_linear(p[1]), to_linear(p[2]));
}

lmb_vec3 lmbi_texture_at(const lmb_picture *texture, lmb_vec2 uv)
{
    const float u = uv.x - floorf(uv.x), v = uv.y - floorf(uv.y);
    if (!(u >= 0 && v >= 0)) {
        return lmb_vec3_make(1, 1, 1); // NaN
    }
    const float x = u * (float)texture->width - 0.5f, y = v * (float)texture->height - 0.5f;
    const float x0 = floorf(x), y0 = floorf(y);
    const int64_t column = (int64_t)x0, row = (int64_t)y0;
    const lmb_vec3 top =
        lmb_vec3_lerp(texel(texture, column, row), texel(texture, column + 1, row), x - x0);
    const lmb_vec3 bottom =
        lmb_vec3_lerp(texel(texture, column, row + 1), texel(texture, column + 1, row + 1), x - x0);
    return lmb_vec3_lerp(top, bottom, y - y0);
}
