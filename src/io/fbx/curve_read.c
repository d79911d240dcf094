/// Keys of version 7000 and later: parallel arrays; runs of keys share flags and tangents.
#include <string.h>

#include "io/fbx/curve.h"

enum {
    FLAG_CONSTANT = 0x2,
    FLAG_CUBIC = 0x8,
    FLAG_CONSTANT_NEXT = 0x100, ///< with FLAG_CONSTANT
    FLAG_TCB = 0x200,
    FLAG_USER = 0x400,
    FLAG_CLAMP = 0x1000,
    FLAG_TIME_INDEPENDENT = 0x2000,
    FLAG_CLAMP_PROGRESSIVE = 0x4000,
    FLAG_WEIGHTED_RIGHT = 0x1000000,
    FLAG_WEIGHTED_NEXT_LEFT = 0x2000000,
};

#define DEFAULT_WEIGHT (1.0 / 3.0)

typedef struct key_arrays {
    const int64_t *ticks, *flags, *runs;
    const double *values, *data;
    size_t count, run_count;
} key_arrays;

/// A key's tangent data: four floats, of which two hold packed weights when the flags say so.
typedef struct tangents {
    int64_t flags;
    double right, next_left; ///< slopes; tension and continuity of TCB
    double bias;             ///< of TCB, or the automatic tangent's
    double weight_right, weight_next_left;
} tangents;

/// ASCII files write some of these floats as integers with the same bits.
static uint32_t bits_of(double value)
{
    if (value > 8388608 && value < 4294967296.0 && (double)(uint32_t)value - value >= 0) {
        return (uint32_t)value;
    }
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static double float_of(const lmbi_fbx *fbx, double value)
{
    if (!fbx->ascii) {
        return value;
    }
    const uint32_t bits = bits_of(value);
    float single;
    memcpy(&single, &bits, sizeof single);
    return (double)single;
}

static tangents tangents_of(const lmbi_fbx *fbx, const key_arrays *a, size_t run)
{
    const double *d = a->data + 4 * run;
    tangents t = {.flags = a->flags[run],
                  .right = float_of(fbx, d[0]),
                  .next_left = float_of(fbx, d[1]),
                  .weight_right = DEFAULT_WEIGHT,
                  .weight_next_left = DEFAULT_WEIGHT};
    if (t.flags & (FLAG_WEIGHTED_RIGHT | FLAG_WEIGHTED_NEXT_LEFT)) {
        const uint32_t packed = bits_of(d[2]);
        t.weight_right = t.flags & FLAG_WEIGHTED_RIGHT ? (packed & 0xffff) * 1e-4 : DEFAULT_WEIGHT;
        t.weight_next_left =
            t.flags & FLAG_WEIGHTED_NEXT_LEFT ? (packed >> 16) * 1e-4 : DEFAULT_WEIGHT;
    } else {
        t.bias = float_of(fbx, d[2]);
    }
    return t;
}

static lmbi_fbx_segment segment_of(int64_t flags)
{
    if (flags & FLAG_CONSTANT) {
        return flags & FLAG_CONSTANT_NEXT ? LMBI_FBX_HOLD_NEXT : LMBI_FBX_HOLD;
    }
    return flags & FLAG_CUBIC ? LMBI_FBX_BEZIER : LMBI_FBX_STRAIGHT;
}

/// Kochanek and Bartels 1984, equations 8 and 9, with slopes instead of differences since spans are
/// unequal. At the ends of the curve the slope to the one neighbour is used for both.
static void tcb_slopes(const tangents *t, double slope_left, double slope_right, bool edge,
                       double *left, double *right)
{
    const double half = edge ? 1 : 0.5;
    const double tension = t->right, continuity = t->next_left, bias = t->bias;
    *left = half * ((1 - tension) * (1 + bias) * (1 - continuity) * slope_left +
                    (1 - tension) * (1 - bias) * (1 + continuity) * slope_right);
    *right = half * ((1 - tension) * (1 + bias) * (1 + continuity) * slope_left +
                     (1 - tension) * (1 - bias) * (1 - continuity) * slope_right);
}

static double slope_between(const lmbi_fbx_key *a, const lmbi_fbx_key *b)
{
    const double span = b->time_s - a->time_s;
    return span > 0 ? (b->value - a->value) / span : 0;
}

/// The slopes on both sides of key i; *next_left is the next key's left slope, which FBX stores with
/// this key.
static void slopes_of(const lmbi_fbx_key *keys, size_t count, size_t i, const tangents *t,
                      double weight_left, double *left, double *right, double *next_left)
{
    const bool first = i == 0, last = i + 1 == count;
    const double before = first ? 0 : slope_between(&keys[i - 1], &keys[i]);
    const double after = last ? 0 : slope_between(&keys[i], &keys[i + 1]);
    if (!(t->flags & FLAG_CUBIC)) {
        *right = *next_left = t->flags & FLAG_CONSTANT ? 0 : after;
    } else if (t->flags & FLAG_TCB) {
        tcb_slopes(t, before, after, first || last, left, right);
        *next_left = 0;
    } else if (t->flags & FLAG_USER) {
        *right = t->right;
        *next_left = t->next_left;
    } else {
        *next_left = t->next_left;
        if (first || last) {
            *right = first && !last ? after : before;
            if (t->flags & FLAG_CLAMP_PROGRESSIVE) {
                *right = 0;
            }
            *left = first ? *left : *right;
            return;
        }
        lmbi_fbx_tangent ask = {.previous_s = keys[i - 1].time_s,
                                .time_s = keys[i].time_s,
                                .next_s = keys[i + 1].time_s,
                                .previous = keys[i - 1].value,
                                .value = keys[i].value,
                                .next = keys[i + 1].value,
                                .weight_left = weight_left,
                                .weight_right = t->weight_right,
                                .clamp = (t->flags & FLAG_CLAMP) != 0,
                                .clamp_progressive = (t->flags & FLAG_CLAMP_PROGRESSIVE) != 0,
                                .time_independent = (t->flags & FLAG_TIME_INDEPENDENT) != 0};
        ask.bias = t->right;
        *right = lmbi_fbx_auto_slope(&ask);
        ask.bias = -*left;
        const double sum = t->right + *left;
        *left = sum <= 1e-4 && sum >= -1e-4 ? *right : lmbi_fbx_auto_slope(&ask);
    }
}

static void set_handles(lmbi_fbx_key *keys, size_t count, size_t i, double left, double right,
                        double weight_left, double weight_right)
{
    const double before = i > 0 ? keys[i].time_s - keys[i - 1].time_s : 0;
    const double after = i + 1 < count ? keys[i + 1].time_s - keys[i].time_s : 0;
    keys[i].left_dx = before > 0 ? weight_left * before : 0;
    keys[i].left_dy = keys[i].left_dx * left;
    keys[i].right_dx = after > 0 ? weight_right * after : 0;
    keys[i].right_dy = keys[i].right_dx * right;
}

static void set_tangents(const lmbi_fbx *fbx, const key_arrays *a, lmbi_fbx_curve *curve)
{
    double left = 0, weight_left = DEFAULT_WEIGHT;
    size_t run = 0;
    int64_t used = 0;
    for (size_t i = 0; i < a->count; ++i) {
        while (run + 1 < a->run_count && used >= a->runs[run]) {
            ++run;
            used = 0;
        }
        ++used;
        const tangents t = tangents_of(fbx, a, run);
        double right = 0, next_left = 0;
        curve->keys[i].segment = segment_of(t.flags);
        slopes_of(curve->keys, a->count, i, &t, weight_left, &left, &right, &next_left);
        const bool cubic = curve->keys[i].segment == LMBI_FBX_BEZIER;
        set_handles(curve->keys, a->count, i, left, right, weight_left,
                    cubic ? t.weight_right : DEFAULT_WEIGHT);
        left = next_left;
        weight_left = cubic ? t.weight_next_left : DEFAULT_WEIGHT;
    }
}

static void read_outside(const lmbi_fbx_node *node, lmbi_fbx_outside *mode, int64_t *rounds)
{
    const lmbi_fbx_node *type = lmbi_fbx_child(node, "Type");
    const lmbi_word word = lmbi_fbx_text(type, 0);
    const int64_t letter = word.size > 0 ? word.at[0] : lmbi_fbx_integer(type, 0, 'C');
    *mode = letter == 'A'   ? LMBI_FBX_OUTSIDE_RELATIVE
            : letter == 'K' ? LMBI_FBX_OUTSIDE_SLOPE
            : letter == 'M' ? LMBI_FBX_OUTSIDE_MIRROR
            : letter == 'R' ? LMBI_FBX_OUTSIDE_REPEAT
                            : LMBI_FBX_OUTSIDE_CONSTANT;
    *rounds = lmbi_fbx_integer(lmbi_fbx_child(node, "Repetition"), 0, -1);
}

static lmb_result read_arrays(lmbi_fbx *fbx, const lmbi_fbx_node *node, key_arrays *a)
{
    size_t value_count = 0, data_count = 0, flag_count = 0;
    lmb_result result =
        lmbi_fbx_integers(fbx, lmbi_fbx_child(node, "KeyTime"), &a->ticks, &a->count);
    if (result == LMB_OK) {
        result =
            lmbi_fbx_reals(fbx, lmbi_fbx_child(node, "KeyValueFloat"), &a->values, &value_count);
    }
    if (result == LMB_OK) {
        result =
            lmbi_fbx_integers(fbx, lmbi_fbx_child(node, "KeyAttrFlags"), &a->flags, &flag_count);
    }
    if (result == LMB_OK) {
        result =
            lmbi_fbx_reals(fbx, lmbi_fbx_child(node, "KeyAttrDataFloat"), &a->data, &data_count);
    }
    if (result == LMB_OK) {
        result = lmbi_fbx_integers(fbx, lmbi_fbx_child(node, "KeyAttrRefCount"), &a->runs,
                                   &a->run_count);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (value_count != a->count) {
        return lmbi_fbx_fail(fbx, node, "as many key values as key times", "%zu values, %zu times",
                             value_count, a->count);
    }
    if (a->count > 0 &&
        (a->run_count == 0 || flag_count < a->run_count || data_count / 4 < a->run_count)) {
        return lmbi_fbx_fail(fbx, node, "flags and four tangent values for every run of keys",
                             "%zu flags and %zu values for %zu runs", flag_count, data_count,
                             a->run_count);
    }
    if (a->count > UINT32_MAX - 1) {
        return lmbi_fbx_fail(fbx, node, "at most 2^32 - 2 keys", "%llu",
                             (unsigned long long)a->count);
    }
    return LMB_OK;
}

lmb_result lmbi_fbx_curve_read(lmbi_fbx *fbx, const lmbi_fbx_node *node, lmbi_fbx_curve **out)
{
    key_arrays a = {0};
    *out = NULL;
    const lmb_result result = read_arrays(fbx, node, &a);
    if (result != LMB_OK || a.count == 0) {
        return result;
    }
    lmbi_fbx_curve *curve = lmbi_arena_array(&fbx->arena, 1, sizeof *curve);
    lmbi_fbx_key *keys = lmbi_arena_array(&fbx->arena, a.count, sizeof *keys);
    if (!curve || !keys) {
        return lmbi_fail_memory(fbx->error);
    }
    for (size_t i = 0; i < a.count; ++i) {
        keys[i].time_s = (double)a.ticks[i] / LMBI_FBX_TICKS_PER_S;
        keys[i].value = a.values[i];
        if (i > 0 && keys[i].time_s < keys[i - 1].time_s) {
            return lmbi_fbx_fail(fbx, node, "key times in order", "%g s after %g s", keys[i].time_s,
                                 keys[i - 1].time_s);
        }
        if (!(a.values[i] - a.values[i] >= 0)) {
            return lmbi_fbx_fail(fbx, node, "finite key values", "%g at key %zu", a.values[i], i);
        }
    }
    *curve = (lmbi_fbx_curve){.count = (uint32_t)a.count, .keys = keys};
    set_tangents(fbx, &a, curve);
    read_outside(lmbi_fbx_child(node, "Pre-Extrapolation"), &curve->before, &curve->rounds_before);
    read_outside(lmbi_fbx_child(node, "Post-Extrapolation"), &curve->after, &curve->rounds_after);
    *out = curve;
    return LMB_OK;
}
