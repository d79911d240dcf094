/// The members of a ZIP archive, stored or deflated, also ZIP64. Read from the central directory:
/// local headers may lack the sizes.
#ifndef IO_NPZ_ZIP_H
#define IO_NPZ_ZIP_H

#include "base/scan.h"
#include "io/npz.h"
#include "limber/base.h"
#include "limber/io.h"

typedef struct lmbi_zip {
    const uint8_t *bytes;
    size_t size;
    size_t at, end;   ///< the rest of the central directory
    uint64_t left;    ///< members still to come
    size_t base;      ///< added to all offsets: bytes before the archive
    size_t unclaimed; ///< packed bytes that no member so far has used
} lmbi_zip;

typedef struct lmbi_zip_member {
    lmbi_word name;
    uint16_t method; ///< 0 stored, 8 deflated; other methods occur
    uint32_t crc;
    uint64_t packed_size, size;
    size_t header; ///< position of the local header in the file
    bool encrypted;
} lmbi_zip_member;

/// Finds the central directory. Errors: MALFORMED with the byte.
lmb_result lmbi_zip_open(const void *bytes, size_t size, lmbi_zip *out, lmb_error *error);
/// Reads the next member. *more becomes false after the last. Members that together have more
/// packed bytes than the file overlap, and would unpack to any size: MALFORMED.
lmb_result lmbi_zip_next(lmbi_zip *zip, lmbi_zip_member *out, bool *more, lmb_error *error);
/// The member's packed bytes in the file. Checks that they can unpack to its size, so that `size`
/// may be allocated.
lmb_result lmbi_zip_packed(const lmbi_zip *zip, const lmbi_zip_member *member, lmb_bytes *out,
                           lmb_error *error);
/// Unpacks into out[member->size], which is not NULL, and checks the CRC.
lmb_result lmbi_zip_unpack(const lmbi_zip *zip, const lmbi_zip_member *member, uint8_t *out,
                           lmb_error *error);

// ---- One NumPy array in its file format.

bool lmbi_npy_is(const uint8_t *bytes, size_t size);
/// Fills everything but the name; data points into `bytes`. Errors: MALFORMED with the byte.
lmb_result lmbi_npy_read(const uint8_t *bytes, size_t size, lmbi_npz_array *out, lmb_error *error);

#endif
