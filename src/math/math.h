/// Rotations and their angles, as the rooms above use them.
#ifndef MATH_MATH_H
#define MATH_MATH_H

#include "limber/math.h"

/// Arguments are clamped to [-1, 1].
float lmbi_acos(float x);
float lmbi_asin(float x);
/// 1 / (1 + e^-x): the chance of which x is the logarithm of the odds.
float lmbi_logistic(float x);

/// Normalised linear interpolation along the shorter arc; at most 0.92 degrees from slerp for arcs
/// up to 90.
lmb_quat lmbi_quat_nlerp(lmb_quat a, lmb_quat b, float t);

/// Splits q = swing * twist, the twist about the unit `axis`.
void lmbi_quat_swing_twist(lmb_quat q, lmb_vec3 axis, lmb_quat *swing, lmb_quat *twist);

/// Axis times angle in radians, as body models' poses are given, as a quaternion whose w is the
/// cosine of the half angle.
lmb_quat lmbi_rotation_vector(lmb_vec3 vector);

/// The rotation as axis times angle in [0, pi].
lmb_vec3 lmbi_rotation_vector_of(lmb_quat q);

/// The inverse of lmb_quat_from_euler for an order of three different letters; the middle angle is
/// in [-pi/2, pi/2].
void lmbi_quat_to_euler(lmb_quat q, const char order[3], float angles_rad[3]);

#endif
