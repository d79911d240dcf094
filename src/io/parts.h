/// The parts of a character that a reader could not complete.
#ifndef IO_PARTS_H
#define IO_PARTS_H

#include "limber/asset.h"

/// Destroys what a definition refers to, when no character could be created from it. Members may be
/// NULL.
void lmbi_character_parts_destroy(const lmb_character *def);

#endif
