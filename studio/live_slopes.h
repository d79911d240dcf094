/// How rotations pass through the keys of a clip: slopes that a person set.
#ifndef STUDIO_LIVE_SLOPES_H
#define STUDIO_LIVE_SLOPES_H

#include "live.h"

/// Slopes of `old` that are not those that smoothing gives it are put into `made`, at keys of the same
/// time. False, with an error, when memory ends.
bool live_slopes_keep(const lmb_clip *old, lmb_clip *made);

#endif
