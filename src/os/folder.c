#include "limber/os.h"
#include "os/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

lmbi_path_kind lmbi_path_kind_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return LMB_PATH_NOTHING;
    }
    return S_ISREG(status.st_mode)   ? LMB_PATH_FILE
           : S_ISDIR(status.st_mode) ? LMB_PATH_FOLDER
                                     : LMB_PATH_OTHER;
}

bool lmbi_folder_make(const char *path)
{
    return mkdir(path, 0777) == 0 || lmbi_path_kind_of(path) == LMB_PATH_FOLDER;
}

static int is_name(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/// False when memory ends; what was copied then is in `out`.
static bool copy_names(struct dirent **entries, size_t count, lmbi_folder *out)
{
    out->names = calloc(count ? count : 1, sizeof *out->names);
    for (size_t k = 0; out->names && k < count; ++k) {
        const size_t size = strlen(entries[k]->d_name) + 1;
        char *name = malloc(size);
        if (!name) {
            return false;
        }
        memcpy(name, entries[k]->d_name, size);
        out->names[out->count++] = name;
    }
    return out->names != NULL;
}

lmb_result lmbi_folder_list(const char *path, lmbi_folder *out, lmb_error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_name, by_bytes);
    if (count < 0) {
        return errno == ENOMEM ? lmbi_fail_memory(error)
                               : lmbi_fail(error, LMB_ERROR_MALFORMED, "a readable folder", "%s",
                                           strerror(errno));
    }
    lmbi_folder folder = {0};
    const bool copied = copy_names(entries, (size_t)count, &folder);
    for (int k = 0; k < count; ++k) {
        free(entries[k]);
    }
    free(entries);
    if (!copied) {
        lmbi_folder_free(&folder);
        return lmbi_fail_memory(error);
    }
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
