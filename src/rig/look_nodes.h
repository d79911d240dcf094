/// References to nodes in a look's source file.
#ifndef RIG_LOOK_NODES_H
#define RIG_LOOK_NODES_H

#include "limber/asset.h"

/// Copies the look without the extensions that name nodes: with a new skeleton their indices are
/// wrong. NULL: there are none, and the look itself can be used. Errors: MEMORY.
lmb_result lmbi_look_without_nodes(const lmb_look *look, const lmb_allocator *alloc, lmb_look **out,
                                   lmb_error *error);

#endif
