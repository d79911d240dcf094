/// Files that are read piece by piece, from anywhere in them.
#include "os/reader.h"
#include "limber/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sha256.h"
#include "os/descriptor.h"

enum { PIECE = 65536 };

struct lmbi_reader {
    int descriptor;
    uint64_t size;
};

/// Takes the descriptor over, which is -1 with errno where there is none.
static lmb_result start(int descriptor, lmbi_reader **out, lmb_error *error)
{
    struct stat status;
    lmb_result result = LMB_OK;
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        result = lmbi_fail(error, LMB_ERROR_MALFORMED, "a readable file", "%s", strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        result = lmbi_fail(error, LMB_ERROR_MALFORMED, "a file", "a folder, a device or a pipe");
    }
    lmbi_reader *reader = result == LMB_OK ? malloc(sizeof *reader) : NULL;
    if (reader != NULL) {
        *reader = (lmbi_reader){descriptor, (uint64_t)status.st_size};
        *out = reader;
        return LMB_OK;
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return result == LMB_OK ? LMB_ERROR_MEMORY : result;
}

lmb_result lmbi_reader_open(const char *path, lmbi_reader **out, lmb_error *error)
{
    return start(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), out, error);
}

lmb_result lmbi_reader_open_below(const char *folder, const char *name, lmbi_reader **out,
                                  lmb_error *error)
{
    return start(lmbi_descriptor_open_below(folder, name), out, error);
}

void lmbi_reader_close(lmbi_reader *reader)
{
    if (reader != NULL) {
        close(reader->descriptor);
        free(reader);
    }
}

uint64_t lmbi_reader_size(const lmbi_reader *reader)
{
    return reader->size;
}

size_t lmbi_reader_read(lmbi_reader *reader, uint64_t at, void *bytes, size_t capacity)
{
    ssize_t got;
    if (at >= reader->size) {
        return 0;
    }
    if (capacity > reader->size - at) {
        capacity = (size_t)(reader->size - at);
    }
    do {
        got = pread(reader->descriptor, bytes, capacity, (off_t)at);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

bool lmbi_reader_digest(lmbi_reader *reader, uint8_t digest[32])
{
    uint8_t piece[PIECE];
    lmbi_sha256 hash;
    lmbi_sha256_start(&hash);
    for (size_t got; (got = lmbi_reader_read(reader, hash.size, piece, sizeof piece)) > 0;) {
        lmbi_sha256_add(&hash, piece, got);
    }
    const bool whole = hash.size == reader->size;
    lmbi_sha256_end(&hash, digest);
    return whole;
}
