#include "store.h"

#include <stdlib.h>
#include <string.h>

static store_file *files;
static size_t file_count, file_capacity;

/// Appends the part of a path that is `size` bytes long to the `length` bytes of `out`.
static size_t add_part(char *out, size_t length, const char *part, size_t size)
{
    if (size == 0 || (size == 1 && part[0] == '.')) {
        return length;
    }
    if (size == 2 && part[0] == '.' && part[1] == '.') {
        while (length > 0 && out[--length] != '/') {
        }
        return length;
    }
    if (length > 0) {
        out[length++] = '/';
    }
    memcpy(out + length, part, size);
    return length + size;
}

char *store_path(const char *path)
{
    char *out = malloc(strlen(path) + 1);
    size_t length = 0;
    while (out != NULL && *path != 0) {
        const size_t size = strcspn(path, "/");
        length = add_part(out, length, path, size);
        path += size + (path[size] == '/');
    }
    if (out != NULL) {
        out[length] = 0;
    }
    return out;
}

/// Where the path stands, or would stand.
static size_t index_of(const char *path, bool *found)
{
    size_t low = 0, high = file_count;
    *found = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(files[middle].path, path);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const store_file *store_find(const char *path)
{
    char *plain = store_path(path);
    bool found = false;
    const size_t index = plain != NULL ? index_of(plain, &found) : 0;
    free(plain);
    return found ? &files[index] : NULL;
}

/// Room for one more file; false when memory ends.
static bool reserve(void)
{
    if (file_count < file_capacity) {
        return true;
    }
    const size_t capacity = 2 * file_capacity + 16;
    store_file *grown = realloc(files, capacity * sizeof *grown);
    if (grown != NULL) {
        files = grown;
        file_capacity = capacity;
    }
    return grown != NULL;
}

/// Takes the path and the bytes over when it returns true.
static bool insert(char *path, uint8_t *bytes, size_t size)
{
    bool found;
    const size_t index = index_of(path, &found);
    if (found) {
        free(path);
        free(files[index].bytes);
        files[index].bytes = bytes;
        files[index].size = size;
        return true;
    }
    if (!reserve()) {
        return false;
    }
    memmove(files + index + 1, files + index, (file_count - index) * sizeof *files);
    files[index] = (store_file){path, bytes, size};
    ++file_count;
    return true;
}

bool store_put(const char *path, const void *bytes, size_t size)
{
    char *plain = store_path(path);
    uint8_t *copy = malloc(size + (size == 0));
    if (plain != NULL && copy != NULL) {
        if (size > 0) {
            memcpy(copy, bytes, size);
        }
        if (insert(plain, copy, size)) {
            return true;
        }
    }
    free(plain);
    free(copy);
    return false;
}

void store_remove(const char *path)
{
    const store_file *file = store_find(path);
    if (file != NULL) {
        const size_t index = (size_t)(file - files);
        free(files[index].path);
        free(files[index].bytes);
        --file_count;
        memmove(files + index, files + index + 1, (file_count - index) * sizeof *files);
    }
}

size_t store_count(void)
{
    return file_count;
}

const store_file *store_at(size_t index)
{
    return index < file_count ? &files[index] : NULL;
}
