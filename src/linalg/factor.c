/// Public interface of factorisation and solve.
#include "linalg/kernels.h"

#include "base/alloc.h"
#include "base/error.h"
#include "linalg/sparse.h"

static lmb_result build(lmbi_factor *f, const lmbi_sparse *matrix, const lmbi_factor_opts *opts,
                        lmb_error *error)
{
    lmbi_arena scratch;
    lmbi_arena_init(&scratch, f->arena.alloc);
    lmbi_permuted permuted = {0};
    f->order = lmbi_arena_array(&f->arena, f->size, sizeof *f->order);
    lmb_result result = f->order ? lmbi_sparse_order(matrix, f->arena.alloc, f->order, error)
                                 : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = lmbi_factor_analyse(f, matrix, &scratch, &permuted, error);
    }
    if (result == LMB_OK) {
        size_t entries = f->nodes.value_first[f->nodes.count];
        bool allowed =
            !opts || !opts->memory_limit || entries <= opts->memory_limit / sizeof *f->values;
        f->values = allowed ? lmbi_alloc_array(f->arena.alloc, entries, sizeof *f->values) : NULL;
        result = f->values ? lmbi_factor_numeric(f, &permuted, error) : lmbi_fail_memory(error);
    }
    lmbi_arena_free(&scratch);
    return result;
}

lmb_result lmbi_factor_create(const lmbi_sparse *matrix, const lmbi_factor_opts *opts,
                              const lmb_allocator *alloc, lmbi_factor **out, lmb_error *error)
{
    lmb_result result = lmbi_sparse_check(matrix, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_factor *f = lmbi_alloc(alloc, sizeof *f);
    if (!f) {
        return lmbi_fail_memory(error);
    }
    f->size = matrix->size;
    if (alloc) {
        f->allocator = *alloc;
    }
    lmbi_arena_init(&f->arena, &f->allocator);
    result = build(f, matrix, opts, error);
    if (result != LMB_OK) {
        lmbi_factor_destroy(f);
        return result;
    }
    *out = f;
    return LMB_OK;
}

void lmbi_factor_destroy(lmbi_factor *factor)
{
    if (factor) {
        lmb_allocator alloc = factor->allocator;
        lmbi_free(&alloc, factor->values);
        factor->arena.alloc = &alloc; // factor->alloc is freed with the arena
        lmbi_arena_free(&factor->arena);
        lmbi_free(&alloc, factor);
    }
}

size_t lmbi_factor_entry_count(const lmbi_factor *factor)
{
    size_t count = 0;
    const lmbi_supernodes *s = &factor->nodes;
    for (uint32_t k = 0; k < s->count; ++k) {
        size_t rows = s->row_first[k + 1] - s->row_first[k],
               width = s->column[k + 1] - s->column[k];
        count += width * rows - width * (width + 1) / 2;
    }
    return count;
}

// ---------------------------------------------------------------------------------------- solving

typedef struct solve {
    const lmbi_factor *factor;
    const lmbi_kernels *kernels;
    double *x;
    double *work; ///< per batch: [size + most_rows][LMBI_SIDES]
} solve;

static void solve_piece(void *context, size_t begin, size_t end)
{
    const solve *s = context;
    const lmbi_factor *f = s->factor;
    size_t n = f->size;
    double *x = s->work + (begin / LMBI_SIDES) * (n + f->most_rows) * LMBI_SIDES,
           *local = x + n * LMBI_SIDES;
    for (size_t c = begin; c < end; ++c) {
        for (size_t i = 0; i < n; ++i) {
            x[i * LMBI_SIDES + (c - begin)] = s->x[c * n + f->order[i]];
        }
    }
    s->kernels->forward(f, x, local);
    s->kernels->backward(f, x, local);
    for (size_t c = begin; c < end; ++c) {
        for (size_t i = 0; i < n; ++i) {
            s->x[c * n + f->order[i]] = x[i * LMBI_SIDES + (c - begin)];
        }
    }
}

lmb_result lmbi_factor_solve(const lmbi_factor *factor, double *x, uint32_t count,
                             const lmb_jobs *jobs, lmb_error *error)
{
    // Scratch for as many batches as may run concurrently.
    uint32_t together = jobs && jobs->run && jobs->worker_count > 1 ? jobs->worker_count : 1;
    size_t piece = ((size_t)factor->size + factor->most_rows) * LMBI_SIDES * sizeof(double);
    void *block = lmbi_alloc_array(factor->arena.alloc, (size_t)together, piece ? piece : 1);
    if (!block) {
        return lmbi_fail_memory(error);
    }
    solve s = {.factor = factor, .kernels = lmbi_kernels_pick(), .work = block};
    for (uint32_t begin = 0; begin < count; begin += together * LMBI_SIDES) {
        uint32_t rest = count - begin, most = together * LMBI_SIDES;
        s.x = x + (size_t)begin * factor->size;
        lmb_parallel_for(together > 1 ? jobs : NULL, rest < most ? rest : most, LMBI_SIDES,
                         solve_piece, &s);
    }
    lmbi_free(factor->arena.alloc, block);
    return LMB_OK;
}
