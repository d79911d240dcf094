/// One animated number of an FBX file: keys in seconds, a segment (constant, linear or cubic Bezier)
/// after each, and extrapolation before the first and after the last.
#ifndef IO_FBX_CURVE_H
#define IO_FBX_CURVE_H

#include "io/fbx/scene.h"

typedef enum lmbi_fbx_segment {
    LMBI_FBX_HOLD = 0,  ///< the value of the key before
    LMBI_FBX_HOLD_NEXT, ///< the value of the key after
    LMBI_FBX_STRAIGHT,
    LMBI_FBX_BEZIER,
} lmbi_fbx_segment;

/// A key and the segment after it. Handles are relative to their key: right of this one, left of
/// the next.
typedef struct lmbi_fbx_key {
    double time_s, value;
    lmbi_fbx_segment segment;
    double right_dx, right_dy; ///< seconds, and the curve's unit
    double left_dx, left_dy;   ///< of this key, towards the one before; positive dx
} lmbi_fbx_key;

typedef enum lmbi_fbx_outside {
    LMBI_FBX_OUTSIDE_CONSTANT = 0,
    LMBI_FBX_OUTSIDE_SLOPE,
    LMBI_FBX_OUTSIDE_REPEAT,
    LMBI_FBX_OUTSIDE_MIRROR,
    /// repeats, each repetition offset so that it begins at the value where the last one ended
    LMBI_FBX_OUTSIDE_RELATIVE,
} lmbi_fbx_outside;

typedef struct lmbi_fbx_curve {
    uint32_t count; ///< at least 1
    lmbi_fbx_key *keys;
    lmbi_fbx_outside before, after;
    int64_t rounds_before, rounds_after; ///< repetitions; negative: endless
} lmbi_fbx_curve;

/// Ticks a second of KTime, FBX's clock, up to version 7700.
#define LMBI_FBX_TICKS_PER_S 46186158000.0

/// Reads an AnimationCurve of version 7000 or later. *out is NULL when it has no keys.
lmb_result lmbi_fbx_curve_read(lmbi_fbx *fbx, const lmbi_fbx_node *node, lmbi_fbx_curve **out);
/// Reads the Key list of a Channel before 7000. *out is NULL when it has none.
lmb_result lmbi_fbx_curve_read_channel(lmbi_fbx *fbx, const lmbi_fbx_node *node,
                                       lmbi_fbx_curve **out);
/// The value at a time; *hint remembers a key between calls, any number is valid.
double lmbi_fbx_curve_at(const lmbi_fbx_curve *curve, double time_s, uint32_t *hint);

/// The inputs of an automatic tangent, which both readers of curves compute.
typedef struct lmbi_fbx_tangent {
    double previous_s, time_s, next_s;
    double previous, value, next;
    double weight_left, weight_right;
    double bias; ///< AutoBias in per cent, 0 for none
    bool clamp, clamp_progressive, time_independent;
} lmbi_fbx_tangent;
/// The slope of an automatic tangent, in units a second.
double lmbi_fbx_auto_slope(const lmbi_fbx_tangent *t);

#endif
