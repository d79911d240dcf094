#include "io/fbx/assets.h"

#include <string.h>

#include "base/alloc.h"

/// A clip with more samples than this states a wrong length.
#define SAMPLES_MAX 2000000u
/// A constant segment is sampled again this many frames before its end, so that it stays a step.
#define STEP_FRAMES 1e-3
/// Times nearer than this many frames are merged.
#define SAME_FRAMES 1e-4

typedef struct maker {
    lmbi_fbx_scene *scene;
    lmbi_fbx *fbx;
    const lmbi_fbx_takes *takes;
    const lmbi_fbx_models *models;
    const lmbi_fbx_meshes *meshes;
    const lmbi_fbx_stack *stack;
    double start_s, stop_s;
    double *frames; ///< [count] sample times, rising
    float *ticks;   ///< the same, rounded
    size_t count, capacity;
    int32_t *tracks;              ///< [objects][4] top track of each path, or LMB_NONE
    lmb_transform *local, *split; ///< [models][count], for models that move; NULL else
    lmb_channel *channels;
    uint32_t channel_count;
} maker;

// ------------------------------------------------------------------------------------------- times

static lmb_result add_frame(maker *m, double frame)
{
    void *frames = m->frames;
    if (!lmbi_grow(m->fbx->alloc, &frames, &m->capacity, m->count + 1, sizeof *m->frames)) {
        return lmbi_fail_memory(m->fbx->error);
    }
    m->frames = frames;
    m->frames[m->count++] = frame;
    return m->count <= 8 * (size_t)SAMPLES_MAX
               ? LMB_OK
               : lmbi_fbx_fail(m->fbx, &m->fbx->root, "a clip of at most two million samples",
                               "a longer one");
}

/// Adds the times of keys, and a time just before each step.
static lmb_result add_curve_frames(maker *m, const lmbi_fbx_curve *curve)
{
    const double rate = m->models->frame_rate;
    for (uint32_t i = 0; i < curve->count; ++i) {
        const lmbi_fbx_key *key = &curve->keys[i];
        const double frame = (key->time_s - m->start_s) * rate;
        if (key->time_s < m->start_s || key->time_s > m->stop_s) {
            continue;
        }
        lmb_result result = add_frame(m, frame);
        const bool after_hold = i > 0 && key[-1].segment == LMBI_FBX_HOLD;
        const bool jumps = key->segment == LMBI_FBX_HOLD_NEXT && i + 1 < curve->count;
        if (result == LMB_OK && after_hold && frame > STEP_FRAMES) {
            result = add_frame(m, frame - STEP_FRAMES);
        }
        if (result == LMB_OK && jumps) {
            result = add_frame(m, frame + STEP_FRAMES);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static void sort_doubles(double *items, double *room, size_t count)
{
    if (count < 2) {
        return;
    }
    const size_t half = count / 2;
    sort_doubles(items, room, half);
    sort_doubles(items + half, room, count - half);
    if (!(items[half] < items[half - 1])) {
        return; // the keys of one curve are sorted already
    }
    memcpy(room, items, count * sizeof *items);
    size_t i = 0, j = half;
    for (size_t k = 0; k < count; ++k) {
        items[k] = i >= half || (j < count && room[j] < room[i]) ? room[j++] : room[i++];
    }
}

/// Merges times that nearly coincide; times near a whole frame become that frame.
static void merge_frames(maker *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; ++i) {
        const double whole = (double)(int64_t)(m->frames[i] + 0.5);
        const double off = m->frames[i] - whole;
        const double frame = off < SAME_FRAMES && off > -SAME_FRAMES ? whole : m->frames[i];
        if (kept == 0 || frame - m->frames[kept - 1] > SAME_FRAMES) {
            m->frames[kept++] = frame;
        }
    }
    m->count = kept;
}

/// The stack's time span, or that of its keys if the stack has none.
static void find_span(maker *m)
{
    m->start_s = m->stack->start_s;
    m->stop_s = m->stack->stop_s;
    if (m->stop_s > m->start_s) {
        return;
    }
    bool any = false;
    for (uint32_t i = 0; i < m->stack->track_count; ++i) {
        const lmbi_fbx_track *track = &m->takes->tracks[m->stack->first_track + i];
        for (int k = 0; k < 3; ++k) {
            const lmbi_fbx_curve *curve = track->curves[k];
            if (curve == NULL) {
                continue;
            }
            const double first = curve->keys[0].time_s, last = curve->keys[curve->count - 1].time_s;
            m->start_s = !any || first < m->start_s ? first : m->start_s;
            m->stop_s = !any || last > m->stop_s ? last : m->stop_s;
            any = true;
        }
    }
}

static lmb_result find_frames(maker *m)
{
    find_span(m);
    const double span = (m->stop_s - m->start_s) * m->models->frame_rate;
    if (!(span < SAMPLES_MAX)) {
        return lmbi_fbx_fail(m->fbx, &m->fbx->root, "a clip of at most two million frames", "%g",
                             span);
    }
    m->count = 0;
    lmb_result result = LMB_OK;
    for (uint32_t frame = 0; (double)frame <= span && result == LMB_OK; ++frame) {
        result = add_frame(m, frame);
    }
    if (result == LMB_OK) {
        result = add_frame(m, span > 0 ? span : 0);
    }
    for (uint32_t i = 0; i < m->stack->track_count; ++i) {
        const lmbi_fbx_track *track = &m->takes->tracks[m->stack->first_track + i];
        for (int k = 0; k < 3 && result == LMB_OK; ++k) {
            result = track->curves[k] ? add_curve_frames(m, track->curves[k]) : LMB_OK;
        }
    }
    double *room =
        result == LMB_OK ? lmbi_alloc_array(m->fbx->alloc, m->count, sizeof *room) : NULL;
    if (room == NULL) {
        return result == LMB_OK ? lmbi_fail_memory(m->fbx->error) : result;
    }
    sort_doubles(m->frames, room, m->count);
    lmbi_free(m->fbx->alloc, room);
    merge_frames(m);
    m->ticks = lmbi_arena_array(&m->fbx->arena, m->count, sizeof *m->ticks);
    if (m->ticks == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    size_t kept = 0; // far from the start, different times may round to one float
    for (size_t i = 0; i < m->count; ++i) {
        if (kept == 0 || (float)m->frames[i] > m->ticks[kept - 1]) {
            m->frames[kept] = m->frames[i];
            m->ticks[kept++] = (float)m->frames[i];
        }
    }
    m->count = kept;
    return LMB_OK;
}

// ------------------------------------------------------------------------------------------- poses

static int32_t top_track(const maker *m, uint32_t object, lmbi_fbx_path path)
{
    return m->tracks[4 * (size_t)object + path];
}

static bool moves(const maker *m, uint32_t model)
{
    const uint32_t object = m->models->items[model].object;
    return top_track(m, object, LMBI_FBX_TRANSLATION) != LMB_NONE ||
           top_track(m, object, LMBI_FBX_ROTATION) != LMB_NONE ||
           top_track(m, object, LMBI_FBX_SCALE) != LMB_NONE;
}

static void evaluate_model(const maker *m, uint32_t model, double time_s, lmbi_fbx_trs *trs)
{
    const lmbi_fbx_model *item = &m->models->items[model];
    double *const out[3] = {trs->translation, trs->rotation_deg, trs->scale};
    *trs = item->rest;
    for (int path = 0; path < 3; ++path) {
        const int32_t track = top_track(m, item->object, (lmbi_fbx_path)path);
        if (track != LMB_NONE) {
            double rest[3];
            memcpy(rest, out[path], sizeof rest);
            lmbi_fbx_track_at(m->takes, &m->takes->tracks[track], rest, time_s, out[path]);
        }
    }
}

/// A model is sampled when it is animated, or when a parent's scale that it compensates is.
static bool is_sampled(const maker *m, uint32_t model)
{
    for (int32_t i = (int32_t)model; i != LMB_NONE; i = m->models->items[i].parent) {
        if (i == (int32_t)model ? moves(m, model) : m->models->items[i].scales) {
            return true;
        }
        if (m->models->items[i].inherit == LMBI_FBX_INHERIT_NORMAL) {
            return false;
        }
    }
    return false;
}

static lmb_result sample_models(maker *m)
{
    const uint32_t n = m->models->count;
    lmbi_arena *arena = &m->fbx->arena;
    lmbi_fbx_scale *scales = lmbi_arena_array(arena, n, sizeof *scales);
    uint32_t *rows = lmbi_arena_array(arena, n, sizeof *rows); // row of a sampled model + 1
    uint32_t row_count = 0;
    for (uint32_t i = 0; rows && i < n; ++i) {
        rows[i] = is_sampled(m, i) ? ++row_count : 0;
    }
    m->local = lmbi_arena_array(arena, lmbi_size_mul(row_count, m->count), sizeof *m->local);
    m->split = lmbi_arena_array(arena, lmbi_size_mul(row_count, m->count), sizeof *m->split);
    if (!scales || !rows || !m->local || !m->split) {
        return lmbi_fail_memory(m->fbx->error);
    }
    for (size_t k = 0; k < m->count; ++k) {
        const double time_s = m->start_s + m->frames[k] / m->models->frame_rate;
        for (uint32_t i = 0; i < n; ++i) {
            lmbi_fbx_trs trs;
            lmb_transform split = lmb_transform_identity();
            if (rows[i] == 0 && k > 0) {
                continue; // children use its scales of the first sample
            }
            evaluate_model(m, i, time_s, &trs);
            const lmb_transform local = lmbi_fbx_model_local(m->models, i, &trs, scales, &split);
            if (rows[i]) {
                m->local[(size_t)(rows[i] - 1) * m->count + k] = local;
                m->split[(size_t)(rows[i] - 1) * m->count + k] = split;
            }
        }
    }
    return LMB_OK;
}

// ---------------------------------------------------------------------------------------- channels

/// A channel from one member of each transform. A constant one becomes one key.
static lmb_result add_channel(maker *m, uint32_t joint, lmb_path path, const lmb_transform *poses)
{
    const uint32_t width = path == LMB_PATH_ROTATION ? 4 : 3;
    float *values =
        lmbi_arena_array(&m->fbx->arena, lmbi_size_mul(m->count, width), sizeof *values);
    if (values == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    bool changes = false;
    for (size_t k = 0; k < m->count; ++k) {
        const lmb_transform *pose = &poses[k];
        float *value = values + k * width;
        const void *from = path == LMB_PATH_TRANSLATION ? (const void *)&pose->translation
                           : path == LMB_PATH_ROTATION  ? (const void *)&pose->rotation
                                                        : (const void *)&pose->scale;
        memcpy(value, from, width * sizeof *value);
        const float *before = k > 0 ? value - width : value;
        float dot = 0;
        for (uint32_t i = 0; i < width; ++i) {
            dot += value[i] * before[i];
        }
        for (uint32_t i = 0; i < width; ++i) {
            value[i] = path == LMB_PATH_ROTATION && dot < 0 ? -value[i] : value[i];
            changes = changes || value[i] > values[i] || value[i] < values[i];
        }
    }
    m->channels[m->channel_count++] = (lmb_channel){.joint = joint,
                                                    .path = path,
                                                    .width = width,
                                                    .key_count = changes ? (uint32_t)m->count : 1,
                                                    .ticks = m->ticks,
                                                    .values = values};
    return LMB_OK;
}

static bool is_different(lmb_path path, lmb_transform a, lmb_transform b)
{
    const float *x = path == LMB_PATH_TRANSLATION ? &a.translation.x
                     : path == LMB_PATH_ROTATION  ? &a.rotation.x
                                                  : &a.scale.x;
    const float *y = path == LMB_PATH_TRANSLATION ? &b.translation.x
                     : path == LMB_PATH_ROTATION  ? &b.rotation.x
                                                  : &b.scale.x;
    return memcmp(x, y, (path == LMB_PATH_ROTATION ? 4 : 3) * sizeof *x) != 0;
}

/// Adds channels for the members that differ from rest in any sample.
static lmb_result add_joint(maker *m, uint32_t joint, const lmb_transform *poses,
                            lmb_transform rest)
{
    for (int path = LMB_PATH_TRANSLATION; path <= LMB_PATH_SCALE; ++path) {
        bool needed = false;
        for (size_t k = 0; k < m->count && !needed; ++k) {
            needed = is_different((lmb_path)path, poses[k], rest);
        }
        const lmb_result result = needed ? add_channel(m, joint, (lmb_path)path, poses) : LMB_OK;
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static lmb_result add_joints(maker *m)
{
    size_t row = 0;
    lmbi_fbx_scale *scales = lmbi_arena_array(&m->fbx->arena, m->models->count, sizeof *scales);
    if (scales == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    for (uint32_t i = 0; i < m->models->count; ++i) {
        const lmbi_fbx_model *model = &m->models->items[i];
        lmb_transform rest_split = lmb_transform_identity();
        const lmb_transform rest =
            lmbi_fbx_model_local(m->models, i, &model->rest, scales, &rest_split);
        if (!is_sampled(m, i)) {
            continue;
        }
        lmb_result result = add_joint(m, model->joint, m->local + row * m->count, rest);
        if (result == LMB_OK && model->split) {
            result = add_joint(m, model->scale_joint, m->split + row * m->count, rest_split);
        }
        if (result != LMB_OK) {
            return result;
        }
        ++row;
    }
    return LMB_OK;
}

/// Adds morph weights of one mesh instance, if one of its channels is animated.
static lmb_result add_weights(maker *m, const lmbi_fbx_use *use)
{
    const lmbi_fbx_mesh *mesh = &m->meshes->items[use->mesh];
    const uint32_t width = mesh->def.target_count;
    bool any = false;
    for (uint32_t t = 0; t < width; ++t) {
        any = any || top_track(m, (uint32_t)mesh->target_channels[t], LMBI_FBX_PERCENT) != LMB_NONE;
    }
    if (!any) {
        return LMB_OK;
    }
    float *values =
        lmbi_arena_array(&m->fbx->arena, lmbi_size_mul(m->count, width), sizeof *values);
    if (values == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    for (size_t k = 0; k < m->count; ++k) {
        const double time_s = m->start_s + m->frames[k] / m->models->frame_rate;
        for (uint32_t t = 0; t < width; ++t) {
            const int32_t track =
                top_track(m, (uint32_t)mesh->target_channels[t], LMBI_FBX_PERCENT);
            double percent[3];
            const double rest[3] = {0, 0, 0};
            values[k * width + t] = mesh->def.target_weights[t];
            if (track != LMB_NONE) {
                lmbi_fbx_track_at(m->takes, &m->takes->tracks[track], rest, time_s, percent);
                values[k * width + t] = (float)lmbi_fbx_ramp_at(&mesh->ramps[t], percent[0]);
            }
        }
    }
    m->channels[m->channel_count++] =
        (lmb_channel){.joint = m->models->items[use->model].scale_joint,
                      .path = LMB_PATH_WEIGHTS,
                      .width = width,
                      .key_count = (uint32_t)m->count,
                      .ticks = m->ticks,
                      .values = values};
    return LMB_OK;
}

// -------------------------------------------------------------------------------------------- all

static lmb_result index_tracks(maker *m)
{
    const size_t n = m->scene->count;
    m->tracks = m->tracks
                    ? m->tracks
                    : lmbi_arena_array(&m->fbx->arena, lmbi_size_mul(n, 4), sizeof *m->tracks);
    if (m->tracks == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    for (size_t i = 0; i < 4 * n; ++i) {
        m->tracks[i] = LMB_NONE;
    }
    for (uint32_t i = 0; i < m->stack->track_count; ++i) {
        const lmbi_fbx_track *track = &m->takes->tracks[m->stack->first_track + i];
        if (track->path <= LMBI_FBX_PERCENT) {
            m->tracks[4 * (size_t)track->object + track->path] =
                (int32_t)(m->stack->first_track + i);
        }
    }
    return LMB_OK;
}

/// The start time of a take that does not begin at 0 s, as carried data of the clip.
static lmb_result note_start(maker *m, const char **out)
{
    *out = NULL;
    if (m->start_s <= 0 && m->start_s >= 0) {
        return LMB_OK;
    }
    lmbi_text text;
    lmbi_text_init(&text, m->fbx->alloc);
    lmbi_text_add(&text, "{\"extras\":{\"start_s\":");
    lmbi_text_float(&text, (float)m->start_s);
    lmbi_text_add(&text, "}}");
    *out = text.failed ? NULL : lmbi_arena_string(&m->fbx->arena, text.data, text.size);
    lmbi_text_free(&text);
    return *out != NULL ? LMB_OK : lmbi_fail_memory(m->fbx->error);
}

static lmb_result make_clip(maker *m, lmb_clip *clip)
{
    lmb_result result = index_tracks(m);
    if (result == LMB_OK) {
        result = find_frames(m);
    }
    const size_t most = 6 * (size_t)m->models->count + m->meshes->use_count;
    m->channels = lmbi_arena_array(&m->fbx->arena, most, sizeof *m->channels);
    m->channel_count = 0;
    if (m->channels == NULL) {
        return lmbi_fail_memory(m->fbx->error);
    }
    if (result == LMB_OK) {
        result = sample_models(m);
    }
    if (result == LMB_OK) {
        result = add_joints(m);
    }
    for (uint32_t i = 0; i < m->meshes->use_count && result == LMB_OK; ++i) {
        result = add_weights(m, &m->meshes->uses[i]);
    }
    const char *carried = NULL;
    if (result == LMB_OK) {
        result = note_start(m, &carried);
    }
    *clip = (lmb_clip){.name = m->stack->name,
                       .ticks_per_s = (float)m->models->frame_rate,
                       .duration = (float)((m->stop_s - m->start_s) * m->models->frame_rate),
                       .frame_rate = (float)m->models->frame_rate,
                       .channel_count = m->channel_count,
                       .channels = m->channels,
                       .carried = carried};
    return result;
}

void lmbi_fbx_clips_prepare(const lmbi_fbx_takes *takes, lmbi_fbx_models *models)
{
    for (size_t i = 0; i < takes->track_count; ++i) {
        const lmbi_fbx_track *track = &takes->tracks[i];
        const int32_t model =
            track->path == LMBI_FBX_SCALE ? models->of_object[track->object] : LMB_NONE;
        for (int k = 0; model != LMB_NONE && k < 3; ++k) {
            // Exporters key every property: a scale is animated only if its keys differ from rest.
            const lmbi_fbx_curve *curve = track->curves[k];
            const double rest = models->items[model].rest.scale[k];
            bool other = curve == NULL && (track->constant[k] > rest || track->constant[k] < rest);
            for (uint32_t j = 0; curve && j < curve->count && !other; ++j) {
                other = curve->keys[j].value - rest > 1e-6 || rest - curve->keys[j].value > 1e-6;
            }
            models->items[model].scales = models->items[model].scales || other;
        }
    }
    lmbi_fbx_models_number(models);
}

lmb_result lmbi_fbx_clips_make(lmbi_fbx_scene *scene, const lmbi_fbx_takes *takes,
                               const lmbi_fbx_models *models, const lmbi_fbx_meshes *meshes,
                               lmb_clip **clips, uint32_t *clip_count)
{
    maker m = {
        .scene = scene, .fbx = scene->fbx, .takes = takes, .models = models, .meshes = meshes};
    lmb_result result = LMB_OK;
    *clip_count = 0;
    *clips = lmbi_arena_array(&m.fbx->arena, takes->stack_count, sizeof **clips);
    if (*clips == NULL) {
        return lmbi_fail_memory(m.fbx->error);
    }
    for (size_t s = 0; s < takes->stack_count && result == LMB_OK; ++s) {
        m.stack = &takes->stacks[s];
        if (m.stack->track_count == 0) {
            continue;
        }
        result = make_clip(&m, &(*clips)[*clip_count]);
        *clip_count += result == LMB_OK && m.channel_count > 0;
    }
    lmbi_free(m.fbx->alloc, m.frames);
    return result;
}
