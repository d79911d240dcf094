// What a batch costs an item: tiny `info` items by `limber batch`, and the same commands by `xargs
// -P`, which keeps nothing of what came of them; then the batch once more, when all is done before.
// JSON on stdout. The command lies beside the benches, or where LIMBER says.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limber/os.h"
#include "os/process.h"

enum { ITEMS = 400, ROUNDS = 3, PATH_SIZE = 1200 };

/// All that a measurement reads and writes.
typedef struct place {
    char limber[PATH_SIZE], folder[64], list[96], out[96], results[128];
} place;

static int give_up(const char *what)
{
    fprintf(stderr, "batch_bench: %s\n", what);
    return 1;
}

// ---------------------------------------------------------------------------------------- the files

static void item_path(const place *where, int k, char path[128])
{
    snprintf(path, 128, "%s/%d.obj", where->folder, k);
}

static bool write_text(const char *path, const char *text)
{
    return lmb_file_write(path, text, strlen(text), NULL) == LMB_OK;
}

/// A triangle a file, no two alike, and the list of them that xargs reads.
static bool make_files(place *where)
{
    strcpy(where->folder, "/tmp/limber_batch_bench_XXXXXX");
    if (mkdtemp(where->folder) == NULL) {
        return false;
    }
    snprintf(where->list, sizeof(where->list), "%s/list", where->folder);
    snprintf(where->out, sizeof(where->out), "%s/out", where->folder);
    snprintf(where->results, sizeof(where->results), "%s/results.jsonl", where->out);
    FILE *list = fopen(where->list, "w");
    bool good = list != NULL;
    for (int k = 0; good && k < ITEMS; ++k) {
        char path[128], text[96];
        item_path(where, k, path);
        snprintf(text, sizeof(text), "v 0 0 0\nv 1 0 %d\nv 0 1 0\nf 1 2 3\n", k);
        good = write_text(path, text) && fprintf(list, "%s\n", path) > 0;
    }
    return list != NULL && fclose(list) == 0 && good;
}

static void forget_results(const place *where)
{
    remove(where->results);
    remove(where->out);
}

static void remove_files(const place *where)
{
    forget_results(where);
    for (int k = 0; k < ITEMS; ++k) {
        char path[128];
        item_path(where, k, path);
        remove(path);
    }
    remove(where->list);
    remove(where->folder);
}

// ---------------------------------------------------------------------------------------- the clock

/// Seconds until the command has ended; below 0 when it failed.
static double time_command(const char *const *arguments)
{
    lmbi_process *process = NULL;
    const double begin_s = lmb_clock_s();
    if (lmbi_process_start(&(lmbi_process_def){.arguments = arguments}, &process, NULL) != LMB_OK) {
        return -1;
    }
    const bool ended = lmbi_process_wait(process, 250);
    const double took_s = lmb_clock_s() - begin_s;
    const bool good = ended && lmbi_process_end(process)->exit_code == 0;
    lmbi_process_destroy(process);
    return good ? took_s : -1;
}

static double time_batch(const place *where, const char *jobs)
{
    const char *arguments[] = {where->limber, "batch",   "--over", where->folder, "--out",
                               where->out,    "-q",      "--jobs", jobs,          "--",
                               "info",        "{input}", NULL};
    return time_command(arguments);
}

static double time_xargs(const place *where, const char *jobs)
{
    const char *arguments[] = {"xargs",       "-a",   where->list, "-P", jobs, "-n", "1",
                               where->limber, "info", "--threads", "1",  "-q", NULL};
    return time_command(arguments);
}

typedef struct times {
    double batch_s, again_s, xargs_s;
} times;

static double less(double a, double b)
{
    return a < b ? a : b;
}

/// The best of the rounds, in which the ways take turns, so that what else the machine does falls
/// on all of them.
static bool measure(const place *where, const char *jobs, times *best)
{
    *best = (times){1e9, 1e9, 1e9};
    for (int round = 0; round < ROUNDS; ++round) {
        forget_results(where);
        const double batch_s = time_batch(where, jobs);
        const double again_s = time_batch(where, jobs);
        const double xargs_s = time_xargs(where, jobs);
        if (batch_s < 0 || again_s < 0 || xargs_s < 0) {
            return false;
        }
        best->batch_s = less(batch_s, best->batch_s);
        best->again_s = less(again_s, best->again_s);
        best->xargs_s = less(xargs_s, best->xargs_s);
    }
    return true;
}

static bool report(const place *where, unsigned jobs)
{
    char text[16];
    times t;
    snprintf(text, sizeof(text), "%u", jobs);
    if (!measure(where, text, &t)) {
        return false;
    }
    printf("{\"bench\": \"batch\", \"build\": \"%s\", \"cores\": %u, \"items\": %d, \"jobs\": %u, "
           "\"batch_items_per_s\": %.0f, \"xargs_items_per_s\": %.0f, "
           "\"skipped_items_per_s\": %.0f, \"batch_ms_more_an_item\": %.3f, "
           "\"batch_over_xargs\": %.3f}\n",
           LMBI_BUILD, lmb_core_count(), ITEMS, jobs, ITEMS / t.batch_s, ITEMS / t.xargs_s,
           ITEMS / t.again_s, 1e3 * (t.batch_s - t.xargs_s) / ITEMS, t.batch_s / t.xargs_s);
    return true;
}

int main(int argc, char **argv)
{
    (void)argc;
    place where;
    const char *slash = strrchr(argv[0], '/'), *given = getenv("LIMBER");
    if (given != NULL) {
        snprintf(where.limber, sizeof(where.limber), "%s", given);
    } else {
        snprintf(where.limber, sizeof(where.limber), "%.*s/../limber",
                 slash != NULL ? (int)(slash - argv[0]) : 1, slash != NULL ? argv[0] : ".");
    }
    if (!make_files(&where)) {
        return give_up("no input could be made in /tmp");
    }
    const unsigned cores = lmb_core_count();
    const bool good = report(&where, 1) && (cores == 1 || report(&where, cores));
    remove_files(&where);
    return good ? 0 : give_up("the command, or xargs, could not be run");
}
