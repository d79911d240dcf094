/// Writing NumPy archives, array by array.
#ifndef IO_NPZ_NPZ_WRITE_H
#define IO_NPZ_NPZ_WRITE_H

#include "base/text.h"
#include "limber/base.h"

enum { LMBI_NPZ_WRITE_MOST = 12 }; ///< arrays

/// One array of the archive, as its directory lists it.
typedef struct lmbi_npz_member {
    char name[32];
    uint32_t crc, size, offset;
} lmbi_npz_member;

typedef struct lmbi_npz_writer {
    lmbi_text text; ///< `failed` when memory ran out
    lmbi_npz_member members[LMBI_NPZ_WRITE_MOST];
    uint32_t count;
    const lmb_allocator *alloc;
} lmbi_npz_writer;

void lmbi_npz_write_start(lmbi_npz_writer *a, const lmb_allocator *alloc);
/// `type` as NumPy has it ("<f4", "<U7"), `shape` as Python writes tuples: "(3,)", "(3, 4)". An archive is below 4 GiB:
/// the caller sees to it.
void lmbi_npz_write_array(lmbi_npz_writer *a, const char *name, const char *type, const char *shape,
                          const void *data, size_t size);
/// Words of 4 bytes (float, uint32_t, int32_t, char32_t), little-endian whatever the machine.
void lmbi_npz_write_words(lmbi_npz_writer *a, const char *name, const char *type, const char *shape,
                          const void *words, size_t count);
/// The directory; `text` is the archive then.
void lmbi_npz_write_end(lmbi_npz_writer *a);

#endif
