/// Child processes, and journals that survive a crash of this one.
#ifndef OS_PROCESS_H
#define OS_PROCESS_H

#include "limber/os.h"

/// A file that lines are added to, by one program at a time.
typedef struct lmbi_journal lmbi_journal;

/// Opens or makes it. What stands behind the last line end was torn off while it was written, and
/// is cut off. Errors: INVALID with the system's reason in `found`, also when another program has
/// it open; MEMORY.
lmb_result lmbi_journal_open(const char *path, lmbi_journal **out, lmb_error *error);

/// Adds a line (`size` bytes without its end) at once: whatever ends this program, it is there or
/// is cut off later. Errors: INVALID.
lmb_result lmbi_journal_add(lmbi_journal *journal, const char *line, size_t size, lmb_error *error);

/// Brings it to the disk first. NULL is allowed.
void lmbi_journal_close(lmbi_journal *journal);

/// Another program that runs beside this one.
typedef struct lmbi_process lmbi_process;

typedef struct lmbi_process_def {
    /// Ends with NULL. The first is the program, looked for in PATH when it has no slash.
    const char *const *arguments;
    const char *output;    ///< file that its standard output overwrites; NULL discards it
    uint64_t memory_limit; ///< bytes that the program may allocate; 0: no limit
} lmbi_process_def;

/// How it ended.
typedef struct lmbi_process_outcome {
    int exit_code; ///< -1 when a signal ended it
    int signal;    ///< 0 when it ended by itself
    double wall_s;
    /// Peak memory in bytes. At least what this program used when it started the process.
    uint64_t peak_bytes;
    const char *messages; ///< its standard error, terminated; at most the first and last 32 KiB
    size_t message_size;
} lmbi_process_outcome;

/// Starts it in a group of its own, so that a terminal's interrupt does not reach it, with nothing
/// on standard input and no core dumps. On Linux it ends with the thread that started it. Errors:
/// INVALID with the system's reason in `found`; MEMORY.
lmb_result lmbi_process_start(const lmbi_process_def *def, lmbi_process **out, lmb_error *error);

/// Waits until it ends, no longer than `timeout_s`. True when it has ended.
bool lmbi_process_wait(lmbi_process *process, double timeout_s);

/// Ends it and what it started, at once; to be waited for all the same.
void lmbi_process_kill(const lmbi_process *process);

/// The system's number of it.
long lmbi_process_id(const lmbi_process *process);

/// Once it has ended; lives as long as the process.
const lmbi_process_outcome *lmbi_process_end(const lmbi_process *process);

/// Kills it if it still runs. NULL is allowed.
void lmbi_process_destroy(lmbi_process *process);

/// The path of the running program, to be freed with free; NULL when the system does not tell.
char *lmbi_program_path(void);

#endif
