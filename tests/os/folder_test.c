#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limber/os.h"
#include "os/paths.h"
#include "os/temporary.h"

static void put(const char *path)
{
    assert_int_equal(lmb_file_write(path, "x", 1, NULL), LMB_OK);
}

static void the_kind_of_a_path_is_found(void **state)
{
    (void)state;
    assert_int_equal(lmbi_path_kind_of("in"), LMB_PATH_NOTHING);
    assert_true(lmbi_folder_make("in"));
    assert_true(lmbi_folder_make("in"));
    assert_false(lmbi_folder_make("above/below"));
    put("in/a");
    assert_false(lmbi_folder_make("in/a"));
    assert_int_equal(lmbi_path_kind_of("in"), LMB_PATH_FOLDER);
    assert_int_equal(lmbi_path_kind_of("in/a"), LMB_PATH_FILE);
    assert_int_equal(lmbi_path_kind_of("in/a/b"), LMB_PATH_NOTHING);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(lmbi_path_kind_of("pipe"), LMB_PATH_OTHER);
    assert_int_equal(symlink("in/a", "link"), 0);
    assert_int_equal(lmbi_path_kind_of("link"), LMB_PATH_FILE);
}

static void names_come_in_the_order_of_their_bytes(void **state)
{
    (void)state;
    lmbi_folder folder = {0};
    lmb_error error;
    assert_int_equal(lmbi_folder_list("in", &folder, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.found, "No such file or directory");
    assert_null(folder.names);
    assert_true(lmbi_folder_make("in"));
    assert_int_equal(lmbi_folder_list("in", &folder, NULL), LMB_OK);
    assert_int_equal(folder.count, 0);
    lmbi_folder_free(&folder);
    put("in/a-b");
    put("in/a");
    put("in/B");
    assert_int_equal(lmbi_folder_list("in", &folder, NULL), LMB_OK);
    assert_int_equal(folder.count, 3);
    assert_string_equal(folder.names[0], "B");
    assert_string_equal(folder.names[1], "a");
    assert_string_equal(folder.names[2], "a-b");
    lmbi_folder_free(&folder);
    assert_int_equal(folder.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_kind_of_a_path_is_found, temporary_enter,
                                        temporary_leave),
        cmocka_unit_test_setup_teardown(names_come_in_the_order_of_their_bytes, temporary_enter,
                                        temporary_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
