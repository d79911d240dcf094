/// A character with another skeleton, meshes and skins in place of the old one.
#ifndef RIG_REPLACE_H
#define RIG_REPLACE_H

#include "limber/asset.h"

/// Creates a character of the parts, which it owns from then on, with the name and the look of the
/// old one, and destroys that. Extensions that name nodes (VRM) are dropped from the look, as their
/// indices mean the old skeleton. Errors: those of lmb_character_create; on failure the old
/// character stays and the parts stay the caller's.
lmb_result lmbi_character_replace(lmb_character **character, const lmb_character *parts,
                                  const lmb_allocator *alloc, lmb_error *error);

#endif
