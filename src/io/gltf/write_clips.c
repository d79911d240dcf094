// Clips become animations. Channels with the same key times share one accessor for them.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "io/gltf/write.h"

/// Key times written so far.
typedef struct lmbi_gltf_times {
    const float *seconds; ///< in the arena
    uint32_t count, accessor;
    struct lmbi_gltf_times *next; ///< same bucket
} lmbi_gltf_times;

enum { TIME_BUCKETS = 1024 };

// ------------------------------------------------------------------------------------------- times

/// Seconds that rise strictly: a key whose time rounds to its predecessor's moves to the next float.
static void seconds_of(const lmb_clip *clip, const lmb_channel *channel, float *out)
{
    const float rate = clip->ticks_per_s > 0 ? clip->ticks_per_s : 1.0f;
    const float start = channel->ticks[0] < 0 ? channel->ticks[0] : 0; // glTF's times begin at 0
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        out[k] = (channel->ticks[k] - start) / rate;
        if (k > 0 && out[k] <= out[k - 1]) {
            out[k] = nextafterf(out[k - 1], INFINITY);
        }
    }
}

static bool write_times(lmbi_gltf_out *o, const lmb_clip *clip, const lmb_channel *channel,
                        uint32_t *accessor)
{
    const uint32_t count = channel->key_count;
    float *seconds = lmbi_gltf_out_array(o, count, sizeof *seconds);
    if (seconds == NULL) {
        return false;
    }
    seconds_of(clip, channel, seconds);
    lmbi_gltf_times **bucket =
        &o->times[lmbi_hash(LMBI_HASH_SEED, seconds, count * sizeof *seconds) % TIME_BUCKETS];
    for (const lmbi_gltf_times *at = *bucket; at; at = at->next) {
        if (at->count == count && memcmp(at->seconds, seconds, count * sizeof *seconds) == 0) {
            *accessor = at->accessor;
            return true;
        }
    }
    lmbi_gltf_accessor_def def = {
        .component_type = LMBI_GLTF_F32, .count = count, .type = "SCALAR"};
    const size_t begin = lmbi_gltf_out_begin(o);
    lmbi_gltf_out_floats(o, seconds, count);
    def.view = (int32_t)lmbi_gltf_out_view(o, begin, 0, 0);
    def.bound_count = 1;
    def.low[0] = seconds[0];
    def.high[0] = seconds[count - 1];
    *accessor = lmbi_gltf_out_accessor(o, &def);
    lmbi_gltf_times *item = lmbi_gltf_out_array(o, 1, sizeof *item);
    if (item == NULL) {
        return false;
    }
    *item = (lmbi_gltf_times){seconds, count, *accessor, *bucket};
    *bucket = item;
    return true;
}

// ------------------------------------------------------------------------------------------ values

/// Limber's cubic tangents are per tick, glTF's per second.
static void write_cubic(lmbi_gltf_out *o, const lmb_clip *clip, const lmb_channel *channel)
{
    const float rate = clip->ticks_per_s > 0 ? clip->ticks_per_s : 1.0f;
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        for (uint32_t part = 0; part < 3; ++part) {
            const float *values = channel->values + ((size_t)3 * k + part) * channel->width;
            for (uint32_t i = 0; i < channel->width; ++i) {
                const float value = part == 1 ? values[i] : values[i] * rate;
                lmbi_gltf_out_floats(o, &value, 1);
            }
        }
    }
}

/// glTF requires two keys for cubic interpolation; one is written as a step.
static bool is_cubic(const lmb_channel *channel)
{
    return channel->interpolation == LMB_CUBIC && channel->key_count > 1;
}

static uint32_t write_values(lmbi_gltf_out *o, const lmb_clip *clip, const lmb_channel *channel)
{
    static const char *const shapes[] = {"VEC3", "VEC4", "VEC3", "SCALAR"};
    const bool cubic = is_cubic(channel);
    const uint32_t rows = channel->path == LMB_PATH_WEIGHTS ? channel->width : 1;
    const size_t begin = lmbi_gltf_out_begin(o);
    if (cubic) {
        write_cubic(o, clip, channel);
    } else {
        const float *values =
            channel->values + (channel->interpolation == LMB_CUBIC ? channel->width : 0);
        lmbi_gltf_out_floats(o, values, (size_t)channel->key_count * channel->width);
    }
    lmbi_gltf_accessor_def def = {.component_type = LMBI_GLTF_F32, .type = shapes[channel->path]};
    def.view = (int32_t)lmbi_gltf_out_view(o, begin, 0, 0);
    def.count = channel->key_count * rows * (cubic ? 3 : 1);
    return lmbi_gltf_out_accessor(o, &def);
}

// ------------------------------------------------------------------------------------------- clips

/// Channels without keys are not written, nor morph weights without an instance of as many targets.
static bool is_written(const lmbi_gltf_out *o, const lmb_channel *channel)
{
    if (channel->path != LMB_PATH_WEIGHTS) {
        return true;
    }
    const int32_t instance = o->instance_of_joint[channel->joint];
    return instance != LMB_NONE &&
           o->character->meshes[o->character->instances[instance].mesh]->target_count ==
               channel->width;
}

static bool write_samplers(lmbi_gltf_out *o, const lmb_clip *clip)
{
    lmbi_json_open(&o->json, "samplers", '[');
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        uint32_t input = 0;
        if (!is_written(o, channel)) {
            continue;
        }
        if (!write_times(o, clip, channel, &input)) {
            return false;
        }
        lmbi_json_open(&o->json, NULL, '{');
        lmbi_json_put_int(&o->json, "input", input);
        lmbi_json_put_int(&o->json, "output", write_values(o, clip, channel));
        if (channel->interpolation != LMB_LINEAR) {
            lmbi_json_put_string(&o->json, "interpolation",
                                 is_cubic(channel) ? "CUBICSPLINE" : "STEP");
        }
        lmbi_json_close(&o->json, '}');
    }
    lmbi_json_close(&o->json, ']');
    return true;
}

static void write_channels(lmbi_gltf_out *o, const lmb_clip *clip)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    uint32_t sampler = 0;
    lmbi_json_open(&o->json, "channels", '[');
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        if (!is_written(o, channel)) {
            continue;
        }
        lmbi_json_open(&o->json, NULL, '{');
        lmbi_json_put_int(&o->json, "sampler", sampler++);
        lmbi_json_open(&o->json, "target", '{');
        lmbi_json_put_int(&o->json, "node", o->node_of_joint[channel->joint]);
        lmbi_json_put_string(&o->json, "path", paths[channel->path]);
        lmbi_json_close(&o->json, '}');
        lmbi_json_close(&o->json, '}');
    }
    lmbi_json_close(&o->json, ']');
}

static bool has_channels(const lmbi_gltf_out *o, const lmb_clip *clip)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (is_written(o, &clip->channels[c])) {
            return true;
        }
    }
    return false;
}

static bool write_clip(lmbi_gltf_out *o, const lmb_clip *clip)
{
    lmbi_json_open(&o->json, NULL, '{');
    if (clip->name) {
        lmbi_json_put_string(&o->json, "name", clip->name);
    }
    write_channels(o, clip);
    if (!write_samplers(o, clip)) {
        return false;
    }
    lmbi_json_put_members(&o->json, clip->carried);
    lmbi_json_close(&o->json, '}');
    return true;
}

bool lmbi_gltf_out_clips(lmbi_gltf_out *o)
{
    const lmb_character *c = o->character;
    bool any = false;
    o->times = lmbi_gltf_out_array(o, TIME_BUCKETS, sizeof *o->times);
    if (o->times == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < c->clip_count; ++k) {
        if (!has_channels(o, c->clips[k])) {
            continue; // glTF requires at least one channel
        }
        if (!any) {
            lmbi_json_open(&o->json, "animations", '[');
            any = true;
        }
        if (!write_clip(o, c->clips[k])) {
            return false;
        }
    }
    if (any) {
        lmbi_json_close(&o->json, ']');
    }
    return true;
}
