// Animations become clips whose ticks are seconds.
#include <math.h>
#include <string.h>

#include "io/gltf/gltf.h"

typedef struct channel_source {
    const lmbi_json *json, *sampler;
    const lmbi_gltf_accessor *input, *output;
    uint32_t node;
} channel_source;

typedef struct clip_plan {
    const lmbi_json *json;
    lmbi_gltf_table samplers;
    uint8_t *seen; ///< [nodes.count] bits of the paths that are animated already
    lmb_clip clip;
} clip_plan;

// ----------------------------------------------------------------------------------------- targets

/// *kept is false for a channel to drop: without a node or known path, or a duplicate.
static bool read_target(lmbi_gltf *g, clip_plan *plan, channel_source *source, lmb_channel *channel,
                        bool *kept)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const lmbi_json *target = NULL, *path = NULL;
    int32_t node = 0;
    *kept = false;
    if (!lmbi_gltf_member(g, source->json, "target", LMBI_JSON_OBJECT, &target)) {
        return false;
    }
    if (target == NULL) {
        return lmbi_gltf_fail(g, source->json, "a target", "none");
    }
    if (!lmbi_gltf_index(g, target, "node", g->nodes.count, &node) ||
        !lmbi_gltf_member(g, target, "path", LMBI_JSON_STRING, &path)) {
        return false;
    }
    if (path == NULL) {
        return lmbi_gltf_fail(g, target, "a path", "none");
    }
    uint32_t which = 0;
    while (which < 4 && !lmbi_json_string_is(path, paths[which])) {
        ++which;
    }
    if (node == LMB_NONE || which == 4) {
        lmbi_gltf_note(g, target, "a channel without a node or path was dropped");
        return true;
    }
    if (plan->seen[node] & 1u << which) {
        lmbi_gltf_note(g, target, "a second channel of the same path was dropped");
        return true;
    }
    plan->seen[node] = (uint8_t)(plan->seen[node] | 1u << which);
    source->node = (uint32_t)node;
    channel->joint = g->joint_of_node[node];
    channel->path = (lmb_path)which;
    *kept = true;
    return true;
}

/// Sets the floats per value; *kept becomes false for morph weights of a node without morph targets.
static bool read_width(lmbi_gltf *g, const channel_source *source, lmb_channel *channel, bool *kept)
{
    channel->width = channel->path == LMB_PATH_ROTATION ? 4 : 3;
    if (channel->path != LMB_PATH_WEIGHTS) {
        return true;
    }
    int32_t mesh = 0;
    if (!lmbi_gltf_index(g, g->nodes.items[source->node], "mesh", g->meshes.count, &mesh)) {
        return false;
    }
    channel->width = mesh == LMB_NONE ? 0 : g->def.meshes[mesh]->target_count;
    if (channel->width == 0) {
        lmbi_gltf_note(g, source->json, "morph weights without targets were dropped");
        *kept = false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------- samplers

static bool read_sampler(lmbi_gltf *g, const clip_plan *plan, channel_source *source,
                         lmb_channel *channel)
{
    static const char *const interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const lmbi_json *interpolation = NULL;
    uint32_t index = 0, input = 0, output = 0;
    if (!lmbi_gltf_required_index(g, source->json, "sampler", plan->samplers.count, &index)) {
        return false;
    }
    source->sampler = plan->samplers.items[index];
    if (!lmbi_gltf_required_index(g, source->sampler, "input", g->accessors.count, &input) ||
        !lmbi_gltf_required_index(g, source->sampler, "output", g->accessors.count, &output) ||
        !lmbi_gltf_member(g, source->sampler, "interpolation", LMBI_JSON_STRING, &interpolation)) {
        return false;
    }
    uint32_t which = 0;
    while (interpolation && which < 3 &&
           !lmbi_json_string_is(interpolation, interpolations[which])) {
        ++which;
    }
    if (which == 3) {
        return lmbi_gltf_fail(g, interpolation, "LINEAR, STEP or CUBICSPLINE", NULL);
    }
    channel->interpolation = (lmb_interpolation)which;
    source->input = &g->accessor_items[input];
    source->output = &g->accessor_items[output];
    if (source->input->components != 1 || source->input->component_type != LMBI_GLTF_F32) {
        return lmbi_gltf_fail_accessor(g, source->sampler, "float scalars as key times",
                                       source->input);
    }
    return true;
}

static bool check_output(lmbi_gltf *g, const channel_source *source, const lmb_channel *channel)
{
    const uint32_t components = channel->path == LMB_PATH_WEIGHTS ? 1 : channel->width;
    const uint64_t per_key =
        (channel->interpolation == LMB_CUBIC ? 3u : 1u) * (uint64_t)(channel->width / components);
    if (source->output->components != components || source->output->is_matrix ||
        source->output->component_type == LMBI_GLTF_U32) {
        return lmbi_gltf_fail_accessor(g, source->sampler, "values of the path's type",
                                       source->output);
    }
    if (source->output->count != per_key * source->input->count) {
        return lmbi_gltf_fail_found(g, source->sampler, "a value for every key time",
                                    "%u for %u keys", source->output->count, source->input->count);
    }
    return true;
}

// -------------------------------------------------------------------------------------------- keys

/// A copy for corrections: the values may be the file's own bytes.
static float *copy_floats(lmbi_gltf *g, const float *values, size_t count)
{
    float *copy = lmbi_gltf_array(g, count, sizeof *copy);
    if (copy) {
        memcpy(copy, values, count * sizeof *copy);
    }
    return copy;
}

static bool times_rise(const float *times, uint32_t count)
{
    bool rise = times[0] >= 0;
    for (uint32_t k = 1; k < count; ++k) {
        rise = rise && times[k] > times[k - 1];
    }
    return rise;
}

/// Times must rise strictly. A key that repeats its predecessor's time, or precedes it by rounding
/// (10 µs), moves to the next larger float.
static bool fix_times(lmbi_gltf *g, const channel_source *source, float *times, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (times[k] < 0) {
            return lmbi_gltf_fail_found(g, source->input->json, "key times of at least 0",
                                        "%g at key %u", (double)times[k], k);
        }
        if (k > 0 && times[k] <= times[k - 1]) {
            if (times[k - 1] - times[k] > 1e-5f) {
                return lmbi_gltf_fail_found(g, source->input->json, "key times that rise",
                                            "%g after %g at key %u", (double)times[k],
                                            (double)times[k - 1], k);
            }
            times[k] = nextafterf(times[k - 1], INFINITY);
            lmbi_gltf_note(g, source->input->json, "a repeated key time was moved on");
        }
    }
    return true;
}

/// *finite becomes false when a time is NaN or infinite.
static bool read_times(lmbi_gltf *g, const channel_source *source, lmb_channel *channel,
                       bool *finite)
{
    const float *times = lmbi_gltf_view_floats(g, source->input, finite);
    if (times == NULL || !*finite) {
        return times != NULL;
    }
    lmbi_gltf_doubt_bounds(g, source->input, times, "key times without bounds",
                           "key times with other bounds");
    channel->key_count = source->input->count;
    channel->ticks = (float *)(uintptr_t)times; // only read until the clip copies them
    if (!times_rise(times, channel->key_count)) {
        channel->ticks = copy_floats(g, times, channel->key_count);
        return channel->ticks && fix_times(g, source, channel->ticks, channel->key_count);
    }
    return true;
}

static float length2_of(const float *v)
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
}

/// Index of a key's rotation in the values: a cubic key has tangents on both sides.
static size_t key_at(const lmb_channel *channel, uint32_t key)
{
    return 4 * (size_t)(channel->interpolation == LMB_CUBIC ? 3 * key + 1 : key);
}

static bool are_unit(const lmb_channel *channel, const float *values)
{
    bool unit = true;
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        unit = unit && fabsf(length2_of(values + key_at(channel, k)) - 1.0f) <= 1e-3f;
    }
    return unit;
}

/// Normalises keys that are far from unit length; a zero quaternion becomes the key before it.
static void fix_rotations(const lmb_channel *channel, float *values)
{
    lmb_quat before = lmb_quat_identity();
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        float *v = values + key_at(channel, k);
        const float length2 = length2_of(v);
        if (!(fabsf(length2 - 1.0f) <= 1e-3f)) {
            const lmb_quat q = lmb_quat_make(v[0], v[1], v[2], v[3]);
            const lmb_quat unit = length2 > 1e-12f ? lmb_quat_normalize(q) : before;
            memcpy(v, &unit, sizeof unit);
        }
        memcpy(&before, v, sizeof before);
    }
}

/// *finite becomes false when a time or value is NaN or infinite: the channel is dropped then and
/// the rest of the clip kept.
static bool read_keys(lmbi_gltf *g, const channel_source *source, lmb_channel *channel,
                      bool *finite)
{
    const uint32_t count = source->input->count;
    const size_t value_count = (size_t)source->output->count * source->output->components;
    if (!lmbi_gltf_spend(g, source->sampler, count, sizeof(float)) ||
        !lmbi_gltf_spend(g, source->sampler, value_count, sizeof(float)) ||
        !read_times(g, source, channel, finite)) {
        return false;
    }
    bool values_finite = true;
    const float *values = lmbi_gltf_view_floats(g, source->output, &values_finite);
    *finite = *finite && values_finite;
    if (values == NULL || !*finite) {
        return values != NULL;
    }
    if (channel->interpolation == LMB_CUBIC && count == 1) {
        channel->interpolation = LMB_STEP; // one key has nothing to interpolate
        values += channel->width;
    }
    channel->values = (float *)(uintptr_t)values; // only read, like the times
    if (channel->path == LMB_PATH_ROTATION && !are_unit(channel, values)) {
        const size_t keys = channel->interpolation == LMB_CUBIC ? 3 * (size_t)count : count;
        channel->values = copy_floats(g, values, 4 * keys);
        if (channel->values == NULL) {
            return false;
        }
        fix_rotations(channel, channel->values);
    }
    return true;
}

static bool read_channel(lmbi_gltf *g, clip_plan *plan, const lmbi_json *json)
{
    channel_source source = {.json = json};
    lmb_channel *channel = &plan->clip.channels[plan->clip.channel_count];
    bool kept = false;
    if (json->type != LMBI_JSON_OBJECT) {
        return lmbi_gltf_fail(g, json, "an object", NULL);
    }
    if (!read_sampler(g, plan, &source, channel) ||
        !read_target(g, plan, &source, channel, &kept) ||
        (kept && !read_width(g, &source, channel, &kept))) {
        return false;
    }
    if (!kept) {
        return true;
    }
    bool finite = true;
    if (!check_output(g, &source, channel) || !read_keys(g, &source, channel, &finite)) {
        return false;
    }
    if (!finite) {
        lmbi_gltf_note(g, json, "a channel with numbers that are not finite was dropped");
        return true;
    }
    plan->clip.duration = fmaxf(plan->clip.duration, channel->ticks[channel->key_count - 1]);
    ++plan->clip.channel_count;
    return true;
}

static bool read_clip(lmbi_gltf *g, const lmbi_json *json, lmb_clip **out)
{
    static const char *const known[] = {"name", "channels", "samplers", NULL};
    clip_plan plan = {.json = json};
    const lmbi_json *channels = NULL;
    if (!lmbi_gltf_member(g, json, "channels", LMBI_JSON_ARRAY, &channels) ||
        !lmbi_gltf_table_read(g, json, "samplers", LMBI_JSON_OBJECT, &plan.samplers) ||
        !lmbi_gltf_string(g, json, "name", &plan.clip.name) ||
        !lmbi_gltf_carry(g, json, known, &plan.clip.carried)) {
        return false;
    }
    const uint32_t count = channels ? channels->count : 0;
    plan.clip.ticks_per_s = 1;
    plan.clip.channels = lmbi_gltf_array(g, count, sizeof *plan.clip.channels);
    plan.seen = lmbi_gltf_array(g, g->nodes.count, 1);
    if (plan.clip.channels == NULL || plan.seen == NULL) {
        return false;
    }
    for (const lmbi_json *item = channels ? channels->child : NULL; item; item = item->next) {
        if (!read_channel(g, &plan, item)) {
            return false;
        }
    }
    g->result = lmb_clip_create(&plan.clip, g->alloc, out, g->error);
    return g->result == LMB_OK;
}

bool lmbi_gltf_clips_read(lmbi_gltf *g)
{
    if (!lmbi_gltf_table_read(g, g->root, "animations", LMBI_JSON_OBJECT, &g->animations)) {
        return false;
    }
    // Each clip has a flag a node: clips times nodes is quadratic in the file's size.
    if (!lmbi_gltf_spend(g, g->root, g->animations.count, g->nodes.count)) {
        return false;
    }
    g->def.clips = lmbi_gltf_array(g, g->animations.count, sizeof *g->def.clips);
    for (uint32_t k = 0; g->def.clips && k < g->animations.count; ++k) {
        if (!read_clip(g, g->animations.items[k], &g->def.clips[k])) {
            return false;
        }
        ++g->def.clip_count;
    }
    return g->def.clips != NULL;
}
