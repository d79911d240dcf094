// The filters of KHR_meshopt_compression (appendix B): what attributes were turned into so that they
// pack well.
#include "io/meshopt_filter.h"

#include <math.h>
#include <string.h>

#include "io/bytes.h"

/// A signed or unsigned component of an element of four.
static int32_t component(const uint8_t *element, uint32_t size, int k, bool is_signed)
{
    if (size == 1) {
        return is_signed ? (int8_t)element[k] : element[k];
    }
    const uint16_t value = lmbi_load_u16(element + 2 * k);
    return is_signed ? (int16_t)value : value;
}

/// The nearest integer from -most (or 0) to most.
static void put_component(uint8_t *element, uint32_t size, int k, float value, float least,
                          float most)
{
    const float inside = value > least ? value < most ? value : most : least;
    const int32_t rounded = (int32_t)roundf(inside);
    element[(uint32_t)k * size] = (uint8_t)rounded;
    if (size == 2) {
        element[2 * k + 1] = (uint8_t)(rounded >> 8);
    }
}

/// What stands for 1; never 0, by which nothing can be divided.
static float scale_of(int32_t one)
{
    return one > 0 ? (float)one : 1.0f;
}

static void unfilter_octahedral(uint8_t *element, uint32_t size)
{
    const float one = scale_of(component(element, size, 2, true));
    float x = (float)component(element, size, 0, true) / one;
    float y = (float)component(element, size, 1, true) / one;
    float z = 1.0f - fabsf(x) - fabsf(y);
    const float fold = z < 0 ? z : 0;
    x -= copysignf(fold, x);
    y -= copysignf(fold, y);
    const float length = sqrtf(x * x + y * y + z * z), most = size == 1 ? 127.0f : 32767.0f;
    put_component(element, size, 0, x / length * most, -most, most);
    put_component(element, size, 1, y / length * most, -most, most);
    put_component(element, size, 2, z / length * most, -most, most);
}

static void unfilter_quaternion(uint8_t *element)
{
    const int32_t last = component(element, 2, 3, true);
    const float scale = 1.0f / (sqrtf(2.0f) * scale_of(last | 3));
    float value[4], rest = 1.0f;
    for (int k = 0; k < 3; ++k) {
        value[k] = (float)component(element, 2, k, true) * scale;
        rest -= value[k] * value[k];
    }
    value[3] = rest > 0 ? sqrtf(rest) : 0;
    for (int k = 0; k < 4; ++k) {
        put_component(element, 2, ((last & 3) + 1 + k) % 4, value[k] * 32767.0f, -32767, 32767);
    }
}

static void unfilter_exponential(uint8_t *number)
{
    const uint32_t bits = lmbi_load_u32(number);
    const int32_t mantissa = (int32_t)(bits << 8) / 256, exponent = (int8_t)(bits >> 24);
    const float value = ldexpf((float)mantissa, exponent);
    uint32_t out = 0;
    memcpy(&out, &value, sizeof out);
    for (int k = 0; k < 4; ++k) {
        number[k] = (uint8_t)(out >> 8 * k);
    }
}

/// Luma, two chroma and alpha, whose highest bit tells how many bits all of them have.
static void unfilter_color(uint8_t *element, uint32_t size)
{
    const int32_t y = component(element, size, 0, false),
                  orange = component(element, size, 1, true);
    const int32_t green = component(element, size, 2, true);
    const int32_t alpha = component(element, size, 3, false);
    int32_t all = 1;
    while (all < alpha) {
        all = 2 * all + 1;
    }
    const int32_t opacity = alpha & all >> 1, most = size == 1 ? 255 : 65535;
    const int32_t rgba[4] = {y + orange - green, y + green, y - orange - green,
                             opacity << 1 | (opacity & 1)};
    for (int k = 0; k < 4; ++k) {
        put_component(element, size, k, (float)rgba[k] * ((float)most / (float)all), 0,
                      (float)most);
    }
}

void lmbi_meshopt_unfilter(const lmbi_meshopt_array *a, uint8_t *bytes)
{
    const uint32_t step = a->filter == LMBI_MESHOPT_EXPONENTIAL ? 4 : a->stride;
    const size_t count = (size_t)a->count * a->stride / step;
    for (size_t k = 0; a->filter != LMBI_MESHOPT_NONE && k < count; ++k) {
        uint8_t *element = bytes + k * step;
        switch (a->filter) {
        case LMBI_MESHOPT_OCTAHEDRAL:
            unfilter_octahedral(element, a->stride / 4);
            break;
        case LMBI_MESHOPT_QUATERNION:
            unfilter_quaternion(element);
            break;
        case LMBI_MESHOPT_EXPONENTIAL:
            unfilter_exponential(element);
            break;
        default:
            unfilter_color(element, a->stride / 4);
        }
    }
}
