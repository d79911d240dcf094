/// What earlier runs of a batch wrote into their results: a JSON object a line, of which the last of
/// each id counts. Bytes in; nothing here opens a file or prints.
#ifndef LIMBER_BATCH_RECORDS_H
#define LIMBER_BATCH_RECORDS_H

#include "batch/manifest.h"

enum { BATCH_DIGEST = 32 };

typedef enum batch_status {
    BATCH_LEFT = 0, ///< not run
    BATCH_DONE,
    BATCH_FAILED,  ///< the command failed with an exit code
    BATCH_TIMEOUT, ///< killed because it took too long
    BATCH_CRASHED, ///< ended by a signal
    BATCH_SKIPPED, ///< done before, and nothing has changed since
    BATCH_STATUS_COUNT,
} batch_status;

const char *batch_status_name(batch_status status);
/// FAILED, TIMEOUT or CRASHED.
bool batch_status_is_failure(batch_status status);

/// A file that an item wrote.
typedef struct batch_written {
    bool there;
    uint8_t digest[BATCH_DIGEST];
    uint64_t size;
} batch_written;

/// What a line of the results says.
typedef struct batch_record {
    const char *id, *at, *output, *print, *error;
    batch_words codes;
    batch_status status;
    int exit_code; ///< -1 for none
    uint8_t key[BATCH_DIGEST];
    batch_written wrote, printed;
    float wall_s, peak_mb;
    bool own;     ///< of the file that this run adds to
    size_t order; ///< in which it was read
} batch_record;

/// Zero before the first batch_records_add.
typedef struct batch_records {
    lmbi_arena arena;
    batch_record *items;
    size_t count, capacity;
    size_t unreadable; ///< lines
} batch_records;

/// Whether a file of that name holds results: "results.jsonl", "results-1-of-4.jsonl".
bool batch_records_is_file(const char *name);
/// Adds the lines of a file; `own` marks those of the file that this run adds to. What stands behind
/// the last line end is still being written, or was torn off, and is left out. False without memory.
bool batch_records_add(batch_records *records, const void *bytes, size_t size, bool own);
/// Sorts by id and keeps the last record of each: the latest in time, of equal times the one read
/// last. It is `own` if any of that id was.
void batch_records_keep_last(batch_records *records);
/// After batch_records_keep_last; NULL where there is none.
const batch_record *batch_records_find(const batch_records *records, const char *id);
void batch_records_free(batch_records *records);

#endif
