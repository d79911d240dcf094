/// Folders made, outputs named by their bytes, and what killed commands leave behind removed.
#include "cli/batch/batch.h"
#include "os/paths.h"
#include "os/reader.h"

#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *batch_join(const char *a, const char *b)
{
    const size_t size = strlen(a), more = strlen(b);
    char *out = cli_resize(NULL, size + more + 1, 1);
    memcpy(out, a, size);
    memcpy(out + size, b, more + 1);
    return out;
}

char *batch_folder_of(const char *path)
{
    const size_t size = strlen(path);
    return batch_join(path, size > 0 && path[size - 1] == '/' ? "" : "/");
}

bool batch_make_folders(const char *path)
{
    char *copy = batch_join(path, "");
    char *end = strrchr(copy, '/');
    if (end == NULL || end == copy) {
        free(copy);
        return true;
    }
    *end = 0;
    // Nearly always it is there; else all of them, from the top.
    bool made = lmbi_path_kind_of(copy) == LMB_PATH_FOLDER;
    for (char *at = made ? NULL : copy + 1; at != NULL;) {
        at = strchr(at, '/');
        if (at != NULL) {
            *at = 0;
        }
        // Another worker may make it at the same time; what fails shows at the end.
        (void)lmbi_folder_make(copy);
        if (at != NULL) {
            *at++ = '/';
        } else {
            made = lmbi_path_kind_of(copy) == LMB_PATH_FOLDER;
        }
    }
    free(copy);
    return made;
}

// ------------------------------------------------------------------------------------------ digests

/// The names of the files of a folder and of those below it, in the order of their bytes.
typedef struct names {
    char **items;
    size_t count;
} names;

static void names_free(names *all)
{
    for (size_t k = 0; k < all->count; ++k) {
        free(all->items[k]);
    }
    free(all->items);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(const char *folder, const char *below, names *out)
{
    char *path = batch_join(folder, below);
    lmbi_folder entries = {0};
    (void)lmbi_folder_list(path, &entries, NULL);
    free(path);
    for (size_t k = 0; k < entries.count; ++k) {
        char *name = batch_join(below, entries.names[k]), *full = batch_join(folder, name);
        if (lmbi_path_kind_of(full) == LMB_PATH_FOLDER) {
            char *deeper = batch_folder_of(name);
            list_files(folder, deeper, out);
            free(deeper);
            free(name);
        } else {
            out->items = cli_resize(out->items, out->count + 1, sizeof(*out->items));
            out->items[out->count++] = name;
        }
        free(full);
    }
    lmbi_folder_free(&entries);
}

/// The digest of the text that `sha256sum` prints of the files: "DIGEST  NAME" a line.
static bool digest_folder(const char *folder, batch_written *out)
{
    names all = {0};
    lmbi_sha256 hash;
    list_files(folder, "", &all);
    bool good = all.count > 0;
    if (good) {
        qsort(all.items, all.count, sizeof(*all.items), compare_names);
    }
    lmbi_sha256_start(&hash);
    for (size_t k = 0; good && k < all.count; ++k) {
        batch_written one;
        char hex[LMBI_SHA256_HEX];
        char *path = batch_join(folder, all.items[k]);
        good = batch_digest(path, false, &one);
        free(path);
        if (good) {
            lmbi_sha256_hex(one.digest, hex);
            lmbi_sha256_add(&hash, hex, LMBI_SHA256_HEX - 1);
            lmbi_sha256_add(&hash, "  ", 2);
            lmbi_sha256_add(&hash, all.items[k], strlen(all.items[k]));
            lmbi_sha256_add(&hash, "\n", 1);
            out->size += one.size;
        }
    }
    lmbi_sha256_end(&hash, out->digest);
    names_free(&all);
    return good;
}

bool batch_digest(const char *path, bool is_folder, batch_written *out)
{
    *out = (batch_written){0};
    if (is_folder) {
        char *folder = batch_folder_of(path);
        out->there = digest_folder(folder, out);
        free(folder);
    } else {
        out->there = lmbi_file_digest(path, out->digest, &out->size, NULL) == LMB_OK;
    }
    return out->there;
}

// -------------------------------------------------------------------------------------- temporaries

/// The name without ".PROCESS-N.tmp" as lmb_file_write puts it: its length and the process; 0 for
/// other names.
static size_t temporary_of(const char *name, long *process)
{
    static const char end[] = ".tmp";
    const size_t size = strlen(name);
    size_t at = size - (sizeof(end) - 1), digits = 0;
    if (size < sizeof(end) || strcmp(name + at, end) != 0) {
        return 0;
    }
    for (; at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9'; --at) {
        ++digits;
    }
    if (digits == 0 || at == 0 || name[at - 1] != '-') {
        return 0;
    }
    for (digits = 0, --at; at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9'; --at) {
        ++digits;
    }
    if (digits == 0 || at < 2 || name[at - 1] != '.') {
        return 0;
    }
    *process = strtol(name + at, NULL, 10);
    return at - 1;
}

/// Of a folder those whose names `wanted` says yes to.
static size_t remove_in(const char *folder, bool (*wanted)(const void *user, const char *name),
                        const void *user, long id)
{
    size_t removed = 0;
    lmbi_folder entries = {0};
    (void)lmbi_folder_list(folder[0] != 0 ? folder : ".", &entries, NULL);
    for (size_t k = 0; k < entries.count; ++k) {
        long process = 0;
        const size_t size = temporary_of(entries.names[k], &process);
        if (size == 0 || (id != 0 && process != id)) {
            continue;
        }
        char *path = batch_join(folder, entries.names[k]), *written = batch_join(path, "");
        written[strlen(folder) + size] = 0;
        if (wanted(user, written)) {
            removed += unlink(path) == 0;
        }
        free(written);
        free(path);
    }
    lmbi_folder_free(&entries);
    return removed;
}

static bool is_any(const void *user, const char *name)
{
    (void)user;
    (void)name;
    return true;
}

static bool is_that(const void *user, const char *name)
{
    return strcmp(user, name) == 0;
}

static char *folder_around(const char *path)
{
    char *folder = batch_join(path, "");
    char *slash = strrchr(folder, '/');
    *(slash != NULL ? slash + 1 : folder) = 0;
    return folder;
}

void batch_remove_temporaries(const char *output, bool is_folder, long id)
{
    char *folder = is_folder ? batch_folder_of(output) : folder_around(output);
    remove_in(folder, is_folder ? is_any : is_that, output, id);
    free(folder);
}

/// Outputs of a run, sorted, so that a temporary's is found again.
static bool is_listed(const void *user, const char *name)
{
    const names *all = user;
    union {
        const char *given;
        char *sought;
    } key = {.given = name};
    return bsearch(&key.sought, all->items, all->count, sizeof(*all->items), compare_names) != NULL;
}

static void list_output(const char *folder, const char *output, names *out, names *folders)
{
    char *path = batch_join(folder, output);
    out->items[out->count++] = path;
    char *around = folder_around(path);
    if (folders->count > 0 && strcmp(folders->items[folders->count - 1], around) == 0) {
        free(around);
        return;
    }
    folders->items[folders->count++] = around;
}

size_t batch_sweep(const batch_manifest *manifest, const size_t *mine, size_t count,
                   const char *folder)
{
    names outputs = {cli_resize(NULL, 2 * count, sizeof(char *)), 0};
    names folders = {cli_resize(NULL, 2 * count, sizeof(char *)), 0};
    size_t removed = 0;
    for (size_t k = 0; k < count; ++k) {
        const batch_item *item = &manifest->items[mine[k]];
        if (item->output != NULL && item->output_is_folder) {
            char *path = batch_join(folder, item->output);
            char *inside = batch_folder_of(path);
            removed += remove_in(inside, is_any, NULL, 0);
            free(inside);
            free(path);
        } else if (item->output != NULL) {
            list_output(folder, item->output, &outputs, &folders);
        }
        if (item->print != NULL) {
            list_output(folder, item->print, &outputs, &folders);
        }
    }
    if (outputs.count > 0) {
        qsort(outputs.items, outputs.count, sizeof(*outputs.items), compare_names);
        qsort(folders.items, folders.count, sizeof(*folders.items), compare_names);
    }
    for (size_t k = 0; k < folders.count; ++k) {
        if (k == 0 || strcmp(folders.items[k - 1], folders.items[k]) != 0) {
            removed += remove_in(folders.items[k], is_listed, &outputs, 0);
        }
    }
    names_free(&outputs);
    names_free(&folders);
    return removed;
}

// ---- results

cli_exit batch_results_read(const cli_run *cli, const char *folder, const char *own,
                            batch_records *out)
{
    lmbi_folder entries = {0};
    cli_exit code = CLI_DONE;
    *out = (batch_records){0};
    (void)lmbi_folder_list(folder, &entries, NULL);
    for (size_t k = 0; code == CLI_DONE && k < entries.count; ++k) {
        const char *name = entries.names[k];
        if (batch_records_is_file(name)) {
            char *path = batch_join(folder, name);
            cli_bytes bytes = {0};
            code = cli_bytes_read(path, &bytes);
            if (code == CLI_DONE && !batch_records_add(out, bytes.data, bytes.size,
                                                       own != NULL && strcmp(own, name) == 0)) {
                cli_out_of_memory();
            }
            free(bytes.data);
            free(path);
        }
    }
    lmbi_folder_free(&entries);
    if (out->unreadable > 0) {
        cli_warn(cli, "%s: %zu lines of results cannot be read and are passed over", folder,
                 out->unreadable);
    }
    batch_records_keep_last(out);
    return code;
}
