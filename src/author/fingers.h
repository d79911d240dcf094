/// Fingers of a character that a motion does not move.
#ifndef LIMBER_AUTHOR_FINGERS_H
#define LIMBER_AUTHOR_FINGERS_H

#include "limber/retarget.h"

/// Where the character has fingers that the motion lacks, replaces *clip by one that holds them half
/// open: most characters spread them at rest. *out_count is the number of such joints; with 0 the
/// clip stays. Errors: MEMORY, with the clip unchanged.
lmb_result lmbi_relax_fingers(const lmb_character *character, const lmb_retarget_report *report,
                              const lmb_allocator *alloc, lmb_clip **clip, uint32_t *out_count,
                              lmb_error *error);

#endif
