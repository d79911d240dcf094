/// What a look says about the nodes of the file that it came from.
#ifndef RIG_LOOK_NODES_H
#define RIG_LOOK_NODES_H

#include "limber/asset.h"

/// A copy of the look without the extensions that name nodes: after a new skeleton is in, the indices
/// are those of other joints. NULL: there are none, and the look itself will do. Errors: MEMORY.
lmb_result lmbi_look_without_nodes(const lmb_look *look, const lmb_allocator *alloc, lmb_look **out,
                                   lmb_error *error);

#endif
