/// Base64 (RFC 4648, the standard alphabet).
#ifndef IO_BASE64_H
#define IO_BASE64_H

#include "base/text.h"

/// The most bytes that `size` characters decode to.
size_t lmbi_base64_bound(size_t size);
/// Padding may be missing. False when a character is not in the alphabet or the text is cut short;
/// *bad is its index then.
bool lmbi_base64_decode(const char *at, size_t size, uint8_t *out, size_t *out_size, size_t *bad);
void lmbi_base64_encode(lmbi_text *text, const uint8_t *bytes, size_t size);

#endif
