// Loops of the pool of a module that shares its memory, for pool_test.mjs.
#include "studio/export.h"
#include "studio/wasm_exports.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "limber/jobs.h"
#include "limber/os.h"

int loops_run(uint32_t count, uint32_t grain, unsigned workers);
uint32_t loops_stacks(void);
int loops_nested(uint32_t count);
int loops_heap(uint32_t count);
int loops_fatal(uint32_t count, uint32_t depth);
uint64_t loops_deep(uint32_t count, uint32_t depth);

enum { STACKS_MAX = 16, STACK_SIZE = 1 << 20 };

/// Where the stacks of a loop's threads were; a thread's frames are less than a stack apart.
static uintptr_t stacks[1 << 16];
static uint32_t range_count;

static const lmb_jobs *jobs_of(unsigned workers)
{
    lmb_pool *pool;
    return lmb_pool_create(workers, &pool, NULL) == LMB_OK ? lmb_pool_jobs(pool) : NULL;
}

typedef struct loop {
    uint8_t *visits;
    uint32_t grain;
} loop;

static void visit(void *context, size_t begin, size_t end)
{
    const loop *l = context;
    volatile char here = 0;
    stacks[begin / l->grain] = (uintptr_t)&here;
    // Long enough for others to come.
    for (volatile int spin = 0; spin < 2000; ++spin) {
    }
    for (size_t k = begin; k < end; ++k) {
        l->visits[k]++;
    }
}

/// Whether a loop comes to each index once and to none beyond.
EXPORT(loops_run) int loops_run(uint32_t count, uint32_t grain, unsigned workers)
{
    loop l = {calloc(count + 1, 1), grain ? grain : 1};
    range_count = (count + l.grain - 1) / l.grain;
    lmb_parallel_for(jobs_of(workers), count, grain, visit, &l);
    bool once = l.visits[count] == 0;
    for (uint32_t k = 0; k < count; ++k) {
        once = once && l.visits[k] == 1;
    }
    free(l.visits);
    return once;
}

/// How many threads took part in the last loops_run.
EXPORT(loops_stacks) uint32_t loops_stacks(void)
{
    uintptr_t found[STACKS_MAX];
    uint32_t count = 0;
    for (uint32_t k = 0; k < range_count; ++k) {
        bool known = false;
        for (uint32_t s = 0; s < count; ++s) {
            const uintptr_t low = stacks[k] < found[s] ? stacks[k] : found[s];
            known = known || stacks[k] + found[s] - 2 * low < STACK_SIZE / 2;
        }
        if (!known && count < STACKS_MAX) {
            found[count++] = stacks[k];
        }
    }
    return count;
}

static void add_inner(void *context, size_t begin, size_t end)
{
    uint64_t *sum = context;
    for (size_t k = begin; k < end; ++k) {
        *sum += k;
    }
}

static void nest(void *context, size_t begin, size_t end)
{
    for (size_t k = begin; k < end; ++k) {
        lmb_parallel_for(jobs_of(0), 100, 100, add_inner, (uint64_t *)context + k);
    }
}

/// Whether loops in the pieces of a loop run.
EXPORT(loops_nested) int loops_nested(uint32_t count)
{
    uint64_t *sums = calloc(count, sizeof *sums);
    lmb_parallel_for(jobs_of(0), count, 1, nest, sums);
    bool right = true;
    for (uint32_t k = 0; k < count; ++k) {
        right = right && sums[k] == 4950;
    }
    free(sums);
    return right;
}

static void use_heap(void *context, size_t begin, size_t end)
{
    for (size_t k = begin; k < end; ++k) {
        enum { BLOCKS = 64 };
        uint8_t *blocks[BLOCKS];
        bool whole = true;
        for (size_t b = 0; b < BLOCKS; ++b) {
            const size_t size = 16 + (k * 37 + b * 101) % 4000;
            blocks[b] = malloc(size);
            memset(blocks[b], (int)(k + b) & 0xff, size);
            blocks[b] = realloc(blocks[b], 2 * size);
        }
        for (size_t b = 0; b < BLOCKS; ++b) {
            const size_t size = 16 + (k * 37 + b * 101) % 4000;
            for (size_t at = 0; at < size; ++at) {
                whole = whole && blocks[b][at] == ((k + b) & 0xff);
            }
            free(blocks[b]);
        }
        ((uint8_t *)context)[k] = whole;
    }
}

/// Whether blocks that all threads take, grow and free at once keep what is in them.
EXPORT(loops_heap) int loops_heap(uint32_t count)
{
    uint8_t *whole = calloc(count, 1);
    lmb_parallel_for(jobs_of(0), count, 1, use_heap, whole);
    bool all = true;
    for (uint32_t k = 0; k < count; ++k) {
        all = all && whole[k];
    }
    free(whole);
    return all;
}

static uint64_t descend(uint32_t depth, uint64_t seed)
{
    volatile uint64_t frame[64];
    for (uint32_t k = 0; k < 64; ++k) {
        frame[k] = seed + k;
    }
    const uint64_t below = depth > 0 ? descend(depth - 1, seed + 1) : 0;
    uint64_t sum = below;
    for (uint32_t k = 0; k < 64; ++k) {
        sum += frame[k];
    }
    return sum;
}

typedef struct dive {
    uint64_t *sums;
    uint32_t depth;
} dive;

static void descend_all(void *context, size_t begin, size_t end)
{
    const dive *d = context;
    for (size_t k = begin; k < end; ++k) {
        d->sums[k] = descend(d->depth, k);
    }
}

/// The sum of what each piece leaves on its stack, 512 bytes a level, and finds there again.
EXPORT(loops_deep) uint64_t loops_deep(uint32_t count, uint32_t depth)
{
    dive d = {calloc(count, sizeof(uint64_t)), depth};
    lmb_parallel_for(jobs_of(0), count, 1, descend_all, &d);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += d.sums[k];
    }
    free(d.sums);
    return sum;
}

static void die_elsewhere(void *context, size_t begin, size_t end)
{
    (void)begin, (void)end;
    const uint32_t depth = *(const uint32_t *)context;
    volatile char here = 0;
    // The first instance's stack lies below all data.
    if ((uintptr_t)&here <= STACK_SIZE) {
        for (volatile int spin = 0; spin < 100000; ++spin) {
        }
    } else if (depth == 0) {
        __builtin_trap();
    } else {
        descend(depth, 1);
    }
}

/// A helper stops dead, or, below some depth, writes beyond its stack: so does this one.
EXPORT(loops_fatal) int loops_fatal(uint32_t count, uint32_t depth)
{
    lmb_parallel_for(jobs_of(0), count, 1, die_elsewhere, &depth);
    return 1;
}
