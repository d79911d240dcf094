#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limber/os.h"
#include "os/paths.h"
#include "os/temporary.h"

/// secret, in/a, in/sub/b; links in/out (to secret), in/same (to a), in/up (to ..), in/down (to
/// sub); in/pipe.
static int make_tree(void **state)
{
    return temporary_enter(state) == 0 && lmbi_folder_make("in") && lmbi_folder_make("in/sub") &&
                   lmb_file_write("secret", "secret", 6, NULL) == LMB_OK &&
                   lmb_file_write("in/a", "aa", 2, NULL) == LMB_OK &&
                   lmb_file_write("in/sub/b", "bbb", 3, NULL) == LMB_OK &&
                   symlink("../secret", "in/out") == 0 && symlink("a", "in/same") == 0 &&
                   symlink("..", "in/up") == 0 && symlink("sub", "in/down") == 0 &&
                   symlink("in", "link") == 0 && mkfifo("in/pipe", 0600) == 0
               ? 0
               : -1;
}

static void expect(const char *folder, const char *name, const char *text)
{
    lmb_file file;
    assert_int_equal(lmb_file_read_below(folder, name, 0, &file, NULL), LMB_OK);
    assert_int_equal(file.size, strlen(text));
    assert_memory_equal(file.data, text, file.size);
    lmb_file_free(&file);
}

static void reads_what_lies_below(void **state)
{
    (void)state;
    expect("in", "a", "aa");
    expect("in/", "a", "aa");
    expect("in", "sub/b", "bbb");
    expect("in/sub", "b", "bbb");
    expect(".", "in/sub/b", "bbb");
    // The folder itself is the caller's word.
    expect("link", "a", "aa");
    expect("in/up/in", "a", "aa");
}

static void does_not_leave_the_folder(void **state)
{
    (void)state;
    static const char *const names[] = {
        "../secret", "sub/../a",   "..",  "",     ".",      "/",    "./a",
        "sub//b",    "a/",         "/a",  "sub/", "out",    "same", "up/secret",
        "down/b",    "up/in/a",    "sub", "pipe", "nobody", "a/aa", "sub/../../secret",
        "nobody/a",  "/etc/passwd"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        lmb_file file = {0};
        lmb_error error = {0};
        if (lmb_file_read_below("in", names[k], 0, &file, &error) != LMB_ERROR_MALFORMED) {
            fail_msg("%s was read", names[k]);
        }
        assert_null(file.data);
        assert_true(error.found[0] != 0);
    }
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    lmb_file file = {0};
    assert_int_equal(lmb_file_read_below("in", longest, 0, &file, NULL), LMB_ERROR_MALFORMED);
    assert_int_equal(lmb_file_read_below("nobody", "a", 0, &file, NULL), LMB_ERROR_MALFORMED);
    assert_int_equal(lmb_file_read_below("in/a", "a", 0, &file, NULL), LMB_ERROR_MALFORMED);
    assert_int_equal(lmb_file_read_below("in", "sub/b", 2, &file, NULL), LMB_ERROR_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_lies_below),
        cmocka_unit_test(does_not_leave_the_folder),
    };
    return cmocka_run_group_tests(tests, make_tree, temporary_leave);
}
