/// The last steps of every reader of markers: a marker set in the file's units and axes becomes an
/// asset.
#ifndef IO_MOCAP_MARKER_BUILD_H
#define IO_MOCAP_MARKER_BUILD_H

#include "io/common.h"

/// What the file itself says about its conventions.
typedef struct lmbi_marker_facts {
    float unit_m;      ///< 0 when it does not say
    lmb_axis up;       ///< AUTO when it does not say
    lmb_axis usual_up; ///< of the format, where nothing else tells
} lmbi_marker_facts;

/// Metres of "mm", "cm", "m", "in", "ft" and the like; 0 for anything else.
float lmbi_unit_of(lmbi_word word);

/// Which way is up by the labels: heads lie above feet. AUTO when the labels do not say clearly.
/// False when memory runs out.
bool lmbi_markers_guess_up(const lmb_markers *markers, const lmb_allocator *alloc, lmb_axis *up);

/// Finds gaps written as zeros, guesses what nobody says, converts `draft` in place and makes the
/// asset. `draft->seen` must be there. `info` gets what was found.
lmb_result lmbi_markers_finish(lmb_markers *draft, const lmbi_marker_facts *facts,
                               const lmb_markers_read_opts *opts, lmb_markers_info *info,
                               const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// The unit and axes that writers of markers write in.
typedef struct lmbi_marker_frame {
    float unit_m;
    const char *unit; ///< its name
    lmb_axis up;
} lmbi_marker_frame;

/// Fails UNSUPPORTED when the unit has no name, since the formats say it by name.
lmb_result lmbi_marker_frame_of(const lmb_markers_write_opts *opts, float unit_m, lmb_axis up,
                                lmbi_marker_frame *out, lmb_error *error);
/// A position in the file's unit and axes.
lmb_vec3 lmbi_marker_file_position(const lmbi_marker_frame *to, lmb_vec3 position);

#endif
