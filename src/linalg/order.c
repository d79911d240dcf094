/// Approximate minimum degree ordering (Amestoy, Davis, Duff, "An approximate minimum degree
/// ordering algorithm", 1996).
///
/// The graph of the matrix is kept as a quotient graph: live variables, and elements, each standing
/// for the clique that an elimination left. A variable's list holds its elements first, then its
/// variables. Variables with the same lists are merged into one that weighs their number.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "linalg/sparse.h"

#define NONE UINT32_MAX

typedef enum kind {
    VARIABLE = 0,
    ELEMENT,
    ABSORBED, ///< a variable merged into another node, or an element covered by a newer one
    POSTPONED ///< a dense row, ordered last
} kind;

typedef struct quotient {
    uint32_t n;
    uint32_t *pool;          ///< all lists
    uint32_t used, capacity; ///< entries of the pool
    uint32_t *start, *length, *element_count;
    /// merged variables in a variable; negative while it is in the element being formed
    int32_t *weight;
    /// variables: upper bound of the external degree; elements: weight of their remaining variables
    uint32_t *degree;
    uint32_t *parent; ///< what absorbed it
    uint8_t *kinds;
    uint32_t *head, *next, *last; ///< variables by degree, doubly linked
    uint32_t *outside; ///< [n] elements: mark + weight of its variables outside the new element
    uint32_t mark;
    uint32_t *hash_head, *hash_next, *hash;
    uint32_t least;     ///< all lists of lower degree are empty
    uint32_t done;      ///< weight of the eliminated variables
    uint32_t *sequence; ///< elements in order of creation
    uint32_t sequence_count;
} quotient;

static void list_push(quotient *q, uint32_t i, uint32_t degree)
{
    q->next[i] = q->head[degree];
    q->last[i] = NONE;
    if (q->head[degree] != NONE) {
        q->last[q->head[degree]] = i;
    }
    q->head[degree] = i;
    q->least = degree < q->least ? degree : q->least;
}

static void list_remove(quotient *q, uint32_t i)
{
    if (q->next[i] != NONE) {
        q->last[q->next[i]] = q->last[i];
    }
    if (q->last[i] != NONE) {
        q->next[q->last[i]] = q->next[i];
    } else {
        q->head[q->degree[i]] = q->next[i];
    }
}

static uint32_t list_pop_least(quotient *q)
{
    while (q->head[q->least] == NONE) {
        ++q->least;
    }
    uint32_t i = q->head[q->least];
    list_remove(q, i);
    return i;
}

/// Moves all live lists to the front of the pool. Meanwhile the first entry of each list is swapped
/// with its owner's number.
static void compact(quotient *q)
{
    for (uint32_t i = 0; i < q->n; ++i) {
        if ((q->kinds[i] == VARIABLE || q->kinds[i] == ELEMENT) && q->length[i]) {
            uint32_t at = q->start[i];
            q->start[i] = q->pool[at];
            q->pool[at] = i | 0x80000000u;
        }
    }
    uint32_t to = 0;
    for (uint32_t from = 0; from < q->used;) {
        uint32_t entry = q->pool[from++];
        if (!(entry & 0x80000000u)) {
            continue;
        }
        uint32_t i = entry & 0x7FFFFFFFu;
        uint32_t begin = to;
        q->pool[to++] = q->start[i];
        for (uint32_t k = 1; k < q->length[i]; ++k) {
            q->pool[to++] = q->pool[from++];
        }
        q->start[i] = begin;
    }
    q->used = to;
}

static bool setup(quotient *q, lmbi_arena *arena, const lmbi_sparse *m)
{
    uint32_t n = q->n = m->size;
    size_t entries = 2 * ((size_t)m->first[n] - n);
    size_t capacity = entries + entries / 4 + 2 * (size_t)n + 16;
    uint32_t **arrays[] = {&q->start,     &q->length, &q->element_count, &q->degree,  &q->parent,
                           &q->head,      &q->next,   &q->last,          &q->outside, &q->hash_head,
                           &q->hash_next, &q->hash,   &q->sequence};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; ++a) {
        *arrays[a] = lmbi_arena_array(arena, (size_t)n + 1, sizeof(uint32_t));
        if (!*arrays[a]) {
            return false;
        }
    }
    q->weight = lmbi_arena_array(arena, n, sizeof *q->weight);
    q->kinds = lmbi_arena_array(arena, n, sizeof *q->kinds);
    q->pool = capacity < 0x80000000u ? lmbi_arena_array(arena, capacity, sizeof *q->pool) : NULL;
    q->capacity = (uint32_t)capacity;
    return q->weight && q->kinds && q->pool;
}

static void load(quotient *q, const lmbi_sparse *m)
{
    uint32_t n = q->n;
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t k = m->first[j] + 1; k < m->first[j + 1]; ++k) {
            ++q->length[j];
            ++q->length[m->rows[k]];
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        q->start[i] = q->used;
        q->used += q->length[i];
        q->length[i] = 0;
    }
    for (uint32_t j = 0; j < n; ++j) {
        for (uint32_t k = m->first[j] + 1; k < m->first[j + 1]; ++k) {
            uint32_t i = m->rows[k];
            q->pool[q->start[j] + q->length[j]++] = i;
            q->pool[q->start[i] + q->length[i]++] = j;
        }
    }
    double root = 10 * sqrt((double)n);
    uint32_t dense = root > 16 ? (uint32_t)root : 16;
    for (uint32_t i = 0; i <= n; ++i) {
        q->head[i] = q->hash_head[i] = NONE;
    }
    q->mark = 1;
    for (uint32_t i = 0; i < n; ++i) {
        q->parent[i] = NONE;
        q->weight[i] = 1;
        q->degree[i] = q->length[i];
        if (q->length[i] > dense) {
            q->kinds[i] = POSTPONED;
            q->weight[i] = 0;
            ++q->done;
        } else {
            list_push(q, i, q->degree[i]);
        }
    }
}

/// Adds variable i to the element being formed, unless it is dead or already in it. Returns its
/// weight.
static uint32_t add_to_element(quotient *q, uint32_t i, uint32_t *at)
{
    int32_t weight = q->weight[i];
    if (weight <= 0) {
        return 0;
    }
    q->weight[i] = -weight;
    q->pool[(*at)++] = i;
    list_remove(q, i);
    return (uint32_t)weight;
}

/// Forms element p from the variables adjacent to pivot p, directly and by its elements. Returns
/// their weight.
static uint32_t form_element(quotient *q, uint32_t p)
{
    // The degree bounds the length, as every variable weighs at least 1.
    if (q->element_count[p] && q->used + q->degree[p] > q->capacity) {
        compact(q);
    }
    // A pivot without elements keeps its place: its list can only shrink.
    uint32_t begin = q->element_count[p] ? q->used : q->start[p], at = begin, weight = 0;
    for (uint32_t k = 0; k < q->element_count[p]; ++k) {
        uint32_t e = q->pool[q->start[p] + k];
        for (uint32_t i = 0; i < q->length[e]; ++i) {
            weight += add_to_element(q, q->pool[q->start[e] + i], &at);
        }
        q->kinds[e] = ABSORBED;
        q->parent[e] = p;
    }
    for (uint32_t k = q->element_count[p]; k < q->length[p]; ++k) {
        weight += add_to_element(q, q->pool[q->start[p] + k], &at);
    }
    if (q->element_count[p]) {
        q->used = at;
    }
    q->start[p] = begin;
    q->length[p] = at - begin;
    q->element_count[p] = 0;
    return weight;
}

/// For every element e adjacent to the new one: outside[e] - mark = weight of its variables outside
/// the new one.
static void measure_outside(quotient *q, uint32_t p)
{
    for (uint32_t k = 0; k < q->length[p]; ++k) {
        uint32_t i = q->pool[q->start[p] + k];
        uint32_t weight = (uint32_t)-q->weight[i];
        for (uint32_t j = 0; j < q->element_count[i]; ++j) {
            uint32_t e = q->pool[q->start[i] + j];
            if (q->kinds[e] != ELEMENT) {
                continue;
            }
            q->outside[e] =
                (q->outside[e] >= q->mark ? q->outside[e] : q->mark + q->degree[e]) - weight;
        }
    }
}

/// Rewrites the list of variable i after element p was formed: drops dead entries, absorbs elements
/// that p covers, and puts p first. Returns the weight of i's neighbours outside p.
static uint32_t prune_list(quotient *q, uint32_t p, uint32_t i)
{
    uint32_t begin = q->start[i], elements_end = begin + q->element_count[i],
             end = begin + q->length[i];
    uint32_t at = begin, outside = 0, hash = 0;
    for (uint32_t k = begin; k < elements_end; ++k) {
        uint32_t e = q->pool[k];
        if (q->kinds[e] != ELEMENT) {
            continue;
        }
        uint32_t more = q->outside[e] - q->mark;
        if (more) {
            outside += more;
            q->pool[at++] = e;
            hash += e;
        } else {
            q->kinds[e] = ABSORBED;
            q->parent[e] = p;
        }
    }
    uint32_t kept_elements = at - begin, first_variable = at;
    for (uint32_t k = elements_end; k < end; ++k) {
        uint32_t j = q->pool[k];
        if (q->weight[j] > 0) {
            outside += (uint32_t)q->weight[j];
            q->pool[at++] = j;
            hash += j;
        }
    }
    if (outside == 0) {
        return 0;
    }
    // There is space for one more: p or one of its old elements was in the list.
    q->pool[at++] = q->pool[first_variable];
    q->pool[first_variable] = q->pool[begin];
    q->pool[begin] = p;
    q->element_count[i] = kept_elements + 1;
    q->length[i] = at - begin;
    q->hash[i] = hash % q->n;
    return outside;
}

static void absorb_variable(quotient *q, uint32_t i, uint32_t into)
{
    q->kinds[i] = ABSORBED;
    q->parent[i] = into;
    q->weight[i] = 0;
    q->element_count[i] = q->length[i] = 0;
}

/// Returns the element's weight without the variables eliminated with it, which had no other
/// neighbours.
static uint32_t update_degrees(quotient *q, uint32_t p, uint32_t weight, uint32_t *pivot_weight)
{
    for (uint32_t k = 0; k < q->length[p]; ++k) {
        uint32_t i = q->pool[q->start[p] + k];
        uint32_t outside = prune_list(q, p, i);
        if (outside == 0) {
            uint32_t mine = (uint32_t)-q->weight[i];
            *pivot_weight += mine;
            weight -= mine;
            q->done += mine;
            absorb_variable(q, i, p);
            continue;
        }
        q->degree[i] = q->degree[i] < outside ? q->degree[i] : outside;
        q->hash_next[i] = q->hash_head[q->hash[i]];
        q->hash_head[q->hash[i]] = i;
    }
    return weight;
}

static bool same_list(const quotient *q, uint32_t i, uint32_t j)
{
    if (q->length[i] != q->length[j] || q->element_count[i] != q->element_count[j]) {
        return false;
    }
    for (uint32_t k = 0; k < q->length[j]; ++k) {
        if (q->outside[q->pool[q->start[j] + k]] != q->mark) {
            return false;
        }
    }
    return true;
}

/// Merges the variables of one hash chain that have equal lists. `outside` serves as a set of
/// marks.
static void merge_chain(quotient *q, uint32_t i)
{
    for (; i != NONE; i = q->hash_next[i]) {
        ++q->mark;
        for (uint32_t k = 0; k < q->length[i]; ++k) {
            q->outside[q->pool[q->start[i] + k]] = q->mark;
        }
        uint32_t before = i;
        for (uint32_t j = q->hash_next[i]; j != NONE; j = q->hash_next[j]) {
            if (same_list(q, i, j)) {
                q->weight[i] += q->weight[j];
                absorb_variable(q, j, i);
                q->hash_next[before] = q->hash_next[j];
            } else {
                before = j;
            }
        }
    }
}

static void merge_variables(quotient *q, uint32_t p)
{
    for (uint32_t k = 0; k < q->length[p]; ++k) {
        uint32_t i = q->pool[q->start[p] + k];
        if (q->kinds[i] != VARIABLE) {
            continue;
        }
        uint32_t chain = q->hash_head[q->hash[i]];
        q->hash_head[q->hash[i]] = NONE;
        merge_chain(q, chain);
    }
}

/// Puts the variables of the new element back into the degree lists.
static void close_element(quotient *q, uint32_t p, uint32_t weight)
{
    uint32_t at = q->start[p];
    for (uint32_t k = 0; k < q->length[p]; ++k) {
        uint32_t i = q->pool[q->start[p] + k];
        if (q->kinds[i] != VARIABLE) {
            continue;
        }
        uint32_t mine = (uint32_t)-q->weight[i];
        q->weight[i] = (int32_t)mine;
        uint32_t degree = q->degree[i] + weight - mine, most = q->n - q->done - mine;
        q->degree[i] = degree < most ? degree : most;
        list_push(q, i, q->degree[i]);
        q->pool[at++] = i;
    }
    q->length[p] = at - q->start[p];
    q->degree[p] = weight;
}

static void eliminate(quotient *q, uint32_t p)
{
    uint32_t pivot_weight = (uint32_t)q->weight[p];
    q->done += pivot_weight;
    q->weight[p] = 0;
    uint32_t weight = form_element(q, p);
    q->kinds[p] = ELEMENT;
    q->sequence[q->sequence_count++] = p;
    // Marks grow by more than any weight between two pivots, so that old ones never look current.
    if (q->mark > 0x7FFFFFFFu - q->n) {
        memset(q->outside, 0, q->n * sizeof *q->outside);
        q->mark = 1;
    }
    measure_outside(q, p);
    weight = update_degrees(q, p, weight, &pivot_weight);
    q->mark += q->n + 1;
    merge_variables(q, p);
    ++q->mark;
    close_element(q, p, weight);
    if (q->length[p] == 0) {
        q->kinds[p] = ABSORBED; // a root of the forest
    }
}

/// Children before parents: elements in depth-first order of the forest, each followed by the
/// variables merged into it.
static void write_order(quotient *q, uint32_t *out)
{
    uint32_t n = q->n, at = 0, height = 0;
    uint32_t *first_child = q->head, *sibling = q->next, *first_variable = q->hash_head,
             *variable_next = q->hash_next, *stack = q->outside;
    uint8_t *is_element = q->kinds;
    for (uint32_t i = 0; i <= n; ++i) {
        first_child[i] = first_variable[i] = NONE;
    }
    for (uint32_t i = 0; i < n; ++i) {
        is_element[i] = is_element[i] == POSTPONED ? POSTPONED : VARIABLE;
    }
    for (uint32_t k = 0; k < q->sequence_count; ++k) {
        is_element[q->sequence[k]] = ELEMENT;
    }
    for (uint32_t i = n; i-- > 0;) {
        if (is_element[i] == VARIABLE) {
            uint32_t owner = q->parent[i];
            while (is_element[owner] != ELEMENT) {
                owner = q->parent[owner];
            }
            q->parent[i] = owner; // path compression
            variable_next[i] = first_variable[owner];
            first_variable[owner] = i;
        }
    }
    for (uint32_t k = q->sequence_count; k-- > 0;) {
        uint32_t e = q->sequence[k], parent = q->parent[e] == NONE ? n : q->parent[e];
        sibling[e] = first_child[parent];
        first_child[parent] = e;
    }
    stack[height++] = n;
    while (height) {
        uint32_t e = stack[height - 1], child = first_child[e];
        if (child != NONE) {
            first_child[e] = sibling[child];
            stack[height++] = child;
            continue;
        }
        --height;
        if (e == n) {
            break;
        }
        out[at++] = e;
        for (uint32_t v = first_variable[e]; v != NONE; v = variable_next[v]) {
            out[at++] = v;
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        if (is_element[i] == POSTPONED) {
            out[at++] = i;
        }
    }
}

lmb_result lmbi_sparse_order(const lmbi_sparse *matrix, const lmb_allocator *alloc,
                             uint32_t *out_order, lmb_error *error)
{
    lmb_result result = lmbi_sparse_check(matrix, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    quotient q = {0};
    if (!setup(&q, &arena, matrix)) {
        lmbi_arena_free(&arena);
        return lmbi_fail_memory(error);
    }
    load(&q, matrix);
    while (q.done < q.n) {
        eliminate(&q, list_pop_least(&q));
    }
    write_order(&q, out_order);
    lmbi_arena_free(&arena);
    return LMB_OK;
}
