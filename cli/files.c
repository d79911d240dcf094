#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cli_exit read_stream(FILE *file, const char *name, cli_bytes *out)
{
    size_t capacity = 0;
    cli_bytes bytes = {0};
    for (;;) {
        if (bytes.size == capacity) {
            capacity = capacity == 0 ? (size_t)1 << 16 : 2 * capacity;
            bytes.data = cli_resize(bytes.data, capacity, 1);
        }
        const size_t got = fread(bytes.data + bytes.size, 1, capacity - bytes.size, file);
        bytes.size += got;
        if (got == 0) {
            break;
        }
    }
    if (ferror(file)) {
        fprintf(stderr, "%s: cannot be read: %s\n", name, strerror(errno));
        free(bytes.data);
        return CLI_INPUT;
    }
    *out = bytes;
    return CLI_DONE;
}

cli_exit cli_bytes_read(const char *path, cli_bytes *out)
{
    if (strcmp(path, "-") == 0) {
        return read_stream(stdin, "<stdin>", out);
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
        return CLI_INPUT;
    }
    const cli_exit code = read_stream(file, path, out);
    fclose(file);
    return code;
}

static cli_exit cannot_write(const char *path)
{
    fprintf(stderr, "%s: cannot be written: %s\n", path, strerror(errno));
    return CLI_OUTPUT;
}

static bool write_all(int descriptor, const uint8_t *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(descriptor, data, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        }
    }
    return true;
}

/// The permissions that a newly created file would have; mkstemp makes files that only their owner can read.
static mode_t new_file_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return (mode_t)0666 & ~mask;
}

// A file that is not a regular one (/dev/null, a pipe) is written in place: renaming over it would replace it.
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static cli_exit write_in_place(const char *path, const void *data, size_t size)
{
    const int descriptor = open(path, O_WRONLY);
    if (descriptor < 0) {
        return cannot_write(path);
    }
    const bool written = write_all(descriptor, data, size);
    return close(descriptor) == 0 && written ? CLI_DONE : cannot_write(path);
}

cli_exit cli_bytes_write(const char *path, const void *data, size_t size)
{
    if (strcmp(path, "-") == 0) {
        fflush(stdout);
        return write_all(STDOUT_FILENO, data, size) ? CLI_DONE : cannot_write("<stdout>");
    }
    if (is_special(path)) {
        return write_in_place(path, data, size);
    }
    static const char suffix[] = ".tmp-XXXXXX";
    const size_t length = strlen(path);
    char *temporary = cli_resize(NULL, length + sizeof(suffix), 1);
    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof(suffix));
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        free(temporary);
        return cannot_write(path);
    }
    bool done = write_all(descriptor, data, size) && fchmod(descriptor, new_file_mode()) == 0;
    done = close(descriptor) == 0 && done;
    done = done && rename(temporary, path) == 0;
    cli_exit code = CLI_DONE;
    if (!done) {
        code = cannot_write(path);
        unlink(temporary);
    }
    free(temporary);
    return code;
}

// --------------------------------------------------------------------------------------- files beside a file

static int hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Undoes %20 and the like; `percent` false copies. Turns backslashes, which some exporters write, into slashes.
static void name_copy(char *out, const char *name, bool percent)
{
    while (*name != 0) {
        if (percent && name[0] == '%' && hex(name[1]) >= 0 && hex(name[2]) >= 0) {
            *out++ = (char)(16 * hex(name[1]) + hex(name[2]));
            name += 3;
        } else {
            *out++ = *name == '\\' ? '/' : *name;
            ++name;
        }
    }
    *out = 0;
}

static FILE *open_beside(const char *path, const char *name, bool percent)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *joined = cli_resize(NULL, folder + strlen(name) + 1, 1);
    memcpy(joined, path, folder);
    name_copy(joined + folder, name, percent);
    struct stat status;
    FILE *file = NULL;
    // A file must not make the command read a device, or a place that its author chose on the reader's machine.
    if (joined[folder] != '/' && stat(joined, &status) == 0 && S_ISREG(status.st_mode)) {
        file = fopen(joined, "rb");
    }
    free(joined);
    return file;
}

static bool load_beside(void *user, const char *name, lmb_bytes *out)
{
    const char *path = user;
    FILE *file = open_beside(path, name, false);
    if (file == NULL) {
        file = open_beside(path, name, true);
    }
    if (file == NULL) {
        return false;
    }
    cli_bytes bytes;
    const bool read = read_stream(file, name, &bytes) == CLI_DONE;
    fclose(file);
    if (read) {
        *out = (lmb_bytes){bytes.data, bytes.size};
    }
    return read;
}

static void release_beside(void *user, lmb_bytes bytes)
{
    (void)user;
    union {
        const uint8_t *given;
        uint8_t *owned;
    } data = {.given = bytes.data};
    free(data.owned);
}

void cli_loader_start(const char *path, lmb_loader *out)
{
    union {
        const char *path;
        void *user;
    } user = {.path = strcmp(path, "-") == 0 ? "" : path};
    *out = (lmb_loader){load_beside, release_beside, user.user};
}
