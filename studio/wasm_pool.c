/// The threads of limber/os.h in a module that shares its memory: one pool, of the thread that calls
/// the module and of helpers (wasm_threads.h).
#include "export.h"
#include "wasm_threads.h"
#include "wasm_wait.h"

#include <stdlib.h>

#include "limber/os.h"

#define STACK_SIZE (1u << 20)
/// At the low end of a stack: one that overflows writes over it.
#define STACK_MARK 0x5afe57acu
/// In `active`: a helper is dead.
#define FAILED (1u << 31)

/// A ticket is the number of a loop and how many helpers are invited to it, which are read together:
/// helpers that are not may be late and see no other field.
#define INVITED_BITS 4u
#define INVITED_MASK ((1u << INVITED_BITS) - 1)

/// One loop at a time. Its fields change only while `active` is 0.
typedef struct shared_pool {
    lmb_jobs jobs;
    unsigned helpers; ///< the most that the owner of the pool asked for
    atomic_uint ticket;
    atomic_uint active; ///< helpers that were invited and have not left
    atomic_uint present;
    atomic_flag busy;
    size_t count, grain;
    lmb_piece_fn piece;
    void *context;
    atomic_size_t next; ///< the next range to take, in grains
} shared_pool;

static shared_pool pool;

static void run_ranges(atomic_size_t *next, size_t count, size_t grain, lmb_piece_fn piece,
                       void *context)
{
    const size_t ranges = count / grain + (count % grain != 0);
    for (size_t range; (range = atomic_fetch_add(next, 1)) < ranges;) {
        const size_t begin = range * grain;
        piece(context, begin, count - begin < grain ? count : begin + grain);
    }
}

static void take_ranges(void)
{
    run_ranges(&pool.next, pool.count, pool.grain, pool.piece, pool.context);
}

static void invite(void)
{
    const unsigned present = atomic_load(&pool.present);
    const unsigned invited = present < pool.helpers ? present : pool.helpers;
    const unsigned number = (atomic_load(&pool.ticket) >> INVITED_BITS) + 1;
    atomic_store(&pool.next, 0);
    atomic_store(&pool.active, invited);
    atomic_store(&pool.ticket, number << INVITED_BITS | invited);
    // All of them: those that are not invited wait on the same word.
    wake(&pool.ticket, HELPERS_MAX);
}

static void wait_for_helpers(void)
{
    for (unsigned left; (left = atomic_load(&pool.active)) != 0;) {
        if (left & FAILED) {
            __builtin_trap();
        }
        wait_while(&pool.active, left);
    }
}

static void run_loop(void *user, size_t count, size_t grain, lmb_piece_fn piece, void *context)
{
    (void)user;
    grain = grain ? grain : 1;
    if (count <= grain || atomic_flag_test_and_set(&pool.busy)) {
        atomic_size_t next = 0;
        run_ranges(&next, count, grain, piece, context);
        return;
    }
    pool.count = count;
    pool.grain = grain;
    pool.piece = piece;
    pool.context = context;
    invite();
    take_ranges();
    wait_for_helpers();
    atomic_flag_clear(&pool.busy);
}

// ---------------------------------------------------------------------------------------- helpers

EXPORT(limber_helper_stack) void *limber_helper_stack(void)
{
    char *low = malloc(STACK_SIZE);
    if (low == NULL) {
        return NULL;
    }
    *(unsigned *)low = STACK_MARK;
    return low + STACK_SIZE;
}

static void leave(const volatile unsigned *mark)
{
    if (*mark != STACK_MARK) {
        __builtin_trap();
    }
    if (atomic_fetch_sub(&pool.active, 1) == 1) {
        wake(&pool.active, 1);
    }
}

EXPORT(limber_helper_run) void limber_helper_run(void *stack)
{
    const volatile unsigned *mark = (const unsigned *)((char *)stack - STACK_SIZE);
    // Before it is present: a loop that invites it has a later ticket.
    unsigned seen = atomic_load(&pool.ticket);
    const unsigned index = atomic_fetch_add(&pool.present, 1);
    for (;;) {
        wait_while(&pool.ticket, seen);
        const unsigned ticket = atomic_load(&pool.ticket);
        if (ticket != seen && index < (ticket & INVITED_MASK)) {
            take_ranges();
            leave(mark);
        }
        seen = ticket;
    }
}

EXPORT(limber_helper_failed) void limber_helper_failed(void)
{
    atomic_fetch_or(&pool.active, FAILED);
    wake(&pool.active, 1);
}

EXPORT(limber_helper_count) uint32_t limber_helper_count(void)
{
    const unsigned present = atomic_load(&pool.present);
    return present < HELPERS_MAX ? present : HELPERS_MAX;
}

// ----------------------------------------------------------------------------------- limber/os.h

unsigned lmb_core_count(void)
{
    return limber_helper_count() + 1;
}

lmb_result lmb_pool_create(unsigned worker_count, lmb_pool **out, lmb_error *error)
{
    (void)error;
    const unsigned cores = lmb_core_count();
    const unsigned workers = worker_count > 0 && worker_count < cores ? worker_count : cores;
    pool.helpers = workers - 1;
    pool.jobs = (lmb_jobs){.run = run_loop, .worker_count = workers};
    *out = (lmb_pool *)&pool;
    return LMB_OK;
}

void lmb_pool_destroy(lmb_pool *one)
{
    (void)one;
}

const lmb_jobs *lmb_pool_jobs(const lmb_pool *one)
{
    return &((const shared_pool *)one)->jobs;
}
