/// Writes VRM animations (VRMC_vrm_animation 1.0): a humanoid in T-pose with bones named by bone,
/// and a clip of rotations and the hips' path.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "limber/anim.h"
#include "limber/capture.h"
#include "limber/io.h"
#include "retarget/retarget.h"

typedef struct writer {
    const lmb_character *character;
    const lmb_clip *clip;
    lmb_live *live;
    lmb_face_motion *face; ///< or NULL
    lmb_face *eyes;        ///< NULL: the clip does not move them
    lmb_quat *gaze;        ///< [frame_count] direction of the eyes
    double rate;
    uint32_t frame_count;
    lmb_vmc_frame *frames;
    lmbi_arena arena;
} writer;

static lmb_result allocate_frames(writer *w, float rate, lmb_error *error)
{
    const float target_pose = w->clip->frame_rate > 0 ? w->clip->frame_rate : 30;
    w->rate = rate > 0 ? (double)rate : (double)target_pose;
    const double count = floor((double)lmb_clip_duration_s(w->clip) * w->rate + 1e-3) + 1;
    if (!(count >= 1 && count <= 1e7)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 10 million frames", "%g", count);
    }
    w->frame_count = (uint32_t)count;
    w->frames = lmbi_arena_array(&w->arena, w->frame_count, sizeof *w->frames);
    return w->frames != NULL ? LMB_OK : lmbi_fail_memory(error);
}

/// Samples rotations relative to a T-pose, and gaze, frame by frame.
static lmb_result sample_frames(writer *w, lmb_error *error)
{
    const lmb_skeleton *skeleton = w->character->skeleton;
    lmb_transform *pose = lmbi_arena_array(&w->arena, skeleton->joint_count, sizeof *pose);
    lmb_transform *target_pose =
        lmbi_arena_array(&w->arena, skeleton->joint_count, sizeof *target_pose);
    w->gaze = lmbi_arena_array(&w->arena, w->frame_count, sizeof *w->gaze);
    if (pose == NULL || target_pose == NULL || w->gaze == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < w->frame_count; ++f) {
        const double time_s = (double)f / w->rate;
        lmb_sample(&(lmb_sample_job){.clip = w->clip,
                                     .time_s = time_s,
                                     .mode = LMB_PLAY_CLAMP,
                                     .joint_count = skeleton->joint_count,
                                     .rest = skeleton->rest,
                                     .pose = pose});
        if (w->eyes != NULL) {
            const lmb_vec2 at = lmbi_gaze_of_eyes(w->eyes, skeleton, pose);
            const lmb_vec3 up = {0, 1, 0}, side = {1, 0, 0};
            w->gaze[f] =
                lmb_quat_mul(lmb_quat_axis_angle(up, at.x), lmb_quat_axis_angle(side, -at.y));
        }
        lmb_live_step(w->live, pose, target_pose);
        w->frames[f].time_s = time_s;
        lmb_live_frame(w->live, &w->frames[f]);
    }
    return LMB_OK;
}

// ------------------------------------------------------------------------------------- character

/// Height of the ankle above the sole as a fraction of the distance from hip to ankle: 0.039 of
/// 0.491 of the body's height (Drillis and Contini 1966). The ball of the foot is half as high.
#define ANKLE_FRACTION 0.08f
#define TOES_FRACTION 0.04f

/// Height of the hips above the sole in T-pose, from the lowest joint. Players scale the hips' path
/// by it.
static float hips_height(const lmb_skeleton *skeleton, uint32_t hips, lmb_vec3 *positions)
{
    uint32_t lowest = hips;
    for (uint32_t j = hips; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        positions[j] = j == hips || parent < (int32_t)hips
                           ? lmb_vec3_make(0, 0, 0)
                           : lmb_vec3_add(positions[parent], skeleton->rest[j].translation);
        lowest = positions[j].y < positions[lowest].y ? j : lowest;
    }
    const bool is_ankle = strstr(skeleton->names[lowest], "Foot") != NULL;
    return -positions[lowest].y * (1 + (is_ankle ? ANKLE_FRACTION : TOES_FRACTION));
}

/// Each expression has a node of its own whose x translation is its weight.
static uint32_t expression_count(const writer *w)
{
    return w->face != NULL ? w->face->track_count : 0;
}

/// One more node rotates to the gaze.
static uint32_t face_joint_count(const writer *w)
{
    return expression_count(w) + (w->eyes != NULL);
}

static lmb_result make_skeleton(writer *w, const lmb_skeleton *from, const lmb_allocator *alloc,
                                lmb_skeleton **out, lmb_error *error)
{
    const uint32_t bones = from->joint_count, n = bones + face_joint_count(w);
    lmb_skeleton def = *from;
    def.joint_count = n;
    def.parents = lmbi_arena_array(&w->arena, n, sizeof *def.parents);
    def.names = lmbi_arena_array(&w->arena, n, sizeof *def.names);
    def.rest = lmbi_arena_array(&w->arena, n, sizeof *def.rest);
    def.source_index = lmbi_arena_array(&w->arena, n, sizeof *def.source_index);
    lmb_vec3 *positions = lmbi_arena_array(&w->arena, n, sizeof *positions);
    if (def.rest == NULL || def.source_index == NULL || positions == NULL || def.parents == NULL ||
        def.names == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(def.rest, from->rest, bones * sizeof *def.rest);
    memcpy(def.parents, from->parents, bones * sizeof *def.parents);
    memcpy(def.names, from->names, bones * sizeof *def.names);
    for (uint32_t j = 0; j < n; ++j) {
        def.source_index[j] = j; // the extension refers to nodes by index, so their order is kept
        if (j >= bones) {
            def.rest[j] = lmb_transform_identity();
            def.parents[j] = 0;
            def.names[j] = j - bones < expression_count(w) ? w->face->names[j - bones] : "lookAt";
        } else if (strcmp(from->names[j], "hips") == 0) {
            def.rest[j].translation = lmb_vec3_make(0, hips_height(from, j, positions), 0);
        }
    }
    return lmb_skeleton_create(&def, alloc, out, error);
}

static bool add_expressions(writer *w, uint32_t bones, lmb_clip *def)
{
    const lmb_face_motion *face = w->face;
    for (uint32_t e = 0; e < expression_count(w); ++e) {
        float *values = lmbi_arena_array(&w->arena, face->key_count, 3 * sizeof *values);
        if (values == NULL) {
            return false;
        }
        for (uint32_t k = 0; k < face->key_count; ++k) {
            values[3 * (size_t)k] = face->values[(size_t)k * face->track_count + e];
        }
        def->channels[def->channel_count++] =
            (lmb_channel){.joint = bones + e,
                          .path = LMB_PATH_TRANSLATION,
                          .interpolation = face->is_step ? LMB_STEP : LMB_LINEAR,
                          .width = 3,
                          .key_count = face->key_count,
                          .ticks = face->times_s,
                          .values = values};
    }
    return true;
}

static bool add_gaze(writer *w, uint32_t joint, lmb_clip *def)
{
    float *times = lmbi_arena_array(&w->arena, w->frame_count, sizeof *times);
    for (uint32_t f = 0; times != NULL && f < w->frame_count; ++f) {
        times[f] = (float)w->frames[f].time_s;
        if (f > 0 && lmb_quat_dot(w->gaze[f - 1], w->gaze[f]) < 0) {
            const lmb_quat q = w->gaze[f];
            w->gaze[f] = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
        }
    }
    def->channels[def->channel_count++] = (lmb_channel){.joint = joint,
                                                        .path = LMB_PATH_ROTATION,
                                                        .width = 4,
                                                        .key_count = w->frame_count,
                                                        .ticks = times,
                                                        .values = &w->gaze[0].x};
    return times != NULL;
}

/// Leaves out the root's channels: they are constant, and the format does not have them.
static lmb_result make_clip(writer *w, const lmb_clip *from, uint32_t bones,
                            const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    lmb_clip def = *from;
    def.name = w->clip->name;
    def.channel_count = 0;
    def.channels = lmbi_arena_array(&w->arena, (size_t)from->channel_count + face_joint_count(w),
                                    sizeof *def.channels);
    if (def.channels == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t c = 0; c < from->channel_count; ++c) {
        if (from->channels[c].joint != 0) {
            def.channels[def.channel_count++] = from->channels[c];
        }
    }
    if (!add_expressions(w, bones, &def) ||
        (w->eyes != NULL && !add_gaze(w, bones + expression_count(w), &def))) {
        return lmbi_fail_memory(error);
    }
    return lmb_clip_create(&def, alloc, out, error);
}

static void write_expressions(lmbi_json_out *json, const writer *w, uint32_t bones)
{
    static const char *const groups[2] = {"preset", "custom"};
    lmbi_json_open(json, "expressions", '{');
    for (int g = 0; g < 2; ++g) {
        lmbi_json_open(json, groups[g], '{');
        for (uint32_t e = 0; e < expression_count(w); ++e) {
            if (lmbi_expression_is_preset(w->face->names[e]) == (g == 0)) {
                lmbi_json_open(json, w->face->names[e], '{');
                lmbi_json_put_int(json, "node", bones + e);
                lmbi_json_close(json, '}');
            }
        }
        lmbi_json_close(json, '}');
    }
    lmbi_json_close(json, '}');
}

/// Writes the extension's JSON. Eyes are not among the bones: the format has a look-at for them.
static void write_extension(lmbi_text *text, const writer *w, const lmb_skeleton *skeleton)
{
    lmbi_json_out json = {.text = text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    lmbi_json_open(&json, "extensions", '{');
    lmbi_json_open(&json, "VRMC_vrm_animation", '{');
    lmbi_json_put_string(&json, "specVersion", "1.0");
    lmbi_json_open(&json, "humanoid", '{');
    lmbi_json_open(&json, "humanBones", '{');
    const uint32_t bones = skeleton->joint_count - face_joint_count(w);
    for (uint32_t j = 0; j < bones; ++j) {
        const lmb_human_bone bone = lmb_human_bone_find(skeleton->names[j]);
        if (bone < LMB_HUMAN_BONE_COUNT && bone != LMB_HUMAN_LEFT_EYE &&
            bone != LMB_HUMAN_RIGHT_EYE) {
            lmbi_json_open(&json, skeleton->names[j], '{');
            lmbi_json_put_int(&json, "node", j);
            lmbi_json_close(&json, '}');
        }
    }
    lmbi_json_close(&json, '}');
    lmbi_json_close(&json, '}');
    if (expression_count(w) > 0) {
        write_expressions(&json, w, bones);
    }
    if (w->eyes != NULL) {
        const float offset[3] = {0, 0, 0};
        lmbi_json_open(&json, "lookAt", '{');
        lmbi_json_put_int(&json, "node", bones + expression_count(w));
        lmbi_json_put_floats(&json, "offsetFromHeadBone", offset, 3);
        lmbi_json_close(&json, '}');
    }
    for (int k = 0; k < 3; ++k) {
        lmbi_json_close(&json, '}');
    }
    lmbi_text_bytes(text, "", 1);
}

static lmb_result make_look(const writer *w, const lmb_skeleton *skeleton,
                            const lmb_allocator *alloc, lmb_appearance **out, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    write_extension(&text, w, skeleton);
    lmb_result result = lmbi_fail_memory(error);
    if (!text.failed) {
        const lmb_appearance def = {.carried = (const char *)text.data,
                                    .extensions_used = "[\"VRMC_vrm_animation\"]"};
        result = lmb_appearance_create(&def, alloc, out, error);
    }
    lmbi_text_free(&text);
    return result;
}

static lmb_result write_upright(writer *w, const lmb_character *upright, const lmb_allocator *alloc,
                                lmb_buffer *out, lmb_error *error)
{
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    lmb_appearance *look = NULL;
    lmb_result result = make_skeleton(w, upright->skeleton, alloc, &skeleton, error);
    if (result == LMB_OK) {
        result =
            make_clip(w, upright->clips[0], upright->skeleton->joint_count, alloc, &clip, error);
    }
    if (result == LMB_OK) {
        result = make_look(w, skeleton, alloc, &look, error);
    }
    if (result == LMB_OK) {
        const lmb_character character = {
            .skeleton = skeleton, .appearance = look, .clip_count = 1, .clips = &clip};
        result = lmb_gltf_write(&character, NULL, alloc, out, error);
    }
    lmb_appearance_destroy(look);
    lmb_clip_destroy(clip);
    lmb_skeleton_destroy(skeleton);
    return result;
}

/// Finds the clip's expressions, and whether it moves the eyes.
static lmb_result find_face(writer *w, uint32_t clip, const lmb_allocator *alloc, lmb_error *error)
{
    lmb_result result = lmb_face_motion_of_clip(w->character, clip, alloc, &w->face, error);
    if (result == LMB_OK) {
        result = lmb_face_create(w->character, alloc, &w->eyes, error);
    }
    if (result == LMB_OK && !lmbi_eyes_move(w->eyes, w->clip)) {
        lmb_face_destroy(w->eyes);
        w->eyes = NULL;
    }
    return result;
}

lmb_result lmb_vrma_write(const lmb_character *character, uint32_t clip,
                          const lmb_vrma_write_opts *opts, const lmb_allocator *alloc,
                          lmb_buffer *out, lmb_error *error)
{
    if (clip >= character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character", "clip %u of %u", clip,
                         character->clip_count);
    }
    writer w = {.character = character, .clip = character->clips[clip]};
    lmb_joint_map map;
    lmb_result result = LMB_OK;
    if (opts != NULL && opts->map != NULL) {
        map = *opts->map;
    } else {
        result = lmb_joint_map_of_character(character, alloc, &map, error);
    }
    const lmb_retarget_opts retarget_opts = {
        .method = LMB_RETARGET_HUMAN, .target_map = &map, .source_map = &map};
    lmb_character *upright = NULL;
    lmbi_arena_init(&w.arena, alloc);
    if (result == LMB_OK) {
        result = lmb_live_create(character, character, &retarget_opts, alloc, &w.live, error);
    }
    if (result == LMB_OK) {
        result = find_face(&w, clip, alloc, error);
    }
    if (result == LMB_OK) {
        result = allocate_frames(&w, opts != NULL ? opts->frame_rate : 0, error);
    }
    if (result == LMB_OK) {
        result = sample_frames(&w, error);
    }
    if (result == LMB_OK) {
        result = lmb_vmc_character(w.frames, w.frame_count, alloc, &upright, error);
    }
    if (result == LMB_OK) {
        result = write_upright(&w, upright, alloc, out, error);
    }
    lmb_character_destroy(upright);
    lmb_live_destroy(w.live);
    lmb_face_motion_destroy(w.face);
    lmb_face_destroy(w.eyes);
    lmbi_arena_free(&w.arena);
    return result;
}
