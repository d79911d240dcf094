/// The built-in motions by name.
#include "base/error.h"
#include "procedural/gait.h"
#include "procedural/gesture.h"

#include <math.h>
#include <string.h>

#define RUNNING_CURL 0.7f

static const char *const names[LMB_MOTION_COUNT] = {"walk", "run", "idle", "wave", "jump"};

const char *lmb_motion_name(lmb_motion_kind kind)
{
    return (unsigned)kind < LMB_MOTION_COUNT ? names[kind] : "";
}

lmb_motion_kind lmb_motion_find(const char *name)
{
    int kind = 0;
    while (kind < LMB_MOTION_COUNT && strcmp(names[kind], name) != 0) {
        ++kind;
    }
    return (lmb_motion_kind)kind;
}

typedef struct motion_plan {
    lmb_motion_kind kind;
    lmbi_gait gait;
    bool in_place;
    uint32_t frame_count;
    float length_s;
} motion_plan;

/// Hands are closed while running.
static lmbi_figure_state gait_frame(const motion_plan *p, uint32_t frame)
{
    lmbi_figure_state figure = lmbi_gait_frame(&p->gait, frame, p->in_place);
    figure.curl[0] = figure.curl[1] =
        p->kind == LMB_MOTION_RUN ? RUNNING_CURL : FIGURE_CURL_AT_EASE;
    return figure;
}

static lmbi_figure_state make_frame(const void *context, uint32_t frame)
{
    const motion_plan *p = context;
    // The last frame repeats the first one exactly: the same time, without rounding differences.
    const float time_s = p->length_s * (float)(frame % p->frame_count) / (float)p->frame_count;
    switch (p->kind) {
    case LMB_MOTION_IDLE:
        return lmbi_idle_at(time_s);
    case LMB_MOTION_WAVE:
        return lmbi_wave_at(time_s);
    case LMB_MOTION_JUMP:
        return lmbi_jump_at(time_s);
    default:
        return gait_frame(p, frame);
    }
}

static lmb_result check_opts(const lmb_motion_opts *opts, float speed, float rate, lmb_error *error)
{
    const bool run = opts->kind == LMB_MOTION_RUN;
    if ((unsigned)opts->kind >= LMB_MOTION_COUNT) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a motion that there is", "number %d",
                         (int)opts->kind);
    }
    if (!(rate >= 12.0f && rate <= 480.0f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "12 to 480 frames a second", "%g", (double)rate);
    }
    if (opts->kind <= LMB_MOTION_RUN &&
        !(speed >= (run ? 2.0f : 0.6f) && speed <= (run ? 6.0f : 2.1f))) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         run ? "a run of 2 to 6 m/s" : "a walk of 0.6 to 2.1 m/s", "%g",
                         (double)speed);
    }
    return LMB_OK;
}

lmb_result lmb_motion_create(const lmb_motion_opts *opts, const lmb_allocator *alloc,
                             lmb_character **out, lmb_error *error)
{
    static const float lengths[LMB_MOTION_COUNT] = {0, 0, IDLE_S, WAVE_S, JUMP_S};
    const bool run = opts->kind == LMB_MOTION_RUN;
    const float speed = opts->speed_m_s != 0.0f ? opts->speed_m_s : (run ? 3.2f : 1.35f);
    const float rate = opts->frame_rate != 0.0f ? opts->frame_rate : 60.0f;
    const lmb_result result = check_opts(opts, speed, rate, error);
    if (result != LMB_OK) {
        return result;
    }
    motion_plan p = {.kind = opts->kind, .in_place = opts->in_place};
    if (opts->kind <= LMB_MOTION_RUN) {
        const lmbi_gait_style *style = lmbi_gait_style_of(run ? LMB_GAIT_RUN : LMB_GAIT_WALK, 2);
        lmbi_gait_init_figure(&p.gait, style);
        lmbi_gait_set_speed(&p.gait, style, speed, rate);
        p.frame_count = p.gait.frame_count;
    } else {
        p.frame_count = (uint32_t)floorf(lengths[opts->kind] * rate + 0.5f);
    }
    p.length_s = opts->kind <= LMB_MOTION_RUN ? (float)p.frame_count / rate : lengths[opts->kind];
    return lmbi_figure_character(names[opts->kind], make_frame, &p, p.frame_count, rate, alloc, out,
                                 error);
}
