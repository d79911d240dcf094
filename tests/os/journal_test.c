#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "limber/os.h"
#include "os/process.h"
#include "os/temporary.h"

static const char name[] = "journal";

static void expect_contents(const char *text, size_t size)
{
    lmb_file file;
    assert_int_equal(lmb_file_read(name, 0, &file, NULL), LMB_OK);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, text, size);
    lmb_file_free(&file);
}

static void lines_are_added(void **state)
{
    (void)state;
    lmbi_journal *journal = NULL;
    assert_int_equal(lmbi_journal_open(name, &journal, NULL), LMB_OK);
    expect_contents("", 0);
    assert_int_equal(lmbi_journal_add(journal, "one", 3, NULL), LMB_OK);
    assert_int_equal(lmbi_journal_add(journal, "", 0, NULL), LMB_OK);
    expect_contents("one\n\n", 5);
    lmbi_journal_close(journal);
    assert_int_equal(lmbi_journal_open(name, &journal, NULL), LMB_OK);
    assert_int_equal(lmbi_journal_add(journal, "two", 3, NULL), LMB_OK);
    lmbi_journal_close(journal);
    lmbi_journal_close(NULL);
    expect_contents("one\n\ntwo\n", 9);
}

/// However long the torn tail is, and when nothing but it is there.
static void a_torn_line_is_cut_off(void **state)
{
    (void)state;
    static const size_t tails[] = {0, 1, 4095, 4096, 4097, 20000};
    for (size_t heads = 0; heads < 2; ++heads) {
        for (size_t k = 0; k < sizeof(tails) / sizeof(tails[0]); ++k) {
            FILE *file = fopen(name, "w");
            assert_non_null(file);
            fputs(heads > 0 ? "whole\n" : "", file);
            for (size_t i = 0; i < tails[k]; ++i) {
                fputc('x', file);
            }
            fclose(file);
            lmbi_journal *journal = NULL;
            assert_int_equal(lmbi_journal_open(name, &journal, NULL), LMB_OK);
            assert_int_equal(lmbi_journal_add(journal, "next", 4, NULL), LMB_OK);
            lmbi_journal_close(journal);
            expect_contents(heads > 0 ? "whole\nnext\n" : "next\n", heads > 0 ? 11 : 5);
        }
    }
}

static void one_at_a_time(void **state)
{
    (void)state;
    lmbi_journal *journal = NULL, *second = NULL;
    lmb_error error;
    assert_int_equal(lmbi_journal_open(name, &journal, NULL), LMB_OK);
    // Reading it meanwhile does not open it to others.
    expect_contents("", 0);
    assert_int_equal(lmbi_journal_open(name, &second, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "another program that does");
    assert_null(second);
    lmbi_journal_close(journal);
    assert_int_equal(lmbi_journal_open(name, &second, NULL), LMB_OK);
    lmbi_journal_close(second);
}

static void a_full_disk_leaves_whole_lines(void **state)
{
    (void)state;
    static char line[3000];
    memset(line, 'y', sizeof(line));
    lmbi_journal *journal = NULL;
    lmb_error error;
    struct rlimit before, tight;
    assert_int_equal(lmbi_journal_open(name, &journal, NULL), LMB_OK);
    assert_int_equal(lmbi_journal_add(journal, "one", 3, NULL), LMB_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const lmb_result result = lmbi_journal_add(journal, line, sizeof(line), &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, LMB_ERROR_INVALID);
    assert_string_equal(error.found, "File too large");
    expect_contents("one\n", 4);
    lmbi_journal_close(journal);
    assert_int_equal(lmbi_journal_open("/nowhere/journal", &journal, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_are_added, temporary_enter, temporary_leave),
        cmocka_unit_test_setup_teardown(a_torn_line_is_cut_off, temporary_enter, temporary_leave),
        cmocka_unit_test_setup_teardown(one_at_a_time, temporary_enter, temporary_leave),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_whole_lines, temporary_enter,
                                        temporary_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
