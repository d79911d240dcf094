#include "limber/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/descriptor.h"

/// Bytes of the first read of a pipe, whose size is not known.
#define FIRST_READ ((size_t)65536)

static lmb_result fail_errno(lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_MALFORMED, "a readable file", "%s", strerror(errno));
}

/// Reads to the end. `guess` is the size that the system reports; files may grow or shrink while they
/// are read, and some of /proc tell 0.
static lmb_result read_all(int descriptor, size_t guess, size_t limit, lmb_file *file,
                           lmb_error *error)
{
    size_t capacity = 0;
    for (;;) {
        if (file->size == capacity) {
            size_t wanted = capacity ? capacity * 2 : guess + 1;
            uint8_t *grown = wanted > capacity ? realloc(file->data, wanted) : NULL;
            if (!grown) {
                return lmbi_fail_memory(error);
            }
            file->data = grown;
            capacity = wanted;
        }
        ssize_t got = read(descriptor, file->data + file->size, capacity - file->size);
        if (got == 0) {
            return LMB_OK;
        }
        if (got < 0 && errno != EINTR) {
            return fail_errno(error);
        }
        file->size += got > 0 ? (size_t)got : 0;
        if (limit && file->size > limit) {
            return lmbi_fail(error, LMB_ERROR_MALFORMED, "a smaller file", "more than %zu bytes",
                             limit);
        }
    }
}

static lmb_result read_open(int descriptor, size_t limit, lmb_file *file, lmb_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return fail_errno(error);
    }
    if (S_ISDIR(status.st_mode)) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a file", "a folder");
    }
    size_t guess = FIRST_READ;
    if (S_ISREG(status.st_mode)) {
        if (limit && (uintmax_t)status.st_size > limit) {
            return lmbi_fail(error, LMB_ERROR_MALFORMED, "a smaller file", "%jd bytes, over %zu",
                             (intmax_t)status.st_size, limit);
        }
        guess = (size_t)status.st_size;
    }
    return read_all(descriptor, guess, limit, file, error);
}

lmb_result lmbi_descriptor_read(int descriptor, size_t limit, lmb_file *out, lmb_error *error)
{
    lmb_file file = {0};
    const lmb_result result = read_open(descriptor, limit, &file, error);
    if (result != LMB_OK) {
        lmb_file_free(&file);
        return result;
    }
    *out = file;
    return LMB_OK;
}

lmb_result lmb_file_read(const char *path, size_t limit, lmb_file *out, lmb_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return fail_errno(error);
    }
    const lmb_result result = lmbi_descriptor_read(descriptor, limit, out, error);
    if (!is_stdin) {
        close(descriptor);
    }
    return result;
}
