/// The results of a folder, summed up; and the files that can be made of them.
#ifndef LIMBER_BATCH_REPORT_H
#define LIMBER_BATCH_REPORT_H

#include "cli/batch/batch.h"

/// Failures that are alike but for names and numbers.
typedef struct batch_cluster {
    const batch_record *first;
    size_t count;
} batch_cluster;

typedef struct batch_code {
    const char *code;
    size_t count; ///< items
} batch_code;

typedef struct batch_summary {
    size_t items, counts[BATCH_STATUS_COUNT];
    uint64_t bytes;
    batch_cluster *clusters; ///< the largest first
    size_t cluster_count;
    batch_code *codes; ///< by name
    size_t code_count;
} batch_summary;

/// A row an item, by id.
cli_exit batch_report_csv(const char *path, const batch_records *records);
/// One page without anything from elsewhere; links and pictures lead to `folder`.
cli_exit batch_report_html(const char *path, const char *folder, const batch_records *records,
                           const batch_summary *summary);

#endif
