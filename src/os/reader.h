/// Files read piece by piece, and what is known of a file without reading it whole.
#ifndef OS_READER_H
#define OS_READER_H

#include "limber/os.h"

/// An open file that is read piece by piece, however large.
typedef struct lmbi_reader lmbi_reader;

/// Opens an ordinary file; what is none is refused without waiting for it. Errors as above.
lmb_result lmbi_reader_open(const char *path, lmbi_reader **out, lmb_error *error);

/// The same with a name as of lmb_file_read_below.
lmb_result lmbi_reader_open_below(const char *folder, const char *name, lmbi_reader **out,
                                  lmb_error *error);

/// NULL is allowed.
void lmbi_reader_close(lmbi_reader *reader);

/// Bytes that the file had when it was opened.
uint64_t lmbi_reader_size(const lmbi_reader *reader);

/// Reads from the byte `at` on, no further than that size. Returns how many bytes came: 0 at the end
/// and where they cannot be read.
size_t lmbi_reader_read(lmbi_reader *reader, uint64_t at, void *bytes, size_t capacity);

/// The SHA-256 of the whole; false when it cannot be read to its end.
bool lmbi_reader_digest(lmbi_reader *reader, uint8_t digest[32]);

/// Whether the bytes are what git leaves instead of a large file that was not fetched (Git LFS,
/// pointer version 1).
bool lmbi_file_is_lfs_pointer(const void *bytes, size_t size);

/// The SHA-256 of a file's bytes, and how many they are; read piece by piece, so that files larger
/// than memory do. Errors as lmb_file_read.
lmb_result lmbi_file_digest(const char *path, uint8_t digest[32], uint64_t *size, lmb_error *error);

#endif
