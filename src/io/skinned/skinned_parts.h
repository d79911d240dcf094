/// The steps of lmbi_skinned_build.
#ifndef IO_SKINNED_SKINNED_PARTS_H
#define IO_SKINNED_SKINNED_PARTS_H

#include "io/skinned/skinned.h"

/// In place: weights above 0, no joint twice, falling, of sum 1.
void lmbi_skinned_clean_rows(lmb_influences *rows, uint32_t vertex_count);

/// A clip's channels of what moves, in the arena. False when memory runs out.
bool lmbi_skinned_channels(lmbi_skinned *s, const lmbi_skinned_clip *clip, lmb_clip *out);

#endif
