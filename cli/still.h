#ifndef CLI_STILL_H
#define CLI_STILL_H

#include "cli/posed.h"

/// The character as it is posed now, with materials and pictures, on a skeleton of one joint. With
/// `by_primitive` every primitive has the vertices of its own accessors, as viewers of glTF give
/// them; otherwise vertices keep the order of the file. The caller destroys *out.
lmb_result cli_still_character(const cli_posed *posed, bool by_primitive, lmb_character **out,
                               lmb_error *error);

#endif
