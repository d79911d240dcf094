/// Anderson's acceleration of a fixed-point iteration (Anderson 1965; Walker and Ni 2011): the next point is the
/// combination of the last ones whose steps cancel best.
#ifndef LEARN_BODY_ACCELERATION_H
#define LEARN_BODY_ACCELERATION_H

#include "base/arena.h"

enum { LMBI_ACCELERATION_WINDOW = 8 };

typedef struct lmbi_acceleration {
    size_t size;
    uint32_t count; ///< differences that are kept
    bool has_last;
    double *last_at, *last_step;                                             ///< [size]
    double *ats[LMBI_ACCELERATION_WINDOW], *steps[LMBI_ACCELERATION_WINDOW]; ///< [size] differences
} lmbi_acceleration;

/// False if there is no memory.
bool lmbi_acceleration_init(lmbi_acceleration *a, size_t size, lmbi_arena *arena);
/// Forgets the points before.
void lmbi_acceleration_reset(lmbi_acceleration *a);
/// at[size] is a point and to[size] what the iteration makes of it; `to` receives the next point.
void lmbi_acceleration_next(lmbi_acceleration *a, const double *at, double *to);

#endif
