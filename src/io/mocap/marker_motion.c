/// Conversion between markers and characters: joints as markers, markers as joints.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "io/clip_pose.h"
#include "io/common.h"

// ----------------------------------------------------------------------------------------- events

/// Events as glTF extras of a clip, so that they survive a glTF file: {"extras":{"events":[{"name",
/// "context", "time_s"}, …]}}.
static void write_events_json(const lmb_markers *markers, lmbi_text *text)
{
    lmbi_json_out json = {.text = text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    lmbi_json_open(&json, "extras", '{');
    lmbi_json_open(&json, "events", '[');
    for (uint32_t k = 0; k < markers->event_count; ++k) {
        lmbi_json_open(&json, NULL, '{');
        lmbi_json_put_string(&json, "name", markers->events[k].name);
        lmbi_json_put_string(&json, "context", markers->events[k].context);
        lmbi_json_put_float(&json, "time_s", markers->events[k].time_s);
        lmbi_json_close(&json, '}');
    }
    lmbi_json_close(&json, ']');
    lmbi_json_close(&json, '}');
    lmbi_json_close(&json, '}');
}

/// The text for lmb_clip.carried, in the arena; NULL where there are no events. False when memory
/// runs out.
static bool carry_events(const lmb_markers *markers, lmbi_arena *arena, const char **carried)
{
    lmbi_text text;
    *carried = NULL;
    if (markers->event_count == 0) {
        return true;
    }
    lmbi_text_init(&text, arena->alloc);
    write_events_json(markers, &text);
    *carried = text.failed ? NULL : lmbi_arena_string(arena, text.data, text.size);
    lmbi_text_free(&text);
    return *carried != NULL;
}

static char *text_or_empty(lmbi_arena *arena, const lmbi_json *value)
{
    const bool is = value != NULL && value->type == LMBI_JSON_STRING;
    return is ? lmbi_json_string(arena, value) : lmbi_arena_string(arena, "", 0);
}

/// Reads a clip's carried events into the draft, in the arena. `carried` may be NULL or hold
/// anything. False when memory runs out.
static bool read_events(const char *carried, lmbi_arena *arena, lmb_markers *draft)
{
    lmbi_json *root = NULL;
    if (carried == NULL) {
        return true;
    }
    const lmb_result result = lmbi_json_read(arena, carried, strlen(carried), &root, NULL);
    if (result != LMB_OK) {
        return result != LMB_ERROR_MEMORY;
    }
    const lmbi_json *list = lmbi_json_find(lmbi_json_find(root, "extras"), "events");
    if (list == NULL || list->type != LMBI_JSON_ARRAY) {
        return true;
    }
    draft->events = lmbi_arena_array(arena, list->count, sizeof *draft->events);
    if (draft->events == NULL) {
        return false;
    }
    for (const lmbi_json *at = list->child; at != NULL; at = at->next) {
        double time_s = 0;
        if (!lmbi_json_number(lmbi_json_find(at, "time_s"), &time_s) || !(fabs(time_s) < 1e9)) {
            continue;
        }
        lmb_marker_event *event = &draft->events[draft->event_count++];
        event->name = text_or_empty(arena, lmbi_json_find(at, "name"));
        event->context = text_or_empty(arena, lmbi_json_find(at, "context"));
        event->time_s = (float)time_s;
        if (event->name == NULL || event->context == NULL) {
            return false;
        }
    }
    return true;
}

// ----------------------------------------------------------------------------------- of a clip

typedef struct sampling {
    const lmb_skeleton *skeleton;
    const lmb_clip *clip; ///< or NULL: one frame at rest
    lmbi_clip_frames cut;
    lmbi_arena arena;
    lmb_transform *local;
    lmb_mat4 *model;
    uint32_t *hints;
    lmb_vec3 *positions;
} sampling;

static bool allocate_poses(sampling *s)
{
    const uint32_t joints = s->skeleton->joint_count;
    const size_t count = lmbi_size_mul(joints, s->cut.count);
    s->local = lmbi_arena_array(&s->arena, joints, sizeof *s->local);
    s->model = lmbi_arena_array(&s->arena, joints, sizeof *s->model);
    s->hints = lmbi_arena_array(&s->arena, s->clip->channel_count, sizeof *s->hints);
    s->positions = lmbi_arena_array(&s->arena, count, sizeof *s->positions);
    return s->local != NULL && s->model != NULL && s->hints != NULL && s->positions != NULL;
}

static void sample_frames(const sampling *s)
{
    const uint32_t joints = s->skeleton->joint_count;
    for (uint32_t f = 0; f < s->cut.count; ++f) {
        lmbi_clip_pose(s->skeleton, s->clip, f * s->cut.ticks_per_frame, s->hints, s->local);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = s->skeleton, .local = s->local, .model_from_joint = s->model});
        for (uint32_t j = 0; j < joints; ++j) {
            s->positions[(size_t)f * joints + j] = lmb_mat4_translation(s->model[j]);
        }
    }
}

lmb_result lmb_markers_of_clip(const lmb_character *character, uint32_t clip, float rate,
                               const lmb_allocator *alloc, lmb_markers **out, lmb_error *error)
{
    if (clip >= character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character", "clip %u of %u", clip,
                         character->clip_count);
    }
    sampling s = {.skeleton = character->skeleton, .clip = character->clips[clip]};
    rate = rate > 0 ? rate : s.clip->frame_rate > 0 ? s.clip->frame_rate : 30;
    lmb_result result = lmbi_clip_cut(s.clip, 1 / (double)rate, &s.cut, error);
    if (result == LMB_OK && (uint64_t)s.cut.count * s.skeleton->joint_count > UINT32_C(1) << 31) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "at most 2^31 positions", "%u frames of %u",
                           s.cut.count, s.skeleton->joint_count);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_arena_init(&s.arena, alloc);
    lmb_markers def = {.name = NULL};
    if (allocate_poses(&s) && read_events(s.clip->carried, &s.arena, &def)) {
        sample_frames(&s);
        def = (lmb_markers){.event_count = def.event_count,
                            .events = def.events,
                            .name = s.clip->name,
                            .marker_count = s.skeleton->joint_count,
                            .frame_count = s.cut.count,
                            .frame_rate = rate,
                            .first_frame = 1,
                            .names = s.skeleton->names,
                            .positions = s.positions};
        result = lmb_markers_create(&def, alloc, out, error);
    } else {
        result = lmbi_fail_memory(error);
    }
    lmbi_arena_free(&s.arena);
    return result;
}

// -------------------------------------------------------------------------------- as a character

/// The keys of one marker: the frames in which it is valid. Linear interpolation bridges gaps.
static void fill_channel(const lmb_markers *markers, uint32_t marker, lmb_channel *channel)
{
    for (uint32_t f = 0; f < markers->frame_count; ++f) {
        const size_t k = (size_t)f * markers->marker_count + marker;
        if (markers->seen[k]) {
            memcpy(channel->values + 3 * (size_t)channel->key_count, &markers->positions[k],
                   sizeof(lmb_vec3));
            channel->ticks[channel->key_count++] = (float)f;
        }
    }
}

typedef struct draft {
    lmb_skeleton skeleton;
    lmb_clip clip;
} draft;

static bool fill_draft(const lmb_markers *markers, lmbi_arena *arena, draft *d)
{
    const uint32_t n = markers->marker_count;
    d->skeleton.parents = lmbi_arena_array(arena, n, sizeof(int32_t));
    d->skeleton.rest = lmbi_arena_array(arena, n, sizeof(lmb_transform));
    d->clip.channels = lmbi_arena_array(arena, n, sizeof(lmb_channel));
    if (d->skeleton.parents == NULL || d->skeleton.rest == NULL || d->clip.channels == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < n; ++m) {
        lmb_channel channel = {.joint = m, .path = LMB_PATH_TRANSLATION, .width = 3};
        channel.ticks = lmbi_arena_array(arena, markers->frame_count, sizeof(float));
        channel.values = lmbi_arena_array(arena, markers->frame_count, 3 * sizeof(float));
        if (channel.ticks == NULL || channel.values == NULL) {
            return false;
        }
        fill_channel(markers, m, &channel);
        d->skeleton.parents[m] = LMB_NONE;
        d->skeleton.rest[m] = lmb_transform_identity();
        if (channel.key_count > 0) {
            memcpy(&d->skeleton.rest[m].translation, channel.values, sizeof(lmb_vec3));
            d->clip.channels[d->clip.channel_count++] = channel;
        }
    }
    return true;
}

lmb_result lmb_markers_character(const lmb_markers *markers, const lmb_allocator *alloc,
                                 lmb_character **out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    const float rate = markers->frame_rate > 0 ? markers->frame_rate : 30;
    const uint32_t last = markers->frame_count > 0 ? markers->frame_count - 1 : 0;
    draft d = {
        .skeleton = {.name = "markers",
                     .joint_count = markers->marker_count,
                     .names = markers->names},
        .clip = {.name = "markers",
                 .ticks_per_s = rate,
                 .duration = (float)last,
                 .frame_rate = rate},
    };
    const lmb_result result =
        fill_draft(markers, &arena, &d) && carry_events(markers, &arena, &d.clip.carried)
            ? lmbi_motion_create(&d.skeleton, &d.clip, alloc, out, error)
            : lmbi_fail_memory(error);
    lmbi_arena_free(&arena);
    return result;
}
