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

/// An open file that is read piece by piece, however large.
typedef struct lmbi_reader lmbi_reader;

/// Opens an ordinary file; what is none is refused without waiting for it. Errors as above.
LMB_API lmb_result lmbi_reader_open(const char *path, lmbi_reader **out, lmb_error *error);
/// The same with a name as of lmb_file_read_below.
LMB_API lmb_result lmbi_reader_open_below(const char *folder, const char *name, lmbi_reader **out,
                                         lmb_error *error);
/// NULL is allowed.
LMB_API void lmbi_reader_close(lmbi_reader *reader);
/// Bytes that the file had when it was opened.
LMB_API uint64_t lmbi_reader_size(const lmbi_reader *reader);
/// Reads from the byte `at` on, no further than that size. Returns how many bytes came: 0 at the end
/// and where they cannot be read.
LMB_API size_t lmbi_reader_read(lmbi_reader *reader, uint64_t at, void *bytes, size_t capacity);
/// The SHA-256 of the whole; false when it cannot be read to its end.
LMB_API bool lmbi_reader_digest(lmbi_reader *reader, uint8_t digest[32]);

/// Whether the bytes are what git leaves in place of a large file that was not fetched (Git LFS,
/// pointer version 1).
LMB_API bool lmbi_file_is_lfs_pointer(const void *bytes, size_t size);

/// Writes the file as a whole: to a temporary name beside it, to the disk, then renamed, so that a
/// reader sees the old file or the new one and a failure leaves the old one, as does a signal that
/// ends the program. A symbolic link stays one; its target is replaced or made. The path "-" is standard output; devices and pipes are written in
/// place. Errors: INVALID with the system's reason in `found`.
LMB_API lmb_result lmb_file_write(const char *path, const void *bytes, size_t size,
                                  lmb_error *error);

/// The SHA-256 of a file's bytes, and how many they are; read piece by piece, so that files larger
/// than memory do. Errors as lmb_file_read.
LMB_API lmb_result lmbi_file_digest(const char *path, uint8_t digest[32], uint64_t *size,
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

// ---- journals

/// A file that lines are added to, by one program at a time.
typedef struct lmbi_journal lmbi_journal;

/// Opens or makes it. What stands behind the last line end was torn off while it was written, and
/// is cut off. Errors: INVALID with the system's reason in `found`, also when another program has
/// it open; MEMORY.
LMB_API lmb_result lmbi_journal_open(const char *path, lmbi_journal **out, lmb_error *error);
/// Adds a line (`size` bytes without its end) at once: whatever ends this program, it is there or
/// is cut off later. Errors: INVALID.
LMB_API lmb_result lmbi_journal_add(lmbi_journal *journal, const char *line, size_t size,
                                   lmb_error *error);
/// Brings it to the disk first. NULL is allowed.
LMB_API void lmbi_journal_close(lmbi_journal *journal);

// ---- processes

/// Another program that runs beside this one.
typedef struct lmbi_process lmbi_process;

typedef struct lmbi_process_def {
    /// Ends with NULL. The first is the program, looked for in PATH when it has no slash.
    const char *const *arguments;
    const char *output;    ///< the file that its standard output makes anew; NULL drops it
    uint64_t memory_limit; ///< bytes of address space that it may have; 0 for no limit
} lmbi_process_def;

/// How it ended.
typedef struct lmbi_process_outcome {
    int exit_code; ///< -1 when a signal ended it
    int signal;    ///< 0 when it ended by itself
    double wall_s;
    /// Most memory that it held at once. No less than what this program held when it started it.
    uint64_t peak_bytes;
    const char *messages; ///< its standard error, terminated; of much the first and last 32 KiB
    size_t message_size;
} lmbi_process_outcome;

/// Starts it in a group of its own, so that a terminal's interrupt does not reach it, with nothing
/// on standard input and no core dumps. On Linux it ends with the thread that started it. Errors:
/// INVALID with the system's reason in `found`; MEMORY.
LMB_API lmb_result lmbi_process_start(const lmbi_process_def *def, lmbi_process **out,
                                     lmb_error *error);
/// Waits until it ends, no longer than `timeout_s`. True when it has ended.
LMB_API bool lmbi_process_wait(lmbi_process *process, double timeout_s);
/// Ends it and what it started, at once; to be waited for all the same.
LMB_API void lmbi_process_kill(const lmbi_process *process);
/// The system's number of it.
LMB_API long lmbi_process_id(const lmbi_process *process);
/// Once it has ended; lives as long as the process.
LMB_API const lmbi_process_outcome *lmbi_process_end(const lmbi_process *process);
/// Kills it if it still runs. NULL is allowed.
LMB_API void lmbi_process_destroy(lmbi_process *process);

/// The path of the running program, to be freed with free; NULL when the system does not tell.
LMB_API char *lmbi_program_path(void);

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

// ---- requests and answers

/// A port that others connect to with one request each; it is answered, and the connection closed.
typedef struct lmbi_server lmbi_server;

/// What a request is answered with: bytes, then a file, of which the server holds a piece at a time
/// however slowly it is taken.
typedef struct lmbi_answer {
    lmb_file head;    ///< bytes from malloc, which the server frees
    lmbi_reader *body; ///< the server closes it; NULL: none
} lmbi_answer;

typedef struct lmbi_server_def {
    const char *host;    ///< the address to listen on, such as "127.0.0.1"
    uint16_t port;       ///< 0: any that is free
    size_t request_most; ///< bytes of a request; 0 means 16 KiB
    /// How long a connection may take for its request, and how long it may take nothing of the
    /// answer; then it is closed. 0 means 10.
    double patience_s;
    /// Called with all that came of a request so far, `size` up to request_most. False waits for
    /// more, of which there is none behind request_most: the connection is closed. True fills `out`
    /// with the answer; without bytes before the file the connection is closed.
    bool (*answer)(void *context, const uint8_t *bytes, size_t size, lmbi_answer *out);
    void *context;
} lmbi_server_def;

/// Errors: INVALID with the system's reason in `found`; MEMORY.
LMB_API lmb_result lmbi_server_open(const lmbi_server_def *def, lmbi_server **out, lmb_error *error);
/// Closes all connections. NULL is allowed.
LMB_API void lmbi_server_close(lmbi_server *server);
/// The port that it listens on.
LMB_API uint16_t lmbi_server_port(const lmbi_server *server);
/// Waits until some connection moves, no longer than `timeout_s` or until a signal comes, and
/// serves those that did. False when the port is broken.
LMB_API bool lmbi_server_step(lmbi_server *server, double timeout_s);

// ---- the desktop

/// Has the user's browser open an address, and does not wait for it. False when there is no desktop
/// to ask; that it does open is not known.
LMB_API bool lmbi_desktop_open(const char *address);

// ---- signals

/// From now on SIGINT and SIGTERM do not end the program: lmbi_interrupted tells that one came. A
/// second one ends it as usual.
LMB_API void lmbi_interrupt_catch(void);
LMB_API bool lmbi_interrupted(void);
/// From now on SIGINT and SIGTERM are counted and do nothing else, however many come.
LMB_API void lmbi_interrupt_count_start(void);
/// How many came.
LMB_API int lmbi_interrupt_count(void);
/// The number of the first that came; 0 for none.
LMB_API int lmbi_interrupt_signal(void);

// ---- clock

/// Seconds since some moment in the past; never goes back.
LMB_API double lmb_clock_s(void);
/// Waits, no longer than that; a signal may end it early.
LMB_API void lmbi_sleep_s(double seconds);

#ifdef __cplusplus
}
#endif
#endif
