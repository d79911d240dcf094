// When a point stands: runs that a blink parts are one, a hop on the spot parts two.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "retarget/feet.h"

enum { RATE = 60, FRAMES = 180 };

/// Stands from 0 to 1 s, is up to `high` above its place for `frames` frames, and stands there again.
static void lay(lmb_vec3 *points, uint32_t frames, float high)
{
    for (uint32_t f = 0; f < FRAMES; ++f) {
        const float s =
            f < RATE || f >= RATE + frames ? 0 : (float)(f - RATE + 1) / (float)(frames + 1);
        points[f] = lmb_vec3_make(0, high * 4 * s * (1 - s), 0);
    }
}

static uint32_t contacts_of(uint32_t frames, float high, lmbi_foot_contact out[4])
{
    lmb_vec3 points[FRAMES];
    lmbi_arena arena;
    lmbi_foot_contacts contacts = {0};
    lmbi_arena_init(&arena, NULL);
    lay(points, frames, high);
    assert_true(lmbi_contacts_find(points, FRAMES, RATE, 1, &arena, &contacts));
    for (uint32_t k = 0; k < contacts.count && k < 4; ++k) {
        out[k] = contacts.items[k];
    }
    const uint32_t count = contacts.count;
    lmbi_arena_free(&arena);
    return count;
}

static void a_hop_on_the_spot_parts_two(void **state)
{
    (void)state;
    lmbi_foot_contact c[4];
    assert_int_equal(contacts_of(30, 0.3f, c), 2);
    assert_true(c[0].begin == 0 && c[0].end >= RATE - 4 && c[0].end <= RATE + 4);
    assert_true(c[1].begin >= RATE + 26 && c[1].begin <= RATE + 34 && c[1].end == FRAMES);
}

static void a_blink_does_not(void **state)
{
    (void)state;
    lmbi_foot_contact c[4];
    assert_int_equal(contacts_of(1, 0.05f, c), 1);
    assert_true(c[0].begin == 0 && c[0].end == FRAMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hop_on_the_spot_parts_two),
        cmocka_unit_test(a_blink_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
