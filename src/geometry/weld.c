/// Numbers coincident points, by hashing cells of space.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "geometry/surface_math.h"
#include "limber/geometry.h"
#include "math/double.h"

/// Chained hash of the kept points, keyed by their cell.
typedef struct table {
    uint32_t *heads; ///< [mask + 1] newest kept point of each chain plus 1
    uint32_t *next;  ///< [kept] next of the chain plus 1
    uint32_t *kept;  ///< [kept], index of the point
    uint32_t mask, kept_count;
} table;

static uint32_t slot_of(const table *t, lmbi_v3 c)
{
    // + 0.0 makes -0 a 0, so that equal cells have equal bits.
    double key[3] = {c.x + 0.0, c.y + 0.0, c.z + 0.0};
    uint64_t words[3];
    memcpy(words, key, sizeof words);
    uint64_t h = LMBI_HASH_SEED;
    for (int i = 0; i < 3; ++i) {
        h = (h ^ words[i]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 16) & t->mask;
}

static lmbi_v3 cell_of(lmb_vec3 p, double inverse)
{
    if (inverse == 0) {
        return lmbi_v3_of(p);
    }
    return (lmbi_v3){floor((double)p.x * inverse), floor((double)p.y * inverse),
                     floor((double)p.z * inverse)};
}

static double distance_squared(lmb_vec3 a, lmb_vec3 b)
{
    const lmbi_v3 d = lmbi_v3_sub(lmbi_v3_of(a), lmbi_v3_of(b));
    return lmbi_v3_dot(d, d);
}

/// The lowest kept number within the tolerance in one cell's chain, or `best`. Chains mix cells, so
/// only the distance decides.
static uint32_t search_chain(const table *t, const lmb_vec3 *points, lmbi_v3 c, lmb_vec3 p,
                             double reach_squared, uint32_t best)
{
    for (uint32_t n = t->heads[slot_of(t, c)]; n; n = t->next[n - 1]) {
        if (n - 1 < best && distance_squared(points[t->kept[n - 1]], p) <= reach_squared) {
            best = n - 1;
        }
    }
    return best;
}

static uint32_t find(const table *t, const lmb_vec3 *points, lmbi_v3 c, lmb_vec3 p,
                     double tolerance)
{
    uint32_t best = UINT32_MAX;
    int reach = tolerance > 0 ? 1 : 0;
    for (int k = -reach; k <= reach; ++k) {
        for (int j = -reach; j <= reach; ++j) {
            for (int i = -reach; i <= reach; ++i) {
                lmbi_v3 near = {c.x + i, c.y + j, c.z + k};
                best = search_chain(t, points, near, p, tolerance * tolerance, best);
            }
        }
    }
    return best;
}

static void insert(table *t, lmbi_v3 c, uint32_t point)
{
    uint32_t slot = slot_of(t, c), n = t->kept_count++;
    t->kept[n] = point;
    t->next[n] = t->heads[slot];
    t->heads[slot] = n + 1;
}

static lmb_result check(const lmb_vec3 *points, uint32_t count, float tolerance, lmb_error *error)
{
    if (!(tolerance >= 0 && tolerance < INFINITY)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a weld tolerance of at least 0", "%g",
                         (double)tolerance);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!lmb_vec3_is_finite(points[i])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite points", "point %u at %g, %g, %g", i,
                             (double)points[i].x, (double)points[i].y, (double)points[i].z);
        }
    }
    return LMB_OK;
}

lmb_result lmbi_weld(const lmb_vec3 *points, uint32_t count, float tolerance,
                     const lmb_allocator *alloc, uint32_t *out_point, uint32_t *out_count,
                     lmb_error *error)
{
    lmb_result result = check(points, count, tolerance, error);
    if (result != LMB_OK) {
        return result;
    }
    size_t slots = 16;
    while (slots < (size_t)count + count / 2) {
        slots *= 2;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    table t = {.mask = (uint32_t)(slots - 1)};
    t.heads = lmbi_arena_array(&arena, slots, sizeof *t.heads);
    t.next = lmbi_arena_array(&arena, count, sizeof *t.next);
    t.kept = lmbi_arena_array(&arena, count, sizeof *t.kept);
    if (!t.heads || !t.next || !t.kept) {
        lmbi_arena_free(&arena);
        return lmbi_fail_memory(error);
    }
    double inverse = tolerance > 0 ? 1.0 / (double)tolerance : 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        lmbi_v3 c = cell_of(points[i], inverse);
        uint32_t n = find(&t, points, c, points[i], (double)tolerance);
        if (n == UINT32_MAX) {
            n = t.kept_count;
            insert(&t, c, i);
        }
        out_point[i] = n;
    }
    *out_count = t.kept_count;
    lmbi_arena_free(&arena);
    return LMB_OK;
}
