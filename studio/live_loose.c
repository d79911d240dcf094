/// Joints that a clip moves beside the hips and not below them: feet that hang from the root, in rigs
/// of controls, or the armature of a hat.
#include "live_play.h"

#include <stdlib.h>

void live_loose_free(live_loose *loose)
{
    free(loose->joints);
    *loose = (live_loose){0};
}

/// Whether the joint hangs beside the path from the root to the hips.
static bool is_beside(const lmb_skeleton *skeleton, uint32_t joint, uint32_t hips)
{
    const int32_t at = (int32_t)joint, parent = skeleton->parents[joint], to = (int32_t)hips;
    return !live_is_above(skeleton, at, to) && !live_is_above(skeleton, to, at) &&
           (parent == LMB_NONE || live_is_above(skeleton, parent, to));
}

static bool is_moved(const lmb_clip *clip, uint32_t joint)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        if (channel->joint == joint && channel->path == LMB_PATH_TRANSLATION &&
            channel->key_count > 1) {
            return true;
        }
    }
    return false;
}

bool live_loose_find(const lmb_skeleton *skeleton, const lmb_clip *clip, uint32_t hips,
                     live_loose *out)
{
    out->joints = live_room(skeleton->joint_count, sizeof *out->joints);
    if (out->joints == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (is_beside(skeleton, j, hips) && is_moved(clip, j)) {
            out->joints[out->count++] = j;
        }
    }
    return true;
}

static lmb_root_placement inverse_of(lmb_root_placement placement)
{
    return lmb_root_placement_mul((lmb_root_placement){{0, 0, 0}, -placement.yaw_rad},
                                  (lmb_root_placement){lmb_vec3_scale(placement.position, -1), 0});
}

/// The poses of the clip at the frames of `track`, its loose joints without the motion of the hips.
static void sample_held(const live_loose *loose, const lmb_skeleton *skeleton, const lmb_clip *clip,
                        const lmb_root_track *track, lmb_transform *poses)
{
    const uint32_t n = skeleton->joint_count, last = track->frame_count - 1;
    for (uint32_t f = 0; f <= last; ++f) {
        lmb_transform *pose = poses + (size_t)f * n;
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)track->duration_s * (double)f / (double)last,
                                     .joint_count = n,
                                     .rest = skeleton->rest,
                                     .pose = pose});
        for (uint32_t k = 0; k < loose->count; ++k) {
            lmb_pose_apply_root(skeleton, loose->joints[k], inverse_of(track->placements[f]), pose);
        }
    }
}

bool live_loose_hold(const live_loose *loose, const lmb_skeleton *skeleton, uint32_t hips,
                     const lmb_clip *clip, lmb_clip **out)
{
    lmb_error error = {0};
    lmb_root_track *track = NULL;
    if (lmb_root_track_create(clip, skeleton, &(lmb_root_opts){.joint = hips}, NULL, &track,
                              &error) != LMB_OK) {
        return live_fail_call("the hips", &error);
    }
    lmb_transform *poses =
        live_room((size_t)track->frame_count * skeleton->joint_count, sizeof *poses);
    bool made = poses != NULL;
    if (made) {
        const float rate_hz = (float)(track->frame_count - 1) / track->duration_s;
        sample_held(loose, skeleton, clip, track, poses);
        made = lmb_clip_from_poses(skeleton, poses, track->frame_count, rate_hz, clip->name, NULL,
                                   out, &error) == LMB_OK ||
               live_fail_call("the clip", &error);
    }
    free(poses);
    lmb_root_track_destroy(track);
    return made;
}
