/// What stands at a path, folders, and a cap on memory.
#ifndef OS_PATHS_H
#define OS_PATHS_H

#include "limber/os.h"

/// The size of an ordinary file, behind symbolic links; 0 for anything else.
uint64_t lmbi_file_size(const char *path);

/// From now on allocations that would take this program over so many bytes fail. Under a lower cap
/// that the system set, that one holds. False where there is no such thing.
bool lmbi_memory_cap(uint64_t bytes);

/// The cap; 0 for none.
uint64_t lmbi_memory_capped(void);

/// From now on the C library keeps what is freed for what is allocated next, up to a quarter of a gigabyte: fresh pages cost
/// a search for a skeleton a quarter of its time. Elsewhere than with glibc nothing changes.
void lmbi_memory_keep_freed(void);

typedef enum lmbi_path_kind {
    LMB_PATH_NOTHING = 0, ///< there is nothing, or access is denied
    LMB_PATH_FILE,
    LMB_PATH_FOLDER,
    LMB_PATH_OTHER, ///< a device, a pipe
} lmbi_path_kind;

/// What stands at a path, behind symbolic links.
lmbi_path_kind lmbi_path_kind_of(const char *path);

/// Makes a folder, not those above it. True when it stands there, made now or before.
bool lmbi_folder_make(const char *path);

/// The names in a folder, without "." and "..", in the order of their bytes. Zero is none.
typedef struct lmbi_folder {
    size_t count;
    char **names;
} lmbi_folder;

/// Errors: MALFORMED when it cannot be read, with the system's reason in `found`; MEMORY. On failure
/// `out` is untouched.
lmb_result lmbi_folder_list(const char *path, lmbi_folder *out, lmb_error *error);

/// Frees the names and clears the struct.
void lmbi_folder_free(lmbi_folder *folder);

#endif
