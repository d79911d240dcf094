#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limber/os.h"
#include "os/reader.h"
#include "os/temporary.h"

static unsigned entry_count(void)
{
    unsigned count = 0;
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static void expect_contents(const char *path, const char *text)
{
    lmb_file file;
    assert_int_equal(lmb_file_read(path, 0, &file, NULL), LMB_OK);
    assert_int_equal(file.size, strlen(text));
    assert_memory_equal(file.data, text, file.size);
    lmb_file_free(&file);
    assert_null(file.data);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    assert_int_equal(lmb_file_write("a", "first", 5, NULL), LMB_OK);
    expect_contents("a", "first");
    assert_int_equal(lmb_file_write("a", "", 0, NULL), LMB_OK);
    expect_contents("a", "");
    size_t size = 300001;
    uint8_t *bytes = malloc(size);
    for (size_t k = 0; k < size; k++) {
        bytes[k] = (uint8_t)(k * 7 + k / 251);
    }
    assert_int_equal(lmb_file_write("a", bytes, size, NULL), LMB_OK);
    lmb_file file;
    assert_int_equal(lmb_file_read("a", size, &file, NULL), LMB_OK);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, bytes, size);
    lmb_file_free(&file);
    free(bytes);
    assert_int_equal(entry_count(), 1);
}

static void permissions_and_links_stay(void **state)
{
    (void)state;
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(lmb_file_write("a", "x", 1, NULL), LMB_OK);
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(lmb_file_write("link", "through", 7, NULL), LMB_OK);
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    expect_contents("a", "through");
    assert_int_equal(entry_count(), 2);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    assert_int_equal(lmb_file_write("a", "old", 3, NULL), LMB_OK);
    // A file size limit fails the write half way, as a full disk does.
    struct rlimit before, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    static const uint8_t zeros[5000];
    lmb_error error = {0};
    lmb_result result = lmb_file_write("a", zeros, sizeof(zeros), &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result, LMB_ERROR_INVALID);
    assert_string_equal(error.found, "File too large");
    expect_contents("a", "old");
    assert_int_equal(entry_count(), 1);
}

static void refusals_say_why(void **state)
{
    (void)state;
    lmb_error error = {0};
    lmb_file file = {.size = 42};
    assert_int_equal(lmb_file_read("a", 0, &file, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.found, "No such file or directory");
    assert_int_equal(lmb_file_read(".", 0, &file, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.found, "a folder");
    assert_int_equal(lmb_file_write("a", "123456", 6, NULL), LMB_OK);
    assert_int_equal(lmb_file_read("a", 5, &file, &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.found, "6 bytes, over 5");
    assert_int_equal(file.size, 42);
    assert_int_equal(lmb_file_write(".", "x", 1, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "a folder");
    assert_int_equal(lmb_file_write("none/a", "x", 1, &error), LMB_ERROR_INVALID);
    assert_string_equal(error.found, "No such file or directory");
}

static void pipes_and_devices_work(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int holder = open("pipe", O_RDWR);
    assert_true(holder >= 0);
    assert_int_equal(lmb_file_write("pipe", "flow", 4, NULL), LMB_OK);
    char got[4];
    assert_int_equal(read(holder, got, 4), 4);
    assert_memory_equal(got, "flow", 4);
    close(holder);
    assert_int_equal(lmb_file_write("/dev/null", "x", 1, NULL), LMB_OK);
    expect_contents("/dev/null", "");
    lmb_file file;
    assert_int_equal(lmb_file_read("/dev/zero", 100, &file, NULL), LMB_ERROR_MALFORMED);
}

/// A signal that ends a program while it writes leaves no temporary file; the old one stays.
static void a_signal_leaves_no_temporary_file(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT};
    const size_t size = (size_t)96 << 20;
    for (int k = 0; k < 2; ++k) {
        int status = 0;
        // It may be done before the signal comes: then once more.
        for (int rotation = 0; rotation < 40 && !WIFSIGNALED(status); ++rotation) {
            assert_int_equal(lmb_file_write("a", "old", 3, NULL), LMB_OK);
            fflush(NULL);
            const pid_t child = fork();
            if (child == 0) {
                void *bytes = calloc(1, size);
                (void)lmb_file_write("a", bytes, bytes != NULL ? size : 0, NULL);
                _exit(0);
            }
            assert_true(child > 0);
            while (entry_count() == 1 && waitpid(child, &status, WNOHANG) == 0) {
            }
            kill(child, signals[k]);
            (void)waitpid(child, &status, 0);
            assert_int_equal(entry_count(), 1);
        }
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[k]);
        expect_contents("a", "old");
    }
}

/// A link to a file that is not there yet is written through, from where the link lies.
static void links_to_nothing_are_written_through(void **state)
{
    (void)state;
    struct stat status;
    assert_int_equal(mkdir("b", 0777), 0);
    assert_int_equal(symlink("../c", "b/link"), 0);
    assert_int_equal(symlink("b/link", "first"), 0);
    assert_int_equal(lmb_file_write("first", "new", 3, NULL), LMB_OK);
    expect_contents("c", "new");
    assert_int_equal(lstat("b/link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(symlink("ring", "ring"), 0);
    assert_int_equal(lmb_file_write("ring", "new", 3, NULL), LMB_ERROR_INVALID);
}

static void an_lfs_pointer_is_known(void **state)
{
    (void)state;
    static const char pointer[] =
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
    assert_true(lmbi_file_is_lfs_pointer(pointer, sizeof(pointer) - 1));
    assert_false(lmbi_file_is_lfs_pointer(pointer, 20));
    assert_false(lmbi_file_is_lfs_pointer("v 0 0 0\n", 8));
    assert_false(lmbi_file_is_lfs_pointer("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, temporary_enter, temporary_leave),
        cmocka_unit_test_setup_teardown(permissions_and_links_stay, temporary_enter,
                                        temporary_leave),
        cmocka_unit_test_setup_teardown(a_failed_write_leaves_the_old_file, temporary_enter,
                                        temporary_leave),
        cmocka_unit_test_setup_teardown(refusals_say_why, temporary_enter, temporary_leave),
        cmocka_unit_test_setup_teardown(pipes_and_devices_work, temporary_enter, temporary_leave),
        cmocka_unit_test_setup_teardown(a_signal_leaves_no_temporary_file, temporary_enter,
                                        temporary_leave),
        cmocka_unit_test_setup_teardown(links_to_nothing_are_written_through, temporary_enter,
                                        temporary_leave),
        cmocka_unit_test(an_lfs_pointer_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
