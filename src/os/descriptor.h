/// What is open already, read to its end.
#ifndef OS_DESCRIPTOR_H
#define OS_DESCRIPTOR_H

#include "limber/os.h"

/// Reads a file, device or pipe that is open, and does not close it. Limit and errors as
/// lmb_file_read; on failure `out` is untouched.
lmb_result lmbi_descriptor_read(int descriptor, size_t limit, lmb_file *out, lmb_error *error);

/// Opens the file of lmb_file_read_below part by part, so that no link can come between a check and
/// the opening. -1 with errno where that fails.
int lmbi_descriptor_open_below(const char *folder, const char *name);

#endif
