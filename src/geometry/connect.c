/// Joining the pieces of a solid: a robot is a hundred shells with air between.
#include "base/error.h"
#include "geometry/voxel_queue.h"

typedef struct pieces {
    const lmb_grid *grid;
    const lmb_allocator *alloc;
    uint8_t *cells;
    uint32_t *label;   ///< [voxels] 0 in the air, else piece + 1
    uint32_t *members; ///< voxels of piece 0, then of piece 1, ...
    uint32_t *first;   ///< [piece_count + 1]
    size_t first_capacity;
    uint32_t piece_count;
    float *distance; ///< [voxels] from what is joined already; negative where unknown
    uint32_t *previous;
    lmbi_neighbours around;
    lmbi_voxel_queue queue;
} pieces;

static bool find_pieces(pieces *p)
{
    const size_t count = lmb_grid_count(p->grid);
    uint32_t used = 0;
    for (size_t seed = 0; seed < count; ++seed) {
        if (!p->cells[seed] || p->label[seed]) {
            continue;
        }
        void *items = p->first;
        const bool room = lmbi_grow(p->alloc, &items, &p->first_capacity,
                                    (size_t)p->piece_count + 2, sizeof(uint32_t));
        p->first = items;
        if (!room) {
            return false;
        }
        const uint32_t name = ++p->piece_count;
        p->first[name - 1] = used;
        p->label[seed] = name;
        p->members[used++] = (uint32_t)seed;
        for (uint32_t m = p->first[name - 1]; m < used; ++m) {
            int32_t at[3];
            lmbi_voxel_coordinates(p->grid, p->members[m], at);
            for (int n = 0; n < 26; ++n) {
                const uint32_t v =
                    lmbi_neighbour(p->grid, &p->around, n, p->members[m], at[0], at[1], at[2]);
                if (v != UINT32_MAX && p->cells[v] && !p->label[v]) {
                    p->label[v] = name;
                    p->members[used++] = v;
                }
            }
        }
        p->first[name] = used;
    }
    return true;
}

static uint32_t size_of(const pieces *p, uint32_t piece)
{
    return p->first[piece + 1] - p->first[piece];
}

/// What lies amid its own kind is nearest to nothing.
static bool is_inner(const pieces *p, uint32_t v)
{
    int32_t at[3];
    lmbi_voxel_coordinates(p->grid, v, at);
    for (int n = 0; n < 26; ++n) {
        const uint32_t w = lmbi_neighbour(p->grid, &p->around, n, v, at[0], at[1], at[2]);
        if (w != UINT32_MAX && p->label[w] != p->label[v]) {
            return false;
        }
    }
    return true;
}

static bool join(pieces *p, uint32_t piece)
{
    for (uint32_t m = p->first[piece]; m < p->first[piece + 1]; ++m) {
        const uint32_t v = p->members[m];
        p->distance[v] = 0;
        p->previous[v] = v;
        if (!is_inner(p, v) && !lmbi_voxel_push(&p->queue, 0, v)) {
            return false;
        }
    }
    return true;
}

static bool spread(pieces *p, lmbi_voxel_entry e)
{
    int32_t at[3];
    lmbi_voxel_coordinates(p->grid, e.voxel, at);
    for (int n = 0; n < 26; ++n) {
        const uint32_t v = lmbi_neighbour(p->grid, &p->around, n, e.voxel, at[0], at[1], at[2]);
        if (v == UINT32_MAX) {
            continue;
        }
        const float d = e.distance + p->around.length[n];
        if (p->distance[v] < 0 || d < p->distance[v]) {
            p->distance[v] = d;
            p->previous[v] = e.voxel;
            if (!lmbi_voxel_push(&p->queue, d, v)) {
                return false;
            }
        }
    }
    return true;
}

/// Prim's tree: grow from the largest piece through the air; the first voxel met of another piece
/// is its nearest.
static bool join_all(pieces *p, uint32_t smallest, float reach)
{
    uint32_t largest = 0, left = 0;
    for (uint32_t k = 0; k < p->piece_count; ++k) {
        largest = size_of(p, k) > size_of(p, largest) ? k : largest;
        left += size_of(p, k) >= smallest;
    }
    left -= size_of(p, largest) >= smallest;
    if (!join(p, largest)) {
        return false;
    }
    while (p->queue.count > 0) {
        const lmbi_voxel_entry e = lmbi_voxel_pop(&p->queue);
        if (left == 0 && e.distance > reach) {
            break;
        }
        if (e.distance > p->distance[e.voxel]) {
            continue;
        }
        const uint32_t name = p->label[e.voxel];
        if (name && e.distance > 0 && (size_of(p, name - 1) >= smallest || e.distance <= reach)) {
            for (uint32_t v = p->previous[e.voxel]; !p->cells[v]; v = p->previous[v]) {
                p->cells[v] = LMB_VOXEL_INSIDE;
            }
            left -= size_of(p, name - 1) >= smallest;
            if (!join(p, name - 1)) {
                return false;
            }
            continue;
        }
        if (!spread(p, e)) {
            return false;
        }
    }
    return true;
}

lmb_result lmb_voxels_connect(const lmb_grid *grid, uint32_t smallest, float reach, uint8_t *cells,
                              const lmb_allocator *alloc, lmb_error *error)
{
    const size_t count = lmb_grid_count(grid);
    pieces p = {.grid = grid, .alloc = alloc, .cells = cells, .queue = {.alloc = alloc}};
    lmbi_neighbours_of(grid, &p.around);
    p.label = lmbi_alloc_array(alloc, count, sizeof(uint32_t));
    p.members = lmbi_alloc_array(alloc, count, sizeof(uint32_t));
    bool room = p.label && p.members && find_pieces(&p);
    if (room && p.piece_count > 1) {
        p.distance = lmbi_alloc_array(alloc, count, sizeof(float));
        p.previous = lmbi_alloc_array(alloc, count, sizeof(uint32_t));
        room = p.distance && p.previous;
        for (size_t v = 0; room && v < count; ++v) {
            p.distance[v] = -1;
        }
        room = room && join_all(&p, smallest, reach);
        for (size_t v = 0; room && v < count; ++v) {
            if (p.label[v] && !(p.distance[v] <= 0 && p.distance[v] >= 0)) {
                cells[v] = LMB_VOXEL_OUTSIDE;
            }
        }
    }
    lmbi_free(alloc, p.label);
    lmbi_free(alloc, p.members);
    lmbi_free(alloc, p.first);
    lmbi_free(alloc, p.distance);
    lmbi_free(alloc, p.previous);
    lmbi_free(alloc, p.queue.items);
    return room ? LMB_OK : lmbi_fail_memory(error);
}
