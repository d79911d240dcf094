/// L D L, with D the inverse masses: the discrete biharmonic operator.
#include "rig/biharmonic_energy.h"

#include "base/error.h"

/// Expands the lower triangle to full rows.
static bool unfold(const lmbi_sparse *m, lmbi_arena *arena, lmbi_energy *e)
{
    const size_t entries = 2 * (size_t)m->first[m->size] - m->size;
    e->first = lmbi_arena_array(arena, (size_t)m->size + 2, sizeof *e->first);
    e->columns = lmbi_arena_array(arena, entries, sizeof *e->columns);
    e->values = lmbi_arena_array(arena, entries, sizeof *e->values);
    if (entries > UINT32_MAX || !e->first || !e->columns || !e->values) {
        return false;
    }
    uint32_t *at =
        e->first + 1; // [i]: next free entry of row i; at the end, the start of row i + 1
    for (uint32_t j = 0; j < m->size; ++j) {
        at[j + 1] += m->first[j + 1] - m->first[j];
        for (uint32_t k = m->first[j] + 1; k < m->first[j + 1]; ++k) {
            ++at[m->rows[k] + 1];
        }
    }
    for (uint32_t i = 0; i < m->size; ++i) {
        at[i + 1] += at[i];
    }
    for (uint32_t j = 0; j < m->size; ++j) { // columns below j were added by earlier iterations
        for (uint32_t k = m->first[j]; k < m->first[j + 1]; ++k) {
            const uint32_t i = m->rows[k];
            e->columns[at[j]] = i;
            e->values[at[j]++] = m->values[k];
            if (i != j) {
                e->columns[at[i]] = j;
                e->values[at[i]++] = m->values[k];
            }
        }
    }
    return true;
}

/// Accumulator for one column of the energy.
typedef struct column {
    double *sums;   ///< [free_count] 0 except at the listed rows
    uint8_t *known; ///< [free_count]
    uint32_t *list;
    uint32_t count;
} column;

static void gather(const lmbi_energy *e, uint32_t j, column *c)
{
    const uint32_t node = e->node_of[j];
    c->count = 0;
    for (uint32_t a = e->first[node]; a < e->first[node + 1]; ++a) {
        const uint32_t middle = e->columns[a];
        const double factor = e->values[a] * e->bending[middle];
        for (uint32_t b = e->first[middle]; b < e->first[middle + 1]; ++b) {
            const uint32_t i = e->free_of[e->columns[b]];
            if (i == UINT32_MAX || i < j) {
                continue;
            }
            if (!c->known[i]) {
                c->known[i] = 1;
                c->list[c->count++] = i;
            }
            c->sums[i] += factor * e->values[b];
        }
    }
    for (uint32_t k = 1; k < c->count; ++k) { // short lists
        const uint32_t moving = c->list[k];
        uint32_t at = k;
        for (; at > 0 && c->list[at - 1] > moving; --at) {
            c->list[at] = c->list[at - 1];
        }
        c->list[at] = moving;
    }
}

static uint32_t count_entries(const lmbi_energy *e, column *c)
{
    size_t total = 0;
    for (uint32_t j = 0; j < e->free_count; ++j) {
        gather(e, j, c);
        total += c->count;
        for (uint32_t k = 0; k < c->count; ++k) {
            c->known[c->list[k]] = 0;
            c->sums[c->list[k]] = 0;
        }
    }
    return total <= UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

static void fill(lmbi_energy *e, column *c)
{
    lmbi_sparse *m = &e->matrix;
    uint32_t at = 0;
    for (uint32_t j = 0; j < e->free_count; ++j) {
        gather(e, j, c);
        m->first[j] = at;
        for (uint32_t k = 0; k < c->count; ++k) {
            m->rows[at] = c->list[k];
            m->values[at++] = c->sums[c->list[k]];
            c->known[c->list[k]] = 0;
            c->sums[c->list[k]] = 0;
        }
    }
    m->first[e->free_count] = at;
}

static bool square(lmbi_energy *e, lmbi_arena *arena)
{
    const size_t n = e->free_count;
    column c = {.sums = lmbi_arena_array(arena, n, sizeof *c.sums),
                .known = lmbi_arena_array(arena, n, 1),
                .list = lmbi_arena_array(arena, n, sizeof *c.list)};
    if (!c.sums || !c.known || !c.list) {
        return false;
    }
    const uint32_t entries = count_entries(e, &c);
    e->matrix = (lmbi_sparse){.size = e->free_count,
                              .first = lmbi_arena_array(arena, n + 1, sizeof(uint32_t)),
                              .rows = lmbi_arena_array(arena, entries, sizeof(uint32_t)),
                              .values = lmbi_arena_array(arena, entries, sizeof(double))};
    if (entries == UINT32_MAX || !e->matrix.first || !e->matrix.rows || !e->matrix.values) {
        return false;
    }
    fill(e, &c);
    return true;
}

lmb_result lmbi_energy_create(const lmbi_biharmonic *problem, const uint8_t *held,
                              lmbi_arena *arena, lmbi_energy *out, lmb_error *error)
{
    const uint32_t n = problem->laplacian->size;
    lmbi_energy e = {.size = n,
                     .free_of = lmbi_arena_array(arena, n, sizeof(uint32_t)),
                     .node_of = lmbi_arena_array(arena, n, sizeof(uint32_t)),
                     .bending = lmbi_arena_array(arena, n, sizeof(double))};
    if (!e.free_of || !e.node_of || !e.bending || !unfold(problem->laplacian, arena, &e)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < n; ++i) {
        e.free_of[i] = held[i] ? UINT32_MAX : e.free_count;
        if (!held[i]) {
            e.node_of[e.free_count++] = i;
        }
        e.bending[i] = problem->hinged && problem->hinged[i] ? 0.0 : 1.0 / problem->masses[i];
    }
    if (!square(&e, arena)) {
        return lmbi_fail_memory(error);
    }
    *out = e;
    return LMB_OK;
}

static void multiply(const lmbi_energy *e, const double *x, double *y)
{
    for (uint32_t i = 0; i < e->size; ++i) {
        double sum = 0;
        for (uint32_t k = e->first[i]; k < e->first[i + 1]; ++k) {
            sum += e->values[k] * x[e->columns[k]];
        }
        y[i] = sum;
    }
}

void lmbi_energy_force(const lmbi_energy *energy, const double *x, double *bent, double *y)
{
    multiply(energy, x, bent);
    for (uint32_t i = 0; i < energy->size; ++i) {
        bent[i] *= energy->bending[i];
    }
    multiply(energy, bent, y);
}
