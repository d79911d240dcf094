/// One item: known again when nothing changed, else run in a process of its own; what it wrote is
/// named by its bytes.
#include "cli/batch/batch.h"
#include "os/interrupt.h"
#include "os/process.h"

#include "base/sha256.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------ what is wanted

/// The digest of the only input, or of what `sha256sum` prints of several. False when one cannot be
/// read: the command will say why.
static bool digest_inputs(const batch_item *item, uint8_t out[BATCH_DIGEST])
{
    lmbi_sha256 hash;
    lmbi_sha256_start(&hash);
    bool good = item->inputs.count > 0;
    for (size_t k = 0; good && k < item->inputs.count; ++k) {
        const char *name = item->inputs.at[k];
        batch_written one;
        char hex[LMBI_SHA256_HEX];
        char *path = batch_join(name[0] != '/' ? item->base : "", name);
        good = batch_digest(path, false, &one);
        free(path);
        lmbi_sha256_hex(one.digest, hex);
        lmbi_sha256_add(&hash, hex, LMBI_SHA256_HEX - 1);
        lmbi_sha256_add(&hash, "  ", 2);
        lmbi_sha256_add(&hash, name, strlen(name));
        lmbi_sha256_add(&hash, "\n", 1);
        memcpy(out, one.digest, BATCH_DIGEST);
    }
    if (item->inputs.count > 1) {
        lmbi_sha256_end(&hash, out);
    }
    return good;
}

static bool is_still(const batch_run *run, const char *path, bool is_folder,
                     const batch_written *before, batch_written *now)
{
    if (path == NULL) {
        return true;
    }
    char *full = batch_join(run->folder, path);
    const bool same = before->there && batch_digest(full, is_folder, now) &&
                      memcmp(now->digest, before->digest, BATCH_DIGEST) == 0;
    free(full);
    return same;
}

/// Why the item failed, of two texts.
static void set_error(batch_outcome *out, const char *text, const char *more)
{
    if (!batch_outcome_set_error(out, text, more)) {
        cli_out_of_memory();
    }
}

/// Whether an earlier run did it, or failed to, and nothing has changed since.
static bool was_run(const batch_run *run, const batch_item *item, batch_outcome *out)
{
    const batch_record *record = batch_records_find(run->records, item->id);
    switch (batch_decide(record, out->key, run->limits.force, run->limits.retry_failed)) {
    case BATCH_RUN:
        return false;
    case BATCH_SKIP_UNCHANGED:
        if (!is_still(run, item->output, item->output_is_folder, &record->wrote, &out->wrote) ||
            !is_still(run, item->print, false, &record->printed, &out->printed)) {
            return false;
        }
        out->status = BATCH_SKIPPED;
        break;
    case BATCH_KEEP_FAILURE:
        out->status = record->status;
        out->before = true;
        if (record->error != NULL) {
            set_error(out, record->error, "");
        }
        break;
    }
    out->exit_code = record->exit_code;
    return true;
}

// -------------------------------------------------------------------------------------- the process

/// Standard output goes to a file of another name, renamed when it is complete.
typedef struct printing {
    char *path, *temporary;
} printing;

static printing printing_start(const batch_run *run, const batch_item *item)
{
    printing out = {0};
    if (item->print != NULL) {
        out.path = batch_join(run->folder, item->print);
        const size_t size = strlen(out.path) + 40;
        out.temporary = cli_resize(NULL, size, 1);
        snprintf(out.temporary, size, "%s.%ld-0.tmp", out.path, (long)getpid());
    }
    return out;
}

/// What a `check` prints is also wanted when its gate fails.
static void printing_end(printing *p, batch_outcome *out)
{
    if (p->path == NULL) {
        return;
    }
    const bool kept = out->status == BATCH_DONE || out->exit_code == CLI_GATE;
    lmb_file file = {0};
    if (kept && lmb_file_read(p->temporary, 0, &file, NULL) == LMB_OK &&
        !batch_outcome_look(out, (const char *)file.data, file.size)) {
        cli_out_of_memory();
    }
    lmb_file_free(&file);
    if (!kept) {
        unlink(p->temporary);
    } else if (rename(p->temporary, p->path) != 0) {
        unlink(p->temporary);
        if (out->status == BATCH_DONE) {
            out->status = BATCH_FAILED;
            set_error(out, p->path, ": cannot be written");
        }
    }
    free(p->path);
    free(p->temporary);
    *p = (printing){0};
}

static void set_error_number(batch_outcome *out, const char *format, double number)
{
    char text[100];
    snprintf(text, sizeof(text), format, number);
    set_error(out, text, "");
}

/// Until it ends, takes too long, or a second interrupt asks for an end at once.
static bool watch_process(const batch_run *run, lmbi_process *process, const batch_watch *watch)
{
    const double begin_s = lmb_clock_s();
    bool late = false, killed = false;
    while (!lmbi_process_wait(process, 0.1)) {
        late =
            late || (run->limits.timeout_s > 0 && lmb_clock_s() - begin_s > run->limits.timeout_s);
        if (!killed && (late || lmbi_interrupt_count() > 1)) {
            lmbi_process_kill(process);
            killed = true;
        }
        watch->tick(watch->user);
    }
    return late;
}

static void judge(const batch_run *run, const lmbi_process_outcome *end, bool late,
                  batch_outcome *out)
{
    out->exit_code = end->exit_code;
    out->signal = end->signal;
    out->wall_s = end->wall_s;
    out->peak_bytes = end->peak_bytes;
    if (!batch_outcome_listen(out, end->messages, end->message_size)) {
        cli_out_of_memory();
    }
    if (late && end->signal != 0) {
        out->status = BATCH_TIMEOUT;
        set_error_number(out, "took longer than %g s", run->limits.timeout_s);
    } else if (end->signal != 0) {
        // A scheduler that ends a job signals all of its processes.
        out->status = lmbi_interrupt_count() > 0 ? BATCH_LEFT : BATCH_CRASHED;
        if (out->error == NULL) {
            set_error(out, "ended by a signal: ", strsignal(end->signal));
        }
    } else if (end->exit_code != 0) {
        out->status = BATCH_FAILED;
        if (out->error == NULL) {
            set_error_number(out, "exit code %g", end->exit_code);
        }
    } else {
        out->status = BATCH_DONE;
        batch_outcome_clear_error(out);
    }
}

static void start_and_wait(const batch_run *run, const batch_item *item, const char *output,
                           const batch_watch *watch, batch_outcome *out)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    lmb_error error = {0};
    lmbi_process *process = NULL;
    printing print = printing_start(run, item);
    const batch_words words = batch_start_words(&arena, run, item);
    const lmbi_process_def def = {
        .arguments = words.at, .output = print.temporary, .memory_limit = run->limits.memory_bytes};
    if (words.at == NULL || lmbi_process_start(&def, &process, &error) != LMB_OK) {
        out->status = BATCH_FAILED;
        out->exit_code = CLI_FAILED;
        set_error(out, "cannot be started: ", words.at == NULL ? "out of memory" : error.found);
    } else {
        const bool late = watch_process(run, process, watch);
        judge(run, lmbi_process_end(process), late, out);
        if (out->signal != 0 && output != NULL) {
            batch_remove_temporaries(output, item->output_is_folder, lmbi_process_id(process));
        }
    }
    printing_end(&print, out);
    lmbi_process_destroy(process);
    lmbi_arena_free(&arena);
}

/// What was promised must be there.
static void digest_output(const batch_item *item, const char *output, batch_outcome *out)
{
    if (!batch_digest(output, item->output_is_folder, &out->wrote)) {
        out->status = BATCH_FAILED;
        set_error(out, "the command did not write ", item->output);
    }
}

void batch_item_run(const batch_run *run, const batch_item *item, const batch_watch *watch,
                    batch_outcome *out)
{
    *out = (batch_outcome){.exit_code = -1};
    out->has_input = digest_inputs(item, out->input);
    if (!batch_outcome_make_key(out, item)) {
        cli_out_of_memory();
    }
    if (was_run(run, item, out)) {
        return;
    }
    out->wrote = out->printed = (batch_written){0};
    char *output = item->output != NULL ? batch_join(run->folder, item->output) : NULL;
    char *folder = output != NULL && item->output_is_folder ? batch_folder_of(output) : NULL;
    char *print = item->print != NULL ? batch_join(run->folder, item->print) : NULL;
    // What cannot be made shows when the file is written.
    (void)(output == NULL || batch_make_folders(folder != NULL ? folder : output));
    (void)(print == NULL || batch_make_folders(print));
    start_and_wait(run, item, output, watch, out);
    if (out->status == BATCH_DONE && output != NULL) {
        digest_output(item, output, out);
    }
    if (print != NULL && (out->status == BATCH_DONE || out->exit_code == CLI_GATE)) {
        batch_digest(print, false, &out->printed);
    }
    free(output);
    free(folder);
    free(print);
}
