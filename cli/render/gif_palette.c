#include "cli/render/gif_palette.h"

#include <string.h>

typedef struct box {
    int low[3], high[3]; ///< bins, inclusive
    uint64_t count;
} box;

static size_t bin_of(int r, int g, int b)
{
    return (size_t)((r << 10) | (g << 5) | b);
}

void gif_palette_add(gif_palette *palette, const uint8_t *rgba, size_t pixel_count)
{
    for (size_t i = 0; i < pixel_count; ++i) {
        ++palette->histogram[bin_of(rgba[4 * i] >> 3, rgba[4 * i + 1] >> 3, rgba[4 * i + 2] >> 3)];
    }
}

/// How many pixels have each value of one channel inside the box.
static void profile(const gif_palette *palette, const box *b, int channel, uint64_t counts[32])
{
    memset(counts, 0, 32 * sizeof *counts);
    int at[3];
    for (at[0] = b->low[0]; at[0] <= b->high[0]; ++at[0]) {
        for (at[1] = b->low[1]; at[1] <= b->high[1]; ++at[1]) {
            for (at[2] = b->low[2]; at[2] <= b->high[2]; ++at[2]) {
                counts[at[channel]] += palette->histogram[bin_of(at[0], at[1], at[2])];
            }
        }
    }
}

/// Tightens the box round what it holds and counts it.
static void shrink(const gif_palette *palette, box *b)
{
    for (int channel = 0; channel < 3; ++channel) {
        uint64_t counts[32];
        profile(palette, b, channel, counts);
        while (b->low[channel] < b->high[channel] && counts[b->low[channel]] == 0) {
            ++b->low[channel];
        }
        while (b->high[channel] > b->low[channel] && counts[b->high[channel]] == 0) {
            --b->high[channel];
        }
        b->count = 0;
        for (int v = 0; v < 32; ++v) {
            b->count += counts[v];
        }
    }
}

static int longest_side(const box *b)
{
    int best = 0;
    for (int channel = 1; channel < 3; ++channel) {
        if (b->high[channel] - b->low[channel] > b->high[best] - b->low[best]) {
            best = channel;
        }
    }
    return best;
}

/// Cuts `b` at the median of its longest side.
static void cut(const gif_palette *palette, box *b, box *other)
{
    const int channel = longest_side(b);
    uint64_t counts[32], below = 0;
    profile(palette, b, channel, counts);
    int at = b->low[channel];
    while (at < b->high[channel] - 1 && below + counts[at] < b->count / 2) {
        below += counts[at++];
    }
    *other = *b;
    b->high[channel] = at;
    other->low[channel] = at + 1;
    shrink(palette, b);
    shrink(palette, other);
}

/// The box most worth cutting: many pixels over a long side. -1 when every box is a single bin.
static int worst_box(const box *boxes, int count)
{
    int worst = -1;
    uint64_t most = 0;
    for (int k = 0; k < count; ++k) {
        const int channel = longest_side(&boxes[k]);
        const uint64_t side = (uint64_t)(boxes[k].high[channel] - boxes[k].low[channel]);
        if (boxes[k].count * side * side > most) {
            most = boxes[k].count * side * side;
            worst = k;
        }
    }
    return worst;
}

static void mean_color(const gif_palette *palette, const box *b, uint8_t out[3])
{
    uint64_t sum[3] = {0, 0, 0};
    for (int channel = 0; channel < 3; ++channel) {
        uint64_t counts[32];
        profile(palette, b, channel, counts);
        for (int v = 0; v < 32; ++v) {
            sum[channel] += counts[v] * (uint64_t)(v * 8 + 4);
        }
        out[channel] = (uint8_t)(b->count ? sum[channel] / b->count : 0);
    }
}

static void find_nearest(gif_palette *palette, int color_count)
{
    for (int bin = 0; bin < GIF_BINS; ++bin) {
        const int c[3] = {(bin >> 10) * 8 + 4, ((bin >> 5) & 31) * 8 + 4, (bin & 31) * 8 + 4};
        int best = 0, least = 1 << 30;
        for (int k = 0; k < color_count; ++k) {
            const int dr = c[0] - palette->colors[k][0], dg = c[1] - palette->colors[k][1],
                      db = c[2] - palette->colors[k][2];
            const int distance = 2 * dr * dr + 4 * dg * dg + 3 * db * db;
            if (distance < least) {
                least = distance;
                best = k;
            }
        }
        palette->nearest[bin] = (uint8_t)best;
    }
}

void gif_palette_choose(gif_palette *palette)
{
    box boxes[GIF_COLORS] = {{{0, 0, 0}, {31, 31, 31}, 0}};
    int count = 1;
    shrink(palette, &boxes[0]);
    while (count < GIF_COLORS) {
        const int k = worst_box(boxes, count);
        if (k < 0) {
            break;
        }
        cut(palette, &boxes[k], &boxes[count++]);
    }
    for (int k = 0; k < count; ++k) {
        mean_color(palette, &boxes[k], palette->colors[k]);
    }
    find_nearest(palette, count);
}

static int clamp_byte(int v)
{
    return v < 0 ? 0 : (v > 255 ? 255 : v);
}

void gif_palette_apply(const gif_palette *palette, const uint8_t *rgba, uint32_t width,
                       uint32_t height, uint8_t *out)
{
    static const int bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
            const uint8_t *p = &rgba[4 * ((size_t)y * width + x)];
            const int shift = bayer[y & 3][x & 3] / 2 - 4; // half a bin up or down
            const size_t bin = bin_of(clamp_byte(p[0] + shift) >> 3, clamp_byte(p[1] + shift) >> 3,
                                      clamp_byte(p[2] + shift) >> 3);
            out[(size_t)y * width + x] = palette->nearest[bin];
        }
    }
}
