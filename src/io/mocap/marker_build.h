/// The last steps of every reader of markers: from a marker set in the file's units and axes to an
/// asset. And the first of every writer: the unit and axes to write in.
#ifndef IO_MOCAP_MARKER_BUILD_H
#define IO_MOCAP_MARKER_BUILD_H

#include "io/common.h"

/// What the file itself states about its conventions.
typedef struct lmbi_marker_facts {
    float unit_m;      ///< 0: not stated
    lmb_axis up;       ///< AUTO: not stated
    lmb_axis usual_up; ///< the format's default, used where nothing else decides
} lmbi_marker_facts;

/// Metres of "mm", "cm", "m", "in", "ft" and the like; 0 for anything else.
float lmbi_unit_of(lmbi_word word);

/// Guesses the up axis from the labels: heads are above feet. AUTO when the labels do not decide.
/// False when memory runs out.
bool lmbi_markers_guess_up(const lmb_markers *markers, const lmb_allocator *alloc, lmb_axis *up);

/// Finds gaps written as zeros, guesses what is not stated, converts `draft` in place and makes the
/// asset. `draft->seen` must be set. `info` gets the conventions found.
lmb_result lmbi_markers_finish(lmb_markers *draft, const lmbi_marker_facts *facts,
                               const lmb_markers_read_opts *opts, lmb_markers_info *info,
                               const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// The unit and axes that writers of markers write in.
typedef struct lmbi_marker_frame {
    float unit_m;
    const char *unit; ///< its name
    lmb_axis up;
} lmbi_marker_frame;

/// Fails UNSUPPORTED when the unit has no name, since the formats state it by name.
lmb_result lmbi_marker_frame_of(const lmb_markers_write_opts *opts, float unit_m, lmb_axis up,
                                lmbi_marker_frame *out, lmb_error *error);
/// A position in the file's unit and axes.
lmb_vec3 lmbi_marker_file_position(const lmbi_marker_frame *to, lmb_vec3 position);

#endif
