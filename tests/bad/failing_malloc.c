/// Preloaded before the command, lets every chosen allocation fail once. At each the process forks:
/// the child gets NULL, goes to a folder of its own and runs on to its end; the parent waits, writes
/// down how the child ended, and goes on as if nothing had happened. One run so tries them all.
///
///     FAIL_FOLDER   where the children's folders are made (0, 1, 2 …) and `log` is written:
///                   a line a child, "INDEX ALLOCATION EXIT SIGNAL"
///     FAIL_EVERY    every so many-th allocation is chosen; 0: none by its number
///     FAIL_STACKS   1: also the first allocation of every call stack
///     FAIL_MOST     no allocation after so many is chosen by its number
///     FAIL_AT       without forking, the allocation of this number fails (from 1)
///     FAIL_STOP     a trap there, for a debugger
/// While a file is open parent and child would share its position: the number of such an allocation
/// goes to `later` in FAIL_FOLDER, a line each, for runs of their own with FAIL_AT.
/// A child that takes over ten seconds is killed and counts as one that a signal ended.
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);

enum { STACK_DEPTH = 24, STACK_SLOTS = 1 << 16 };

static const char *folder;
static unsigned long every, most, counted, children, fail_at;
static bool by_stack, armed, busy;
static uint64_t stacks[STACK_SLOTS];

static unsigned long number_of(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void arm(void)
{
    void *frames[4];
    folder = getenv("FAIL_FOLDER");
    every = number_of("FAIL_EVERY");
    most = number_of("FAIL_MOST");
    by_stack = number_of("FAIL_STACKS") != 0;
    (void)backtrace(frames, 4); // loads its library now, not inside an allocation
    fail_at = number_of("FAIL_AT");
    armed = folder != NULL || fail_at > 0;
}

/// How many allocations there were, for whoever chooses FAIL_EVERY.
__attribute__((destructor)) static void report(void)
{
    if (armed && folder != NULL) {
        char text[64], name[4096];
        const int length = snprintf(text, sizeof(text), "%lu\n", counted);
        snprintf(name, sizeof(name), "%s/count", folder);
        const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file >= 0 && write(file, text, (size_t)length) == length) {
            close(file);
        }
    }
}

/// Whether this call stack allocates for the first time.
static bool is_new_stack(void)
{
    void *frames[STACK_DEPTH];
    const int depth = backtrace(frames, STACK_DEPTH);
    uint64_t hash = 14695981039346656037u;
    for (int k = 2; k < depth; ++k) {
        hash = (hash ^ (uint64_t)(uintptr_t)frames[k]) * 1099511628211u;
    }
    for (uint64_t slot = hash % STACK_SLOTS;; slot = (slot + 1) % STACK_SLOTS) {
        if (stacks[slot] == hash) {
            return false;
        }
        if (stacks[slot] == 0) {
            stacks[slot] = hash;
            return true;
        }
    }
}

static void enter_folder(unsigned long index)
{
    char name[4096];
    snprintf(name, sizeof(name), "%s/%lu", folder, index);
    armed = false;
    alarm(10);
    if (mkdir(name, 0700) != 0 || chdir(name) != 0) {
        _exit(99);
    }
}

/// Adds a line to a file of the folder.
static void append(const char *file_name, const char *line, int length)
{
    char name[4096];
    snprintf(name, sizeof(name), "%s/%s", folder, file_name);
    const int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || write(file, line, (size_t)length) != length) {
        _exit(99);
    }
    close(file);
}

static bool has_open_file(void)
{
    for (int descriptor = 3; descriptor < 16; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) >= 0) {
            return true;
        }
    }
    return false;
}

/// Forks; true in the child, which is to see the failure.
static bool becomes_child(void)
{
    char line[64];
    const unsigned long index = children++;
    const pid_t process = fork();
    int status = 0;
    if (process == 0) {
        enter_folder(index);
        return true;
    }
    if (process < 0 || waitpid(process, &status, 0) != process) {
        _exit(99);
    }
    append("log", line,
           snprintf(line, sizeof(line), "%lu %lu %d %d\n", index, counted,
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                    WIFSIGNALED(status) ? WTERMSIG(status) : 0));
    return false;
}

/// Whether this allocation is to fail, here in the child that was made for it.
static bool fails(void)
{
    if (!armed || busy) {
        return false;
    }
    busy = true;
    const unsigned long at = counted++;
    bool failing = counted == fail_at;
    if (failing && getenv("FAIL_STOP") != NULL) {
        raise(SIGTRAP); // to see in a debugger where
    }
    const bool chosen =
        folder != NULL && ((every > 0 && at % every == 0 && (most == 0 || at < most)) ||
                           (by_stack && is_new_stack()));
    if (chosen && has_open_file()) {
        char line[32];
        append("later", line, snprintf(line, sizeof(line), "%lu\n", counted));
    } else if (chosen) {
        failing = becomes_child();
    }
    busy = false;
    return failing;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return size > 0 && fails() ? NULL : __libc_realloc(block, size);
}
