/// Where a marker of a known name usually sits.
#ifndef CAPTURE_MARKER_NAMES_H
#define CAPTURE_MARKER_NAMES_H

#include "limber/capture.h"

typedef struct lmbi_marker_guess {
    int segment; ///< slot that it moves with
    int near;    ///< slot whose joint it lies beside
    /// from that joint, metres on a body of 1.75 m that stands in T-pose facing +Z
    lmb_vec3 offset;
} lmbi_marker_guess;

/// Knows the names of Vicon's Plug-in Gait, CMU's 41, Helen Hayes as Cortex and OpenSim have it,
/// Qualisys' sets for animation and for movement analysis, OptiTrack's, and plain words with a side:
/// "LtElbow", "LeftWristOut". False where the name says nothing.
bool lmbi_marker_name_read(const char *name, lmbi_marker_guess *out);

#endif
