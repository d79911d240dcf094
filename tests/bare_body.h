/// A made person in a T-pose, the body alone, with its joints.
#ifndef TESTS_BARE_BODY_H
#define TESTS_BARE_BODY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bodies/bodies.h"

static inline lmb_made_body *bare_body(uint64_t seed)
{
    const lmb_made_body_opts opts = {.seed = seed,
                                     .triangle_count = 5000,
                                     .pose = LMB_MADE_POSE_T,
                                     .whole = true,
                                     .bare = true,
                                     .rigged = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

#endif
