// pipe2, wait4 and the death signal are not POSIX's.
#define _GNU_SOURCE
#include "os/process.h"
#include "limber/os.h"
#include "os/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/error.h"

/// Of messages the first half and the last are kept.
enum { MESSAGES_MOST = 65536 };

/// A process may end while something that it started keeps its standard error open, or close it and
/// live on: so it is also asked for itself, this often.
#define ASK_EVERY_S 0.05

struct lmbi_process {
    pid_t id;
    int messages; ///< the end that we read; -1 once it is closed
    bool ended;
    double begin_s;
    size_t size;
    char text[MESSAGES_MOST + 1];
    lmbi_process_outcome outcome;
};

static lmb_result fail_errno(lmb_error *error, int reason)
{
    return lmbi_fail(error, LMB_ERROR_INVALID, "a process that can be started", "%s",
                     strerror(reason));
}

// --------------------------------------------------------------------------------------- the child

// Between fork and exec only what is safe in a signal handler may be called: other threads' locks
// were copied as they stood.

static void lower(struct rlimit *now, uint64_t most)
{
    const rlim_t wanted = (rlim_t)most;
    now->rlim_max =
        now->rlim_max == RLIM_INFINITY || wanted < now->rlim_max ? wanted : now->rlim_max;
    now->rlim_cur = now->rlim_max;
}

// RLIMIT_AS would count the stack too: where the program uses all it may, its next call would fault.
static bool put_limits(const lmbi_process_def *def)
{
    struct rlimit core, memory;
    if (getrlimit(RLIMIT_CORE, &core) != 0 || getrlimit(RLIMIT_DATA, &memory) != 0) {
        return false;
    }
    lower(&core, 0);
    if (def->memory_limit > 0) {
        lower(&memory, def->memory_limit);
    }
    return setrlimit(RLIMIT_CORE, &core) == 0 && setrlimit(RLIMIT_DATA, &memory) == 0;
}

static bool put_streams(const char *output, int messages)
{
    const int in = open("/dev/null", O_RDONLY);
    const int out = output != NULL ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666)
                                   : open("/dev/null", O_WRONLY);
    return in >= 0 && out >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
           dup2(messages, STDERR_FILENO) >= 0 && (in <= STDERR_FILENO || close(in) == 0) &&
           (out <= STDERR_FILENO || close(out) == 0);
}

static bool tie_to(pid_t parent)
{
#ifdef __linux__
    // The parent may have ended before prctl was called.
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
#else
    return getppid() == parent;
#endif
}

/// Becomes the program, or reports why not.
static void become(const lmbi_process_def *def, char *const *arguments, pid_t parent, int messages,
                   int trouble)
{
    if (setpgid(0, 0) == 0 && tie_to(parent) && put_streams(def->output, messages) &&
        put_limits(def)) {
        execvp(arguments[0], arguments);
    }
    const int reason = errno;
    (void)!write(trouble, &reason, sizeof(reason));
    _exit(127);
}

// -------------------------------------------------------------------------------------- the parent

/// Waits for exec, which closes the pipe, or for the reason why there was none.
static int read_trouble(int trouble)
{
    int reason = 0;
    ssize_t got;
    do {
        got = read(trouble, &reason, sizeof(reason));
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(reason) ? reason : 0;
}

static void close_pipe(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static int start_child(const lmbi_process_def *def, lmbi_process *process, const int messages[2],
                       const int trouble[2])
{
    union {
        const char *const *given;
        char *const *taken;
    } arguments = {.given = def->arguments};
    const pid_t parent = getpid();
    process->begin_s = lmb_clock_s();
    process->id = fork();
    if (process->id < 0) {
        return errno;
    }
    if (process->id == 0) {
        become(def, arguments.taken, parent, messages[1], trouble[1]);
    }
    // Set in both parent and child, so that a kill finds the group whichever runs first.
    setpgid(process->id, process->id);
    close(messages[1]);
    close(trouble[1]);
    const int reason = read_trouble(trouble[0]);
    close(trouble[0]);
    process->messages = messages[0];
    if (reason != 0) {
        close(messages[0]);
        while (waitpid(process->id, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    return reason;
}

lmb_result lmbi_process_start(const lmbi_process_def *def, lmbi_process **out, lmb_error *error)
{
    int messages[2], trouble[2];
    lmbi_process *process = calloc(1, sizeof(*process));
    if (process == NULL) {
        return lmbi_fail_memory(error);
    }
    int reason = 0;
    if (pipe2(messages, O_CLOEXEC) != 0) {
        reason = errno;
    } else if (pipe2(trouble, O_CLOEXEC) != 0) {
        reason = errno;
        close_pipe(messages);
    } else {
        reason = start_child(def, process, messages, trouble);
        if (process->id < 0) {
            close_pipe(messages);
            close_pipe(trouble);
        }
    }
    if (reason != 0) {
        free(process);
        return fail_errno(error, reason);
    }
    *out = process;
    return LMB_OK;
}

/// Takes what has come. False at the end of the stream.
static bool take_messages(lmbi_process *process)
{
    enum { HALF = MESSAGES_MOST / 2, QUARTER = MESSAGES_MOST / 4 };
    if (process->size == MESSAGES_MOST) {
        memmove(process->text + HALF, process->text + HALF + QUARTER, QUARTER);
        process->size = HALF + QUARTER;
    }
    const ssize_t got =
        read(process->messages, process->text + process->size, MESSAGES_MOST - process->size);
    process->size += got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && errno == EINTR);
}

static void close_messages(lmbi_process *process)
{
    close(process->messages);
    process->messages = -1;
}

/// What still lies in the pipe, without waiting for those who keep it open.
static void take_rest(lmbi_process *process)
{
    while (process->messages >= 0) {
        struct pollfd ready = {.fd = process->messages, .events = POLLIN};
        if (poll(&ready, 1, 0) <= 0 || !take_messages(process)) {
            close_messages(process);
        }
    }
}

static bool ask(lmbi_process *process)
{
    int status = 0;
    struct rusage usage;
    if (wait4(process->id, &status, WNOHANG, &usage) != process->id) {
        return false;
    }
    process->ended = true;
    take_rest(process);
    process->text[process->size] = 0;
    process->outcome = (lmbi_process_outcome){
        .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .wall_s = lmb_clock_s() - process->begin_s,
#ifdef __APPLE__
        .peak_bytes = (uint64_t)usage.ru_maxrss,
#else
        .peak_bytes = (uint64_t)usage.ru_maxrss * 1024,
#endif
        .messages = process->text,
        .message_size = process->size,
    };
    return true;
}

/// Until something comes, `seconds` at most.
static void wait_a_little(lmbi_process *process, double seconds)
{
    if (process->messages < 0) {
        // The child closed the stream, most likely because it is about to end.
        lmbi_sleep_s(seconds < 2e-4 ? seconds : 2e-4);
        return;
    }
    struct pollfd ready = {.fd = process->messages, .events = POLLIN};
    if (poll(&ready, 1, (int)(seconds * 1000) + 1) > 0 && !take_messages(process)) {
        close_messages(process);
    }
}

bool lmbi_process_wait(lmbi_process *process, double timeout_s)
{
    const double end_s = lmb_clock_s() + timeout_s;
    while (!process->ended && !ask(process)) {
        const double left = end_s - lmb_clock_s();
        if (left <= 0) {
            return false;
        }
        wait_a_little(process, left < ASK_EVERY_S ? left : ASK_EVERY_S);
    }
    return true;
}

void lmbi_process_kill(const lmbi_process *process)
{
    if (!process->ended) {
        kill(-process->id, SIGKILL);
    }
}

long lmbi_process_id(const lmbi_process *process)
{
    return (long)process->id;
}

const lmbi_process_outcome *lmbi_process_end(const lmbi_process *process)
{
    return process->ended ? &process->outcome : NULL;
}

void lmbi_process_destroy(lmbi_process *process)
{
    if (process == NULL) {
        return;
    }
    while (!process->ended) {
        lmbi_process_kill(process);
        lmbi_process_wait(process, 1);
    }
    free(process);
}

char *lmbi_program_path(void)
{
#ifdef __linux__
    return realpath("/proc/self/exe", NULL);
#else
    return NULL;
#endif
}
