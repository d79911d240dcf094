#include "limber/os.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void note(int number)
{
    (void)number;
    interrupted = 1;
}

void lmb_interrupt_catch(void)
{
    // Calls that wait return early; the second signal does what signals do.
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool lmb_interrupted(void)
{
    return interrupted != 0;
}
