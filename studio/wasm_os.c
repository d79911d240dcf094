/// limber/os.h where there is no system: files are those of the store, and the clock stands still,
/// so that two runs of a command print the same. Threads are in wasm_alone.c and wasm_pool.c.
#include "console.h"
#include "os/paths.h"
#include "store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "limber/os.h"

// ----------------------------------------------------------------------------------------- memory

bool lmbi_memory_cap(uint64_t bytes)
{
    (void)bytes;
    return false; // the module's memory has a limit
}

uint64_t lmbi_memory_capped(void)
{
    return 0;
}

// ------------------------------------------------------------------------------------------ clock

double lmb_clock_s(void)
{
    return 0;
}

// ---------------------------------------------------------------------------------------- folders

/// Whether a file's path begins with the folder's. Returns what follows, or NULL.
static const char *below(const char *folder, const char *path)
{
    const size_t length = strlen(folder);
    if (length == 0) {
        return path;
    }
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

lmbi_path_kind lmbi_path_kind_of(const char *path)
{
    char *plain = store_path(path);
    lmbi_path_kind kind = LMB_PATH_NOTHING;
    if (plain == NULL) {
        return kind;
    }
    if (store_find(plain) != NULL) {
        kind = LMB_PATH_FILE;
    } else if (plain[0] == 0) {
        kind = LMB_PATH_FOLDER;
    }
    for (size_t k = 0; kind == LMB_PATH_NOTHING && k < store_count(); ++k) {
        if (below(plain, store_at(k)->path) != NULL) {
            kind = LMB_PATH_FOLDER;
        }
    }
    free(plain);
    return kind;
}

bool lmbi_folder_make(const char *path)
{
    return lmbi_path_kind_of(path) != LMB_PATH_FILE; // a folder exists as soon as a file is in it
}

/// Adds the first part of `path`, unless it is the last name: paths come in their order. False
/// when memory ends.
static bool add_name(lmbi_folder *folder, const char *path)
{
    const size_t size = strcspn(path, "/");
    for (size_t k = 0; k < folder->count; ++k) {
        if (strlen(folder->names[k]) == size && memcmp(folder->names[k], path, size) == 0) {
            return true;
        }
    }
    char **grown = realloc(folder->names, (folder->count + 1) * sizeof *grown);
    folder->names = grown != NULL ? grown : folder->names;
    char *name = grown != NULL ? malloc(size + 1) : NULL;
    if (name == NULL) {
        return false;
    }
    memcpy(name, path, size);
    name[size] = 0;
    folder->names[folder->count++] = name;
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

lmb_result lmbi_folder_list(const char *path, lmbi_folder *out, lmb_error *error)
{
    char *plain = store_path(path);
    lmbi_folder folder = {0};
    bool kept = plain != NULL;
    for (size_t k = 0; kept && k < store_count(); ++k) {
        const char *rest = below(plain, store_at(k)->path);
        kept = rest == NULL || add_name(&folder, rest);
    }
    free(plain);
    if (!kept || folder.count == 0) {
        lmbi_folder_free(&folder);
        return kept ? lmbi_fail(error, LMB_ERROR_MALFORMED, "a readable folder", "%s",
                                strerror(ENOENT))
                    : lmbi_fail_memory(error);
    }
    // "a-b/x" stands before "a/x", the folder "a-b" after "a".
    qsort(folder.names, folder.count, sizeof *folder.names, by_bytes);
    *out = folder;
    return LMB_OK;
}

void lmbi_folder_free(lmbi_folder *folder)
{
    for (size_t k = 0; k < folder->count; ++k) {
        free(folder->names[k]);
    }
    free(folder->names);
    *folder = (lmbi_folder){0};
}

// ------------------------------------------------------------------------------------------ files

lmb_result lmb_file_read(const char *path, size_t limit, lmb_file *out, lmb_error *error)
{
    const store_file *file = store_find(path);
    const bool is_stdin = strcmp(path, "-") == 0;
    if (file == NULL && !is_stdin) {
        if (lmbi_path_kind_of(path) == LMB_PATH_FOLDER) {
            return lmbi_fail(error, LMB_ERROR_MALFORMED, "a file", "a folder");
        }
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a readable file", "%s", strerror(ENOENT));
    }
    const size_t size = file != NULL ? file->size : 0;
    if (limit && size > limit) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a smaller file", "%zu bytes, over %zu", size,
                         limit);
    }
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL) {
        return lmbi_fail_memory(error);
    }
    if (size > 0) {
        memcpy(copy, file->bytes, size);
    }
    *out = (lmb_file){copy, size};
    return LMB_OK;
}

uint64_t lmbi_file_size(const char *path)
{
    const store_file *file = store_find(path);
    return file != NULL ? file->size : 0;
}

lmb_result lmb_file_read_below(const char *folder, const char *name, size_t limit, lmb_file *out,
                               lmb_error *error)
{
    char *base = store_path(folder), *whole = NULL;
    char *joined = malloc(strlen(folder) + strlen(name) + 2);
    if (joined != NULL) {
        strcpy(joined, folder);
        strcat(joined, "/");
        strcat(joined, name);
        whole = store_path(joined);
    }
    lmb_result result = LMB_ERROR_MEMORY;
    if (base != NULL && whole != NULL) {
        result = below(base, whole) != NULL ? lmb_file_read(whole, limit, out, error)
                                            : lmbi_fail(error, LMB_ERROR_MALFORMED,
                                                        "a readable file", "%s", strerror(ENOENT));
    }
    free(base);
    free(whole);
    free(joined);
    return result;
}

lmb_result lmb_file_write(const char *path, const void *bytes, size_t size, lmb_error *error)
{
    if (strcmp(path, "-") == 0) {
        return console_put(CONSOLE_OUTPUT, bytes, size) ? LMB_OK : lmbi_fail_memory(error);
    }
    if (lmbi_path_kind_of(path) == LMB_PATH_FOLDER) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a file that can be written", "a folder");
    }
    return store_put(path, bytes, size) ? LMB_OK : lmbi_fail_memory(error);
}
