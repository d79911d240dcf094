/// 256 colours for a moving picture, by median cut (Heckbert 1982) over a histogram of 5 bits a
/// channel.
#ifndef LIMBER_CLI_GIF_PALETTE_H
#define LIMBER_CLI_GIF_PALETTE_H

#include <stddef.h>
#include <stdint.h>

enum { GIF_BINS = 32 * 32 * 32, GIF_COLORS = 256 };

typedef struct gif_palette {
    uint32_t histogram[GIF_BINS];
    uint8_t colors[GIF_COLORS][3];
    uint8_t nearest[GIF_BINS]; ///< palette index of each bin
} gif_palette;

/// Counts a picture's colours. Begin with a palette of zeros.
void gif_palette_add(gif_palette *palette, const uint8_t *rgba, size_t pixel_count);
/// Chooses the colours, and the nearest one for every bin.
void gif_palette_choose(gif_palette *palette);
/// Palette indices of a picture, with an ordered dither that hides the steps of smooth shading.
void gif_palette_apply(const gif_palette *palette, const uint8_t *rgba, uint32_t width,
                       uint32_t height, uint8_t *out);

#endif
