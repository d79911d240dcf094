/// Writes expressions over time to a character's morph targets, and a gaze to its eyes.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "math/math.h"
#include "retarget/retarget.h"

typedef struct face_writer {
    const lmb_character *character;
    const lmb_face *face;
    const lmb_face_motion *motion;
    lmbi_arena arena;
    uint32_t *first;
    float *rest;
    float *weights; ///< [key_count][weight_count]
    uint32_t weight_count;
    bool *animated; ///< [joint_count] instances whose weights are animated
    uint32_t from;  ///< last key at or before the clip's start
    float *ticks;
    lmb_channel *channels;
    uint32_t channel_count;
    lmb_face_report report;
} face_writer;

/// Adds an expression's binds, reduced by overrides.
static void add_expression(const lmb_face *face, int32_t index, float value,
                           const float amounts[LMBI_FACE_PARTS], const uint32_t *first,
                           float *weights)
{
    const lmb_expression *e = &face->expressions[index];
    const float output = lmbi_face_overridden(e, amounts, value);
    for (uint32_t b = 0; b < e->bind_count; ++b) {
        weights[first[e->binds[b].joint] + e->binds[b].target] += output * e->binds[b].weight;
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
typedef struct face_frame {
    const char *const *names;
    const float *values;
    uint32_t count;
    const float *gaze_weights; ///< [GAZE_COUNT], or NULL
} face_frame;

enum { GAZE_COUNT = 4 };
static const char *const gaze_names[GAZE_COUNT] = {"lookLeft", "lookRight", "lookUp", "lookDown"};

static void write_frame(const lmb_face *face, const face_frame *m, const uint32_t *first,
                        float *weights)
{
    enum { CLEAR, OVERRIDE, ADD, PASSES };
    const uint32_t gaze_weights = m->gaze_weights != NULL ? GAZE_COUNT : 0;
    float amounts[LMBI_FACE_PARTS] = {0, 0, 0};
    for (int pass = 0; pass < PASSES; ++pass) {
        for (uint32_t k = 0; k < m->count + gaze_weights; ++k) {
            const bool track = k < m->count;
            const int32_t e = lmbi_face_find(face, track ? m->names[k] : gaze_names[k - m->count]);
            const float value = track ? m->values[k] : m->gaze_weights[k - m->count];
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

void lmbi_face_weights(const lmb_face *face, const char *const *names, const float *values,
                       uint32_t track_count, const uint32_t *weight_first, float *weights)
{
    write_frame(face, &(face_frame){.names = names, .values = values, .count = track_count},
                weight_first, weights);
}

// ------------------------------------------------------------------------------------------- gaze

static float map_range(lmb_gaze_range range, float angle)
{
    const float fraction = angle / range.input_max_rad;
    return range.output * (fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
}

/// Weights of the four gaze expressions.
static void find_gaze_weights(const lmb_face *face, lmb_vec2 gaze, float gaze_weights[GAZE_COUNT])
{
    gaze_weights[0] = map_range(face->gaze_out, gaze.x);
    gaze_weights[1] = map_range(face->gaze_out, -gaze.x);
    gaze_weights[2] = map_range(face->gaze_up, gaze.y);
    gaze_weights[3] = map_range(face->gaze_down, -gaze.y);
}

/// Rotation of an eye in the body's axes (VRMC_vrm, lookAt): yaw about up, then pitch about the
/// eye's own side axis.
static lmb_quat eye_rotation(const lmb_face *face, int side, lmb_vec2 gaze)
{
    const bool out = side == 0 ? gaze.x > 0 : gaze.x < 0;
    const float across = map_range(out ? face->gaze_out : face->gaze_in, fabsf(gaze.x));
    const float along = map_range(gaze.y > 0 ? face->gaze_up : face->gaze_down, fabsf(gaze.y));
    const float yaw = gaze.x > 0 ? across : -across, pitch = gaze.y > 0 ? along : -along;
    const lmb_quat about_up = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw);
    const lmb_quat about_side = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -pitch * face->facing);
    return lmb_quat_mul(about_up, about_side);
}

lmb_quat lmbi_rest_rotation(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_quat rotation = lmb_quat_identity();
    for (; joint >= 0; joint = skeleton->parents[joint]) {
        rotation = lmb_quat_mul(skeleton->rest[joint].rotation, rotation);
    }
    return rotation;
}

static bool add_eye(face_writer *p, int side)
{
    const int32_t eye = p->face->eyes[side];
    const lmb_skeleton *skeleton = p->character->skeleton;
    const lmb_face_motion *m = p->motion;
    lmb_quat *rotations = lmbi_arena_array(&p->arena, m->key_count, sizeof *rotations);
    if (rotations == NULL) {
        return false;
    }
    const lmb_quat above = lmbi_rest_rotation(skeleton, skeleton->parents[eye]);
    for (uint32_t k = 0; k < m->key_count; ++k) {
        const lmb_quat rotation = eye_rotation(p->face, side, m->gaze[k]);
        const lmb_quat local =
            lmb_quat_mul(lmb_quat_conjugate(above), lmb_quat_mul(rotation, above));
        rotations[k] = lmb_quat_normalize(lmb_quat_mul(local, skeleton->rest[eye].rotation));
        if (k > 0 && lmb_quat_dot(rotations[k - 1], rotations[k]) < 0) {
            rotations[k] =
                lmb_quat_make(-rotations[k].x, -rotations[k].y, -rotations[k].z, -rotations[k].w);
        }
    }
    p->channels[p->channel_count++] = (lmb_channel){.joint = (uint32_t)eye,
                                                    .path = LMB_PATH_ROTATION,
                                                    .width = 4,
                                                    .key_count = m->key_count - p->from,
                                                    .ticks = p->ticks + p->from,
                                                    .values = &rotations[p->from].x};
    return true;
}

/// Inverts a range map: the gaze angle that rotates an eye by `angle`. The identity if the range
/// has no output.
static float unmap_range(lmb_gaze_range range, float angle)
{
    const float size = fabsf(angle), most = fabsf(range.output);
    const float fraction = most > 1e-6f ? size / most : size / range.input_max_rad;
    const float gaze = range.input_max_rad * (fraction < 1 ? fraction : 1);
    return angle < 0 ? -gaze : gaze;
}

bool lmbi_eyes_move(const lmb_face *face, const lmb_clip *clip)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const int32_t joint = (int32_t)clip->channels[c].joint;
        if (clip->channels[c].path == LMB_PATH_ROTATION && face->eyes[0] >= 0 &&
            face->eyes[1] >= 0 && (joint == face->eyes[0] || joint == face->eyes[1])) {
            return true;
        }
    }
    return false;
}

/// Yaw to the left and pitch upward of an eye's forward direction relative to the rest pose.
static lmb_vec2 eye_angles(const lmb_face *face, const lmb_skeleton *skeleton, int32_t eye,
                           lmb_quat local)
{
    const lmb_quat above = lmbi_rest_rotation(skeleton, skeleton->parents[eye]);
    const lmb_quat from_rest =
        lmb_quat_mul(local, lmb_quat_conjugate(skeleton->rest[eye].rotation));
    const lmb_quat rotation =
        lmb_quat_mul(above, lmb_quat_mul(from_rest, lmb_quat_conjugate(above)));
    const lmb_vec3 forward = lmb_quat_rotate(rotation, lmb_vec3_make(0, 0, face->facing));
    const float up = forward.y < -1 ? -1 : forward.y > 1 ? 1 : forward.y;
    return (lmb_vec2){lmb_atan2(face->facing * forward.x, face->facing * forward.z), lmbi_asin(up)};
}

lmb_vec2 lmbi_gaze_of_eyes(const lmb_face *face, const lmb_skeleton *skeleton,
                           const lmb_transform *local)
{
    lmb_vec2 gaze = {0, 0};
    for (int side = 0; side < 2; ++side) {
        const int32_t eye = face->eyes[side];
        const lmb_vec2 rotation = eye_angles(face, skeleton, eye, local[eye].rotation);
        const bool out = side == 0 ? rotation.x > 0 : rotation.x < 0;
        gaze.x += 0.5f * unmap_range(out ? face->gaze_out : face->gaze_in, rotation.x);
        gaze.y += 0.5f * unmap_range(rotation.y > 0 ? face->gaze_up : face->gaze_down, rotation.y);
    }
    return gaze;
}

// ---------------------------------------------------------------------------------------- weights

static void mark_animated(face_writer *p, const char *name)
{
    const int32_t e = lmbi_face_find(p->face, name);
    for (uint32_t b = 0; e >= 0 && b < p->face->expressions[e].bind_count; ++b) {
        p->animated[p->face->expressions[e].binds[b].joint] = true;
    }
}

static bool gaze_is_expressed(const face_writer *p)
{
    return p->motion->gaze != NULL && p->face->gaze_by_expression;
}

static void find_animated(face_writer *p)
{
    for (uint32_t t = 0; t < p->motion->track_count; ++t) {
        const bool known = lmbi_face_find(p->face, p->motion->names[t]) >= 0;
        p->report.matched += known;
        p->report.unmatched += !known;
        mark_animated(p, p->motion->names[t]);
    }
    for (int k = 0; k < GAZE_COUNT && gaze_is_expressed(p); ++k) {
        p->report.has_gaze = p->report.has_gaze || lmbi_face_find(p->face, gaze_names[k]) >= 0;
        mark_animated(p, gaze_names[k]);
    }
}

static void fill_weights(face_writer *p)
{
    const lmb_face_motion *m = p->motion;
    for (uint32_t k = 0; k < m->key_count; ++k) {
        float *weights = p->weights + (size_t)k * p->weight_count;
        memcpy(weights, p->rest, p->weight_count * sizeof *weights);
        float gaze_weights[GAZE_COUNT];
        face_frame now = {.names = m->names,
                          .values = m->values + (size_t)k * m->track_count,
                          .count = m->track_count};
        if (gaze_is_expressed(p)) {
            find_gaze_weights(p->face, m->gaze[k], gaze_weights);
            now.gaze_weights = gaze_weights;
        }
        write_frame(p->face, &now, p->first, weights);
    }
}

static bool add_weights(face_writer *p, uint32_t joint)
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

static bool is_replaced(const face_writer *p, const lmb_channel *channel)
{
    const bool eye = channel->path == LMB_PATH_ROTATION && p->report.has_gaze &&
                     !p->face->gaze_by_expression &&
                     ((int32_t)channel->joint == p->face->eyes[0] ||
                      (int32_t)channel->joint == p->face->eyes[1]);
    return eye || (channel->path == LMB_PATH_WEIGHTS && p->animated[channel->joint]);
}

static bool begin_writer(face_writer *p, const lmb_clip *clip, double shift_s)
{
    const uint32_t joints = p->character->skeleton->joint_count;
    const double second = clip->ticks_per_s > 0 ? (double)clip->ticks_per_s : 1;
    const uint32_t keys = p->motion->key_count;
    p->first = lmbi_arena_array(&p->arena, (size_t)joints + 1, sizeof *p->first);
    p->animated = lmbi_arena_array(&p->arena, joints, sizeof *p->animated);
    p->ticks = lmbi_arena_array(&p->arena, keys, sizeof *p->ticks);
    p->channels =
        lmbi_arena_array(&p->arena, (size_t)clip->channel_count + joints + 2, sizeof *p->channels);
    if (!p->first || !p->animated || !p->ticks || !p->channels) {
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

static bool write_channels(face_writer *p, const lmb_clip *clip)
{
    const bool eyes = p->motion->gaze != NULL && !p->face->gaze_by_expression &&
                      p->face->eyes[0] >= 0 && p->face->eyes[1] >= 0;
    find_animated(p);
    p->report.has_gaze = p->report.has_gaze || eyes;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (!is_replaced(p, &clip->channels[c])) {
            p->channels[p->channel_count++] = clip->channels[c];
        }
    }
    fill_weights(p);
    bool ok = true;
    for (uint32_t j = 0; j < p->character->skeleton->joint_count && ok; ++j) {
        ok = !p->animated[j] || add_weights(p, j);
    }
    for (int side = 0; side < 2 && ok && eyes; ++side) {
        ok = add_eye(p, side);
    }
    return ok;
}

lmb_result lmb_face_apply(const lmb_face_apply_job *job, const lmb_allocator *alloc, lmb_clip **out,
                          lmb_face_report *report, lmb_error *error)
{
    const lmb_clip *clip = job->clip;
    face_writer p = {.character = job->character, .face = job->face, .motion = job->motion};
    lmbi_arena_init(&p.arena, alloc);
    lmb_result result = lmbi_fail_memory(error);
    if (begin_writer(&p, clip, job->shift_s) && write_channels(&p, clip)) {
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

lmb_result lmbi_face_transfer(const lmb_character *target, const lmb_character *source,
                              uint32_t clip, const lmb_allocator *alloc, lmb_clip **made,
                              lmb_retarget_report *report, lmb_error *error)
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
        code = lmb_face_apply(&(lmb_face_apply_job){.character = target,
                                                    .face = face,
                                                    .motion = motion,
                                                    .clip = *made,
                                                    .shift_s = shift_s},
                              alloc, &with_face, &faces, error);
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
