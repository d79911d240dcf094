/// A joint's transform from the values of its channels, and the angles that quaternions alone do
/// not give back, which are carried beside them.
#include <math.h>

#include "io/bvh/build.h"
#include "io/bvh/carry.h"
#include "io/euler.h"

lmb_vec3 lmbi_bvh_translation(const lmbi_bvh_joint *joint, const float *values, bool adds)
{
    float t[3] = {joint->offset.x, joint->offset.y, joint->offset.z};
    for (int i = 0; joint->channels[i]; ++i) {
        if (lmbi_bvh_is_position(joint->channels[i])) {
            const int axis = joint->channels[i] - 'X';
            t[axis] = adds ? t[axis] + values[i] : values[i];
        }
    }
    return lmb_vec3_make(t[0], t[1], t[2]);
}

lmb_quat lmbi_bvh_rotation(const lmbi_bvh_joint *joint, const float *values)
{
    lmb_quat q = lmb_quat_identity();
    for (int i = 0; joint->channels[i]; ++i) {
        if (!lmbi_bvh_is_position(joint->channels[i])) {
            lmbi_euler_rotate(&q, joint->channels[i], values[i]);
        }
    }
    return lmb_quat_normalize(q);
}

/// The values of the rotation channels in a frame, in their order. Returns how many there are.
static int read_angles(const lmbi_bvh *bvh, const lmbi_bvh_joint *joint, uint32_t frame,
                       float angles[3])
{
    const float *values = lmbi_bvh_row(bvh, frame, joint);
    int rotation_count = 0;
    for (int i = 0; joint->channels[i]; ++i) {
        if (!lmbi_bvh_is_position(joint->channels[i])) {
            angles[rotation_count++] = values[i];
        }
    }
    return rotation_count;
}

/// The joint's channels, and whether its angles leave the principal range: angles inside it come
/// back from a quaternion unchanged, others have to be followed from frame to frame.
static lmbi_bvh_joint_carry describe_channels(const lmbi_bvh *bvh, const lmbi_bvh_joint *joint)
{
    lmbi_bvh_joint_carry carry = {.known = true};
    memcpy(carry.channels, joint->channels, sizeof carry.channels);
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        float angles[3];
        const int rotation_count = read_angles(bvh, joint, f, angles);
        for (int i = 0; i < rotation_count; ++i) {
            const float limit = i == 1 ? 90.0f : 180.0f;
            carry.continuous = carry.continuous || fabsf(angles[i]) > limit;
            carry.start[i] = f == 0 ? angles[i] : carry.start[i];
        }
    }
    return carry;
}

/// Writes the angles of the frames in which converting back from the quaternion would not give
/// them: near the poles single precision loses the outer angles, and 180 cannot be distinguished from -180.
static void write_lost_angles(lmbi_bvh_builder *b, lmbi_text *text, size_t j,
                              const lmbi_bvh_joint_carry *carry)
{
    const lmbi_bvh *bvh = b->bvh;
    const lmbi_bvh_joint *joint = &bvh->joints[j];
    double angles[3]; // the state in which the writer starts
    for (int i = 0; i < 3; ++i) {
        angles[i] = carry->continuous ? (double)carry->start[i] : 0;
    }
    float given[3];
    char order[3];
    const uint32_t count = lmbi_bvh_order(joint->channels, order) == 3 ? bvh->frame_count : 0;
    for (uint32_t f = 0; f < count; ++f) {
        read_angles(bvh, joint, f, given);
        const bool doubtful =
            fabsf(given[1]) > 60 || fabsf(given[0]) > 179.9f || fabsf(given[2]) > 179.9f;
        if (!doubtful && !carry->continuous) {
            continue;
        }
        const lmb_quat rotation = lmbi_bvh_rotation(joint, lmbi_bvh_row(bvh, f, joint));
        lmbi_euler_degrees(rotation, order, 3, carry->continuous, angles);
        for (int i = 0; i < 3; ++i) {
            if (!(fabs(angles[i] - (double)given[i]) < 4e-5)) {
                lmbi_bvh_carry_angles(text, b->frames != NULL ? b->frames[f] : f, given);
                angles[0] = (double)given[0];
                angles[1] = (double)given[1];
                angles[2] = (double)given[2];
            }
        }
    }
}

bool lmbi_bvh_carry_build(lmbi_bvh_builder *b)
{
    lmbi_text text;
    lmbi_text_init(&text, b->bvh->alloc);
    for (size_t j = 0; j < b->bvh->joint_count && !text.failed; ++j) {
        lmbi_bvh_joint_carry carry = describe_channels(b->bvh, &b->bvh->joints[j]);
        carry.positions_add = b->adds[j];
        text.size = 0;
        lmbi_bvh_joint_carry_begin(&text, &carry);
        write_lost_angles(b, &text, j, &carry);
        lmbi_bvh_joint_carry_end(&text);
        b->skeleton.carried[j] = lmbi_arena_string(&b->arena, text.data, text.size);
        text.failed = text.failed || b->skeleton.carried[j] == NULL;
    }
    const lmbi_bvh_clip_carry carry = {b->info.unit_m, b->info.up, b->info.rest_up,
                                       b->bvh->frame_time_s};
    text.size = 0;
    lmbi_bvh_clip_carry_write(&text, &carry);
    b->clip.carried = text.failed ? NULL : lmbi_arena_string(&b->arena, text.data, text.size);
    lmbi_text_free(&text);
    return b->clip.carried != NULL;
}
