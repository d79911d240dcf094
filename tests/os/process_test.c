#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limber/os.h"
#include "os/interrupt.h"
#include "os/process.h"
#include "os/reader.h"
#include "os/temporary.h"

static lmbi_process *start_with(const char *script, const char *output, uint64_t memory)
{
    const char *arguments[] = {"/bin/sh", "-c", script, NULL};
    lmbi_process *process = NULL;
    lmb_error error;
    const lmbi_process_def def = {.arguments = arguments, .output = output, .memory_limit = memory};
    assert_int_equal(lmbi_process_start(&def, &process, &error), LMB_OK);
    assert_true(lmbi_process_id(process) > 0);
    return process;
}

static lmbi_process *start(const char *script)
{
    return start_with(script, NULL, 0);
}

static void tells_how_it_ended(void **state)
{
    (void)state;
    lmbi_process *process = start("echo to nobody; echo trouble >&2; exit 3");
    assert_true(lmbi_process_wait(process, 20));
    const lmbi_process_outcome *end = lmbi_process_end(process);
    assert_int_equal(end->exit_code, 3);
    assert_int_equal(end->signal, 0);
    assert_string_equal(end->messages, "trouble\n");
    assert_int_equal(end->message_size, 8);
    assert_true(end->wall_s >= 0 && end->wall_s < 20);
    assert_true(end->peak_bytes > 100000);
    lmbi_process_destroy(process);
    process = start("kill -SEGV $$");
    assert_true(lmbi_process_wait(process, 20));
    assert_int_equal(lmbi_process_end(process)->exit_code, -1);
    assert_int_equal(lmbi_process_end(process)->signal, SIGSEGV);
    lmbi_process_destroy(process);
}

static void output_goes_to_the_file(void **state)
{
    (void)state;
    char name[] = "process_test_XXXXXX";
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, "what was there before", 21), 21);
    close(descriptor);
    // Standard input is empty: cat ends at once.
    lmbi_process *process = start_with("echo said; cat", name, 0);
    assert_true(lmbi_process_wait(process, 20));
    assert_int_equal(lmbi_process_end(process)->exit_code, 0);
    lmbi_process_destroy(process);
    lmb_file file;
    assert_int_equal(lmb_file_read(name, 0, &file, NULL), LMB_OK);
    assert_int_equal(file.size, 5);
    assert_memory_equal(file.data, "said\n", 5);
    lmb_file_free(&file);
}

static void a_program_that_is_not_there(void **state)
{
    (void)state;
    const char *arguments[] = {"/nowhere/program", NULL};
    const lmbi_process_def def = {.arguments = arguments};
    lmbi_process *process = NULL;
    lmb_error error;
    assert_int_equal(lmbi_process_start(&def, &process, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "No such file or directory");
    assert_null(process);
}

/// The group is killed: not only the shell, but also what it waits for.
static void a_hang_is_ended(void **state)
{
    (void)state;
    lmbi_process *process = start("sleep 100 & echo $! >&2; wait");
    assert_false(lmbi_process_wait(process, 0.3));
    assert_null(lmbi_process_end(process));
    lmbi_process_kill(process);
    assert_true(lmbi_process_wait(process, 20));
    assert_int_equal(lmbi_process_end(process)->signal, SIGKILL);
    const pid_t inner = (pid_t)strtol(lmbi_process_end(process)->messages, NULL, 10);
    assert_true(inner > 1);
    lmbi_process_destroy(process);
    // Whoever collects orphans may take a moment.
    for (int k = 0; k < 200 && kill(inner, 0) == 0; ++k) {
        char path[64], text[256] = {0};
        snprintf(path, sizeof(path), "/proc/%ld/stat", (long)inner);
        FILE *file = fopen(path, "r");
        const size_t got = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
        if (file != NULL) {
            fclose(file);
        }
        if (got == 0 || strstr(text, ") Z") != NULL) {
            return;
        }
        lmbi_sleep_s(0.01);
    }
    assert_int_not_equal(kill(inner, 0), 0);
}

/// A process that closes its messages early, and one whose child keeps them open.
static void streams_do_not_decide(void **state)
{
    (void)state;
    lmbi_process *process = start("exec 2>&-; sleep 0.3; exit 4");
    assert_false(lmbi_process_wait(process, 0.05));
    assert_true(lmbi_process_wait(process, 20));
    assert_int_equal(lmbi_process_end(process)->exit_code, 4);
    lmbi_process_destroy(process);
    const double begin_s = lmb_clock_s();
    process = start("echo early >&2; sleep 5 & exit 5");
    assert_true(lmbi_process_wait(process, 20));
    assert_true(lmb_clock_s() - begin_s < 4);
    assert_int_equal(lmbi_process_end(process)->exit_code, 5);
    assert_string_equal(lmbi_process_end(process)->messages, "early\n");
    lmbi_process_destroy(process);
}

static void many_messages_keep_both_ends(void **state)
{
    (void)state;
    lmbi_process *process =
        start("echo first >&2; i=0; while [ $i -lt 9000 ]; do echo number $i and more >&2; "
              "i=$((i+1)); done; echo last >&2");
    assert_true(lmbi_process_wait(process, 60));
    const lmbi_process_outcome *end = lmbi_process_end(process);
    assert_true(end->message_size <= 65536 && end->message_size >= 40000);
    assert_memory_equal(end->messages, "first\nnumber 0 and more\n", 24);
    assert_string_equal(end->messages + end->message_size - 5, "last\n");
    lmbi_process_destroy(process);
}

static void memory_has_a_cap(void **state)
{
    (void)state;
    // 60 MB in a variable of the shell: fine without a cap, refused under one of 40 MB.
    static const char script[] = "x=$(head -c 60000000 /dev/zero | tr '\\0' a); echo ${#x} >&2";
    lmbi_process *process = start(script);
    assert_true(lmbi_process_wait(process, 60));
    assert_string_equal(lmbi_process_end(process)->messages, "60000000\n");
    assert_true(lmbi_process_end(process)->peak_bytes > 60000000);
    lmbi_process_destroy(process);
    process = start_with(script, NULL, 40u << 20);
    assert_true(lmbi_process_wait(process, 60));
    assert_null(strstr(lmbi_process_end(process)->messages, "60000000\n"));
    assert_true(lmbi_process_end(process)->exit_code != 0);
    lmbi_process_destroy(process);
    process = start("true");
    assert_true(lmbi_process_wait(process, 20));
    assert_int_equal(lmbi_process_end(process)->exit_code, 0);
    lmbi_process_destroy(process);
}

typedef struct crowd {
    int codes[64];
} crowd;

static void run_some(void *context, size_t begin, size_t end)
{
    crowd *all = context;
    for (size_t k = begin; k < end; ++k) {
        char script[32];
        snprintf(script, sizeof(script), "exit %d", (int)k);
        const char *arguments[] = {"/bin/sh", "-c", script, NULL};
        lmbi_process *process = NULL;
        all->codes[k] = -2;
        if (lmbi_process_start(&(lmbi_process_def){.arguments = arguments}, &process, NULL) ==
                LMB_OK &&
            lmbi_process_wait(process, 60)) {
            all->codes[k] = lmbi_process_end(process)->exit_code;
        }
        lmbi_process_destroy(process);
    }
}

static void threads_start_them_side_by_side(void **state)
{
    (void)state;
    lmb_pool *pool = NULL;
    crowd all;
    assert_int_equal(lmb_pool_create(4, &pool, NULL), LMB_OK);
    lmb_parallel_for(lmb_pool_jobs(pool), 64, 1, run_some, &all);
    lmb_pool_destroy(pool);
    for (int k = 0; k < 64; ++k) {
        assert_int_equal(all.codes[k], k);
    }
}

static void destroying_ends_it(void **state)
{
    (void)state;
    const double begin_s = lmb_clock_s();
    lmbi_process_destroy(start("sleep 100"));
    lmbi_process_destroy(NULL);
    assert_true(lmb_clock_s() - begin_s < 20);
}

static void the_program_knows_where_it_lies(void **state)
{
    (void)state;
    char *path = lmbi_program_path();
    assert_non_null(path);
    assert_non_null(strstr(path, "process_test"));
    assert_int_equal(access(path, X_OK), 0);
    free(path);
}

static void interrupts_are_counted(void **state)
{
    (void)state;
    lmbi_interrupt_count_start();
    assert_int_equal(lmbi_interrupt_count(), 0);
    assert_int_equal(lmbi_interrupt_signal(), 0);
    assert_false(lmbi_interrupted());
    raise(SIGTERM);
    raise(SIGINT);
    raise(SIGINT);
    assert_int_equal(lmbi_interrupt_count(), 3);
    assert_int_equal(lmbi_interrupt_signal(), SIGTERM);
    assert_true(lmbi_interrupted());
}

static void digests_are_of_the_files_bytes(void **state)
{
    (void)state;
    char name[] = "process_test_XXXXXX";
    const int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    // FIPS 180-4's third example, long enough for several pieces.
    static char many[1000];
    memset(many, 'a', sizeof(many));
    for (int k = 0; k < 1000; ++k) {
        assert_int_equal(write(descriptor, many, sizeof(many)), (int)sizeof(many));
    }
    close(descriptor);
    uint8_t digest[32];
    uint64_t size = 0;
    assert_int_equal(lmbi_file_digest(name, digest, &size, NULL), LMB_OK);
    assert_int_equal(size, 1000000);
    static const uint8_t known[32] = {0xcd, 0xc7, 0x6e, 0x5c, 0x99, 0x14, 0xfb, 0x92,
                                      0x81, 0xa1, 0xc7, 0xe2, 0x84, 0xd7, 0x3e, 0x67,
                                      0xf1, 0x80, 0x9a, 0x48, 0xa4, 0x97, 0x20, 0x0e,
                                      0x04, 0x6d, 0x39, 0xcc, 0xc7, 0x11, 0x2c, 0xd0};
    assert_memory_equal(digest, known, sizeof(known));
    unlink(name);
    lmb_error error;
    assert_int_equal(lmbi_file_digest(name, digest, &size, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.found, "No such file or directory");
    assert_int_equal(lmbi_file_digest("/", digest, &size, &error), LMB_ERROR_MALFORMED);
    assert_int_equal(size, 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_how_it_ended),
        cmocka_unit_test_setup_teardown(output_goes_to_the_file, temporary_enter, temporary_leave),
        cmocka_unit_test(a_program_that_is_not_there),
        cmocka_unit_test(a_hang_is_ended),
        cmocka_unit_test(streams_do_not_decide),
        cmocka_unit_test(many_messages_keep_both_ends),
        cmocka_unit_test(memory_has_a_cap),
        cmocka_unit_test(threads_start_them_side_by_side),
        cmocka_unit_test(destroying_ends_it),
        cmocka_unit_test(the_program_knows_where_it_lies),
        cmocka_unit_test(interrupts_are_counted),
        cmocka_unit_test_setup_teardown(digests_are_of_the_files_bytes, temporary_enter,
                                        temporary_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
