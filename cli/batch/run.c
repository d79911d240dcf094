/// The workers of a batch: each takes the next item, runs it, and puts its line into the results.
#include "cli/batch/batch.h"
#include "os/interrupt.h"
#include "os/process.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// What the workers share. `lock` guards all but the run's fixed parts.
typedef struct crew {
    batch_run *run;
    pthread_mutex_t lock;
    size_t next, ended;
    double begin_s, shown_s;
    enum { SHOW_NOT, SHOW_LINES, SHOW_IN_PLACE } show;
    bool shown;
} crew;

// ---------------------------------------------------------------------------------------- progress

static size_t failures_of(const batch_run *run)
{
    return run->counts[BATCH_FAILED] + run->counts[BATCH_TIMEOUT] + run->counts[BATCH_CRASHED];
}

/// Items that were run tell the rate; those that were skipped go by in no time.
static void show_progress(crew *c, double now_s)
{
    const batch_run *run = c->run;
    const size_t ran = c->ended - run->counts[BATCH_SKIPPED] - run->failed_before;
    const double rate = ran > 0 && now_s > c->begin_s ? (double)ran / (now_s - c->begin_s) : 0;
    const size_t left = run->mine_count - c->ended;
    fprintf(stderr, c->show == SHOW_IN_PLACE ? "\r\033[K" : "progress ");
    fprintf(stderr, "%zu/%zu items, %zu failed, %zu skipped, %.1f/s", c->ended, run->mine_count,
            failures_of(run), run->counts[BATCH_SKIPPED], rate);
    if (rate > 0) {
        const double eta = (double)left / rate;
        fprintf(stderr, ", eta %.0f:%02.0f:%02.0f",
                eta / 3600 - 0.5 > 0 ? (double)(long)(eta / 3600) : 0.0,
                (double)((long)(eta / 60) % 60), (double)((long)eta % 60));
    }
    fputs(c->show == SHOW_IN_PLACE ? "" : "\n", stderr);
    fflush(stderr);
    c->shown_s = now_s;
    c->shown = true;
}

/// With the lock held.
static void maybe_show(crew *c, double every_s)
{
    const double now_s = lmb_clock_s();
    if (c->show != SHOW_NOT && now_s - c->shown_s >= every_s) {
        show_progress(c, now_s);
    }
}

static void tick(void *user)
{
    crew *c = user;
    if (pthread_mutex_trylock(&c->lock) == 0) {
        maybe_show(c, 1);
        pthread_mutex_unlock(&c->lock);
    }
}

// ----------------------------------------------------------------------------------------- the items

static void note_failure(batch_run *run, size_t item, const batch_outcome *outcome)
{
    if (run->failure_count == run->failure_capacity) {
        run->failure_capacity = run->failure_capacity * 2 + 16;
        run->failures = cli_resize(run->failures, run->failure_capacity, sizeof(*run->failures));
    }
    run->failures[run->failure_count++] =
        (batch_failure){item, outcome->status, outcome->exit_code,
                        outcome->error != NULL ? batch_join(outcome->error, "") : NULL};
}

/// Whether the item gets a line in the results: if it ran, or if only another shard's file has it,
/// so that each file is complete.
static bool is_news(const batch_run *run, const batch_item *item, const batch_outcome *outcome)
{
    const batch_record *record = batch_records_find(run->records, item->id);
    const bool is_known = record != NULL && record->own;
    return outcome->status != BATCH_LEFT &&
           !(is_known && (outcome->before || outcome->status == BATCH_SKIPPED));
}

static void count_outcome(crew *c, size_t index, const batch_outcome *outcome)
{
    batch_run *run = c->run;
    const bool failed = outcome->status != BATCH_DONE && outcome->status != BATCH_SKIPPED &&
                        outcome->status != BATCH_LEFT;
    ++run->counts[outcome->status];
    ++c->ended;
    run->failed_before += outcome->before;
    if (failed) {
        note_failure(run, index, outcome);
        const size_t now = failures_of(run) - run->failed_before;
        run->stopped = run->stopped ||
                       (run->limits.max_failures > 0 && now >= (size_t)run->limits.max_failures);
    }
    maybe_show(c, 1);
}

static void end_item(crew *c, size_t index, const batch_outcome *outcome)
{
    batch_run *run = c->run;
    const batch_item *item = &run->manifest->items[index];
    lmb_buffer line = {0};
    if (is_news(run, item, outcome)) {
        line = batch_line(run, item, outcome);
    }
    pthread_mutex_lock(&c->lock);
    lmb_error error;
    if (line.data != NULL && run->trouble == CLI_DONE &&
        lmbi_journal_add(run->journal, (const char *)line.data, line.size, &error) != LMB_OK) {
        run->trouble =
            cli_fail(run->cli, CLI_OUTPUT, "the results cannot be written: %s", error.found);
    }
    count_outcome(c, index, outcome);
    pthread_mutex_unlock(&c->lock);
    lmb_buffer_free(&line);
}

static bool take_item(crew *c, size_t *index)
{
    pthread_mutex_lock(&c->lock);
    const batch_run *run = c->run;
    const bool more = c->next < run->mine_count && !run->stopped && run->trouble == CLI_DONE &&
                      lmbi_interrupt_count() == 0;
    if (more) {
        *index = run->mine[c->next++];
    }
    pthread_mutex_unlock(&c->lock);
    return more;
}

static void work(void *context, size_t begin, size_t end)
{
    crew *c = context;
    (void)begin; // a piece is a worker, not an item: each goes on until there is none left
    (void)end;
    const batch_watch watch = {tick, c};
    size_t index = 0;
    while (take_item(c, &index)) {
        batch_outcome outcome;
        batch_item_run(c->run, &c->run->manifest->items[index], &watch, &outcome);
        end_item(c, index, &outcome);
        batch_outcome_free(&outcome);
    }
}

// ------------------------------------------------------------------------------------------- the run

static int compare_failures(const void *a, const void *b)
{
    const batch_failure *x = a, *y = b;
    return (x->item > y->item) - (x->item < y->item);
}

static void finish_run(crew *c)
{
    batch_run *run = c->run;
    if (c->show == SHOW_LINES || c->shown) {
        show_progress(c, lmb_clock_s());
    }
    if (c->show == SHOW_IN_PLACE && c->shown) {
        fputs("\r\033[K", stderr);
    }
    run->counts[BATCH_LEFT] += run->mine_count - c->ended;
    if (run->failure_count > 0) {
        qsort(run->failures, run->failure_count, sizeof(*run->failures), compare_failures);
    }
}

cli_exit batch_run_all(batch_run *run)
{
    lmb_pool *pool = NULL;
    lmb_error error;
    crew c = {.run = run, .begin_s = lmb_clock_s()};
    c.shown_s = c.begin_s;
    if (run->cli->progress_mode == CLI_PROGRESS_PLAIN) {
        c.show = SHOW_LINES;
    } else if (run->cli->progress_mode == CLI_PROGRESS_AUTO && !run->cli->quiet &&
               isatty(STDERR_FILENO)) {
        c.show = SHOW_IN_PLACE;
    }
    const size_t wanted = run->limits.jobs < run->mine_count ? run->limits.jobs : run->mine_count;
    if (lmb_pool_create(wanted > 0 ? (unsigned)wanted : 1, &pool, &error) != LMB_OK) {
        return cli_fail_call(run->cli, "starting threads", error.code, &error);
    }
    pthread_mutex_init(&c.lock, NULL);
    lmbi_interrupt_count_start();
    const lmb_jobs *jobs = lmb_pool_jobs(pool);
    lmb_parallel_for(jobs, jobs->worker_count, 1, work, &c);
    finish_run(&c);
    lmb_pool_destroy(pool);
    pthread_mutex_destroy(&c.lock);
    return run->trouble;
}

void batch_run_free(batch_run *run)
{
    for (size_t k = 0; k < run->failure_count; ++k) {
        free(run->failures[k].error);
    }
    free(run->failures);
    run->failures = NULL;
    run->failure_count = 0;
}
