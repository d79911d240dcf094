#ifndef IO_MESHOPT_FILTER_H
#define IO_MESHOPT_FILTER_H

#include "io/meshopt.h"

/// Undoes an array's filter, in place. Values that the encoder must not write give some finite number,
/// but for the exponential filter, whose exponent may overflow.
void lmbi_meshopt_unfilter(const lmbi_meshopt_array *array, uint8_t *bytes);

#endif
