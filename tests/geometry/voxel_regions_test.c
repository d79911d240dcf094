/// Random pieces on small grids, where many ways are of one length, against Prim's tree over every
/// pair of voxels.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "geometry/volume.h"
#include "geometry/voxel_regions.h"

enum { MOST_PIECES = 16, ROUNDS = 600 };

typedef struct scene {
    lmbi_grid grid;
    uint8_t *cells;
    lmbi_regions regions;
    uint32_t *rim, *named; ///< the pieces' voxels, the piece of each voxel
    uint32_t rim_count, piece_count;
} scene;

static int32_t below(lmb_random *random, int32_t count)
{
    return (int32_t)(lmb_random_u32(random) % (uint32_t)count);
}

/// Boxes, mostly of one voxel.
static void add_boxes(scene *s, lmb_random *random)
{
    for (int32_t k = 2 + below(random, MOST_PIECES - 2); k > 0; --k) {
        const lmbi_grid *g = &s->grid;
        const int32_t low[3] = {below(random, g->nx), below(random, g->ny), below(random, g->nz)};
        int32_t high[3] = {low[0], low[1], low[2]};
        high[below(random, 3)] += below(random, 3);
        for (int32_t z = low[2]; z <= high[2] && z < g->nz; ++z) {
            for (int32_t y = low[1]; y <= high[1] && y < g->ny; ++y) {
                for (int32_t x = low[0]; x <= high[0] && x < g->nx; ++x) {
                    s->cells[lmbi_grid_index(g, x, y, z)] = LMB_VOXEL_SURFACE;
                }
            }
        }
    }
}

static uint32_t name_pieces(const scene *s, uint32_t *named, uint32_t *members, uint32_t *used)
{
    uint32_t count = 0;
    *used = 0;
    for (uint32_t seed = 0; seed < lmbi_grid_count(&s->grid); ++seed) {
        if (!s->cells[seed] || named[seed]) {
            continue;
        }
        named[seed] = ++count;
        uint32_t at = *used;
        for (members[(*used)++] = seed; at < *used; ++at) {
            uint32_t around[26];
            lmbi_voxels_around(&s->grid, &s->regions.around, members[at], around);
            for (int n = 0; n < 26; ++n) {
                if (around[n] != UINT32_MAX && s->cells[around[n]] && !named[around[n]]) {
                    named[around[n]] = count;
                    members[(*used)++] = around[n];
                }
            }
        }
    }
    return count;
}

/// The scene has to stay where it is.
static void make_scene(scene *s, lmb_random *random)
{
    *s = (scene){.grid = {{0, 0, 0}, 1, 3 + below(random, 12), 3 + below(random, 12)}};
    s->grid.nz = 1 + below(random, 12);
    const size_t count = lmbi_grid_count(&s->grid);
    s->cells = calloc(count, 1);
    s->rim = calloc(count, sizeof *s->rim);
    s->named = calloc(count, sizeof *s->named);
    lmbi_regions *r = &s->regions;
    r->label = calloc(count, sizeof(uint32_t));
    r->distance = calloc(count, sizeof(uint32_t));
    r->previous = calloc(count, sizeof(uint32_t));
    r->directions = calloc(count, sizeof(uint32_t));
    r->joined = calloc(MOST_PIECES + 1, sizeof(uint32_t));
    r->tree = calloc(MOST_PIECES + 1, sizeof(lmbi_piece_contact));
    r->grid = &s->grid;
    lmbi_regions_init(r);
    add_boxes(s, random);
    s->piece_count = name_pieces(s, s->named, s->rim, &s->rim_count);
    memcpy(r->label, s->named, count * sizeof *s->named);
}

static void free_scene(scene *s)
{
    lmbi_regions_free(&s->regions);
    void *const blocks[] = {s->cells,
                            s->rim,
                            s->named,
                            s->regions.label,
                            s->regions.distance,
                            s->regions.previous,
                            s->regions.directions,
                            s->regions.joined,
                            s->regions.tree};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) {
        free(blocks[k]);
    }
}

/// Length of the shortest path between two voxels where nothing is in it.
static uint32_t path_length(const scene *s, uint32_t a, uint32_t b)
{
    int32_t p[3], q[3];
    lmbi_voxel_coordinates(&s->grid, a, p);
    lmbi_voxel_coordinates(&s->grid, b, q);
    uint32_t left[3], length = 0;
    for (int k = 0; k < 3; ++k) {
        left[k] = (uint32_t)abs(p[k] - q[k]);
    }
    for (;;) {
        int axes = 0;
        for (int k = 0; k < 3; ++k) {
            axes += left[k] > 0;
            left[k] -= left[k] > 0;
        }
        if (axes == 0) {
            return length;
        }
        length += axes == 1 ? LMBI_VOXEL_LENGTH : axes == 2 ? 1448 : 1774;
    }
}

/// Prim's, over the shortest path between every two pieces.
static uint64_t length_of_tree(const scene *s)
{
    uint32_t apart[MOST_PIECES][MOST_PIECES], best[MOST_PIECES];
    memset(apart, 0xff, sizeof apart);
    for (uint32_t a = 0; a < s->rim_count; ++a) {
        for (uint32_t b = 0; b < s->rim_count; ++b) {
            uint32_t *least = &apart[s->named[s->rim[a]] - 1][s->named[s->rim[b]] - 1];
            const uint32_t length = path_length(s, s->rim[a], s->rim[b]);
            *least = length < *least ? length : *least;
        }
    }
    bool in[MOST_PIECES] = {true};
    memcpy(best, apart[0], sizeof best);
    uint64_t sum = 0;
    for (uint32_t round = 1; round < s->piece_count; ++round) {
        uint32_t next = UINT32_MAX;
        for (uint32_t k = 0; k < s->piece_count; ++k) {
            next = !in[k] && (next == UINT32_MAX || best[k] < best[next]) ? k : next;
        }
        in[next] = true;
        sum += best[next];
        for (uint32_t k = 0; k < s->piece_count; ++k) {
            best[k] = apart[next][k] < best[k] ? apart[next][k] : best[k];
        }
    }
    return sum;
}

static void meetings_make_a_shortest_tree(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(1);
    for (int round = 0; round < ROUNDS; ++round) {
        scene s;
        make_scene(&s, &random);
        lmbi_regions *r = &s.regions;
        assert_true(lmbi_regions_begin(r, s.rim, s.rim_count, s.piece_count, s.piece_count));
        assert_true(lmbi_regions_join(r, 1e6f));
        assert_int_equal(r->separate_count, 1);
        assert_int_equal(r->tree_count, s.piece_count - 1);
        uint64_t sum = 0, longest = 0;
        for (uint32_t k = 0; k < r->tree_count; ++k) {
            const lmbi_piece_contact m = r->tree[k];
            const uint64_t length =
                (uint64_t)r->distance[m.a] + path_length(&s, m.a, m.b) + r->distance[m.b];
            assert_true(length >= longest);
            longest = length;
            sum += length;
        }
        assert_int_equal(sum, length_of_tree(&s));
        free_scene(&s);
    }
}

static void distances_are_those_to_the_nearest_piece(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(2);
    for (int round = 0; round < ROUNDS / 10; ++round) {
        scene s;
        make_scene(&s, &random);
        lmbi_regions *r = &s.regions;
        // one more than there are: the sweep goes on until all is reached
        assert_true(lmbi_regions_begin(r, s.rim, s.rim_count, s.piece_count, s.piece_count + 1));
        assert_true(lmbi_regions_join(r, 1e6f));
        for (uint32_t v = 0; v < lmbi_grid_count(&s.grid); ++v) {
            uint32_t least = UINT32_MAX;
            for (uint32_t k = 0; k < s.rim_count; ++k) {
                const uint32_t length = path_length(&s, v, s.rim[k]);
                least = length < least ? length : least;
            }
            assert_int_equal(r->distance[v], least);
            uint32_t at = v;
            while (r->distance[at] > 0) {
                assert_int_equal(r->distance[at], r->distance[r->previous[at]] +
                                                      path_length(&s, at, r->previous[at]));
                at = r->previous[at];
            }
            assert_int_equal(s.named[at], r->label[v]);
        }
        free_scene(&s);
    }
}

/// Whether a piece is large, or a large one is within reach of it.
static bool has_to_stay(const scene *s, uint32_t smallest, float reach, uint32_t piece)
{
    uint32_t sizes[MOST_PIECES + 1] = {0};
    for (uint32_t a = 0; a < s->rim_count; ++a) {
        ++sizes[s->named[s->rim[a]]];
    }
    bool stays = false;
    for (uint32_t a = 0; a < s->rim_count; ++a) {
        for (uint32_t b = 0; b < s->rim_count && s->named[s->rim[a]] == piece; ++b) {
            const float length = (float)path_length(s, s->rim[a], s->rim[b]) / LMBI_VOXEL_LENGTH;
            stays = stays || (length <= reach && sizes[s->named[s->rim[b]]] >= smallest);
        }
    }
    return stays;
}

static void what_is_large_or_near_becomes_one(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    const float reach = 2.5f;
    for (int round = 0; round < ROUNDS; ++round) {
        scene s;
        make_scene(&s, &random);
        const size_t count = lmbi_grid_count(&s.grid);
        scene after = s;
        after.cells = malloc(count);
        after.named = calloc(count, sizeof *after.named);
        after.rim = calloc(count, sizeof *after.rim);
        memcpy(after.cells, s.cells, count);
        assert_int_equal(lmbi_voxels_connect(&s.grid, 3, reach, after.cells, NULL, NULL), LMB_OK);
        assert_int_equal(name_pieces(&after, after.named, after.rim, &after.rim_count), 1);
        for (uint32_t piece = 1; piece <= s.piece_count; ++piece) {
            const bool stays = has_to_stay(&s, 3, reach, piece);
            for (size_t v = 0; v < count; ++v) {
                assert_true(s.named[v] != piece || !stays || after.cells[v]);
            }
        }
        free(after.cells);
        free(after.named);
        free(after.rim);
        free_scene(&s);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(4);
    scene s;
    make_scene(&s, &random);
    const size_t count = lmbi_grid_count(&s.grid);
    uint8_t *cells = malloc(count);
    for (failing_run f = {.least = 10}; failing_next(&f);) {
        memcpy(cells, s.cells, count);
        f.result = lmbi_voxels_connect(&s.grid, 2, 3, cells, &f.alloc, NULL);
    }
    free(cells);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meetings_make_a_shortest_tree),
        cmocka_unit_test(distances_are_those_to_the_nearest_piece),
        cmocka_unit_test(what_is_large_or_near_becomes_one),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
