/// A clip as a table of joint angles, for spreadsheets and statistics.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "io/clip_pose.h"
#include "io/common.h"
#include "math/math.h"

#define DEGREES (180.0f / LMB_PI)

typedef struct writer {
    const lmb_skeleton *skeleton;
    const lmb_clip *clip;
    double rate;
    lmbi_clip_frames cut;
    char order[4];
    lmbi_arena arena;
    lmb_transform *pose;
    float *angles; ///< of the previous frame, in degrees
    uint32_t *hints;
    lmbi_text text;
} writer;

static void add_name(lmbi_text *text, const char *name, const char *suffix)
{
    lmbi_text_add(text, ",");
    for (; *name != 0; ++name) {
        const bool clean = (unsigned char)*name >= ' ' && *name != ',' && *name != '"';
        lmbi_text_bytes(text, clean ? name : "_", 1);
    }
    lmbi_text_add(text, suffix);
}

static void add_head(writer *w)
{
    lmbi_text_add(&w->text, "frame,time");
    for (uint32_t j = 0; j < w->skeleton->joint_count; ++j) {
        const char *name = w->skeleton->names[j];
        if (w->skeleton->parents[j] == LMB_NONE) {
            add_name(&w->text, name, " px");
            add_name(&w->text, name, " py");
            add_name(&w->text, name, " pz");
        }
        for (int k = 0; k < 3; ++k) {
            const char suffix[4] = {' ', 'r', w->order[k], 0};
            add_name(&w->text, name, suffix);
        }
    }
    lmbi_text_add(&w->text, "\n");
}

static void add_number(lmbi_text *text, float value)
{
    lmbi_text_add(text, ",");
    lmbi_text_float(text, value);
}

/// Angles relative to the rest pose, each plus the multiple of 360 degrees nearest to the previous
/// frame's.
static void add_angles(writer *w, uint32_t joint, bool first)
{
    const lmb_quat back = lmb_quat_conjugate(w->skeleton->rest[joint].rotation);
    float *previous = w->angles + 3 * (size_t)joint, now[3];
    lmbi_quat_to_euler(lmb_quat_mul(back, w->pose[joint].rotation), w->order, now);
    for (int k = 0; k < 3; ++k) {
        now[k] *= DEGREES;
        now[k] += first ? 0 : 360 * rintf((previous[k] - now[k]) / 360);
        previous[k] = now[k];
        add_number(&w->text, now[k]);
    }
}

static void add_row(writer *w, uint32_t frame)
{
    lmbi_clip_pose(w->skeleton, w->clip, frame * w->cut.ticks_per_frame, w->hints, w->pose);
    lmbi_text_format(&w->text, "%u,%.6f", frame, frame / w->rate);
    for (uint32_t j = 0; j < w->skeleton->joint_count; ++j) {
        if (w->skeleton->parents[j] == LMB_NONE) {
            const lmb_vec3 t = w->pose[j].translation;
            add_number(&w->text, t.x);
            add_number(&w->text, t.y);
            add_number(&w->text, t.z);
        }
        add_angles(w, j, frame == 0);
    }
    lmbi_text_add(&w->text, "\n");
}

static lmb_result write_all(writer *w, const lmb_allocator *alloc, lmb_buffer *out,
                            lmb_error *error)
{
    const size_t n = w->skeleton->joint_count;
    w->pose = lmbi_arena_array(&w->arena, n, sizeof *w->pose);
    w->angles = lmbi_arena_array(&w->arena, n, 3 * sizeof *w->angles);
    w->hints = lmbi_arena_array(&w->arena, w->clip->channel_count, sizeof *w->hints);
    if (w->pose == NULL || w->angles == NULL || w->hints == NULL) {
        return lmbi_fail_memory(error);
    }
    lmbi_text_init(&w->text, alloc);
    add_head(w);
    for (uint32_t f = 0; f < w->cut.count && !w->text.failed; ++f) {
        add_row(w, f);
    }
    return lmbi_buffer_take(&w->text, out, error);
}

lmb_result lmb_angles_csv_write(const lmb_character *character, uint32_t clip, const char *order,
                                float rate, const lmb_allocator *alloc, lmb_buffer *out,
                                lmb_error *error)
{
    if (clip >= character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character", "clip %u of %u", clip,
                         character->clip_count);
    }
    writer w = {.skeleton = character->skeleton, .clip = character->clips[clip]};
    const float own = w.clip->frame_rate > 0 ? w.clip->frame_rate : 30;
    w.rate = rate > 0 ? (double)rate : (double)own;
    memcpy(w.order, order != NULL ? order : "zxy", 3);
    lmbi_arena_init(&w.arena, alloc);
    lmb_result result = lmbi_clip_cut(w.clip, 1 / w.rate, &w.cut, error);
    if (result == LMB_OK) {
        result = write_all(&w, alloc, out, error);
    }
    lmbi_arena_free(&w.arena);
    return result;
}
