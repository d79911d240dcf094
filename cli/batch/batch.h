/// Declarations of `limber batch`. A manifest (manifest.h) lists the items; records are the results
/// of earlier runs; a run executes the rest, one process per item.
#ifndef LIMBER_BATCH_H
#define LIMBER_BATCH_H

#include "cli/batch/manifest.h"
#include "cli/cli.h"
#include "os/process.h"

#include "limber/os.h"

enum { BATCH_DIGEST = 32, BATCH_HEX = 65 };

// -------------------------------------------------------------------------------------- the records

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

/// The last record of each id, by id.
typedef struct batch_records {
    lmbi_arena arena;
    batch_record *items;
    size_t count, capacity;
    size_t unreadable; ///< lines
} batch_records;

/// Reads all results*.jsonl of the folder (with a slash at its end). `own` is the name of the file
/// that this run adds to, or NULL.
cli_exit batch_records_read(const cli_run *cli, const char *folder, const char *own,
                            batch_records *out);
const batch_record *batch_records_find(const batch_records *records, const char *id);
void batch_records_free(batch_records *records);

// ---------------------------------------------------------------------------------------- the shard

typedef struct batch_shard {
    unsigned index, count; ///< index from 1; count 0: no shards
} batch_shard;

/// "I/N", "auto" or "auto/N"; NULL is none.
cli_exit batch_shard_read(const cli_run *cli, const char *text, batch_shard *out);
bool batch_shard_has(const batch_shard *shard, const char *id);

// ---------------------------------------------------------------------------------------- the files

/// Items for all files below a folder, or for those that a pattern names.
cli_exit batch_over(const cli_run *cli, const char *over, const batch_fields *fields,
                    batch_manifest *manifest);
/// The same path with a slash at its end; free it.
char *batch_folder_of(const char *path);
/// Two texts as one; free it.
char *batch_join(const char *a, const char *b);
/// Makes all folders that `path` names up to its last slash.
bool batch_make_folders(const char *path);
/// A file, or all files of a folder as `sha256sum` would list them, by name.
bool batch_digest(const char *path, bool is_folder, batch_written *out);
/// Removes what killed commands left beside outputs: `NAME.PROCESS-N.tmp`, of process `id`.
void batch_remove_temporaries(const char *output, bool is_folder, long id);
/// The same for all outputs of a run before it starts, of any process. Returns how many.
size_t batch_sweep(const batch_manifest *manifest, const size_t *mine, size_t count,
                   const char *folder);

// ------------------------------------------------------------------------------------------ the run

typedef struct batch_limits {
    unsigned jobs;
    double timeout_s;      ///< 0: none
    uint64_t memory_bytes; ///< 0: no limit
    int64_t max_failures;  ///< 0: no limit
    bool force, retry_failed;
    int64_t threads; ///< of an item
} batch_limits;

/// How an item ended this time.
typedef struct batch_outcome {
    batch_status status;
    bool before; ///< an earlier run failed, and this one did not try again
    int exit_code, signal;
    double wall_s;
    uint64_t peak_bytes;
    bool has_input;
    uint8_t input[BATCH_DIGEST], key[BATCH_DIGEST];
    batch_written wrote, printed;
    char *error; ///< the first line that is no warning, or why it was ended; NULL
    char **warnings, **codes;
    size_t warning_count, code_count;
} batch_outcome;

void batch_outcome_free(batch_outcome *outcome);
/// Takes warnings, the first error and finding codes out of what a command said.
void batch_outcome_listen(batch_outcome *outcome, const char *messages, size_t size);
/// Takes finding codes out of what it printed.
void batch_outcome_look(batch_outcome *outcome, const char *text, size_t size);

typedef struct batch_failure {
    size_t item;
    batch_status status;
    int exit_code;
    char *error;
} batch_failure;

/// What a run is made of, and what came of it.
typedef struct batch_run {
    cli_run *cli;
    batch_limits limits;
    const batch_manifest *manifest;
    const batch_records *records;
    const char *folder, *program;
    lmbi_journal *journal;
    const size_t *mine; ///< items of this shard
    size_t mine_count;
    size_t counts[BATCH_STATUS_COUNT];
    size_t failed_before;
    size_t failure_count, failure_capacity;
    batch_failure *failures; ///< in the order of the manifest
    bool stopped;            ///< by --max-failures
    cli_exit trouble;        ///< not an item's: the results cannot be written
} batch_run;

/// Runs what is to be run, on so many threads. What can be counted is in `run` then.
cli_exit batch_run_all(batch_run *run);
void batch_run_free(batch_run *run);

/// One item, from its inputs to its outputs. `stop` asks whether to kill it; a run that was
/// interrupted leaves it BATCH_LEFT.
typedef struct batch_watch {
    void (*tick)(void *user); ///< called now and then
    void *user;
} batch_watch;
void batch_item_run(const batch_run *run, const batch_item *item, const batch_watch *watch,
                    batch_outcome *out);
/// The line of the results, without its end. data is NULL when out of memory; free it.
lmb_buffer batch_line(const batch_run *run, const batch_item *item, const batch_outcome *outcome);

/// What `sh` must be given to see that word.
void batch_print_quoted(FILE *out, const char *word);
/// The command lines, one a line.
cli_exit batch_dry_run(const batch_run *run);
/// The command as it is started: with limber's name, and --threads and -q unless it has them.
batch_words batch_start_words(lmbi_arena *arena, const batch_run *run, const batch_item *item);

// --------------------------------------------------------------------------------------- the report

typedef struct batch_report_opts {
    const char *csv, *html;
} batch_report_opts;

/// What all results of the folder say; `manifest` may be NULL.
cli_exit batch_report(const cli_run *cli, const char *folder, const batch_manifest *manifest,
                      const batch_report_opts *opts);

#endif
