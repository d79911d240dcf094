/// Classifies the tracks of a clip: moving, constant, at rest, or kept as keys.
#include <math.h>
#include <string.h>

#include "anim/mix.h"
#include "anim/pack.h"
#include "base/alloc.h"

// -------------------------------------------------------------------------------------- the source

/// Differences below this fraction of the bound count as none.
static const float negligible = 0.02f;

// --------------------------------------------------------------------------------- exact channels

static bool find_stepped_channels(pack *p)
{
    const lmb_clip *clip = p->clip;
    p->exact = lmbi_arena_array(&p->arena, clip->channel_count, sizeof(lmb_channel));
    for (uint32_t path = 0; path < 3; ++path) {
        p->states[path] = lmbi_arena_array(&p->arena, p->skeleton->joint_count, 1);
    }
    if (p->exact == NULL || !p->states[0] || !p->states[1] || !p->states[2]) {
        return false;
    }
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        if (lmbi_pack_is_stepped(channel)) {
            p->exact[p->exact_count++] = *channel;
            if (channel->path != LMB_PATH_WEIGHTS) {
                p->states[channel->path][channel->joint] = PACK_EXACT;
            }
        }
    }
    return true;
}

static bool find_weight_runs(pack *p)
{
    const uint32_t joints = p->skeleton->joint_count;
    p->run_joints = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    p->run_widths = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    p->weight_first = lmbi_arena_array(&p->arena, (size_t)joints + 1, sizeof(uint32_t));
    if (p->run_joints == NULL || p->run_widths == NULL || p->weight_first == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < joints; ++j) {
        p->weight_first[j] = p->weight_count;
        for (uint32_t c = 0; c < p->clip->channel_count; ++c) {
            const lmb_channel *channel = &p->clip->channels[c];
            if (channel->joint == j && channel->path == LMB_PATH_WEIGHTS &&
                !lmbi_pack_is_stepped(channel) &&
                channel->width <= PACKED_NO_JOINT - p->weight_count) {
                p->run_joints[p->run_count] = j;
                p->run_widths[p->run_count++] = channel->width;
                p->weight_count += channel->width;
                break;
            }
        }
    }
    p->weight_first[joints] = p->weight_count;
    p->still_weights = lmbi_arena_array(&p->arena, p->weight_count, sizeof(float));
    p->weight_states = lmbi_arena_array(&p->arena, p->weight_count, 1);
    return p->still_weights != NULL && p->weight_states != NULL;
}

// ------------------------------------------------------------------------------------- what moves

typedef struct extent {
    float translation_extent, rotation_extent,
        scale_extent; ///< largest distance from the first sample
    float length;     ///< largest length of the translation
} extent;

static float max_abs_component(lmb_vec3 v)
{
    return fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z)));
}

static void extend_extent(extent *e, const lmb_transform *first, const lmb_transform *pose)
{
    e->translation_extent =
        fmaxf(e->translation_extent, lmb_vec3_distance(pose->translation, first->translation));
    e->rotation_extent =
        fmaxf(e->rotation_extent, lmbi_pack_rotation_distance(pose->rotation, first->rotation));
    e->scale_extent =
        fmaxf(e->scale_extent, max_abs_component(lmb_vec3_sub(pose->scale, first->scale)));
    e->length = fmaxf(e->length, lmb_vec3_length(pose->translation));
}

static void set_lever_arms(pack *p, const extent *extents)
{
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        p->lever_arms[j] = p->reach[j];
    }
    for (uint32_t j = p->skeleton->joint_count; j-- > 0;) {
        const int32_t parent = p->skeleton->parents[j];
        if (parent != LMB_NONE) {
            const float length = extents != NULL
                                     ? extents[j].length
                                     : lmb_vec3_length(p->skeleton->rest[j].translation);
            p->lever_arms[parent] = fmaxf(p->lever_arms[parent], length + p->lever_arms[j]);
        }
    }
}

static uint8_t classify_track(uint8_t was, float from_rest, float moves, float limit)
{
    if (was == PACK_EXACT) {
        return PACK_EXACT;
    }
    return moves > limit ? PACK_MOVING : (from_rest > limit ? PACK_STILL : PACK_AT_REST);
}

/// The pose that playing starts from: rest, with constant tracks. Moving tracks overwrite it.
static void set_still_pose(pack *p, uint32_t j)
{
    lmb_transform *still = &p->still[j];
    const lmb_transform first = *still;
    *still = p->skeleton->rest[j];
    still->translation = p->states[0][j] == PACK_STILL ? first.translation : still->translation;
    still->rotation = p->states[1][j] == PACK_STILL ? first.rotation : still->rotation;
    still->scale = p->states[2][j] == PACK_STILL ? first.scale : still->scale;
}

static void classify_joints(pack *p, const extent *extents)
{
    const float limit = negligible * p->precision;
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        const extent *e = &extents[j];
        const lmb_transform *rest = &p->skeleton->rest[j], *first = &p->still[j];
        // A joint without skin still moves its children.
        const float lever_arm = fmaxf(p->lever_arms[j], p->precision);
        p->states[0][j] = classify_track(p->states[0][j],
                                         lmb_vec3_distance(first->translation, rest->translation),
                                         e->translation_extent, limit);
        p->states[1][j] =
            classify_track(p->states[1][j],
                           lmbi_pack_rotation_distance(first->rotation, rest->rotation) * lever_arm,
                           e->rotation_extent * lever_arm, limit);
        p->states[2][j] = classify_track(
            p->states[2][j], max_abs_component(lmb_vec3_sub(first->scale, rest->scale)) * lever_arm,
            e->scale_extent * lever_arm, limit);
        set_still_pose(p, j);
    }
}

static bool measure_extents(pack *p)
{
    const uint32_t joints = p->skeleton->joint_count;
    extent *extents = lmbi_arena_array(&p->arena, joints, sizeof(extent));
    lmb_transform *pose = lmbi_arena_array(&p->arena, joints, sizeof(lmb_transform));
    float *weights = lmbi_arena_array(&p->arena, p->weight_count, sizeof(float));
    uint32_t *cursors = lmbi_arena_array(&p->arena, p->clip->channel_count, sizeof(uint32_t));
    if (extents == NULL || pose == NULL || weights == NULL || cursors == NULL) {
        return false;
    }
    lmbi_pack_sample_source(p, 0, cursors, p->still, p->still_weights);
    for (uint32_t s = 0; s < p->sample_count; ++s) {
        lmbi_pack_sample_source(p, 2 * s, cursors, pose, weights);
        for (uint32_t j = 0; j < joints; ++j) {
            extend_extent(&extents[j], &p->still[j], &pose[j]);
            p->scales |=
                max_abs_component(lmb_vec3_sub(pose[j].scale, lmb_vec3_make(1, 1, 1))) > 1e-6f;
        }
        for (uint32_t i = 0; i < p->weight_count; ++i) {
            const float lever_arm = fabsf(weights[i] - p->still_weights[i]) * p->weight_m;
            p->weight_states[i] = lever_arm > negligible * p->precision
                                      ? PACK_MOVING
                                      : (p->weight_states[i] ? p->weight_states[i] : PACK_STILL);
        }
    }
    set_lever_arms(p, extents);
    classify_joints(p, extents);
    return true;
}

bool lmbi_pack_analyse(pack *p, float rate_hz)
{
    const uint32_t joints = p->skeleton->joint_count;
    p->still = lmbi_arena_array(&p->arena, joints, sizeof(lmb_transform));
    p->lever_arms = lmbi_arena_array(&p->arena, joints, sizeof(float));
    if (p->still == NULL || p->lever_arms == NULL || !find_stepped_channels(p) ||
        !find_weight_runs(p)) {
        return false;
    }
    set_lever_arms(p, NULL);
    if (!lmbi_pack_choose_samples(p, rate_hz)) {
        return false;
    }
    p->segment_count = (p->sample_count - 1 + PACK_SAMPLES - 2) >> PACKED_SEGMENT_LOG2;
    return measure_extents(p) && lmbi_pack_layout(p);
}
