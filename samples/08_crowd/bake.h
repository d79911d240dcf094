/// A clip played once, every frame of every skin kept as a palette.
#ifndef SAMPLES_CROWD_BAKE_H
#define SAMPLES_CROWD_BAKE_H

#include "limber/limber.h"

enum { BAKE_RATE_HZ = 30 };

/// Frames of the clip, at least 1; the last is left out where the clip loops onto its first.
uint32_t bake_frame_count(const lmb_clip *clip);

/// One palette a frame, one after the other, as lmb_gpu_info.palettes counts them. `texels` holds
/// zeros.
/// False when there is no memory.
bool bake_palettes(const lmb_character *character, const lmb_skin *skin, const lmb_gpu_skin *layout,
                   lmb_vec4 *texels);

#endif
