/// The threads of limber/os.h in a module without threads: a loop has one worker.
#include "limber/os.h"

unsigned lmb_core_count(void)
{
    return 1;
}

lmb_result lmb_pool_create(unsigned worker_count, lmb_pool **out, lmb_error *error)
{
    (void)worker_count, (void)error;
    *out = NULL;
    return LMB_OK;
}

void lmb_pool_destroy(lmb_pool *pool)
{
    (void)pool;
}

const lmb_jobs *lmb_pool_jobs(const lmb_pool *pool)
{
    static const lmb_jobs alone;
    (void)pool;
    return &alone;
}
