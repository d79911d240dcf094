/// Finds the events between two times.
#ifndef ANIM_EVENTS_H
#define ANIM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/// Event times to search, rising, and a list of limited capacity of those found; events that do not
/// fit are dropped.
typedef struct lmbi_event_search {
    const double *times_s;
    uint32_t time_count;
    uint32_t *events;
    uint32_t count, capacity;
} lmbi_event_search;

/// Events of one monotonic interval, without its start unless `with_start`, with its end.
void lmbi_events_between(lmbi_event_search *search, double from_s, double to_s, bool with_start);
/// Events of a loop, from one wrapped time to another, `wraps` times past the end, forwards or
/// backwards.
void lmbi_events_looped(lmbi_event_search *search, double duration_s, double from_s, double to_s,
                        uint32_t wraps, bool backwards, bool with_start);

#endif
