#include "author/lying.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "limber/anim.h"
#include "math/scalar.h"

/// Of the height: the lowest joint of a body that rests on the ground may be as far above it, and of one
/// that is in the air is farther.
static const float THICK = 0.08f, AIR = 0.16f;
/// Of the height: joints whose lowest is farther from height 0 at rest do not stand on it.
static const float SHIFTED = 0.1f;
/// Heights of the trunk's direction: above the first it does not lie, below the second it does.
static const float UPRIGHT = 0.7f, LEVEL = 0.35f;

typedef struct lying {
    const lmb_feet_source *motion;
    lmb_transform *local; ///< [joint_count]
    lmb_mat4 *model;      ///< [joint_count]
    float height;
    float above_sole[LMB_HUMAN_BONE_COUNT]; ///< at rest; 0 but for feet
    int32_t hips, top;                      ///< joints of the trunk
} lying;

static void pose_at(const lying *l, const lmb_clip *clip, double time_s)
{
    const lmb_skeleton *skeleton = l->motion->character->skeleton;
    memcpy(l->local, skeleton->rest, skeleton->joint_count * sizeof *l->local);
    if (clip != NULL) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = time_s,
                                     .joint_count = skeleton->joint_count,
                                     .pose = l->local});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = l->local, .model_from_joint = l->model});
}

/// The lowest joint of the body; a foot counts from its sole.
static float find_lowest(const lying *l)
{
    float low = INFINITY;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int32_t joint = l->motion->map->bones[bone].joint;
        if (joint != LMB_NONE) {
            low = fminf(low, lmb_mat4_translation(l->model[joint]).y - l->above_sole[bone]);
        }
    }
    return low;
}

static void measure_rest(lying *l)
{
    static const int feet[] = {LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT, LMB_HUMAN_LEFT_TOES,
                               LMB_HUMAN_RIGHT_TOES};
    float high = -INFINITY;
    pose_at(l, NULL, 0);
    const float low = find_lowest(l);
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int32_t joint = l->motion->map->bones[bone].joint;
        high = joint != LMB_NONE ? fmaxf(high, lmb_mat4_translation(l->model[joint]).y) : high;
    }
    const float ground = fabsf(low) < SHIFTED * (high - low) ? 0 : low;
    for (size_t k = 0; k < sizeof feet / sizeof *feet; ++k) {
        const int32_t joint = l->motion->map->bones[feet[k]].joint;
        if (joint != LMB_NONE) {
            l->above_sole[feet[k]] = lmb_mat4_translation(l->model[joint]).y - ground;
        }
    }
    l->height = high - ground;
}

/// The joints that the trunk's direction is taken from; false if there are none.
static bool find_trunk(lying *l)
{
    static const int tops[] = {LMB_HUMAN_NECK, LMB_HUMAN_HEAD, LMB_HUMAN_UPPER_CHEST,
                               LMB_HUMAN_CHEST};
    l->hips = l->motion->map->bones[LMB_HUMAN_HIPS].joint;
    l->top = LMB_NONE;
    for (size_t k = 0; k < sizeof tops / sizeof *tops && l->top == LMB_NONE; ++k) {
        l->top = l->motion->map->bones[tops[k]].joint;
    }
    return l->hips != LMB_NONE && l->top != LMB_NONE;
}

static float how_level(const lying *l)
{
    const lmb_vec3 trunk =
        lmb_vec3_normalize_or(lmb_vec3_sub(lmb_mat4_translation(l->model[l->top]),
                                           lmb_mat4_translation(l->model[l->hips])),
                              lmb_vec3_make(0, 1, 0));
    return lmbi_smoothstepf((UPRIGHT - fabsf(trunk.y)) / (UPRIGHT - LEVEL));
}

static void measure_frames(lying *l, uint32_t frame_count, double step_s, float *lies)
{
    for (uint32_t f = 0; f < frame_count; ++f) {
        pose_at(l, l->motion->clip, l->motion->begin_s + f * step_s);
        lies[f] =
            how_level(l) * lmbi_smoothstepf((AIR - find_lowest(l) / l->height) / (AIR - THICK));
    }
}

bool lmbi_lying_measure(const lmb_feet_source *motion, uint32_t frame_count, double step_s,
                        const lmb_allocator *alloc, float *lies)
{
    lying l = {.motion = motion};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    const uint32_t joint_count = motion->character->skeleton->joint_count;
    l.local = lmbi_arena_array(&arena, joint_count, sizeof *l.local);
    l.model = lmbi_arena_array(&arena, joint_count, sizeof *l.model);
    const bool ok = !arena.failed;
    memset(lies, 0, frame_count * sizeof *lies);
    if (ok && find_trunk(&l)) {
        measure_rest(&l);
        if (l.height > 0) {
            measure_frames(&l, frame_count, step_s, lies);
        }
    }
    lmbi_arena_free(&arena);
    return ok;
}
