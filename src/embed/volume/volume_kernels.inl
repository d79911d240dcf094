// Convolutions; a lane is a channel of the output.
#include "embed/volume/volume_kernels.h"
#define LMBI_LANES_AT_MOST 8
#include "simd/wide.h"

/// Vectors of outputs and voxels of a row that are summed at once, as many as registers hold.
enum { VECTORS = 2, VOXELS = LMBI_CONVOLUTION_ROW };

/// The outputs from `first` on of `count` voxels of a row; `in` is the first one's first neighbour.
LMBI_WIDE void convolve_voxels(const lmbi_convolution *c, const float *in, float *out, int first,
                               int count)
{
    const size_t row = (size_t)(c->in.side + 2), pitch = (size_t)c->in.pitch,
                 step = pitch * (size_t)(c->in.side / c->out.side);
    const float *w = c->weights + first;
    lmbi_wide sum[VOXELS][VECTORS];
    for (int k = 0; k < VECTORS * count; ++k) {
        sum[k / VECTORS][k % VECTORS] = lmbi_wide_load(c->bias + first + k % VECTORS * LMBI_LANES);
    }
    for (size_t tap = 0; tap < LMBI_CONVOLUTION_TAPS; ++tap) {
        const float *near = in + ((tap / 9 * row + tap / 3 % 3) * row + tap % 3) * pitch;
        for (int channel = 0; channel < c->in.channels; ++channel, ++near) {
            for (int k = 0; k < count; ++k) {
                const lmbi_wide value = lmbi_wide_splat(near[(size_t)k * step]);
                for (int v = 0; v < VECTORS; ++v) {
                    sum[k][v] += lmbi_wide_load(w + v * LMBI_LANES) * value;
                }
            }
            w += c->padded;
        }
    }
    float seen[VECTORS * LMBI_LANES];
    for (int k = 0; k < count; ++k) {
        for (int v = 0; v < VECTORS; ++v) {
            lmbi_wide_store(seen + v * LMBI_LANES, lmbi_wide_max(sum[k][v], lmbi_wide_splat(0)));
        }
        const int left = c->out.channels - first, all = VECTORS * LMBI_LANES;
        memcpy(out + k * c->out.pitch + first, seen,
               (size_t)(left < all ? left : all) * sizeof *seen);
    }
}

static void convolve(const lmbi_convolution *c)
{
    const int side = c->out.side, stride = c->in.side / side;
    const size_t wide = (size_t)(side + 2), in_wide = (size_t)(c->in.side + 2);
    for (int first = 0; first < c->out.channels; first += VECTORS * LMBI_LANES) {
        for (int z = 0; z < side; ++z) {
            for (int y = 0; y < side; ++y) {
                const float *in =
                    c->in.at + ((size_t)(z * stride) * in_wide + (size_t)(y * stride)) * in_wide *
                                   (size_t)c->in.pitch;
                float *out = c->out.at + (((size_t)(z + 1) * wide + (size_t)(y + 1)) * wide + 1) *
                                             (size_t)c->out.pitch;
                const uint8_t *wanted =
                    c->wanted ? c->wanted + (z * side + y) * (side / VOXELS) : NULL;
                int x = 0;
                for (; x + VOXELS <= side; x += VOXELS) {
                    if (!wanted || wanted[x / VOXELS]) {
                        convolve_voxels(c, in + x * stride * c->in.pitch, out + x * c->out.pitch,
                                        first, VOXELS);
                    }
                }
                for (; x < side; ++x) {
                    convolve_voxels(c, in + x * stride * c->in.pitch, out + x * c->out.pitch, first,
                                    1);
                }
            }
        }
    }
}

const lmbi_volume_kernels LMBI_TABLE(lmbi_volume) = {convolve};
