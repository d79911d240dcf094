/// Files kept in memory, by their paths. Paths are relative to the one root: "./a//b", "/a/b" and
/// "c/../a/b" are "a/b".
#ifndef LIMBER_STUDIO_STORE_H
#define LIMBER_STUDIO_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct store_file {
    char *path;
    uint8_t *bytes; ///< never NULL
    size_t size;
} store_file;

/// NULL when there is none of that path.
const store_file *store_find(const char *path);
/// Copies the bytes. False when memory ends; what was there then stays.
bool store_put(const char *path, const void *bytes, size_t size);
void store_remove(const char *path);
/// Files stand in the order of their paths' bytes.
size_t store_count(void);
const store_file *store_at(size_t index);
/// The path as the store writes it; free. NULL when memory ends.
char *store_path(const char *path);

#endif
