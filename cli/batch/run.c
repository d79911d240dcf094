/// The workers of a batch: each takes the next item, runs it, and puts its line into the results.
#include "cli/batch/batch.h"
#include "os/interrupt.h"
#include "os/process.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/// Common to the workers. `lock` guards all but the run's fixed parts.
typedef struct crew {
    batch_run *run;
    pthread_mutex_t lock;
    size_t next;
    double begin_s, shown_s;
    enum { SHOW_NOT, SHOW_LINES, SHOW_IN_PLACE } show;
    bool shown;
} crew;

// ---------------------------------------------------------------------------------------- progress

/// Items that were run tell the rate; those that were skipped go by in no time.
static void show_progress(crew *c, double now_s)
{
    const batch_run *run = c->run;
    const batch_progress *p = &run->progress;
    const size_t ran = batch_progress_ran(p);
    const double rate = ran > 0 && now_s > c->begin_s ? (double)ran / (now_s - c->begin_s) : 0;
    const size_t left = run->mine_count - p->ended;
    fprintf(stderr, c->show == SHOW_IN_PLACE ? "\r\033[K" : "progress ");
    fprintf(stderr, "%zu/%zu items, %zu failed, %zu skipped, %.1f/s", p->ended, run->mine_count,
            batch_progress_failures(p), p->counts[BATCH_SKIPPED], rate);
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

/// Call with the lock.
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

/// The time as RFC 3339 writes it, in milliseconds.
static void write_time(char out[40])
{
    struct timespec now;
    struct tm parts;
    char day[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(out, 40, "%s.%03dZ", day, (int)(now.tv_nsec / 1000000));
}

static void end_item(crew *c, size_t index, const batch_outcome *outcome)
{
    batch_run *run = c->run;
    const batch_item *item = &run->manifest->items[index];
    lmb_buffer line = {0};
    lmb_error error;
    if (batch_is_news(batch_records_find(run->records, item->id), outcome)) {
        char now[40];
        write_time(now);
        if (batch_outcome_line(outcome, item, run->folder, now, &line, &error) != LMB_OK) {
            cli_out_of_memory();
        }
    }
    pthread_mutex_lock(&c->lock);
    if (line.data != NULL && run->trouble == CLI_DONE &&
        lmbi_journal_add(run->journal, (const char *)line.data, line.size, &error) != LMB_OK) {
        run->trouble =
            cli_fail(run->cli, CLI_OUTPUT, "the results cannot be written: %s", error.found);
    }
    if (!batch_progress_add(&run->progress, index, outcome, (size_t)run->limits.max_failures)) {
        cli_out_of_memory();
    }
    maybe_show(c, 1);
    pthread_mutex_unlock(&c->lock);
    lmb_buffer_free(&line);
}

static bool take_item(crew *c, size_t *index)
{
    pthread_mutex_lock(&c->lock);
    const batch_run *run = c->run;
    const bool more = c->next < run->mine_count && !run->progress.stopped &&
                      run->trouble == CLI_DONE && lmbi_interrupt_count() == 0;
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

static void finish_run(crew *c)
{
    batch_run *run = c->run;
    if (c->show == SHOW_LINES || c->shown) {
        show_progress(c, lmb_clock_s());
    }
    if (c->show == SHOW_IN_PLACE && c->shown) {
        fputs("\r\033[K", stderr);
    }
    batch_progress_end(&run->progress, run->mine_count);
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
