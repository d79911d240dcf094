/// Layers of clips, blended: in step, with root motion, masks and weights over time.
#include <math.h>

#include "anim/anim.h"
#include "author/blend_bake.h"
#include "base/error.h"

/// A layer while it plays.
typedef struct blend_layer {
    const lmb_blend_clip *from;
    lmb_root_track *track; ///< or NULL
    lmbi_stride *stride;   ///< or NULL
    /// of each leg, where its layer is mixed
    lmbi_clip_contacts *ball[LMB_PLANT_FEET], *tip[LMB_PLANT_FEET];
    double time_s; ///< unfolded
    lmb_transform *pose, *reference;
    float *weights, *reference_weights; ///< morph weights of those
} blend_layer;

/// Smooth between keys, constant before the first and after the last.
static double weight_at(const lmb_blend_clip *c, double time_s)
{
    uint32_t k = 0;
    if (c->key_count == 0) {
        return 1;
    }
    while (k + 1 < c->key_count && c->keys[k + 1].time_s <= time_s) {
        ++k;
    }
    const lmb_blend_key *key = &c->keys[k];
    if (k + 1 == c->key_count || time_s <= c->keys[0].time_s) {
        return key->weight;
    }
    const double s = (time_s - key->time_s) / (key[1].time_s - key->time_s);
    return key->weight + (key[1].weight - key->weight) * s * s * (3 - 2 * s);
}

/// The layers of a bake and what one frame needs.
typedef struct mixer {
    blend_layer *layers; ///< [count] the first `mixed` are mixed, the others lie over them
    uint32_t mixed, count;
    bool is_one; ///< what is mixed is one clip
    lmb_blend_layer *blend;
    double *weights; ///< [mixed] of the frame
    lmb_quat *scratch;
} mixer;

/// Samples the clip with its root motion.
static void sample_clip(const lmbi_blend_bake *b, const blend_layer *l, double time_s,
                        lmb_play_mode mode, lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = l->from->clip,
                                 .time_s = time_s,
                                 .mode = mode,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose,
                                 .weight_first = b->weight_first,
                                 .rest_weights = b->rest_weights,
                                 .weights = weights});
}

static void sample_layer(const lmbi_blend_bake *b, const blend_layer *l, double time_s,
                         lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    sample_clip(b, l, time_s, LMB_PLAY_LOOP, pose, weights);
    if (l->track != NULL) {
        const double in = lmb_time_in(time_s, (double)l->track->duration_s, LMB_PLAY_LOOP);
        lmbi_pose_extract_root(skeleton, l->track->joint, lmbi_root_track_at(l->track, in), pose);
    }
}

static bool strides(const blend_layer *l)
{
    return l->stride != NULL && l->stride->mark_count > 0;
}

/// Advances all layers by dt_s; synchronised layers have one `phase`. Returns the root motion.
static lmb_root_placement advance(blend_layer *layers, uint32_t count, const double *weights,
                                  double dt_s, double *phase)
{
    double seconds = 0, striding = 0, sum = 0;
    lmb_root_placement moved = {{0, 0, 0}, 0};
    for (uint32_t k = 0; k < count; ++k) {
        sum += weights[k];
        if (strides(&layers[k])) {
            seconds += weights[k] * lmbi_stride_interval(layers[k].stride, *phase);
            striding += weights[k];
        }
    }
    const double next = *phase + (seconds > 0 ? dt_s * striding / seconds : 0);
    for (uint32_t k = 0; k < count; ++k) {
        blend_layer *l = &layers[k];
        const double from = l->time_s;
        l->time_s = strides(l) ? lmbi_stride_time(l->stride, next) : from + dt_s;
        if (l->track != NULL && sum > 0) {
            const lmb_root_placement part =
                lmb_root_track_between(l->track, from, l->time_s, LMB_PLAY_LOOP);
            moved.position = lmb_vec3_mad(moved.position, part.position, (float)(weights[k] / sum));
            moved.yaw_rad += part.yaw_rad * (float)(weights[k] / sum);
        }
    }
    *phase = next;
    return moved;
}

/// Fraction of a joint's morph weights that comes from a layer.
static float weight_fraction(const blend_layer *l, double weight, uint32_t joint)
{
    return (float)weight * (l->from->mask != NULL ? l->from->mask[joint] : 1.0f);
}

/// Blends morph weights as lmb_blend blends poses: the remaining weight is the rest pose's.
static void mix_weights(const lmbi_blend_bake *b, const blend_layer *layers, const double *weights,
                        uint32_t count, float *out)
{
    for (uint32_t j = 0; j < b->character->skeleton->joint_count; ++j) {
        for (uint32_t i = b->weight_first[j]; i < b->weight_first[j + 1]; ++i) {
            float sum = 0, all = 0;
            for (uint32_t k = 0; k < count; ++k) {
                const float fraction = weight_fraction(&layers[k], weights[k], j);
                sum += fraction * layers[k].weights[i];
                all += fraction;
            }
            out[i] = all > 0 ? sum / all : b->rest_weights[i];
        }
    }
}

static void lay_weights_over(const lmbi_blend_bake *b, const blend_layer *l, float weight,
                             float *out)
{
    for (uint32_t j = 0; j < b->character->skeleton->joint_count; ++j) {
        for (uint32_t i = b->weight_first[j]; i < b->weight_first[j + 1]; ++i) {
            const float from = l->from->kind == LMB_BLEND_ADD ? l->reference_weights[i] : out[i];
            out[i] += weight_fraction(l, (double)weight, j) * (l->weights[i] - from);
        }
    }
}

/// Foot contacts of the blended frame.
static lmbi_foot_state mix_contacts(const lmbi_blend_bake *b, const blend_layer *layers,
                                    const double *weights, uint32_t count)
{
    double all = 0;
    lmbi_foot_state out = {0};
    for (uint32_t k = 0; k < count; ++k) {
        all += weights[k];
    }
    for (uint32_t k = 0; k < count && all > 0; ++k) {
        const blend_layer *l = &layers[k];
        const float fraction = (float)(weights[k] / all);
        const double in =
            lmb_time_in(l->time_s, (double)lmb_clip_duration_s(l->from->clip), LMB_PLAY_LOOP);
        for (uint32_t leg = 0; leg < b->stance.leg_count; ++leg) {
            out.planted[leg] += fraction * lmbi_clip_contacts_at(l->ball[leg], in);
            out.floors[leg][0] += fraction * l->ball[leg]->floor;
            out.floors[leg][1] += fraction * l->tip[leg]->floor;
        }
    }
    return out;
}

static void lay_over(const lmbi_blend_bake *b, blend_layer *l, double now_s, lmb_quat *scratch,
                     lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    sample_layer(b, l, now_s, l->pose, l->weights);
    if (l->from->kind == LMB_BLEND_ADD) {
        sample_layer(b, l, 0, l->reference, l->reference_weights);
        lmb_pose_difference(
            &(lmb_pose_difference_job){.joint_count = skeleton->joint_count,
                                       .base = l->reference,
                                       .pose = l->pose,
                                       .out = l->pose,
                                       .skeleton = b->opts->model_space ? skeleton : NULL,
                                       .scratch = scratch});
    }
    const double weight = weight_at(l->from, now_s);
    lay_weights_over(b, l, (float)weight, weights);
    if (l->from->kind == LMB_BLEND_ADD && !b->opts->model_space) {
        const lmb_blend_layer base = {pose, 1, NULL}, add = {l->pose, (float)weight, l->from->mask};
        lmb_blend(&(lmb_blend_job){.joint_count = skeleton->joint_count,
                                   .layers = &base,
                                   .layer_count = 1,
                                   .additives = &add,
                                   .additive_count = 1,
                                   .out = pose});
        return;
    }
    lmb_overlay(&(lmb_overlay_job){.skeleton = skeleton,
                                   .over = l->pose,
                                   .weight = (float)fmax(weight, 0),
                                   .mask = l->from->mask,
                                   .additive = l->from->kind == LMB_BLEND_ADD,
                                   .model_space = b->opts->model_space,
                                   .scratch = scratch,
                                   .pose = pose});
}

// -------------------------------------------------------------------------------- one clip alone

/// Layers of one and the same clip need no synchronisation, which would shift its start.
static bool is_one_clip(blend_layer *layers, uint32_t count)
{
    for (uint32_t k = 1; k < count; ++k) {
        if (layers[k].from->clip != layers[0].from->clip) {
            return false;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        lmbi_stride_destroy(layers[k].stride);
        layers[k].stride = NULL;
    }
    return true;
}

/// Whether layers without masks sum to a full weight, so that no joint blends with the rest pose.
static bool weighs_all(const blend_layer *layers, const double *weights, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += layers[k].from->mask == NULL ? weights[k] : 0;
    }
    return sum >= 0.1; // as lmb_blend has it
}

/// The clip's own frames; further loops continue from the end of the one before. The
/// root motion stays in the pose: extracting and reapplying it would round.
static void play_alone(const lmbi_blend_bake *b, const blend_layer *l, double time_s,
                       lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    const double duration_s = (double)lmb_clip_duration_s(l->from->clip);
    // The clip's end is its last frame, not the first of another loop.
    const bool is_first = time_s <= duration_s + 1e-6;
    const double in =
        is_first ? fmin(time_s, duration_s) : lmb_time_in(time_s, duration_s, LMB_PLAY_LOOP);
    sample_clip(b, l, in, LMB_PLAY_CLAMP, pose, weights);
    if (l->track == NULL) {
        return;
    }
    const lmb_root_placement start = lmbi_root_track_at(l->track, 0);
    if (b->opts->in_place) {
        lmbi_pose_extract_root(skeleton, l->track->joint, lmbi_root_track_at(l->track, in), pose);
        lmb_pose_apply_root(skeleton, l->track->joint,
                            (lmb_root_placement){{0, 0, 0}, start.yaw_rad}, pose);
    } else if (!is_first) {
        const lmb_root_placement travel =
            lmb_root_track_between(l->track, 0, time_s, LMB_PLAY_LOOP);
        const lmb_root_placement now = lmb_root_placement_mul(start, travel);
        lmb_pose_apply_root(skeleton, l->track->joint,
                            lmb_root_placement_mul(
                                now, lmbi_root_placement_inverse(lmbi_root_track_at(l->track, in))),
                            pose);
    }
}

// ---------------------------------------------------------------------------------------- mixing

/// Start of the blend: the weighted mean of the clips' starts, headings unwrapped towards the first.
static lmb_root_placement first_place(const blend_layer *layers, const double *weights,
                                      uint32_t count)
{
    double all = 0;
    lmb_root_placement out = {{0, 0, 0}, 0}, first = out;
    for (uint32_t k = 0; k < count; ++k) {
        if (layers[k].track == NULL || !(weights[k] > 0)) {
            continue;
        }
        lmb_root_placement own = lmbi_root_track_at(layers[k].track, layers[k].time_s);
        first = all > 0 ? first : own;
        own.yaw_rad -= roundf((own.yaw_rad - first.yaw_rad) / (2 * LMB_PI)) * (2 * LMB_PI);
        all += weights[k];
        const float fraction = (float)(weights[k] / all);
        out.position = lmb_vec3_lerp(out.position, own.position, fraction);
        out.yaw_rad += (own.yaw_rad - out.yaw_rad) * fraction;
    }
    return out;
}

static void mix_poses(const lmbi_blend_bake *b, const blend_layer *layers, const double *weights,
                      uint32_t count, lmb_blend_layer *blend, lmb_transform *pose)
{
    for (uint32_t k = 0; k < count; ++k) {
        sample_layer(b, &layers[k], layers[k].time_s, layers[k].pose, layers[k].weights);
        blend[k] = (lmb_blend_layer){layers[k].pose, (float)weights[k], layers[k].from->mask};
    }
    lmb_blend(&(lmb_blend_job){.joint_count = b->character->skeleton->joint_count,
                               .layers = blend,
                               .layer_count = count,
                               .rest = b->character->skeleton->rest,
                               .out = pose});
}

/// Writes the root of one frame: the travelled placement, or with --in-place the first heading.
static void write_root(const lmbi_blend_bake *b, lmb_root_placement placement,
                       lmb_root_placement first, lmb_transform *pose)
{
    if (b->stance.root != LMB_NONE) {
        lmb_pose_apply_root(
            b->character->skeleton, (uint32_t)b->stance.root,
            b->opts->in_place ? (lmb_root_placement){{0, 0, 0}, first.yaw_rad} : placement, pose);
    }
}

/// One frame. *placement is the root so far, *first where it began.
static void mix_frame(lmbi_blend_bake *b, const mixer *m, uint32_t f, lmb_root_placement placement,
                      lmb_root_placement first)
{
    const uint32_t joints = b->character->skeleton->joint_count;
    const double now_s = f / b->rate_hz;
    lmb_transform *pose = b->poses + (size_t)f * joints;
    float *morphs = b->weights + (size_t)f * b->weight_count;
    const bool alone =
        m->is_one && m->count == m->mixed && weighs_all(m->layers, m->weights, m->mixed);
    b->is_as_recorded = alone && (f == 0 || b->is_as_recorded);
    if (alone) {
        play_alone(b, &m->layers[0], now_s, pose, morphs);
    } else {
        mix_poses(b, m->layers, m->weights, m->mixed, m->blend, pose);
        mix_weights(b, m->layers, m->weights, m->mixed, morphs);
    }
    b->contacts[f] = mix_contacts(b, m->layers, m->weights, m->mixed);
    for (uint32_t k = m->mixed; k < m->count; ++k) {
        lay_over(b, &m->layers[k], now_s, m->scratch, pose, morphs);
    }
    if (!alone) {
        write_root(b, placement, first, pose);
    }
}

static void mix(lmbi_blend_bake *b, mixer *m)
{
    double phase = 0;
    lmb_root_placement placement = {{0, 0, 0}, 0}, first = placement;
    for (uint32_t k = 0; k < m->mixed; ++k) {
        blend_layer *l = &m->layers[k];
        l->time_s = strides(l) ? lmbi_stride_time(l->stride, 0) : 0;
    }
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        for (uint32_t k = 0; k < m->mixed; ++k) {
            m->weights[k] = weight_at(m->layers[k].from, f / b->rate_hz);
        }
        first = f > 0 ? first : first_place(m->layers, m->weights, m->mixed);
        placement = f > 0
                        ? lmb_root_placement_mul(placement, advance(m->layers, m->mixed, m->weights,
                                                                    1 / b->rate_hz, &phase))
                        : first;
        mix_frame(b, m, f, placement, first);
    }
}

// ------------------------------------------------------------------------------- start and end

/// What the clip's kind of layer needs.
static lmb_result measure_clip(lmbi_blend_bake *b, blend_layer *l, lmb_error *error)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    const lmb_stance *s = &b->stance;
    const bool is_mixed = l->from->kind == LMB_BLEND_MIX;
    const lmb_root_opts root = {.joint = (uint32_t)s->root, .even = is_mixed};
    lmb_result result = LMB_OK;
    if (s->root != LMB_NONE) {
        result = lmb_root_track_create(l->from->clip, skeleton, &root, b->alloc, &l->track, error);
    }
    if (result == LMB_OK && is_mixed && !b->opts->no_sync && s->left_foot != LMB_NONE &&
        s->right_foot != LMB_NONE) {
        result = lmbi_stride_create(l->from->clip, skeleton, l->track, (uint32_t)s->left_foot,
                                    (uint32_t)s->right_foot, b->alloc, &l->stride, error);
    }
    for (uint32_t k = 0; k < s->leg_count && is_mixed && result == LMB_OK; ++k) {
        const lmb_foot_lock_leg *leg = &s->legs[k];
        result = lmbi_clip_contacts_create(l->from->clip, skeleton, leg->foot, leg->ball, true,
                                           b->alloc, &l->ball[k], error);
        if (result == LMB_OK) {
            result = lmbi_clip_contacts_create(l->from->clip, skeleton,
                                               leg->toes > 0 ? leg->toes : leg->foot, leg->tip,
                                               true, b->alloc, &l->tip[k], error);
        }
    }
    return result;
}

/// A weight of a mixture is relative; what lies over it may not exceed it.
static lmb_result check_clip(const lmb_blend_clip *c, uint32_t layer, lmb_error *error)
{
    const double low = c->kind == LMB_BLEND_ADD ? -1 : 0, high = c->kind == LMB_BLEND_MIX ? 1e6 : 1;
    for (uint32_t k = 0; k < c->key_count; ++k) {
        const lmb_blend_key *key = &c->keys[k];
        if (!(key->weight >= low && key->weight <= high)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a weight of the layer's kind",
                             "%g in layer %u, not from %g to %g", key->weight, (unsigned)layer, low,
                             high);
        }
        if (!isfinite(key->time_s) || (k > 0 && key->time_s < key[-1].time_s)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "times that rise", "%g s in layer %u",
                             key->time_s, (unsigned)layer);
        }
    }
    return LMB_OK;
}

static lmb_result start_layer(lmbi_blend_bake *b, const lmb_blend_clip *from, blend_layer *l,
                              lmb_error *error)
{
    const size_t joints = b->character->skeleton->joint_count, weights = b->weight_count;
    l->from = from;
    l->pose = lmbi_arena_array(&b->arena, 2 * joints, sizeof *l->pose);
    l->weights = lmbi_arena_array(&b->arena, 2 * weights, sizeof *l->weights);
    if (l->pose == NULL || l->weights == NULL) {
        return lmbi_fail_memory(error);
    }
    l->reference = l->pose + joints;
    l->reference_weights = l->weights + weights;
    return measure_clip(b, l, error);
}

/// Mixed layers first, then those over them, then those that are added, each in the order given.
static lmb_result start_layers(lmbi_blend_bake *b, mixer *m, lmb_error *error)
{
    const lmb_blend_bake_opts *opts = b->opts;
    lmb_result result = LMB_OK;
    m->layers = lmbi_arena_array(&b->arena, opts->layer_count, sizeof *m->layers);
    m->blend = lmbi_arena_array(&b->arena, opts->layer_count, sizeof *m->blend);
    m->weights = lmbi_arena_array(&b->arena, opts->layer_count, sizeof *m->weights);
    m->scratch = lmbi_arena_array(&b->arena, 3 * (size_t)b->character->skeleton->joint_count,
                                  sizeof *m->scratch);
    if (!(m->layers && m->blend && m->weights && m->scratch)) {
        return lmbi_fail_memory(error);
    }
    for (int kind = LMB_BLEND_MIX; kind <= LMB_BLEND_ADD; ++kind) {
        for (uint32_t k = 0; k < opts->layer_count && result == LMB_OK; ++k) {
            if ((int)opts->layers[k].kind == kind) {
                result = check_clip(&opts->layers[k], k, error);
                if (result == LMB_OK) {
                    result = start_layer(b, &opts->layers[k], &m->layers[m->count++], error);
                }
            }
        }
        m->mixed = kind == LMB_BLEND_MIX ? m->count : m->mixed;
    }
    if (result == LMB_OK && m->mixed == 0) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "a layer that is mixed", "none");
    }
    return result;
}

static void end_layer(blend_layer *l)
{
    lmb_root_track_destroy(l->track);
    lmbi_stride_destroy(l->stride);
    for (uint32_t k = 0; k < LMB_PLANT_FEET; ++k) {
        lmbi_clip_contacts_destroy(l->ball[k]);
        lmbi_clip_contacts_destroy(l->tip[k]);
    }
}

static double longest(const mixer *m)
{
    double seconds = 0;
    for (uint32_t k = 0; k < m->count; ++k) {
        const lmb_blend_clip *c = m->layers[k].from;
        seconds = fmax(seconds, (double)lmb_clip_duration_s(c->clip));
        seconds = c->key_count > 0 ? fmax(seconds, c->keys[c->key_count - 1].time_s) : seconds;
    }
    return seconds;
}

lmb_result lmbi_blend_layers_play(lmbi_blend_bake *b, lmb_error *error)
{
    mixer m = {0};
    lmb_result result = start_layers(b, &m, error);
    if (result == LMB_OK) {
        m.is_one = is_one_clip(m.layers, m.mixed);
        result = lmbi_blend_frames_create(b, b->opts->seconds > 0 ? b->opts->seconds : longest(&m),
                                          error);
    }
    if (result == LMB_OK) {
        mix(b, &m);
    }
    for (uint32_t k = 0; k < m.count; ++k) {
        end_layer(&m.layers[k]);
    }
    return result;
}
