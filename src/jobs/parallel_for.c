#include "limber/jobs.h"

void lmb_parallel_for(const lmb_jobs *jobs, size_t count, size_t grain, lmb_piece_fn piece,
                      void *context)
{
    if (count == 0) {
        return;
    }
    const size_t step = grain ? grain : 1;
    if (jobs && jobs->run && count > step) {
        jobs->run(jobs->user, count, step, piece, context);
        return;
    }
    for (size_t begin = 0; begin < count; begin += step) {
        piece(context, begin, count - begin < step ? count : begin + step);
    }
}
