/// Writes keys as text: joints that are not at rest, and slopes that smoothing would not give.
#include "anim/anim.h"
#include "anim/channel.h"
#include "anim/frames.h"
#include "anim/keys.h"
#include "anim/mix.h"
#include "base/error.h"
#include "base/json.h"

#include <math.h>
#include <string.h>

/// Slopes within this, in radians a second, are those of smoothing: files hold tangents as floats.
static const float SAME_SLOPE = 2e-3f;

typedef struct key_writer {
    lmbi_arena *arena;
    lmbi_text text;
    const lmb_character *character;
    lmb_keys keys;       ///< all given
    lmb_clip *automatic; ///< `from` as smoothing has it; NULL without `from`
    int32_t *rotations;  ///< [joint_count] channel of `from` with slopes, or LMB_NONE
} key_writer;

// ------------------------------------------------------------------------- what the keys come from

static float key_time(const lmb_clip *clip, const lmb_channel *channel, uint32_t key)
{
    return (float)((double)channel->ticks[key] / (double)lmbi_clip_rate(clip));
}

static int32_t key_at(const lmb_clip *clip, const lmb_channel *channel, float time_s)
{
    const double tick = (double)time_s * (double)lmbi_clip_rate(clip);
    const uint32_t key = lmbi_channel_find(channel, tick, NULL).key;
    for (uint32_t k = key; k < channel->key_count && k <= key + 1; ++k) {
        if (fabsf(key_time(clip, channel, k) - time_s) < LMBI_KEYS_NEAR) {
            return (int32_t)k;
        }
    }
    return LMB_NONE;
}

/// Puts a time among those that rise, unless there is one so near. The new count.
static uint32_t insert_time(float *times, uint32_t count, float time)
{
    uint32_t at = 0;
    for (uint32_t end = count; at < end;) {
        const uint32_t middle = at + (end - at) / 2;
        if (times[middle] > time) {
            end = middle;
        } else {
            at = middle + 1;
        }
    }
    const bool known = (at > 0 && time - times[at - 1] < LMBI_KEYS_NEAR) ||
                       (at < count && times[at] - time < LMBI_KEYS_NEAR);
    if (!known && count < LMBI_KEYS_MOST) {
        memmove(times + at + 1, times + at, (count - at) * sizeof *times);
        times[at] = time;
        return count + 1;
    }
    return known ? count : LMBI_KEYS_MOST + 1;
}

/// The times of all poses of `from`, which is not NULL, and how they are interpolated: as the channel
/// that has most of them. A single key that is linear may be of any clip.
static lmb_result take_times(key_writer *w, float *times, lmb_error *error)
{
    const lmb_clip *from = w->keys.from;
    uint32_t count = 0, most = 0;
    w->keys.interpolation = LMB_CUBIC;
    for (uint32_t c = from->channel_count; c-- > 0;) {
        const lmb_channel *channel = &from->channels[c];
        if (channel->path == LMB_PATH_WEIGHTS) {
            continue;
        }
        for (uint32_t k = 0; k < channel->key_count && count <= LMBI_KEYS_MOST; ++k) {
            count = insert_time(times, count, key_time(from, channel, k));
        }
        const bool tells = channel->key_count > 1 || channel->interpolation == LMB_STEP;
        if (tells && channel->key_count >= most) {
            w->keys.interpolation = channel->interpolation;
            most = channel->key_count;
        }
    }
    if (count == 0 || count > LMBI_KEYS_MOST) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of 1 to 10000 key times", "%u",
                         (unsigned)count);
    }
    w->keys.key_count = count;
    return LMB_OK;
}

/// The pose of `from` at a time; at a key its value, as it stands.
static void take_pose(const key_writer *w, float time_s, lmb_transform *out)
{
    const lmb_clip *from = w->keys.from;
    const lmb_skeleton *skeleton = w->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = from,
                                 .time_s = (double)time_s,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = out});
    for (uint32_t c = 0; c < from->channel_count; ++c) {
        const lmb_channel *channel = &from->channels[c];
        const int32_t key = key_at(from, channel, time_s);
        if (key >= 0 && lmbi_has_slopes(channel) && channel->joint < skeleton->joint_count) {
            out[channel->joint].rotation = lmbi_quat_unit(
                lmbi_rotation_key_of(channel, (uint32_t)key)->value, out[channel->joint].rotation);
        }
    }
}

static lmb_result take_all(key_writer *w, lmb_error *error)
{
    const uint32_t joints = w->character->skeleton->joint_count;
    float *times = lmbi_arena_array(w->arena, LMBI_KEYS_MOST + 1, sizeof *times);
    if (times == NULL) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = take_times(w, times, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_transform *poses = lmbi_keys_poses(w->arena, w->keys.key_count, joints);
    for (uint32_t k = 0; poses && k < w->keys.key_count; ++k) {
        take_pose(w, times[k], poses + (size_t)k * joints);
    }
    w->keys.times_s = times;
    w->keys.poses = poses;
    return poses ? LMB_OK : lmbi_fail_memory(error);
}

// ------------------------------------------------------------------------------------------ slopes

/// Smooth rotations become linear ones.
static bool straighten(lmbi_arena *arena, const void *context, const lmb_channel *from,
                       lmb_channel *to)
{
    (void)context;
    *to = *from;
    if (!lmbi_has_slopes(from)) {
        return true;
    }
    lmb_quat *values = lmbi_arena_array(arena, from->key_count, sizeof *values);
    for (uint32_t k = 0; values && k < from->key_count; ++k) {
        values[k] = lmbi_rotation_key_of(from, k)->value;
    }
    to->values = (float *)values;
    to->interpolation = LMB_LINEAR;
    return values != NULL;
}

static lmb_result find_slopes(key_writer *w, lmb_error *error)
{
    const lmb_clip *from = w->keys.from;
    const uint32_t joints = w->character->skeleton->joint_count;
    w->rotations = lmbi_arena_array(w->arena, joints, sizeof *w->rotations);
    if (w->rotations == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < joints; ++j) {
        w->rotations[j] = LMB_NONE;
    }
    if (from == NULL || w->keys.interpolation != LMB_CUBIC) {
        return LMB_OK;
    }
    for (uint32_t c = 0; c < from->channel_count; ++c) {
        if (lmbi_has_slopes(&from->channels[c]) && from->channels[c].joint < joints) {
            w->rotations[from->channels[c].joint] = (int32_t)c;
        }
    }
    lmb_clip *straight = NULL;
    lmb_result result = lmbi_clip_edit(from, straighten, NULL, w->arena->alloc, &straight, error);
    if (result == LMB_OK) {
        result = lmbi_clip_smooth(straight, &(lmb_smooth_opts){0}, w->arena->alloc, &w->automatic,
                                  error);
    }
    lmb_clip_destroy(straight);
    return result;
}

/// The angular velocity about a joint's own axes: the inverse of q * v / 2.
static lmb_vec3 velocity_of(lmb_quat value, lmb_quat tangent, float ticks_per_s)
{
    const lmb_quat half = lmb_quat_mul(lmb_quat_conjugate(value), tangent);
    return lmb_vec3_scale(lmb_vec3_make(half.x, half.y, half.z), 2 * ticks_per_s);
}

static bool is_same_slope(lmb_vec3 a, lmb_vec3 b)
{
    const lmb_vec3 d = lmb_vec3_sub(a, b);
    return lmb_vec3_dot(d, d) < SAME_SLOPE * SAME_SLOPE;
}

static void key_slopes(const lmb_clip *clip, uint32_t channel, uint32_t key, lmb_key_slope *out)
{
    const lmbi_rotation_key *k = lmbi_rotation_key_of(&clip->channels[channel], key);
    out->in = velocity_of(k->value, k->in, lmbi_clip_rate(clip));
    out->out = velocity_of(k->value, k->out, lmbi_clip_rate(clip));
}

/// Whether a joint has a slope at a key that smoothing would not give.
static bool find_slope(const key_writer *w, uint32_t joint, float time_s, lmb_key_slope *out)
{
    for (uint32_t k = w->keys.slope_count; k-- > 0;) {
        const lmb_key_slope *slope = &w->keys.slopes[k];
        if (slope->joint == joint && fabsf(slope->time_s - time_s) < LMBI_KEYS_NEAR) {
            *out = *slope;
            return !slope->automatic;
        }
    }
    const int32_t channel = w->rotations[joint];
    const int32_t key =
        channel >= 0 ? key_at(w->keys.from, &w->keys.from->channels[channel], time_s) : LMB_NONE;
    if (key < 0 || !lmbi_has_slopes(&w->automatic->channels[channel])) {
        return false;
    }
    lmb_key_slope automatic;
    key_slopes(w->keys.from, (uint32_t)channel, (uint32_t)key, out);
    key_slopes(w->automatic, (uint32_t)channel, (uint32_t)key, &automatic);
    return !(is_same_slope(out->in, automatic.in) && is_same_slope(out->out, automatic.out));
}

// ------------------------------------------------------------------------------------------- checks

static bool is_unit(lmb_quat q)
{
    const float square = lmb_quat_dot(q, q);
    return square > 0.999f && square < 1.001f;
}

static bool in_range(lmb_vec3 v)
{
    return fabsf(v.x) <= LMBI_KEYS_FARTHEST && fabsf(v.y) <= LMBI_KEYS_FARTHEST &&
           fabsf(v.z) <= LMBI_KEYS_FARTHEST;
}

static lmb_result check_times(const lmb_keys *keys, lmb_error *error)
{
    for (uint32_t k = 0; k < keys->key_count; ++k) {
        const float time = keys->times_s[k], last = k > 0 ? keys->times_s[k - 1] : 0;
        const bool is_after = k > 0 ? time >= last + LMBI_KEYS_NEAR && time > last : time >= 0;
        if (!is_after || !(time <= LMBI_KEYS_LONGEST)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a time after that of the key before",
                             "key %u at %g s", (unsigned)k, (double)time);
        }
    }
    return LMB_OK;
}

static lmb_result check_poses(const key_writer *w, lmb_error *error)
{
    const uint32_t joints = w->character->skeleton->joint_count;
    for (size_t k = 0; k < (size_t)w->keys.key_count * joints; ++k) {
        const lmb_transform *t = &w->keys.poses[k];
        if (!in_range(t->translation) || !in_range(t->scale) || !is_unit(t->rotation)) {
            return lmbi_fail(error, LMB_ERROR_INVALID,
                             "numbers up to 1e9 and a rotation that is unit", "key %u, joint %u",
                             (unsigned)(k / joints), (unsigned)(k % joints));
        }
    }
    return LMB_OK;
}

static lmb_result check_slopes(const key_writer *w, lmb_error *error)
{
    for (uint32_t k = 0; k < w->keys.slope_count; ++k) {
        const lmb_key_slope *slope = &w->keys.slopes[k];
        bool found = false;
        for (uint32_t i = 0; i < w->keys.key_count; ++i) {
            found = found || fabsf(w->keys.times_s[i] - slope->time_s) < LMBI_KEYS_NEAR;
        }
        if (!found || w->keys.interpolation != LMB_CUBIC || w->keys.key_count < 2 ||
            slope->joint >= w->character->skeleton->joint_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a smooth key of the joint at that time",
                             "joint %u at %g s", (unsigned)slope->joint, (double)slope->time_s);
        }
        if (!in_range(lmb_vec3_scale(slope->in, 180 / LMB_PI)) ||
            !in_range(lmb_vec3_scale(slope->out, 180 / LMB_PI))) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a slope up to 1e9 degrees a second",
                             "another, of joint %u", (unsigned)slope->joint);
        }
    }
    return LMB_OK;
}

// ------------------------------------------------------------------------------------------- lines

/// Whether it can stand without quotes and is no word of the text.
static bool is_plain(const char *name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-|";
    static const char *const words[] = {"clip", "replaces", "key"};
    bool is_word = name[0] == 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        is_word = is_word || strcmp(name, words[k]) == 0;
    }
    const size_t length = strlen(name);
    return !is_word && strspn(name, plain) == length && strspn(name, "0123456789") != length;
}

/// A name, or the number of what no name leads to.
static void write_name(lmbi_text *text, const char *name, uint32_t number, bool leads)
{
    if (!leads || !lmbi_keys_is_text(name, name + strlen(name))) {
        lmbi_text_int(text, number);
    } else if (is_plain(name)) {
        lmbi_text_add(text, name);
    } else {
        lmbi_json_quote(text, name);
    }
}

static void write_floats(lmbi_text *text, const char *word, const float *values, uint32_t count)
{
    lmbi_text_add(text, word);
    for (uint32_t k = 0; k < count; ++k) {
        lmbi_text_add(text, " ");
        lmbi_text_float(text, values[k]);
    }
}

/// Degrees a second of radians, to a thousandth, and to the fifth digit of the largest where that is
/// more: what is read back and written again is the same.
static void round_slope(lmb_vec3 slope, float out[3])
{
    const lmb_vec3 v = lmb_vec3_scale(slope, 180 / LMB_PI);
    double steps = 1000;
    for (float most = fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))); most >= 100; most /= 10) {
        steps /= 10;
    }
    const float in[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; ++k) {
        out[k] = (float)(round((double)in[k] * steps) / steps) + 0.0f; // no negative zero
    }
}

static void write_slope(lmbi_text *text, const lmb_key_slope *slope)
{
    float v[6];
    round_slope(slope->in, v);
    round_slope(slope->out, v + 3);
    write_floats(text, " slope", v, memcmp(v, v + 3, 3 * sizeof *v) == 0 ? 3 : 6);
}

static void write_joint(key_writer *w, uint32_t key, uint32_t joint)
{
    const lmb_skeleton *skeleton = w->character->skeleton;
    const lmb_transform *rest = &skeleton->rest[joint],
                        *pose = &w->keys.poses[(size_t)key * skeleton->joint_count + joint];
    const lmb_quat q = lmbi_keys_rotation(pose->rotation),
                   near_rest = lmbi_quat_align(rest->rotation, pose->rotation);
    const bool rotates = !lmbi_frames_alike(&near_rest.x, &rest->rotation.x, 4),
               moves = !lmbi_frames_alike(&pose->translation.x, &rest->translation.x, 3),
               scales = !lmbi_frames_alike(&pose->scale.x, &rest->scale.x, 3);
    lmb_key_slope slope = {0};
    const bool has_slope = find_slope(w, joint, w->keys.times_s[key], &slope);
    if (!(rotates || moves || scales || has_slope)) {
        return;
    }
    const char *name = skeleton->names[joint];
    lmbi_text_add(&w->text, "  ");
    write_name(&w->text, name, joint,
               name && name[0] && lmb_skeleton_find(skeleton, name) == (int32_t)joint);
    if (rotates) {
        write_floats(&w->text, " rotation", &q.x, 4);
    }
    if (moves) {
        write_floats(&w->text, " translation", &pose->translation.x, 3);
    }
    if (scales) {
        write_floats(&w->text, " scale", &pose->scale.x, 3);
    }
    if (has_slope) {
        write_slope(&w->text, &slope);
    }
    lmbi_text_add(&w->text, "\n");
}

/// The line of the clip that they replace. False where that is none of the character's.
static bool write_replaced(key_writer *w)
{
    const lmb_character *c = w->character;
    const char *name = w->keys.from ? w->keys.from->name : NULL;
    uint32_t clip = 0, first = 0;
    while (clip < c->clip_count && c->clips[clip] != w->keys.from) {
        ++clip;
    }
    while (name && first < clip &&
           !(c->clips[first]->name && strcmp(c->clips[first]->name, name) == 0)) {
        ++first;
    }
    lmbi_text_add(&w->text, "replaces ");
    write_name(&w->text, name, clip, name && name[0] && first == clip);
    lmbi_text_add(&w->text, "\n");
    return clip < c->clip_count;
}

static lmb_result write_all(key_writer *w, lmb_error *error)
{
    static const char *const words[] = {
        [LMB_LINEAR] = " linear\n", [LMB_STEP] = " step\n", [LMB_CUBIC] = " smooth\n"};
    const char *name = w->keys.name ? w->keys.name : w->keys.from ? w->keys.from->name : NULL;
    lmbi_text_add(&w->text, "limber-keys 1\nclip ");
    lmbi_json_quote(&w->text, name ? name : "");
    lmbi_text_add(&w->text, words[w->keys.interpolation]);
    if (w->keys.replaces && !write_replaced(w)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character to replace", "another");
    }
    for (uint32_t k = 0; k < w->keys.key_count; ++k) {
        write_floats(&w->text, "key", &w->keys.times_s[k], 1);
        lmbi_text_add(&w->text, "\n");
        for (uint32_t j = 0; j < w->character->skeleton->joint_count; ++j) {
            write_joint(w, k, j);
        }
    }
    return LMB_OK;
}

lmb_result lmb_keys_write(const lmb_character *character, const lmb_keys *keys,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    key_writer w = {.arena = &arena, .character = character, .keys = *keys};
    lmbi_text_init(&w.text, alloc);
    lmb_result result = LMB_OK;
    if ((keys->key_count == 0 && keys->from == NULL) || keys->key_count > LMBI_KEYS_MOST ||
        character->skeleton->joint_count == 0) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "1 to 10000 keys of a character with joints",
                           "%u", (unsigned)keys->key_count);
    } else if (keys->key_count == 0) {
        result = take_all(&w, error);
    }
    result = result == LMB_OK ? check_times(&w.keys, error) : result;
    result = result == LMB_OK ? check_poses(&w, error) : result;
    result = result == LMB_OK ? check_slopes(&w, error) : result;
    result = result == LMB_OK ? find_slopes(&w, error) : result;
    result = result == LMB_OK ? write_all(&w, error) : result;
    lmb_clip_destroy(w.automatic);
    lmbi_arena_free(&arena);
    if (result == LMB_OK) {
        return lmbi_buffer_take(&w.text, out, error);
    }
    lmbi_text_free(&w.text);
    return result;
}
