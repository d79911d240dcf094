// flock is not POSIX's.
#define _GNU_SOURCE
#include "limber/os.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

struct lmbi_journal {
    int descriptor;
};

static lmb_result fail_errno(lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_INVALID, "a file that can be added to", "%s",
                     strerror(errno));
}

/// Where the last line ends. -1 when the file cannot be read.
static off_t end_of_lines(int descriptor, off_t size)
{
    char piece[4096];
    while (size > 0) {
        const off_t begin = size > (off_t)sizeof(piece) ? size - (off_t)sizeof(piece) : 0;
        const ssize_t got = pread(descriptor, piece, (size_t)(size - begin), begin);
        if (got <= 0) {
            return -1;
        }
        for (ssize_t k = got; k > 0; --k) {
            if (piece[k - 1] == '\n') {
                return begin + (off_t)k;
            }
        }
        size = begin;
    }
    return 0;
}

static lmb_result repair(int descriptor, lmb_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return fail_errno(error);
    }
    const off_t end = end_of_lines(descriptor, status.st_size);
    if (end < 0 || (end < status.st_size && ftruncate(descriptor, end) != 0)) {
        return fail_errno(error);
    }
    return LMB_OK;
}

lmb_result lmbi_journal_open(const char *path, lmbi_journal **out, lmb_error *error)
{
    lmbi_journal *journal = malloc(sizeof(*journal));
    if (journal == NULL) {
        return lmbi_fail_memory(error);
    }
    journal->descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    lmb_result result = LMB_OK;
    if (journal->descriptor < 0) {
        result = fail_errno(error);
    } else if (flock(journal->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        // File systems without locks return other errors, and are written to without a lock.
        result = lmbi_fail(error, LMB_ERROR_INVALID, "a file that nobody else adds to",
                           "another program that does");
    } else {
        result = repair(journal->descriptor, error);
    }
    if (result != LMB_OK) {
        if (journal->descriptor >= 0) {
            close(journal->descriptor);
        }
        free(journal);
        return result;
    }
    *out = journal;
    return LMB_OK;
}

static lmb_result add_copy(int descriptor, char *copy, size_t size, lmb_error *error)
{
    size_t put = 0;
    while (put < size) {
        const ssize_t got = write(descriptor, copy + put, size - put);
        if (got < 0 && errno != EINTR) {
            const int reason = errno;
            // The disk is full: remove the partial line, so that the next line is not appended to it.
            const off_t end = lseek(descriptor, 0, SEEK_END);
            if (put > 0 && end >= (off_t)put) {
                (void)!ftruncate(descriptor, end - (off_t)put);
            }
            errno = reason;
            return fail_errno(error);
        }
        put += got > 0 ? (size_t)got : 0;
    }
    return LMB_OK;
}

lmb_result lmbi_journal_add(lmbi_journal *journal, const char *line, size_t size, lmb_error *error)
{
    char *copy = malloc(size + 1);
    if (copy == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(copy, line, size);
    copy[size] = '\n';
    const lmb_result result = add_copy(journal->descriptor, copy, size + 1, error);
    free(copy);
    return result;
}

void lmbi_journal_close(lmbi_journal *journal)
{
    if (journal != NULL) {
        // Some file systems do not sync; the system has the lines in either case.
        (void)fsync(journal->descriptor);
        close(journal->descriptor);
        free(journal);
    }
}
