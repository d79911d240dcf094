// sched_getaffinity and CPU_COUNT are GNU's.
#define _GNU_SOURCE
#include "limber/os.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"

#define WORKERS_MAX 1024u

/// One loop at a time. a new `generation` signals a new loop to the threads; `active` counts
/// those that have not yet left it, and only when it is 0 may the loop's fields change again.
struct lmb_pool {
    lmb_jobs jobs;
    pthread_mutex_t loop; ///< locked by the thread whose loop is running
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    uint64_t generation;
    unsigned active;
    bool quit;
    size_t count, grain;
    lmb_piece_fn piece;
    void *context;
    atomic_size_t next; ///< the next range to take, in grains
    unsigned thread_count;
    pthread_t threads[];
};

static size_t range_count(size_t count, size_t grain)
{
    return count / grain + (count % grain != 0);
}

static void run_range(size_t range, size_t count, size_t grain, lmb_piece_fn piece, void *context)
{
    size_t begin = range * grain;
    size_t end = count - begin < grain ? count : begin + grain;
    piece(context, begin, end);
}

static void take_ranges(lmb_pool *pool)
{
    size_t ranges = range_count(pool->count, pool->grain);
    for (;;) {
        size_t range = atomic_fetch_add(&pool->next, 1);
        if (range >= ranges) {
            return;
        }
        run_range(range, pool->count, pool->grain, pool->piece, pool->context);
    }
}

static void *work(void *user)
{
    lmb_pool *pool = user;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->generation == seen && !pool->quit) {
            pthread_cond_wait(&pool->wake, &pool->mutex);
        }
        if (pool->quit) {
            break;
        }
        seen = pool->generation;
        pthread_mutex_unlock(&pool->mutex);
        take_ranges(pool);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->active == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void run_alone(size_t count, size_t grain, lmb_piece_fn piece, void *context)
{
    size_t ranges = range_count(count, grain);
    for (size_t range = 0; range < ranges; range++) {
        run_range(range, count, grain, piece, context);
    }
}

static void run_loop(void *user, size_t count, size_t grain, lmb_piece_fn piece, void *context)
{
    lmb_pool *pool = user;
    grain = grain ? grain : 1;
    if (count <= grain || pool->thread_count == 0 || pthread_mutex_trylock(&pool->loop) != 0) {
        run_alone(count, grain, piece, context);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->count = count;
    pool->grain = grain;
    pool->piece = piece;
    pool->context = context;
    atomic_store(&pool->next, 0);
    pool->active = pool->thread_count;
    pool->generation++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);

    take_ranges(pool);

    pthread_mutex_lock(&pool->mutex);
    while (pool->active > 0) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    pthread_mutex_unlock(&pool->loop);
}

unsigned lmb_core_count(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) {
        return 1;
    }
    int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}

lmb_result lmb_pool_create(unsigned worker_count, lmb_pool **out, lmb_error *error)
{
    unsigned workers = worker_count ? worker_count : lmb_core_count();
    workers = workers < WORKERS_MAX ? workers : WORKERS_MAX;
    lmb_pool *pool = calloc(1, sizeof(*pool) + (workers - 1) * sizeof(pool->threads[0]));
    if (!pool) {
        return lmbi_fail_memory(error);
    }
    // None of these three can fail on Linux with default attributes.
    pthread_mutex_init(&pool->loop, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    while (pool->thread_count + 1 < workers &&
           pthread_create(&pool->threads[pool->thread_count], NULL, work, pool) == 0) {
        pool->thread_count++;
    }
    pool->jobs = (lmb_jobs){.run = run_loop, .user = pool, .worker_count = pool->thread_count + 1};
    *out = pool;
    return LMB_OK;
}

void lmb_pool_destroy(lmb_pool *pool)
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (unsigned k = 0; k < pool->thread_count; k++) {
        pthread_join(pool->threads[k], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    pthread_mutex_destroy(&pool->loop);
    free(pool);
}

const lmb_jobs *lmb_pool_jobs(const lmb_pool *pool)
{
    return &pool->jobs;
}
