/// A mesh as the volume that a network sees, and where a joint is in what the network tells of it.
#include "embed/volume/volume.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

/// Sides of the volume that is seen and of that in which joints are told; of voxels that are marked in the mesh. The
/// body's longest side spans EXTENT of these.
enum { SEEN = LMBI_VOLUME_SIDE, TOLD = LMBI_TOLD_SIDE, MARKED = 2 * SEEN, EXTENT = 60 };

// ---- the mesh as a volume

/// The grid of MARKED voxels around a box. Errors: INVALID for one without an extent.
static lmb_result grid_around(lmb_box box, lmbi_grid *out, lmb_error *error)
{
    const float longest = lmbi_longest_side(lmb_vec3_sub(box.high, box.low));
    const float cell = longest / EXTENT, half = 0.5f * MARKED * cell;
    if (!(cell > 0) || !isfinite(longest)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with an extent", "none");
    }
    const lmb_vec3 middle = lmb_vec3_lerp(box.low, box.high, 0.5f);
    *out = (lmbi_grid){lmb_vec3_sub(middle, lmb_vec3_make(half, half, half)), cell, MARKED, MARKED,
                       MARKED};
    return LMB_OK;
}

/// Whether a voxel is in the outermost layer, which stays empty where the mesh is cut off.
static bool is_outermost(size_t i, size_t j, size_t k)
{
    const size_t last = MARKED - 1;
    return i == 0 || j == 0 || k == 0 || i == last || j == last || k == last;
}

static void clear_outermost(uint8_t *cells)
{
    for (size_t v = 0; v < (size_t)MARKED * MARKED * MARKED; ++v) {
        if (is_outermost(v % MARKED, v / MARKED % MARKED, v / MARKED / MARKED)) {
            cells[v] = LMB_VOXEL_OUTSIDE;
        }
    }
}

/// Of eight marked voxels each, how many are solid.
static void count_solid(const lmbi_grid *grid, const uint8_t *cells, uint8_t *out)
{
    memset(out, 0, LMBI_VOLUME_VOXELS);
    for (size_t v = 0; v < lmbi_grid_count(grid); ++v) {
        const size_t i = v % MARKED, j = v / MARKED % MARKED, k = v / MARKED / MARKED;
        if (cells[v] != LMB_VOXEL_OUTSIDE) {
            ++out[((k / 2) * SEEN + j / 2) * SEEN + i / 2];
        }
    }
}

lmb_result lmbi_volume_of(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3], lmb_box box,
                          const lmb_allocator *alloc, lmbi_volume *out, lmb_error *error)
{
    lmbi_grid grid;
    lmb_vec3 *positions = lmbi_alloc_array(alloc, soup->position_count, sizeof *positions);
    uint8_t *cells = lmbi_alloc(alloc, (size_t)MARKED * MARKED * MARKED);
    lmb_result result = positions && cells ? LMB_OK : lmbi_fail_memory(error);
    result = result == LMB_OK ? grid_around(box, &grid, error) : result;
    if (result == LMB_OK) {
        for (uint32_t v = 0; v < soup->position_count; ++v) {
            positions[v] = lmbi_along_axes(soup->positions[v], axes);
        }
        memset(cells, 0, (size_t)MARKED * MARKED * MARKED);
        lmbi_voxels_mark(&grid, positions, soup->triangles, soup->triangle_count, cells);
        clear_outermost(cells);
        result = lmbi_voxels_fill(&grid, 0, cells, alloc, error);
    }
    if (result == LMB_OK) {
        count_solid(&grid, cells, out->solid);
        out->low = grid.low;
        out->cell = 2 * grid.cell;
    }
    lmbi_free(alloc, cells);
    lmbi_free(alloc, positions);
    return result;
}

// ---- the whole mesh along its own axes

/// Along which axis of the mesh another runs, and whether backwards; -1 where along none of them.
typedef struct mesh_axis {
    int axis;
    bool back;
} mesh_axis;

static mesh_axis mesh_axis_of(lmb_vec3 axis)
{
    const float v[3] = {axis.x, axis.y, axis.z};
    mesh_axis out = {-1, false};
    for (int k = 0; k < 3; ++k) {
        if (fabsf(v[k]) >= 1) {
            out = (mesh_axis){k, v[k] < 0};
        }
    }
    return out;
}

/// The same volume, each of whose axes runs along one of the mesh.
static void view_along(const lmbi_volume *v, const mesh_axis to[3], lmbi_volume *out)
{
    const float corner[3] = {v->low.x, v->low.y, v->low.z}, side = SEEN * v->cell;
    static const int strides[3] = {1, SEEN, SEEN * SEEN};
    int first = 0, step[3];
    float low[3];
    for (int k = 0; k < 3; ++k) {
        const int stride = strides[to[k].axis];
        const float from = corner[to[k].axis];
        step[k] = to[k].back ? -stride : stride;
        first += to[k].back ? (SEEN - 1) * stride : 0;
        low[k] = to[k].back ? -(from + side) : from;
    }
    for (int k = 0; k < LMBI_VOLUME_VOXELS; ++k) {
        out->solid[k] = v->solid[first + k % SEEN * step[0] + k / SEEN % SEEN * step[1] +
                                 k / SEEN / SEEN * step[2]];
    }
    out->low = lmb_vec3_make(low[0], low[1], low[2]);
    out->cell = v->cell;
}

lmb_result lmbi_volume_of_whole(lmbi_voxel_cache *body, const lmb_vec3 axes[3], lmbi_volume *out,
                                lmb_error *error)
{
    static const lmb_vec3 own[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const mesh_axis to[3] = {mesh_axis_of(axes[0]), mesh_axis_of(axes[1]), mesh_axis_of(axes[2])};
    if (to[0].axis < 0 || to[1].axis < 0 || to[2].axis < 0) {
        return lmbi_volume_of(body->mesh, axes, lmbi_soup_bounds_along(body->mesh, axes),
                              body->alloc, out, error);
    }
    if (!body->seen) {
        const lmb_result result = lmbi_volume_of(
            body->mesh, own, lmbi_soup_bounds_along(body->mesh, own), body->alloc, out, error);
        body->seen = result == LMB_OK ? lmbi_alloc(body->alloc, sizeof *out) : NULL;
        if (!body->seen) {
            return result == LMB_OK ? lmbi_fail_memory(error) : result;
        }
        *body->seen = *out;
    }
    view_along(body->seen, to, out);
    return LMB_OK;
}

// ---- where a joint is

/// Weights of the voxels of one side that are not 0, or nearly: those from `from` on, up to before `to`.
typedef struct window {
    int from, to;
    float weight[TOLD];
} window;

static window window_about(float middle, int reach)
{
    const int from = (int)middle - reach, to = (int)middle + reach + 1;
    return (window){.from = from < 0 ? 0 : from, .to = to > TOLD ? TOLD : to};
}

/// Sums of chances over a volume, each times weights along x, y and z.
typedef struct moments {
    float all;
    lmb_vec3 first; ///< of chances times places
} moments;

static moments moments_of(const float chance[LMBI_TOLD_VOXELS], const window *x, const window *y,
                          const window *z)
{
    moments sum = {0};
    for (int k = z->from; k < z->to; ++k) {
        for (int j = y->from; j < y->to; ++j) {
            const float *row = chance + (k * TOLD + j) * TOLD, weight = y->weight[j] * z->weight[k];
            float all = 0, along = 0;
            for (int i = x->from; i < x->to; ++i) {
                const float part = x->weight[i] * row[i];
                all += part;
                along += part * ((float)i + 0.5f);
            }
            const lmb_vec3 first =
                lmb_vec3_make(along, all * ((float)j + 0.5f), all * ((float)k + 0.5f));
            sum.all += weight * all;
            sum.first = lmb_vec3_mad(sum.first, first, weight);
        }
    }
    return sum;
}

/// A bell about `middle` at the middles of the voxels of one side.
static window bell_about(float middle)
{
    window w = window_about(middle, 5);
    for (int k = w.from; k < w.to; ++k) {
        const float off = (float)k + 0.5f - middle;
        w.weight[k] = lmb_exp(-0.5f * off * off);
    }
    return w;
}

/// The mean place of what is near a place: one step of a mean shift (Comaniciu, Meer 2002, eq. 20) with a window of one
/// voxel's deviation.
static lmb_vec3 mean_near(const float chance[LMBI_TOLD_VOXELS], lmb_vec3 place)
{
    const window x = bell_about(place.x), y = bell_about(place.y), z = bell_about(place.z);
    const moments near = moments_of(chance, &x, &y, &z);
    return lmb_vec3_scale(near.first, 1 / near.all);
}

/// How much of each voxel of one side lies within one and a half voxels of `middle`, or nearly: all within one, none from
/// two on.
static window within_a_voxel(float middle)
{
    window w = window_about(middle, 2);
    for (int k = w.from; k < w.to; ++k) {
        w.weight[k] = fminf(fmaxf(2 - fabsf((float)k + 0.5f - middle), 0), 1);
    }
    return w;
}

static float chance_near(const float chance[LMBI_TOLD_VOXELS], lmb_vec3 place)
{
    const window x = within_a_voxel(place.x), y = within_a_voxel(place.y),
                 z = within_a_voxel(place.z);
    return moments_of(chance, &x, &y, &z).all;
}

/// The voxel of the largest odds, the first of equals.
static int likeliest(const float odds[LMBI_TOLD_VOXELS])
{
    float most[TOLD];
    int best = 0;
    memcpy(most, odds, sizeof most);
    for (int k = 0; k < LMBI_TOLD_VOXELS; ++k) {
        most[k % TOLD] = odds[k] > most[k % TOLD] ? odds[k] : most[k % TOLD];
    }
    for (int k = 0; k < TOLD; ++k) {
        best = most[k] > most[best] ? k : best;
    }
    int voxel = 0;
    while (voxel < LMBI_TOLD_VOXELS - 1 && odds[voxel] < most[best]) {
        ++voxel;
    }
    return voxel;
}

/// Chances of odds, but for a constant: exp(odds - most), 0 below a hundred-millionth. Taylor's series to the sixth degree of
/// what is left of a power of two; a loop without calls or branches, for vectors.
static void find_chances(const float odds[LMBI_TOLD_VOXELS], float most,
                         float out[LMBI_TOLD_VOXELS])
{
    const float nothing = -20, per_two = 1.44269504f, two_high = 0.693359375f,
                two_low = -2.12194440e-4f; // the logarithm of 2 in two parts
    for (int k = 0; k < LMBI_TOLD_VOXELS; ++k) {
        const float lower = odds[k] - most, less = lower > nothing ? lower : nothing;
        const int32_t power = (int32_t)(less * per_two - 0.5f); // rounded, as it is at most 0
        const float r = less - (float)power * two_high - (float)power * two_low;
        const float series =
            1 + r * (1 + r * (1 / 2.0f +
                              r * (1 / 6.0f + r * (1 / 24.0f + r * (1 / 120.0f + r / 720.0f)))));
        const int32_t bits = (power + 127) * (1 << 23);
        float two;
        memcpy(&two, &bits, sizeof two);
        out[k] = less > nothing ? series * two : 0;
    }
}

float lmbi_told_joint(const float odds[LMBI_TOLD_VOXELS], lmb_vec3 *out)
{
    const int steps = 12, best = likeliest(odds);
    float chance[LMBI_TOLD_VOXELS], sums[TOLD] = {0}, total = 0;
    find_chances(odds, odds[best], chance);
    for (int k = 0; k < LMBI_TOLD_VOXELS; ++k) {
        sums[k % TOLD] += chance[k];
    }
    for (int k = 0; k < TOLD; ++k) {
        total += sums[k];
    }
    *out = lmb_vec3_make((float)(best % TOLD) + 0.5f, (float)(best / TOLD % TOLD) + 0.5f,
                         (float)(best / TOLD / TOLD) + 0.5f);
    for (int k = 0; k < steps; ++k) {
        *out = mean_near(chance, *out);
    }
    return chance_near(chance, *out) / total;
}
