/// The joints of limbs in a mesh, as a network tells them of volumes of it: from the front, closer where limbs take little
/// of it, and turned a little either way where that is asked for.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/human/human.h"
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

/// Where a joint is, in voxels of the volume that is told: where the chances are densest near the likeliest voxel. Returns
/// the chance that it is within a voxel of that.
static float find_joint(const float odds[LMBI_TOLD_VOXELS], lmb_vec3 *out)
{
    const int steps = 12;
    const float nothing = -20; // all voxels of such odds have less than a hundred-thousandth
    float chance[LMBI_TOLD_VOXELS], total = 0;
    int best = 0;
    for (int k = 0; k < LMBI_TOLD_VOXELS; ++k) {
        best = odds[k] > odds[best] ? k : best;
    }
    for (int k = 0; k < LMBI_TOLD_VOXELS; ++k) {
        const float less = odds[k] - odds[best];
        chance[k] = less > nothing ? lmb_exp(less) : 0;
        total += chance[k];
    }
    *out = lmb_vec3_make((float)(best % TOLD) + 0.5f, (float)(best / TOLD % TOLD) + 0.5f,
                         (float)(best / TOLD / TOLD) + 0.5f);
    for (int k = 0; k < steps; ++k) {
        *out = mean_near(chance, *out);
    }
    return chance_near(chance, *out) / total;
}

// ---- views

/// How a volume lies about a mesh: the axes along which it is seen, and its frame.
typedef struct view {
    lmb_vec3 axes[3], low; ///< `low` along the axes
    float cell;            ///< of a voxel in which joints are told
} view;

/// Looks from beside: turned about up or about left, in radians, by one deviation of the turns of the bodies that the
/// network was fitted on (TURN and LEAN of tools/varied_volumes.py). Of every other one the mirror image is seen.
static const struct {
    float about_up, about_left;
} TURNS[] = {{0.15f, 0}, {-0.15f, 0}, {0, 0.06f}, {0, -0.06f}};

enum { BESIDE = sizeof TURNS / sizeof *TURNS };

static void turn(lmb_vec3 *from, lmb_vec3 *to, float angle)
{
    const float c = lmb_cos(angle), s = lmb_sin(angle);
    const lmb_vec3 old = *from;
    *from = lmb_vec3_mad(lmb_vec3_scale(old, c), *to, s);
    *to = lmb_vec3_mad(lmb_vec3_scale(*to, c), old, -s);
}

/// A cube about a box along axes, as it lies along other axes: so large that the box, turned so far, is in it.
static lmb_box cube_about(lmb_box box, const lmb_vec3 axes[3], const lmb_vec3 turned[3],
                          float angle)
{
    const lmb_vec3 middle =
        lmbi_along_axes(lmbi_from_axes(lmb_vec3_lerp(box.low, box.high, 0.5f), axes), turned);
    const float half = 0.5f * lmbi_longest_side(lmb_vec3_sub(box.high, box.low)) *
                       (lmb_cos(angle) + fabsf(lmb_sin(angle)));
    const lmb_vec3 corner = lmb_vec3_make(half, half, half);
    return (lmb_box){lmb_vec3_sub(middle, corner), lmb_vec3_add(middle, corner)};
}

/// Adds what is told in one view where it lies in another.
static void add_view(const view *from, const lmbi_told *told, const view *to, lmbi_told *sum)
{
    const lmbi_grid grid = {from->low, from->cell, TOLD, TOLD, TOLD};
    for (int v = 0; v < LMBI_TOLD_VOXELS; ++v) {
        const lmb_vec3 at = lmb_vec3_make((float)(v % TOLD) + 0.5f, (float)(v / TOLD % TOLD) + 0.5f,
                                          (float)(v / TOLD / TOLD) + 0.5f),
                       point = lmbi_from_axes(lmb_vec3_mad(to->low, at, to->cell), to->axes),
                       there = lmbi_along_axes(point, from->axes);
        for (int joint = 0; joint < LMBI_LIMB_JOINTS; ++joint) {
            sum->odds[joint][v] += lmbi_field_sample(&grid, told->odds[joint], there);
        }
    }
}

static void find_joints(const view *v, const lmbi_told *told, lmbi_seen_limbs *out)
{
    out->sure = 0;
    for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
        lmb_vec3 p;
        out->chance[j] = find_joint(told->odds[j], &p);
        out->sure += out->chance[j] / LMBI_LIMB_JOINTS;
        out->at[j] = lmbi_from_axes(lmb_vec3_mad(v->low, p, v->cell), v->axes);
    }
}

/// What was told of a box.
typedef struct look {
    lmb_box box;
    view from;
    lmbi_told told;
    lmbi_seen_limbs limbs;
} look;

struct lmbi_sight {
    const lmbi_triangle_soup *soup;
    const lmb_allocator *alloc;
    lmbi_volume_network *network; ///< not its own
    lmbi_volume seen;
    look whole, closer;
    look *best; ///< of both
};

/// The volume of what is in a box along axes.
static lmb_result see_view(lmbi_sight *s, const lmb_vec3 axes[3], lmb_box box, view *out,
                           lmb_error *error)
{
    const lmb_result result = lmbi_volume_of(s->soup, axes, box, s->alloc, &s->seen, error);
    if (result == LMB_OK) {
        memcpy(out->axes, axes, sizeof out->axes);
        out->low = s->seen.low;
        out->cell = s->seen.cell * SEEN / TOLD;
    }
    return result;
}

static void scale_told(lmbi_told *told, float by)
{
    for (int k = 0; k < LMBI_LIMB_JOINTS * LMBI_TOLD_VOXELS; ++k) {
        told->odds[k / LMBI_TOLD_VOXELS][k % LMBI_TOLD_VOXELS] *= by;
    }
}

/// Looks straight at what is in a box and, where there may be a figure, at its mirror image.
static lmb_result look_straight(lmbi_sight *s, const lmb_vec3 axes[3], lmb_box box, look *out,
                                lmb_error *error)
{
    // Less sure, a figure has a chance below a thousandth by the lines of seen_figure.c.
    const float hopeless = 0.3f;
    const lmb_result result = see_view(s, axes, box, &out->from, error);
    if (result != LMB_OK) {
        return result;
    }
    out->box = box;
    lmbi_volume_network_add(s->network, &s->seen, false, &out->told);
    find_joints(&out->from, &out->told, &out->limbs);
    if (out->limbs.sure > hopeless) {
        lmbi_volume_network_add(s->network, &s->seen, true, &out->told);
        scale_told(&out->told, 0.5f);
        find_joints(&out->from, &out->told, &out->limbs);
    }
    return LMB_OK;
}

lmb_result lmbi_sight_look_beside(lmbi_sight *s, lmbi_seen_limbs *out, lmb_error *error)
{
    look *best = s->best, *beside = best == &s->whole ? &s->closer : &s->whole;
    lmb_result result = LMB_OK;
    for (int k = 0; k < BESIDE && result == LMB_OK; ++k) {
        view *v = &beside->from;
        *v = best->from;
        turn(&v->axes[0], &v->axes[2], TURNS[k].about_up);
        turn(&v->axes[1], &v->axes[2], TURNS[k].about_left);
        const lmb_box cube = cube_about(best->box, best->from.axes, v->axes,
                                        TURNS[k].about_up + TURNS[k].about_left);
        result = see_view(s, v->axes, cube, v, error);
        if (result == LMB_OK) {
            memset(&beside->told, 0, sizeof beside->told);
            lmbi_volume_network_add(s->network, &s->seen, k % 2 == 1, &beside->told);
            add_view(v, &beside->told, &best->from, &best->told);
        }
    }
    if (result == LMB_OK) {
        scale_told(&best->told, 1.0f / (BESIDE + 1));
        find_joints(&best->from, &best->told, out);
    }
    return result;
}

/// The box of limbs and of what may be beside them, such as a head or feet, in that of the mesh.
static lmb_box box_of_limbs(const lmbi_seen_limbs *limbs, const lmb_vec3 axes[3], lmb_box whole)
{
    const float beside = 0.5f;
    lmb_box box = lmb_box_empty();
    for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
        box = lmb_box_add(box, lmbi_along_axes(limbs->at[j], axes));
    }
    const float by = beside * lmbi_longest_side(lmb_vec3_sub(box.high, box.low));
    const lmb_vec3 low = lmb_vec3_sub(box.low, lmb_vec3_make(by, by, by)),
                   high = lmb_vec3_add(box.high, lmb_vec3_make(by, by, by));
    return (lmb_box){lmb_vec3_make(fmaxf(low.x, whole.low.x), fmaxf(low.y, whole.low.y),
                                   fmaxf(low.z, whole.low.z)),
                     lmb_vec3_make(fminf(high.x, whole.high.x), fminf(high.y, whole.high.y),
                                   fminf(high.z, whole.high.z))};
}

/// Looks at the whole, and then closer where limbs take little of it.
static lmb_result look_closer(lmbi_sight *s, const lmb_vec3 axes[3], lmb_error *error)
{
    const float little = 0.85f, least = 0.1f;
    const lmb_box whole = lmbi_soup_bounds_along(s->soup, axes);
    lmb_result result = look_straight(s, axes, whole, &s->whole, error);
    s->best = &s->whole;
    if (result != LMB_OK) {
        return result;
    }
    const lmb_box part = box_of_limbs(&s->whole.limbs, axes, whole);
    const float share = lmbi_longest_side(lmb_vec3_sub(part.high, part.low)) /
                        lmbi_longest_side(lmb_vec3_sub(whole.high, whole.low));
    if (share > least && share < little) {
        result = look_straight(s, axes, part, &s->closer, error);
        if (result == LMB_OK && s->closer.limbs.sure > s->whole.limbs.sure) {
            s->best = &s->closer;
        }
    }
    return result;
}

void lmbi_sight_destroy(lmbi_sight *s)
{
    if (s) {
        lmbi_free(s->alloc, s);
    }
}

lmb_result lmbi_sight_create(lmbi_volume_network *network, const lmbi_triangle_soup *soup,
                             const lmb_vec3 axes[3], const lmb_allocator *alloc, lmbi_sight **out,
                             lmbi_seen_limbs *limbs, lmb_error *error)
{
    lmbi_sight *s = lmbi_alloc_array(alloc, 1, sizeof *s);
    *out = s;
    if (!s) {
        return lmbi_fail_memory(error);
    }
    s->network = network;
    s->soup = soup;
    s->alloc = alloc;
    const lmb_result result = look_closer(s, axes, error);
    if (result == LMB_OK) {
        *limbs = s->best->limbs;
    } else {
        lmbi_sight_destroy(s);
        *out = NULL;
    }
    return result;
}
