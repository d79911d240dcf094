#include "limber/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define TEMPORARY_TRIES 100

static lmb_result fail_errno(lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_INVALID, "a file that can be written", "%s", strerror(errno));
}

static bool write_all(int descriptor, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(descriptor, bytes, size);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        if (put > 0) {
            bytes += put;
            size -= (size_t)put;
        }
    }
    return true;
}

static lmb_result write_in_place(const char *path, const void *bytes, size_t size, lmb_error *error)
{
    bool is_stdout = strcmp(path, "-") == 0;
    int descriptor = is_stdout ? STDOUT_FILENO : open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return fail_errno(error);
    }
    lmb_result result = write_all(descriptor, bytes, size) ? LMB_OK : fail_errno(error);
    if (!is_stdout && close(descriptor) != 0 && result == LMB_OK) {
        result = fail_errno(error);
    }
    return result;
}

/// The rename is on the disk only when the folder is.
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[slash == folder] = '\0';
    }
    int descriptor = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        // Some file systems do not sync folders; the file itself is complete in either case.
        (void)fsync(descriptor);
        close(descriptor);
    }
}

// ------------------------------------------------------------------------------------ interrupts

/// The temporary file that is being written; empty for none. A signal that ends the program while it
/// is removes it first.
static char guarded[PATH_MAX];
static volatile sig_atomic_t is_guarded;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void remove_and_end(int number)
{
    if (is_guarded) {
        (void)unlink(guarded);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/// Signals that a program catches for itself do not end it, and are left to it.
static void guard(struct sigaction old[SIGNALS])
{
    const struct sigaction ours = {.sa_handler = remove_and_end};
    for (int k = 0; k < SIGNALS; ++k) {
        sigaction(signals[k], NULL, &old[k]);
        if (old[k].sa_handler == SIG_DFL) {
            sigaction(signals[k], &ours, NULL);
        }
    }
}

static void guard_file(const char *temporary)
{
    is_guarded = 0;
    snprintf(guarded, sizeof guarded, "%s", temporary);
    is_guarded = 1;
}

static void unguard(const struct sigaction old[SIGNALS])
{
    is_guarded = 0;
    for (int k = 0; k < SIGNALS; ++k) {
        struct sigaction now;
        sigaction(signals[k], NULL, &now);
        if (now.sa_handler == remove_and_end) {
            sigaction(signals[k], &old[k], NULL);
        }
    }
}

/// Opens a new file beside `path`, writing its name to `name`. Unlike mkstemp it leaves the
/// permissions to the umask. The file is guarded before it is there: a signal may come at once.
static int open_temporary(const char *path, char name[PATH_MAX])
{
    for (unsigned k = 0; k < TEMPORARY_TRIES; k++) {
        int length = snprintf(name, PATH_MAX, "%s.%ld-%u.tmp", path, (long)getpid(), k);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        guard_file(name);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            return descriptor;
        }
        is_guarded = 0;
        if (errno != EEXIST) {
            return -1;
        }
    }
    return -1;
}

static lmb_result write_and_rename(const char *path, const struct stat *old, const void *bytes,
                                   size_t size, lmb_error *error)
{
    char temporary[PATH_MAX];
    struct sigaction actions[SIGNALS];
    guard(actions);
    int descriptor = open_temporary(path, temporary);
    if (descriptor < 0) {
        const int why = errno;
        unguard(actions);
        errno = why;
        return fail_errno(error);
    }
    bool good = write_all(descriptor, bytes, size);
    good = good && (!old || fchmod(descriptor, old->st_mode & 07777) == 0);
    good = good && fsync(descriptor) == 0;
    int reason = errno;
    if (close(descriptor) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good) {
        unlink(temporary);
    }
    unguard(actions);
    if (!good) {
        errno = reason;
        return fail_errno(error);
    }
    sync_folder(path);
    return LMB_OK;
}

/// What a link to nothing yet points to, relative to where the link lies. False for no link.
static bool read_link(const char *path, char target[PATH_MAX])
{
    char to[PATH_MAX];
    const ssize_t size = readlink(path, to, sizeof to - 1);
    if (size <= 0) {
        return false;
    }
    to[size] = 0;
    const char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
    const int folder = slash != NULL ? (int)(slash - path) + 1 : 0;
    const int length = snprintf(target, PATH_MAX, "%.*s%s", folder, path, to);
    return length > 0 && length < PATH_MAX;
}

/// Writes a file that is not there, through links that point to it.
static lmb_result write_new(const char *path, const void *bytes, size_t size, lmb_error *error)
{
    enum { LINKS_MOST = 40 };
    char at[PATH_MAX], next[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return fail_errno(error);
    }
    for (int k = 0; read_link(at, next); ++k) {
        if (k == LINKS_MOST) {
            errno = ELOOP;
            return fail_errno(error);
        }
        memcpy(at, next, sizeof at);
    }
    return write_and_rename(at, NULL, bytes, size, error);
}

lmb_result lmb_file_write(const char *path, const void *bytes, size_t size, lmb_error *error)
{
    struct stat status;
    bool exists = strcmp(path, "-") != 0 && stat(path, &status) == 0;
    if (strcmp(path, "-") == 0 ||
        (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) {
        return write_in_place(path, bytes, size, error);
    }
    if (!exists) {
        return write_new(path, bytes, size, error);
    }
    if (S_ISDIR(status.st_mode)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a file that can be written", "a folder");
    }
    if (access(path, W_OK) != 0) {
        return fail_errno(error);
    }
    char *target = realpath(path, NULL);
    if (!target) {
        return fail_errno(error);
    }
    lmb_result result = write_and_rename(target, &status, bytes, size, error);
    free(target);
    return result;
}
