/// Layers of clips, blended.
#include "cli/blend/layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double ramp_at(const blend_ramp *r, double time_s)
{
    int k = 0;
    while (k + 1 < r->count && r->times_s[k + 1] <= time_s) {
        ++k;
    }
    if (k + 1 == r->count || time_s <= r->times_s[0]) {
        return r->values[k];
    }
    const double s = (time_s - r->times_s[k]) / (r->times_s[k + 1] - r->times_s[k]);
    return r->values[k] + (r->values[k + 1] - r->values[k]) * s * s * (3 - 2 * s);
}

/// Samples the clip with its root motion.
static void sample_clip(const blend_stage *stage, const blend_layer *l, double time_s,
                        lmb_play_mode mode, lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = l->clip,
                                 .time_s = time_s,
                                 .mode = mode,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose,
                                 .weight_first = stage->weight_first,
                                 .rest_weights = stage->rest_weights,
                                 .weights = weights});
}

static void sample_layer(const blend_stage *stage, const blend_layer *l, double time_s,
                         lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    sample_clip(stage, l, time_s, LMB_PLAY_LOOP, pose, weights);
    if (l->track != NULL) {
        const double in = lmb_time_in(time_s, (double)l->track->duration_s, LMB_PLAY_LOOP);
        lmb_pose_extract_root(skeleton, l->track->joint, lmb_root_track_at(l->track, in), pose);
    }
}

static bool strides(const blend_layer *l)
{
    return l->stride != NULL && l->stride->mark_count > 0;
}

/// Advances all layers by dt_s; synchronised layers have one `phase`. Returns the root motion.
static lmb_root_placement advance(blend_layer *layers, int count, const double *weights,
                                  double dt_s, double *phase)
{
    double seconds = 0, striding = 0, sum = 0;
    lmb_root_placement moved = {{0, 0, 0}, 0};
    for (int k = 0; k < count; ++k) {
        sum += weights[k];
        if (strides(&layers[k])) {
            seconds += weights[k] * lmb_stride_interval(layers[k].stride, *phase);
            striding += weights[k];
        }
    }
    const double next = *phase + (seconds > 0 ? dt_s * striding / seconds : 0);
    for (int k = 0; k < count; ++k) {
        blend_layer *l = &layers[k];
        const double from = l->time_s;
        l->time_s = strides(l) ? lmb_stride_time(l->stride, next) : from + dt_s;
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
    return (float)weight * (l->mask != NULL ? l->mask[joint] : 1.0f);
}

/// Blends morph weights as lmb_blend blends poses: the remaining weight is the rest pose's.
static void mix_weights(const blend_stage *stage, const blend_layer *layers, const double *weights,
                        int count, float *out)
{
    for (uint32_t j = 0; j < stage->character->skeleton->joint_count; ++j) {
        for (uint32_t i = stage->weight_first[j]; i < stage->weight_first[j + 1]; ++i) {
            float sum = 0, all = 0;
            for (int k = 0; k < count; ++k) {
                const float fraction = weight_fraction(&layers[k], weights[k], j);
                sum += fraction * layers[k].weights[i];
                all += fraction;
            }
            out[i] = all > 0 ? sum / all : stage->rest_weights[i];
        }
    }
}

static void lay_weights_over(const blend_stage *stage, const blend_layer *l, float weight,
                             float *out)
{
    for (uint32_t j = 0; j < stage->character->skeleton->joint_count; ++j) {
        for (uint32_t i = stage->weight_first[j]; i < stage->weight_first[j + 1]; ++i) {
            const float from = l->kind == BLEND_ADD ? l->reference_weights[i] : out[i];
            out[i] += weight_fraction(l, (double)weight, j) * (l->weights[i] - from);
        }
    }
}

/// Foot contacts of the blended frame.
static blend_foot_contacts mix_stances(const blend_stage *stage, const blend_layer *layers,
                                       const double *weights, int count)
{
    double all = 0;
    blend_foot_contacts out = {0};
    for (int k = 0; k < count; ++k) {
        all += weights[k];
    }
    for (int k = 0; k < count && all > 0; ++k) {
        const double in = lmb_time_in(layers[k].time_s, (double)lmb_clip_duration_s(layers[k].clip),
                                      LMB_PLAY_LOOP);
        blend_steps_add(stage, &layers[k].steps, in, (float)(weights[k] / all), &out);
    }
    return out;
}

static void lay_over(const blend_stage *stage, const blend_options *opts, blend_layer *l,
                     double now_s, lmb_quat *scratch, lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    sample_layer(stage, l, now_s, l->pose, l->weights);
    if (l->kind == BLEND_ADD) {
        sample_layer(stage, l, 0, l->reference, l->reference_weights);
        if (opts->model_space) {
            lmb_pose_difference_model(skeleton, l->reference, l->pose, scratch, l->pose);
        } else {
            lmb_pose_difference(l->reference, l->pose, skeleton->joint_count, l->pose);
        }
    }
    const double weight = ramp_at(&l->weight, now_s);
    lay_weights_over(stage, l, (float)weight, weights);
    if (l->kind == BLEND_ADD && !opts->model_space) {
        const lmb_blend_layer base = {pose, 1, NULL}, add = {l->pose, (float)weight, l->mask};
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
                                   .mask = l->mask,
                                   .additive = l->kind == BLEND_ADD,
                                   .model_space = opts->model_space,
                                   .scratch = scratch,
                                   .pose = pose});
}

// -------------------------------------------------------------------------------- one clip alone

/// Layers of one and the same clip need no synchronisation, which would shift its start.
static bool is_one_clip(blend_layer *layers, int count)
{
    for (int k = 1; k < count; ++k) {
        if (layers[k].clip != layers[0].clip) {
            return false;
        }
    }
    for (int k = 0; k < count; ++k) {
        lmb_stride_destroy(layers[k].stride);
        layers[k].stride = NULL;
    }
    return true;
}

/// Whether layers without masks sum to a full weight, so that no joint blends with the rest pose.
static bool weighs_all(const blend_layer *layers, const double *weights, int count)
{
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        sum += layers[k].mask == NULL ? weights[k] : 0;
    }
    return sum >= 0.1; // as lmb_blend has it
}

/// The clip's own frames; further loops continue from the end of the one before. The
/// root motion stays in the pose: extracting and reapplying it would round.
static void play_alone(const blend_stage *stage, const blend_options *opts, const blend_layer *l,
                       double time_s, lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    const double duration_s = (double)lmb_clip_duration_s(l->clip);
    // The clip's end is its last frame, not the first of another loop.
    const bool is_first = time_s <= duration_s + 1e-6;
    const double in =
        is_first ? fmin(time_s, duration_s) : lmb_time_in(time_s, duration_s, LMB_PLAY_LOOP);
    sample_clip(stage, l, in, LMB_PLAY_CLAMP, pose, weights);
    if (l->track == NULL) {
        return;
    }
    const lmb_root_placement start = lmb_root_track_at(l->track, 0);
    if (opts->in_place) {
        lmb_pose_extract_root(skeleton, l->track->joint, lmb_root_track_at(l->track, in), pose);
        lmb_pose_apply_root(skeleton, l->track->joint,
                            (lmb_root_placement){{0, 0, 0}, start.yaw_rad}, pose);
    } else if (!is_first) {
        const lmb_root_placement travel =
            lmb_root_track_between(l->track, 0, time_s, LMB_PLAY_LOOP);
        const lmb_root_placement now = lmb_root_placement_mul(start, travel);
        lmb_pose_apply_root(skeleton, l->track->joint,
                            lmb_root_placement_mul(
                                now, lmb_root_placement_inverse(lmb_root_track_at(l->track, in))),
                            pose);
    }
}

// ---------------------------------------------------------------------------------------- mixing

/// Start of the blend: the weighted mean of the clips' starts, headings unwrapped towards the first.
static lmb_root_placement first_place(const blend_layer *layers, const double *weights, int count)
{
    double all = 0;
    lmb_root_placement out = {{0, 0, 0}, 0}, first = out;
    for (int k = 0; k < count; ++k) {
        if (layers[k].track == NULL || !(weights[k] > 0)) {
            continue;
        }
        lmb_root_placement own = lmb_root_track_at(layers[k].track, layers[k].time_s);
        first = all > 0 ? first : own;
        own.yaw_rad -= roundf((own.yaw_rad - first.yaw_rad) / (2 * LMB_PI)) * (2 * LMB_PI);
        all += weights[k];
        const float fraction = (float)(weights[k] / all);
        out.position = lmb_vec3_lerp(out.position, own.position, fraction);
        out.yaw_rad += (own.yaw_rad - out.yaw_rad) * fraction;
    }
    return out;
}

static void mix_poses(const blend_stage *stage, const blend_layer *layers, const double *weights,
                      int count, lmb_blend_layer *blend, lmb_transform *pose)
{
    for (int k = 0; k < count; ++k) {
        sample_layer(stage, &layers[k], layers[k].time_s, layers[k].pose, layers[k].weights);
        blend[k] = (lmb_blend_layer){layers[k].pose, (float)weights[k], layers[k].mask};
    }
    lmb_blend(&(lmb_blend_job){.joint_count = stage->character->skeleton->joint_count,
                               .layers = blend,
                               .layer_count = (uint32_t)count,
                               .rest = stage->character->skeleton->rest,
                               .out = pose});
}

/// Writes the root of one frame: the travelled placement, or with --in-place the first heading.
static void write_root(const blend_stage *stage, const blend_options *opts,
                       lmb_root_placement place, lmb_root_placement first, lmb_transform *pose)
{
    if (stage->root != LMB_NONE) {
        lmb_pose_apply_root(stage->character->skeleton, (uint32_t)stage->root,
                            opts->in_place ? (lmb_root_placement){{0, 0, 0}, first.yaw_rad} : place,
                            pose);
    }
}

static void mix(const blend_stage *stage, const blend_options *opts, blend_layer *layers, int mixed,
                int count, blend_frames *out)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_quat *scratch = cli_resize(NULL, 3 * (size_t)skeleton->joint_count, sizeof(*scratch));
    lmb_blend_layer *blend = cli_resize(NULL, (size_t)mixed, sizeof(*blend));
    double *weights = cli_resize(NULL, (size_t)mixed, sizeof(*weights)), phase = 0;
    const bool is_one = is_one_clip(layers, mixed);
    lmb_root_placement place = {{0, 0, 0}, 0}, first = place;
    for (int k = 0; k < mixed; ++k) {
        layers[k].time_s = strides(&layers[k]) ? lmb_stride_time(layers[k].stride, 0) : 0;
    }
    for (uint32_t f = 0; f < out->count; ++f) {
        const double now_s = f / opts->rate;
        lmb_transform *pose = out->poses + (size_t)f * skeleton->joint_count;
        float *morphs = out->weights + (size_t)f * stage->weight_count;
        for (int k = 0; k < mixed; ++k) {
            weights[k] = ramp_at(&layers[k].weight, now_s);
        }
        first = f > 0 ? first : first_place(layers, weights, mixed);
        place = f > 0 ? lmb_root_placement_mul(
                            place, advance(layers, mixed, weights, 1 / opts->rate, &phase))
                      : first;
        const bool alone = is_one && count == mixed && weighs_all(layers, weights, mixed);
        out->as_recorded = alone && (f == 0 || out->as_recorded);
        if (alone) {
            play_alone(stage, opts, &layers[0], now_s, pose, morphs);
        } else {
            mix_poses(stage, layers, weights, mixed, blend, pose);
            mix_weights(stage, layers, weights, mixed, morphs);
        }
        out->stances[f] = mix_stances(stage, layers, weights, mixed);
        for (int k = mixed; k < count; ++k) {
            lay_over(stage, opts, &layers[k], now_s, scratch, pose, morphs);
        }
        if (!alone) {
            write_root(stage, opts, place, first, pose);
        }
    }
    free(weights);
    free(blend);
    free(scratch);
}

static double longest(const blend_layer *layers, int count)
{
    double seconds = 0;
    for (int k = 0; k < count; ++k) {
        seconds = fmax(seconds, (double)lmb_clip_duration_s(layers[k].clip));
        seconds = fmax(seconds, layers[k].weight.times_s[layers[k].weight.count - 1]);
    }
    return seconds;
}

cli_exit blend_layers_run(blend_stage *stage, const blend_options *opts, blend_frames *out)
{
    const cli_list *lists[] = {&opts->layers, &opts->over, &opts->add};
    const int total = opts->layers.count + opts->over.count + opts->add.count;
    blend_layer *layers = cli_resize(NULL, (size_t)total, sizeof(*layers));
    int count = 0;
    cli_exit code = CLI_DONE;
    for (int kind = BLEND_MIX; kind <= BLEND_ADD; ++kind) {
        for (int k = 0; k < lists[kind]->count && code == CLI_DONE; ++k) {
            code = blend_layer_read(stage, opts, (blend_kind)kind, lists[kind]->items[k],
                                    &layers[count++]);
        }
    }
    if (code == CLI_DONE) {
        const double seconds = opts->seconds > 0 ? opts->seconds : longest(layers, count);
        blend_frames_start(stage, opts, seconds, out);
        mix(stage, opts, layers, opts->layers.count, count, out);
    }
    for (int k = 0; k < count; ++k) {
        blend_layer_end(&layers[k]);
    }
    free(layers);
    return code;
}
