/// Loads a segment: source poses, rows of poses, and a track per channel.
#include <math.h>

#include "anim/pack_work.h"
#include "base/alloc.h"

lmb_transform *lmbi_pack_source_pose(const pack_work *w, uint32_t half)
{
    return w->source + (size_t)half * w->p->skeleton->joint_count;
}

bool lmbi_pack_alloc(pack_work *w)
{
    const pack *p = w->p;
    const size_t joints = p->skeleton->joint_count, half_samples = 2 * (size_t)w->intervals + 1;
    lmbi_arena *a = &w->arena;
    w->source = lmbi_arena_array(a, lmbi_size_mul(half_samples, joints), sizeof(lmb_transform));
    w->weights = lmbi_arena_array(a, lmbi_size_mul(half_samples, p->weight_count), sizeof(float));
    w->tracks = lmbi_arena_array(a, p->channel_count, sizeof(pack_track));
    w->order = lmbi_arena_array(a, p->channel_count, sizeof(pack_track *));
    w->blocks = lmbi_arena_array(a, p->bank_count, sizeof(pack_blocks));
    w->budgets = lmbi_arena_array(a, joints, sizeof(float));
    w->best_budgets = lmbi_arena_array(a, joints, sizeof(float));
    w->errors = lmbi_arena_array(a, joints, sizeof(float));
    w->parameters = lmbi_arena_array(a, 3 * PACK_STRIDE, sizeof(float));
    w->dirty = lmbi_arena_array(a, joints, sizeof(bool));
    w->out->words = lmbi_alloc_array(p->alloc, p->bank_count, sizeof(uint32_t *));
    w->out->word_counts = lmbi_alloc_array(p->alloc, p->bank_count, sizeof(uint32_t));
    return w->source && w->weights && w->tracks && w->order && w->blocks && w->budgets &&
           w->best_budgets && w->errors && w->parameters && w->dirty && w->out->words &&
           w->out->word_counts && lmbi_pack_rows_create(p, a, w->intervals + 1, &w->original[0]) &&
           lmbi_pack_rows_create(p, a, w->intervals, &w->original[1]) &&
           lmbi_pack_rows_create(p, a, w->intervals + 1, &w->decoded);
}

/// Rows past the last sample repeat that sample.
static void set_rows(const pack_work *w, pack_pose_rows *rows, const lmb_transform *const *poses,
                     uint32_t count)
{
    for (uint32_t i = 0; i < rows->count; ++i) {
        lmbi_pack_rows_set(rows, w->p->skeleton->joint_count, i, poses[i < count ? i : count - 1]);
    }
}

void lmbi_pack_set_static(const pack_work *w, const lmb_transform *source, lmb_transform *pose)
{
    const pack *p = w->p;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        pose[j] = p->still[j];
        if (p->states[0][j] == PACK_EXACT) {
            pose[j].translation = source[j].translation;
        }
        if (p->states[1][j] == PACK_EXACT) {
            pose[j].rotation = source[j].rotation;
        }
        if (p->states[2][j] == PACK_EXACT) {
            pose[j].scale = source[j].scale;
        }
    }
}

bool lmbi_pack_load_source(pack_work *w)
{
    const pack *p = w->p;
    const uint32_t joints = p->skeleton->joint_count;
    uint32_t *cursors = lmbi_arena_array(&w->arena, p->clip->channel_count, sizeof(uint32_t));
    lmb_transform *pose = lmbi_arena_array(&w->arena, joints, sizeof(lmb_transform));
    if (cursors == NULL || pose == NULL) {
        return false;
    }
    const uint32_t first = 2 * (w->segment << PACKED_SEGMENT_LOG2);
    for (uint32_t half = 0; half <= 2 * w->intervals; ++half) {
        lmbi_pack_sample_source(p, first + half, cursors, lmbi_pack_source_pose(w, half),
                                w->weights + (size_t)half * p->weight_count);
    }
    const lmb_transform *poses[PACK_STRIDE];
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        poses[i] = lmbi_pack_source_pose(w, 2 * i);
    }
    set_rows(w, &w->original[0], poses, w->intervals + 1);
    for (uint32_t i = 0; i < w->intervals; ++i) {
        poses[i] = lmbi_pack_source_pose(w, 2 * i + 1);
    }
    set_rows(w, &w->original[1], poses, w->intervals);
    for (uint32_t i = 0; i < w->decoded.count; ++i) {
        lmbi_pack_set_static(w, lmbi_pack_source_pose(w, 2 * (i < w->intervals ? i : w->intervals)),
                             pose);
        lmbi_pack_rows_set(&w->decoded, joints, i, pose);
    }
    w->origin = joints > 0 ? lmbi_pack_source_pose(w, 0)[0].translation : lmb_vec3_make(0, 0, 0);
    lmbi_pack_rows_model(p, &w->original[0], &w->origin);
    lmbi_pack_rows_model(p, &w->original[1], &w->origin);
    return true;
}

// ----------------------------------------------------------------------------------------- tracks

/// Rotations of a joint over the segment, each in the hemisphere of the previous one, or in that of
/// the identity where w would fall below -0.7.
static void align_rotations(const pack_work *w, uint32_t joint, lmb_quat *q)
{
    float least = 1;
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        q[i] = lmbi_pack_source_pose(w, 2 * i)[joint].rotation;
        const bool flip = i == 0 ? q[i].w < 0 : lmb_quat_dot(q[i], q[i - 1]) < 0;
        q[i] = flip ? lmb_quat_make(-q[i].x, -q[i].y, -q[i].z, -q[i].w) : q[i];
        least = fminf(least, q[i].w);
    }
    for (uint32_t i = 0; least < -0.7f && i <= w->intervals; ++i) {
        q[i] = q[i].w < 0 ? lmb_quat_make(-q[i].x, -q[i].y, -q[i].z, -q[i].w) : q[i];
    }
}

static void load_rotation(const pack_work *w, pack_track *track)
{
    lmb_quat q[PACK_SAMPLES];
    align_rotations(w, track->channel->item, q);
    float least = 100;
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        q[i] = lmb_quat_normalize(q[i]);
        const float components[3] = {q[i].x, q[i].y, q[i].z};
        track->values[i] = components[track->channel->component] / (1 + q[i].w);
        least = fminf(least, (1 - q[i].w) / (1 + q[i].w));
    }
    // The angle is 4 atan |p|, so its derivative falls with |p|.
    const float lever_arm = fmaxf(w->p->lever_arms[track->channel->item], w->p->precision);
    track->metres_per_unit = 4 * lever_arm / (1 + least);
}

void lmbi_pack_load_track(const pack_work *w, pack_track *track)
{
    const pack *p = w->p;
    const pack_channel *channel = track->channel;
    track->count = w->intervals + 1;
    if (channel->kind == PACKED_ROTATION) {
        load_rotation(w, track);
        return;
    }
    for (uint32_t i = 0; i <= w->intervals; ++i) {
        if (channel->kind == PACKED_WEIGHT) {
            track->values[i] = w->weights[2 * (size_t)i * p->weight_count + channel->item];
        } else {
            const lmb_transform *t = &lmbi_pack_source_pose(w, 2 * i)[channel->item];
            const lmb_vec3 v = channel->kind == PACKED_SCALE ? t->scale : t->translation;
            const float components[3] = {v.x, v.y, v.z};
            track->values[i] = components[channel->component];
        }
    }
    track->metres_per_unit = channel->kind == PACKED_WEIGHT ? p->weight_m
                             : channel->kind == PACKED_SCALE
                                 ? fmaxf(p->lever_arms[channel->item], p->precision)
                                 : 1.0f;
}
