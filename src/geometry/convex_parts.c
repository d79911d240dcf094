#include "geometry/convex_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/// Larger parts are not tested.
enum { MOST_TRIANGLES = 512 };
/// How far a corner may lie outside of a face's plane, as a fraction of the part's diagonal.
static const float FLAT = 1e-4f;

static const uint32_t NONE = UINT32_MAX, SEVERAL = UINT32_MAX - 1;

typedef struct splitter {
    const lmb_surface_part *parts;
    uint32_t part_count;
    uint32_t *vertex_of;
    uint32_t *owner;                    ///< [welded vertex] the part that uses it, NONE or SEVERAL
    uint32_t *moved;                    ///< [welded vertex] its copy for the part at hand, or NONE
    uint64_t edges[3 * MOST_TRIANGLES]; ///< of the part at hand
    uint32_t count;                     ///< of welded vertices at first
    uint32_t *vertex_count;
} splitter;

static int by_edge(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void find_owners(splitter *s)
{
    memset(s->owner, 0xff, s->count * sizeof *s->owner);
    const uint32_t *vertex_of = s->vertex_of;
    for (uint32_t p = 0; p < s->part_count; ++p) {
        const lmb_surface_part *part = &s->parts[p];
        for (uint32_t i = 0; i < part->index_count; ++i) {
            uint32_t *owner = &s->owner[vertex_of[part->indices[i]]];
            *owner = *owner == NONE || *owner == p ? p : SEVERAL;
        }
        vertex_of += part->vertex_count;
    }
}

/// Whether other parts use some of the part's vertices, but not all.
static bool shares_some(const splitter *s, const lmb_surface_part *part, const uint32_t *vertex_of)
{
    bool shared = false, own = false;
    for (uint32_t i = 0; i < part->index_count; ++i) {
        const bool several = s->owner[vertex_of[part->indices[i]]] == SEVERAL;
        shared = shared || several;
        own = own || !several;
    }
    return shared && own;
}

static bool is_closed(splitter *s, const lmb_surface_part *part, const uint32_t *vertex_of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i + 2 < part->index_count; i += 3) {
        uint64_t t[3];
        for (uint32_t c = 0; c < 3; ++c) {
            t[c] = vertex_of[part->indices[i + c]];
        }
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
            continue;
        }
        for (uint32_t c = 0; c < 3; ++c) {
            const uint64_t a = t[c], b = t[(c + 1) % 3];
            s->edges[count++] = a < b ? a << 32 | b : b << 32 | a;
        }
    }
    qsort(s->edges, count, sizeof *s->edges, by_edge);
    bool closed = count > 0 && count % 2 == 0;
    for (uint32_t e = 0; e < count && closed; e += 2) {
        closed =
            s->edges[e] == s->edges[e + 1] && (e + 2 >= count || s->edges[e + 2] != s->edges[e]);
    }
    return closed;
}

/// Whether all corners lie on one side of each face.
static bool is_convex(const lmb_surface_part *part)
{
    const lmb_box box = lmb_box_of(part->positions, part->vertex_count);
    const float margin = FLAT * lmb_vec3_distance(box.low, box.high);
    bool convex = true;
    for (uint32_t i = 0; i + 2 < part->index_count && convex; i += 3) {
        const lmb_vec3 a = part->positions[part->indices[i]],
                       b = part->positions[part->indices[i + 1]],
                       c = part->positions[part->indices[i + 2]];
        const lmb_vec3 normal = lmb_vec3_normalize_or(
            lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(c, a)), lmb_vec3_make(0, 0, 0));
        float low = 0, high = 0;
        for (uint32_t k = 0; k < part->index_count; ++k) {
            const float d =
                lmb_vec3_dot(normal, lmb_vec3_sub(part->positions[part->indices[k]], a));
            low = fminf(low, d);
            high = fmaxf(high, d);
        }
        convex = low > -margin || high < margin;
    }
    return convex;
}

static void take_own(splitter *s, uint32_t *vertex_of, uint32_t count)
{
    memset(s->moved, 0xff, s->count * sizeof *s->moved);
    for (uint32_t v = 0; v < count; ++v) {
        const uint32_t old = vertex_of[v];
        if (s->owner[old] != SEVERAL) {
            continue;
        }
        s->moved[old] = s->moved[old] == NONE ? (*s->vertex_count)++ : s->moved[old];
        vertex_of[v] = s->moved[old];
    }
}

/// Numbers the vertices anew, in the order of first appearance: none is left without a point.
static void renumber(splitter *s, uint32_t point_count, uint32_t *number)
{
    memset(number, 0xff, *s->vertex_count * sizeof *number);
    uint32_t count = 0;
    for (uint32_t v = 0; v < point_count; ++v) {
        uint32_t *to = &number[s->vertex_of[v]];
        *to = *to == NONE ? count++ : *to;
        s->vertex_of[v] = *to;
    }
    *s->vertex_count = count;
}

lmb_result lmbi_separate_convex_parts(const lmb_surface_part *parts, uint32_t part_count,
                                      lmbi_arena *arena, uint32_t *vertex_of,
                                      uint32_t *vertex_count, lmb_error *error)
{
    splitter s = {.parts = parts,
                  .part_count = part_count,
                  .vertex_of = vertex_of,
                  .count = *vertex_count,
                  .vertex_count = vertex_count};
    s.owner = lmbi_arena_array(arena, s.count, sizeof *s.owner);
    s.moved = lmbi_arena_array(arena, s.count, sizeof *s.moved);
    if (!s.owner || !s.moved) {
        return lmbi_fail_memory(error);
    }
    find_owners(&s);
    for (uint32_t p = 0; p < part_count; ++p) {
        if (parts[p].index_count <= 3 * MOST_TRIANGLES && shares_some(&s, &parts[p], vertex_of) &&
            is_closed(&s, &parts[p], vertex_of) && is_convex(&parts[p])) {
            take_own(&s, vertex_of, parts[p].vertex_count);
        }
        vertex_of += parts[p].vertex_count;
    }
    if (*vertex_count == s.count) {
        return LMB_OK;
    }
    uint32_t *number = lmbi_arena_array(arena, *vertex_count, sizeof *number);
    if (!number) {
        return lmbi_fail_memory(error);
    }
    renumber(&s, (uint32_t)(vertex_of - s.vertex_of), number);
    return LMB_OK;
}
