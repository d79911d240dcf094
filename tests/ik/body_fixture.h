/// The body that a group of tests of full-body IK is run with.
#ifndef TESTS_IK_BODY_FIXTURE_H
#define TESTS_IK_BODY_FIXTURE_H

#include "ik/body.h"

static test_body body;

static int make(void **state)
{
    (void)state;
    body = test_body_make();
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    test_body_free(&body);
    return 0;
}

#endif
