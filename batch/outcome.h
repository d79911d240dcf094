/// How one item of a batch ended, and the line that the results keep of it.
#ifndef LIMBER_BATCH_OUTCOME_H
#define LIMBER_BATCH_OUTCOME_H

#include "batch/records.h"

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
/// Sets `error` to two texts, one after the other. False without memory.
bool batch_outcome_set_error(batch_outcome *outcome, const char *text, const char *more);
void batch_outcome_clear_error(batch_outcome *outcome);
/// Takes warnings, the first error and finding codes out of what a command said. False without
/// memory.
bool batch_outcome_listen(batch_outcome *outcome, const char *messages, size_t size);
/// Takes finding codes out of what it printed. False without memory.
bool batch_outcome_look(batch_outcome *outcome, const char *text, size_t size);

/// What the outputs depend on: the version, the command as the manifest has it (wherever the folders
/// lie), the inputs' bytes. Sets `key` from `input`. False without memory.
bool batch_outcome_make_key(batch_outcome *outcome, const batch_item *item);

/// The line of the results, without its end. `at` is the time as RFC 3339 writes it: a later one is
/// a greater text. Paths are filled in with `folder`. Errors: MEMORY.
lmb_result batch_outcome_line(const batch_outcome *outcome, const batch_item *item,
                              const char *folder, const char *at, lmb_buffer *out,
                              lmb_error *error);

#endif
