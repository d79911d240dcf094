/// The common scale of a skinning palette.
#include <math.h>
#include <string.h>

#include "limber/skin.h"
#include "math/scalar.h"
#include "skin/skin.h"

/// Tolerance of determinants about 1: products of rotations in single precision are within it.
static const float UNIT_TOLERANCE = 3e-5f;

/// |det| of the linear part; 0 unless finite and positive.
static float volume_of(const lmb_mat4 *a)
{
    const lmb_vec3 x = {a->m[0], a->m[1], a->m[2]}, y = {a->m[4], a->m[5], a->m[6]},
                   z = {a->m[8], a->m[9], a->m[10]};
    const float volume = fabsf(lmb_vec3_dot(x, lmb_vec3_cross(y, z)));
    return volume <= 3e38f ? volume : 0;
}

/// Histogram, by the byte below `high`, of the positive volumes whose bits begin with `high`.
/// Returns their number.
static uint32_t count_bytes(const lmb_mat4 *palette, uint32_t count, uint32_t high, int shift,
                            uint32_t counts[256])
{
    uint32_t sum = 0;
    memset(counts, 0, 256 * sizeof(*counts));
    for (uint32_t j = 0; j < count; ++j) {
        const uint32_t bits = lmbi_bits_of_float(volume_of(&palette[j]));
        if (bits != 0 && (uint64_t)bits >> (shift + 8) == high) {
            ++counts[bits >> shift & 255];
            ++sum;
        }
    }
    return sum;
}

/// The lower median of the positive volumes; 0 if there are none. A radix select, byte by byte,
/// because a frame must not allocate.
static float median_volume(const lmb_mat4 *palette, uint32_t count)
{
    uint32_t counts[256], high = 0, left = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        const uint32_t sum = count_bytes(palette, count, high, shift, counts);
        if (sum == 0) {
            return 0;
        }
        left = shift == 24 ? (sum - 1) / 2 : left;
        uint32_t byte = 0;
        for (; left >= counts[byte]; ++byte) {
            left -= counts[byte];
        }
        high = high << 8 | byte;
    }
    return lmbi_float_of_bits(high);
}

/// Newton's method from a guess within a factor of 2; implementations of cbrt differ in the last
/// bit.
static float cube_root(float x)
{
    int exponent;
    frexp((double)x, &exponent);
    double root = ldexp(1, exponent / 3);
    for (int k = 0; k < 8; ++k) {
        root -= (root - (double)x / (root * root)) / 3;
    }
    return (float)root;
}

float lmbi_skin_scale(const lmb_mat4 *model_from_bind, uint32_t joint_count)
{
    bool is_unit = true;
    for (uint32_t j = 0; is_unit && j < joint_count; ++j) {
        is_unit = fabsf(volume_of(&model_from_bind[j]) - 1) <= UNIT_TOLERANCE;
    }
    const float volume = is_unit ? 1 : median_volume(model_from_bind, joint_count);
    return !(volume > 0) || fabsf(volume - 1) <= UNIT_TOLERANCE ? 1 : cube_root(volume);
}

void lmbi_skin_unscale(float scale, lmb_mat4 *model_from_bind, uint32_t joint_count)
{
    for (uint32_t j = 0; j < joint_count; ++j) {
        for (int c = 0; c < 4; ++c) {
            for (int r = 0; r < 3; ++r) {
                model_from_bind[j].m[4 * c + r] /= scale;
            }
        }
    }
}
