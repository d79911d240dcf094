/// Items without a manifest: a folder's files, or those that a pattern names.
#include "cli/batch/batch.h"
#include "os/paths.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct walk {
    const char *base;    ///< with a slash at its end, or ""
    const char *pattern; ///< below it; NULL takes every file of a format that is read
    char **found;        ///< relative to the base
    size_t count, capacity;
} walk;

/// `**` stands for any number of folders, none too; * and ? stay within a name; a point at the
/// beginning of a name is only matched by a point.
static bool matches(const char *pattern, const char *path)
{
    if (strncmp(pattern, "**/", 3) == 0) {
        if (matches(pattern + 3, path)) {
            return true;
        }
        const char *slash = strchr(path, '/');
        return slash != NULL && path[0] != '.' && matches(pattern, slash + 1);
    }
    const size_t size = strcspn(pattern, "/"), length = strcspn(path, "/");
    if ((pattern[size] == 0) != (path[length] == 0)) {
        return false;
    }
    char *part = batch_join(pattern, ""), *name = batch_join(path, "");
    part[size] = 0;
    name[length] = 0;
    const bool same = fnmatch(part, name, FNM_PERIOD) == 0;
    free(part);
    free(name);
    return same && (pattern[size] == 0 || matches(pattern + size + 1, path + length + 1));
}

static void add_file(walk *w, const char *path)
{
    const bool wanted =
        w->pattern != NULL ? matches(w->pattern, path) : cli_format_of_name(path) != CLI_UNKNOWN;
    if (!wanted) {
        return;
    }
    if (w->count == w->capacity) {
        w->capacity = w->capacity * 2 + 16;
        w->found = cli_resize(w->found, w->capacity, sizeof(*w->found));
    }
    w->found[w->count++] = batch_join(path, "");
}

/// Hidden files and folders are passed over unless the pattern says them; links to folders are not
/// followed, so that there is an end.
static void descend(walk *w, const char *below)
{
    char *path = batch_join(w->base[0] != 0 ? w->base : "./", below);
    lmbi_folder entries = {0};
    (void)lmbi_folder_list(path, &entries, NULL);
    for (size_t k = 0; k < entries.count; ++k) {
        struct stat status;
        if (entries.names[k][0] == '.' && w->pattern == NULL) {
            continue;
        }
        char *inside = batch_join(below, entries.names[k]);
        char *full = batch_join(path, entries.names[k]);
        const lmbi_path_kind kind = lmbi_path_kind_of(full);
        if (kind == LMB_PATH_FILE) {
            add_file(w, inside);
        } else if (kind == LMB_PATH_FOLDER && lstat(full, &status) == 0 &&
                   !S_ISLNK(status.st_mode)) {
            char *folder = batch_folder_of(inside);
            descend(w, folder);
            free(folder);
        }
        free(inside);
        free(full);
    }
    lmbi_folder_free(&entries);
    free(path);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// The folders in front of the first part that has a special character.
static size_t fixed_part(const char *pattern)
{
    size_t fixed = 0;
    const size_t special = strcspn(pattern, "*?[");
    for (size_t k = 0; k < special; ++k) {
        fixed = pattern[k] == '/' ? k + 1 : fixed;
    }
    return fixed;
}

static cli_exit put_all(const cli_run *cli, const walk *w, const batch_fields *fields,
                        batch_manifest *manifest)
{
    for (size_t k = 0; k < w->count; ++k) {
        batch_fields one = *fields;
        const char *input = w->found[k];
        lmb_error error;
        one.base = w->base;
        one.inputs = (batch_words){&input, 1};
        const lmb_result result = batch_manifest_put(manifest, &one, 0, 0, &error);
        if (result != LMB_OK) {
            return result == LMB_ERROR_MEMORY ? cli_fail_call(cli, "the items", result, &error)
                                              : cli_fail(cli, CLI_USAGE, "expected %s, found %s",
                                                         error.expected, error.found);
        }
    }
    return CLI_DONE;
}

cli_exit batch_over(const cli_run *cli, const char *over, const batch_fields *fields,
                    batch_manifest *manifest)
{
    walk w = {0};
    char *base;
    if (lmbi_path_kind_of(over) == LMB_PATH_FOLDER) {
        base = batch_folder_of(over);
    } else {
        const size_t fixed = fixed_part(over);
        base = batch_join(over, "");
        base[fixed] = 0;
        w.pattern = over + fixed;
    }
    w.base = base;
    descend(&w, "");
    cli_exit code = CLI_DONE;
    if (w.count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: no file %s", over,
                        w.pattern != NULL ? "has such a name" : "of a format that is read");
    } else {
        qsort(w.found, w.count, sizeof(*w.found), compare);
        code = put_all(cli, &w, fields, manifest);
    }
    for (size_t k = 0; k < w.count; ++k) {
        free(w.found[k]);
    }
    free(w.found);
    free(base);
    return code;
}
