/// Parallel loops over a runner that the caller gives. The library has no threads of its own.
#ifndef LIMBER_JOBS_H
#define LIMBER_JOBS_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One piece of a loop: indices [begin, end). Pieces must not write what other pieces read.
typedef void (*lmb_piece_fn)(void *context, size_t begin, size_t end);

/// The caller's threads. `run` calls piece(context, b, e) for disjoint ranges that cover [0,
/// count), in any order, from any thread, each range at most `grain` long and beginning at a
/// multiple of `grain`, and returns when all are done.
/// A NULL `lmb_jobs *` or a NULL `run` means the calling thread alone.
typedef struct lmb_jobs {
    void (*run)(void *user, size_t count, size_t grain, lmb_piece_fn piece, void *context);
    void *user;
    unsigned worker_count;
} lmb_jobs;

/// Runs the loop. The ranges do not depend on the runner, so results that depend on the range alone
/// have the same bits for 1 and for N workers. `grain` 0 counts as 1.
LMB_API void lmb_parallel_for(const lmb_jobs *jobs, size_t count, size_t grain, lmb_piece_fn piece,
                              void *context);

#ifdef __cplusplus
}
#endif
#endif
