/// Finds the events between two times.
#ifndef ANIM_EVENTS_H
#define ANIM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/// A list of limited capacity; events that do not fit are dropped.
typedef struct lmbi_fired_events {
    uint32_t *events;
    uint32_t count, capacity;
} lmbi_fired_events;

/// Events of one monotonic interval, without its start unless `with_start`, with its end. Times
/// rise.
void lmbi_events_between(const double *times_s, uint32_t count, double from_s, double to_s,
                         bool with_start, lmbi_fired_events *fired);
/// Events of a loop, from one wrapped time to another, `wraps` times past the end, forwards or
/// backwards.
void lmbi_events_looped(const double *times_s, uint32_t count, double duration_s, double from_s,
                        double to_s, uint32_t wraps, bool backwards, bool with_start,
                        lmbi_fired_events *fired);

#endif
