/// Weights of an embedding's joints.
#ifndef AUTHOR_WEIGH_H
#define AUTHOR_WEIGH_H

#include "base/arena.h"
#include "limber/author.h"

/// Rows for each vertex of the part, allocated from the arena; joints are those of the embedding. Errors:
/// MEMORY, CANCELLED.
lmb_result lmbi_weigh(const lmb_embedding *embedding, const lmb_surface_part *part,
                      const lmb_weights_opts *opts, lmbi_arena *arena, lmb_influences *out,
                      lmb_weights_report *report, lmb_error *error);

#endif
