/// Expressions over time from a clip or a recording.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"
#include "math/math.h"
#include "retarget/retarget.h"

enum { MOST_TRACKS = 1024, SWEEPS = 60 };

#define CUBIC_RATE 60.0 ///< Hz at which cubic curves are sampled between keys

/// State while a face motion is built.
typedef struct motion_builder {
    const lmb_character *character;
    const lmb_clip *clip;
    lmb_face_motion *motion;
    lmbi_arena *kept;   ///< the motion's own
    lmbi_arena scratch; ///< freed afterwards
    lmbi_json *root;
    int32_t joints[MOST_TRACKS]; ///< of a VRM animation: translation x is the track's value
    int32_t gaze_joint;
} motion_builder;

void lmb_face_motion_destroy(lmb_face_motion *motion)
{
    lmbi_owner_free(motion);
}

void lmb_face_motion_at(const lmb_face_motion *motion, double time_s, float *values)
{
    uint32_t k = 0;
    while (k + 1 < motion->key_count && (double)motion->times_s[k + 1] <= time_s) {
        ++k;
    }
    const uint32_t next = k + 1 < motion->key_count && !motion->is_step ? k + 1 : k;
    const double span = (double)motion->times_s[next] - (double)motion->times_s[k];
    const double fraction = span > 0 ? (time_s - (double)motion->times_s[k]) / span : 0;
    const float s = (float)(fraction < 0 ? 0 : fraction);
    for (uint32_t e = 0; e < motion->track_count; ++e) {
        const float a = motion->values[(size_t)k * motion->track_count + e];
        const float b = motion->values[(size_t)next * motion->track_count + e];
        values[e] = a + s * (b - a);
    }
}

static lmb_face_motion *create_motion(const lmb_allocator *alloc, lmbi_arena **arena)
{
    lmb_face_motion *motion = lmbi_owner_create(alloc, sizeof *motion);
    if (motion != NULL) {
        motion->allocator = alloc ? *alloc : (lmb_allocator){0};
        *arena = lmbi_owner_arena(motion);
    }
    return motion;
}

// ------------------------------------------------------------------------------------------- times

static bool is_used(const motion_builder *t, const lmb_channel *channel)
{
    if (t->gaze_joint >= 0 && (int32_t)channel->joint == t->gaze_joint) {
        return channel->path == LMB_PATH_ROTATION;
    }
    for (uint32_t k = 0; k < t->motion->track_count && t->joints[k] >= 0; ++k) {
        if ((int32_t)channel->joint == t->joints[k]) {
            return channel->path == LMB_PATH_TRANSLATION;
        }
    }
    return channel->path == LMB_PATH_WEIGHTS;
}

/// Merges two ascending lists into one without repeats.
static uint32_t merge_times(float *out, const float *a, uint32_t a_count, const float *b,
                            uint32_t b_count)
{
    uint32_t i = 0, k = 0, count = 0;
    while (i < a_count || k < b_count) {
        const bool first = k == b_count || (i < a_count && a[i] <= b[k]);
        const float value = first ? a[i++] : b[k++];
        if (count == 0 || value > out[count - 1]) {
            out[count++] = value;
        }
    }
    return count;
}

/// Key times of one channel in seconds; cubic curves are sampled in between.
static const float *channel_times(motion_builder *t, const lmb_channel *channel, uint32_t *count)
{
    const double second = t->clip->ticks_per_s > 0 ? (double)t->clip->ticks_per_s : 1;
    const double from = (double)channel->ticks[0] / second;
    const double last = (double)channel->ticks[channel->key_count - 1] / second;
    const double between = channel->interpolation == LMB_CUBIC ? (last - from) * CUBIC_RATE : 0;
    const uint32_t steps = between > 0 && between < 1e7 ? (uint32_t)between : 0;
    float *keys = lmbi_arena_array(&t->scratch, channel->key_count, sizeof *keys);
    float *grid = lmbi_arena_array(&t->scratch, steps, sizeof *grid);
    float *all = lmbi_arena_array(&t->scratch, (size_t)channel->key_count + steps, sizeof *all);
    if (keys == NULL || grid == NULL || all == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        keys[k] = (float)((double)channel->ticks[k] / second);
    }
    for (uint32_t k = 0; k < steps; ++k) {
        grid[k] = (float)(from + (k + 1) / CUBIC_RATE);
    }
    *count = merge_times(all, keys, channel->key_count, grid, steps);
    return all;
}

static bool find_times(motion_builder *t)
{
    lmb_face_motion *motion = t->motion;
    motion->is_step = true;
    for (uint32_t c = 0; c < t->clip->channel_count; ++c) {
        const lmb_channel *channel = &t->clip->channels[c];
        uint32_t count = 0;
        if (!is_used(t, channel)) {
            continue;
        }
        const float *times = channel_times(t, channel, &count);
        float *all = lmbi_arena_array(t->kept, (size_t)motion->key_count + count, sizeof *all);
        if (times == NULL || all == NULL) {
            return false;
        }
        motion->key_count = merge_times(all, motion->times_s, motion->key_count, times, count);
        motion->times_s = all;
        motion->is_step = motion->is_step && channel->interpolation == LMB_STEP;
    }
    return true;
}

static bool allocate_values(motion_builder *t)
{
    lmb_face_motion *m = t->motion;
    m->values =
        lmbi_arena_array(t->kept, lmbi_size_mul(m->key_count, m->track_count), sizeof *m->values);
    if (t->gaze_joint >= 0) {
        m->gaze = lmbi_arena_array(t->kept, m->key_count, sizeof *m->gaze);
    }
    return m->values != NULL && (t->gaze_joint < 0 || m->gaze != NULL);
}

static void sample_clip(const motion_builder *t, float time_s, lmb_transform *pose,
                        const uint32_t *first, const float *rest_weights, float *weights)
{
    lmb_sample(&(lmb_sample_job){.clip = t->clip,
                                 .time_s = (double)time_s,
                                 .joint_count = t->character->skeleton->joint_count,
                                 .rest = t->character->skeleton->rest,
                                 .pose = pose,
                                 .weight_first = first,
                                 .rest_weights = rest_weights,
                                 .weights = weights});
}

// ----------------------------------------------------------------------------------- VRM animations

/// {"happy": {"node": 51}, …}
static bool read_tracks(motion_builder *t, const lmbi_json *group)
{
    const lmbi_json *e = group != NULL && group->type == LMBI_JSON_OBJECT ? group->child : NULL;
    for (; e != NULL && t->motion->track_count < MOST_TRACKS; e = e->next) {
        uint32_t node = 0;
        const int32_t joint = lmbi_json_u32(lmbi_json_find(e, "node"), &node)
                                  ? lmbi_joint_of_node(t->character->skeleton, node)
                                  : LMB_NONE;
        if (joint < 0) {
            continue;
        }
        char *name = lmbi_arena_string(t->kept, e->key, e->key_size);
        if (name == NULL) {
            return false;
        }
        t->joints[t->motion->track_count] = joint;
        t->motion->names[t->motion->track_count++] = name;
    }
    return true;
}

static bool read_tracks_and_gaze(motion_builder *t, const lmbi_json *extension)
{
    const lmbi_json *expressions = lmbi_json_find(extension, "expressions");
    uint32_t node = 0;
    if (lmbi_json_u32(lmbi_json_find(lmbi_json_find(extension, "lookAt"), "node"), &node)) {
        t->gaze_joint = lmbi_joint_of_node(t->character->skeleton, node);
    }
    t->motion->names = lmbi_arena_array(t->kept, MOST_TRACKS, sizeof *t->motion->names);
    return t->motion->names != NULL && read_tracks(t, lmbi_json_find(expressions, "preset")) &&
           read_tracks(t, lmbi_json_find(expressions, "custom"));
}

/// Yaw to the left and pitch upward of +Z after a rotation.
static lmb_vec2 gaze_of(lmb_quat rotation)
{
    const lmb_vec3 forward = lmb_quat_rotate(rotation, lmb_vec3_make(0, 0, 1));
    const float up = forward.y < -1 ? -1 : forward.y > 1 ? 1 : forward.y;
    return (lmb_vec2){lmb_atan2(forward.x, forward.z), lmbi_asin(up)};
}

static bool read_vrm_animation(motion_builder *t, const lmbi_json *extension)
{
    lmb_face_motion *m = t->motion;
    lmb_transform *pose =
        lmbi_arena_array(&t->scratch, t->character->skeleton->joint_count, sizeof *pose);
    if (pose == NULL || !read_tracks_and_gaze(t, extension)) {
        return false;
    }
    if (!find_times(t) || !allocate_values(t)) {
        return false;
    }
    for (uint32_t k = 0; k < m->key_count; ++k) {
        sample_clip(t, m->times_s[k], pose, NULL, NULL, NULL);
        for (uint32_t e = 0; e < m->track_count; ++e) {
            m->values[(size_t)k * m->track_count + e] = pose[t->joints[e]].translation.x;
        }
        if (m->gaze != NULL) {
            m->gaze[k] = gaze_of(pose[t->gaze_joint].rotation);
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------ morph weights

/// Fits expression values a to morph weights w: min |B a - w|^2 over 0 <= a <= 1 by projected
/// Gauss-Seidel, B the binds. `residual` is w on entry and the residual w - B a on return.
static void fit_expressions(const lmb_face *face, const uint32_t *first, bool targets,
                            float *residual, float *values)
{
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (uint32_t e = 0; e < face->expression_count; ++e) {
            const lmb_expression *x = &face->expressions[e];
            float along = 0, square = 0;
            if (x->is_target != targets) {
                continue;
            }
            for (uint32_t b = 0; b < x->bind_count; ++b) {
                const lmb_expression_bind *bind = &x->binds[b];
                along += bind->weight * residual[first[bind->joint] + bind->target];
                square += bind->weight * bind->weight;
            }
            const float most = targets ? 1e6f : 1, least = targets ? -1e6f : 0;
            const float wanted = square > 0 ? values[e] + along / square : 0;
            const float value = wanted < least ? least : wanted > most ? most : wanted;
            for (uint32_t b = 0; b < x->bind_count; ++b) {
                const lmb_expression_bind *bind = &x->binds[b];
                residual[first[bind->joint] + bind->target] -= (value - values[e]) * bind->weight;
            }
            values[e] = value;
        }
    }
}

/// Removes tracks that are 0 throughout.
static void drop_zero_tracks(lmb_face_motion *m)
{
    uint32_t kept = 0;
    const uint32_t before = m->track_count;
    for (uint32_t e = 0; e < before; ++e) {
        bool moves = false;
        for (uint32_t k = 0; k < m->key_count; ++k) {
            moves = moves || fabsf(m->values[(size_t)k * before + e]) > 1e-5f;
        }
        if (moves) {
            m->names[kept] = m->names[e];
            for (uint32_t k = 0; k < m->key_count; ++k) {
                m->values[(size_t)k * before + kept] = m->values[(size_t)k * before + e];
            }
            ++kept;
        }
    }
    for (uint32_t k = 0; k < m->key_count && kept < before; ++k) {
        memmove(m->values + (size_t)k * kept, m->values + (size_t)k * before,
                kept * sizeof *m->values);
    }
    m->track_count = kept;
}

static bool name_tracks(motion_builder *t, const lmb_face *face)
{
    lmb_face_motion *m = t->motion;
    m->names = lmbi_arena_array(t->kept, face->expression_count, sizeof *m->names);
    for (uint32_t e = 0; m->names != NULL && e < face->expression_count; ++e) {
        const char *name = face->expressions[e].name;
        m->names[e] = lmbi_arena_string(t->kept, name, strlen(name));
        if (m->names[e] == NULL) {
            return false;
        }
    }
    m->track_count = face->expression_count;
    return m->names != NULL;
}

static bool fit_weights(motion_builder *t, const lmb_face *face)
{
    lmb_face_motion *m = t->motion;
    const uint32_t joints = t->character->skeleton->joint_count;
    uint32_t *first = lmbi_arena_array(&t->scratch, (size_t)joints + 1, sizeof *first);
    const uint32_t count = first != NULL ? lmb_character_weights(t->character, first, NULL) : 0;
    float *rest = lmbi_arena_array(&t->scratch, count, sizeof *rest);
    float *residual = lmbi_arena_array(&t->scratch, count, sizeof *residual);
    lmb_transform *pose = lmbi_arena_array(&t->scratch, joints, sizeof *pose);
    t->joints[0] = LMB_NONE; // use every weights channel
    if (first == NULL || rest == NULL || residual == NULL || pose == NULL || !find_times(t)) {
        return false;
    }
    if (m->key_count == 0 || count == 0) {
        return true;
    }
    (void)lmb_character_weights(t->character, first, rest);
    if (!name_tracks(t, face) || !allocate_values(t)) {
        return false;
    }
    for (uint32_t k = 0; k < m->key_count; ++k) {
        float *values = m->values + (size_t)k * m->track_count;
        sample_clip(t, m->times_s[k], pose, first, rest, residual);
        fit_expressions(face, first, false, residual, values);
        lmbi_face_undo_overrides(face, values);
        fit_expressions(face, first, true, residual, values);
    }
    drop_zero_tracks(m);
    return true;
}

lmb_result lmb_face_motion_of_clip(const lmb_character *character, uint32_t clip,
                                   const lmb_allocator *alloc, lmb_face_motion **out,
                                   lmb_error *error)
{
    motion_builder t = {
        .character = character, .clip = character->clips[clip], .gaze_joint = LMB_NONE};
    lmb_face *face = NULL;
    lmbi_arena_init(&t.scratch, alloc);
    t.motion = create_motion(alloc, &t.kept);
    bool made = t.motion != NULL && lmbi_carried_read(character, &t.scratch, &t.root);
    const lmbi_json *extension =
        made ? lmbi_json_find(lmbi_json_find(t.root, "extensions"), "VRMC_vrm_animation") : NULL;
    if (made && extension != NULL) {
        made = read_vrm_animation(&t, extension);
    } else if (made) {
        made = lmb_face_create(character, alloc, &face, error) == LMB_OK && fit_weights(&t, face);
    }
    lmb_face_destroy(face);
    lmbi_arena_free(&t.scratch);
    const bool has_content =
        made && t.motion->key_count > 0 && (t.motion->track_count > 0 || t.motion->gaze != NULL);
    if (!has_content) {
        lmb_face_motion_destroy(t.motion);
        t.motion = NULL;
    }
    if (made) {
        *out = t.motion;
    }
    return made ? LMB_OK : lmbi_fail_memory(error);
}

// -------------------------------------------------------------------------------------- recordings

static bool copy_frames(lmb_face_motion *m, lmbi_arena *arena, const lmb_vmc_frame *frames,
                        uint32_t count)
{
    const lmb_vmc_frame *last = &frames[count - 1];
    m->track_count = last->shape_count;
    m->names = lmbi_arena_array(arena, m->track_count, sizeof *m->names);
    m->times_s = lmbi_arena_array(arena, count, sizeof *m->times_s);
    m->values = lmbi_arena_array(arena, lmbi_size_mul(count, m->track_count), sizeof *m->values);
    if (m->names == NULL || m->times_s == NULL || m->values == NULL) {
        return false;
    }
    for (uint32_t e = 0; e < m->track_count; ++e) {
        m->names[e] = lmbi_arena_string(arena, last->shape_names[e], strlen(last->shape_names[e]));
        if (m->names[e] == NULL) {
            return false;
        }
    }
    for (uint32_t f = 0; f < count; ++f) {
        const float time_s = (float)(frames[f].time_s - frames[0].time_s);
        if (m->key_count == 0 || time_s > m->times_s[m->key_count - 1]) {
            memcpy(m->values + (size_t)m->key_count * m->track_count, frames[f].shapes,
                   frames[f].shape_count * sizeof *m->values);
            m->times_s[m->key_count++] = time_s;
        }
    }
    return true;
}

lmb_result lmb_face_motion_of_vmc(const lmb_vmc_frame *frames, uint32_t count,
                                  const lmb_allocator *alloc, lmb_face_motion **out,
                                  lmb_error *error)
{
    lmbi_arena *arena = NULL;
    if (count == 0 || frames[count - 1].shape_count == 0) {
        *out = NULL;
        return LMB_OK;
    }
    lmb_face_motion *motion = create_motion(alloc, &arena);
    if (motion == NULL || !copy_frames(motion, arena, frames, count)) {
        lmb_face_motion_destroy(motion);
        return lmbi_fail_memory(error);
    }
    *out = motion;
    return LMB_OK;
}
