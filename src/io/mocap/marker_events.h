/// Events of a recording in a clip, as glTF extras: {"extras":{"events":[{"name", "context",
/// "time_s"}, …]}}, so that they survive a glTF file.
#ifndef IO_MOCAP_MARKER_EVENTS_H
#define IO_MOCAP_MARKER_EVENTS_H

#include "base/arena.h"
#include "limber/asset.h"

/// The text for lmb_clip.carried, in the arena; NULL where there are no events. False when memory
/// runs out.
bool lmbi_events_carry(const lmb_markers *markers, lmbi_arena *arena, const char **carried);
/// Reads a clip's carried events into the draft, in the arena. `carried` may be NULL or hold
/// anything. False when memory runs out.
bool lmbi_events_read(const char *carried, lmbi_arena *arena, lmb_markers *draft);

#endif
