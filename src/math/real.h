/// Elementary functions in double with the same bits on every machine. lmb_sin and the other
/// functions in float round these.
#ifndef MATH_REAL_H
#define MATH_REAL_H

/// Absolute error below 1e-15 up to 1e6 radians; beyond, sin is 0 and cos 1.
double lmbi_sin(double angle_rad);
double lmbi_cos(double angle_rad);
/// 0 at the origin.
double lmbi_atan2(double y, double x);
/// Relative error below 1e-13.
double lmbi_exp(double x);
/// -infinity at 0, NaN below.
double lmbi_log(double x);

#endif
