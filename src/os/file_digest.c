#include "limber/os.h"
#include "os/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sha256.h"

enum { PIECE = 65536 };

static lmb_result fail_errno(lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_MALFORMED, "a readable file", "%s", strerror(errno));
}

static lmb_result digest_all(int descriptor, lmbi_sha256 *hash, lmb_error *error)
{
    uint8_t piece[PIECE];
    for (;;) {
        const ssize_t got = read(descriptor, piece, sizeof(piece));
        if (got == 0) {
            return LMB_OK;
        }
        if (got < 0 && errno != EINTR) {
            return fail_errno(error);
        }
        lmbi_sha256_add(hash, piece, got > 0 ? (size_t)got : 0);
    }
}

lmb_result lmbi_file_digest(const char *path, uint8_t digest[32], uint64_t *size, lmb_error *error)
{
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return fail_errno(error);
    }
    lmbi_sha256 hash;
    lmbi_sha256_start(&hash);
    lmb_result result;
    if (fstat(descriptor, &status) != 0) {
        result = fail_errno(error);
    } else if (S_ISDIR(status.st_mode)) {
        result = lmbi_fail(error, LMB_ERROR_MALFORMED, "a file", "a folder");
    } else {
        result = digest_all(descriptor, &hash, error);
    }
    close(descriptor);
    if (result == LMB_OK) {
        *size = hash.size;
        lmbi_sha256_end(&hash, digest);
    }
    return result;
}
