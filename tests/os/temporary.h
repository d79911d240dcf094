/// A folder of its own for every test, in the system's folder for temporary files, which goes with
/// all that is in it, also when the test fails.
#ifndef TESTS_OS_TEMPORARY_H
#define TESTS_OS_TEMPORARY_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct temporary {
    char folder[512];
    int before; ///< the folder to go back to
} temporary;

static inline int temporary_remove_one(const char *path, const struct stat *status, int kind,
                                       struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

/// Set-up of a test: the program is in the new folder. Uses *state.
static inline int temporary_enter(void **state)
{
    static temporary t;
    const char *where = getenv("TMPDIR");
    snprintf(t.folder, sizeof t.folder, "%s/limber_test_XXXXXX",
             where != NULL && *where != 0 ? where : "/tmp");
    t.before = open(".", O_RDONLY);
    *state = &t;
    return t.before >= 0 && mkdtemp(t.folder) != NULL && chdir(t.folder) == 0 ? 0 : -1;
}

static inline int temporary_leave(void **state)
{
    const temporary *t = *state;
    const int left = fchdir(t->before);
    close(t->before);
    return nftw(t->folder, temporary_remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 ? left : -1;
}

#endif
