#include "os/interrupt.h"
#include "limber/os.h"

#include <signal.h>

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
