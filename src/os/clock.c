#include "limber/os.h"
#include "os/interrupt.h"

#include <time.h>

double lmb_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void lmbi_sleep_s(double seconds)
{
    if (seconds > 0) {
        const struct timespec wait = {.tv_sec = (time_t)seconds,
                                      .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
        nanosleep(&wait, NULL);
    }
}
