/// Symbolic factorisation: elimination tree, column counts, supernodes and their rows.
#include <string.h>

#include "base/error.h"
#include "linalg/factor.h"

#define NONE UINT32_MAX

typedef struct analysis {
    uint32_t n;
    uint32_t *parent;  ///< elimination tree
    uint32_t *counts;  ///< rows of each column of L, diagonal included
    uint32_t *scratch; ///< [n + 1]
    uint32_t *where;   ///< inverse of the order
} analysis;

/// Fills `first` and `rows` of the permuted lower triangle, and its values if `values` is set.
static void permute(const lmbi_sparse *m, const analysis *a, lmbi_permuted *out)
{
    memset(out->first, 0, ((size_t)a->n + 1) * sizeof *out->first);
    for (uint32_t j = 0; j < a->n; ++j) {
        for (uint32_t k = m->first[j]; k < m->first[j + 1]; ++k) {
            uint32_t c = a->where[j], r = a->where[m->rows[k]];
            ++out->first[(c < r ? c : r) + 1];
        }
    }
    for (uint32_t j = 0; j < a->n; ++j) {
        out->first[j + 1] += out->first[j];
    }
    memcpy(a->scratch, out->first, a->n * sizeof *a->scratch);
    for (uint32_t j = 0; j < a->n; ++j) {
        for (uint32_t k = m->first[j]; k < m->first[j + 1]; ++k) {
            uint32_t c = a->where[j], r = a->where[m->rows[k]];
            uint32_t at = a->scratch[c < r ? c : r]++;
            out->rows[at] = c < r ? r : c;
            out->values[at] = m->values[k];
        }
    }
}

/// The transpose's pattern: each row's columns below the diagonal, ascending.
static void list_rows(const lmbi_permuted *p, uint32_t n, uint32_t *row_first, uint32_t *columns,
                      uint32_t *scratch)
{
    memset(row_first, 0, ((size_t)n + 1) * sizeof *row_first);
    for (uint32_t k = 0; k < p->first[n]; ++k) {
        ++row_first[p->rows[k] + 1];
    }
    for (uint32_t i = 0; i < n; ++i) {
        row_first[i + 1] += row_first[i];
    }
    memcpy(scratch, row_first, n * sizeof *scratch);
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t k = p->first[j]; k < p->first[j + 1]; ++k) {
            columns[scratch[p->rows[k]]++] = j;
        }
    }
}

/// Liu 1990, with path compression: the parent of a column is the row of the first entry below its
/// diagonal in L.
static void elimination_tree(const uint32_t *row_first, const uint32_t *columns, uint32_t n,
                             uint32_t *parent, uint32_t *ancestor)
{
    for (uint32_t i = 0; i < n; ++i) {
        parent[i] = ancestor[i] = NONE;
        for (uint32_t k = row_first[i]; k < row_first[i + 1]; ++k) {
            for (uint32_t j = columns[k]; j != NONE && j < i;) {
                uint32_t next = ancestor[j];
                ancestor[j] = i;
                if (next == NONE) {
                    parent[j] = i;
                }
                j = next;
            }
        }
    }
}

/// Walks each row's subtree, one step per entry of L.
static void count_columns(const uint32_t *row_first, const uint32_t *columns, analysis *a)
{
    uint32_t *seen = a->scratch;
    for (uint32_t i = 0; i < a->n; ++i) {
        seen[i] = i;
        a->counts[i] = 1;
        for (uint32_t k = row_first[i]; k < row_first[i + 1]; ++k) {
            for (uint32_t j = columns[k]; seen[j] != i; j = a->parent[j]) {
                seen[j] = i;
                ++a->counts[j];
            }
        }
    }
}

/// Renumbers `order` and `where` so that every subtree of the elimination tree is a contiguous
/// range of columns.
static void postorder(uint32_t *order, analysis *a, uint32_t *first_child, uint32_t *sibling,
                      uint32_t *stack)
{
    uint32_t n = a->n, height = 0, at = 0;
    for (uint32_t i = 0; i <= n; ++i) {
        first_child[i] = NONE;
    }
    for (uint32_t j = n; j-- > 0;) {
        uint32_t parent = a->parent[j] == NONE ? n : a->parent[j];
        sibling[j] = first_child[parent];
        first_child[parent] = j;
    }
    stack[height++] = n;
    while (height) {
        uint32_t j = stack[height - 1], child = first_child[j];
        if (child != NONE) {
            first_child[j] = sibling[child];
            stack[height++] = child;
        } else {
            --height;
            if (j < n) {
                a->where[order[j]] = at++;
            }
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        order[a->where[i]] = i;
    }
}

/// Whether a merged supernode of that many columns may hold that many explicit zeros. Small
/// supernodes may hold nearly any fraction, to reduce the number of blocks.
static bool zeros_are_few(uint32_t columns, size_t zeros, size_t entries)
{
    return columns <= 4 || (columns <= 16 && zeros * 10 <= entries * 5) ||
           (columns <= 48 && zeros * 10 <= entries) || zeros * 20 <= entries;
}

/// Sets height[j] to the rows of the supernode that begins at column j, and to 0 where none begins.
/// Columns j and j + 1 are together when the pattern of j is j and the pattern of j + 1; beyond
/// that, runs join the run of their parent while that adds few zeros.
static void find_runs(const analysis *a, uint32_t *height)
{
    uint32_t n = a->n;
    for (uint32_t j = 0; j < n; ++j) {
        bool starts = j == 0 || a->parent[j - 1] != j || a->counts[j - 1] != a->counts[j] + 1;
        height[j] = starts ? a->counts[j] : 0;
    }
    // From the last run backwards: `begin` is the run that the one before it may join.
    uint32_t begin = n;
    size_t zeros = 0, columns = 0;
    for (uint32_t j = n; j-- > 0;) {
        if (!height[j]) {
            continue;
        }
        size_t width = begin - j;
        if (begin < n && a->parent[begin - 1] == begin) {
            size_t rows = width + height[begin], wide = columns + width;
            size_t added = width * (rows - height[j]),
                   entries = wide * rows - wide * (wide - 1) / 2;
            if (zeros_are_few((uint32_t)wide, zeros + added, entries)) {
                height[begin] = 0;
                height[j] = (uint32_t)rows;
                begin = j;
                zeros += added;
                columns = wide;
                continue;
            }
        }
        begin = j;
        zeros = 0;
        columns = width;
    }
}

/// Splits runs wider than a panel.
static void cut_runs(uint32_t *height, uint32_t n)
{
    uint32_t begin = 0;
    for (uint32_t j = 1; j < n; ++j) {
        if (!height[j] && j - begin == LMBI_PANEL_WIDTH) {
            height[j] = height[begin] - LMBI_PANEL_WIDTH;
        }
        begin = height[j] ? j : begin;
    }
}

/// Allocates the rows: panels split from merged runs may use fewer.
static bool lay_out_nodes(lmbi_factor *f, const uint32_t *height)
{
    lmbi_supernodes *s = &f->nodes;
    for (uint32_t j = 0; j < f->size; ++j) {
        s->count += height[j] ? 1 : 0;
    }
    s->column = lmbi_arena_array(&f->arena, (size_t)s->count + 1, sizeof *s->column);
    s->row_first = lmbi_arena_array(&f->arena, (size_t)s->count + 1, sizeof *s->row_first);
    s->value_first = lmbi_arena_array(&f->arena, (size_t)s->count + 1, sizeof *s->value_first);
    s->node_of = lmbi_arena_array(&f->arena, f->size, sizeof *s->node_of);
    if (!s->column || !s->row_first || !s->value_first || !s->node_of) {
        return false;
    }
    uint32_t at = 0;
    for (uint32_t j = 0; j < f->size; ++j) {
        if (height[j]) {
            s->column[at] = j;
            s->row_first[at + 1] = s->row_first[at] + height[j];
            ++at;
        }
        s->node_of[j] = at - 1;
    }
    s->column[at] = f->size;
    s->rows = lmbi_arena_array(&f->arena, s->row_first[s->count], sizeof *s->rows);
    return s->rows != NULL;
}

/// Appends the rows beyond `last` that are not in the supernode yet.
static size_t add_rows(const uint32_t *from, size_t count, uint32_t last, uint32_t mark,
                       uint32_t *seen, uint32_t *to, size_t at)
{
    for (size_t k = 0; k < count; ++k) {
        if (from[k] > last && seen[from[k]] != mark) {
            seen[from[k]] = mark;
            to[at++] = from[k];
        }
    }
    return at;
}

/// Gathers a supernode's rows, unsorted: its columns, the rows of A below them, and the remaining
/// rows of its children.
static void gather_rows(lmbi_factor *f, const lmbi_permuted *p, uint32_t *seen, uint32_t *child,
                        uint32_t *sibling)
{
    lmbi_supernodes *s = &f->nodes;
    for (uint32_t i = 0; i < f->size; ++i) {
        seen[i] = NONE;
    }
    for (uint32_t k = 0; k < s->count; ++k) {
        child[k] = NONE;
    }
    for (uint32_t k = 0; k < s->count; ++k) {
        uint32_t begin = s->column[k], last = s->column[k + 1] - 1;
        size_t at = s->row_first[k];
        for (uint32_t j = begin; j <= last; ++j) {
            s->rows[at++] = j;
        }
        at = add_rows(p->rows + p->first[begin], p->first[last + 1] - p->first[begin], last, k,
                      seen, s->rows, at);
        for (uint32_t c = child[k]; c != NONE; c = sibling[c]) {
            at = add_rows(s->rows + s->row_first[c], s->row_first[c + 1] - s->row_first[c], last, k,
                          seen, s->rows, at);
        }
        s->row_first[k + 1] = at;
        uint32_t least = NONE; // the first row after the columns, while rows are unsorted
        for (size_t i = s->row_first[k] + (last + 1 - begin); i < at; ++i) {
            least = s->rows[i] < least ? s->rows[i] : least;
        }
        if (least != NONE) {
            sibling[k] = child[s->node_of[least]];
            child[s->node_of[least]] = k;
        }
    }
}

static void lay_out_values(lmbi_factor *f)
{
    lmbi_supernodes *s = &f->nodes;
    for (uint32_t k = 0; k < s->count; ++k) {
        const size_t rows = s->row_first[k + 1] - s->row_first[k],
                     width = s->column[k + 1] - s->column[k];
        s->value_first[k + 1] = s->value_first[k] + rows * width;
        f->most_rows = rows > f->most_rows ? (uint32_t)rows : f->most_rows;
    }
}

/// Sorts all supernodes' rows at once by listing the supernodes of every row.
static bool sort_rows(lmbi_factor *f, lmbi_arena *scratch)
{
    lmbi_supernodes *s = &f->nodes;
    size_t total = s->row_first[s->count];
    size_t *first = lmbi_arena_array(scratch, (size_t)f->size + 2, sizeof *first);
    uint32_t *owners = lmbi_arena_array(scratch, total, sizeof *owners);
    size_t *cursor = lmbi_arena_array(scratch, s->count, sizeof *cursor);
    if (!first || !owners || !cursor) {
        return false;
    }
    for (size_t i = 0; i < total; ++i) {
        ++first[s->rows[i] + 2];
    }
    for (uint32_t i = 0; i < f->size; ++i) {
        first[i + 2] += first[i + 1];
    }
    for (uint32_t k = 0; k < s->count; ++k) {
        cursor[k] = s->row_first[k];
        for (size_t i = s->row_first[k]; i < s->row_first[k + 1]; ++i) {
            owners[first[s->rows[i] + 1]++] = k;
        }
    }
    for (uint32_t row = 0; row < f->size; ++row) {
        for (size_t i = first[row]; i < first[row + 1]; ++i) {
            s->rows[cursor[owners[i]]++] = row;
        }
    }
    return true;
}

static bool allocate(lmbi_factor *f, const lmbi_sparse *m, lmbi_arena *scratch, analysis *a,
                     lmbi_permuted *p)
{
    size_t n = f->size, entries = m->first[n];
    uint32_t **of_columns[] = {&a->parent, &a->counts, &a->scratch, &a->where, &p->first};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; ++k) {
        *of_columns[k] = lmbi_arena_array(scratch, n + 1, sizeof(uint32_t));
        if (!*of_columns[k]) {
            return false;
        }
    }
    p->rows = lmbi_arena_array(scratch, entries, sizeof *p->rows);
    p->values = lmbi_arena_array(scratch, entries, sizeof *p->values);
    return p->rows && p->values;
}

/// Computes the tree and the counts for the current order.
static bool analyse_order(const lmbi_sparse *m, analysis *a, lmbi_permuted *p, lmbi_arena *scratch,
                          bool with_counts)
{
    uint32_t *row_first = lmbi_arena_array(scratch, (size_t)a->n + 1, sizeof *row_first);
    uint32_t *columns = lmbi_arena_array(scratch, m->first[a->n], sizeof *columns);
    if (!row_first || !columns) {
        return false;
    }
    permute(m, a, p);
    list_rows(p, a->n, row_first, columns, a->scratch);
    elimination_tree(row_first, columns, a->n, a->parent, a->scratch);
    if (with_counts) {
        count_columns(row_first, columns, a);
    }
    return true;
}

lmb_result lmbi_factor_analyse(lmbi_factor *factor, const lmbi_sparse *matrix, lmbi_arena *scratch,
                               lmbi_permuted *out, lmb_error *error)
{
    uint32_t n = factor->size;
    analysis a = {.n = n};
    uint32_t *one = lmbi_arena_array(scratch, (size_t)n + 1, sizeof *one);
    uint32_t *two = lmbi_arena_array(scratch, (size_t)n + 1, sizeof *two);
    uint32_t *three = lmbi_arena_array(scratch, (size_t)n + 1, sizeof *three);
    if (!one || !two || !three || !allocate(factor, matrix, scratch, &a, out)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < n; ++k) {
        a.where[factor->order[k]] = k;
    }
    if (!analyse_order(matrix, &a, out, scratch, false)) {
        return lmbi_fail_memory(error);
    }
    postorder(factor->order, &a, one, two, three);
    if (!analyse_order(matrix, &a, out, scratch, true)) {
        return lmbi_fail_memory(error);
    }
    find_runs(&a, one);
    cut_runs(one, n);
    if (!lay_out_nodes(factor, one)) {
        return lmbi_fail_memory(error);
    }
    gather_rows(factor, out, two, three, a.scratch);
    lay_out_values(factor);
    return sort_rows(factor, scratch) ? LMB_OK : lmbi_fail_memory(error);
}
