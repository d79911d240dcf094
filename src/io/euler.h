/// Euler angles to quaternions and back, without jumps from frame to frame.
#ifndef IO_EULER_H
#define IO_EULER_H

#include "limber/math.h"

/// q times a rotation of that many degrees about the axis 'x', 'y' or 'z'.
void lmbi_euler_rotate(lmb_quat *q, char axis, float degrees);
/// The same for many: q[k] is rotated by degrees[k * stride].
void lmbi_euler_rotate_all(lmb_quat *q, char axis, const float *degrees, size_t stride,
                           size_t count);

/// Euler angles in degrees of R = R(order[0]) R(order[1]) R(order[2]), three different letters of
/// "xyz". Near the poles (gimbal lock) only a sum of the outer angles is determined; the third
/// keeps the value that `angles` has on entry.
///
/// `follow`: of all triples that mean the rotation, the one nearest to `angles` on entry. Otherwise
/// the middle angle is in [-90, 90] and the outer ones in [-180, 180]. `used` is how many of the
/// angles will be written: with fewer than three, the triple whose unwritten angles are nearest to
/// 0.
void lmbi_euler_degrees(lmb_quat rotation, const char order[3], int used, bool follow,
                        double angles[3]);

#endif
