/// Numbers that agree within a tolerance; a failure says both.
#ifndef TESTS_NEAR_H
#define TESTS_NEAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

static inline void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) {
        fail_msg("got %.9g, expected %.9g", got, want);
    }
}

static inline void nearf(float got, float want, float tolerance)
{
    near((double)got, (double)want, (double)tolerance);
}

#endif
