/// One NumPy array in its file format.
#ifndef IO_NPZ_NPY_H
#define IO_NPZ_NPY_H

#include "base/scan.h"
#include "io/npz.h"
#include "limber/io.h"

bool lmbi_npy_is(const uint8_t *bytes, size_t size);
/// Fills everything but the name; data points into `bytes`. Errors: MALFORMED with the byte.
lmb_result lmbi_npy_read(const uint8_t *bytes, size_t size, lmbi_npz_array *out, lmb_error *error);

#endif
