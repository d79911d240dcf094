/// Plays a human's motion on the generated humanoid.
#include <math.h>

#include "base/error.h"
#include "math/scalar.h"
#include "procedural/motion_play.h"

#define WALK_SPEED 1.35f
#define RUN_SPEED 3.2f
/// Range of the energy slider, and of a gait's speed for legs of FIGURE_LEG.
#define ENERGY_MOST 2.0f
#define FROUDE_SLOWEST 0.105f

typedef struct performance {
    const lmb_motion *motion;
    lmb_motion_sliders sliders;
    lmbi_gait_style style;
    lmbi_gait gait;
    uint32_t frame_count;
    float rate, length_s;
    bool is_plain; ///< a base without keys, as it is
} performance;

// ----------------------------------------------------------------------------------------- sliders

float lmbi_slider(float value)
{
    return value > 0.0f ? value : 1.0f;
}

lmb_result lmbi_sliders_check(const lmb_motion *m, const lmb_motion_sliders *s, lmb_error *error)
{
    const float rate = s->frame_rate > 0.0f ? s->frame_rate : 60.0f;
    if (!(rate >= 12.0f && rate <= 480.0f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "12 to 480 frames a second", "%g", (double)rate);
    }
    if (!(s->stride >= 0.0f && s->stride <= 2.0f && s->energy >= 0.0f &&
          s->energy <= ENERGY_MOST)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "stride and energy of at most 2", "%g and %g",
                         (double)s->stride, (double)s->energy);
    }
    if (!(fabsf(s->arm_space_rad) <= 0.7855f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "arm space within 45 degrees", "%g",
                         (double)(s->arm_space_rad * 180.0f / LMB_PI));
    }
    if (m->base != BASE_GAIT && !(s->speed >= 0.0f && s->speed <= 4.0f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "up to 4 times as fast", "%g", (double)s->speed);
    }
    return LMB_OK;
}

// ------------------------------------------------------------------------------------------- gaits

static float setting_or(const lmb_motion *m, lmbi_gait_setting setting, float otherwise)
{
    return m->is_set[setting] ? m->settings[setting] : otherwise;
}

/// The gait's style with what the text says of arms and feet.
static lmbi_gait_style style_of(const lmb_motion *m)
{
    lmbi_gait_style st = *lmbi_gait_style_of(m->gait, 2);
    st.elbow = setting_or(m, SETTING_ELBOW, st.elbow);
    st.arm_down = 90.0f - setting_or(m, SETTING_ARM_OUT, 90.0f - st.arm_down);
    st.arm_middle = setting_or(m, SETTING_ARM_FORWARD, st.arm_middle);
    st.across = setting_or(m, SETTING_ACROSS, st.across);
    st.toe_out = setting_or(m, SETTING_TOE_OUT, st.toe_out);
    st.sway *= setting_or(m, SETTING_SWAY, 1);
    st.offset[1] += setting_or(m, SETTING_LIMP, 0);
    return st;
}

static lmb_result set_gait(performance *p, lmb_error *error)
{
    const lmb_motion *m = p->motion;
    const lmb_motion_sliders *s = &p->sliders;
    const bool run = m->gait == LMB_GAIT_RUN;
    const float energy = lmbi_slider(s->energy);
    p->style = style_of(m);
    lmbi_gait *g = &p->gait;
    float range[2];
    lmbi_gait_speeds(&p->style, FIGURE_LEG, range);
    range[0] = fminf(range[0], FROUDE_SLOWEST * lmb_sqrt(9.81f * FIGURE_LEG));
    const float speed =
        s->speed > 0.0f ? s->speed : setting_or(m, SETTING_SPEED, run ? RUN_SPEED : WALK_SPEED);
    if (!(speed >= 0.99f * range[0] && speed <= 1.01f * range[1])) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         run ? "a run of 0.3 to 6 m/s" : "a walk of 0.3 to 2.1 m/s", "%g",
                         (double)speed);
    }
    lmbi_gait_init_figure(g, &p->style);
    g->bounce = setting_or(m, SETTING_BOUNCE, 1) * energy;
    g->swing = setting_or(m, SETTING_ARMS, 1) * energy;
    g->hips = setting_or(m, SETTING_HIPS, 1) * energy;
    g->lift = setting_or(m, SETTING_LIFT, 1);
    g->lean = setting_or(m, SETTING_LEAN, 0);
    g->nod = setting_or(m, SETTING_NOD, 0);
    g->stride_factor = setting_or(m, SETTING_STRIDE, 1) * lmbi_slider(s->stride);
    g->max_height = FIGURE_HIP_HEIGHT * (1.0f - setting_or(m, SETTING_CROUCH, 0));
    for (int side = 0; side < 2; ++side) {
        g->legs[side].lateral *= setting_or(m, SETTING_WIDTH, 1);
    }
    lmbi_gait_set_speed(g, &p->style, speed, p->rate);
    p->frame_count = (uint32_t)m->length * g->frame_count;
    return LMB_OK;
}

float lmbi_motion_gait_s(const lmb_motion *motion)
{
    performance p = {.motion = motion, .rate = 60.0f};
    return set_gait(&p, NULL) == LMB_OK ? (float)p.frame_count / p.rate : 0.0f;
}

// ------------------------------------------------------------------------------------------ frames

static lmbi_figure_state shift(lmbi_figure_state figure, lmb_vec3 by)
{
    figure.hips = lmb_vec3_add(figure.hips, by);
    for (int side = 0; side < 2; ++side) {
        figure.ankle[side] = lmb_vec3_add(figure.ankle[side], by);
    }
    return figure;
}

/// The gait's frame; in reverse, the walk played backwards.
static lmbi_figure_state gait_frame(const performance *p, uint32_t frame)
{
    const bool in_place = p->sliders.in_place;
    lmbi_figure_state figure;
    if (setting_or(p->motion, SETTING_REVERSE, 0) < 0.5f) {
        figure = lmbi_gait_frame(&p->gait, frame, in_place);
    } else {
        const float travel = in_place ? 0.0f : -p->gait.stride * p->motion->length;
        figure = lmbi_gait_frame(&p->gait, p->frame_count - frame, in_place);
        figure = shift(figure, lmb_vec3_make(0, 0, travel));
    }
    figure.curl[0] = figure.curl[1] =
        p->motion->gait == LMB_GAIT_RUN ? LMBI_RUNNING_CURL : FIGURE_CURL_AT_EASE;
    return figure;
}

static lmbi_figure_state base_frame(const performance *p, uint32_t frame, float u)
{
    switch (p->motion->base) {
    case BASE_GAIT:
        return gait_frame(p, frame);
    case BASE_BREATHE:
        return lmbi_figure_breathe(u * p->length_s, p->length_s);
    case BASE_WAVE:
        return lmbi_figure_wave(u);
    case BASE_JUMP:
        return lmbi_figure_jump(u);
    default:
        return lmbi_figure_stand();
    }
}

static void scale_steps(lmbi_motion_values *v, float stride)
{
    static const lmbi_motion_row steps[] = {ROW_HIPS_X, ROW_HIPS_Z, ROW_FOOT_X, ROW_FOOT_Z};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
        v->at[steps[k]][0] *= stride;
        v->at[steps[k]][1] *= stride;
    }
}

/// Hips without keys of their own go evenly where a loop travels.
static void add_travel(const lmb_motion *m, float u, lmbi_motion_values *v)
{
    for (int axis = 0; axis < 3 && m->loops; ++axis) {
        if (!m->uses[ROW_HIPS_X + axis][0]) {
            v->at[ROW_HIPS_X + axis][0] += m->travel[axis] * u;
        }
    }
}

static lmbi_figure_state make_frame(const void *context, uint32_t frame)
{
    const performance *p = context;
    const lmb_motion *m = p->motion;
    // The last frame of a loop is the first, exactly.
    const uint32_t k = m->loops ? frame % p->frame_count : frame;
    const float u = (float)k / (float)p->frame_count;
    const float stride = lmbi_slider(p->sliders.stride);
    lmbi_figure_state figure = base_frame(p, frame, u);
    lmbi_motion_values v;
    if (p->is_plain) {
        return figure;
    }
    const lmbi_motion_moment moment = {.at = u * m->length,
                                       .u = u,
                                       .time_s = (double)(u * p->length_s),
                                       .dt_s = frame > 0 ? 1.0 / (double)p->rate : 0,
                                       .energy = lmbi_slider(p->sliders.energy)};
    lmbi_motion_evaluate(m, &moment, &v);
    add_travel(m, u, &v);
    scale_steps(&v, m->base == BASE_GAIT ? 1.0f : stride);
    lmbi_motion_lay_over(m, &v, &figure);
    lmbi_figure_spread_arms(&figure, p->sliders.arm_space_rad * 180.0f / LMB_PI);
    if (m->base != BASE_GAIT) {
        const float cycles = (float)(frame / p->frame_count) * (m->loops ? 1.0f : 0.0f);
        lmb_vec3 by = lmb_vec3_make(m->travel[0] * stride, m->travel[1], m->travel[2] * stride);
        by = lmb_vec3_scale(by, FIGURE_LEG * (cycles - (p->sliders.in_place ? cycles + u : 0.0f)));
        if (p->sliders.in_place && !m->loops) {
            by = lmb_vec3_make(-v.at[ROW_HIPS_X][0] * FIGURE_LEG, 0,
                               -v.at[ROW_HIPS_Z][0] * FIGURE_LEG);
        }
        figure = shift(figure, by);
    }
    return p->sliders.mirror ? lmbi_figure_mirror(&figure) : figure;
}

lmb_result lmb_motion_perform(const lmb_motion *motion, const lmb_motion_sliders *sliders,
                              const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    static const lmb_motion_sliders none = {0};
    performance p = {.motion = motion, .sliders = sliders != NULL ? *sliders : none};
    lmb_result result = lmbi_sliders_check(motion, &p.sliders, error);
    if (result == LMB_OK && motion->body != LMB_MOTION_HUMAN) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a human's motion", "%s, of a %s",
                           motion->name, lmb_motion_body_name(motion->body));
    }
    p.rate = p.sliders.frame_rate > 0.0f ? p.sliders.frame_rate : 60.0f;
    p.is_plain = motion->track_count == 0 && motion->wave_count == 0 && !p.sliders.mirror &&
                 !(fabsf(p.sliders.arm_space_rad) > 0);
    if (result == LMB_OK && motion->base == BASE_GAIT) {
        result = set_gait(&p, error);
    } else if (result == LMB_OK) {
        const float seconds = motion->length / lmbi_slider(p.sliders.speed);
        p.frame_count = (uint32_t)fmaxf(floorf(seconds * p.rate + 0.5f), 2.0f);
    }
    if (result != LMB_OK) {
        return result;
    }
    p.length_s = (float)p.frame_count / p.rate;
    return lmbi_figure_character(motion->name, make_frame, &p, p.frame_count, p.rate, alloc, out,
                                 error);
}
