/// What the results of a folder say together: how many of each kind, what failed and why, alike
/// failures as one.
#include "cli/batch/report.h"

#include <stdlib.h>
#include <string.h>

static bool is_failure(batch_status status)
{
    return status == BATCH_FAILED || status == BATCH_TIMEOUT || status == BATCH_CRASHED;
}

// ----------------------------------------------------------------------------------------- clusters

/// The message without what differs from item to item: names of files and numbers.
static char *kind_of(const batch_record *record)
{
    const char *text = record->error != NULL ? record->error : "";
    char *out = cli_resize(NULL, strlen(text) + 2, 1), *end = out;
    for (const char *at = text; *at != 0;) {
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
    *end = 0;
    return out;
}

typedef struct kinded {
    char *kind;
    const batch_record *record;
} kinded;

static int compare_kinds(const void *a, const void *b)
{
    const kinded *x = a, *y = b;
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

static bool are_alike(const kinded *a, const kinded *b)
{
    return a->record->status == b->record->status && a->record->exit_code == b->record->exit_code &&
           strcmp(a->kind, b->kind) == 0;
}

static void find_clusters(const batch_records *records, batch_summary *out)
{
    kinded *all = cli_resize(NULL, records->count, sizeof(*all));
    size_t count = 0;
    for (size_t k = 0; k < records->count; ++k) {
        if (is_failure(records->items[k].status)) {
            all[count++] = (kinded){kind_of(&records->items[k]), &records->items[k]};
        }
    }
    if (count > 0) {
        qsort(all, count, sizeof(*all), compare_kinds);
    }
    out->clusters = cli_resize(NULL, count, sizeof(*out->clusters));
    for (size_t k = 0; k < count; ++k) {
        if (k == 0 || !are_alike(&all[k - 1], &all[k])) {
            out->clusters[out->cluster_count++] = (batch_cluster){.first = all[k].record};
        }
        ++out->clusters[out->cluster_count - 1].count;
    }
    if (out->cluster_count > 0) {
        qsort(out->clusters, out->cluster_count, sizeof(*out->clusters), compare_clusters);
    }
    for (size_t k = 0; k < count; ++k) {
        free(all[k].kind);
    }
    free(all);
}

// ------------------------------------------------------------------------------------------- codes

static int compare_codes(const void *a, const void *b)
{
    return strcmp(((const batch_code *)a)->code, ((const batch_code *)b)->code);
}

/// How many items each finding code was seen in.
static void find_codes(const batch_records *records, batch_summary *out)
{
    size_t total = 0, kept = 0;
    for (size_t k = 0; k < records->count; ++k) {
        total += records->items[k].codes.count;
    }
    out->codes = cli_resize(NULL, total, sizeof(*out->codes));
    for (size_t k = 0, at = 0; k < records->count; ++k) {
        for (size_t c = 0; c < records->items[k].codes.count; ++c) {
            out->codes[at++] = (batch_code){records->items[k].codes.at[c], 1};
        }
    }
    if (total > 0) {
        qsort(out->codes, total, sizeof(*out->codes), compare_codes);
    }
    for (size_t k = 0; k < total; ++k) {
        if (kept > 0 && strcmp(out->codes[kept - 1].code, out->codes[k].code) == 0) {
            ++out->codes[kept - 1].count;
        } else {
            out->codes[kept++] = out->codes[k];
        }
    }
    out->code_count = kept;
}

// ------------------------------------------------------------------------------------- the summary

/// With a manifest its items count, and no others; those without a record are left.
static void count_items(batch_records *records, const batch_manifest *manifest, batch_summary *out)
{
    if (manifest != NULL) {
        bool *wanted = cli_resize(NULL, records->count, sizeof(*wanted));
        memset(wanted, 0, records->count * sizeof(*wanted));
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
        free(wanted);
    }
    for (size_t k = 0; k < records->count; ++k) {
        // What was skipped had been done before.
        const batch_status status = records->items[k].status;
        ++out->counts[status == BATCH_SKIPPED ? BATCH_DONE : status];
        out->bytes += records->items[k].wrote.size + records->items[k].printed.size;
    }
    out->items = records->count + out->counts[BATCH_LEFT];
}

static void say_report(const cli_run *cli, const batch_summary *s)
{
    enum { SHOWN = 20 };
    cli_print("%-10s %zu item%s, %.1f MB written\n", "batch", s->items, s->items == 1 ? "" : "s",
              (double)s->bytes / 1e6);
    for (int status = BATCH_LEFT; status < BATCH_SKIPPED; ++status) {
        if (s->counts[status] > 0) {
            cli_print("%-10s %zu\n", batch_status_name((batch_status)status), s->counts[status]);
        }
    }
    for (size_t k = 0; k < s->cluster_count && (k < SHOWN || cli->verbose > 0); ++k) {
        const batch_cluster *c = &s->clusters[k];
        cli_print("%s%6zu  %s",
                  k == 0 ? "\nfailures, alike ones together, each with its first\n" : "", c->count,
                  batch_status_name(c->first->status));
        if (c->first->exit_code >= 0) {
            cli_print(" %d", c->first->exit_code);
        }
        cli_print("  %s: %s\n", c->first->id, c->first->error != NULL ? c->first->error : "");
    }
    if (s->cluster_count > SHOWN && cli->verbose == 0) {
        cli_print("        %zu more kinds (-v)\n", s->cluster_count - SHOWN);
    }
    for (size_t k = 0; k < s->code_count; ++k) {
        cli_print("%s%6zu  %s\n", k == 0 ? "\nfindings, in so many items\n" : "", s->codes[k].count,
                  s->codes[k].code);
    }
}

static void print_json(const batch_summary *s)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_integer(&json, "items", (int64_t)s->items);
    for (int status = BATCH_DONE; status < BATCH_SKIPPED; ++status) {
        cli_json_integer(&json, batch_status_name((batch_status)status),
                         (int64_t)s->counts[status]);
    }
    cli_json_integer(&json, batch_status_name(BATCH_LEFT), (int64_t)s->counts[BATCH_LEFT]);
    cli_json_integer(&json, "bytes", (int64_t)s->bytes);
    cli_json_begin(&json, "failures", '[');
    for (size_t k = 0; k < s->cluster_count; ++k) {
        const batch_record *first = s->clusters[k].first;
        cli_json_begin(&json, NULL, '{');
        cli_json_integer(&json, "count", (int64_t)s->clusters[k].count);
        cli_json_text(&json, "status", batch_status_name(first->status));
        if (first->exit_code >= 0) {
            cli_json_integer(&json, "exit_code", first->exit_code);
        } else {
            cli_json_null(&json, "exit_code");
        }
        cli_json_text(&json, "first_id", first->id);
        cli_json_text(&json, "first_error", first->error);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_begin(&json, "codes", '[');
    for (size_t k = 0; k < s->code_count; ++k) {
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "code", s->codes[k].code);
        cli_json_integer(&json, "items", (int64_t)s->codes[k].count);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

cli_exit batch_report(const cli_run *cli, const char *folder, const batch_manifest *manifest,
                      const batch_report_opts *opts)
{
    batch_records records;
    batch_summary summary = {0};
    cli_exit code = batch_records_read(cli, folder, NULL, &records);
    if (code == CLI_DONE && records.count == 0 && manifest == NULL) {
        code = cli_fail(cli, CLI_INPUT, "%s: no results lie here", folder);
    }
    if (code == CLI_DONE) {
        count_items(&records, manifest, &summary);
        find_clusters(&records, &summary);
        find_codes(&records, &summary);
        if (cli->json) {
            print_json(&summary);
        } else {
            say_report(cli, &summary);
        }
    }
    if (code == CLI_DONE && opts->csv != NULL) {
        code = batch_report_csv(opts->csv, &records);
    }
    if (code == CLI_DONE && opts->html != NULL) {
        code = batch_report_html(opts->html, folder, &records, &summary);
    }
    free(summary.clusters);
    free(summary.codes);
    batch_records_free(&records);
    return code;
}
