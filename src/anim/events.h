/// Which events lie on the way between two times.
#ifndef ANIM_EVENTS_H
#define ANIM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/// A list that fills up: what does not fit is left out.
typedef struct lmbi_fired_events {
    uint32_t *events;
    uint32_t count, capacity;
} lmbi_fired_events;

/// One way in one direction, the start left out unless `with_start`, the end included. Times rise.
void lmbi_events_between(const double *times_s, uint32_t count, double from_s, double to_s,
                         bool with_start, lmbi_fired_events *fired);
/// Round a loop: from one folded time to another, past the end `wraps` times, forwards or
/// backwards.
void lmbi_events_looped(const double *times_s, uint32_t count, double duration_s, double from_s,
                        double to_s, uint32_t wraps, bool backwards, bool with_start,
                        lmbi_fired_events *fired);

#endif
