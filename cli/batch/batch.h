/// Declarations of `limber batch`: files, processes and threads. What the items are and what came of
/// them is the library beside it, `batch/`.
#ifndef LIMBER_BATCH_H
#define LIMBER_BATCH_H

#include "batch/progress.h"
#include "batch/shard.h"
#include "cli/cli.h"
#include "os/process.h"

#include "limber/os.h"

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

/// Reads all results*.jsonl of the folder (with a slash at its end). `own` is the name of the file
/// that this run adds to, or NULL.
cli_exit batch_results_read(const cli_run *cli, const char *folder, const char *own,
                            batch_records *out);

// ------------------------------------------------------------------------------------------ the run

typedef struct batch_limits {
    unsigned jobs;
    double timeout_s;      ///< 0: none
    uint64_t memory_bytes; ///< 0: no limit
    int64_t max_failures;  ///< 0: no limit
    bool force, retry_failed;
    int64_t threads; ///< of an item
} batch_limits;

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
    batch_progress progress;
    cli_exit trouble; ///< not an item's: the results cannot be written
} batch_run;

/// Runs what is to be run, on so many threads. What can be counted is in `run` then.
cli_exit batch_run_all(batch_run *run);

/// One item, from its inputs to its outputs. `stop` asks whether to kill it; a run that was
/// interrupted leaves it BATCH_LEFT.
typedef struct batch_watch {
    void (*tick)(void *user); ///< called now and then
    void *user;
} batch_watch;
void batch_item_run(const batch_run *run, const batch_item *item, const batch_watch *watch,
                    batch_outcome *out);
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

// ---- Files that are made of the results of a folder.

/// A row an item, by id.
cli_exit batch_report_csv(const char *path, const batch_records *records);
/// One page without anything from elsewhere; links and pictures lead to `folder`.
cli_exit batch_report_html(const char *path, const char *folder, const batch_records *records,
                           const batch_summary *summary);

#endif
