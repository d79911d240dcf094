// lmb_blend for a group of as many joints as there are lanes. Rotations are transposed so that a
// lane is a joint. All ten floats of each transform are averaged in place, then the rotations
// overwrite their four.
#include "anim/blend_kernels.h"

#include "anim/mix.h"
#include "anim/quat_lanes.h"

LMBI_ALSO_FUSED

enum { FLOATS = 10 }; ///< per transform

#define MAX_LAYERS LMB_BLEND_LAYERS

enum { REGISTER_LAYERS = 4 }; ///< layers whose weights and pointers are kept in registers

/// The layers of one group of joints: their poses, and the fraction by which each is blended in,
/// x += (next - x) * fraction.
typedef struct joint_group {
    const lmb_transform *poses[REGISTER_LAYERS];
    lmbi_wide fraction[REGISTER_LAYERS];  ///< [0] is unused
    lmbi_wide more_fractions[MAX_LAYERS]; ///< of layers from REGISTER_LAYERS on
    lmbi_wide rest, additive[MAX_LAYERS];
} joint_group;

/// Constants of a compiled variant: layer count (at most REGISTER_LAYERS), no masks (`uniform`),
/// additive layers, and additive layers with one weight for all joints.
typedef struct blend_variant {
    uint32_t layer_count;
    int uniform, adds, adds_uniformly;
} blend_variant;

/// An unmasked additive layer with a positive weight, and the rows of lmbi_nlerp_weight for that
/// weight.
typedef struct uniform_additive {
    float weight;
    float rows[LMBI_NLERP_ROWS];
} uniform_additive;

/// Constants of a blend, shared by all groups.
typedef struct blend_plan {
    lmb_blend_job job;
    float threshold;
    float fraction[MAX_LAYERS];                     ///< for blends without masks
    uniform_additive uniform_additives[MAX_LAYERS]; ///< if adds_uniformly
} blend_plan;

LMBI_WIDE lmbi_wide load_weights(const lmb_blend_layer *layer, uint32_t first)
{
    const lmbi_wide weight = lmbi_wide_splat(layer->weight);
    return layer->mask != NULL ? weight * lmbi_wide_load(layer->mask + first) : weight;
}

/// Spreads one float per joint to the k-th vector of the group's transforms (ten floats each): its
/// lane i belongs to joint (k lanes + i) / 10.
LMBI_WIDE lmbi_wide spread_to_floats(lmbi_wide joints, int k)
{
#if LMBI_LANES == 1
    (void)k;
    return joints;
#else
#define OF(k, i) ((LMBI_LANES * (k) + (i)) / FLOATS)
#if LMBI_LANES == 4
#define PICK(k) __builtin_shufflevector(joints, joints, OF(k, 0), OF(k, 1), OF(k, 2), OF(k, 3))
#elif LMBI_LANES == 8
#define PICK(k)                                                                               \
    __builtin_shufflevector(joints, joints, OF(k, 0), OF(k, 1), OF(k, 2), OF(k, 3), OF(k, 4), \
                            OF(k, 5), OF(k, 6), OF(k, 7))
#else
#define PICK(k)                                                                               \
    __builtin_shufflevector(joints, joints, OF(k, 0), OF(k, 1), OF(k, 2), OF(k, 3), OF(k, 4), \
                            OF(k, 5), OF(k, 6), OF(k, 7), OF(k, 8), OF(k, 9), OF(k, 10),      \
                            OF(k, 11), OF(k, 12), OF(k, 13), OF(k, 14), OF(k, 15))
#endif
    switch (k) { // a constant where this is inlined
    case 0:
        return PICK(0);
    case 1:
        return PICK(1);
    case 2:
        return PICK(2);
    case 3:
        return PICK(3);
    case 4:
        return PICK(4);
    case 5:
        return PICK(5);
    case 6:
        return PICK(6);
    case 7:
        return PICK(7);
    case 8:
        return PICK(8);
    default:
        return PICK(9);
    }
#undef PICK
#undef OF
#endif
}

// -------------------------------------------------------------------------------------- rotations

LMBI_WIDE lmbi_wide dot4(const lmbi_wide a[4], const lmbi_wide b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// Normalises where the length is off by more than rounding; the fallback where it is 0.
LMBI_WIDE void make_unit(lmbi_wide q[4], const lmbi_wide fallback[4])
{
    const lmbi_wide n2 = dot4(q, q);
    const lmbi_wide_int is_off = ~(lmbi_wide_int)(lmbi_wide_abs(n2 - 1) <= LMBI_UNIT_SLACK);
    if (!lmbi_wide_any(is_off)) {
        return;
    }
    const lmbi_wide scale =
        lmbi_wide_select(is_off, lmbi_wide_inverse_root(n2), lmbi_wide_splat(1));
    q[0] = q[0] * scale;
    q[1] = q[1] * scale;
    q[2] = q[2] * scale;
    q[3] = q[3] * scale;
    const lmbi_wide_int is_nothing = ~(lmbi_wide_int)(n2 > 1e-12f);
    if (lmbi_wide_any(is_nothing)) {
        q[0] = lmbi_wide_select(is_nothing, fallback[0], q[0]);
        q[1] = lmbi_wide_select(is_nothing, fallback[1], q[1]);
        q[2] = lmbi_wide_select(is_nothing, fallback[2], q[2]);
        q[3] = lmbi_wide_select(is_nothing, fallback[3], q[3]);
    }
}

/// q += (next - q) * fraction, with next or -next, whichever is in the first layer's hemisphere.
LMBI_WIDE void average_rotation(lmbi_wide q[4], const lmbi_wide reference[4],
                                const lmb_transform *next, lmbi_wide fraction)
{
    lmbi_wide n[4];
    lmbi_quat_lanes_load(next, n);
    const lmbi_wide_int flip = (lmbi_wide_int)(dot4(reference, n) < 0) & INT32_MIN;
    q[0] = q[0] + (lmbi_wide_of_bits(lmbi_wide_bits(n[0]) ^ flip) - q[0]) * fraction;
    q[1] = q[1] + (lmbi_wide_of_bits(lmbi_wide_bits(n[1]) ^ flip) - q[1]) * fraction;
    q[2] = q[2] + (lmbi_wide_of_bits(lmbi_wide_bits(n[2]) ^ flip) - q[2]) * fraction;
    q[3] = q[3] + (lmbi_wide_of_bits(lmbi_wide_bits(n[3]) ^ flip) - q[3]) * fraction;
}

/// A row of lmbi_nlerp_weight, lane by lane.
LMBI_WIDE lmbi_wide nlerp_row(int row, lmbi_wide y, lmbi_wide edge)
{
    const float *c = lmbi_nlerp_terms[row];
    return (c[0] + y * (c[1] + y * (c[2] + y * c[3]))) * edge;
}

/// lmbi_nlerp_weight, lane by lane.
LMBI_WIDE lmbi_wide nlerp_weight(lmbi_wide t, lmbi_wide m)
{
    const lmbi_wide x = t - 0.5f, y = x * x, edge = x * (y - 0.25f);
    lmbi_wide sum = lmbi_wide_splat(0);
    sum = sum * m + nlerp_row(4, y, edge);
    sum = sum * m + nlerp_row(3, y, edge);
    sum = sum * m + nlerp_row(2, y, edge);
    sum = sum * m + nlerp_row(1, y, edge);
    sum = sum * m + nlerp_row(0, y, edge);
    return t + m * sum;
}

/// q = q * p, normalised.
LMBI_WIDE void multiply_rotation(lmbi_wide q[4], const lmbi_wide p[4])
{
    lmbi_wide r[4];
    r[0] = q[3] * p[0] + q[0] * p[3] + q[1] * p[2] - q[2] * p[1];
    r[1] = q[3] * p[1] - q[0] * p[2] + q[1] * p[3] + q[2] * p[0];
    r[2] = q[3] * p[2] + q[0] * p[1] - q[1] * p[0] + q[2] * p[3];
    r[3] = q[3] * p[3] - q[0] * p[0] - q[1] * p[1] - q[2] * p[2];
    make_unit(r, q);
    memcpy(q, r, sizeof(r));
}

/// q * slerp(1, d, |weight|), or its inverse for weight < 0. The product is normalised at the end.
LMBI_WIDE void add_rotation(lmbi_wide q[4], const lmb_transform *difference, lmbi_wide weight)
{
    lmbi_wide d[4], p[4], r[4] = {q[0], q[1], q[2], q[3]};
    lmbi_quat_lanes_load(difference, d);
    const lmbi_wide m = lmbi_wide_max(1 - lmbi_wide_abs(d[3]), lmbi_wide_splat(0)),
                    t = lmbi_wide_abs(weight);
    const lmbi_wide u = nlerp_weight(t, m), at_d = lmbi_wide_flip_sign(u, d[3]);
    p[0] = lmbi_wide_flip_sign(d[0] * at_d, weight);
    p[1] = lmbi_wide_flip_sign(d[1] * at_d, weight);
    p[2] = lmbi_wide_flip_sign(d[2] * at_d, weight);
    p[3] = (1 - u) + d[3] * at_d;
    multiply_rotation(r, p);
    const lmbi_wide_int is_used = (lmbi_wide_int)(weight != 0);
    q[0] = lmbi_wide_select(is_used, r[0], q[0]);
    q[1] = lmbi_wide_select(is_used, r[1], q[1]);
    q[2] = lmbi_wide_select(is_used, r[2], q[2]);
    q[3] = lmbi_wide_select(is_used, r[3], q[3]);
}

/// add_rotation with one positive weight for all joints.
LMBI_WIDE void add_rotation_uniformly(lmbi_wide q[4], const lmb_transform *difference,
                                      const uniform_additive *e)
{
    lmbi_wide d[4], p[4], sum = lmbi_wide_splat(0);
    lmbi_quat_lanes_load(difference, d);
    const lmbi_wide m = lmbi_wide_max(1 - lmbi_wide_abs(d[3]), lmbi_wide_splat(0));
    for (int k = LMBI_NLERP_ROWS; k-- > 0;) {
        sum = sum * m + e->rows[k];
    }
    const lmbi_wide u = e->weight + m * sum, at_d = lmbi_wide_flip_sign(u, d[3]);
    p[0] = d[0] * at_d;
    p[1] = d[1] * at_d;
    p[2] = d[2] * at_d;
    p[3] = (1 - u) + d[3] * at_d;
    multiply_rotation(q, p);
}

/// The blend fraction of layer i, whose weight is added to the sum.
LMBI_WIDE lmbi_wide layer_fraction(const blend_plan *p, uint32_t i, uint32_t first, int uniform,
                                   lmbi_wide *sum)
{
    if (uniform) {
        return lmbi_wide_splat(p->fraction[i]);
    }
    const lmbi_wide weight = load_weights(&p->job.layers[i], first);
    const lmbi_wide_int is_used = (lmbi_wide_int)(weight > 0);
    *sum = *sum + weight;
    const lmbi_wide fraction = weight / lmbi_wide_select(is_used, *sum, lmbi_wide_splat(1));
    return lmbi_wide_of_bits(lmbi_wide_bits(fraction) & is_used);
}

LMBI_WIDE void accumulate_layer(const blend_plan *p, uint32_t i, uint32_t first, int uniform,
                                lmbi_wide q[4], const lmbi_wide reference[4], lmbi_wide *sum,
                                joint_group *g)
{
    const lmb_transform *pose = p->job.layers[i].pose + first;
    const lmbi_wide fraction = layer_fraction(p, i, first, uniform, sum);
    average_rotation(q, reference, pose, fraction);
    if (i < REGISTER_LAYERS) {
        g->poses[i] = pose;
        g->fraction[i] = fraction;
    } else {
        g->more_fractions[i] = fraction;
    }
}

/// Blends the rotations of a group.
LMBI_WIDE void blend_rotations(const blend_plan *p, uint32_t first, blend_variant v, lmbi_wide q[4],
                               joint_group *g)
{
    const lmb_blend_job *job = &p->job;
    lmbi_wide reference[4], sum = lmbi_wide_splat(p->threshold);
    g->poses[0] = g->poses[1] = g->poses[2] = g->poses[3] =
        (v.layer_count > 0 ? job->layers[0].pose : job->rest) + first;
    g->fraction[1] = g->fraction[2] = g->fraction[3] = g->rest = lmbi_wide_splat(0);
    lmbi_quat_lanes_load(g->poses[0], reference);
    memcpy(q, reference, sizeof(reference));
    if (v.layer_count > 0 && !v.uniform) {
        sum = load_weights(&job->layers[0], first);
    }
    if (v.layer_count > 1) {
        accumulate_layer(p, 1, first, v.uniform, q, reference, &sum, g);
    }
    if (v.layer_count > 2) {
        accumulate_layer(p, 2, first, v.uniform, q, reference, &sum, g);
    }
    if (v.layer_count > 3) {
        accumulate_layer(p, 3, first, v.uniform, q, reference, &sum, g);
    }
    for (uint32_t i = REGISTER_LAYERS; v.layer_count == REGISTER_LAYERS && i < job->layer_count;
         ++i) {
        accumulate_layer(p, i, first, v.uniform, q, reference, &sum, g);
    }
    if (!v.uniform && job->rest != NULL) {
        const lmbi_wide_int is_short = (lmbi_wide_int)(sum < p->threshold);
        g->rest = lmbi_wide_of_bits(lmbi_wide_bits((p->threshold - sum) / p->threshold) & is_short);
        average_rotation(q, reference, job->rest + first, g->rest);
    }
    make_unit(q, reference);
    for (uint32_t i = 0; v.adds_uniformly && i < job->additive_count; ++i) {
        add_rotation_uniformly(q, job->additives[i].pose + first, &p->uniform_additives[i]);
    }
    for (uint32_t i = 0; v.adds && !v.adds_uniformly && i < job->additive_count; ++i) {
        const lmbi_wide weight = load_weights(&job->additives[i], first);
        g->additive[i] =
            lmbi_wide_max(lmbi_wide_splat(-1), lmbi_wide_min(weight, lmbi_wide_splat(1)));
        add_rotation(q, job->additives[i].pose + first, g->additive[i]);
    }
}

// ------------------------------------------------------------------------ translations and scales

/// Lanes of the k-th vector that hold scales.
LMBI_WIDE lmbi_wide_int scale_mask(int k)
{
    // The period is ten floats; three periods serve every start.
    static const int32_t is_scale[] = {0, 0, 0,  0,  0,  0, 0, -1, -1, -1, 0, 0, 0,  0,  0,
                                       0, 0, -1, -1, -1, 0, 0, 0,  0,  0,  0, 0, -1, -1, -1};
    return lmbi_wide_int_load(is_scale + k * LMBI_LANES % FLOATS);
}

/// Translations become x + d w, scales x (1 + w (d - 1)), or x / (1 - w (d - 1)) for w < 0.
LMBI_WIDE lmbi_wide add_floats(lmbi_wide x, lmbi_wide d, lmbi_wide w, int k)
{
    const lmbi_wide_int scales = scale_mask(k);
    const lmbi_wide factor = 1 + lmbi_wide_abs(w) * (d - 1);
    lmbi_wide scaled = x * factor;
    const lmbi_wide_int divides = (lmbi_wide_int)(w < 0);
    if (lmbi_wide_any(divides)) {
        const lmbi_wide_int can = (lmbi_wide_int)(lmbi_wide_abs(factor) > 1e-12f);
        const lmbi_wide divided =
            lmbi_wide_select(can, x / lmbi_wide_select(can, factor, lmbi_wide_splat(1)), x);
        scaled = lmbi_wide_select(divides, divided, scaled);
    }
    return lmbi_wide_select(scales, scaled, x + d * w);
}

LMBI_WIDE lmbi_wide load_floats(const lmb_transform *pose, int k)
{
    return lmbi_wide_load((const float *)(const void *)pose + k * LMBI_LANES);
}

LMBI_WIDE lmbi_wide lerp_floats(lmbi_wide x, const lmb_transform *pose, lmbi_wide fraction,
                                int uniform, int k)
{
    return x + (load_floats(pose, k) - x) * (uniform ? fraction : spread_to_floats(fraction, k));
}

/// Blends the k-th vector of a group's floats.
LMBI_WIDE void blend_floats(const blend_plan *p, uint32_t first, blend_variant v,
                            const joint_group *g, lmb_transform *out, int k)
{
    const lmb_blend_job *job = &p->job;
    lmbi_wide x = load_floats(g->poses[0], k);
    if (v.layer_count > 1) {
        x = lerp_floats(x, g->poses[1], g->fraction[1], v.uniform, k);
    }
    if (v.layer_count > 2) {
        x = lerp_floats(x, g->poses[2], g->fraction[2], v.uniform, k);
    }
    if (v.layer_count > 3) {
        x = lerp_floats(x, g->poses[3], g->fraction[3], v.uniform, k);
    }
    for (uint32_t i = REGISTER_LAYERS; v.layer_count == REGISTER_LAYERS && i < job->layer_count;
         ++i) {
        x = lerp_floats(x, job->layers[i].pose + first, g->more_fractions[i], v.uniform, k);
    }
    if (!v.uniform && job->rest != NULL) {
        x = lerp_floats(x, job->rest + first, g->rest, 0, k);
    }
    for (uint32_t i = 0; v.adds_uniformly && i < job->additive_count; ++i) {
        const lmbi_wide d = load_floats(job->additives[i].pose + first, k),
                        w = lmbi_wide_splat(p->uniform_additives[i].weight);
        x = lmbi_wide_select(scale_mask(k), x * (1 + w * (d - 1)), x + d * w);
    }
    for (uint32_t i = 0; v.adds && !v.adds_uniformly && i < job->additive_count; ++i) {
        x = add_floats(x, load_floats(job->additives[i].pose + first, k),
                       spread_to_floats(g->additive[i], k), k);
    }
    lmbi_wide_store((float *)(void *)out + k * LMBI_LANES, x);
}

/// Reads the rotations before writing anything, since the output may be one of the inputs.
LMBI_WIDE void blend_group(const blend_plan *p, uint32_t first, blend_variant v)
{
    joint_group g;
    lmbi_wide q[4];
    blend_rotations(p, first, v, q, &g);
    lmb_transform *out = p->job.out + first; // a local: a store might alias p
    blend_floats(p, first, v, &g, out, 0);
    blend_floats(p, first, v, &g, out, 1);
    blend_floats(p, first, v, &g, out, 2);
    blend_floats(p, first, v, &g, out, 3);
    blend_floats(p, first, v, &g, out, 4);
    blend_floats(p, first, v, &g, out, 5);
    blend_floats(p, first, v, &g, out, 6);
    blend_floats(p, first, v, &g, out, 7);
    blend_floats(p, first, v, &g, out, 8);
    blend_floats(p, first, v, &g, out, 9);
    lmbi_quat_lanes_store(out, q);
}

// ---------------------------------------------------------------------------------------- the job

/// Copies of the last joints, padded to a whole group.
typedef struct joint_tail {
    lmb_transform poses[2 * MAX_LAYERS + 2][LMBI_LANES];
    float masks[2 * MAX_LAYERS][LMBI_LANES];
    lmb_blend_layer layers[2 * MAX_LAYERS];
} joint_tail;

static void copy_tail(joint_tail *t, uint32_t slot, const lmb_blend_layer *from, uint32_t first,
                      uint32_t count)
{
    t->layers[slot] =
        (lmb_blend_layer){t->poses[slot], from->weight, from->mask != NULL ? t->masks[slot] : NULL};
    for (uint32_t k = 0; k < LMBI_LANES; ++k) {
        t->poses[slot][k] = from->pose[first + (k < count ? k : 0)];
        t->masks[slot][k] = from->mask != NULL ? from->mask[first + (k < count ? k : 0)] : 0;
    }
}

static void blend_tail(const blend_plan *p, uint32_t first)
{
    joint_tail t;
    blend_plan padded = *p;
    const lmb_blend_job *job = &p->job;
    const uint32_t count = job->joint_count - first;
    lmb_transform *rest = t.poses[2 * MAX_LAYERS];
    for (uint32_t i = 0; i < job->layer_count; ++i) {
        copy_tail(&t, i, &job->layers[i], first, count);
    }
    for (uint32_t i = 0; i < job->additive_count; ++i) {
        copy_tail(&t, MAX_LAYERS + i, &job->additives[i], first, count);
    }
    for (uint32_t k = 0; job->rest != NULL && k < LMBI_LANES; ++k) {
        rest[k] = job->rest[first + (k < count ? k : 0)];
    }
    padded.job.layers = t.layers;
    padded.job.additives = t.layers + MAX_LAYERS;
    padded.job.rest = job->rest != NULL ? rest : NULL;
    padded.job.out = t.poses[2 * MAX_LAYERS + 1];
    // The masked variant gives the same bits: it sums in the same order.
    blend_group(&padded, 0,
                (blend_variant){
                    job->layer_count < REGISTER_LAYERS ? job->layer_count : REGISTER_LAYERS, 0, 1});
    memcpy(job->out + first, padded.job.out, count * sizeof(*job->out));
}

static bool overlaps(const lmb_transform *a, const lmb_transform *b, uint32_t count)
{
    return a != NULL && a < b + count && b < a + count;
}

/// Whether the output overlaps an input.
static bool is_in_place(const lmb_blend_job *job)
{
    bool found = overlaps(job->rest, job->out, job->joint_count);
    for (uint32_t i = 0; i < job->layer_count; ++i) {
        found = found || overlaps(job->layers[i].pose, job->out, job->joint_count);
    }
    for (uint32_t i = 0; i < job->additive_count; ++i) {
        found = found || overlaps(job->additives[i].pose, job->out, job->joint_count);
    }
    return found;
}

LMBI_WIDE void blend_all(const blend_plan *p, blend_variant v)
{
    uint32_t first = 0;
    const uint32_t count = p->job.joint_count;
    for (; first + LMBI_LANES <= count; first += LMBI_LANES) {
        blend_group(p, first, v);
    }
    if (first < count && count >= LMBI_LANES && !is_in_place(&p->job)) {
        blend_group(p, count - LMBI_LANES, v); // overlaps the group before
    } else if (first < count) {
        blend_tail(p, first);
    }
}

/// Whether all additive layers are unmasked with positive weights. Fills in `uniform_additives`
/// then.
static bool adds_uniformly(blend_plan *p)
{
    for (uint32_t i = 0; i < p->job.additive_count; ++i) {
        const lmb_blend_layer *layer = &p->job.additives[i];
        if (layer->mask != NULL || !(layer->weight > 0)) {
            return false;
        }
        uniform_additive *e = &p->uniform_additives[i];
        e->weight = layer->weight < 1 ? layer->weight : 1;
        const float x = e->weight - 0.5f, y = x * x, edge = x * (y - 0.25f);
        for (int k = 0; k < LMBI_NLERP_ROWS; ++k) {
            const float *c = lmbi_nlerp_terms[k];
            e->rows[k] = (c[0] + y * (c[1] + y * (c[2] + y * c[3]))) * edge;
        }
    }
    return true;
}

static void blend(const lmb_blend_job *job, float threshold)
{
    blend_plan p;
    p.job = *job;
    p.threshold = threshold;
    bool uniform = true;
    float sum = job->layer_count > 0 ? job->layers[0].weight : threshold;
    for (uint32_t i = 0; i < job->layer_count; ++i) {
        uniform = uniform && job->layers[i].mask == NULL;
    }
    for (uint32_t i = 1; i < job->layer_count; ++i) {
        const float weight = job->layers[i].weight;
        sum += weight;
        p.fraction[i] = weight > 0 ? weight / sum : 0;
    }
    // Weights below the threshold take the masked path, which adds the rest pose.
    uniform = uniform && !(sum < threshold && job->rest != NULL);
    const uint32_t layer_count =
        job->layer_count < REGISTER_LAYERS ? job->layer_count : REGISTER_LAYERS;
    if (job->additive_count > 0 && uniform && adds_uniformly(&p)) {
        layer_count == 1 ? blend_all(&p, (blend_variant){1, 1, 1, 1})
                         : blend_all(&p, (blend_variant){layer_count, 1, 1, 1});
    } else if (job->additive_count > 0) {
        blend_all(&p, (blend_variant){layer_count, uniform, 1, 0});
    } else if (layer_count == 2) {
        uniform ? blend_all(&p, (blend_variant){2, 1, 0, 0})
                : blend_all(&p, (blend_variant){2, 0, 0, 0});
    } else if (layer_count == 3) {
        uniform ? blend_all(&p, (blend_variant){3, 1, 0, 0})
                : blend_all(&p, (blend_variant){3, 0, 0, 0});
    } else if (layer_count == 4) {
        uniform ? blend_all(&p, (blend_variant){4, 1, 0, 0})
                : blend_all(&p, (blend_variant){4, 0, 0, 0});
    } else {
        blend_all(&p, (blend_variant){layer_count, uniform, 0, 0});
    }
}

const lmbi_blend_kernels LMBI_TABLE(lmbi_blend) = {blend};
