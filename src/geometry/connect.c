/// Joins the pieces of a solid: a robot is a hundred shells separated by air.
#include "base/arena.h"
#include "base/error.h"
#include "geometry/volume.h"
#include "geometry/voxel_regions.h"
#include "geometry/voxel_runs.h"

typedef struct pieces {
    const lmbi_grid *grid;
    const lmb_allocator *alloc;
    lmbi_arena arena; ///< of all but the sizes
    uint8_t *cells;
    uint32_t *seeds; ///< [voxels] flood stack of a piece; later all voxels next to air
    uint32_t rim_count;
    uint32_t *sizes; ///< [piece_count + 1] voxels; [0] is 0
    size_t size_capacity;
    uint32_t piece_count;
    bool *stays; ///< [piece_count + 1] whether a union of pieces is kept, at its representative
    lmbi_regions regions;
} pieces;

/// Labels one voxel of each unlabelled run between two of a row, and pushes it on the stack.
static void name_runs(pieces *p, size_t from, size_t to, uint32_t name, uint32_t *used)
{
    uint32_t *label = p->regions.label;
    bool within = false;
    for (size_t v = from; v <= to; ++v) {
        const bool nameless = p->cells[v] && !label[v];
        if (nameless && !within) {
            label[v] = name;
            p->seeds[(*used)++] = (uint32_t)v;
        }
        within = nameless;
    }
}

/// Labels the run that a voxel is in, and pushes the runs that touch it in adjacent rows. Returns
/// the run's length.
static uint32_t name_run(pieces *p, size_t voxel, uint32_t name, uint32_t *used)
{
    const size_t nx = (size_t)p->grid->nx, ny = (size_t)p->grid->ny, nz = (size_t)p->grid->nz;
    const size_t row = voxel / nx, start = row * nx, end = start + nx - 1;
    uint32_t *label = p->regions.label, count = 1;
    size_t from = voxel, to = voxel;
    for (; from > start && p->cells[from - 1] && !label[from - 1]; --from, ++count) {
        label[from - 1] = name;
    }
    for (; to < end && p->cells[to + 1] && !label[to + 1]; ++to, ++count) {
        label[to + 1] = name;
    }
    from -= from > start;
    to += to < end;
    const size_t j = row % ny, k = row / ny;
    for (size_t b = k > 0 ? k - 1 : 0; b <= k + 1 && b < nz; ++b) {
        for (size_t a = j > 0 ? j - 1 : 0; a <= j + 1 && a < ny; ++a) {
            const size_t other = (b * ny + a) * nx;
            if (other != start) {
                name_runs(p, other + (from - start), other + (to - start), name, used);
            }
        }
    }
    return count;
}

static bool find_pieces(pieces *p)
{
    const size_t count = lmbi_grid_count(p->grid);
    for (size_t seed = 0; seed < count; ++seed) {
        if (!p->cells[seed] || p->regions.label[seed]) {
            continue;
        }
        void *items = p->sizes;
        const bool room = lmbi_grow(p->alloc, &items, &p->size_capacity, (size_t)p->piece_count + 2,
                                    sizeof *p->sizes);
        p->sizes = items;
        if (!room) {
            return false;
        }
        const uint32_t name = ++p->piece_count;
        uint32_t used = 0;
        p->sizes[name] = 0;
        p->regions.label[seed] = name;
        p->seeds[used++] = (uint32_t)seed;
        while (used > 0) {
            p->sizes[name] += name_run(p, p->seeds[--used], name, &used);
        }
    }
    return true;
}

/// Lists the voxels of pieces next to air, in the array of seeds.
static void find_rim(pieces *p)
{
    const size_t count = lmbi_grid_count(p->grid);
    for (size_t v = 0; v < count; ++v) {
        uint32_t around[26];
        bool air = false;
        if (p->cells[v]) {
            lmbi_voxels_around(p->grid, &p->regions.around, (uint32_t)v, around);
        }
        for (int n = 0; n < 26 && p->cells[v] && !air; ++n) {
            air = around[n] != UINT32_MAX && !p->cells[around[n]];
        }
        if (air) {
            p->seeds[p->rim_count++] = (uint32_t)v;
        }
    }
}

/// Keeps unions with a piece of at least `smallest` voxels, and the largest. Returns how many
/// pieces are kept.
static uint32_t choose(pieces *p, uint32_t smallest)
{
    uint32_t largest = 1, count = 0;
    for (uint32_t k = 2; k <= p->piece_count; ++k) {
        largest = p->sizes[k] > p->sizes[largest] ? k : largest;
    }
    for (uint32_t k = 1; k <= p->piece_count; ++k) {
        if (k == largest || p->sizes[k] >= smallest) {
            p->stays[lmbi_regions_joined(&p->regions, k)] = true;
        }
    }
    for (uint32_t k = 1; k <= p->piece_count; ++k) {
        p->stays[k] = p->stays[lmbi_regions_joined(&p->regions, k)];
        count += p->stays[k];
    }
    return count;
}

/// Clears the voxels of dropped pieces, and the labels of air.
static void clear(pieces *p)
{
    const size_t count = lmbi_grid_count(p->grid);
    for (size_t v = 0; v < count; ++v) {
        const bool stays = p->cells[v] && p->stays[p->regions.label[v]];
        p->cells[v] = stays ? p->cells[v] : LMB_VOXEL_OUTSIDE;
        p->regions.label[v] = stays ? p->regions.label[v] : 0;
    }
}

static void bridge(pieces *p)
{
    const lmbi_regions *r = &p->regions;
    for (uint32_t k = 0; k < r->tree_count; ++k) {
        const uint32_t ends[2] = {r->tree[k].a, r->tree[k].b};
        for (int end = 0; end < 2; ++end) {
            for (uint32_t v = ends[end]; !p->cells[v]; v = r->previous[v]) {
                p->cells[v] = LMB_VOXEL_INSIDE;
            }
        }
    }
}

static bool join_all(pieces *p, uint32_t smallest, float reach)
{
    lmbi_regions *r = &p->regions;
    find_rim(p);
    if (!lmbi_regions_begin(r, p->seeds, p->rim_count, p->piece_count, p->piece_count) ||
        !lmbi_regions_join(r, reach)) {
        return false;
    }
    const uint32_t stay = choose(p, smallest);
    if (stay < p->piece_count) {
        // search again: paths may cross dropped pieces
        clear(p);
        if (!lmbi_regions_begin(r, p->seeds, p->rim_count, p->piece_count, stay)) {
            return false;
        }
    }
    const float any = 3.0f * (float)lmbi_grid_count(p->grid);
    return lmbi_regions_join(r, any);
}

static bool make_room(pieces *p)
{
    const size_t count = lmbi_grid_count(p->grid), names = (size_t)p->piece_count + 1;
    lmbi_regions *r = &p->regions;
    r->distance = lmbi_arena_array(&p->arena, count, sizeof *r->distance);
    r->previous = lmbi_arena_array(&p->arena, count, sizeof *r->previous);
    r->directions = lmbi_arena_array(&p->arena, count, sizeof *r->directions);
    r->joined = lmbi_arena_array(&p->arena, names, sizeof *r->joined);
    r->tree = lmbi_arena_array(&p->arena, names, sizeof *r->tree);
    p->stays = lmbi_arena_array(&p->arena, names, sizeof *p->stays);
    return !p->arena.failed;
}

/// Most solids are one piece, with nothing to join.
static lmb_result is_one_piece(const lmbi_grid *grid, const uint8_t *cells,
                               const lmb_allocator *alloc, bool *out, lmb_error *error)
{
    lmbi_voxel_runs solid;
    const lmb_result result = lmbi_voxel_runs_create(grid, cells, true, alloc, &solid, error);
    *out = result == LMB_OK && lmbi_voxel_runs_are_one(&solid);
    if (result == LMB_OK) {
        lmbi_voxel_runs_destroy(&solid);
    }
    return result;
}

lmb_result lmbi_voxels_connect(const lmbi_grid *grid, uint32_t smallest, float reach,
                               uint8_t *cells, const lmb_allocator *alloc, lmb_error *error)
{
    bool one = false;
    const lmb_result result = is_one_piece(grid, cells, alloc, &one, error);
    if (result != LMB_OK || one) {
        return result;
    }
    const size_t count = lmbi_grid_count(grid);
    pieces p = {
        .grid = grid, .alloc = alloc, .cells = cells, .regions = {.grid = grid, .alloc = alloc}};
    lmbi_regions *r = &p.regions;
    lmbi_regions_init(r);
    lmbi_arena_init(&p.arena, alloc);
    r->label = lmbi_arena_array(&p.arena, count, sizeof *r->label);
    p.seeds = lmbi_arena_array(&p.arena, count, sizeof *p.seeds);
    const bool room =
        !p.arena.failed && find_pieces(&p) && make_room(&p) && join_all(&p, smallest, reach);
    if (room) {
        bridge(&p);
    }
    lmbi_regions_free(r);
    lmbi_free(alloc, p.sizes);
    lmbi_arena_free(&p.arena);
    return room ? LMB_OK : lmbi_fail_memory(error);
}
