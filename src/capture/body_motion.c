/// Converts a humanoid's clip to pose parameters of SMPL: its motion on SMPL's skeleton, rotations
/// as axis times angle relative to the T-pose.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/body_names.h"
#include "limber/anim.h"
#include "limber/capture.h"
#include "limber/io.h"
#include "math/math.h"

/// Creates the target skeleton, from a motion of one frame.
static lmb_result make_target(uint32_t joint_count, const lmb_allocator *alloc, lmb_character **out,
                              lmb_error *error)
{
    lmb_vec3 *rotations = lmbi_alloc_array(alloc, joint_count, sizeof *rotations);
    if (rotations == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_vec3 origin = {0, 0, 0};
    const lmb_body_motion motion = {.frame_count = 1,
                                    .joint_count = joint_count,
                                    .rotations = rotations,
                                    .translations = &origin};
    const lmb_body_motion_character_opts opts = {.up = LMB_AXIS_Y};
    const lmb_result result = lmb_body_motion_character(&motion, &opts, alloc, out, error);
    lmbi_free(alloc, rotations);
    return result;
}

static lmb_result allocate_motion(const lmb_clip *clip, uint32_t joint_count, float rate,
                                  const lmb_allocator *alloc, lmb_body_motion **out,
                                  lmb_error *error)
{
    const double frames = floor((double)lmb_clip_duration_s(clip) * (double)rate + 1e-3) + 1;
    if (!(frames >= 1 && frames <= 1e7)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 10 million frames", "%g", frames);
    }
    lmb_body_motion *m = lmbi_alloc(alloc, sizeof *m);
    if (m == NULL) {
        return lmbi_fail_memory(error);
    }
    m->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    m->frame_count = (uint32_t)frames;
    m->joint_count = joint_count;
    m->shape_count = 10; // as AMASS has; all 0
    m->frame_rate = rate;
    m->rotations =
        lmbi_alloc_array(alloc, lmbi_size_mul(m->frame_count, joint_count), sizeof *m->rotations);
    m->translations = lmbi_alloc_array(alloc, m->frame_count, sizeof *m->translations);
    m->shape = lmbi_alloc_array(alloc, m->shape_count, sizeof *m->shape);
    if (m->rotations == NULL || m->translations == NULL || m->shape == NULL) {
        lmb_body_motion_destroy(m);
        return lmbi_fail_memory(error);
    }
    *out = m;
    return LMB_OK;
}

/// Converts +Y up to +Z up, as AMASS has: (x, y, z) to (x, -z, y).
static void store_frame(lmb_body_motion *m, uint32_t f, const lmb_transform *pose)
{
    static const lmb_quat z_up_from_y_up = {0.70710678f, 0, 0, 0.70710678f};
    const lmb_vec3 pelvis = lmbi_body_motion_pelvis();
    const lmb_vec3 t = pose[0].translation;
    m->translations[f] = lmb_vec3_sub(lmb_vec3_make(t.x, -t.z, t.y), pelvis);
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        const lmb_quat q =
            j == 0 ? lmb_quat_mul(z_up_from_y_up, pose[0].rotation) : pose[j].rotation;
        m->rotations[(size_t)f * m->joint_count + j] = lmbi_rotation_vector_of(q);
    }
}

static lmb_result sample_frames(const lmb_character *target, const lmb_clip *clip,
                                lmb_body_motion *m, const lmb_allocator *alloc, lmb_error *error)
{
    lmb_transform *pose = lmbi_alloc_array(alloc, m->joint_count, sizeof *pose);
    if (pose == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)f / (double)m->frame_rate,
                                     .mode = LMB_PLAY_CLAMP,
                                     .joint_count = m->joint_count,
                                     .rest = target->skeleton->rest,
                                     .pose = pose});
        store_frame(m, f, pose);
    }
    lmbi_free(alloc, pose);
    return LMB_OK;
}

lmb_result lmb_body_motion_of_clip(const lmb_character *character, uint32_t clip,
                                   const lmb_body_motion_opts *opts, const lmb_allocator *alloc,
                                   lmb_body_motion **out, lmb_error *error)
{
    const uint32_t joints = opts != NULL && opts->joint_count > 0 ? opts->joint_count : 52;
    const lmb_retarget_opts retarget_opts = {.source_map = opts != NULL ? opts->map : NULL,
                                             .frame_rate = opts != NULL ? opts->frame_rate : 0,
                                             .no_lock_feet = true};
    lmb_character *target = NULL;
    lmb_clip *retargeted = NULL;
    lmb_body_motion *motion = NULL;
    lmb_result result = make_target(joints, alloc, &target, error);
    if (result == LMB_OK) {
        result =
            lmb_retarget(target, character, clip, &retarget_opts, alloc, &retargeted, NULL, error);
    }
    if (result == LMB_OK) {
        const float rate = retargeted->frame_rate > 0 ? retargeted->frame_rate : 30;
        result = allocate_motion(retargeted, joints, rate, alloc, &motion, error);
    }
    if (result == LMB_OK) {
        result = sample_frames(target, retargeted, motion, alloc, error);
    }
    lmb_clip_destroy(retargeted);
    lmb_character_destroy(target);
    if (result != LMB_OK) {
        lmb_body_motion_destroy(motion);
        return result;
    }
    *out = motion;
    return LMB_OK;
}
