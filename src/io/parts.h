/// The parts of a character that a reader could not complete.
#ifndef IO_PARTS_H
#define IO_PARTS_H

#include "base/arena.h"
#include "limber/asset.h"

/// Adds a channel to the clip: joint, path, width, keys and ticks of `like`, and room in the arena for
/// its values. `clip->channels` has room for it. NULL when out of memory.
lmb_channel *lmbi_clip_add_channel(lmb_clip *clip, const lmb_channel *like, lmbi_arena *arena);

/// Destroys what a definition refers to, when no character could be created from it. Members may be
/// NULL.
void lmbi_character_parts_destroy(const lmb_character *def);

#endif
