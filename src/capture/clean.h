/// A clip sampled at even times, while it is cleaned.
#ifndef CAPTURE_CLEAN_H
#define CAPTURE_CLEAN_H

#include "base/arena.h"
#include "limber/capture.h"

typedef struct lmbi_sampled_clip {
    const lmb_skeleton *skeleton;
    uint32_t count, joints;
    float rate;
    lmb_transform *poses; ///< [count][joints] local
} lmbi_sampled_clip;

/// Interpolates over gaps: runs of identical frames between moving ones. Returns the number of
/// frames.
uint32_t lmbi_clean_bridge_gaps(lmbi_sampled_clip *sampled);
/// Interpolates over values that jump away and back within three frames. False without memory.
bool lmbi_clean_remove_spikes(lmbi_sampled_clip *sampled, lmbi_arena *arena, uint32_t *count);
/// Smooths rotations and translations with a low-pass filter. False without memory.
bool lmbi_clean_smooth(lmbi_sampled_clip *sampled, float cut_hz, lmbi_arena *arena);

#endif
