/// The clip of an animal's motion on a character.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"
#include "procedural/motion_animal.h"

typedef struct performance {
    const lmb_motion *motion;
    lmb_motion_sliders sliders;
    lmbi_animal animal;
    lmb_gait *gait; ///< NULL without
    uint32_t frame_count;
    float rate, length_s;
} performance;

/// Degrees of the text to radians; a factor of 0 counts as 1 in lmb_gait_opts.
static float factor(const lmb_motion *m, lmbi_gait_setting setting)
{
    return m->is_set[setting] ? fmaxf(m->settings[setting], 1e-6f) : 0.0f;
}

static lmb_result make_gait(performance *p, const lmb_character *character,
                            const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_motion *m = p->motion;
    lmb_gait_body body;
    lmb_result result = lmb_gait_body_find(character, alloc, &body, error);
    if (result != LMB_OK) {
        return result;
    }
    const float energy = lmbi_slider(p->sliders.energy), bounce = factor(m, SETTING_BOUNCE),
                hips = factor(m, SETTING_HIPS);
    const lmb_gait_opts opts = {
        .kind = m->gait,
        .speed_m_s = p->sliders.speed,
        .frame_rate = p->rate,
        .bounce = lmbi_slider(bounce) * energy,
        .lift = factor(m, SETTING_LIFT),
        .width = factor(m, SETTING_WIDTH),
        .hips = lmbi_slider(hips) * energy,
        .crouch = m->settings[SETTING_CROUCH],
        .lean_rad = m->settings[SETTING_LEAN] * LMB_PI / 180.0f,
        .nod_rad = m->settings[SETTING_NOD] * LMB_PI / 180.0f,
        .in_place = p->sliders.in_place,
    };
    result = lmb_gait_create(character->skeleton, &body, &opts, alloc, &p->gait, error);
    if (result == LMB_OK) {
        const lmb_gait_info info = lmb_gait_describe(p->gait);
        p->frame_count = (uint32_t)m->length * info.frame_count;
    }
    return result;
}

/// Exchanges left and right.
static void mirror_values(lmbi_motion_values *v)
{
    static const lmbi_motion_row flipped[] = {
        ROW_HIPS_X,    ROW_PELVIS_TURN, ROW_PELVIS_SIDE, ROW_CHEST_TURN, ROW_CHEST_SIDE,
        ROW_HEAD_TURN, ROW_HEAD_SIDE,   ROW_NECK_TURN,   ROW_NECK_SIDE,  ROW_TAIL_TURN,
        ROW_TAIL_SIDE, ROW_SPINE_TURN,  ROW_SPINE_SIDE,  ROW_FOOT_X,     ROW_FOREFOOT_X};
    for (int row = 0; row < ROW_COUNT; ++row) {
        if (lmbi_motion_channels[row].paired) {
            const float left = v->at[row][0];
            v->at[row][0] = v->at[row][1];
            v->at[row][1] = left;
        }
    }
    for (size_t k = 0; k < sizeof flipped / sizeof flipped[0]; ++k) {
        v->at[flipped[k]][0] = -v->at[flipped[k]][0];
        if (lmbi_motion_channels[flipped[k]].paired) {
            v->at[flipped[k]][1] = -v->at[flipped[k]][1];
        }
    }
}

static lmb_vec3 travel_at(const performance *p, uint32_t frame, float u)
{
    const lmb_motion *m = p->motion;
    const float stride = lmbi_slider(p->sliders.stride), side = p->sliders.mirror ? -1.0f : 1.0f;
    const float cycles = m->loops ? (float)(frame / p->frame_count) : 0.0f;
    const lmb_vec3 by = {side * m->travel[0] * stride, m->travel[1], m->travel[2] * stride};
    // The hips of a body without feet have no keys of their own: they go evenly.
    const bool is_keyed =
        m->uses[ROW_HIPS_X][0] || m->uses[ROW_HIPS_Y][0] || m->uses[ROW_HIPS_Z][0];
    const float distance = is_keyed ? cycles : cycles + (m->loops ? u : 0.0f);
    return lmb_vec3_scale(by, p->animal.unit * (p->sliders.in_place ? 0.0f : distance));
}

static void make_frame(performance *p, uint32_t frame, lmb_transform *local)
{
    const lmb_motion *m = p->motion;
    const lmb_skeleton *sk = p->animal.skeleton;
    const uint32_t k = m->loops ? frame % p->frame_count : frame;
    const float u = (float)k / (float)p->frame_count;
    const lmbi_motion_moment moment = {.at = u * m->length,
                                       .u = u,
                                       .time_s = (double)(u * p->length_s),
                                       .dt_s = frame > 0 ? 1.0 / (double)p->rate : 0,
                                       .energy = lmbi_slider(p->sliders.energy)};
    lmbi_motion_values v;
    lmbi_motion_evaluate(m, &moment, &v);
    if (p->sliders.mirror) {
        mirror_values(&v);
    }
    if (p->gait != NULL) {
        lmb_gait_pose(p->gait, (double)frame / (double)p->rate, local);
    } else {
        memcpy(local, sk->rest, sk->joint_count * sizeof *local);
    }
    const lmbi_animal_frame f = {.motion = m,
                                 .moment = &moment,
                                 .values = &v,
                                 .travel = travel_at(p, frame, u),
                                 .mirror = p->sliders.mirror};
    lmbi_animal_pose(&p->animal, &f, local);
}

static lmb_result make_clip(performance *p, const lmb_allocator *alloc, lmb_clip **out,
                            lmb_error *error)
{
    const lmb_skeleton *sk = p->animal.skeleton;
    const size_t n = sk->joint_count, frames = (size_t)p->frame_count + 1;
    lmb_transform *poses = lmbi_alloc_array(alloc, lmbi_size_mul(frames, n), sizeof *poses);
    if (poses == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < frames; ++f) {
        make_frame(p, f, poses + f * n);
    }
    const lmb_result result = lmb_clip_from_poses(sk, poses, (uint32_t)frames, p->rate,
                                                  p->motion->name, alloc, out, error);
    lmbi_free(alloc, poses);
    return result;
}

lmb_result lmb_motion_perform_on(const lmb_motion *motion, const lmb_motion_sliders *sliders,
                                 const lmb_character *character, const lmb_allocator *alloc,
                                 lmb_clip **out, lmb_error *error)
{
    static const lmb_motion_sliders none = {0};
    performance p = {.motion = motion, .sliders = sliders != NULL ? *sliders : none};
    lmb_result result = lmbi_sliders_check(motion, &p.sliders, error);
    p.rate = p.sliders.frame_rate > 0.0f ? p.sliders.frame_rate : 60.0f;
    if (result == LMB_OK) {
        result = lmbi_animal_start(character->skeleton, motion, alloc, &p.animal, error);
    }
    if (result == LMB_OK && motion->base == BASE_GAIT) {
        result = make_gait(&p, character, alloc, error);
    } else if (result == LMB_OK) {
        const float seconds = motion->length / lmbi_slider(p.sliders.speed);
        p.frame_count = (uint32_t)fmaxf(floorf(seconds * p.rate + 0.5f), 2.0f);
    }
    if (result == LMB_OK) {
        p.length_s = (float)p.frame_count / p.rate;
        result = make_clip(&p, alloc, out, error);
    }
    lmb_gait_destroy(p.gait);
    lmbi_animal_end(&p.animal);
    return result;
}
