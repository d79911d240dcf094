/// What is still to be done, and counts of what ended.
#include "batch/progress.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

batch_decision batch_decide(const batch_record *record, const uint8_t key[BATCH_DIGEST], bool force,
                            bool retry_failed)
{
    if (force || record == NULL || memcmp(record->key, key, BATCH_DIGEST) != 0) {
        return BATCH_RUN;
    }
    if (record->status == BATCH_DONE || record->status == BATCH_SKIPPED) {
        return BATCH_SKIP_UNCHANGED;
    }
    return retry_failed ? BATCH_RUN : BATCH_KEEP_FAILURE;
}

bool batch_is_news(const batch_record *record, const batch_outcome *outcome)
{
    const bool is_known = record != NULL && record->own;
    return outcome->status != BATCH_LEFT &&
           !(is_known && (outcome->before || outcome->status == BATCH_SKIPPED));
}

static bool add_failure(batch_progress *p, size_t index, const batch_outcome *outcome)
{
    void *failures = p->failures;
    if (!lmbi_grow(NULL, &failures, &p->failure_capacity, p->failure_count + 1,
                   sizeof *p->failures)) {
        return false;
    }
    p->failures = failures;
    char *error = NULL;
    if (outcome->error != NULL) {
        const size_t size = strlen(outcome->error) + 1;
        error = lmbi_alloc(NULL, size);
        if (error == NULL) {
            return false;
        }
        memcpy(error, outcome->error, size);
    }
    p->failures[p->failure_count++] =
        (batch_failure){index, outcome->status, outcome->exit_code, error};
    return true;
}

bool batch_progress_add(batch_progress *p, size_t index, const batch_outcome *outcome,
                        size_t max_failures)
{
    ++p->counts[outcome->status];
    ++p->ended;
    p->failed_before += outcome->before;
    if (!batch_status_is_failure(outcome->status)) {
        return true;
    }
    const size_t of_this_run = batch_progress_failures(p) - p->failed_before;
    p->stopped = p->stopped || (max_failures > 0 && of_this_run >= max_failures);
    return add_failure(p, index, outcome);
}

size_t batch_progress_failures(const batch_progress *p)
{
    return p->counts[BATCH_FAILED] + p->counts[BATCH_TIMEOUT] + p->counts[BATCH_CRASHED];
}

size_t batch_progress_ran(const batch_progress *p)
{
    return p->ended - p->counts[BATCH_SKIPPED] - p->failed_before;
}

static int compare_failures(const void *a, const void *b)
{
    const batch_failure *x = a, *y = b;
    return (x->item > y->item) - (x->item < y->item);
}

void batch_progress_end(batch_progress *p, size_t item_count)
{
    p->counts[BATCH_LEFT] += item_count - p->ended;
    if (p->failure_count > 0) {
        qsort(p->failures, p->failure_count, sizeof *p->failures, compare_failures);
    }
}

void batch_progress_free(batch_progress *p)
{
    for (size_t k = 0; k < p->failure_count; ++k) {
        lmbi_free(NULL, p->failures[k].error);
    }
    lmbi_free(NULL, p->failures);
    *p = (batch_progress){0};
}
