/// The unit and axes that writers of markers write in.
#ifndef IO_MOCAP_MARKER_OUT_H
#define IO_MOCAP_MARKER_OUT_H

#include "limber/io.h"

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
