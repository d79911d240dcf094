#include "rig/lattice.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/// Least mass of a node, as a fraction of a full cube: lighter ones make the system
/// ill-conditioned.
static const double LEAST_MASS = 0.1;
/// Conductance of voxels that share an edge or a corner, relative to a face.
static const float EDGE = 0.05f, CORNER = 0.02f;

static uint32_t cube_at(const lmbi_cube_lattice *l, uint32_t number)
{
    const lmbi_grid *g = &l->solid->grid;
    const uint32_t v = l->solid->voxels[number], nx = (uint32_t)g->nx, ny = (uint32_t)g->ny;
    const uint32_t i = v % nx / l->side, j = v / nx % ny / l->side, k = v / (nx * ny) / l->side;
    return (k * (uint32_t)l->ny + j) * (uint32_t)l->nx + i;
}

/// The solid voxel at neighbour offset n in 0..26, or UINT32_MAX. The outermost layer of the grid
/// is empty, so offsets stay in the grid.
static uint32_t neighbour_voxel(const lmbi_solid *s, uint32_t number, int n)
{
    const ptrdiff_t step =
        ((ptrdiff_t)(n / 9 - 1) * s->grid.ny + (n / 3 % 3 - 1)) * s->grid.nx + (n % 3 - 1);
    return s->number[(ptrdiff_t)s->voxels[number] + step];
}

static void choose_cubes(lmbi_cube_lattice *l, uint32_t side)
{
    const lmbi_grid *g = &l->solid->grid;
    l->side = side;
    l->nx = (g->nx + (int32_t)side - 1) / (int32_t)side;
    l->ny = (g->ny + (int32_t)side - 1) / (int32_t)side;
    l->nz = (g->nz + (int32_t)side - 1) / (int32_t)side;
}

/// Makes each connected piece of the solid within a cube a node. `stack` has room for all voxels.
static void find_nodes(lmbi_cube_lattice *l, uint32_t *stack)
{
    const lmbi_solid *s = l->solid;
    memset(l->node_of, 0xFF, s->count * sizeof *l->node_of);
    l->count = 0;
    for (uint32_t seed = 0; seed < s->count; ++seed) {
        if (l->node_of[seed] != UINT32_MAX) {
            continue;
        }
        const uint32_t cube = cube_at(l, seed);
        uint32_t top = 0;
        stack[top++] = seed;
        l->node_of[seed] = l->count;
        while (top > 0) {
            const uint32_t v = stack[--top];
            for (int n = 0; n < 27; ++n) {
                const uint32_t other = neighbour_voxel(s, v, n);
                if (other != UINT32_MAX && l->node_of[other] == UINT32_MAX &&
                    cube_at(l, other) == cube) {
                    l->node_of[other] = l->count;
                    stack[top++] = other;
                }
            }
        }
        ++l->count;
    }
}

static lmb_result choose_side(lmbi_cube_lattice *l, uint32_t most, lmbi_arena *arena,
                              lmb_error *error)
{
    uint32_t *stack = lmbi_alloc_array(arena->alloc, l->solid->count, sizeof *stack);
    l->node_of = lmbi_arena_array(arena, l->solid->count, sizeof *l->node_of);
    if (!stack || !l->node_of) {
        lmbi_free(arena->alloc, stack);
        return lmbi_fail_memory(error);
    }
    uint32_t side = 1; // first by the voxel count, then by the node count
    while (l->solid->count / (side * side * side) > most) {
        ++side;
    }
    choose_cubes(l, side);
    find_nodes(l, stack);
    while (l->count > most) {
        choose_cubes(l, l->side + 1);
        find_nodes(l, stack);
    }
    lmbi_free(arena->alloc, stack);
    return LMB_OK;
}

static void compute_masses(lmbi_cube_lattice *l)
{
    const double cube = (double)l->side * l->side * l->side;
    for (uint32_t v = 0; v < l->solid->count; ++v) {
        l->masses[l->node_of[v]] += 1 / cube;
        l->cube_of[l->node_of[v]] = cube_at(l, v);
    }
    for (uint32_t i = 0; i < l->count; ++i) {
        l->masses[i] = l->masses[i] > LEAST_MASS ? l->masses[i] : LEAST_MASS;
    }
}

// ------------------------------------------------------------------------------------------ links

typedef struct link {
    uint32_t low, high;
    float area;
} link;

static bool comes_before(const link *a, const link *b)
{
    return a->low != b->low ? a->low < b->low : a->high < b->high;
}

/// Heap sort, not stable. Links with equal ends are summed later; their areas are exact in float,
/// so the order does not matter.
static void sift(link *links, size_t at, size_t count)
{
    const link moving = links[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_before(&links[child], &links[child + 1])) {
            ++child;
        }
        if (!comes_before(&moving, &links[child])) {
            break;
        }
        links[at] = links[child];
        at = child;
    }
    links[at] = moving;
}

static void sort_links(link *links, size_t count)
{
    for (size_t k = count / 2; k-- > 0;) {
        sift(links, k, count);
    }
    for (size_t end = count; end-- > 1;) {
        const link first = links[0];
        links[0] = links[end];
        links[end] = first;
        sift(links, 0, end);
    }
}

/// Neighbouring voxels of different nodes, each pair once.
static size_t list_links(const lmbi_cube_lattice *l, link *out)
{
    static const float conductance[4] = {0, 1, EDGE, CORNER};
    const float face = 1 / (float)(l->side * l->side);
    size_t count = 0;
    for (uint32_t v = 0; v < l->solid->count; ++v) {
        for (int n = 14; n < 27; ++n) {
            const uint32_t other = neighbour_voxel(l->solid, v, n);
            if (other == UINT32_MAX || l->node_of[other] == l->node_of[v]) {
                continue;
            }
            if (out) {
                const uint32_t a = l->node_of[v], b = l->node_of[other];
                const int x = n % 3 - 1, y = n / 3 % 3 - 1, z = n / 9 - 1;
                out[count] =
                    (link){a < b ? a : b, a < b ? b : a, face * conductance[x * x + y * y + z * z]};
            }
            ++count;
        }
    }
    return count;
}

static size_t merge_links(link *links, size_t count)
{
    size_t at = 0;
    for (size_t k = 0; k < count; ++k) {
        if (at > 0 && links[at - 1].low == links[k].low && links[at - 1].high == links[k].high) {
            links[at - 1].area += links[k].area;
        } else {
            links[at++] = links[k];
        }
    }
    return at;
}

static bool fill_laplacian(lmbi_cube_lattice *l, const link *links, size_t count, lmbi_arena *arena)
{
    const size_t n = l->count;
    lmbi_sparse *m = &l->laplacian;
    *m = (lmbi_sparse){.size = l->count,
                       .first = lmbi_arena_array(arena, n + 1, sizeof(uint32_t)),
                       .rows = lmbi_arena_array(arena, n + count, sizeof(uint32_t)),
                       .values = lmbi_arena_array(arena, n + count, sizeof(double))};
    l->first = lmbi_arena_array(arena, n + 2, sizeof *l->first);
    l->neighbours = lmbi_arena_array(arena, 2 * count, sizeof *l->neighbours);
    if (!m->first || !m->rows || !m->values || !l->first || !l->neighbours) {
        return false;
    }
    uint32_t at = 0;
    size_t next = 0;
    for (uint32_t j = 0; j < l->count; ++j) {
        m->first[j] = at;
        m->rows[at++] = j;
        for (; next < count && links[next].low == j; ++next) {
            m->rows[at] = links[next].high;
            m->values[at++] = -(double)links[next].area;
        }
    }
    m->first[n] = at;
    for (size_t k = 0; k < count; ++k) {
        m->values[m->first[links[k].low]] += (double)links[k].area;
        m->values[m->first[links[k].high]] += (double)links[k].area;
        ++l->first[links[k].low + 2];
        ++l->first[links[k].high + 2];
    }
    for (uint32_t i = 0; i < l->count; ++i) {
        l->first[i + 2] += l->first[i + 1];
    }
    for (size_t k = 0; k < count; ++k) {
        l->neighbours[l->first[links[k].low + 1]++] = links[k].high;
        l->neighbours[l->first[links[k].high + 1]++] = links[k].low;
    }
    return true;
}

/// Fraction of a cube's sides without a linked neighbour.
static void find_openness(lmbi_cube_lattice *l)
{
    const int32_t steps[3] = {1, l->nx, l->nx * l->ny};
    for (uint32_t i = 0; i < l->count; ++i) {
        int closed = 0;
        for (int side = 0; side < 6; ++side) {
            const int32_t cube =
                (int32_t)l->cube_of[i] + (side & 1 ? steps[side / 2] : -steps[side / 2]);
            for (uint32_t k = l->first[i]; k < l->first[i + 1]; ++k) {
                if ((int32_t)l->cube_of[l->neighbours[k]] == cube) {
                    ++closed;
                    break;
                }
            }
        }
        l->openness[i] = (6 - closed) / 6.0;
    }
}

static lmb_result build_links(lmbi_cube_lattice *l, lmbi_arena *arena, lmb_error *error)
{
    const size_t room = list_links(l, NULL);
    link *links = lmbi_alloc_array(arena->alloc, room, sizeof *links);
    if (!links) {
        return lmbi_fail_memory(error);
    }
    (void)list_links(l, links);
    sort_links(links, room);
    const size_t count = merge_links(links, room);
    const bool done = fill_laplacian(l, links, count, arena);
    lmbi_free(arena->alloc, links);
    if (!done) {
        return lmbi_fail_memory(error);
    }
    find_openness(l);
    return LMB_OK;
}

lmb_result lmbi_lattice_create(const lmbi_solid *solid, uint32_t most, lmbi_arena *arena,
                               lmbi_cube_lattice *out, lmb_error *error)
{
    lmbi_cube_lattice l = {.solid = solid};
    lmb_result result = choose_side(&l, most, arena, error);
    if (result != LMB_OK) {
        return result;
    }
    l.cube_of = lmbi_arena_array(arena, l.count, sizeof *l.cube_of);
    l.masses = lmbi_arena_array(arena, l.count, sizeof *l.masses);
    l.openness = lmbi_arena_array(arena, l.count, sizeof *l.openness);
    if (!l.cube_of || !l.masses || !l.openness) {
        return lmbi_fail_memory(error);
    }
    compute_masses(&l);
    result = build_links(&l, arena, error);
    *out = l;
    return result;
}

// --------------------------------------------------------------------------------------- readback

/// Position of a point between the centres of eight cubes.
typedef struct cell {
    int32_t low[3];
    float part[3]; ///< 0 at the lower centre, 1 at the upper one
} cell;

static cell find_cell(const lmbi_cube_lattice *l, lmb_vec3 p)
{
    const lmb_vec3 at = lmb_vec3_scale(lmb_vec3_sub(p, l->solid->grid.low),
                                       1 / (l->solid->grid.cell * (float)l->side));
    const float x[3] = {at.x - 0.5f, at.y - 0.5f, at.z - 0.5f};
    cell c;
    for (int a = 0; a < 3; ++a) {
        const float low = floorf(x[a]);
        c.low[a] = (int32_t)low;
        c.part[a] = x[a] - low;
    }
    return c;
}

/// Trilinear weight of a cube at the point; -1 if the cube is not one of the eight.
static float trilinear_weight(const lmbi_cube_lattice *l, const cell *c, uint32_t cube)
{
    const int32_t at[3] = {(int32_t)(cube % (uint32_t)l->nx),
                           (int32_t)(cube / (uint32_t)l->nx) % l->ny,
                           (int32_t)(cube / ((uint32_t)l->nx * (uint32_t)l->ny))};
    float fraction = 1;
    for (int a = 0; a < 3; ++a) {
        const int32_t d = at[a] - c->low[a];
        if (d < 0 || d > 1) {
            return -1;
        }
        fraction *= d ? c->part[a] : 1 - c->part[a];
    }
    return fraction;
}

static bool contains_node(const uint32_t *nodes, uint32_t count, uint32_t node)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (nodes[k] == node) {
            return true;
        }
    }
    return false;
}

uint32_t lmbi_lattice_around(const lmbi_cube_lattice *lattice, lmb_vec3 point,
                             uint32_t nodes[LMBI_LATTICE_AROUND], float shares[LMBI_LATTICE_AROUND])
{
    const uint32_t own = lmbi_solid_at(lattice->solid, point);
    if (own == UINT32_MAX) {
        return 0;
    }
    const cell c = find_cell(lattice, point);
    uint32_t count = 0;
    nodes[count] = lattice->node_of[own];
    shares[count++] = fmaxf(trilinear_weight(lattice, &c, lattice->cube_of[nodes[0]]), 0);
    float sum = shares[0];
    for (uint32_t at = 0; at < count; ++at) {
        for (uint32_t k = lattice->first[nodes[at]]; k < lattice->first[nodes[at] + 1]; ++k) {
            const uint32_t other = lattice->neighbours[k];
            const float fraction = trilinear_weight(lattice, &c, lattice->cube_of[other]);
            if (fraction >= 0 && count < LMBI_LATTICE_AROUND &&
                !contains_node(nodes, count, other)) {
                nodes[count] = other;
                shares[count++] = fraction;
                sum += fraction;
            }
        }
    }
    if (!(sum > 0)) {
        shares[0] = sum = 1;
    }
    for (uint32_t k = 0; k < count; ++k) {
        shares[k] /= sum;
    }
    return count;
}
