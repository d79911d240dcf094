#include "cli/cli.h"
#include "os/paths.h"

#include "limber/os.h"

#include <stdlib.h>
#include <string.h>

/// What messages call the file.
static const char *shown(const char *path, const char *standard)
{
    return strcmp(path, "-") == 0 ? standard : path;
}

cli_exit cli_bytes_read(const char *path, cli_bytes *out)
{
    lmb_file file;
    lmb_error error;
    const lmb_result result = lmb_file_read(path, 0, &file, &error);
    if (result == LMB_ERROR_MEMORY) {
        // Under a cap on memory a large file is no fault of the file's.
        char hint[64];
        cli_memory_hint(hint);
        cli_put_clean(stderr, shown(path, "<stdin>"), "");
        fprintf(stderr, ": out of memory%s\n", hint);
        return CLI_FAILED;
    }
    if (result != LMB_OK) {
        cli_put_clean(stderr, shown(path, "<stdin>"), "");
        fprintf(stderr, ": cannot be read: %s\n", error.found);
        return CLI_INPUT;
    }
    *out = (cli_bytes){file.data, file.size};
    return CLI_DONE;
}

/// Makes the folders that the file is to lie in: `-o out/walk/hero.glb` works in a fresh checkout.
/// What cannot be made shows when the file is written.
static void make_folders(const char *path)
{
    const size_t size = strlen(path);
    char *folder = cli_resize(NULL, size + 1, 1);
    memcpy(folder, path, size + 1);
    for (char *at = strchr(folder + (folder[0] == '/'), '/'); at != NULL;
         at = strchr(at + 1, '/')) {
        *at = 0;
        const bool there = lmbi_folder_make(folder);
        *at = '/';
        if (!there) {
            break;
        }
    }
    free(folder);
}

cli_exit cli_bytes_write(const char *path, const void *data, size_t size)
{
    lmb_error error;
    fflush(stdout);
    make_folders(path);
    if (lmb_file_write(path, data, size, &error) != LMB_OK) {
        cli_put_clean(stderr, shown(path, "<stdout>"), "");
        fprintf(stderr, ": cannot be written: %s\n", error.found);
        return CLI_OUTPUT;
    }
    return CLI_DONE;
}

char *cli_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t length = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
    char *stem = cli_resize(NULL, length + 1, 1);
    memcpy(stem, name, length);
    stem[length] = 0;
    return stem;
}

// ---------------------------------------------------------------------------- files beside a file

/// The folder that a file lies in: "." for a bare name and for standard input.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t size = slash != NULL ? (size_t)(slash - path) + (slash == path) : 0;
    char *folder = cli_resize(NULL, size + 2, 1);
    memcpy(folder, size > 0 ? path : ".", size > 0 ? size : 1);
    folder[size > 0 ? size : 1] = 0;
    return folder;
}

/// A file must not make the command read a device or a path outside its folder: names stay below
/// the folder, and symbolic links are not followed.
static bool load_beside(void *user, const char *name, lmb_bytes *out)
{
    char *folder = folder_of(user);
    lmb_file file;
    const lmb_result result = lmb_file_read_below(folder, name, 0, &file, NULL);
    free(folder);
    if (result == LMB_ERROR_MEMORY) {
        cli_out_of_memory();
    }
    if (result == LMB_OK) {
        *out = (lmb_bytes){file.data, file.size};
    }
    return result == LMB_OK;
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
    } user = {.path = path};
    *out = (lmb_loader){load_beside, release_beside, user.user};
}
