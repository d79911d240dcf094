#include "limber/anim.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "base/alloc.h"
#include "base/error.h"

// ------------------------------------------------------------------------------------- placements

static lmb_vec3 rotate_yaw(lmb_vec3 v, float yaw_rad)
{
    const float s = lmb_sin(yaw_rad), c = lmb_cos(yaw_rad);
    return lmb_vec3_make(c * v.x + s * v.z, v.y, c * v.z - s * v.x);
}

lmb_root_placement lmb_root_placement_mul(lmb_root_placement a, lmb_root_placement b)
{
    const lmb_root_placement out = {lmb_vec3_add(a.position, rotate_yaw(b.position, a.yaw_rad)),
                                    a.yaw_rad + b.yaw_rad};
    return out;
}

lmb_root_placement lmbi_root_placement_inverse(lmb_root_placement a)
{
    const lmb_root_placement out = {rotate_yaw(lmb_vec3_neg(a.position), -a.yaw_rad), -a.yaw_rad};
    return out;
}

lmb_transform lmb_root_placement_transform(lmb_root_placement placement)
{
    lmb_transform t = lmb_transform_identity();
    t.translation = placement.position;
    t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), placement.yaw_rad);
    return t;
}

/// Interpolates along the circular arc from the origin to `end`: p(s) = s V(s yaw) V(yaw)^-1 d with
/// V(a) = [sin a, 1 - cos a; cos a - 1, sin a] / a.
static lmb_root_placement arc_place(lmb_root_placement end, float fraction)
{
    const float a = end.yaw_rad, b = a * fraction;
    lmb_root_placement out = {lmb_vec3_scale(end.position, fraction), b};
    if (fabsf(a) > 1e-4f) {
        const float sa = lmb_sin(a), ca = 1 - lmb_cos(a), sb = lmb_sin(b), cb = 1 - lmb_cos(b);
        const float n2 = sa * sa + ca * ca;
        const float real = (sb * sa + cb * ca) / n2, imaginary = (cb * sa - sb * ca) / n2;
        if (n2 > 1e-6f) {
            out.position.x = real * end.position.x + imaginary * end.position.z;
            out.position.z = real * end.position.z - imaginary * end.position.x;
        }
    }
    return out;
}

// ----------------------------------------------------------------------------------------- tracks

/// model_from_parent of a joint in a local pose.
static lmb_transform model_from_parent_of(const lmb_skeleton *skeleton, const lmb_transform *pose,
                                          uint32_t joint)
{
    lmb_transform t = lmb_transform_identity();
    for (int32_t at = skeleton->parents[joint]; at != LMB_NONE; at = skeleton->parents[at]) {
        t = lmb_transform_mul(pose[at], t);
    }
    return t;
}

static lmb_root_placement root_place(const lmb_transform *model, const lmb_transform *rest,
                                     bool height, float yaw_before)
{
    lmb_quat swing, twist;
    const lmb_quat q = lmb_quat_mul(model->rotation, lmb_quat_conjugate(rest->rotation));
    lmbi_quat_swing_twist(q, lmb_vec3_make(0, 1, 0), &swing, &twist);
    lmb_root_placement placement = {{0, 0, 0}, 2 * lmb_atan2(twist.y, twist.w)};
    // Unwrap: the heading closest to the previous frame's.
    const float full_turns = roundf((placement.yaw_rad - yaw_before) / (2 * LMB_PI));
    placement.yaw_rad -= full_turns * (2 * LMB_PI);
    const lmb_vec3 rest_offset =
        rotate_yaw(lmb_vec3_make(rest->translation.x, 0, rest->translation.z), placement.yaw_rad);
    placement.position = lmb_vec3_make(model->translation.x - rest_offset.x,
                                       height ? model->translation.y - rest->translation.y : 0,
                                       model->translation.z - rest_offset.z);
    return placement;
}

static void sample_places(lmb_root_track *track, const lmb_clip *clip, const lmb_skeleton *skeleton,
                          const lmb_root_opts *opts, lmb_transform *pose,
                          lmb_root_placement *placements)
{
    const lmb_transform rest_above = model_from_parent_of(skeleton, skeleton->rest, opts->joint);
    const lmb_transform rest = lmb_transform_mul(rest_above, skeleton->rest[opts->joint]);
    float yaw = 0;
    for (uint32_t f = 0; f < track->frame_count; ++f) {
        const double time_s =
            (double)track->duration_s * (double)f / (double)(track->frame_count - 1);
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = time_s,
                                     .joint_count = skeleton->joint_count,
                                     .rest = skeleton->rest,
                                     .pose = pose});
        const lmb_transform model =
            lmb_transform_mul(model_from_parent_of(skeleton, pose, opts->joint), pose[opts->joint]);
        placements[f] = root_place(&model, &rest, opts->height, yaw);
        if (opts->no_yaw) {
            placements[f].yaw_rad = 0;
            placements[f].position = lmb_vec3_sub(model.translation, rest.translation);
            placements[f].position.y = opts->height ? placements[f].position.y : 0;
        }
        yaw = placements[f].yaw_rad;
    }
}

static uint32_t frame_count_of(const lmb_clip *clip, const lmb_root_opts *opts)
{
    const float rate = opts->rate_hz > 0 ? opts->rate_hz : 60;
    const float frames = ceilf(lmb_clip_duration_s(clip) * rate);
    return frames < 1e7f ? (uint32_t)frames + 2 : 0;
}

lmb_result lmb_root_track_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                 const lmb_root_opts *opts, const lmb_allocator *alloc,
                                 lmb_root_track **out, lmb_error *error)
{
    const uint32_t count = frame_count_of(clip, opts);
    if (opts->joint >= skeleton->joint_count || count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a joint of the skeleton and at most 10 million frames", "joint %u, %g s",
                         opts->joint, (double)lmb_clip_duration_s(clip));
    }
    const uint32_t place_count = opts->even ? 2 : count;
    lmb_root_track *track =
        lmbi_alloc(alloc, sizeof(*track) + place_count * sizeof(lmb_root_placement));
    lmb_transform *pose = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof(*pose));
    if (track == NULL || pose == NULL) {
        lmbi_free(alloc, track);
        lmbi_free(alloc, pose);
        return lmbi_fail_memory(error);
    }
    track->placements = (lmb_root_placement *)(void *)(track + 1);
    track->joint = opts->joint;
    track->even = opts->even;
    track->frame_count = place_count;
    track->duration_s = lmb_clip_duration_s(clip);
    if (alloc != NULL) {
        track->allocator = *alloc;
    }
    sample_places(track, clip, skeleton, opts, pose, track->placements);
    lmbi_free(alloc, pose);
    track->cycle = lmb_root_placement_mul(track->placements[place_count - 1],
                                          lmbi_root_placement_inverse(track->placements[0]));
    *out = track;
    return LMB_OK;
}

void lmb_root_track_destroy(lmb_root_track *track)
{
    if (track != NULL) {
        lmbi_free_own(&track->allocator, track);
    }
}

static lmb_root_placement place_at(const lmb_root_track *track, double time_s)
{
    if (!(track->duration_s > 0)) {
        return track->placements[0];
    }
    const double fraction = fmax(0, fmin(time_s / (double)track->duration_s, 1));
    const lmb_root_placement first = track->placements[0];
    if (track->even) {
        const lmb_root_placement whole =
            lmb_root_placement_mul(lmbi_root_placement_inverse(first), track->placements[1]);
        return lmb_root_placement_mul(first, arc_place(whole, (float)fraction));
    }
    const double at = fraction * (double)(track->frame_count - 1);
    const uint32_t f =
        at < (double)(track->frame_count - 1) ? (uint32_t)at : track->frame_count - 2;
    const float u = (float)(at - (double)f);
    const lmb_root_placement a = track->placements[f], b = track->placements[f + 1];
    const lmb_root_placement out = {lmb_vec3_lerp(a.position, b.position, u),
                                    a.yaw_rad + (b.yaw_rad - a.yaw_rad) * u};
    return out;
}

lmb_root_placement lmbi_root_track_at(const lmb_root_track *track, double time_s)
{
    return place_at(track, time_s);
}

lmb_root_placement lmb_root_track_between(const lmb_root_track *track, double from_s, double to_s,
                                          lmb_play_mode mode)
{
    const double d = (double)track->duration_s;
    if (mode != LMB_PLAY_LOOP || !(d > 0)) {
        return lmb_root_placement_mul(
            lmbi_root_placement_inverse(place_at(track, lmb_time_in(from_s, d, mode))),
            place_at(track, lmb_time_in(to_s, d, mode)));
    }
    const double from = lmb_time_in(from_s, d, mode), to = lmb_time_in(to_s, d, mode);
    double loops = round((to_s - to) / d) - round((from_s - from) / d);
    lmb_root_placement placement = place_at(track, to);
    const lmb_root_placement one =
        loops > 0 ? track->cycle : lmbi_root_placement_inverse(track->cycle);
    for (loops = fmin(fabs(loops), 100000); loops > 0; --loops) {
        placement = lmb_root_placement_mul(one, placement);
    }
    return lmb_root_placement_mul(lmbi_root_placement_inverse(place_at(track, from)), placement);
}

// --------------------------------------------------------------------------------------- on poses

static void move_root(const lmb_skeleton *skeleton, uint32_t joint, lmb_root_placement placement,
                      lmb_transform *pose)
{
    const lmb_transform parent = model_from_parent_of(skeleton, pose, joint);
    const lmb_transform model = lmb_transform_mul(lmb_root_placement_transform(placement),
                                                  lmb_transform_mul(parent, pose[joint]));
    const lmb_quat back = lmb_quat_conjugate(parent.rotation);
    const lmb_vec3 offset =
        lmb_quat_rotate(back, lmb_vec3_sub(model.translation, parent.translation));
    pose[joint].translation = lmb_vec3_make(offset.x / parent.scale.x, offset.y / parent.scale.y,
                                            offset.z / parent.scale.z);
    pose[joint].rotation = lmb_quat_normalize(lmb_quat_mul(back, model.rotation));
}

void lmbi_pose_extract_root(const lmb_skeleton *skeleton, uint32_t joint, lmb_root_placement root,
                            lmb_transform *pose)
{
    move_root(skeleton, joint, lmbi_root_placement_inverse(root), pose);
}

void lmb_pose_apply_root(const lmb_skeleton *skeleton, uint32_t joint, lmb_root_placement root,
                         lmb_transform *pose)
{
    move_root(skeleton, joint, root, pose);
}
