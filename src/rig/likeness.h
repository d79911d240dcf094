/// What a mesh that is no humanoid looks like.
#ifndef RIG_LIKENESS_H
#define RIG_LIKENESS_H

#include "rig/figure.h"

/// Fills an UNSUPPORTED error with what the shape looks like and what it would take, and returns the code.
lmb_result lmbi_refuse(const lmbi_figure *figure, lmb_error *error);

#endif
