/// What the results of a folder say together: how many of each kind, what failed and why, alike
/// failures as one.
#include "cli/batch/batch.h"

#include <stdlib.h>
#include <string.h>

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
    cli_exit code = batch_results_read(cli, folder, NULL, &records);
    if (code == CLI_DONE && records.count == 0 && manifest == NULL) {
        code = cli_fail(cli, CLI_INPUT, "%s: no results lie here", folder);
    }
    if (code == CLI_DONE) {
        if (!batch_summary_make(&records, manifest, &summary)) {
            cli_out_of_memory();
        }
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
    batch_summary_free(&summary);
    batch_records_free(&records);
    return code;
}
