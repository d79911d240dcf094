/// A flood from all pieces at once assigns each voxel to its nearest piece. The shortest contacts
/// of these regions contain a minimum spanning tree of the pieces (Mehlhorn 1988). The flood
/// proceeds in rings as wide as the shortest step, so that a ring's voxels are final (Dial 1969),
/// and stops at half the length of the tree's longest path.
///
/// Without obstacles, some shortest path between two voxels takes its three-axis steps first, then
/// two-axis ones, then one-axis ones. Only such paths are followed: a voxel reached along one axis
/// has one continuation, not 26 (Harabor and Grastien 2011). Where paths of equal length arrive,
/// all their continuations are followed.
#include "geometry/voxel_regions.h"

void lmbi_regions_init(lmbi_regions *r)
{
    static const uint32_t lengths[4] = {0, LMBI_VOXEL_LENGTH, 1448, 1774};
    lmbi_neighbours_of(r->grid, &r->around);
    for (int n = 0; n < 26; ++n) {
        const int8_t *step = r->around.d[n];
        r->length[n] = lengths[(step[0] != 0) + (step[1] != 0) + (step[2] != 0)];
        r->onward[n] = 0;
        for (int m = 0; m < 26; ++m) {
            const int8_t *next = r->around.d[m];
            const bool fits = (next[0] == 0 || next[0] == step[0]) &&
                              (next[1] == 0 || next[1] == step[1]) &&
                              (next[2] == 0 || next[2] == step[2]);
            r->onward[n] |= fits ? 1u << m : 0;
        }
    }
}

static bool append(lmbi_regions *r, uint32_t voxel)
{
    lmbi_voxel_list *list = &r->ring[r->distance[voxel] / LMBI_VOXEL_LENGTH % LMBI_RINGS];
    void *items = list->items;
    const bool room = list->count < list->capacity ||
                      lmbi_grow(r->alloc, &items, &list->capacity, list->count + 1, sizeof voxel);
    list->items = items;
    if (room) {
        list->items[list->count++] = voxel;
    }
    return room;
}

bool lmbi_regions_begin(lmbi_regions *r, const uint32_t *rim, size_t rim_count,
                        uint32_t piece_count, uint32_t separate_count)
{
    r->radius = 0;
    r->separate_count = separate_count;
    r->tree_count = 0;
    r->meetings.alloc = r->alloc;
    r->meetings.count = 0;
    for (uint32_t k = 0; k <= piece_count; ++k) {
        r->joined[k] = k;
    }
    for (int k = 0; k < LMBI_RINGS; ++k) {
        r->ring[k].count = 0;
    }
    bool room = true;
    for (size_t k = 0; k < rim_count && room; ++k) {
        if (r->label[rim[k]]) {
            r->distance[rim[k]] = 0;
            r->directions[rim[k]] = (1u << 26) - 1;
            room = append(r, rim[k]);
        }
    }
    return room;
}

void lmbi_regions_free(lmbi_regions *r)
{
    for (int k = 0; k < LMBI_RINGS; ++k) {
        lmbi_free(r->alloc, r->ring[k].items);
    }
    lmbi_free(r->alloc, r->meetings.items);
}

uint32_t lmbi_regions_joined(lmbi_regions *r, uint32_t piece)
{
    while (r->joined[piece] != piece) {
        r->joined[piece] = r->joined[r->joined[piece]];
        piece = r->joined[piece];
    }
    return piece;
}

static float in_voxels(uint64_t length)
{
    return (float)length / LMBI_VOXEL_LENGTH;
}

/// Lower bound of a voxel's distance.
static uint32_t least_distance(const lmbi_regions *r, uint32_t voxel)
{
    const uint32_t final = r->radius * LMBI_VOXEL_LENGTH;
    return r->distance[voxel] < final ? r->distance[voxel] : final;
}

/// Records that a path of one piece, over `from` and `length` long, arrived in a voxel of another
/// piece.
static bool meet(lmbi_regions *r, uint32_t from, uint32_t length, uint32_t voxel)
{
    if (lmbi_regions_joined(r, r->label[from]) == lmbi_regions_joined(r, r->label[voxel])) {
        return true;
    }
    const uint64_t least = (uint64_t)length + least_distance(r, voxel);
    return lmbi_voxel_push(&r->meetings, in_voxels(least), from);
}

/// Of equally long paths the one over the nearer voxel wins, then the one over the lower index,
/// whatever the order in which they are found.
static bool is_better_path(const lmbi_regions *r, uint32_t voxel, uint32_t over)
{
    const uint32_t now = r->previous[voxel], a = r->distance[over], b = r->distance[now];
    return a < b || (a == b && over < now);
}

static void set_path(lmbi_regions *r, uint32_t voxel, uint32_t over, uint32_t distance)
{
    r->label[voxel] = r->label[over];
    r->distance[voxel] = distance;
    r->previous[voxel] = over;
}

/// Extends a path over a final voxel by step `n` to `voxel`.
static bool step(lmbi_regions *r, uint32_t over, int n, uint32_t voxel)
{
    const uint32_t length = r->distance[over] + r->length[n], now = r->distance[voxel];
    if (r->label[voxel] == 0 || length < now) {
        const uint32_t label = r->label[voxel], before = r->previous[voxel];
        set_path(r, voxel, over, length);
        r->directions[voxel] = r->onward[n];
        return append(r, voxel) &&
               (label == 0 || label == r->label[over] || meet(r, before, now, voxel));
    }
    if (length == now) {
        r->directions[voxel] |= r->onward[n];
    }
    if (r->label[voxel] == r->label[over]) {
        if (length == now && is_better_path(r, voxel, over)) {
            set_path(r, voxel, over, length);
        }
        return true;
    }
    if (length == now && is_better_path(r, voxel, over)) {
        const uint32_t before = r->previous[voxel];
        set_path(r, voxel, over, length);
        return meet(r, before, length, voxel);
    }
    return meet(r, over, length, voxel);
}

static bool spread(lmbi_regions *r, uint32_t voxel)
{
    int32_t at[3];
    lmbi_voxel_coordinates(r->grid, voxel, at);
    uint32_t left = r->directions[voxel];
    bool room = true;
    for (int n = 0; left && room; ++n, left >>= 1) {
        if (left & 1) {
            const uint32_t v = lmbi_neighbour(r->grid, &r->around, n, voxel, at[0], at[1], at[2]);
            room = v == UINT32_MAX || step(r, voxel, n, v);
        }
    }
    return room;
}

static bool grow(lmbi_regions *r)
{
    lmbi_voxel_list *list = &r->ring[r->radius % LMBI_RINGS];
    const uint32_t ring = r->radius++;
    for (size_t k = 0; k < list->count; ++k) {
        const uint32_t voxel = list->items[k];
        // stale entries were processed in an earlier ring
        if (r->distance[voxel] / LMBI_VOXEL_LENGTH == ring && !spread(r, voxel)) {
            return false;
        }
    }
    list->count = 0;
    return true;
}

/// Lower bound of the path length from the piece of `a`, over one of its neighbours, to a piece it
/// is not joined with; negative if there is none.
static float nearest_meeting(lmbi_regions *r, uint32_t a, uint32_t *b)
{
    uint32_t around[26];
    lmbi_voxels_around(r->grid, &r->around, a, around);
    const uint32_t own = lmbi_regions_joined(r, r->label[a]);
    uint64_t least = UINT64_MAX;
    for (int n = 0; n < 26; ++n) {
        const uint32_t v = around[n];
        if (v == UINT32_MAX || r->label[v] == 0 || r->label[v] == r->label[a] ||
            lmbi_regions_joined(r, r->label[v]) == own) {
            continue;
        }
        const uint64_t length = (uint64_t)r->distance[a] + r->length[n] + least_distance(r, v);
        if (length < least) {
            least = length;
            *b = v;
        }
    }
    return least == UINT64_MAX ? -1 : in_voxels(least);
}

/// Pops the nearest meeting. If joins or nearer paths since made it longer, it is queued again.
static bool pop_meeting(lmbi_regions *r)
{
    const lmbi_voxel_entry e = lmbi_voxel_pop(&r->meetings);
    uint32_t other;
    float length = nearest_meeting(r, e.voxel, &other);
    if (length >= 0 && length <= e.distance) {
        const uint32_t a = lmbi_regions_joined(r, r->label[e.voxel]),
                       b = lmbi_regions_joined(r, r->label[other]);
        r->joined[a < b ? b : a] = a < b ? a : b;
        r->tree[r->tree_count++] = (lmbi_piece_contact){e.voxel, other};
        --r->separate_count;
        length = nearest_meeting(r, e.voxel, &other);
    }
    return length < 0 || lmbi_voxel_push(&r->meetings, length, e.voxel);
}

static bool is_over(const lmbi_regions *r)
{
    size_t queued = 0;
    for (int k = 0; k < LMBI_RINGS; ++k) {
        queued += r->ring[k].count;
    }
    return queued == 0;
}

bool lmbi_regions_join(lmbi_regions *r, float limit)
{
    bool room = true;
    while (room && r->separate_count > 1) {
        const bool over = is_over(r), any = r->meetings.count > 0;
        // the farther of two meeting voxels is at least half the path from its piece
        const float known = 2 * (float)r->radius;
        const float next = any ? r->meetings.items[0].distance : 0;
        if (any && next <= limit && (over || next < known)) {
            room = pop_meeting(r);
        } else if (over || known > limit) {
            break;
        } else {
            room = grow(r);
        }
    }
    return room;
}
