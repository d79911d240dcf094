/// Networks that see a small volume and tell, for every joint, which part of it holds the joint: convolutions that halve the volume four times and double it thrice, each joined with what was seen at that
/// size (U-Net; Ronneberger et al. 2015, in three dimensions Cicek et al. 2016). tools/fit-volume.py fits it on the
/// volumes that bench/embed_fit.c writes.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/volume/volume.h"
#include "embed/volume/volume_kernels.h"

#include <math.h>
#include <string.h>

/// Sides of the volume that is seen and of that in which joints are told.
enum { SEEN = LMBI_VOLUME_SIDE, TOLD = LMBI_TOLD_SIDE };

// ---- the layers

enum { MOST_CHANNELS = 72, TAPS = LMBI_CONVOLUTION_TAPS };

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

static const layer BODY[LAYERS] = {
#include "embed/volume/body_rows.inl"
};
static const layer HAND[LAYERS] = {
#include "embed/volume/hand_rows.inl"
};
static const layer ANIMAL[LAYERS] = {
#include "embed/volume/animal_rows.inl"
};
static const layer *const NETWORK[LMBI_VOLUME_KINDS] = {BODY, HAND, ANIMAL};

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

static int channels_of(const layer *layers, int v)
{
    const layer *l = &layers[SIZES[v].layer];
    return SIZES[v].joined ? l->inputs : l->outputs;
}

/// Rows of voxels in the volumes that are wide.
enum {
    ROW = LMBI_CONVOLUTION_ROW,
    SEEN_ROWS = LMBI_VOLUME_VOXELS / ROW,
    TOLD_ROWS = LMBI_TOLD_VOXELS / ROW
};

/// A network, with its volumes and weights in one block: its layers but the last, each with the volumes that it goes from
/// and to, and the last one's weights for each channel of a voxel.
struct lmbi_volume_network {
    const layer *layers;
    float *block;
    lmbi_convolution step[TELL];
    uint8_t beside_solid
        [SEEN_ROWS]; ///< rows of what is seen that have something solid in or beside them
    uint8_t near_solid[TOLD_ROWS]; ///< rows of what is told that do: joints are looked for there
    float bias[TELL][MOST_CHANNELS];
    float tell[MOST_CHANNELS][LMBI_TOLD_JOINTS];
    const lmb_allocator *alloc;
};

/// Of what is joined, what was seen at that size.
static volume seen_part(const volume *both, const volume *doubled)
{
    return part_of(both, doubled->channels, both->channels - doubled->channels);
}

static void connect_layers(const volume v[VOLUMES], lmbi_convolution step[TELL])
{
    const volume seen_16 = seen_part(&v[BOTH_16], &v[LAST_8]),
                 seen_8 = seen_part(&v[BOTH_8], &v[LAST_4]),
                 seen_4 = seen_part(&v[BOTH_4], &v[LAST_2]);
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

/// Lays out volumes, which are zero, and weights in a block of so many floats.
static void lay_out(lmbi_volume_network *n, float *room)
{
    volume v[VOLUMES];
    for (int k = 0; k < VOLUMES; ++k) {
        const int channels = channels_of(n->layers, k);
        v[k] = (volume){channels, SIZES[k].side, channels, room};
        room += (size_t)channels * voxels_of(SIZES[k].side);
    }
    connect_layers(v, n->step);
    for (int k = 0; k < TELL; ++k) {
        const layer *l = &n->layers[k];
        unpack_weights(l, room);
        memcpy(n->bias[k], l->bias, sizeof n->bias[k]);
        n->step[k].padded = padded_outputs(l);
        n->step[k].weights = room;
        n->step[k].bias = n->bias[k];
        room += TAPS * l->inputs * n->step[k].padded;
    }
    n->step[ENTER].wanted = n->beside_solid;
    n->step[JOIN_16].wanted = n->near_solid;
    const layer *last = &n->layers[TELL];
    for (int k = 0; k < last->inputs * last->outputs; ++k) {
        const int c = k / last->outputs, joint = k % last->outputs;
        n->tell[c][joint] = last->scale[joint] * weight_of(last->weights[joint][c]);
    }
}

lmb_result lmbi_volume_network_create(lmbi_volume_kind kind, const lmb_allocator *alloc,
                                      lmbi_volume_network **out, lmb_error *error)
{
    const layer *layers = NETWORK[kind];
    size_t total = 0;
    for (int v = 0; v < VOLUMES; ++v) {
        total += (size_t)channels_of(layers, v) * voxels_of(SIZES[v].side);
    }
    for (int k = 0; k < TELL; ++k) {
        total += (size_t)(TAPS * layers[k].inputs * padded_outputs(&layers[k]));
    }
    lmbi_volume_network *n = lmbi_alloc(alloc, sizeof *n);
    float *room = lmbi_alloc(alloc, total * sizeof *room);
    *out = NULL;
    if (!n || !room) {
        lmbi_free(alloc, n);
        lmbi_free(alloc, room);
        return lmbi_fail_memory(error);
    }
    *out = n;
    memset(room, 0, total * sizeof *room);
    n->alloc = alloc;
    n->layers = layers;
    n->block = room;
    lay_out(n, room);
    return LMB_OK;
}

void lmbi_volume_network_destroy(lmbi_volume_network *n)
{
    if (n) {
        lmbi_free(n->alloc, n->block);
        lmbi_free(n->alloc, n);
    }
}

/// From the volume that is seen to the last one. What is joined gets what was doubled first.
static void run_layers(const lmbi_volume_network *n)
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

static void see(const lmbi_volume *from, bool mirrored, const volume *out)
{
    for (int v = 0; v < LMBI_VOLUME_VOXELS; ++v) {
        const int x = mirrored ? SEEN - 1 - v % SEEN : v % SEEN;
        *voxel_of(out, x, v / SEEN % SEEN, v / SEEN / SEEN) = 0.125f * (float)from->solid[v];
    }
}

/// Marks the rows of voxels, each of `size` voxels a side of what is seen, that have something solid in them, or beside them
/// within one voxel.
static void mark_rows(const volume *seen, int size, uint8_t *rows)
{
    const int side = SEEN / size, across = side / ROW;
    uint8_t own[SEEN_ROWS] = {0};
    for (int v = 0; v < LMBI_VOLUME_VOXELS; ++v) {
        const int x = v % SEEN, y = v / SEEN % SEEN, z = v / SEEN / SEEN,
                  before = x < size ? 0 : x - size, after = x + size < SEEN ? x + size : SEEN - 1;
        if (*voxel_of(seen, x, y, z) > 0) {
            uint8_t *line = own + (z / size * side + y / size) * across;
            line[before / size / ROW] = line[after / size / ROW] = 1;
        }
    }
    for (int r = 0; r < side * side * across; ++r) {
        const int y = r / across % side, z = r / across / side;
        rows[r] = 0;
        for (int n = 0; n < 9; ++n) {
            const int j = y + n % 3 - 1, k = z + n / 3 - 1;
            const bool inside = j >= 0 && k >= 0 && j < side && k < side;
            rows[r] |= inside ? own[(k * side + j) * across + r % across] : 0;
        }
    }
}

/// What the first layer makes of air.
static void fill_air(const lmbi_volume_network *n)
{
    const volume *out = &n->step[ENTER].out;
    float air[MOST_CHANNELS];
    for (int c = 0; c < out->channels; ++c) {
        air[c] = fmaxf(n->bias[ENTER][c], 0);
    }
    for (int v = 0; v < LMBI_VOLUME_VOXELS; ++v) {
        if (!n->beside_solid[v / ROW]) {
            memcpy(voxel_of(out, v % SEEN, v / SEEN % SEEN, v / SEEN / SEEN), air,
                   (size_t)out->channels * sizeof *air);
        }
    }
}

/// What the last volume tells of a voxel.
static void tell(const lmbi_volume_network *n, int x, int y, int z, float out[LMBI_TOLD_JOINTS])
{
    const volume *last = &n->step[JOIN_16].out;
    const float *from = voxel_of(last, x, y, z);
    const layer *l = &n->layers[TELL];
    memcpy(out, l->bias, (size_t)l->outputs * sizeof *out);
    for (int c = 0; c < last->channels; ++c) {
        for (int joint = 0; joint < l->outputs; ++joint) {
            out[joint] += n->tell[c][joint] * from[c];
        }
    }
}

/// Adds a row of voxels, [ROW][joints], to what is told of a joint, backwards in a mirror.
static void add_row(const float told[ROW][LMBI_TOLD_JOINTS], int joint, bool back, float *to)
{
    for (int k = 0; k < ROW; ++k) {
        to[back ? ROW - 1 - k : k] += told[k][joint];
    }
}

/// Adds what is told, in a mirror if joints have an `other` side: in the air as little as anywhere.
static void add_told(const lmbi_volume_network *n, int (*other)(int joint), lmbi_told *to)
{
    enum { ACROSS = TOLD / ROW };
    const float most = 1e3f; // above all that is told
    const int joints = n->layers[TELL].outputs;
    float told[ROW][LMBI_TOLD_JOINTS], least[LMBI_TOLD_JOINTS];
    for (int joint = 0; joint < joints; ++joint) {
        least[joint] = most;
    }
    for (int air = 0; air < 2; ++air) {
        for (int row = 0; row < TOLD_ROWS; ++row) {
            const int line = row / ACROSS,
                      to_row = other ? ACROSS - 1 - row % ACROSS : row % ACROSS,
                      at = line * TOLD + to_row * ROW;
            if (n->near_solid[row] == air) {
                continue;
            }
            for (int k = 0; k < ROW; ++k) {
                if (air) {
                    memcpy(told[k], least, sizeof least);
                } else {
                    tell(n, row % ACROSS * ROW + k, line % TOLD, line / TOLD, told[k]);
                }
            }
            for (int joint = 0; joint < joints; ++joint) {
                for (int k = 0; k < ROW; ++k) {
                    least[joint] = fminf(least[joint], told[k][joint]);
                }
                add_row((const float(*)[LMBI_TOLD_JOINTS])told, joint, other != NULL,
                        to->odds[other ? other(joint) : joint] + at);
            }
        }
    }
}

void lmbi_volume_network_add(lmbi_volume_network *n, const lmbi_volume *seen,
                             int (*other)(int joint), lmbi_told *to)
{
    see(seen, other != NULL, &n->step[ENTER].in);
    mark_rows(&n->step[ENTER].in, 1, n->beside_solid);
    mark_rows(&n->step[ENTER].in, 2, n->near_solid);
    fill_air(n);
    run_layers(n);
    add_told(n, other, to);
}
