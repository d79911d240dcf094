/// Writes expressions over time to a character's morph targets, and a gaze to its eyes.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "retarget/vrm.h"

typedef struct putter {
    const lmb_character *character;
    const lmb_face *face;
    const lmb_face_motion *motion;
    lmbi_arena arena;
    uint32_t *first;
    float *rest;
    float *weights; ///< [key_count][weight_count]
    uint32_t weight_count;
    bool *touched; ///< [joint_count] instances whose weights are animated
    uint32_t from; ///< last key at or before the clip's start
    float *ticks;
    lmb_channel *channels;
    uint32_t channel_count;
    lmb_face_report report;
} putter;

/// Adds an expression's binds, reduced by overrides.
static void add_expression(const lmb_face *face, int32_t index, float value,
                           const float amounts[LMBI_FACE_PARTS], const uint32_t *first,
                           float *weights)
{
    const lmb_expression *e = &face->expressions[index];
    const float left = lmbi_face_overridden(e, amounts, value);
    for (uint32_t b = 0; b < e->bind_count; ++b) {
        weights[first[e->binds[b].joint] + e->binds[b].target] += left * e->binds[b].weight;
    }
}

static void clear_expression(const lmb_face *face, int32_t index, const uint32_t *first,
                             float *weights)
{
    const lmb_expression *e = &face->expressions[index];
    for (uint32_t b = 0; b < e->bind_count; ++b) {
        weights[first[e->binds[b].joint] + e->binds[b].target] = 0;
    }
}

/// The expressions of one frame and the four gaze expressions.
typedef struct moment {
    const char *const *names;
    const float *values;
    uint32_t count;
    const float *looks; ///< [LOOKS], or NULL
} moment;

enum { LOOKS = 4 };
static const char *const look_names[LOOKS] = {"lookLeft", "lookRight", "lookUp", "lookDown"};

static void put_moment(const lmb_face *face, const moment *m, const uint32_t *first, float *weights)
{
    enum { CLEAR, OVERRIDE, ADD, PASSES };
    const uint32_t looks = m->looks != NULL ? LOOKS : 0;
    float amounts[LMBI_FACE_PARTS] = {0, 0, 0};
    for (int pass = 0; pass < PASSES; ++pass) {
        for (uint32_t k = 0; k < m->count + looks; ++k) {
            const bool track = k < m->count;
            const int32_t e = lmb_face_find(face, track ? m->names[k] : look_names[k - m->count]);
            const float value = track ? m->values[k] : m->looks[k - m->count];
            if (e < 0) {
                continue;
            }
            if (pass == CLEAR && track) {
                clear_expression(face, e, first, weights);
            } else if (pass == OVERRIDE) {
                lmbi_face_add_overrides(&face->expressions[e], value, amounts);
            } else if (pass == ADD) {
                add_expression(face, e, value, amounts, first, weights);
            }
        }
    }
}

void lmb_face_weights(const lmb_face *face, const char *const *names, const float *values,
                      uint32_t track_count, const uint32_t *weight_first, float *weights)
{
    put_moment(face, &(moment){.names = names, .values = values, .count = track_count},
               weight_first, weights);
}

// ------------------------------------------------------------------------------------------- gaze

static float ranged(lmb_gaze_range range, float angle)
{
    const float share = angle / range.input_max_rad;
    return range.output * (share < 0 ? 0 : share > 1 ? 1 : share);
}

/// Weights of the four gaze expressions.
static void find_looks(const lmb_face *face, lmb_vec2 gaze, float looks[LOOKS])
{
    looks[0] = ranged(face->gaze_out, gaze.x);
    looks[1] = ranged(face->gaze_out, -gaze.x);
    looks[2] = ranged(face->gaze_up, gaze.y);
    looks[3] = ranged(face->gaze_down, -gaze.y);
}

/// Rotation of an eye in the body's axes (VRMC_vrm, lookAt): yaw about up, then pitch about the eye's
/// own side axis.
static lmb_quat eye_turn(const lmb_face *face, int side, lmb_vec2 gaze)
{
    const bool out = side == 0 ? gaze.x > 0 : gaze.x < 0;
    const float across = ranged(out ? face->gaze_out : face->gaze_in, fabsf(gaze.x));
    const float along = ranged(gaze.y > 0 ? face->gaze_up : face->gaze_down, fabsf(gaze.y));
    const float yaw = gaze.x > 0 ? across : -across, pitch = gaze.y > 0 ? along : -along;
    const lmb_quat about_up = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw);
    const lmb_quat about_side = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -pitch * face->facing);
    return lmb_quat_mul(about_up, about_side);
}

lmb_quat lmbi_rest_turn(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_quat turn = lmb_quat_identity();
    for (; joint >= 0; joint = skeleton->parents[joint]) {
        turn = lmb_quat_mul(skeleton->rest[joint].rotation, turn);
    }
    return turn;
}

static bool add_eye(putter *p, int side)
{
    const int32_t eye = p->face->eyes[side];
    const lmb_skeleton *skeleton = p->character->skeleton;
    const lmb_face_motion *m = p->motion;
    lmb_quat *turns = lmbi_arena_array(&p->arena, m->key_count, sizeof *turns);
    if (turns == NULL) {
        return false;
    }
    const lmb_quat above = lmbi_rest_turn(skeleton, skeleton->parents[eye]);
    for (uint32_t k = 0; k < m->key_count; ++k) {
        const lmb_quat turn = eye_turn(p->face, side, m->gaze[k]);
        const lmb_quat local = lmb_quat_mul(lmb_quat_conjugate(above), lmb_quat_mul(turn, above));
        turns[k] = lmb_quat_normalize(lmb_quat_mul(local, skeleton->rest[eye].rotation));
        if (k > 0 && lmb_quat_dot(turns[k - 1], turns[k]) < 0) {
            turns[k] = lmb_quat_make(-turns[k].x, -turns[k].y, -turns[k].z, -turns[k].w);
        }
    }
    p->channels[p->channel_count++] = (lmb_channel){.joint = (uint32_t)eye,
                                                    .path = LMB_PATH_ROTATION,
                                                    .width = 4,
                                                    .key_count = m->key_count - p->from,
                                                    .ticks = p->ticks + p->from,
                                                    .values = &turns[p->from].x};
    return true;
}

// ---------------------------------------------------------------------------------------- weights

static void touch(putter *p, const char *name)
{
    const int32_t e = lmb_face_find(p->face, name);
    for (uint32_t b = 0; e >= 0 && b < p->face->expressions[e].bind_count; ++b) {
        p->touched[p->face->expressions[e].binds[b].joint] = true;
    }
}

static bool gaze_is_expressed(const putter *p)
{
    return p->motion->gaze != NULL && p->face->gaze_by_expression;
}

static void find_touched(putter *p)
{
    for (uint32_t t = 0; t < p->motion->track_count; ++t) {
        const bool known = lmb_face_find(p->face, p->motion->names[t]) >= 0;
        p->report.matched += known;
        p->report.unmatched += !known;
        touch(p, p->motion->names[t]);
    }
    for (int k = 0; k < LOOKS && gaze_is_expressed(p); ++k) {
        p->report.has_gaze = p->report.has_gaze || lmb_face_find(p->face, look_names[k]) >= 0;
        touch(p, look_names[k]);
    }
}

static void fill_weights(putter *p)
{
    const lmb_face_motion *m = p->motion;
    for (uint32_t k = 0; k < m->key_count; ++k) {
        float *weights = p->weights + (size_t)k * p->weight_count;
        memcpy(weights, p->rest, p->weight_count * sizeof *weights);
        float looks[LOOKS];
        moment now = {.names = m->names,
                      .values = m->values + (size_t)k * m->track_count,
                      .count = m->track_count};
        if (gaze_is_expressed(p)) {
            find_looks(p->face, m->gaze[k], looks);
            now.looks = looks;
        }
        put_moment(p->face, &now, p->first, weights);
    }
}

static bool add_weights(putter *p, uint32_t joint)
{
    const uint32_t from = p->first[joint], width = p->first[joint + 1] - from;
    const uint32_t keys = p->motion->key_count;
    float *values = lmbi_arena_array(&p->arena, lmbi_size_mul(keys, width), sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < keys; ++k) {
        memcpy(values + (size_t)k * width, p->weights + (size_t)k * p->weight_count + from,
               width * sizeof *values);
    }
    p->channels[p->channel_count++] =
        (lmb_channel){.joint = joint,
                      .path = LMB_PATH_WEIGHTS,
                      .interpolation = p->motion->is_step ? LMB_STEP : LMB_LINEAR,
                      .width = width,
                      .key_count = keys - p->from,
                      .ticks = p->ticks + p->from,
                      .values = values + (size_t)p->from * width};
    return true;
}

// -------------------------------------------------------------------------------------------- clip

static bool replaced(const putter *p, const lmb_channel *channel)
{
    const bool eye = channel->path == LMB_PATH_ROTATION && p->report.has_gaze &&
                     !p->face->gaze_by_expression &&
                     ((int32_t)channel->joint == p->face->eyes[0] ||
                      (int32_t)channel->joint == p->face->eyes[1]);
    return eye || (channel->path == LMB_PATH_WEIGHTS && p->touched[channel->joint]);
}

static bool prepare(putter *p, const lmb_clip *clip, double shift_s)
{
    const uint32_t joints = p->character->skeleton->joint_count;
    const double second = clip->ticks_per_s > 0 ? (double)clip->ticks_per_s : 1;
    const uint32_t keys = p->motion->key_count;
    p->first = lmbi_arena_array(&p->arena, (size_t)joints + 1, sizeof *p->first);
    p->touched = lmbi_arena_array(&p->arena, joints, sizeof *p->touched);
    p->ticks = lmbi_arena_array(&p->arena, keys, sizeof *p->ticks);
    p->channels =
        lmbi_arena_array(&p->arena, (size_t)clip->channel_count + joints + 2, sizeof *p->channels);
    if (!p->first || !p->touched || !p->ticks || !p->channels) {
        return false;
    }
    p->weight_count = lmb_character_weights(p->character, p->first, NULL);
    p->rest = lmbi_arena_array(&p->arena, p->weight_count, sizeof *p->rest);
    p->weights =
        lmbi_arena_array(&p->arena, lmbi_size_mul(keys, p->weight_count), sizeof *p->weights);
    if (!p->rest || !p->weights) {
        return false;
    }
    (void)lmb_character_weights(p->character, p->first, p->rest);
    for (uint32_t k = 0; k < keys; ++k) {
        p->ticks[k] = (float)(((double)p->motion->times_s[k] + shift_s) * second);
        p->from = p->ticks[k] <= 0 ? k : p->from;
    }
    p->ticks[p->from] = p->ticks[p->from] < 0 ? 0 : p->ticks[p->from];
    return true;
}

static bool put(putter *p, const lmb_clip *clip)
{
    const bool eyes = p->motion->gaze != NULL && !p->face->gaze_by_expression &&
                      p->face->eyes[0] >= 0 && p->face->eyes[1] >= 0;
    find_touched(p);
    p->report.has_gaze = p->report.has_gaze || eyes;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (!replaced(p, &clip->channels[c])) {
            p->channels[p->channel_count++] = clip->channels[c];
        }
    }
    fill_weights(p);
    bool ok = true;
    for (uint32_t j = 0; j < p->character->skeleton->joint_count && ok; ++j) {
        ok = !p->touched[j] || add_weights(p, j);
    }
    for (int side = 0; side < 2 && ok && eyes; ++side) {
        ok = add_eye(p, side);
    }
    return ok;
}

lmb_result lmb_face_put(const lmb_character *character, const lmb_face *face,
                        const lmb_face_motion *motion, double shift_s, const lmb_clip *clip,
                        const lmb_allocator *alloc, lmb_clip **out, lmb_face_report *report,
                        lmb_error *error)
{
    putter p = {.character = character, .face = face, .motion = motion};
    lmbi_arena_init(&p.arena, alloc);
    lmb_result result = lmbi_fail_memory(error);
    if (prepare(&p, clip, shift_s) && put(&p, clip)) {
        lmb_clip def = *clip;
        def.channels = p.channels;
        def.channel_count = p.channel_count;
        result = lmb_clip_create(&def, alloc, out, error);
    }
    lmbi_arena_free(&p.arena);
    if (result == LMB_OK && report != NULL) {
        *report = p.report;
    }
    return result;
}

lmb_result lmbi_face_carry(const lmb_character *target, const lmb_character *source, uint32_t clip,
                           const lmb_allocator *alloc, lmb_clip **made, lmb_retarget_report *report,
                           lmb_error *error)
{
    lmb_face_motion *motion = NULL;
    lmb_face *face = NULL;
    lmb_clip *with_face = NULL;
    lmb_face_report faces = {0};
    const double shift_s =
        report->frame_rate > 0 ? -(double)report->dropped_frames / (double)report->frame_rate : 0;
    lmb_result code = lmb_face_motion_of_clip(source, clip, alloc, &motion, error);
    if (code == LMB_OK && motion != NULL) {
        code = lmb_face_create(target, alloc, &face, error);
    }
    if (code == LMB_OK && motion != NULL) {
        code = lmb_face_put(target, face, motion, shift_s, *made, alloc, &with_face, &faces, error);
    }
    if (with_face != NULL) {
        lmb_clip_destroy(*made);
        *made = with_face;
        report->expression_count = faces.matched;
        report->expressions_dropped = faces.unmatched;
        report->has_gaze = faces.has_gaze;
    }
    lmb_face_destroy(face);
    lmb_face_motion_destroy(motion);
    return code;
}
