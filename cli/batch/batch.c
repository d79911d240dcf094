/// `limber batch`: thousands of jobs, on every core here or as tasks of a cluster's scheduler.
#include "cli/batch/batch.h"
#include "os/interrupt.h"
#include "os/process.h"
#include "os/reader.h"

#include <stdlib.h>
#include <string.h>

typedef struct batch_options {
    const char *out, *name, *print, *shard;
    cli_list over;
    int64_t jobs, max_failures;
    double timeout_s, memory_mb;
    bool keep_going, force, retry_failed, dry_run, report;
    batch_report_opts files;
} batch_options;

#include "cli/batch/batch.options.h"

// ---------------------------------------------------------------------------------------- the items

static bool words_have(const batch_words *words, batch_gap gap)
{
    for (size_t k = 0; k < words->count; ++k) {
        if (batch_has_gap(words->at[k], gap)) {
            return true;
        }
    }
    return false;
}

static cli_exit read_manifest(const cli_run *cli, const char *path, const batch_fields *fields,
                              batch_manifest *manifest)
{
    cli_bytes bytes;
    lmb_error error = {0};
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    if (lmbi_file_is_lfs_pointer(bytes.data, bytes.size)) {
        code = cli_fail(cli, CLI_INPUT, "%s: a git-lfs pointer, not the file", path);
    } else if (batch_manifest_read(manifest, bytes.data, bytes.size, fields, &error) != LMB_OK) {
        code = cli_fail_file(path, &error);
    }
    free(bytes.data);
    return code;
}

/// Only a command that writes an output is given the name of one.
static cli_exit find_items(const cli_run *cli, const batch_options *opts, batch_manifest *manifest)
{
    const int first = opts->over.count > 0 ? 0 : 1;
    batch_fields fields = {
        .command = {cli->inputs + first,
                    cli->input_count > first ? (size_t)(cli->input_count - first) : 0},
        .output = opts->name,
        .print = opts->print,
    };
    cli_exit code = CLI_DONE;
    if (opts->over.count == 0) {
        return read_manifest(cli, cli->inputs[0], &fields, manifest);
    }
    if (fields.command.count == 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--over: expected a command after --, such as -- rig "
                        "{input} -o {output}");
    }
    if (fields.output == NULL && words_have(&fields.command, BATCH_OUTPUT)) {
        fields.output = "{dir}{stem}.glb";
    }
    for (int k = 0; code == CLI_DONE && k < opts->over.count; ++k) {
        code = batch_over(cli, opts->over.items[k], &fields, manifest);
    }
    return code;
}

/// Words that cannot be run, found before anything is.
static cli_exit check_items(const cli_run *cli, const char *path, const batch_manifest *manifest)
{
    lmb_error error = {0};
    if (batch_manifest_check(manifest, &error) != LMB_OK) {
        return error.line != 0
                   ? cli_fail_file(path, &error)
                   : cli_fail(cli, CLI_USAGE, "expected %s, found %s", error.expected, error.found);
    }
    for (size_t k = 0; k < manifest->count; ++k) {
        const batch_item *item = &manifest->items[k];
        const char *name = item->command.at[0];
        if (!cli_is_command(name) || strcmp(name, "batch") == 0) {
            if (item->line == 0) {
                return cli_fail(cli, CLI_USAGE,
                                "expected a command of limber's that an item can run, found \"%s\"",
                                name);
            }
            error = (lmb_error){.code = LMB_ERROR_MALFORMED, .line = item->line, .column = 1};
            snprintf(error.expected, sizeof(error.expected),
                     "a command of limber's that an item can run");
            snprintf(error.found, sizeof(error.found), "\"%.100s\"", name);
            return cli_fail_file(path, &error);
        }
    }
    return CLI_DONE;
}

// --------------------------------------------------------------------------------------- the results

static char *results_name(const batch_shard *shard)
{
    char name[64];
    if (shard->count == 0) {
        return batch_join("results.jsonl", "");
    }
    snprintf(name, sizeof(name), "results-%u-of-%u.jsonl", shard->index, shard->count);
    return batch_join(name, "");
}

static void say_summary(const batch_run *run)
{
    enum { SHOWN = 5 };
    const cli_run *cli = run->cli;
    cli_say(cli, "batch",
            "%zu item%s: %zu done, %zu failed, %zu timeout, %zu crashed, %zu skipped, %zu left",
            run->mine_count, run->mine_count == 1 ? "" : "s", run->progress.counts[BATCH_DONE],
            run->progress.counts[BATCH_FAILED], run->progress.counts[BATCH_TIMEOUT],
            run->progress.counts[BATCH_CRASHED], run->progress.counts[BATCH_SKIPPED],
            run->progress.counts[BATCH_LEFT]);
    for (size_t k = 0; k < run->progress.failure_count && k < SHOWN; ++k) {
        const batch_failure *f = &run->progress.failures[k];
        cli_say(cli, batch_status_name(f->status), "%s: %s", run->manifest->items[f->item].id,
                f->error != NULL ? f->error : "");
    }
    if (run->progress.failure_count > SHOWN) {
        cli_say(cli, "", "%zu more like these: limber batch --report --out %s",
                run->progress.failure_count - SHOWN, run->folder);
    }
    if (run->progress.failed_before > 0) {
        cli_say(cli, "", "%zu failed before and were not run again (--retry-failed)",
                run->progress.failed_before);
    }
    if (run->progress.stopped) {
        cli_say(cli, "", "stopped by --max-failures");
    }
}

static void print_json(const batch_run *run, const batch_shard *shard, const char *results)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_integer(&json, "items", (int64_t)run->mine_count);
    for (int status = BATCH_DONE; status < BATCH_STATUS_COUNT; ++status) {
        cli_json_integer(&json, batch_status_name((batch_status)status),
                         (int64_t)run->progress.counts[status]);
    }
    cli_json_integer(&json, batch_status_name(BATCH_LEFT),
                     (int64_t)run->progress.counts[BATCH_LEFT]);
    cli_json_integer(&json, "failed_before", (int64_t)run->progress.failed_before);
    cli_json_integer(&json, "shard", shard->count > 0 ? shard->index : 1);
    cli_json_integer(&json, "shards", shard->count > 0 ? shard->count : 1);
    cli_json_text(&json, "results", results);
    cli_json_begin(&json, "failures", '[');
    for (size_t k = 0; k < run->progress.failure_count; ++k) {
        const batch_failure *f = &run->progress.failures[k];
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "id", run->manifest->items[f->item].id);
        cli_json_text(&json, "status", batch_status_name(f->status));
        if (f->exit_code >= 0) {
            cli_json_integer(&json, "exit_code", f->exit_code);
        } else {
            cli_json_null(&json, "exit_code");
        }
        cli_json_text(&json, "error", f->error);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

// ----------------------------------------------------------------------------------------- the run

static cli_exit run_items(batch_run *run, const batch_shard *shard)
{
    cli_run *cli = run->cli;
    batch_records records = {0};
    lmb_error error;
    char *name = results_name(shard), *results = batch_join(run->folder, name);
    cli_exit code = CLI_DONE;
    if (!batch_make_folders(run->folder)) {
        code = cli_fail(cli, CLI_OUTPUT, "%s: the folder cannot be made", run->folder);
    }
    // The file is this run's before the results are read, so that none of them comes after.
    if (code == CLI_DONE && lmbi_journal_open(results, &run->journal, &error) != LMB_OK) {
        code = cli_fail(cli, CLI_OUTPUT, "%s: cannot be written: %s", results, error.found);
    }
    if (code == CLI_DONE) {
        code = batch_results_read(cli, run->folder, name, &records);
    }
    if (code == CLI_DONE) {
        const size_t swept = batch_sweep(run->manifest, run->mine, run->mine_count, run->folder);
        if (swept > 0) {
            cli_say(cli, "swept", "%zu file%s that an earlier run left half written", swept,
                    swept == 1 ? "" : "s");
        }
        run->records = &records;
        code = batch_run_all(run);
        say_summary(run);
        if (cli->json) {
            print_json(run, shard, results);
        }
    }
    lmbi_journal_close(run->journal);
    batch_records_free(&records);
    free(name);
    free(results);
    if (code != CLI_DONE) {
        return code;
    }
    if (lmbi_interrupt_count() > 0) {
        return (cli_exit)(128 + lmbi_interrupt_signal());
    }
    return run->progress.failure_count > 0 ? CLI_PARTIAL : CLI_DONE;
}

static batch_limits limits_of(const cli_run *cli, const batch_options *opts)
{
    const int64_t threads = cli->thread_count > 0 ? cli->thread_count : 1;
    const int64_t cores = (int64_t)lmb_core_count() / threads;
    return (batch_limits){
        .jobs = (unsigned)(opts->jobs > 0 ? opts->jobs
                           : cores > 1    ? cores
                                          : 1),
        .timeout_s = opts->timeout_s,
        .memory_bytes = (uint64_t)(opts->memory_mb * 1048576.0),
        .max_failures = opts->max_failures,
        .force = opts->force,
        .retry_failed = opts->retry_failed,
        .threads = threads,
    };
}

static const char *environment(const char *name)
{
    return getenv(name);
}

static cli_exit run_shard(cli_run *cli, const batch_options *opts, const batch_manifest *manifest,
                          const char *folder)
{
    batch_shard shard;
    lmb_error error;
    if (batch_shard_read(opts->shard, environment, &shard, &error) != LMB_OK) {
        return cli_fail(cli, CLI_USAGE, "--shard: expected %s, found %s", error.expected,
                        error.found);
    }
    size_t *mine = cli_resize(NULL, manifest->count, sizeof(*mine)), count = 0;
    for (size_t k = 0; k < manifest->count; ++k) {
        if (batch_shard_has(&shard, manifest->items[k].id)) {
            mine[count++] = k;
        }
    }
    char *program = lmbi_program_path();
    batch_run run = {.cli = cli,
                     .limits = limits_of(cli, opts),
                     .manifest = manifest,
                     .folder = folder,
                     .program = program != NULL ? program : "limber",
                     .mine = mine,
                     .mine_count = count};
    const cli_exit code = opts->dry_run ? batch_dry_run(&run) : run_items(&run, &shard);
    batch_progress_free(&run.progress);
    free(program);
    free(mine);
    return code;
}

static cli_exit check_options(const cli_run *cli, const batch_options *opts)
{
    if (opts->out == NULL) {
        return cli_fail(cli, CLI_USAGE, "no folder: add --out DIR");
    }
    if (opts->over.count == 0 && cli->input_count == 0 && !opts->report) {
        return cli_fail(cli, CLI_USAGE,
                        "expected MANIFEST, or --over FOLDER -- COMMAND; `limber batch --help` "
                        "tells more");
    }
    if (opts->jobs < 0 || opts->jobs > 1024 || (cli_given(cli, "jobs") && opts->jobs == 0)) {
        return cli_fail(cli, CLI_USAGE, "--jobs: expected 1 to 1024, found %lld",
                        (long long)opts->jobs);
    }
    if (!(opts->timeout_s >= 0 && opts->timeout_s < 1e9)) {
        return cli_fail(cli, CLI_USAGE, "--timeout: expected seconds, found %g", opts->timeout_s);
    }
    if (!(opts->memory_mb >= 0 && opts->memory_mb < 1e9)) {
        return cli_fail(cli, CLI_USAGE, "--memory: expected megabytes, found %g", opts->memory_mb);
    }
    if (opts->max_failures < 0) {
        return cli_fail(cli, CLI_USAGE, "--max-failures: expected a count, found %lld",
                        (long long)opts->max_failures);
    }
    if (!opts->report && (opts->files.csv != NULL || opts->files.html != NULL)) {
        return cli_fail(cli, CLI_USAGE, "--csv and --html go with --report");
    }
    return CLI_DONE;
}

static cli_exit run_batch(cli_run *cli, const void *given)
{
    const batch_options *opts = given;
    cli_exit code = check_options(cli, opts);
    if (code != CLI_DONE) {
        return code;
    }
    batch_manifest manifest = {0};
    lmbi_arena_init(&manifest.arena, NULL);
    char *folder = batch_folder_of(opts->out);
    const bool has_items = opts->over.count > 0 || cli->input_count > 0;
    if (has_items) {
        code = find_items(cli, opts, &manifest);
    }
    if (code == CLI_DONE && has_items) {
        code = check_items(cli, cli->input_count > 0 ? cli->inputs[0] : "", &manifest);
    }
    if (code == CLI_DONE) {
        code = opts->report ? batch_report(cli, folder, has_items ? &manifest : NULL, &opts->files)
                            : run_shard(cli, opts, &manifest, folder);
    }
    batch_manifest_free(&manifest);
    free(folder);
    return code;
}
