/// A network that sees a whole body as a small volume and tells, for every joint of the limbs, which part of it holds
/// the joint: convolutions that halve the volume four times and double it thrice, each joined with what was seen at that
/// size (U-Net; Ronneberger et al. 2015, in three dimensions Cicek et al. 2016). tools/fit-volume.py fits it on the
/// volumes that bench/embed_fit.c writes.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/human/human.h"
#include "embed/human/volume_kernels.h"
#include "geometry/volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Sides of the volume that is seen and of that in which joints are told; of voxels that are marked in the mesh. The
/// body's longest side spans EXTENT of these.
enum { SEEN = LMBI_VOLUME_SIDE, TOLD = 16, MARKED = 2 * SEEN, EXTENT = 60 };

// ---- the layers

enum { MOST_CHANNELS = 64, TAPS = LMBI_CONVOLUTION_TAPS };

/// A convolution of 3 x 3 x 3, or of one voxel: an output is the sum of weights times inputs, times its scale, plus its
/// bias, and at least 0 but in the last layer. A weight is a printable character: weight_of.
typedef struct layer {
    int inputs, outputs, taps;
    float scale[MOST_CHANNELS], bias[MOST_CHANNELS];
    const char *weights[MOST_CHANNELS]; ///< [outputs][inputs * taps]
} layer;

enum {
    ENTER,
    HALF_16,
    SEE_16,
    HALF_8,
    SEE_8,
    HALF_4,
    SEE_4,
    HALF_2,
    SEE_2,
    JOIN_4,
    JOIN_8,
    JOIN_16,
    TELL,
    LAYERS
};

static const layer LAYER[LAYERS] = {
#include "embed/human/volume_rows.inl"
};

/// From '#' on, without '?' and the backslash; in the middle of the 90 that are used lies 0.
static float weight_of(char c)
{
    return (float)(c - '#' - (c > '?') - (c > '\\') - 44);
}

// ---- convolutions

typedef lmbi_channel_volume volume;

static size_t voxels_of(int side)
{
    return (size_t)(side + 2) * (size_t)(side + 2) * (size_t)(side + 2);
}

/// A voxel's channels.
static float *voxel_of(const volume *v, int x, int y, int z)
{
    const size_t wide = (size_t)(v->side + 2);
    return v->at +
           (((size_t)(z + 1) * wide + (size_t)(y + 1)) * wide + (size_t)(x + 1)) * (size_t)v->pitch;
}

/// The channels from `first` on.
static volume part_of(const volume *v, int first, int channels)
{
    return (volume){channels, v->side, v->pitch, v->at + first};
}

static int padded_outputs(const layer *l)
{
    const int group = LMBI_CONVOLUTION_GROUP;
    return (l->outputs + group - 1) / group * group;
}

/// A layer's weights as kernels take them: [taps][inputs][padded outputs].
static void unpack_weights(const layer *l, float *out)
{
    const int padded = padded_outputs(l);
    memset(out, 0, sizeof *out * (size_t)(TAPS * l->inputs * padded));
    for (int o = 0; o < l->outputs; ++o) {
        for (int k = 0; k < l->inputs * TAPS; ++k) {
            const int input = k / TAPS, tap = k % TAPS;
            out[(tap * l->inputs + input) * padded + o] = l->scale[o] * weight_of(l->weights[o][k]);
        }
    }
}

/// Every voxel becomes eight.
static void double_size(const volume *in, const volume *out)
{
    for (int z = 0; z < out->side; ++z) {
        for (int y = 0; y < out->side; ++y) {
            for (int x = 0; x < out->side; ++x) {
                memcpy(voxel_of(out, x, y, z), voxel_of(in, x / 2, y / 2, z / 2),
                       (size_t)in->channels * sizeof(float));
            }
        }
    }
}

// ---- the network

/// The volumes between the layers, of one block. `both` are joined: what was doubled, then what was seen at that size.
enum {
    SEEN_32,
    WIDE_32,
    FIRST_16,
    BOTH_16,
    FIRST_8,
    BOTH_8,
    FIRST_4,
    BOTH_4,
    FIRST_2,
    LAST_2,
    LAST_4,
    LAST_8,
    LAST_16,
    VOLUMES
};

/// Their sides and channels: a layer's outputs, or the inputs of one that joins.
static const struct {
    int side, layer;
    bool joined;
} SIZES[VOLUMES] = {{32, ENTER, true},   {32, ENTER, false}, {16, HALF_16, false},
                    {16, JOIN_16, true}, {8, HALF_8, false}, {8, JOIN_8, true},
                    {4, HALF_4, false},  {4, JOIN_4, true},  {2, HALF_2, false},
                    {2, SEE_2, false},   {4, JOIN_4, false}, {8, JOIN_8, false},
                    {16, JOIN_16, false}};

static int channels_of(int v)
{
    const layer *l = &LAYER[SIZES[v].layer];
    return SIZES[v].joined ? l->inputs : l->outputs;
}

/// Of what is joined, what was seen at that size by a layer.
static volume seen_part(const volume *both, int by)
{
    return part_of(both, both->channels - LAYER[by].outputs, LAYER[by].outputs);
}

/// The network laid out in one block: its layers but the last, each with the volumes that it goes from and to.
typedef struct network {
    float *block;
    lmbi_convolution step[TELL];
    float bias[TELL][MOST_CHANNELS];
} network;

static void connect_layers(const volume v[VOLUMES], lmbi_convolution step[TELL])
{
    const volume seen_16 = seen_part(&v[BOTH_16], SEE_16), seen_8 = seen_part(&v[BOTH_8], SEE_8),
                 seen_4 = seen_part(&v[BOTH_4], SEE_4);
    const volume path[] = {v[SEEN_32], v[WIDE_32], v[FIRST_16], seen_16,    v[FIRST_8],
                           seen_8,     v[FIRST_4], seen_4,      v[FIRST_2], v[LAST_2]};
    for (int k = ENTER; k < JOIN_4; ++k) {
        step[k].in = path[k];
        step[k].out = path[k + 1];
    }
    const int both[] = {BOTH_4, BOTH_8, BOTH_16}, last[] = {LAST_4, LAST_8, LAST_16};
    for (int k = 0; k < 3; ++k) {
        step[JOIN_4 + k].in = v[both[k]];
        step[JOIN_4 + k].out = v[last[k]];
    }
}

/// Lays out the network with volumes that are zero. Errors: MEMORY.
static lmb_result create_network(const lmb_allocator *alloc, network *out, lmb_error *error)
{
    size_t total = 0;
    for (int v = 0; v < VOLUMES; ++v) {
        total += (size_t)channels_of(v) * voxels_of(SIZES[v].side);
    }
    for (int k = 0; k < TELL; ++k) {
        total += (size_t)(TAPS * LAYER[k].inputs * padded_outputs(&LAYER[k]));
    }
    float *room = out->block = lmbi_alloc(alloc, total * sizeof *room);
    if (!room) {
        return lmbi_fail_memory(error);
    }
    memset(room, 0, total * sizeof *room);
    volume v[VOLUMES];
    for (int k = 0; k < VOLUMES; ++k) {
        v[k] = (volume){channels_of(k), SIZES[k].side, channels_of(k), room};
        room += (size_t)channels_of(k) * voxels_of(SIZES[k].side);
    }
    connect_layers(v, out->step);
    for (int k = 0; k < TELL; ++k) {
        unpack_weights(&LAYER[k], room);
        memcpy(out->bias[k], LAYER[k].bias, sizeof out->bias[k]);
        out->step[k].padded = padded_outputs(&LAYER[k]);
        out->step[k].weights = room;
        out->step[k].bias = out->bias[k];
        room += TAPS * LAYER[k].inputs * out->step[k].padded;
    }
    return LMB_OK;
}

/// From the volume that is seen to the last one. What is joined gets what was doubled first.
static void run_layers(const network *n)
{
    for (int k = ENTER; k < TELL; ++k) {
        if (k >= JOIN_4) {
            const volume *smaller = &n->step[k - 1].out,
                         doubled = part_of(&n->step[k].in, 0, smaller->channels);
            double_size(smaller, &doubled);
        }
        lmbi_volume_pick(LMB_SIMD_BEST)->convolve(&n->step[k]);
    }
}

// ---- what the network tells

const int lmbi_limb_joints[LMBI_LIMB_JOINTS] = {
    LMBI_LEFT_UPPER_ARM,  LMBI_LEFT_LOWER_ARM,  LMBI_LEFT_HAND,       LMBI_RIGHT_UPPER_ARM,
    LMBI_RIGHT_LOWER_ARM, LMBI_RIGHT_HAND,      LMBI_LEFT_UPPER_LEG,  LMBI_LEFT_LOWER_LEG,
    LMBI_LEFT_FOOT,       LMBI_RIGHT_UPPER_LEG, LMBI_RIGHT_LOWER_LEG, LMBI_RIGHT_FOOT,
};

int lmbi_other_limb_joint(int joint)
{
    return joint % 6 < 3 ? joint + 3 : joint - 3;
}

/// What the network tells: for each joint the logarithms of the odds that it is in each voxel, but for a constant.
typedef struct telling {
    float odds[LMBI_LIMB_JOINTS][TOLD * TOLD * TOLD];
} telling;

/// Adds half of what a volume tells, or its mirror image.
static void add_told(const volume *last, bool mirrored, telling *to)
{
    const layer *l = &LAYER[TELL];
    for (int joint = 0; joint < LMBI_LIMB_JOINTS; ++joint) {
        float weights[MOST_CHANNELS];
        for (int c = 0; c < last->channels; ++c) {
            weights[c] = 0.5f * l->scale[joint] * weight_of(l->weights[joint][c]);
        }
        float *odds = to->odds[mirrored ? lmbi_other_limb_joint(joint) : joint];
        for (int k = 0; k < TOLD * TOLD * TOLD; ++k) {
            const int x = mirrored ? TOLD - 1 - k % TOLD : k % TOLD;
            const float *from = voxel_of(last, x, k / TOLD % TOLD, k / TOLD / TOLD);
            float sum = 0.5f * l->bias[joint];
            for (int c = 0; c < last->channels; ++c) {
                sum += weights[c] * from[c];
            }
            odds[k] += sum;
        }
    }
}

/// A bell about `middle` at the middles of the voxels of one side.
static void bell_about(float middle, float out[TOLD])
{
    for (int k = 0; k < TOLD; ++k) {
        const float off = (float)k + 0.5f - middle;
        out[k] = lmb_exp(-0.5f * off * off);
    }
}

/// The mean place of what is near a place: one step of a mean shift (Comaniciu, Meer 2002, eq. 20) with a window of one
/// voxel's deviation.
static lmb_vec3 mean_near(const float chance[TOLD * TOLD * TOLD], lmb_vec3 place)
{
    float x[TOLD], y[TOLD], z[TOLD], total = 0;
    bell_about(place.x, x);
    bell_about(place.y, y);
    bell_about(place.z, z);
    lmb_vec3 sum = {0, 0, 0};
    for (int k = 0; k < TOLD * TOLD * TOLD; ++k) {
        const int i = k % TOLD, j = k / TOLD % TOLD, l = k / TOLD / TOLD;
        const float weight = chance[k] * x[i] * y[j] * z[l];
        total += weight;
        sum = lmb_vec3_mad(sum, lmb_vec3_make((float)i + 0.5f, (float)j + 0.5f, (float)l + 0.5f),
                           weight);
    }
    return lmb_vec3_scale(sum, 1 / total);
}

/// How much of each voxel of one side lies within one and a half voxels of `middle`, or nearly: all within one, none from
/// two on.
static void within_a_voxel(float middle, float out[TOLD])
{
    for (int k = 0; k < TOLD; ++k) {
        out[k] = fminf(fmaxf(2 - fabsf((float)k + 0.5f - middle), 0), 1);
    }
}

static float chance_near(const float chance[TOLD * TOLD * TOLD], lmb_vec3 place)
{
    float x[TOLD], y[TOLD], z[TOLD], sum = 0;
    within_a_voxel(place.x, x);
    within_a_voxel(place.y, y);
    within_a_voxel(place.z, z);
    for (int k = 0; k < TOLD * TOLD * TOLD; ++k) {
        sum += chance[k] * x[k % TOLD] * y[k / TOLD % TOLD] * z[k / TOLD / TOLD];
    }
    return sum;
}

/// Where a joint is, in voxels of the volume that is told: where the odds, which become chances, are densest near the
/// likeliest voxel. Returns the chance that it is within a voxel of that.
static float find_joint(float odds[TOLD * TOLD * TOLD], lmb_vec3 *out)
{
    const int steps = 12;
    float total = 0;
    int best = 0;
    for (int k = 0; k < TOLD * TOLD * TOLD; ++k) {
        best = odds[k] > odds[best] ? k : best;
    }
    const float most = odds[best];
    for (int k = 0; k < TOLD * TOLD * TOLD; ++k) {
        odds[k] = lmb_exp(odds[k] - most);
        total += odds[k];
    }
    *out = lmb_vec3_make((float)(best % TOLD) + 0.5f, (float)(best / TOLD % TOLD) + 0.5f,
                         (float)(best / TOLD / TOLD) + 0.5f);
    for (int k = 0; k < steps; ++k) {
        *out = mean_near(odds, *out);
    }
    return chance_near(odds, *out) / total;
}

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

static void see(const lmbi_volume *from, bool mirrored, const volume *out)
{
    for (int v = 0; v < LMBI_VOLUME_VOXELS; ++v) {
        const int x = mirrored ? SEEN - 1 - v % SEEN : v % SEEN;
        *voxel_of(out, x, v / SEEN % SEEN, v / SEEN / SEEN) = 0.125f * (float)from->solid[v];
    }
}

static void find_joints(const lmbi_volume *from, const lmb_vec3 axes[3], telling *told,
                        lmbi_seen_limbs *out)
{
    out->sure = 0;
    for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
        lmb_vec3 p;
        out->chance[j] = find_joint(told->odds[j], &p);
        out->sure += out->chance[j] / LMBI_LIMB_JOINTS;
        p = lmb_vec3_mad(from->low, p, from->cell * SEEN / TOLD);
        out->at[j] =
            lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(axes[0], p.x), axes[1], p.y), axes[2], p.z);
    }
}

/// What looking takes: the volume, the network and what is told.
typedef struct sight {
    lmbi_volume seen;
    network layers;
    telling told;
} sight;

/// Sees what is in a box along the axes.
static lmb_result look(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3], lmb_box box,
                       const lmb_allocator *alloc, sight *s, lmbi_seen_limbs *out, lmb_error *error)
{
    const lmb_result result = lmbi_volume_of(soup, axes, box, alloc, &s->seen, error);
    if (result == LMB_OK) {
        memset(&s->told, 0, sizeof s->told);
        for (int mirrored = 0; mirrored < 2; ++mirrored) {
            see(&s->seen, mirrored == 1, &s->layers.step[ENTER].in);
            run_layers(&s->layers);
            add_told(&s->layers.step[JOIN_16].out, mirrored == 1, &s->told);
        }
        find_joints(&s->seen, axes, &s->told, out);
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
static lmb_result look_closer(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3],
                              const lmb_allocator *alloc, sight *s, lmbi_seen_limbs *out,
                              lmb_error *error)
{
    const float little = 0.85f, least = 0.1f;
    const lmb_box whole = lmbi_soup_bounds_along(soup, axes);
    lmb_result result = look(soup, axes, whole, alloc, s, out, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_box part = box_of_limbs(out, axes, whole);
    const float share = lmbi_longest_side(lmb_vec3_sub(part.high, part.low)) /
                        lmbi_longest_side(lmb_vec3_sub(whole.high, whole.low));
    if (share > least && share < little) {
        lmbi_seen_limbs closer;
        result = look(soup, axes, part, alloc, s, &closer, error);
        if (result == LMB_OK && closer.sure > out->sure) {
            *out = closer;
        }
    }
    return result;
}

lmb_result lmbi_see_limbs(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3],
                          const lmb_allocator *alloc, lmbi_seen_limbs *out, lmb_error *error)
{
    sight *s = lmbi_alloc(alloc, sizeof *s);
    if (!s) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = create_network(alloc, &s->layers, error);
    if (result == LMB_OK) {
        result = look_closer(soup, axes, alloc, s, out, error);
        lmbi_free(alloc, s->layers.block);
    }
    lmbi_free(alloc, s);
    return result;
}
