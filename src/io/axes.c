#include "io/common.h"

const char *lmb_axis_name(lmb_axis axis)
{
    switch (axis) {
    case LMB_AXIS_AUTO:
        return "auto";
    case LMB_AXIS_Y:
        return "+Y";
    case LMB_AXIS_Z:
        return "+Z";
    case LMB_AXIS_X:
        return "+X";
    case LMB_AXIS_NEGATIVE_Y:
        return "-Y";
    case LMB_AXIS_NEGATIVE_Z:
        return "-Z";
    case LMB_AXIS_NEGATIVE_X:
        return "-X";
    }
    return "unknown";
}

lmb_vec3 lmbi_axis_to_y(lmb_axis up, lmb_vec3 v)
{
    switch (up) {
    case LMB_AXIS_Z:
        return lmb_vec3_make(v.x, v.z, -v.y);
    case LMB_AXIS_X:
        return lmb_vec3_make(-v.y, v.x, v.z);
    case LMB_AXIS_NEGATIVE_Y:
        return lmb_vec3_make(v.x, -v.y, -v.z);
    case LMB_AXIS_NEGATIVE_Z:
        return lmb_vec3_make(v.x, -v.z, v.y);
    case LMB_AXIS_NEGATIVE_X:
        return lmb_vec3_make(v.y, -v.x, v.z);
    case LMB_AXIS_AUTO:
    case LMB_AXIS_Y:
        break;
    }
    return v;
}

lmb_vec3 lmbi_axis_from_y(lmb_axis up, lmb_vec3 v)
{
    switch (up) {
    case LMB_AXIS_Z:
        return lmb_vec3_make(v.x, -v.z, v.y);
    case LMB_AXIS_X:
        return lmb_vec3_make(v.y, -v.x, v.z);
    case LMB_AXIS_NEGATIVE_Y:
        return lmb_vec3_make(v.x, -v.y, -v.z);
    case LMB_AXIS_NEGATIVE_Z:
        return lmb_vec3_make(v.x, v.z, -v.y);
    case LMB_AXIS_NEGATIVE_X:
        return lmb_vec3_make(-v.y, v.x, v.z);
    case LMB_AXIS_AUTO:
    case LMB_AXIS_Y:
        break;
    }
    return v;
}

lmb_quat lmbi_axis_quat_to_y(lmb_axis up, lmb_quat q)
{
    const lmb_vec3 v = lmbi_axis_to_y(up, lmb_vec3_make(q.x, q.y, q.z));
    return lmb_quat_make(v.x, v.y, v.z, q.w);
}

lmb_quat lmbi_axis_quat_from_y(lmb_axis up, lmb_quat q)
{
    const lmb_vec3 v = lmbi_axis_from_y(up, lmb_vec3_make(q.x, q.y, q.z));
    return lmb_quat_make(v.x, v.y, v.z, q.w);
}

lmb_quat lmbi_axis_rotation(lmb_axis up)
{
    const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    return lmb_quat_from_axes(lmbi_axis_to_y(up, x), lmbi_axis_to_y(up, y), lmbi_axis_to_y(up, z));
}
