/// The shard of a batch that this process runs: given by option, or from the environment variables
/// of schedulers.
#include "cli/batch/batch.h"

#include "base/sha256.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS_MOST = 1000000 };

/// A whole number that is not negative and has nothing behind it but `end`.
static bool read_number(const char *text, char end, long *out, const char **after)
{
    char *stop = NULL;
    errno = 0;
    *out = text != NULL && *text >= '0' && *text <= '9' ? strtol(text, &stop, 10) : -1;
    if (stop == NULL || errno != 0 || *stop != end) {
        return false;
    }
    *after = stop;
    return true;
}

static bool from_environment(const char *name, long *out)
{
    const char *after;
    return read_number(getenv(name), 0, out, &after);
}

/// A task's index among tasks, from 0. A count of 0 is unknown.
typedef struct part {
    long index, count;
} part;

// ------------------------------------------------------------------------------------------- arrays

/// Arrays are numbered from any number in any step.
static bool of_range(const char *own, const char *first, const char *last, const char *step,
                     part *out)
{
    long index, begin, end, stride = 1;
    if (!from_environment(own, &index)) {
        return false;
    }
    if (!from_environment(first, &begin) || !from_environment(last, &end) ||
        (getenv(step) != NULL && !from_environment(step, &stride)) || stride < 1 || end < begin) {
        *out = (part){index - 1, 0};
        return true;
    }
    *out = (part){(index - begin) / stride, (end - begin) / stride + 1};
    return true;
}

static bool of_slurm_array(part *out)
{
    long count, index, begin;
    if (!of_range("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
                  "SLURM_ARRAY_TASK_STEP", out)) {
        return false;
    }
    if (!from_environment("SLURM_ARRAY_TASK_COUNT", &count)) {
        return true;
    }
    if (out->count == 0 && from_environment("SLURM_ARRAY_TASK_ID", &index) &&
        from_environment("SLURM_ARRAY_TASK_MIN", &begin)) {
        *out = (part){index - begin, count};
    } else if (count != out->count) {
        // With gaps in its numbers an array has fewer tasks than its range tells.
        *out = (part){-1, count};
    }
    return true;
}

static bool of_array(part *out)
{
    long index, last;
    if (of_slurm_array(out)) {
        return true;
    }
    if (from_environment("PBS_ARRAY_INDEX", &index)) {
        *out = (part){index - 1, 0}; // PBS does not tell how many there are
        return true;
    }
    if (of_range("SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", out)) {
        return true;
    }
    if (from_environment("LSB_JOBINDEX", &index) && index > 0) {
        *out = (part){index - 1, from_environment("LSB_JOBINDEX_END", &last) ? last : 0};
        return true;
    }
    return false;
}

// -------------------------------------------------------------------------------------------- ranks

static bool of_rank(part *out)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                           {"SLURM_PROCID", "SLURM_NTASKS"}};
    // The script of a Slurm job is process 0 of as many as it asked for, but alone: only a step has
    // ranks.
    const bool script = getenv("SLURM_JOB_ID") != NULL && getenv("SLURM_STEP_ID") == NULL;
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); ++k) {
        if (script && strncmp(names[k][0], "SLURM", 5) == 0) {
            continue;
        }
        part found;
        if (from_environment(names[k][0], &found.index) &&
            from_environment(names[k][1], &found.count)) {
            *out = found;
            return true;
        }
    }
    return false;
}

static cli_exit find_shard(const cli_run *cli, long given_count, batch_shard *out)
{
    part array = {0, 1}, rank = {0, 1};
    const bool has_array = of_array(&array), has_rank = of_rank(&rank);
    if (!has_array && !has_rank) {
        return cli_fail(cli, CLI_USAGE,
                        "--shard auto: expected a task of an array (SLURM_ARRAY_TASK_ID, "
                        "PBS_ARRAY_INDEX, SGE_TASK_ID, LSB_JOBINDEX) or a rank "
                        "(OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID), found none in the "
                        "environment");
    }
    if (given_count > 0 && has_array && array.count == 0) {
        array.count = given_count / (rank.count > 0 ? rank.count : 1);
    }
    if (array.count == 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--shard auto: the scheduler does not tell how many tasks there are; "
                        "say --shard auto/N");
    }
    const long count = array.count * rank.count, index = array.index * rank.count + rank.index;
    if (given_count > 0 && given_count != count) {
        return cli_fail(cli, CLI_USAGE, "--shard auto/%ld: the environment tells of %ld tasks",
                        given_count, count);
    }
    if (array.index < 0 || array.index >= array.count || rank.index < 0 ||
        rank.index >= rank.count || count > SHARDS_MOST) {
        return cli_fail(cli, CLI_USAGE,
                        "--shard auto: expected tasks without gaps in their numbers, found task "
                        "%ld of %ld",
                        index + 1, count);
    }
    *out = (batch_shard){(unsigned)index + 1, (unsigned)count};
    return CLI_DONE;
}

cli_exit batch_shard_read(const cli_run *cli, const char *text, batch_shard *out)
{
    long index = 0, count = 0;
    const char *after;
    *out = (batch_shard){0};
    if (text == NULL) {
        return CLI_DONE;
    }
    if (strcmp(text, "auto") == 0) {
        return find_shard(cli, 0, out);
    }
    if (strncmp(text, "auto/", 5) == 0 && read_number(text + 5, 0, &count, &after) && count > 0) {
        return find_shard(cli, count, out);
    }
    if (!read_number(text, '/', &index, &after) || !read_number(after + 1, 0, &count, &after) ||
        index < 1 || index > count || count > SHARDS_MOST) {
        return cli_fail(cli, CLI_USAGE,
                        "--shard: expected I/N with I from 1 to N, auto or auto/N, found \"%s\"",
                        text);
    }
    *out = (batch_shard){(unsigned)index, (unsigned)count};
    return CLI_DONE;
}

/// The first eight bytes of SHA-256 of the id, as a number with the highest byte first, modulo N:
/// an item's shard depends on nothing but its id.
bool batch_shard_has(const batch_shard *shard, const char *id)
{
    if (shard->count == 0) {
        return true;
    }
    lmbi_sha256 hash;
    uint8_t digest[LMBI_SHA256_SIZE];
    lmbi_sha256_start(&hash);
    lmbi_sha256_add(&hash, id, strlen(id));
    lmbi_sha256_end(&hash, digest);
    uint64_t number = 0;
    for (int k = 0; k < 8; ++k) {
        number = number << 8 | digest[k];
    }
    return number % shard->count + 1 == shard->index;
}
