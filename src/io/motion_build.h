/// The last steps of every motion reader: a skeleton and a clip in the file's units and axes become
/// a character.
#ifndef IO_MOTION_BUILD_H
#define IO_MOTION_BUILD_H

#include "io/common.h"

/// The rotation that lmbi_axis_to_y is.
lmb_quat lmbi_axis_rotation(lmb_axis up);

/// Converts definitions in place, the clip's keys linear. Every joint's frame is turned so that the
/// offsets stand up (B), the whole motion so that the body does (C): model' = C model B^-1. Where
/// both are one, this is a plain change of axes.
void lmbi_motion_convert(lmb_skeleton *skeleton, lmb_clip *clip, float unit_m, lmb_axis up,
                         lmb_axis rest_up);

/// A character of that skeleton and, when it has channels, that clip.
lmb_result lmbi_motion_create(const lmb_skeleton *skeleton, const lmb_clip *clip,
                              const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

#endif
