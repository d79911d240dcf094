/// Checks of vectors.
#ifndef TESTS_VEC3_NEAR_H
#define TESTS_VEC3_NEAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

#include "limber/math.h"

/// Each coordinate within `within`.
static inline void assert_vec3_near(lmb_vec3 p, float x, float y, float z, float within)
{
    if (!(fabsf(p.x - x) <= within && fabsf(p.y - y) <= within && fabsf(p.z - z) <= within)) {
        fail_msg("%g %g %g is not %g %g %g", (double)p.x, (double)p.y, (double)p.z, (double)x,
                 (double)y, (double)z);
    }
}

#endif
