/// Poses over time being cleaned.
#ifndef CAPTURE_CLEAN_H
#define CAPTURE_CLEAN_H

#include "base/arena.h"
#include "limber/capture.h"

typedef struct lmbi_takes {
    const lmb_skeleton *skeleton;
    uint32_t count, joints;
    float rate;
    lmb_transform *poses; ///< [count][joints] local
} lmbi_takes;

/// Bridges runs of frames that repeat while the body moves before and after. Returns how many
/// frames.
uint32_t lmbi_takes_bridge(lmbi_takes *takes);
/// Bridges values that jump away and back within three frames. False without memory.
bool lmbi_takes_despike(lmbi_takes *takes, lmbi_arena *arena, uint32_t *count);
/// Smooths rotations and translations. False without memory.
bool lmbi_takes_smooth(lmbi_takes *takes, float cut_hz, lmbi_arena *arena);

#endif
