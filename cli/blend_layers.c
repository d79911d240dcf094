#include "blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RAMP = 16 };

/// A weight over time: smooth from each place to the next, constant before and after.
typedef struct ramp {
    int count;
    double times_s[RAMP], values[RAMP];
} ramp;

typedef enum layer_kind { LAYER_MIX = 0, LAYER_OVER, LAYER_ADD } layer_kind;

typedef struct layer {
    layer_kind kind;
    const lmb_clip *clip;
    ramp weight;
    float *mask; ///< NULL: every joint
    lmb_root_track *track;
    lmb_stride *stride;
    blend_steps steps; ///< of layers that are mixed
    double time_s;     ///< unfolded
    lmb_transform *pose, *reference;
    float *weights, *reference_weights; ///< morph weights of those
} layer;

// ---------------------------------------------------------------------------------------- reading

static bool read_ramp(const char *text, ramp *out)
{
    out->count = 0;
    for (char *end = NULL; out->count < RAMP; text = end + 1) {
        const int k = out->count++;
        out->values[k] = strtod(text, &end);
        out->times_s[k] = 0;
        bool good = end != text && isfinite(out->values[k]);
        if (good && *end == '@') {
            text = end + 1;
            out->times_s[k] = strtod(text, &end);
            good = end != text && out->times_s[k] >= (k > 0 ? out->times_s[k - 1] : 0);
        }
        if (!good || (*end != 0 && *end != ',')) {
            return false;
        }
        if (*end == 0) {
            return true;
        }
    }
    return false;
}

static double ramp_at(const ramp *r, double time_s)
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

/// A joint by its name, or by the part of a humanoid that it is.
static int32_t find_joint(const lmb_skeleton *skeleton, const char *name)
{
    const int32_t joint = lmb_skeleton_find(skeleton, name);
    lmb_joint_map map;
    const lmb_slot slot = lmb_slot_find(name);
    if (joint == LMB_NONE && slot < LMB_SLOT_COUNT &&
        lmb_joint_map_make(skeleton, NULL, &map, NULL) == LMB_OK) {
        return map.slots[slot].joint;
    }
    return joint;
}

static cli_exit read_mask(const blend_stage *stage, const blend_options *opts, const char *text,
                          layer *out)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    const int32_t joint = find_joint(skeleton, text);
    if (joint == LMB_NONE) {
        return cli_fail(stage->cli, CLI_USAGE,
                        "%s: no joint of that name to mask by, and no part of a humanoid", text);
    }
    out->mask = cli_resize(NULL, skeleton->joint_count, sizeof(float));
    memset(out->mask, 0, skeleton->joint_count * sizeof(float));
    lmb_mask_branch(skeleton, (uint32_t)joint, 1, (uint32_t)opts->feather, out->mask);
    return CLI_DONE;
}

static bool is_clip(blend_stage *stage, const char *text)
{
    for (uint32_t i = 0; i < stage->character->clip_count; ++i) {
        const char *name = stage->character->clips[i]->name;
        if (name != NULL && strcmp(name, text) == 0) {
            return true;
        }
    }
    return false;
}

/// Takes ":WEIGHT:MASK" off the end. Clips may have colons in their names, so the whole text comes
/// first.
static cli_exit split(blend_stage *stage, const blend_options *opts, char *text, layer *out)
{
    out->weight = (ramp){.count = 1, .values = {1}};
    char *last = is_clip(stage, text) ? NULL : strrchr(text, ':');
    if (last == NULL || read_ramp(last + 1, &out->weight)) {
        if (last != NULL) {
            *last = 0;
        }
        return CLI_DONE;
    }
    *last = 0;
    char *first = strrchr(text, ':');
    if (first == NULL || !read_ramp(first + 1, &out->weight)) {
        return cli_fail(
            stage->cli, CLI_USAGE,
            "%s: expected CLIP, CLIP:WEIGHT or CLIP:WEIGHT:MASK, WEIGHT a number or W@S,W@S,…",
            last + 1);
    }
    *first = 0;
    return read_mask(stage, opts, last + 1, out);
}

static cli_exit prepare(blend_stage *stage, const blend_options *opts, layer *l)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    const lmb_root_opts root = {.joint = (uint32_t)stage->root, .even = l->kind == LAYER_MIX};
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    l->pose = cli_resize(NULL, 2 * (size_t)skeleton->joint_count, sizeof(*l->pose));
    l->reference = l->pose + skeleton->joint_count;
    l->weights = cli_resize(NULL, 2 * (size_t)stage->weight_count + 1, sizeof(*l->weights));
    l->reference_weights = l->weights + stage->weight_count;
    if (stage->root != LMB_NONE) {
        result = lmb_root_track_create(l->clip, skeleton, &root, NULL, &l->track, &error);
    }
    if (result == LMB_OK && l->kind == LAYER_MIX && !opts->no_sync &&
        stage->left_foot != LMB_NONE && stage->right_foot != LMB_NONE) {
        result = lmb_stride_create(l->clip, skeleton, l->track, (uint32_t)stage->left_foot,
                                   (uint32_t)stage->right_foot, NULL, &l->stride, &error);
    }
    if (result == LMB_OK && l->kind == LAYER_MIX) {
        result = blend_steps_learn(stage, l->clip, &l->steps, &error);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(stage->cli, "the clip", result, &error);
}

static cli_exit read_layer(blend_stage *stage, const blend_options *opts, layer_kind kind,
                           const char *text, layer *out)
{
    char *copy = cli_resize(NULL, strlen(text) + 1, 1);
    strcpy(copy, text);
    *out = (layer){.kind = kind};
    cli_exit code = split(stage, opts, copy, out);
    if (code == CLI_DONE) {
        code = blend_stage_clip(stage, copy, &out->clip);
    }
    free(copy);
    for (int k = 0; k < out->weight.count && code == CLI_DONE; ++k) {
        const double low = kind == LAYER_ADD ? -1 : 0, high = kind == LAYER_MIX ? 1e6 : 1;
        if (!(out->weight.values[k] >= low && out->weight.values[k] <= high)) {
            code =
                cli_fail(stage->cli, CLI_USAGE, "%s: a weight from %g to %g belongs here, not %g",
                         text, low, high, out->weight.values[k]);
        }
    }
    return code == CLI_DONE ? prepare(stage, opts, out) : code;
}

// ---------------------------------------------------------------------------------------- playing

static void sample(const blend_stage *stage, const layer *l, double time_s, lmb_transform *pose,
                   float *weights)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = l->clip,
                                 .time_s = time_s,
                                 .mode = LMB_PLAY_LOOP,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose,
                                 .weight_first = stage->weight_first,
                                 .rest_weights = stage->rest_weights,
                                 .weights = weights});
    if (l->track != NULL) {
        const double in = lmb_time_in(time_s, (double)l->track->duration_s, LMB_PLAY_LOOP);
        lmb_pose_take_root(skeleton, l->track->joint, lmb_root_track_at(l->track, in), pose);
    }
}

static bool strides(const layer *l)
{
    return l->stride != NULL && l->stride->mark_count > 0;
}

/// Goes on by dt_s; layers that stride share `phase`. Returns what the root went by.
static lmb_place advance(layer *layers, int count, const double *weights, double dt_s,
                         double *phase)
{
    double seconds = 0, striding = 0, sum = 0;
    lmb_place moved = {{0, 0, 0}, 0};
    for (int k = 0; k < count; ++k) {
        sum += weights[k];
        if (strides(&layers[k])) {
            seconds += weights[k] * lmb_stride_interval(layers[k].stride, *phase);
            striding += weights[k];
        }
    }
    const double next = *phase + (seconds > 0 ? dt_s * striding / seconds : 0);
    for (int k = 0; k < count; ++k) {
        layer *l = &layers[k];
        const double from = l->time_s;
        l->time_s = strides(l) ? lmb_stride_time(l->stride, next) : from + dt_s;
        if (l->track != NULL && sum > 0) {
            const lmb_place part = lmb_root_track_between(l->track, from, l->time_s, LMB_PLAY_LOOP);
            moved.position = lmb_vec3_mad(moved.position, part.position, (float)(weights[k] / sum));
            moved.yaw_rad += part.yaw_rad * (float)(weights[k] / sum);
        }
    }
    *phase = next;
    return moved;
}

/// The share that a layer has of a joint's morph weights.
static float share_of(const layer *l, double weight, uint32_t joint)
{
    return (float)weight * (l->mask != NULL ? l->mask[joint] : 1.0f);
}

/// Morph weights are mixed as poses are: what nothing weighs stays at rest.
static void mix_weights(const blend_stage *stage, const layer *layers, const double *weights,
                        int count, float *out)
{
    for (uint32_t j = 0; j < stage->character->skeleton->joint_count; ++j) {
        for (uint32_t i = stage->weight_first[j]; i < stage->weight_first[j + 1]; ++i) {
            float sum = 0, all = 0;
            for (int k = 0; k < count; ++k) {
                const float share = share_of(&layers[k], weights[k], j);
                sum += share * layers[k].weights[i];
                all += share;
            }
            out[i] = all > 0 ? sum / all : stage->rest_weights[i];
        }
    }
}

static void lay_weights_over(const blend_stage *stage, const layer *l, float weight, float *out)
{
    for (uint32_t j = 0; j < stage->character->skeleton->joint_count; ++j) {
        for (uint32_t i = stage->weight_first[j]; i < stage->weight_first[j + 1]; ++i) {
            const float from = l->kind == LAYER_ADD ? l->reference_weights[i] : out[i];
            out[i] += share_of(l, (double)weight, j) * (l->weights[i] - from);
        }
    }
}

/// How the mixture stands on its feet.
static blend_stance mix_stances(const blend_stage *stage, const layer *layers,
                                const double *weights, int count)
{
    double all = 0;
    blend_stance out = {0};
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

static void lay_over(const blend_stage *stage, const blend_options *opts, layer *l, double now_s,
                     lmb_quat *scratch, lmb_transform *pose, float *weights)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    sample(stage, l, now_s, l->pose, l->weights);
    if (l->kind == LAYER_ADD) {
        sample(stage, l, 0, l->reference, l->reference_weights);
        if (opts->model_space) {
            lmb_pose_difference_model(skeleton, l->reference, l->pose, scratch, l->pose);
        } else {
            lmb_pose_difference(l->reference, l->pose, skeleton->joint_count, l->pose);
        }
    }
    const double weight = ramp_at(&l->weight, now_s);
    lay_weights_over(stage, l, (float)weight, weights);
    if (l->kind == LAYER_ADD && !opts->model_space) {
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
                                   .additive = l->kind == LAYER_ADD,
                                   .model_space = opts->model_space,
                                   .scratch = scratch,
                                   .pose = pose});
}

static void mix(const blend_stage *stage, const blend_options *opts, layer *layers, int mixed,
                int count, blend_frames *out)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_quat *scratch = cli_resize(NULL, 3 * (size_t)skeleton->joint_count, sizeof(*scratch));
    lmb_blend_layer *blend = cli_resize(NULL, (size_t)mixed, sizeof(*blend));
    double *weights = cli_resize(NULL, (size_t)mixed, sizeof(*weights)), phase = 0;
    lmb_place place = {{0, 0, 0}, 0};
    for (int k = 0; k < mixed; ++k) {
        layers[k].time_s = strides(&layers[k]) ? lmb_stride_time(layers[k].stride, 0) : 0;
    }
    for (uint32_t f = 0; f < out->count; ++f) {
        lmb_transform *pose = out->poses + (size_t)f * skeleton->joint_count;
        for (int k = 0; k < mixed; ++k) {
            weights[k] = ramp_at(&layers[k].weight, f / opts->rate);
        }
        place = lmb_place_mul(place,
                              advance(layers, mixed, weights, f > 0 ? 1 / opts->rate : 0, &phase));
        float *morphs = out->weights + (size_t)f * stage->weight_count;
        for (int k = 0; k < mixed; ++k) {
            sample(stage, &layers[k], layers[k].time_s, layers[k].pose, layers[k].weights);
            blend[k] = (lmb_blend_layer){layers[k].pose, (float)weights[k], layers[k].mask};
        }
        lmb_blend(&(lmb_blend_job){.joint_count = skeleton->joint_count,
                                   .layers = blend,
                                   .layer_count = (uint32_t)mixed,
                                   .rest = skeleton->rest,
                                   .out = pose});
        mix_weights(stage, layers, weights, mixed, morphs);
        out->stances[f] = mix_stances(stage, layers, weights, mixed);
        for (int k = mixed; k < count; ++k) {
            lay_over(stage, opts, &layers[k], f / opts->rate, scratch, pose, morphs);
        }
        if (stage->root != LMB_NONE && !opts->in_place) {
            lmb_pose_put_root(skeleton, (uint32_t)stage->root, place, pose);
        }
    }
    free(weights);
    free(blend);
    free(scratch);
}

static double longest(const layer *layers, int count)
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
    layer *layers = cli_resize(NULL, (size_t)total, sizeof(*layers));
    int count = 0;
    cli_exit code = CLI_DONE;
    for (int kind = LAYER_MIX; kind <= LAYER_ADD; ++kind) {
        for (int k = 0; k < lists[kind]->count && code == CLI_DONE; ++k) {
            code =
                read_layer(stage, opts, (layer_kind)kind, lists[kind]->items[k], &layers[count++]);
        }
    }
    if (code == CLI_DONE) {
        const double seconds = opts->seconds > 0 ? opts->seconds : longest(layers, count);
        blend_frames_start(stage, opts, seconds, out);
        mix(stage, opts, layers, opts->layers.count, count, out);
    }
    for (int k = 0; k < count; ++k) {
        free(layers[k].mask);
        free(layers[k].pose);
        free(layers[k].weights);
        blend_steps_end(&layers[k].steps);
        lmb_root_track_destroy(layers[k].track);
        lmb_stride_destroy(layers[k].stride);
    }
    free(layers);
    return code;
}
