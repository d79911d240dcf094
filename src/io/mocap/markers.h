/// Markers of files: C3D, TRC, tables, NumPy archives.
#ifndef IO_MOCAP_MARKERS_H
#define IO_MOCAP_MARKERS_H

#include "limber/io.h"

/// Reads a C3D file: number formats of Intel, DEC or MIPS machines, points as integers or floats
/// (the sign of the scale decides), with more than 65535 frames where TRIAL or POINT:LONG_FRAMES
/// say so. Labels are those of POINT:LABELS, LABELS2 and so on; a point without one is "marker N".
///
/// Outputs of a model are not markers and are left out with a note: points that POINT:ANGLES,
/// FORCES, MOMENTS, POWERS, SCALARS, TORQUES, MODELED_MARKERS or another list with its own units
/// (ANGLE_UNITS) name; labels that end like such outputs; the four points of a segment's frame
/// (LFEO, LFEA, LFEL, LFEP). So are unlabelled trajectories ("*12") where there are labelled ones.
/// Analog channels keep their own units ((raw - OFFSET) * SCALE * GEN_SCALE); events come from the
/// EVENT group or the header. A point that no camera saw (a negative residual, or a coordinate that
/// is not finite) is a gap; so is a run of exact zeros of a marker that is elsewhere before or
/// after. The up axis is the one along which common labels lie above each other, else
/// POINT:Y_SCREEN, else +Z. Errors: MALFORMED with the byte; UNSUPPORTED for analog channels
/// without points; MEMORY. `opts`, `alloc` and `error` may be NULL.
lmb_result lmbi_c3d_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                         const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Reads TRC text, with tabs, commas or semicolons between its cells. An empty cell, or "nan", is a
/// gap. Errors: MALFORMED with line and column; MEMORY.
lmb_result lmbi_trc_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                         const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Reads a table with a header of "NAME x", "NAME y" and "NAME z" (also "NAME_X", "NAME.x" and the
/// like) for every marker, in any order, and one row a frame; the columns "frame" and "time" are
/// optional, others are skipped. Metres and +Y up unless the numbers suggest otherwise.
lmb_result lmbi_marker_csv_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Reads such a file; names come from an array of texts called names, joint_names or labels, else
/// from SMPL's joints where there are 22 or 24 points, else they are "point N". Frame rates as for
/// lmb_body_motion_read. Points that are not finite are gaps. Errors:
/// MALFORMED for an array of a wrong shape.
lmb_result lmbi_marker_npz_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Writes a C3D file of Intel floats. Reading it with lmbi_c3d_read gives equal markers but for
/// rounding in the file's unit, and residuals, which are stored in 255 steps. More than 65535
/// frames go into TRIAL. Errors: UNSUPPORTED for more than 65535 markers, 255 analog channels or
/// 255 events, labels longer than 127 bytes in all 255 blocks of parameters, or a unit that has no
/// name; MEMORY.
lmb_result lmbi_c3d_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

/// Writes TRC text with tabs. Residuals are not kept. Errors: those of lmbi_c3d_write but for
/// counts.
lmb_result lmbi_trc_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

/// Writes a table with commas: frame, time, and x, y, z of every marker; empty cells in gaps.
lmb_result lmbi_marker_csv_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                                 const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

#endif
