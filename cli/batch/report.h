/// The results of a folder, summed up; and the files that can be made of them.
#ifndef LIMBER_BATCH_REPORT_H
#define LIMBER_BATCH_REPORT_H

#include "cli/batch/batch.h"

/// A row an item, by id.
cli_exit batch_report_csv(const char *path, const batch_records *records);
/// One page without anything from elsewhere; links and pictures lead to `folder`.
cli_exit batch_report_html(const char *path, const char *folder, const batch_records *records,
                           const batch_summary *summary);

#endif
