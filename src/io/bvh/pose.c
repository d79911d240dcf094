/// A joint's transform from the values of its channels.
#include "io/bvh/build.h"
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
