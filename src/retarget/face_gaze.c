/// The gaze of rotated eyes: the inverse of lmb_face_put.
#include <math.h>

#include "retarget/vrm.h"

bool lmbi_eyes_move(const lmb_face *face, const lmb_clip *clip)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const int32_t joint = (int32_t)clip->channels[c].joint;
        if (clip->channels[c].path == LMB_PATH_ROTATION && face->eyes[0] >= 0 &&
            face->eyes[1] >= 0 && (joint == face->eyes[0] || joint == face->eyes[1])) {
            return true;
        }
    }
    return false;
}

/// Inverts a range map: the gaze angle that rotates an eye by `angle`. The identity if the range has
/// no output.
static float unranged(lmb_gaze_range range, float angle)
{
    const float size = fabsf(angle), most = fabsf(range.output);
    const float share = most > 1e-6f ? size / most : size / range.input_max_rad;
    const float gaze = range.input_max_rad * (share < 1 ? share : 1);
    return angle < 0 ? -gaze : gaze;
}

/// Yaw to the left and pitch upward of an eye's forward direction relative to the rest pose.
static lmb_vec2 eye_angles(const lmb_face *face, const lmb_skeleton *skeleton, int32_t eye,
                           lmb_quat local)
{
    const lmb_quat above = lmbi_rest_turn(skeleton, skeleton->parents[eye]);
    const lmb_quat since = lmb_quat_mul(local, lmb_quat_conjugate(skeleton->rest[eye].rotation));
    const lmb_quat turn = lmb_quat_mul(above, lmb_quat_mul(since, lmb_quat_conjugate(above)));
    const lmb_vec3 ahead = lmb_quat_rotate(turn, lmb_vec3_make(0, 0, face->facing));
    const float up = ahead.y < -1 ? -1 : ahead.y > 1 ? 1 : ahead.y;
    return (lmb_vec2){lmb_atan2(face->facing * ahead.x, face->facing * ahead.z), lmb_asin(up)};
}

lmb_vec2 lmbi_gaze_of_eyes(const lmb_face *face, const lmb_skeleton *skeleton,
                           const lmb_transform *local)
{
    lmb_vec2 gaze = {0, 0};
    for (int side = 0; side < 2; ++side) {
        const int32_t eye = face->eyes[side];
        const lmb_vec2 turn = eye_angles(face, skeleton, eye, local[eye].rotation);
        const bool out = side == 0 ? turn.x > 0 : turn.x < 0;
        gaze.x += 0.5f * unranged(out ? face->gaze_out : face->gaze_in, turn.x);
        gaze.y += 0.5f * unranged(turn.y > 0 ? face->gaze_up : face->gaze_down, turn.y);
    }
    return gaze;
}
