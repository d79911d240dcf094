/// What a batch has still to do, and what came of it so far.
#ifndef LIMBER_BATCH_PROGRESS_H
#define LIMBER_BATCH_PROGRESS_H

#include "batch/outcome.h"

typedef enum batch_decision {
    BATCH_RUN = 0,
    BATCH_SKIP_UNCHANGED, ///< done before: skip it if its outputs are still the recorded bytes
    BATCH_KEEP_FAILURE,   ///< failed before, and failures are not tried again
} batch_decision;

/// What to do with an item of that key, of which earlier runs left `record` (or NULL).
batch_decision batch_decide(const batch_record *record, const uint8_t key[BATCH_DIGEST], bool force,
                            bool retry_failed);
/// Whether an outcome gets a line in the results: if the item ran, or if only another shard's file
/// has it, so that each file is complete.
bool batch_is_news(const batch_record *record, const batch_outcome *outcome);

typedef struct batch_failure {
    size_t item;
    batch_status status;
    int exit_code;
    char *error; ///< or NULL
} batch_failure;

/// Zero before the first outcome.
typedef struct batch_progress {
    size_t ended, counts[BATCH_STATUS_COUNT];
    size_t failed_before;
    size_t failure_count, failure_capacity;
    batch_failure *failures;
    bool stopped; ///< by the failures of this run
} batch_progress;

/// Counts the outcome of item `index` of the manifest; stops at `max_failures` of this run (0: no
/// limit). False without memory.
bool batch_progress_add(batch_progress *progress, size_t index, const batch_outcome *outcome,
                        size_t max_failures);
/// Failures of this run and of earlier ones.
size_t batch_progress_failures(const batch_progress *progress);
/// Items that this run executed: those that were skipped end in no time and say nothing of its rate.
size_t batch_progress_ran(const batch_progress *progress);
/// Counts what is left of so many items, and sorts the failures by item.
void batch_progress_end(batch_progress *progress, size_t item_count);
void batch_progress_free(batch_progress *progress);

// ---- summaries

/// Failures that are alike but for names and numbers.
typedef struct batch_cluster {
    const batch_record *first;
    size_t count;
} batch_cluster;

typedef struct batch_code {
    const char *code;
    size_t count; ///< items
} batch_code;

/// What all results say together. Points into the records.
typedef struct batch_summary {
    size_t items, counts[BATCH_STATUS_COUNT];
    uint64_t bytes;
    batch_cluster *clusters; ///< the largest first
    size_t cluster_count;
    batch_code *codes; ///< by name
    size_t code_count;
} batch_summary;

/// With a manifest its items count, and no others: records of others are removed, and items without
/// a record are left. `manifest` may be NULL. False without memory.
bool batch_summary_make(batch_records *records, const batch_manifest *manifest, batch_summary *out);
void batch_summary_free(batch_summary *summary);

#endif
