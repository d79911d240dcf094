#include <math.h>

#include "anim/anim.h"
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

double lmbi_clip_tick(const lmb_clip *clip, double time_s, lmb_play_mode mode)
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

uint32_t lmbi_timer_step(lmb_timer *timer, double dt_s)
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

// ------------------------------------------------------------------------------------------ events

void lmbi_events_between(lmbi_event_search *search, double from_s, double to_s, bool with_start)
{
    const bool down = to_s < from_s;
    for (uint32_t k = 0; k < search->time_count && search->count < search->capacity; ++k) {
        const uint32_t e = down ? search->time_count - 1 - k : k;
        const double t = search->times_s[e];
        const bool after = down ? t < from_s : t > from_s;
        const bool before = down ? t >= to_s : t <= to_s;
        if ((after && before) || (with_start && t == from_s)) {
            search->events[search->count++] = e;
        }
    }
}

void lmbi_events_looped(lmbi_event_search *search, double duration_s, double from_s, double to_s,
                        uint32_t wraps, bool backwards, bool with_start)
{
    if (wraps == 0) {
        lmbi_events_between(search, from_s, to_s, with_start);
        return;
    }
    const double begin = backwards ? duration_s : 0, end = backwards ? 0 : duration_s;
    lmbi_events_between(search, from_s, end, with_start);
    for (uint32_t k = 1; search->time_count > 0 && k < wraps && search->count < search->capacity;
         ++k) {
        lmbi_events_between(search, begin, end, true);
    }
    lmbi_events_between(search, begin, to_s, true);
}

/// Each reversal at an end starts a new interval without that end, whose events the previous
/// interval fired.
static void fire_ping_pong(const lmb_timer *before, const lmb_timer *after, double step,
                           bool with_start, lmbi_event_search *search)
{
    const double d = before->duration_s, length = fabs(step);
    bool up = (step > 0) != before->backwards;
    const double to_end = up ? d - before->time_s : before->time_s;
    double reversals = length > to_end ? ceil((length - to_end) / d) : 0;
    // Rounding at an end may count one reversal too many or too few: correct by the timer's final
    // direction, which an odd number changes.
    if ((fmod(reversals, 2) > 0) != (before->backwards != after->backwards)) {
        reversals += reversals > 0 && length - to_end - (reversals - 1) * d < d / 2 ? -1 : 1;
    }
    double from = before->time_s;
    for (; reversals > 0 && search->time_count > 0 && search->count < search->capacity;
         --reversals) {
        const double end = up ? d : 0;
        lmbi_events_between(search, from, end, with_start);
        with_start = false;
        from = end;
        up = !up;
    }
    lmbi_events_between(search, from, after->time_s, with_start);
}

uint32_t lmb_timer_step_events(lmb_timer *timer, double dt_s, const double *times_s, uint32_t count,
                               bool first, uint32_t *events, uint32_t capacity)
{
    const lmb_timer before = *timer;
    const double step = dt_s * (timer->speed < 0 || timer->speed > 0 ? timer->speed : 1.0);
    const uint32_t wraps = lmbi_timer_step(timer, dt_s);
    lmbi_event_search search = {times_s, count, events, 0, capacity};
    if (!(timer->duration_s > 0) || timer->mode == LMB_PLAY_CLAMP) {
        lmbi_events_between(&search, before.time_s, timer->time_s, first);
    } else if (timer->mode == LMB_PLAY_LOOP) {
        lmbi_events_looped(&search, timer->duration_s, before.time_s, timer->time_s, wraps,
                           step < 0, first);
    } else {
        fire_ping_pong(&before, timer, step, first, &search);
    }
    return search.count;
}
