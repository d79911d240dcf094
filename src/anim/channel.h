/// Finds the keys around a tick of a channel, and evaluates it there.
#ifndef ANIM_CHANNEL_H
#define ANIM_CHANNEL_H

#include "limber/anim.h"

#include "limber/asset.h"

/// A tick's position: `fraction` of the interval from key `key` to the next, which is `span` ticks
/// long. `span` is 0 outside the keys.
typedef struct lmbi_key_position {
    uint32_t key;
    float fraction;
    float span;
} lmbi_key_position;

/// The search starts at `*cursor`, which is set to the key found. `cursor` may be NULL.
lmbi_key_position lmbi_channel_find(const lmb_channel *channel, double tick, uint32_t *cursor);
/// The value. Rotations are as close to unit length as the keys.
void lmbi_channel_value(const lmb_channel *channel, lmbi_key_position position, float *out);
/// Derivative of a cubic channel by the tick, before normalising.
void lmbi_channel_slope(const lmb_channel *channel, lmbi_key_position position, float *out);

/// Samples one channel at a tick: channel->width floats. `cursor` may be NULL.
void lmbi_channel_at(const lmb_channel *channel, double tick, uint32_t *cursor, float *out);

#endif
