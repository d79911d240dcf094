/// The shard of a batch that this process runs: given by option, or from the environment variables
/// of schedulers.
#include "batch/shard.h"

#include "base/error.h"
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

static bool from_environment(batch_variable *variable, const char *name, long *out)
{
    const char *after;
    return read_number(variable(name), 0, out, &after);
}

/// A task's index among tasks, from 0. A count of 0 is unknown.
typedef struct part {
    long index, count;
} part;

// ------------------------------------------------------------------------------------------- arrays

/// Arrays are numbered from any number in any step.
static bool of_range(batch_variable *variable, const char *own, const char *first, const char *last,
                     const char *step, part *out)
{
    long index, begin, end, stride = 1;
    if (!from_environment(variable, own, &index)) {
        return false;
    }
    if (!from_environment(variable, first, &begin) || !from_environment(variable, last, &end) ||
        (variable(step) != NULL && !from_environment(variable, step, &stride)) || stride < 1 ||
        end < begin) {
        *out = (part){index - 1, 0};
        return true;
    }
    *out = (part){(index - begin) / stride, (end - begin) / stride + 1};
    return true;
}

static bool of_slurm_array(batch_variable *variable, part *out)
{
    long count, index, begin;
    if (!of_range(variable, "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
                  "SLURM_ARRAY_TASK_STEP", out)) {
        return false;
    }
    if (!from_environment(variable, "SLURM_ARRAY_TASK_COUNT", &count)) {
        return true;
    }
    if (out->count == 0 && from_environment(variable, "SLURM_ARRAY_TASK_ID", &index) &&
        from_environment(variable, "SLURM_ARRAY_TASK_MIN", &begin)) {
        *out = (part){index - begin, count};
    } else if (count != out->count) {
        // With gaps in its numbers an array has fewer tasks than its range tells.
        *out = (part){-1, count};
    }
    return true;
}

static bool of_array(batch_variable *variable, part *out)
{
    long index, last;
    if (of_slurm_array(variable, out)) {
        return true;
    }
    if (from_environment(variable, "PBS_ARRAY_INDEX", &index)) {
        *out = (part){index - 1, 0}; // PBS does not tell how many there are
        return true;
    }
    if (of_range(variable, "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE",
                 out)) {
        return true;
    }
    if (from_environment(variable, "LSB_JOBINDEX", &index) && index > 0) {
        *out = (part){index - 1, from_environment(variable, "LSB_JOBINDEX_END", &last) ? last : 0};
        return true;
    }
    return false;
}

// -------------------------------------------------------------------------------------------- ranks

static bool of_rank(batch_variable *variable, part *out)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                           {"SLURM_PROCID", "SLURM_NTASKS"}};
    // The script of a Slurm job is process 0 of as many as it asked for, but alone: only a step has
    // ranks.
    const bool script = variable("SLURM_JOB_ID") != NULL && variable("SLURM_STEP_ID") == NULL;
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); ++k) {
        if (script && strncmp(names[k][0], "SLURM", 5) == 0) {
            continue;
        }
        part found;
        if (from_environment(variable, names[k][0], &found.index) &&
            from_environment(variable, names[k][1], &found.count)) {
            *out = found;
            return true;
        }
    }
    return false;
}

static lmb_result find_shard(long given_count, batch_variable *variable, batch_shard *out,
                             lmb_error *error)
{
    part array = {0, 1}, rank = {0, 1};
    const bool has_array = of_array(variable, &array), has_rank = of_rank(variable, &rank);
    if (!has_array && !has_rank) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a task of an array (SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX, SGE_TASK_ID, "
                         "LSB_JOBINDEX) or a rank (OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID)",
                         "none in the environment");
    }
    if (given_count > 0 && has_array && array.count == 0) {
        array.count = given_count / (rank.count > 0 ? rank.count : 1);
    }
    if (array.count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "auto/N, as the scheduler does not tell how many tasks there are", "auto");
    }
    const long count = array.count * rank.count, index = array.index * rank.count + rank.index;
    if (given_count > 0 && given_count != count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "as many tasks as the environment tells of",
                         "auto/%ld, and %ld in the environment", given_count, count);
    }
    if (array.index < 0 || array.index >= array.count || rank.index < 0 ||
        rank.index >= rank.count || count > SHARDS_MOST) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "tasks without gaps in their numbers",
                         "task %ld of %ld", index + 1, count);
    }
    *out = (batch_shard){(unsigned)index + 1, (unsigned)count};
    return LMB_OK;
}

lmb_result batch_shard_read(const char *text, batch_variable *variable, batch_shard *out,
                            lmb_error *error)
{
    long index = 0, count = 0;
    const char *after;
    *out = (batch_shard){0};
    if (text == NULL) {
        return LMB_OK;
    }
    if (strcmp(text, "auto") == 0) {
        return find_shard(0, variable, out, error);
    }
    if (strncmp(text, "auto/", 5) == 0 && read_number(text + 5, 0, &count, &after) && count > 0) {
        return find_shard(count, variable, out, error);
    }
    if (!read_number(text, '/', &index, &after) || !read_number(after + 1, 0, &count, &after) ||
        index < 1 || index > count || count > SHARDS_MOST) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "I/N with I from 1 to N, auto or auto/N",
                         "\"%s\"", text);
    }
    *out = (batch_shard){(unsigned)index, (unsigned)count};
    return LMB_OK;
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
