/// Decompression of DEFLATE streams (RFC 1951), bare or in a zlib wrapper (RFC 1950), and the two
/// checksums that go with it.
#ifndef BASE_INFLATE_H
#define BASE_INFLATE_H

#include "limber/base.h"

/// What a stream was: filled on success.
typedef struct lmbi_inflated {
    size_t in_used; ///< bytes of the input that the stream consumed; what follows is not part of it
    size_t out_size; ///< bytes written
} lmbi_inflated;

/// Decompresses a bare DEFLATE stream into out[out_capacity], all at once: formats that hold such
/// streams say how long the result is. Errors: MALFORMED with the byte of the input, also when more
/// than out_capacity bytes would come out;
/// `out` is then filled up to somewhere. Takes no memory but a few KiB of stack. `error` may be
/// NULL.
lmb_result lmbi_inflate(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_capacity,
                        lmbi_inflated *done, lmb_error *error);
/// The same for a zlib stream, whose Adler-32 is checked. UNSUPPORTED when it wants a preset
/// dictionary.
lmb_result lmbi_inflate_zlib(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_capacity,
                             lmbi_inflated *done, lmb_error *error);

/// CRC-32 (ISO 3309, as ZIP and PNG have it) of the bytes; `crc` is that of the bytes before, 0 at
/// the start.
uint32_t lmbi_crc32(uint32_t crc, const uint8_t *bytes, size_t size);
/// Adler-32 (RFC 1950); `adler` is that of the bytes before, 1 at the start.
uint32_t lmbi_adler32(uint32_t adler, const uint8_t *bytes, size_t size);

#endif
