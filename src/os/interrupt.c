/// Signals, the desktop and sleep.
#include "os/interrupt.h"
#include "limber/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count, first;

static void note(int number)
{
    first = first == 0 ? number : first;
    count = count + 1;
}

static void catch_with(int flags)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void lmbi_interrupt_catch(void)
{
    // Blocking calls return early; a second signal has its default effect.
    catch_with((int)SA_RESETHAND);
}

bool lmbi_interrupted(void)
{
    return count != 0;
}

void lmbi_interrupt_count_start(void)
{
    catch_with(0);
}

int lmbi_interrupt_count(void)
{
    return count;
}

int lmbi_interrupt_signal(void)
{
    return first;
}

#ifdef __APPLE__
static const char opener[] = "open";
#else
static const char opener[] = "xdg-open";
#endif

static bool has_desktop(void)
{
#ifdef __APPLE__
    return true;
#else
    return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
#endif
}

/// Between fork and exec: only what is safe in a signal handler.
static void become_opener(const char *address)
{
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
        dup2(nothing, STDERR_FILENO) >= 0) {
        execlp(opener, opener, address, (char *)NULL);
    }
    _exit(127);
}

bool lmbi_desktop_open(const char *address)
{
    if (!has_desktop()) {
        return false;
    }
    const pid_t child = fork();
    if (child == 0) {
        // A grandchild in its own session: the browser outlives this program, does not receive the
        // terminal's interrupts, and leaves no zombie process.
        if (setsid() >= 0 && fork() == 0) {
            become_opener(address);
        }
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return child > 0;
}
