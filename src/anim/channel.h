/// One channel: which two keys a tick lies between, and the value there.
#ifndef ANIM_CHANNEL_H
#define ANIM_CHANNEL_H

#include "limber/asset.h"

/// Where a tick lies: on key `key` (share 0) or between it and the next, `share` of the way. `span`
/// is the ticks between the two, 0 outside the keys.
typedef struct lmbi_key_position {
    uint32_t key;
    float fraction;
    float span;
} lmbi_key_position;

/// `cursor`, which may be NULL, is where the search begins and is left at the key that was found.
lmbi_key_position lmbi_channel_find(const lmb_channel *channel, double tick, uint32_t *cursor);
/// The value itself. Rotations are as near to unit as the keys are.
void lmbi_channel_value(const lmb_channel *channel, lmbi_key_position position, float *out);
/// Change of the value a tick, before normalising; for cubic channels.
void lmbi_channel_slope(const lmb_channel *channel, lmbi_key_position position, float *out);

#endif
