#include <math.h>

#include "limber/anim.h"

/// time modulo period in [0, period). fmod is exact, so a day of seconds folds without error.
static double wrap_positive(double time, double period)
{
    if (time >= 0 && time < period) {
        return time; // fmod would return the same, slower
    }
    const double folded = fmod(time, period);
    const double positive = folded < 0 ? folded + period : folded;
    return positive < period ? positive : 0; // -1e-30 + period rounds to period
}

double lmb_time_in(double time, double duration, lmb_play_mode mode)
{
    if (!(duration > 0) || !isfinite(time)) {
        return 0;
    }
    if (mode == LMB_PLAY_LOOP) {
        return wrap_positive(time, duration);
    }
    if (mode == LMB_PLAY_PING_PONG) {
        const double both_ways = wrap_positive(time, 2 * duration);
        return both_ways <= duration ? both_ways : 2 * duration - both_ways;
    }
    return time < 0 ? 0 : (time > duration ? duration : time);
}

double lmb_clip_tick(const lmb_clip *clip, double time_s, lmb_play_mode mode)
{
    const double ticks_per_s = clip->ticks_per_s > 0 ? (double)clip->ticks_per_s : 1.0;
    return lmb_time_in(time_s * ticks_per_s, (double)clip->duration, mode);
}

static uint32_t ends_between(double from, double to, double duration)
{
    const double passed = fabs(floor(to / duration) - floor(from / duration));
    return passed < 4294967295.0 ? (uint32_t)passed : UINT32_MAX;
}

static uint32_t step_ping_pong(lmb_timer *timer, double step)
{
    const double period = 2 * timer->duration_s;
    const double from = timer->backwards ? period - timer->time_s : timer->time_s;
    const double to = from + step;
    const double folded = wrap_positive(to, period);
    timer->backwards = folded > timer->duration_s;
    timer->time_s = timer->backwards ? period - folded : folded;
    return ends_between(from, to, timer->duration_s);
}

uint32_t lmb_timer_step(lmb_timer *timer, double dt_s)
{
    const double speed = timer->speed < 0 || timer->speed > 0 ? timer->speed : 1.0;
    const double from = timer->time_s, to = from + dt_s * speed;
    const double duration = timer->duration_s;
    if (!(duration > 0)) {
        timer->time_s = to;
        return 0;
    }
    if (timer->mode == LMB_PLAY_PING_PONG) {
        return step_ping_pong(timer, to - from);
    }
    timer->time_s = lmb_time_in(to, duration, timer->mode);
    if (timer->mode == LMB_PLAY_LOOP) {
        // Derived from the wrapped time, so that rounding cannot count an end that was not passed.
        const double wraps = fabs(round((to - timer->time_s) / duration));
        return wraps < 4294967295.0 ? (uint32_t)wraps : UINT32_MAX;
    }
    return (to >= duration && from < duration) || (to <= 0 && from > 0) ? 1 : 0;
}
