/// What several readers and writers need.
#ifndef IO_SHARE_H
#define IO_SHARE_H

#include "base/error.h"
#include "base/scan.h"
#include "base/text.h"
#include "limber/io.h"

/// Hands the text's bytes over to *out, or frees them and fails when an append had failed.
lmb_result lmbi_buffer_take(lmbi_text *text, lmb_buffer *out, lmb_error *error);

#endif
