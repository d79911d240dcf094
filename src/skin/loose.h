/// The vertices of a binding that are skinned one at a time.
#ifndef SKIN_LOOSE_H
#define SKIN_LOOSE_H

#include "skin/linear_kernels.h"

void lmbi_linear_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run);

#endif
