/// Files whose names come from untrusted input, kept inside a folder.
#include "limber/os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "os/descriptor.h"

enum { PART_MOST = 255 };

/// The next part of the name, and what is behind it; false when it is none that may be opened.
static bool take_part(const char **name, char part[PART_MOST + 1])
{
    const size_t size = strcspn(*name, "/");
    if (size == 0 || size > PART_MOST) {
        return false;
    }
    memcpy(part, *name, size);
    part[size] = 0;
    *name += size;
    return strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

int lmbi_descriptor_open_below(const char *folder, const char *name)
{
    char part[PART_MOST + 1];
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0) {
        if (!take_part(&name, part)) {
            close(at);
            errno = ENOENT;
            return -1;
        }
        const bool last = *name == 0;
        // Opening a pipe without a writer would block.
        const int next =
            openat(at, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (last ? O_NONBLOCK : O_DIRECTORY));
        const int reason = errno;
        close(at);
        errno = reason;
        if (last) {
            return next;
        }
        at = next;
        ++name;
    }
    return -1;
}

lmb_result lmb_file_read_below(const char *folder, const char *name, size_t limit, lmb_file *out,
                               lmb_error *error)
{
    struct stat status;
    const int descriptor = lmbi_descriptor_open_below(folder, name);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        const int reason = errno;
        if (descriptor >= 0) {
            close(descriptor);
        }
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a readable file", "%s", strerror(reason));
    }
    const lmb_result result =
        S_ISREG(status.st_mode)
            ? lmbi_descriptor_read(descriptor, limit, out, error)
            : lmbi_fail(error, LMB_ERROR_MALFORMED, "a file", "a folder, a device or a pipe");
    close(descriptor);
    return result;
}
