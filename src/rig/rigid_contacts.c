/// Contacts of pieces at rest: a piece may follow one joint alone only if that does not separate it
/// from the pieces it touches.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/rigid.h"

/// Fractions of the size: the largest gap of a contact, the opening allowed when a joint rotates by
/// a radian, and the opening from which soft pieces share their rows.
static const float CLOSE = 0.01f, OPENING = 0.025f, SOFT_OPENING = 0.01f;
/// MAY_PART: fraction of a piece's contacts that may open. A piece is attached to what it touches
/// if this fraction of its probes (SITS) has contacts, or if it is smaller than TINY. It is carried
/// by pieces LARGER times its area.
static const float MAY_PART = 0.1f, ATTACHED = 1.0f / 3, TINY = 0.04f, LARGER = 3;
enum { PROBES = 400, CROWD = 32 };

/// A vertex of a piece and the nearest one of another piece.
typedef struct contact {
    uint32_t vertex, other;
} contact;

typedef struct contacts {
    lmbi_rigid *r;
    uint32_t *first, *next; ///< [buckets], [vertex_count]: one vertex per piece and cell
    uint32_t bucket_count;
    float cell;
    uint32_t *stride, *seen; ///< [piece]
    uint32_t *begin;         ///< [piece + 1] first contact of each piece
    contact *items;
    uint32_t *order;        ///< pieces by area, largest first
    bool *is_done;          ///< [piece] its rows are final
    bool *is_carried;       ///< [piece] all its vertices have the row `carried`
    lmb_influence *carried; ///< [piece][row_width]
    float *changes;         ///< [joint_count] scratch
    float *sums;            ///< [slot_count] scratch
    double *areas;          ///< [piece]
} contacts;

// ------------------------------------------------------------------------------ who touches whom

static uint32_t bucket_of(const contacts *c, int64_t x, int64_t y, int64_t z)
{
    const uint64_t hash =
        (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;
    return (uint32_t)(hash % c->bucket_count);
}

static void cell_of(const contacts *c, lmb_vec3 p, int64_t at[3])
{
    at[0] = (int64_t)floorf(p.x / c->cell);
    at[1] = (int64_t)floorf(p.y / c->cell);
    at[2] = (int64_t)floorf(p.z / c->cell);
}

/// Enters the first vertex of each piece in each cell.
static void enter_vertices(contacts *c)
{
    const lmb_surface *s = c->r->heat->surface;
    memset(c->first, 0xff, c->bucket_count * sizeof *c->first);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        int64_t at[3];
        cell_of(c, s->positions[v], at);
        uint32_t *first = &c->first[bucket_of(c, at[0], at[1], at[2])], crowd = 0, u = *first;
        for (; u != UINT32_MAX && crowd < CROWD && c->r->piece_of[u] != c->r->piece_of[v];
             ++crowd) {
            u = c->next[u];
        }
        if (u == UINT32_MAX) {
            c->next[v] = *first;
            *first = v;
        }
    }
}

/// The nearest vertex of another piece, or UINT32_MAX.
static uint32_t nearest_of_other_piece(const contacts *c, uint32_t v)
{
    const lmb_vec3 *places = c->r->heat->surface->positions;
    int64_t at[3];
    cell_of(c, places[v], at);
    uint32_t best = UINT32_MAX;
    float least = 1.5f * c->cell; // a vertex represents its whole cell
    for (int k = 0; k < 27; ++k) {
        const uint32_t bucket =
            bucket_of(c, at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1);
        for (uint32_t u = c->first[bucket]; u != UINT32_MAX; u = c->next[u]) {
            const float far = lmb_vec3_distance(places[u], places[v]);
            if (c->r->piece_of[u] != c->r->piece_of[v] && far < least) {
                least = far;
                best = u;
            }
        }
    }
    return best;
}

static bool is_probed(const contacts *c, uint32_t v)
{
    const uint32_t p = c->r->piece_of[v];
    return c->seen[p]++ % c->stride[p] == 0;
}

/// Lists the contacts of up to PROBES vertices per piece, piece by piece.
static void find_contacts(contacts *c)
{
    const uint32_t n = c->r->heat->surface->vertex_count, pieces = c->r->piece_count;
    for (uint32_t v = 0; v < n; ++v) {
        ++c->stride[c->r->piece_of[v]];
    }
    for (uint32_t p = 0; p < pieces; ++p) {
        const uint32_t count = c->stride[p];
        c->stride[p] = 1 + count / PROBES;
        c->begin[p + 1] = c->begin[p] + (count + c->stride[p] - 1) / c->stride[p];
    }
    uint32_t *end = c->order; // borrowed as scratch
    memcpy(end, c->begin, pieces * sizeof *end);
    for (uint32_t v = 0; v < n; ++v) {
        if (is_probed(c, v)) {
            c->items[end[c->r->piece_of[v]]++] = (contact){v, nearest_of_other_piece(c, v)};
        }
    }
}

// ------------------------------------------------------------------------------- what would part

/// Largest distance by which two rows separate a point when some joint rotates by a radian: the
/// difference of their weights in the joint's subtree times the distance to the joint.
static float measure_opening(const contacts *c, lmb_vec3 place, const lmb_influence *a,
                             const lmb_influence *b)
{
    const lmbi_heat *heat = c->r->heat;
    const int32_t *parents = heat->bones->parents;
    float most = 0;
    for (int pass = 0; pass < 4; ++pass) { // add a, subtract b, evaluate, clear
        const lmb_influence *row = pass % 2 == 0 ? a : b;
        for (uint32_t k = 0; k < heat->row_width && row[k].weight > 0; ++k) {
            for (int32_t j = (int32_t)heat->joint_of_slot[row[k].joint]; j != LMB_NONE;
                 j = parents[j]) {
                if (pass < 2) {
                    c->changes[j] += pass == 0 ? row[k].weight : -row[k].weight;
                } else {
                    const float lever = lmb_vec3_distance(place, heat->bones->positions[j]);
                    most = fmaxf(most, fabsf(c->changes[j]) * lever);
                    c->changes[j] = 0;
                }
            }
        }
    }
    return most;
}

static const lmb_influence *row_of(const contacts *c, uint32_t v)
{
    return c->r->heat->rows + (size_t)v * c->r->heat->row_width;
}

/// The row of a vertex of a finished piece: its one joint, or its own row.
static const lmb_influence *final_row(const contacts *c, uint32_t v, lmb_influence alone[])
{
    const uint32_t piece = c->r->piece_of[v], slot = c->r->slots[piece];
    if (c->is_carried[piece]) {
        return c->carried + (size_t)piece * c->r->heat->row_width;
    }
    if (slot == UINT32_MAX) {
        return row_of(c, v);
    }
    memset(alone, 0, c->r->heat->row_width * sizeof *alone);
    alone[0] = (lmb_influence){slot, 1};
    return alone;
}

static bool counts(const contacts *c, const contact *at)
{
    return at->other != UINT32_MAX && c->is_done[c->r->piece_of[at->other]];
}

/// Fraction of a piece's contacts with finished pieces that would open if all its vertices had the
/// row `whole`; NULL: their own rows.
static float open_fraction(const contacts *c, uint32_t piece, const lmb_influence *whole)
{
    lmb_influence alone[LMBI_WIDEST];
    uint32_t all = 0, open = 0;
    for (uint32_t k = c->begin[piece]; k < c->begin[piece + 1]; ++k) {
        const contact *at = &c->items[k];
        if (counts(c, at)) {
            const lmb_vec3 place = c->r->heat->surface->positions[at->vertex];
            const lmb_influence *row = whole != NULL ? whole : row_of(c, at->vertex);
            const float far = measure_opening(c, place, row, final_row(c, at->other, alone));
            open += far > OPENING * c->r->heat->size ? 1 : 0;
            ++all;
        }
    }
    return all > 0 ? (float)open / (float)all : 0;
}

/// Mean row of the larger pieces that an attached piece touches. False if it is not attached to
/// any.
static bool carried_row(const contacts *c, uint32_t piece, lmb_influence *out)
{
    const lmbi_heat *heat = c->r->heat;
    lmb_influence alone[LMBI_WIDEST];
    const uint32_t probes = c->begin[piece + 1] - c->begin[piece];
    uint32_t found = 0;
    memset(c->sums, 0, heat->slot_count * sizeof *c->sums);
    for (uint32_t k = c->begin[piece]; k < c->begin[piece + 1]; ++k) {
        const contact *at = &c->items[k];
        if (counts(c, at) &&
            c->areas[c->r->piece_of[at->other]] > (double)LARGER * c->areas[piece]) {
            const lmb_influence *row = final_row(c, at->other, alone);
            for (uint32_t i = 0; i < heat->row_width && row[i].weight > 0; ++i) {
                c->sums[row[i].joint] += row[i].weight;
            }
            ++found;
        }
    }
    memset(out, 0, heat->row_width * sizeof *out);
    for (uint32_t s = 0; found > 0 && s < heat->slot_count; ++s) {
        lmbi_row_insert(out, heat->row_width, s, c->sums[s]);
    }
    uint32_t width = 0;
    while (width < heat->row_width && out[width].weight > 0) {
        ++width;
    }
    lmbi_row_normalize(out, width);
    const lmb_box *box = &c->r->boxes[piece];
    const bool is_tiny = lmb_vec3_distance(box->low, box->high) < TINY * heat->size;
    return width > 0 && (is_tiny || (float)found >= ATTACHED * (float)probes);
}

// -------------------------------------------------------------------------------------- settling

/// Stores the row of each carried piece at its vertices.
static void store_carried_rows(const contacts *c)
{
    const size_t width = c->r->heat->row_width;
    for (uint32_t v = 0; v < c->r->heat->surface->vertex_count; ++v) {
        const uint32_t piece = c->r->piece_of[v];
        if (c->is_carried[piece]) {
            memcpy(c->r->heat->rows + v * width, c->carried + piece * width,
                   width * sizeof *c->carried);
        }
    }
}

/// Keeps a piece as it is if few contacts open; else gives it its carriers' row; else makes it soft,
/// if fewer contacts open then.
static void finish_piece(const contacts *c, uint32_t piece)
{
    const uint32_t slot = c->r->slots[piece];
    const bool is_stiff = slot != UINT32_MAX;
    lmb_influence whole[LMBI_WIDEST] = {{0}};
    whole[0] = (lmb_influence){slot, 1};
    const float alone = open_fraction(c, piece, is_stiff ? whole : NULL);
    if (alone <= MAY_PART) {
        return;
    }
    if (carried_row(c, piece, whole) && open_fraction(c, piece, whole) <= MAY_PART) {
        const size_t width = c->r->heat->row_width;
        c->r->slots[piece] = UINT32_MAX;
        c->is_carried[piece] = true;
        memcpy(c->carried + piece * width, whole, width * sizeof *whole);
    } else if (is_stiff && open_fraction(c, piece, NULL) < alone) {
        c->r->slots[piece] = UINT32_MAX;
    }
}

static void finish_pieces(contacts *c)
{
    const uint32_t pieces = c->r->piece_count;
    for (uint32_t p = 0; p < pieces; ++p) {
        c->order[p] = p;
    }
    for (uint32_t gap = pieces / 2; gap > 0; gap /= 2) { // Shell sort by area, ties by index
        for (uint32_t k = gap; k < pieces; ++k) {
            const uint32_t p = c->order[k];
            uint32_t i = k;
            for (; i >= gap; i -= gap) {
                const uint32_t q = c->order[i - gap];
                if (c->areas[q] > c->areas[p] || (!(c->areas[q] < c->areas[p]) && q < p)) {
                    break;
                }
                c->order[i] = q;
            }
            c->order[i] = p;
        }
    }
    for (uint32_t k = 0; k < pieces; ++k) {
        const uint32_t p = c->order[k];
        if (c->r->heat->piece_kinds[p] != LMBI_PIECE_SMALL) {
            finish_piece(c, p);
            c->is_done[p] = true;
        }
    }
}

/// Whether a vertex keeps its own row.
static bool is_soft(const contacts *c, uint32_t v)
{
    const uint32_t piece = c->r->piece_of[v];
    return c->r->slots[piece] == UINT32_MAX && !c->is_carried[piece] &&
           c->r->heat->piece_kinds[piece] != LMBI_PIECE_SMALL;
}

/// The mean of two rows.
static void mean_row(const contacts *c, const lmb_influence *a, const lmb_influence *b,
                     lmb_influence *out)
{
    const uint32_t width = c->r->heat->row_width;
    memset(out, 0, width * sizeof *out);
    for (int pass = 0; pass < 3; ++pass) { // add both, store, clear
        for (uint32_t k = 0; k < 2 * width; ++k) {
            const lmb_influence *at = k < width ? &a[k] : &b[k - width];
            if (at->weight > 0 && pass == 0) {
                c->sums[at->joint] += at->weight;
            } else if (at->weight > 0 && pass == 1) {
                lmbi_row_insert(out, width, at->joint, c->sums[at->joint]);
                c->sums[at->joint] = 0;
            }
        }
    }
    uint32_t kept = 0;
    while (kept < width && out[kept].weight > 0) {
        ++kept;
    }
    lmbi_row_normalize(out, kept);
}

/// Gives touching vertices of soft pieces that would separate the mean of their rows. `rows` is a
/// copy of all rows.
static void join_soft_pieces(const contacts *c, const lmb_influence *rows)
{
    const lmbi_heat *heat = c->r->heat;
    const size_t width = heat->row_width;
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        const uint32_t u = is_soft(c, v) ? nearest_of_other_piece(c, v) : UINT32_MAX;
        const lmb_vec3 place = heat->surface->positions[v];
        if (u != UINT32_MAX && is_soft(c, u) &&
            lmb_vec3_distance(place, heat->surface->positions[u]) <= c->cell &&
            measure_opening(c, place, rows + v * width, rows + u * width) >
                SOFT_OPENING * heat->size) {
            mean_row(c, rows + v * width, rows + u * width, heat->rows + v * width);
        }
    }
}

lmb_result lmbi_rigid_contacts(lmbi_rigid *rigid, const double *areas, lmb_error *error)
{
    const lmbi_heat *heat = rigid->heat;
    const uint32_t n = heat->surface->vertex_count, pieces = rigid->piece_count;
    if (heat->bones->parents == NULL || heat->machine) {
        return LMB_OK; // parts of machines may separate
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, heat->alloc);
    contacts c = {.r = rigid, .bucket_count = 2 * n + 1, .cell = CLOSE * heat->size};
    c.first = lmbi_arena_array(&arena, c.bucket_count, sizeof *c.first);
    c.next = lmbi_arena_array(&arena, n, sizeof *c.next);
    c.stride = lmbi_arena_array(&arena, pieces, sizeof *c.stride);
    c.seen = lmbi_arena_array(&arena, pieces, sizeof *c.seen);
    c.begin = lmbi_arena_array(&arena, (size_t)pieces + 1, sizeof *c.begin);
    c.order = lmbi_arena_array(&arena, pieces, sizeof *c.order);
    c.is_done = lmbi_arena_array(&arena, pieces, sizeof *c.is_done);
    c.is_carried = lmbi_arena_array(&arena, pieces, sizeof *c.is_carried);
    c.carried = lmbi_arena_array(&arena, (size_t)pieces * heat->row_width, sizeof *c.carried);
    const size_t row_bytes = (size_t)n * heat->row_width * sizeof(lmb_influence);
    lmb_influence *rows = lmbi_arena_array(&arena, n, heat->row_width * sizeof *rows);
    c.items = lmbi_arena_array(&arena, n, sizeof *c.items);
    c.changes = lmbi_arena_array(&arena, heat->bones->joint_count, sizeof *c.changes);
    c.sums = lmbi_arena_array(&arena, heat->slot_count, sizeof *c.sums);
    c.areas = lmbi_arena_array(&arena, pieces, sizeof *c.areas);
    const bool has_room = c.first && c.next && c.stride && c.seen && c.begin && c.order &&
                          c.is_done && c.is_carried && c.carried && rows && c.items && c.changes &&
                          c.sums && c.areas;
    if (has_room) {
        memcpy(c.areas, areas, pieces * sizeof *areas);
        enter_vertices(&c);
        find_contacts(&c);
        finish_pieces(&c);
        store_carried_rows(&c);
        memset(c.sums, 0, heat->slot_count * sizeof *c.sums);
        memcpy(rows, heat->rows, row_bytes);
        join_soft_pieces(&c, rows);
    }
    lmbi_arena_free(&arena);
    return has_room ? LMB_OK : lmbi_fail_memory(error);
}
