#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <string.h>

#include "limber/os.h"

#define COUNT 10007

typedef struct {
    unsigned char visits[COUNT];
    size_t grain;
    atomic_int bad_ranges;
    const lmb_jobs *jobs; // for the loop within the loop
    atomic_int inner;
} record;

static void visit(void *user, size_t begin, size_t end)
{
    record *r = user;
    if (begin % r->grain != 0 || end <= begin || end - begin > r->grain || end > COUNT) {
        atomic_fetch_add(&r->bad_ranges, 1);
    }
    for (size_t k = begin; k < end; k++) {
        r->visits[k]++;
    }
}

static void every_index_is_visited_once(void **state)
{
    (void)state;
    static const unsigned worker_counts[] = {1, 2, 3, 8};
    static const size_t grains[] = {1, 7, 64, COUNT - 1, COUNT, COUNT + 1};
    for (size_t w = 0; w < sizeof(worker_counts) / sizeof(worker_counts[0]); w++) {
        lmb_pool *pool;
        assert_int_equal(lmb_pool_create(worker_counts[w], &pool, NULL), LMB_OK);
        const lmb_jobs *jobs = lmb_pool_jobs(pool);
        assert_int_equal(jobs->worker_count, worker_counts[w]);
        for (size_t g = 0; g < sizeof(grains) / sizeof(grains[0]); g++) {
            static record r;
            memset(&r, 0, sizeof(r));
            r.grain = grains[g];
            jobs->run(jobs->user, COUNT, grains[g], visit, &r);
            assert_int_equal(atomic_load(&r.bad_ranges), 0);
            for (size_t k = 0; k < COUNT; k++) {
                assert_int_equal(r.visits[k], 1);
            }
        }
        jobs->run(jobs->user, 0, 16, visit, NULL);
        lmb_pool_destroy(pool);
    }
}

static void count_inner(void *user, size_t begin, size_t end)
{
    record *r = user;
    atomic_fetch_add(&r->inner, (int)(end - begin));
}

static void loop_within(void *user, size_t begin, size_t end)
{
    record *r = user;
    for (size_t k = begin; k < end; k++) {
        r->jobs->run(r->jobs->user, 100, 9, count_inner, r);
    }
}

static void a_loop_within_a_loop_ends(void **state)
{
    (void)state;
    lmb_pool *pool;
    assert_int_equal(lmb_pool_create(4, &pool, NULL), LMB_OK);
    static record r;
    memset(&r, 0, sizeof(r));
    r.jobs = lmb_pool_jobs(pool);
    r.jobs->run(r.jobs->user, 50, 1, loop_within, &r);
    assert_int_equal(atomic_load(&r.inner), 50 * 100);
    lmb_pool_destroy(pool);
}

static void many_short_loops_lose_nothing(void **state)
{
    (void)state;
    lmb_pool *pool;
    assert_int_equal(lmb_pool_create(4, &pool, NULL), LMB_OK);
    const lmb_jobs *jobs = lmb_pool_jobs(pool);
    static record r;
    memset(&r, 0, sizeof(r));
    for (int k = 0; k < 2000; k++) {
        jobs->run(jobs->user, 12, 5, count_inner, &r);
    }
    assert_int_equal(atomic_load(&r.inner), 2000 * 12);
    lmb_pool_destroy(pool);
}

static void zero_workers_means_one_a_core(void **state)
{
    (void)state;
    lmb_pool *pool;
    assert_true(lmb_core_count() >= 1);
    assert_int_equal(lmb_pool_create(0, &pool, NULL), LMB_OK);
    assert_int_equal(lmb_pool_jobs(pool)->worker_count, lmb_core_count());
    lmb_pool_destroy(pool);
    lmb_pool_destroy(NULL);
}

static void the_clock_does_not_go_back(void **state)
{
    (void)state;
    double before = lmb_clock_s();
    for (int k = 0; k < 1000; k++) {
        double now = lmb_clock_s();
        assert_true(now >= before);
        before = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_visited_once),
        cmocka_unit_test(a_loop_within_a_loop_ends),
        cmocka_unit_test(many_short_loops_lose_nothing),
        cmocka_unit_test(zero_workers_means_one_a_core),
        cmocka_unit_test(the_clock_does_not_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
