/// Shards of a batch: given by option, or told by the variables of schedulers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "batch/shard.h"

/// The environment of a test: names and values in turn, ended by NULL.
static const char *const *variables;

static const char *variable(const char *name)
{
    for (size_t k = 0; variables != NULL && variables[k] != NULL; k += 2) {
        if (strcmp(variables[k], name) == 0) {
            return variables[k + 1];
        }
    }
    return NULL;
}

static void expect(const char *text, const char *const *environment, unsigned index, unsigned count)
{
    batch_shard shard;
    variables = environment;
    assert_int_equal(batch_shard_read(text, variable, &shard, NULL), LMB_OK);
    assert_int_equal(shard.index, index);
    assert_int_equal(shard.count, count);
}

static void refuse(const char *text, const char *const *environment, const char *found)
{
    batch_shard shard;
    lmb_error error;
    variables = environment;
    assert_int_equal(batch_shard_read(text, variable, &shard, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, found);
    assert_true(error.expected[0] != 0);
}

static void an_option_tells_the_part(void **state)
{
    (void)state;
    expect(NULL, NULL, 0, 0);
    expect("1/1", NULL, 1, 1);
    expect("3/8", NULL, 3, 8);
    refuse("0/8", NULL, "\"0/8\"");
    refuse("9/8", NULL, "\"9/8\"");
    refuse("3/8x", NULL, "\"3/8x\"");
    refuse("1/1000001", NULL, "\"1/1000001\"");
    refuse("auto/0", NULL, "\"auto/0\"");
}

static void arrays_start_anywhere_and_step(void **state)
{
    (void)state;
    static const char *const slurm[] = {"SLURM_ARRAY_TASK_ID",
                                        "14",
                                        "SLURM_ARRAY_TASK_MIN",
                                        "10",
                                        "SLURM_ARRAY_TASK_MAX",
                                        "18",
                                        "SLURM_ARRAY_TASK_STEP",
                                        "2",
                                        "SLURM_ARRAY_TASK_COUNT",
                                        "5",
                                        NULL};
    static const char *const gaps[] = {"SLURM_ARRAY_TASK_ID",
                                       "14",
                                       "SLURM_ARRAY_TASK_MIN",
                                       "10",
                                       "SLURM_ARRAY_TASK_MAX",
                                       "18",
                                       "SLURM_ARRAY_TASK_COUNT",
                                       "3",
                                       NULL};
    static const char *const grid[] = {
        "SGE_TASK_ID", "3", "SGE_TASK_FIRST", "1", "SGE_TASK_LAST", "7", "SGE_TASK_STEPSIZE",
        "2",           NULL};
    static const char *const lsf[] = {"LSB_JOBINDEX", "2", "LSB_JOBINDEX_END", "6", NULL};
    static const char *const pbs[] = {"PBS_ARRAY_INDEX", "4", NULL};
    expect("auto", slurm, 3, 5);
    expect("auto", grid, 2, 4);
    expect("auto", lsf, 2, 6);
    expect("auto/9", pbs, 4, 9);
    refuse("auto", pbs, "auto");
    refuse("auto", gaps, "task 0 of 3");
    refuse("auto/4", lsf, "auto/4, and 6 in the environment");
    refuse("auto", NULL, "none in the environment");
}

static void ranks_divide_the_tasks_of_an_array(void **state)
{
    (void)state;
    static const char *const both[] = {"LSB_JOBINDEX",
                                       "2",
                                       "LSB_JOBINDEX_END",
                                       "3",
                                       "OMPI_COMM_WORLD_RANK",
                                       "1",
                                       "OMPI_COMM_WORLD_SIZE",
                                       "4",
                                       NULL};
    static const char *const script[] = {
        "SLURM_JOB_ID", "7", "SLURM_PROCID", "0", "SLURM_NTASKS", "8", NULL};
    static const char *const step[] = {
        "SLURM_JOB_ID", "7", "SLURM_STEP_ID", "0", "SLURM_PROCID", "5", "SLURM_NTASKS", "8", NULL};
    expect("auto", both, 6, 12);
    expect("auto", step, 6, 8);
    refuse("auto", script, "none in the environment");
}

static void each_item_is_in_one_shard(void **state)
{
    (void)state;
    enum { SHARDS = 7, ITEMS = 700 };
    unsigned sizes[SHARDS] = {0};
    for (int k = 0; k < ITEMS; ++k) {
        char id[20];
        unsigned owners = 0;
        snprintf(id, sizeof id, "item %d", k);
        for (unsigned s = 0; s < SHARDS; ++s) {
            const batch_shard shard = {s + 1, SHARDS};
            const bool has = batch_shard_has(&shard, id);
            owners += has;
            sizes[s] += has;
        }
        assert_int_equal(owners, 1);
        assert_true(batch_shard_has(&(batch_shard){0}, id));
    }
    for (unsigned s = 0; s < SHARDS; ++s) {
        assert_true(sizes[s] > 60 && sizes[s] < 140);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_tells_the_part),
        cmocka_unit_test(arrays_start_anywhere_and_step),
        cmocka_unit_test(ranks_divide_the_tasks_of_an_array),
        cmocka_unit_test(each_item_is_in_one_shard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
