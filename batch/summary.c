/// What the results of a folder say together: how many items ended in each way, and what failed,
/// failures that differ in names and numbers alone as one.
#include "batch/progress.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------- clusters

/// The message with names of files as "*" and numbers as "#". NULL without memory.
static char *kind_of(const batch_record *record)
{
    const char *text = record->error != NULL ? record->error : "";
    char *out = lmbi_alloc(NULL, strlen(text) + 2), *end = out;
    for (const char *at = text; out != NULL && *at != 0;) {
        const size_t word = strcspn(at, " ");
        if (memchr(at, '/', word) != NULL || memchr(at, '.', word) != NULL) {
            // Paths and names with an extension, and what follows them: ":3:14:".
            *end++ = '*';
            at += word;
        } else if (*at >= '0' && *at <= '9') {
            *end++ = '#';
            at += strspn(at, "0123456789");
        } else {
            *end++ = *at++;
        }
    }
    return out;
}

typedef struct failure_kind {
    char *kind;
    const batch_record *record;
} failure_kind;

static int compare_kinds(const void *a, const void *b)
{
    const failure_kind *x = a, *y = b;
    const int status = (int)x->record->status - (int)y->record->status;
    const int code = x->record->exit_code - y->record->exit_code;
    const int kind = strcmp(x->kind, y->kind);
    if (status != 0 || code != 0) {
        return status != 0 ? status : code;
    }
    return kind != 0 ? kind : strcmp(x->record->id, y->record->id);
}

static int compare_clusters(const void *a, const void *b)
{
    const batch_cluster *x = a, *y = b;
    if (x->count != y->count) {
        return x->count < y->count ? 1 : -1;
    }
    return strcmp(x->first->id, y->first->id);
}

static bool are_alike(const failure_kind *a, const failure_kind *b)
{
    return a->record->status == b->record->status && a->record->exit_code == b->record->exit_code &&
           strcmp(a->kind, b->kind) == 0;
}

static void count_clusters(failure_kind *all, size_t count, batch_summary *out)
{
    if (count == 0) {
        return;
    }
    qsort(all, count, sizeof *all, compare_kinds);
    for (size_t k = 0; k < count; ++k) {
        if (k == 0 || !are_alike(&all[k - 1], &all[k])) {
            out->clusters[out->cluster_count++] = (batch_cluster){.first = all[k].record};
        }
        ++out->clusters[out->cluster_count - 1].count;
    }
    qsort(out->clusters, out->cluster_count, sizeof *out->clusters, compare_clusters);
}

static bool find_clusters(const batch_records *records, batch_summary *out)
{
    failure_kind *all = lmbi_alloc_array(NULL, records->count, sizeof *all);
    out->clusters = lmbi_alloc_array(NULL, records->count, sizeof *out->clusters);
    bool fine = all != NULL && out->clusters != NULL;
    size_t count = 0;
    for (size_t k = 0; fine && k < records->count; ++k) {
        if (batch_status_is_failure(records->items[k].status)) {
            all[count] = (failure_kind){kind_of(&records->items[k]), &records->items[k]};
            fine = all[count].kind != NULL;
            count += fine;
        }
    }
    if (fine) {
        count_clusters(all, count, out);
    }
    for (size_t k = 0; k < count; ++k) {
        lmbi_free(NULL, all[k].kind);
    }
    lmbi_free(NULL, all);
    return fine;
}

// ------------------------------------------------------------------------------------------- codes

static int compare_codes(const void *a, const void *b)
{
    return strcmp(((const batch_code *)a)->code, ((const batch_code *)b)->code);
}

/// How many items each finding code was seen in.
static bool find_codes(const batch_records *records, batch_summary *out)
{
    size_t total = 0, kept = 0;
    for (size_t k = 0; k < records->count; ++k) {
        total += records->items[k].codes.count;
    }
    out->codes = lmbi_alloc_array(NULL, total, sizeof *out->codes);
    if (out->codes == NULL) {
        return false;
    }
    for (size_t k = 0, at = 0; k < records->count; ++k) {
        for (size_t c = 0; c < records->items[k].codes.count; ++c) {
            out->codes[at++] = (batch_code){records->items[k].codes.at[c], 1};
        }
    }
    if (total > 0) {
        qsort(out->codes, total, sizeof *out->codes, compare_codes);
    }
    for (size_t k = 0; k < total; ++k) {
        if (kept > 0 && strcmp(out->codes[kept - 1].code, out->codes[k].code) == 0) {
            ++out->codes[kept - 1].count;
        } else {
            out->codes[kept++] = out->codes[k];
        }
    }
    out->code_count = kept;
    return true;
}

// ------------------------------------------------------------------------------------------- items

/// Removes records of items that the manifest does not have, and counts items without a record.
static bool keep_wanted(batch_records *records, const batch_manifest *manifest, batch_summary *out)
{
    bool *wanted = lmbi_alloc_array(NULL, records->count, sizeof *wanted);
    if (wanted == NULL) {
        return false;
    }
    for (size_t k = 0; k < manifest->count; ++k) {
        const batch_record *record = batch_records_find(records, manifest->items[k].id);
        out->counts[BATCH_LEFT] += record == NULL;
        if (record != NULL) {
            wanted[record - records->items] = true;
        }
    }
    size_t kept = 0;
    for (size_t k = 0; k < records->count; ++k) {
        if (wanted[k]) {
            records->items[kept++] = records->items[k];
        }
    }
    records->count = kept;
    lmbi_free(NULL, wanted);
    return true;
}

bool batch_summary_make(batch_records *records, const batch_manifest *manifest, batch_summary *out)
{
    *out = (batch_summary){0};
    if (manifest != NULL && !keep_wanted(records, manifest, out)) {
        return false;
    }
    for (size_t k = 0; k < records->count; ++k) {
        // What was skipped had been done before.
        const batch_status status = records->items[k].status;
        ++out->counts[status == BATCH_SKIPPED ? BATCH_DONE : status];
        out->bytes += records->items[k].wrote.size + records->items[k].printed.size;
    }
    out->items = records->count + out->counts[BATCH_LEFT];
    const bool fine = find_clusters(records, out) && find_codes(records, out);
    if (!fine) {
        batch_summary_free(out);
    }
    return fine;
}

void batch_summary_free(batch_summary *summary)
{
    lmbi_free(NULL, summary->clusters);
    lmbi_free(NULL, summary->codes);
    *summary = (batch_summary){0};
}
