/// What the room measures of a character.
#ifndef AUTHOR_AUTHOR_H
#define AUTHOR_AUTHOR_H

#include "limber/author.h"

/// Deforms the character in up to 120 frames, 30 a second at most, evenly spaced over the clip.
/// `jobs` may be NULL. Errors: as lmb_deformer_create.
lmb_result lmbi_clearance_measure(const lmb_character *character, const lmb_clip *clip,
                                  const lmb_jobs *jobs, const lmb_allocator *alloc,
                                  lmb_clearance *out, lmb_error *error);

#endif
