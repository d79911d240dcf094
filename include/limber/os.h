/// What the library leaves to programs: threads, files, sockets, a clock. It is a library of its
/// own (limber_os), because Limber itself has no threads and opens no files.
#ifndef LIMBER_OS_H
#define LIMBER_OS_H

#include "limber/base.h"
#include "limber/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- threads

/// A fixed set of threads that run the pieces of parallel loops.
typedef struct lmb_pool lmb_pool;

/// Cores that this process may run on, at least 1.
LMB_API unsigned lmb_core_count(void);

/// Starts worker_count - 1 threads; the thread that runs a loop is the last worker. 0 means one
/// worker a core. Where the system gives fewer threads, the pool has fewer. Errors: MEMORY.
LMB_API lmb_result lmb_pool_create(unsigned worker_count, lmb_pool **out, lmb_error *error);
/// Waits for the threads to end. No loop may be running. NULL is allowed.
LMB_API void lmb_pool_destroy(lmb_pool *pool);
/// The runner to hand to the library; it lives as long as the pool. A loop that is started while
/// another runs, from within a piece or from another thread, runs on its own thread alone.
LMB_API const lmb_jobs *lmb_pool_jobs(const lmb_pool *pool);

// ---- files

/// A whole file in memory. Zero-initialised is an empty one.
typedef struct lmb_file {
    uint8_t *data; ///< from malloc; never NULL after a successful read
    size_t size;
} lmb_file;

/// Reads a file of at most `limit` bytes (0: as many as memory holds); the path "-" is standard
/// input. Devices and pipes are read to their end. Errors: MALFORMED when there is no such file, it
/// is a folder, may not be read or is over the limit, with the system's reason in `found`; MEMORY.
/// On failure `out` is untouched.
LMB_API lmb_result lmb_file_read(const char *path, size_t limit, lmb_file *out, lmb_error *error);
/// Reads a file that lies in the folder or below it, for names that come from strangers: `name` is
/// relative, its parts are not empty, "." or "..", and neither the file nor a folder on the way to it
/// is a symbolic link. What is no ordinary file is refused without waiting for it. Errors as above.
LMB_API lmb_result lmb_file_read_below(const char *folder, const char *name, size_t limit,
                                       lmb_file *out, lmb_error *error);
/// Frees the bytes and clears the struct.
LMB_API void lmb_file_free(lmb_file *file);

/// Writes the file as a whole: to a temporary name beside it, to the disk, then renamed, so that a
/// reader sees the old file or the new one and a failure leaves the old one, as does a signal that
/// ends the program. A symbolic link stays one; its target is replaced or made. The path "-" is
/// standard output; devices and pipes are written in place. Errors: INVALID with the system's reason in `found`.
LMB_API lmb_result lmb_file_write(const char *path, const void *bytes, size_t size,
                                  lmb_error *error);

// ---- memory

// ---- folders

// ---- datagrams

// ---- datagrams and connections

// ---- clock

/// Seconds since some moment in the past; never goes back.
LMB_API double lmb_clock_s(void);

#ifdef __cplusplus
}
#endif
#endif
