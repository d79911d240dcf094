/// Base64 (RFC 4648, the standard alphabet).
#ifndef IO_BASE64_H
#define IO_BASE64_H

#include "base/text.h"

/// Bytes that `size` characters decode to at most.
size_t lmbi_base64_bound(size_t size);
/// Padding may be missing. False when a character does not belong or the end is cut; *bad is its
/// index then.
bool lmbi_base64_decode(const char *at, size_t size, uint8_t *out, size_t *out_size, size_t *bad);
void lmbi_base64_encode(lmbi_text *text, const uint8_t *bytes, size_t size);

#endif
