/// Usual position of a marker by its name.
#ifndef CAPTURE_MARKER_NAMES_H
#define CAPTURE_MARKER_NAMES_H

#include "limber/capture.h"

typedef struct lmbi_marker_guess {
    int segment; ///< bone whose joint it moves with
    int near;    ///< bone whose joint it is offset from
    /// offset from that joint, metres, on a body of 1.75 m in T-pose facing +Z
    lmb_vec3 offset;
} lmbi_marker_guess;

/// Guesses a marker's position from its name: those of Vicon's Plug-in Gait, CMU's 41, Helen Hayes
/// as in Cortex and OpenSim, Qualisys' animation and movement analysis sets, OptiTrack's, and plain
/// words with a side ("LtElbow", "LeftWristOut"). False for an unknown name.
bool lmbi_marker_name_read(const char *name, lmbi_marker_guess *out);

#endif
