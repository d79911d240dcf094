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

/// The size of an ordinary file, behind symbolic links; 0 for anything else.
LMB_API uint64_t lmb_file_size(const char *path);

// ---- memory

/// From now on allocations that would take this program over so many bytes fail. Under a lower cap
/// that the system set, that one holds. False where there is no such thing.
LMB_API bool lmb_memory_cap(uint64_t bytes);
/// The cap; 0 for none.
LMB_API uint64_t lmb_memory_capped(void);

// ---- folders

typedef enum lmb_path_kind {
    LMB_PATH_NOTHING = 0, ///< there is nothing, or nobody may look
    LMB_PATH_FILE,
    LMB_PATH_FOLDER,
    LMB_PATH_OTHER, ///< a device, a pipe
} lmb_path_kind;

/// What stands at a path, behind symbolic links.
LMB_API lmb_path_kind lmb_path_kind_of(const char *path);

/// Makes a folder, not those above it. True when it stands there, made now or before.
LMB_API bool lmb_folder_make(const char *path);

/// The names in a folder, without "." and "..", in the order of their bytes. Zero is none.
typedef struct lmb_folder {
    size_t count;
    char **names;
} lmb_folder;

/// Errors: MALFORMED when it cannot be read, with the system's reason in `found`; MEMORY. On failure
/// `out` is untouched.
LMB_API lmb_result lmb_folder_list(const char *path, lmb_folder *out, lmb_error *error);
/// Frees the names and clears the struct.
LMB_API void lmb_folder_free(lmb_folder *folder);

// ---- datagrams

/// A socket for UDP. Zero is none.
typedef struct lmb_udp lmb_udp;

/// Listens on a port of the address `host`, such as "127.0.0.1", "::1" or a name of this machine's;
/// port 0 takes a free one. Errors: INVALID with the system's reason in `found`; MEMORY.
LMB_API lmb_result lmb_udp_listen(const char *host, uint16_t port, lmb_udp **out, lmb_error *error);
/// For sending to a port of a host. Errors as above, also for a name that nobody knows.
LMB_API lmb_result lmb_udp_connect(const char *host, uint16_t port, lmb_udp **out,
                                   lmb_error *error);
LMB_API void lmb_udp_close(lmb_udp *udp);
/// The port that it listens on.
LMB_API uint16_t lmb_udp_port(const lmb_udp *udp);
/// Waits for a datagram, no longer than `timeout_s` or until a signal comes. Returns its size; 0
/// when none came (an empty one counts as none), -1 when the socket is broken. What does not fit is
/// cut off.
LMB_API int64_t lmb_udp_receive(lmb_udp *udp, void *bytes, size_t capacity, double timeout_s);
/// Sends without waiting. False when the system did not take it: datagrams may be lost anyway.
LMB_API bool lmb_udp_send(lmb_udp *udp, const void *bytes, size_t size);

// ---- datagrams and connections

/// Where bytes come in, be it as datagrams (UDP) or by a connection (TCP), one at a time.
typedef struct lmb_inlet lmb_inlet;

/// Listens for both on a port of the address `host`; port 0 takes a free one. Errors as above.
LMB_API lmb_result lmb_inlet_listen(const char *host, uint16_t port, lmb_inlet **out,
                                    lmb_error *error);
/// Connects to a port of a host that sends. Errors as above.
LMB_API lmb_result lmb_inlet_connect(const char *host, uint16_t port, lmb_inlet **out,
                                     lmb_error *error);
LMB_API void lmb_inlet_close(lmb_inlet *inlet);
/// The port that it listens on.
LMB_API uint16_t lmb_inlet_port(const lmb_inlet *inlet);
/// Waits for bytes, no longer than `timeout_s` or until a signal comes. Returns how many came: a
/// whole datagram, or any part of what a connection brings. 0 when none did, -1 when the socket is
/// broken or the host that we connected to has ended.
LMB_API int64_t lmb_inlet_receive(lmb_inlet *inlet, void *bytes, size_t capacity, double timeout_s,
                                  bool *datagram);

// ---- clock

/// Seconds since some moment in the past; never goes back.
LMB_API double lmb_clock_s(void);

#ifdef __cplusplus
}
#endif
#endif
